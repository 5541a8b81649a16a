//! Estimates what a tool call puts into the context window, and what it would be if the call were handed to a sub-agent.
//!
//! These are rules of thumb, not bills: what was really used is in [`usage`](super::usage).

use bowline_agents::Tool;
use bowline_agents::claude_code::tools::current_name;
use serde_json::Value;

/// What a call is for, as far as handing it over goes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Looks for something.
    Exploration,
    /// Changes files.
    Implementation,
    /// Runs a shell: git, tests.
    Shell,
    /// Hands work over.
    Delegation,
}

impl Category {
    /// Of a tool; `None` where there is nothing to hand over.
    pub fn of(tool: &str) -> Option<Self> {
        match known(tool) {
            Tool::Read | Tool::Grep | Tool::Glob | Tool::List => Some(Self::Exploration),
            Tool::Write | Tool::Edit | Tool::Delete | Tool::Move => Some(Self::Implementation),
            Tool::Shell | Tool::PowerShell => Some(Self::Shell),
            Tool::Delegate => Some(Self::Delegation),
            Tool::Fetch | Tool::Mcp | Tool::Unread | Tool::Other => None,
        }
    }

    /// What the call puts into the agent's own window when a sub-agent does it.
    pub const fn optimal(self) -> u64 {
        match self {
            Self::Exploration | Self::Delegation => 500,
            Self::Implementation => 800,
            Self::Shell => 600,
        }
    }
}

/// The tool of this name, or of one that it had before.
pub(super) fn known(tool: &str) -> Tool {
    Tool::named(current_name(tool))
}

/// What handing over a call takes beside that: to ask for it, and to read the answer.
const OVERHEAD: u64 = 1000;
/// What is not known costs so much.
const USUAL: u64 = 2000;

/// What a call puts into the window, before it is made.
pub fn predicted(tool: &str, input: &Value) -> u64 {
    let base = base(tool, input);
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
    let longer = |texts: &[&str], limit| texts.iter().any(|it| it.chars().count() > limit);
    match known(tool) {
        Tool::Read => match paths(input) {
            0 | 1 if input.get("limit").and_then(Value::as_u64) > Some(5000) => base * 2,
            paths => base * paths.max(1),
        },
        Tool::Grep => {
            let long = longer(&[text("pattern")], 100);
            let multiline = input.get("multiline").and_then(Value::as_bool) == Some(true);
            // Both count where both are true.
            let base = if long { base * 3 / 2 } else { base };
            if multiline { base * 13 / 10 } else { base }
        }
        Tool::Write | Tool::Edit => {
            let base = base * paths(input).max(1);
            let large = longer(&[text("content"), text("new_string")], 10_000);
            if large { base * 3 / 2 } else { base }
        }
        _ => base,
    }
}

fn paths(input: &Value) -> u64 {
    let lists = ["paths", "file_paths", "files"];
    let list = lists.iter().find_map(|key| input.get(*key)?.as_array());
    list.map_or(0, |list| list.len().min(1000) as u64)
}

fn base(tool: &str, input: &Value) -> u64 {
    match known(tool) {
        Tool::Read => 5000,
        Tool::Grep => 3000,
        Tool::Write | Tool::Edit if tool == "NotebookEdit" => 4500,
        Tool::Write | Tool::Edit => 4000,
        Tool::Delegate => 500,
        Tool::Shell | Tool::PowerShell => shell(input),
        Tool::Delete
        | Tool::Move
        | Tool::Glob
        | Tool::List
        | Tool::Fetch
        | Tool::Mcp
        | Tool::Unread
        | Tool::Other => match tool {
            "AskUserQuestion" => 1000,
            "TodoWrite" => 500,
            _ => USUAL,
        },
    }
}

fn shell(input: &Value) -> u64 {
    let command = input.get("command").and_then(Value::as_str);
    match Errand::of(command.unwrap_or_default()) {
        Errand::GitWrite => 1500,
        Errand::Tests => 5000,
        Errand::Other => USUAL,
    }
}

