//! The heartbeat: how many calls an agent may make before it writes into its effort's log.

use std::path::{Component, Path};

use crate::effort::{Effort, Lifecycle};
use crate::words;

/// What is known of a tool call, whichever agent makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolUse<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The command line, if a shell runs one.
    pub command: Option<&'a str>,
    /// The absolute path of the file, if the tool reads one.
    pub reads: Option<&'a str>,
}

/// What a tool call is to the heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It talks to Bowline. What it changes there, the store knows: a log entry that was made begins the count anew.
    Engine,
    /// It is no work of the agent's own: a question, a delegation, a to-do list, a look at the task's files.
    Exempt,
    /// Anything else.
    Ordinary,
}

/// Tools that are no work of the agent's own.
const EXEMPT: [&str; 8] = [
    "AskUserQuestion",
    "Agent",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "TodoWrite",
];

/// Says what a tool call is. `task` is the folder of the effort's task.
pub fn classify(call: &ToolUse<'_>, task: &str) -> Kind {
    if let Some(command) = call.command {
        return kind_of_line(command);
    }
    let is_exempt = EXEMPT
        .iter()
        .any(|tool| tool.eq_ignore_ascii_case(call.tool));
    let reads_of_task = call.reads.is_some_and(|file| is_below(file, task));
    if is_exempt || reads_of_task {
        Kind::Exempt
    } else {
        Kind::Ordinary
    }
}

fn is_below(file: &str, folder: &str) -> bool {
    let file = Path::new(file);
    let climbs = file
        .components()
        .any(|component| component == Component::ParentDir);
    !folder.is_empty() && !climbs && file.starts_with(folder)
}

/// A line may consist of several commands. One that is not for Bowline makes it ordinary; `cd` and variables only prepare.
fn kind_of_line(line: &str) -> Kind {
    let Some(commands) = words::commands(line) else {
        return Kind::Ordinary;
    };
    let mut line = Kind::Ordinary;
    for command in &commands {
        let command: Vec<&str> = command
            .iter()
            .map(String::as_str)
            .skip_while(|word| *word == "env" || is_variable(word))
            .collect();
        match command.as_slice() {
            [] | ["cd", ..] => {}
            [program, arguments @ ..] if is_bowline(program) && !runs_another(arguments) => {
                line = Kind::Engine;
            }
            _ => return Kind::Ordinary,
        }
    }
    line
}

