//! What a tool call is: delegation, a look, an edit, a test. It is the same for every agent, and a shell line is judged by all of its parts.

use std::path::Path;

use bowline_agents::Tool;
use bowline_guard::families::{git_command, own_command};
use bowline_guard::invocation::Invocation;
use bowline_guard::judge::Judgement;
use bowline_guard::loss::{Act, Target, TargetKind};

/// What a tool call is. Of the parts of a shell line the last one in this order counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    /// Nothing of note: `echo`, `sleep`, a tool that is none of the others.
    Other,
    /// Calls an MCP server.
    Mcp,
    /// Hands work over, asks a person, or keeps a list of what is to be done.
    Coordinates,
    /// Talks to Bowline.
    Own,
    /// Looks at a repository and changes nothing in it.
    LooksAtGit,
    /// Reads, lists or searches.
    Explores,
    /// Runs a program about which nothing is known here.
    Runs,
    /// Runs tests or a build.
    Builds,
    /// Changes files of the project.
    Edits,
    /// Changes a repository.
    WritesGit,
}

/// Tools that coordinate, besides those that hand work over.
const COORDINATING: &[&str] = &[
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListAgents",
    "SendUserMessage",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
];

/// Whether a tool hands work to another agent. Older versions of Claude Code and agents in Rust call it `Task`.
pub fn delegates(name: &str) -> bool {
    Tool::named(name) == Tool::Delegate || name.eq_ignore_ascii_case("Task")
}

/// Says what a call of a tool is that runs no shell.
pub fn of_tool(name: &str) -> CallKind {
    if delegates(name) {
        return CallKind::Coordinates;
    }
    match Tool::named(name) {
        Tool::Read | Tool::Glob | Tool::Grep | Tool::List | Tool::Fetch => CallKind::Explores,
        Tool::Write | Tool::Edit | Tool::Delete | Tool::Move => CallKind::Edits,
        Tool::Mcp => CallKind::Mcp,
        Tool::Shell | Tool::PowerShell => CallKind::Runs,
        Tool::Other if is_one_of(name, COORDINATING) => CallKind::Coordinates,
        Tool::Unread | Tool::Other | Tool::Delegate => CallKind::Other,
    }
}

/// Says what a shell line is. `harmless` are programs that a person has named as such.
pub fn of_line(line: &Judgement, project: &str, harmless: &[String]) -> CallKind {
    let programs = line.invocations.iter().map(|run| of_run(run, harmless));
    let changes = line.acts.iter().any(|act| changes_below(act, project));
    let unclear = line.not_understood().is_some();
    programs
        .chain(changes.then_some(CallKind::Edits))
        .chain(unclear.then_some(CallKind::Runs))
        .max()
        .unwrap_or(CallKind::Other)
}

/// Programs that only say or wait for something.
const QUIET: &[&str] = &[
    ":", "[", "[[", "date", "echo", "export", "false", "hostname", "id", "printf", "pwd", "set",
    "sleep", "tee", "test", "true", "tty", "uname", "unset", "wait", "whoami",
];

/// Programs that read, list or search. What they write is seen by itself.
const LOOKING: &[&str] = &[
    "ag", "awk", "basename", "bat", "cat", "cmp", "column", "comm", "cut", "df", "diff", "dirname",
    "du", "egrep", "eza", "fd", "fgrep", "file", "find", "gawk", "grep", "head", "hexdump", "jq",
    "less", "ls", "more", "nl", "od", "readlink", "realpath", "rg", "sed", "sort", "stat",
    "strings", "tac", "tail", "tr", "tree", "type", "uniq", "wc", "which", "xxd", "yq", "zcat",
];

fn of_run(run: &Invocation, harmless: &[String]) -> CallKind {
    let Some(program) = run.program.as_deref() else {
        return CallKind::Runs;
    };
    if let Some((command, words)) = git_command(run) {
        return of_git(command, &words);
    }
    if let Some(words) = own_command(run) {
        // It runs another program.
        let supervises = words.contains(&"supervise");
        return if supervises {
            CallKind::Runs
        } else {
            CallKind::Own
        };
    }
    let words: Vec<&str> = run.args.iter().filter_map(|arg| arg.text()).collect();
    if harmless.iter().any(|it| it == program) || QUIET.contains(&program) {
        CallKind::Other
    } else if LOOKING.contains(&program) {
        CallKind::Explores
    } else if builds(program, &words) {
        CallKind::Builds
    } else {
        CallKind::Runs
    }
}