/// What a shell command is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// Changes a repository.
    GitWrite,
    /// Runs tests.
    Tests,
    /// Anything else.
    Other,
}

impl Errand {
    /// Of a command line, by the first words of each of its parts.
    pub fn of(command: &str) -> Self {
        let parts = command.split(['\n', ';', '&', '|']);
        let errands: Vec<Self> = parts.map(Self::of_part).collect();
        let has = |errand| errands.contains(&errand);
        match () {
            () if has(Self::Tests) => Self::Tests,
            () if has(Self::GitWrite) => Self::GitWrite,
            () => Self::Other,
        }
    }

    fn of_part(part: &str) -> Self {
        let mut words = part.split_whitespace().skip_while(|it| it.contains('='));
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        let mut next = || words.next().unwrap_or_default();
        match program {
            "git" => match next() {
                "add" | "commit" | "push" | "merge" | "rebase" | "cherry-pick" => Self::GitWrite,
                _ => Self::Other,
            },
            "pytest" => Self::Tests,
            "npm" | "yarn" | "pnpm" | "cargo" | "go" | "make" | "composer" => match next() {
                "test" | "nextest" => Self::Tests,
                "run" if next() == "test" => Self::Tests,
                _ => Self::Other,
            },
            "uv" | "poetry" if next() == "run" && next() == "pytest" => Self::Tests,
            "python" | "python3" if next() == "-m" && next() == "pytest" => Self::Tests,
            _ => Self::Other,
        }
    }
}