fn is_variable(word: &str) -> bool {
    let is_name = |name: &str| {
        let mut characters = name.chars();
        !name.is_empty() && characters.all(|one| one.is_ascii_alphanumeric() || one == '_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn is_bowline(program: &str) -> bool {
    program.rsplit('/').next() == Some("bowline")
}

/// Whether the command of Bowline runs another program.
fn runs_another(arguments: &[&str]) -> bool {
    let arguments = match arguments {
        ["--color", _, rest @ ..] => rest,
        [color, rest @ ..] if color.starts_with("--color=") => rest,
        all => all,
    };
    matches!(arguments, ["supervise", ..])
}

/// What a tool call does to the count of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Nothing.
    Uncounted,
    /// It goes up, and the call is allowed.
    Counted {
        /// The count with this call.
        count: u32,
        /// At how many a call is blocked.
        limit: u32,
    },
    /// It goes up, and the call is blocked.
    Blocked {
        /// The count with this call.
        count: u32,
        /// At how many a call is blocked.
        limit: u32,
    },
}

/// Decides what a tool call does. `count` is the session's count before it; `default_limit` counts where the effort has no limit of its own.
pub fn beat(effort: &Effort, count: u32, kind: Kind, default_limit: u32) -> Beat {
    let metadata = &effort.metadata;
    if effort.lifecycle == Lifecycle::Finished || metadata.loading || metadata.dehydrating {
        return Beat::Uncounted;
    }
    match kind {
        Kind::Engine | Kind::Exempt => Beat::Uncounted,
        Kind::Ordinary => {
            let count = count.saturating_add(1);
            let limit = metadata.block_after.unwrap_or(default_limit);
            if count < limit {
                Beat::Counted { count, limit }
            } else {
                Beat::Blocked { count, limit }
            }
        }
    }
}

/// Why a call is blocked, and what the agent has to do.
pub fn blocked_reason(effort: &Effort, count: u32, limit: u32) -> String {
    format!(
        "Heartbeat {count}/{limit}: too many calls without an entry in the log of the effort {}. \
         Write one now, as a command of its own: `bowline effort log \"what you did and found\"`. \
         Use single quotes if the text has backticks or `$(`. Then repeat this call.",
        effort.label()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Metadata;
    use crate::effort::tests::sample;

    fn shell(command: &str) -> ToolUse<'_> {
        ToolUse {
            tool: "Bash",
            command: Some(command),
            reads: None,
        }
    }

    #[test]
    fn a_line_is_classified_by_all_that_it_does() {
        for (line, expected) in [
            ("bowline effort log 'found it'", Kind::Engine),
            (
                "bowline effort log \"found it; cargo test | tail\"",
                Kind::Engine,
            ),
            ("  bowline   effort log x", Kind::Engine),
            ("cd /home/ann/shop && bowline effort log x", Kind::Engine),
            ("cd \"$HOME\"; bowline effort log x", Kind::Engine),
            (
                "BOWLINE_HOME=/tmp/b AGENT_ID=a bowline effort log x",
                Kind::Engine,
            ),
            ("env AGENT_ID=a bowline effort log x", Kind::Engine),
            ("/usr/local/bin/bowline effort log x", Kind::Engine),
            ("~/.cargo/bin/bowline effort log x", Kind::Engine),
            ("bowline --color never effort log x", Kind::Engine),
            ("bowline --color=never effort log x", Kind::Engine),
            ("bowline effort log x 2>&1", Kind::Engine),
            (
                "bowline effort log <<'EOF'\nran `cargo test` | it fails\nEOF",
                Kind::Engine,
            ),
            (
                "bowline effort log \"$(cat <<'EOF'\n## Found it\nran `x`\nEOF\n)\"",
                Kind::Engine,
            ),
            (
                "bowline effort log x && bowline effort phase 2",
                Kind::Engine,
            ),
            ("bowline effort phase 2\nbowline effort log x", Kind::Engine),
            ("bowline effort log --help", Kind::Engine),
            ("bowline effort phase \"2: Build\"", Kind::Engine),
            ("bowline note add 'use sqlite'", Kind::Engine),
            ("bowline effort dehydrate < summary.json", Kind::Engine),
            ("cd sub && bowline fleet", Kind::Engine),
            ("bowline", Kind::Engine),
            ("bowline effort logs", Kind::Engine),
            ("bowline effort log x; cargo test", Kind::Ordinary),
            ("cargo test && bowline effort log x", Kind::Ordinary),
            ("bowline effort log x | tee out", Kind::Ordinary),
            ("bowline effort show | head", Kind::Ordinary),
            ("bowline effort show > file", Kind::Ordinary),
            ("bowline effort log x & cargo test", Kind::Ordinary),
            ("bowline effort log \"$(cargo test)\"", Kind::Ordinary),
            ("bowline effort log `cargo test`", Kind::Ordinary),
            (
                "bowline effort log <<EOF\nx\nEOF\ncargo test",
                Kind::Ordinary,
            ),
            ("bowline supervise -- cargo test", Kind::Ordinary),
            ("bowline-hook", Kind::Ordinary),
            ("./bowline.sh effort log x", Kind::Ordinary),
            ("echo bowline effort log x", Kind::Ordinary),
            ("sh -c 'bowline effort log x'", Kind::Ordinary),
            ("cd /tmp", Kind::Ordinary),
            ("env", Kind::Ordinary),
            ("", Kind::Ordinary),
            ("bowline effort log 'x", Kind::Ordinary),
        ] {
            let kind = classify(&shell(line), "/home/ann/shop/.tasks/fix-login");
            assert_eq!(kind, expected, "{line}");
        }
    }

    #[test]
    fn other_tools_are_classified_by_name_and_by_file() {
        let task = "/home/ann/shop/.tasks/fix-login";
        for (tool, reads, expected) in [
            ("AskUserQuestion", None, Kind::Exempt),
            ("Task", None, Kind::Exempt),
            ("agent", None, Kind::Exempt),
            ("TodoWrite", None, Kind::Exempt),
            ("TaskUpdate", None, Kind::Exempt),
            ("Write", None, Kind::Ordinary),
            ("Tasks", None, Kind::Ordinary),
            ("mcp__files__read", None, Kind::Ordinary),
            ("", None, Kind::Ordinary),
            (
                "Read",
                Some("/home/ann/shop/.tasks/fix-login/2_IMPLEMENT_LOG.md"),
                Kind::Exempt,
            ),
            (
                "Read",
                Some("/home/ann/shop/.tasks/fix-login/a/b.md"),
                Kind::Exempt,
            ),
            (
                "Read",
                Some("/home/ann/shop/.tasks/fix-login/../../src/main.rs"),
                Kind::Ordinary,
            ),
            (
                "Read",
                Some("/home/ann/shop/.tasks/fix-login-2/plan.md"),
                Kind::Ordinary,
            ),
            ("Read", Some("/home/ann/shop/src/main.rs"), Kind::Ordinary),
        ] {
            let call = ToolUse {
                tool,
                command: None,
                reads,
            };
            assert_eq!(classify(&call, task), expected, "{tool} {reads:?}");
        }
        let call = ToolUse {
            tool: "Read",
            command: None,
            reads: Some("/etc/hosts"),
        };
        assert_eq!(
            classify(&call, ""),
            Kind::Ordinary,
            "a task without a folder"
        );
    }

    #[test]
    fn the_tenth_call_is_blocked_and_each_one_after_it() {
        let effort = sample();
        let mut count = 0;
        for expected in 1..=9 {
            let beat = beat(&effort, count, Kind::Ordinary, 10);
            assert_eq!(
                beat,
                Beat::Counted {
                    count: expected,
                    limit: 10
                }
            );
            count = expected;
        }
        for expected in 10..=12 {
            let beat = beat(&effort, count, Kind::Ordinary, 10);
            assert_eq!(
                beat,
                Beat::Blocked {
                    count: expected,
                    limit: 10
                }
            );
            count = expected;
        }
        assert_eq!(beat(&effort, count, Kind::Engine, 10), Beat::Uncounted);
        assert_eq!(beat(&effort, count, Kind::Exempt, 10), Beat::Uncounted);
    }

    #[test]
    fn the_effort_may_have_its_own_limit() {
        for (block_after, count, expected) in [
            (Some(0), 0, Beat::Blocked { count: 1, limit: 0 }),
            (Some(1), 0, Beat::Blocked { count: 1, limit: 1 }),
            (Some(2), 0, Beat::Counted { count: 1, limit: 2 }),
            (
                Some(50),
                20,
                Beat::Counted {
                    count: 21,
                    limit: 50,
                },
            ),
            (None, 2, Beat::Blocked { count: 3, limit: 3 }),
            (
                None,
                u32::MAX,
                Beat::Blocked {
                    count: u32::MAX,
                    limit: 3,
                },
            ),
        ] {
            let mut effort = sample();
            effort.metadata.block_after = block_after;
            let beat = beat(&effort, count, Kind::Ordinary, 3);
            assert_eq!(beat, expected, "{block_after:?} after {count}");
        }
    }

    #[test]
    fn finished_loading_and_dehydrating_efforts_are_not_counted() {
        let finished = Effort {
            lifecycle: Lifecycle::Finished,
            ..sample()
        };
        let with = |metadata| Effort {
            metadata,
            ..sample()
        };
        let loading = with(Metadata {
            loading: true,
            ..Metadata::default()
        });
        let dehydrating = with(Metadata {
            dehydrating: true,
            ..Metadata::default()
        });
        for effort in [finished, loading, dehydrating] {
            for kind in [Kind::Ordinary, Kind::Engine, Kind::Exempt] {
                let beat = beat(&effort, 99, kind, 10);
                assert_eq!(beat, Beat::Uncounted, "{kind:?} {effort:?}");
            }
        }
    }

    #[test]
    fn the_reason_says_what_to_do_and_that_lifts_the_block() {
        let reason = blocked_reason(&sample(), 10, 10);
        assert!(reason.contains("10/10"), "{reason}");
        assert!(reason.contains("fix-login #2 (implement)"), "{reason}");
        let command = reason.split('`').nth(1).unwrap();
        assert_eq!(command, "bowline effort log \"what you did and found\"");
        assert_eq!(classify(&shell(command), &sample().task), Kind::Engine);
    }
}