/// Commands of git that change nothing, whatever follows.
const GIT_LOOKS: &[&str] = &[
    "",
    "annotate",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "fetch",
    "for-each-ref",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "version",
    "whatchanged",
];

fn of_git(command: &str, words: &[&str]) -> CallKind {
    let first = words.first().copied().unwrap_or_default();
    let only_options = words.iter().all(|word| word.starts_with('-'));
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let deletes = || {
        has(&[
            "-d", "-D", "-m", "-M", "-f", "--delete", "--move", "--force",
        ])
    };
    let looks = match command {
        "branch" => {
            (only_options && !deletes())
                || has(&["--list", "-l", "--contains", "--merged", "--no-merged"])
        }
        "tag" => (only_options && !deletes()) || has(&["--list", "-l", "--contains"]),
        "remote" => only_options || matches!(first, "show" | "get-url"),
        "stash" | "worktree" | "bundle" | "notes" => matches!(first, "list" | "show" | "verify"),
        "reflog" => matches!(first, "" | "show" | "list") || only_options,
        "submodule" => matches!(first, "" | "status" | "summary"),
        "config" => has(&["--get", "--get-all", "--list", "-l"]) || matches!(first, "get" | "list"),
        "bisect" => matches!(first, "log" | "view"),
        _ => GIT_LOOKS.contains(&command),
    };
    if looks {
        CallKind::LooksAtGit
    } else {
        CallKind::WritesGit
    }
}

/// Whether a program runs tests or builds something.
fn builds(program: &str, words: &[&str]) -> bool {
    let first = words.iter().find(|word| !word.starts_with(['-', '+']));
    let first = first.copied().unwrap_or_default();
    match program {
        "bazel" | "cmake" | "ctest" | "gmake" | "gradle" | "gradlew" | "jest" | "just" | "make"
        | "mocha" | "mvn" | "mvnw" | "ninja" | "nox" | "phpunit" | "playwright" | "pytest"
        | "rake" | "rspec" | "sbt" | "tox" | "tsc" | "vitest" | "webpack" => true,
        "cargo" => matches!(
            first,
            "b" | "bench"
                | "build"
                | "c"
                | "check"
                | "clippy"
                | "doc"
                | "nextest"
                | "r"
                | "run"
                | "t"
                | "test"
        ),
        "bun" | "npm" | "pnpm" | "yarn" => matches!(
            first,
            "build" | "run" | "run-script" | "start" | "t" | "test" | "tst"
        ),
        "composer" => matches!(first, "run" | "run-script" | "test"),
        "deno" => matches!(first, "bench" | "check" | "compile" | "task" | "test"),
        "docker" | "podman" | "uv" | "poetry" | "hatch" => first == "build",
        "dotnet" | "swift" | "zig" => matches!(first, "build" | "publish" | "run" | "test"),
        "go" => matches!(
            first,
            "build" | "generate" | "install" | "run" | "test" | "vet"
        ),
        "mix" => matches!(first, "compile" | "test"),
        "python" | "python3" => matches!(words, ["-m", "build" | "pytest" | "unittest", ..]),
        _ => false,
    }
}