/// What a call put into the window, from its result: real figures before estimates.
pub fn actual(tool: &str, input: &Value, response: &Value) -> u64 {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    let used = response.get("usage").map(|usage| {
        let kinds = [
            "input_tokens",
            "output_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        ];
        kinds.iter().filter_map(|key| number(usage, key)).sum()
    });
    let figures = used
        .filter(|sum: &u64| *sum > 0)
        .or_else(|| number(response, "totalTokens"))
        .or_else(|| number(response, "actual_cost"))
        .or_else(|| number(response, "cost"))
        .or_else(|| number(response.get("metadata")?, "cost"))
        .or_else(|| number(response, "tokens"));
    if let Some(figures) = figures {
        return figures;
    }
    if known(tool) == Tool::Read
        && let Some(text) = text_of(response)
    {
        return text.lines().count() as u64 * 4;
    }
    base(tool, input)
}

fn text_of(response: &Value) -> Option<&str> {
    response
        .as_str()
        .or_else(|| response.get("output")?.as_str())
        .or_else(|| response.pointer("/file/content")?.as_str())
}

/// What a call put into the window beyond what was needed. Never less than nothing.
pub const fn waste(actual: u64, optimal: u64) -> u64 {
    actual.saturating_sub(optimal)
}

/// What handing over the call would have saved. Never less than nothing. What an agent reads it would have to be told, so that reading saves
/// nothing.
pub fn savings(tool: &str, actual: u64) -> u64 {
    let overhead = match known(tool) {
        Tool::Read => actual,
        Tool::Delegate => return 0,
        _ => OVERHEAD,
    };
    let delegated = Category::of(tool).map_or(actual, Category::optimal);
    actual.saturating_sub(delegated).saturating_sub(overhead)
}

/// How much of what was used was needed, in percent.
pub const fn efficiency(actual: u64, optimal: u64) -> u64 {
    if actual <= optimal {
        return 100;
    }
    optimal.saturating_mul(100) / actual
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f28_a_calls_are_predicted_with_all_that_makes_them_larger() {
        let long = "x".repeat(101);
        let large = "x".repeat(10_001);
        for (tool, input, expected) in [
            ("Read", json!({"file_path": "/a"}), 5000),
            ("Read", json!({"paths": ["/a", "/b", "/c"]}), 15_000),
            ("Read", json!({"file_path": "/a", "limit": 5001}), 10_000),
            ("Read", json!({"file_path": "/a", "limit": 5000}), 5000),
            ("Grep", json!({"pattern": "x"}), 3000),
            ("Grep", json!({"pattern": long}), 4500),
            ("Grep", json!({"pattern": "x", "multiline": true}), 3900),
            ("Grep", json!({"pattern": long, "multiline": true}), 5850),
            ("Glob", json!({"pattern": "*"}), 2000),
            ("Edit", json!({"file_path": "/a", "new_string": "x"}), 4000),
            ("Write", json!({"file_path": "/a", "content": large}), 6000),
            (
                "Write",
                json!({"paths": ["/a", "/b"], "content": large}),
                12_000,
            ),
            ("NotebookEdit", json!({}), 4500),
            ("Delete", json!({}), 2000),
            ("Task", json!({}), 500),
            ("Agent", json!({}), 500),
            ("AskUserQuestion", json!({}), 1000),
            ("TodoWrite", json!({}), 500),
            ("Whatever", json!({}), 2000),
            ("Bash", json!({"command": "ls"}), 2000),
            ("Bash", json!({"command": "git commit -m 'x'"}), 1500),
            ("Bash", json!({"command": "git log"}), 2000),
            ("Bash", json!({"command": "cd a && pytest -q"}), 5000),
            ("Bash", json!({"command": "CI=1 npm test"}), 5000),
            ("Bash", json!({"command": "yarn test"}), 5000),
            ("Bash", json!({}), 2000),
            ("Bash", json!("x"), 2000),
        ] {
            assert_eq!(predicted(tool, &input), expected, "{tool} {input:.60}");
        }
    }

    #[test]
    fn f28_b_real_figures_win_over_estimates() {
        let empty = json!({});
        for (tool, response, expected) in [
            (
                "Agent",
                json!({"usage": {"input_tokens": 100, "output_tokens": 20}, "cost": 7}),
                120,
            ),
            ("Agent", json!({"totalTokens": 777}), 777),
            ("Bash", json!({"actual_cost": 42, "cost": 7}), 42),
            ("Bash", json!({"cost": 7}), 7),
            ("Bash", json!({"metadata": {"cost": 8}}), 8),
            ("Bash", json!({"tokens": 9}), 9),
            ("Bash", json!({"cost": "much"}), 2000),
            ("Read", json!("a\nb\nc"), 12),
            ("Read", json!({"file": {"content": "a\nb"}}), 8),
            ("Read", json!({"file": {}}), 5000),
            ("Grep", json!("a\nb"), 3000),
        ] {
            assert_eq!(
                actual(tool, &empty, &response),
                expected,
                "{tool} {response}"
            );
        }
    }

    #[test]
    fn f28_c_the_optimal_cost_depends_on_the_category() {
        for (tool, expected) in [
            ("Read", Some(500)),
            ("Grep", Some(500)),
            ("Glob", Some(500)),
            ("Edit", Some(800)),
            ("Write", Some(800)),
            ("NotebookEdit", Some(800)),
            ("Bash", Some(600)),
            ("Task", Some(500)),
            ("AskUserQuestion", None),
        ] {
            let found = Category::of(tool).map(Category::optimal);
            assert_eq!(found, expected, "{tool}");
        }
    }

    #[test]
    fn f28_d_waste_is_never_negative() {
        for (actual, optimal, expected, percent) in [
            (5000, 500, 4500, 10),
            (500, 500, 0, 100),
            (100, 500, 0, 100),
            (0, 500, 0, 100),
            (0, 0, 0, 100),
            (u64::MAX, 1, u64::MAX - 1, 0),
        ] {
            assert_eq!(waste(actual, optimal), expected, "{actual} {optimal}");
            assert_eq!(efficiency(actual, optimal), percent, "{actual} {optimal}");
        }
        for (tool, actual, expected) in [
            ("Read", 5000, 0),
            ("Edit", 4000, 2200),
            ("Grep", 3000, 1500),
            ("Bash", 2000, 400),
            ("Bash", 10, 0),
            ("Task", 500, 0),
            ("AskUserQuestion", 1000, 0),
        ] {
            assert_eq!(savings(tool, actual), expected, "{tool}");
        }
    }
}
