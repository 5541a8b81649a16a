//! After a program of one's own was run, an agent is asked whether that was the way to go.

use crate::text::Text;

/// What an agent is told after it ran Python code or tests.
pub const AFTER_RUN: Text = Text {
    key: "reflection.after-run",
    says: "You ran `{command}`. Before the next step: did it show what you expected, and could a sub-agent do the rest of it?",
    names: &["command"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[AFTER_RUN];

/// The longest preview of a command, in characters.
pub const PREVIEW: usize = 60;

/// Commands that only look at something.
const LOOKING: &[&str] = &["git", "ls", "cat", "grep", "find"];

/// Whether a shell command runs code that is worth a thought: Python or its tests.
pub fn is_worth_it(command: &str) -> bool {
    let command = command.trim_start().to_lowercase();
    let first = command.split_whitespace().next().unwrap_or_default();
    if LOOKING.contains(&first) || command.contains(" git ") {
        return false;
    }
    let mut words = command.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let program = word.rsplit('/').next().unwrap_or(word);
        let next = words.peek().copied().unwrap_or_default();
        let runs = match program {
            "pytest" => true,
            "uv" => next == "run",
            "python" | "python3" => {
                matches!(next, "-c" | "-m")
                    || std::path::Path::new(next)
                        .extension()
                        .is_some_and(|it| it == "py")
            }
            _ => false,
        };
        if runs {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f26_a_only_runs_of_code_are_worth_a_thought() {
        for (command, expected) in [
            ("uv run pytest", true),
            ("cd app && python3 -m unittest", true),
            ("PYTHONPATH=. python tool.py --x", true),
            (".venv/bin/pytest -q", true),
            ("python -c 'print(1)'", true),
            ("git log -- x.py", false),
            ("cat a.py", false),
            ("grep -rn pytest .", false),
            ("python --version", false),
            ("echo uv", false),
            ("", false),
        ] {
            assert_eq!(is_worth_it(command), expected, "{command}");
        }
    }
}
