//! What helps after a failure, by what kind of failure it is.

use crate::text::Text;

/// What an agent is told after a failure of which nothing special is known.
pub const ANY: Text = Text {
    key: "debugging.any",
    says: "That failed. Read the message to its end, find the smallest call that shows it, and change one thing at a time.",
    names: &[],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[
    ANY,
    NO_PROGRAM,
    NO_MODULE,
    NO_FILE,
    NO_PERMISSION,
    NOT_READ,
    NO_MATCH,
    NO_ANSWER,
    IN_USE,
    CONFLICT,
    TOO_LONG,
    NO_SPACE,
];

const NO_PROGRAM: Text = Text {
    key: "debugging.no-program",
    says: "A program is not installed or not in the PATH. Look for it (`command -v`), or for how this project runs its tools, before you install anything.",
    names: &[],
};
const NO_MODULE: Text = Text {
    key: "debugging.no-module",
    says: "A module is missing. Look whether the project's own environment is in use (virtual environment, lock file) before you install it elsewhere.",
    names: &[],
};
const NO_FILE: Text = Text {
    key: "debugging.no-file",
    says: "A file is not where it was looked for. Check the current folder and list the folder above it before you try another path.",
    names: &[],
};
const NO_PERMISSION: Text = Text {
    key: "debugging.no-permission",
    says: "The right to do this is missing. Look who owns it and why, and do not widen rights to get past it.",
    names: &[],
};
const NOT_READ: Text = Text {
    key: "debugging.not-read",
    says: "The file was not read as it is now. Read it again, then make the change.",
    names: &[],
};
const NO_MATCH: Text = Text {
    key: "debugging.no-match",
    says: "The text to replace is not in the file as it was written. Read that place again and copy it exactly, spaces included.",
    names: &[],
};
const NO_ANSWER: Text = Text {
    key: "debugging.no-answer",
    says: "Nothing answers there. Check that the service runs and listens at this address before you change code.",
    names: &[],
};
const IN_USE: Text = Text {
    key: "debugging.in-use",
    says: "Something else uses this. Find out who (a server of your own that still runs?) before you choose another one.",
    names: &[],
};
const CONFLICT: Text = Text {
    key: "debugging.conflict",
    says: "Two changes meet. Look at both sides (`git status`, `git diff`) and keep what each was for.",
    names: &[],
};
const TOO_LONG: Text = Text {
    key: "debugging.too-long",
    says: "It took too long. Run a smaller part of it, or run it in the background and look at its output.",
    names: &[],
};
const NO_SPACE: Text = Text {
    key: "debugging.no-space",
    says: "There is no space left. See what takes it (`df -h`, `du -sh`) and ask before you remove anything that you did not make.",
    names: &[],
};

/// What a message has, and what helps then. The first one counts.
const KINDS: &[(&[&str], &Text)] = &[
    (
        &[
            "has not been read",
            "modified since read",
            "unexpectedly modified",
        ],
        &NOT_READ,
    ),
    (
        &[
            "string to replace not found",
            "old_string not found",
            "found 0 matches",
        ],
        &NO_MATCH,
    ),
    (
        &[
            "no module named",
            "cannot find module",
            "modulenotfounderror",
            "unresolved import",
        ],
        &NO_MODULE,
    ),
    (
        &["command not found", "not recognized as an internal"],
        &NO_PROGRAM,
    ),
    (
        &["permission denied", "operation not permitted", "eacces"],
        &NO_PERMISSION,
    ),
    (
        &[
            "address already in use",
            "eaddrinuse",
            "resource busy",
            "index.lock",
        ],
        &IN_USE,
    ),
    (
        &[
            "connection refused",
            "could not resolve host",
            "econnrefused",
        ],
        &NO_ANSWER,
    ),
    (&["timed out", "timeout"], &TOO_LONG),
    (&["no space left", "disk quota"], &NO_SPACE),
    (
        &[
            "merge conflict",
            "conflict (",
            "needs merge",
            "non-fast-forward",
        ],
        &CONFLICT,
    ),
    (
        &["no such file", "does not exist", "enoent", "cannot access"],
        &NO_FILE,
    ),
];

/// What helps after a failure with this message.
pub fn suggestion(message: &str) -> &'static Text {
    let message = message.to_lowercase();
    let has = |words: &&[&str]| words.iter().any(|word| message.contains(word));
    KINDS
        .iter()
        .find(|(words, _)| has(words))
        .map_or(&ANY, |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f26_b_what_helps_follows_from_the_message() {
        for (message, expected) in [
            ("bash: line 1: cargo: command not found", "no-program"),
            ("ModuleNotFoundError: No module named 'x'", "no-module"),
            ("cat: x: No such file or directory", "no-file"),
            ("File does not exist.", "no-file"),
            ("open x: Permission denied", "no-permission"),
            ("File has not been read yet. Read it first", "not-read"),
            ("String to replace not found in file.", "no-match"),
            (
                "curl: (7) Failed to connect: Connection refused",
                "no-answer",
            ),
            ("OSError: [Errno 98] Address already in use", "in-use"),
            ("CONFLICT (content): Merge conflict in a.rs", "conflict"),
            ("Command timed out after 2m", "too-long"),
            ("write: No space left on device", "no-space"),
            ("error[E0308]: mismatched types", "any"),
            ("", "any"),
        ] {
            let expected = format!("debugging.{expected}");
            assert_eq!(suggestion(message).key, expected, "{message}");
        }
    }
}