/// Whether an act changes something below a folder, or could.
fn changes_below(act: &Act, folder: &str) -> bool {
    let is_in = |target: &Target| {
        target.kind == TargetKind::Unknown || Path::new(&target.path).starts_with(folder)
    };
    match act {
        Act::Make(target)
        | Act::Write { to: target, .. }
        | Act::Delete { target, .. }
        | Act::Copy { to: target, .. }
        | Act::Link { to: target, .. } => is_in(target),
        Act::Move { from, to } => is_in(to) || from.iter().any(is_in),
        Act::Rename { from, .. } => from.iter().any(is_in),
        Act::Unpack(unpacking) => is_in(&unpacking.into),
        Act::Perhaps(act) => changes_below(act, folder),
        // Its command says what it does.
        Act::Git { .. } => false,
        _ => true,
    }
}

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use bowline_guard::judge::judge;
    use bowline_guard::paths::StaticWorld;

    use super::*;

    #[test]
    fn tools_are_known_under_every_agent() {
        for (tool, expected) in [
            ("Task", CallKind::Coordinates),
            ("Agent", CallKind::Coordinates),
            ("AskUserQuestion", CallKind::Coordinates),
            ("todowrite", CallKind::Coordinates),
            ("TaskUpdate", CallKind::Coordinates),
            ("Read", CallKind::Explores),
            ("Grep", CallKind::Explores),
            ("WebFetch", CallKind::Explores),
            ("Edit", CallKind::Edits),
            ("Write", CallKind::Edits),
            ("NotebookEdit", CallKind::Edits),
            ("mcp__linear__create_issue", CallKind::Mcp),
            ("Bash", CallKind::Runs),
            ("Skill", CallKind::Other),
            ("SomethingNew", CallKind::Other),
        ] {
            assert_eq!(of_tool(tool), expected, "{tool}");
        }
    }

    #[test]
    fn a_line_is_judged_by_all_of_its_parts() {
        let world = StaticWorld::new("/shop", "/home/ann");
        let harmless = ["gh".to_owned()];
        for (line, expected) in [
            ("git status", CallKind::LooksAtGit),
            ("git -C sub log --oneline | head", CallKind::Explores),
            ("git branch -a", CallKind::LooksAtGit),
            ("git branch -D old", CallKind::WritesGit),
            ("git branch new", CallKind::WritesGit),
            ("git stash list", CallKind::LooksAtGit),
            ("git stash", CallKind::WritesGit),
            ("git remote -v", CallKind::LooksAtGit),
            ("git remote add x y", CallKind::WritesGit),
            ("git config --get user.name", CallKind::LooksAtGit),
            ("git config user.name x", CallKind::WritesGit),
            ("git commit -m 'git status'", CallKind::WritesGit),
            ("cd x && git push", CallKind::WritesGit),
            ("git -c a.b=c push origin", CallKind::WritesGit),
            ("sh -c 'git push'", CallKind::WritesGit),
            ("git status && git push", CallKind::WritesGit),
            ("echo $(git push)", CallKind::WritesGit),
            ("bowline orchestrator reset", CallKind::Own),
            ("cd x && bowline work list", CallKind::Own),
            ("bowline work list && cargo test", CallKind::Builds),
            ("bowline supervise -- ./run", CallKind::Runs),
            ("echo bowline orchestrator reset", CallKind::Other),
            ("ls -la", CallKind::Explores),
            ("cat a.rs | grep fn | wc -l", CallKind::Explores),
            ("grep -rn x . > /tmp/found", CallKind::Explores),
            ("grep -rn x . 2>/dev/null", CallKind::Explores),
            ("grep -rn x . > found.txt", CallKind::Edits),
            ("sed -n 1,5p a.rs", CallKind::Explores),
            ("sed -i s/a/b/ a.rs", CallKind::Edits),
            ("ls | tee out.txt", CallKind::Edits),
            ("echo x >> a.rs", CallKind::Edits),
            ("rm a.rs", CallKind::Edits),
            ("mkdir -p src/new", CallKind::Edits),
            ("find . -name '*.rs'", CallKind::Explores),
            ("find . -name '*.rs' -delete", CallKind::Edits),
            ("find . -name '*.rs' | xargs grep fn", CallKind::Explores),
            ("find . -name '*.rs' -exec wc -l {} +", CallKind::Explores),
            ("git ls-files | xargs rm", CallKind::Edits),
            ("timeout 5 ls", CallKind::Explores),
            ("time ls", CallKind::Explores),
            ("for f in *.rs; do wc -l $f; done", CallKind::Explores),
            ("if [ -f a ]; then cat a; fi", CallKind::Explores),
            ("ls &", CallKind::Explores),
            ("FOO=1 npm test | tail -5", CallKind::Builds),
            ("npm run lint", CallKind::Builds),
            ("cargo +nightly test -p x", CallKind::Builds),
            ("uv run pytest -q", CallKind::Builds),
            ("python3 -m unittest", CallKind::Builds),
            ("timeout 60 make check", CallKind::Builds),
            ("python3 fix.py", CallKind::Runs),
            ("./deploy.sh", CallKind::Runs),
            ("$TOOL x", CallKind::Runs),
            ("gh pr list", CallKind::Other),
            ("sleep 5", CallKind::Other),
            ("cd /tmp", CallKind::Other),
        ] {
            let kind = of_line(&judge(line, &world), "/shop", &harmless);
            assert_eq!(kind, expected, "{line}");
        }
    }
}
