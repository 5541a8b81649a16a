//! Failures: which are the same although folders, lines and times differ, and what put an end to one.

use std::fmt::Write as _;

use crate::text::{Text, preview};

/// What an agent is told when something fails that was put right before.
pub const FIXED_BEFORE: Text = Text {
    key: "errors.fixed-before",
    says: "This failure is known here (`bowline errors show {id}`). Last time this put an end to it: {fix}",
    names: &["id", "fix"],
};

/// What an agent is told when a follow-up was opened.
pub const FOLLOW_UP: Text = Text {
    key: "errors.follow-up",
    says: "{tool} has failed like this {count} times in this project. Bowline noted it as a work item (`bowline work list`). Find the cause before you try the same again.",
    names: &["tool", "count"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[FIXED_BEFORE, FOLLOW_UP];

/// Messages that begin with the same so many characters are the same.
const BEGINNING: usize = 100;
/// What is kept of a message before it is compared; more tells nothing.
const LOOKED_AT: usize = 16 * 1024;
/// The longest description of a call.
const CALL: usize = 120;

/// What a line has that tells why something failed.
const TELLING: &[&str] = &[
    "error",
    "exception",
    "failed",
    "failure",
    "fatal",
    "panicked",
    "not found",
    "no such",
    "not exist",
    "denied",
    "refused",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable to",
    "undefined",
    "unknown",
    "unrecognized",
    "timed out",
    "invalid",
    "unexpected",
    "missing",
    "conflict",
    "assert",
];

/// What a line has that speaks of failures although nothing failed.
const REASSURING: &[&str] = &["0 failed", "0 errors", "no errors", "0 failures"];

/// By what a failure is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureKey {
    /// The message without what differs from time to time.
    pub signature: String,
    /// How the message begins, as it is.
    pub beginning: String,
}

impl FailureKey {
    /// By what the failure with this message is known.
    pub fn of(message: &str) -> Self {
        let telling = telling(message);
        Self {
            signature: normalised(&telling).chars().take(BEGINNING).collect(),
            beginning: telling.chars().take(BEGINNING).collect(),
        }
    }
}

/// The message from the first line on that tells why, without colours. Compilers and test runners say much before it.
pub fn telling(message: &str) -> String {
    let message = without_colours(message);
    let message = message.trim();
    let message = message
        .strip_prefix("stderr:")
        .map_or(message, str::trim_start);
    let mut from = 0;
    let mut first = None;
    for line in message.split_inclusive('\n') {
        let lower = line.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let is_exit_code = lower.trim_start().starts_with("exit code");
        if !is_exit_code && !line.trim().is_empty() {
            first.get_or_insert(from);
            if has(TELLING) && !has(REASSURING) {
                first = Some(from);
                break;
            }
        }
        from += line.len();
    }
    let telling = message.get(first.unwrap_or(0)..).unwrap_or(message);
    telling.trim().to_owned()
}

/// Removes escape sequences of terminals, and what is too much.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len().min(LOOKED_AT));
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        if plain.len() >= LOOKED_AT {
            break;
        }
        if sign != '\u{1b}' {
            plain.push(sign);
            continue;
        }
        // `ESC [ … letter`, or `ESC` and one sign.
        if signs.next() == Some('[') {
            signs.by_ref().find(|sign| ('@'..='~').contains(sign));
        }
    }
    plain
}

/// A message without folders, numbers, ids, times, quotes and capitals.
pub fn normalised(message: &str) -> String {
    let mut normal = String::with_capacity(message.len().min(LOOKED_AT));
    for word in message.split_whitespace() {
        let word: String = word
            .chars()
            .filter(|sign| !matches!(sign, '"' | '\'' | '`' | '‘' | '’' | '“' | '”'))
            .collect();
        let word = without_folders(&word.to_lowercase());
        let word = without_numbers(&word);
        if word.is_empty() {
            continue;
        }
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(&word);
    }
    normal
}

/// A file is left with its name alone, a folder is left out, an address keeps its host.
fn without_folders(word: &str) -> String {
    if let Some((scheme, rest)) = word.split_once("://") {
        let host = rest.split('/').next().unwrap_or(rest);
        return format!("{scheme}://{host}");
    }
    let is_separator = |sign| matches!(sign, '/' | '\\');
    let Some(last) = word.rfind(is_separator) else {
        return word.to_owned();
    };
    // What stands before a path, such as a bracket or `file=`.
    let starts = |sign: char| is_separator(sign) || sign.is_alphanumeric() || ".~_-".contains(sign);
    let before = word
        .find(is_separator)
        .and_then(|first| word.get(..first))
        .map_or("", |before| before.trim_end_matches(starts));
    let name = word.get(last + 1..).unwrap_or_default();
    // Only files have something to be known by: the name of a folder is as it happens to be.
    let name = match name.find('.') {
        Some(dot) if dot > 0 => name,
        _ => name.trim_start_matches(|sign: char| sign.is_alphanumeric() || "_-.".contains(sign)),
    };
    format!("{before}{name}")
}

/// A number in a word is one sign, and so is what is written in hexadecimal. `E0308` is a name and stays.
fn without_numbers(word: &str) -> String {
    let mut normal = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(sign) = rest.chars().next() {
        if let Some(after) = after_uuid(rest) {
            push_part(&mut normal, "0");
            rest = after;
            continue;
        }
        let run = rest
            .find(|sign: char| !sign.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        if run == 0 {
            let (this, after) = rest.split_at(sign.len_utf8());
            // `1.5`, `12:34:56` and ids with hyphens are one number.
            let joins = matches!(sign, '.' | ':' | '-' | ',')
                && normal.ends_with('#')
                && after.starts_with(|sign: char| sign.is_ascii_hexdigit());
            if !joins {
                normal.push_str(this);
            }
            rest = after;
            continue;
        }
        let (part, after) = rest.split_at(run);
        push_part(&mut normal, part);
        rest = after;
    }
    // Where in a file it is.
    while let Some(shorter) = normal.strip_suffix(":#:").or(normal.strip_suffix(":#")) {
        normal.truncate(shorter.len());
    }
    normal
}

/// What follows on an id such as `0d6b4a3e-9f5c-1f2e-3d4c-5b6a00112233`.
fn after_uuid(text: &str) -> Option<&str> {
    let (id, after) = text.split_at_checked(36)?;
    let fits = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    id.bytes().enumerate().all(fits).then_some(after)
}

fn push_part(normal: &mut String, part: &str) {
    const HEX: usize = 7;
    let is_hex = part.len() >= HEX
        && part.bytes().all(|it| it.is_ascii_hexdigit())
        && part.bytes().any(|it| it.is_ascii_digit());
    let is_pointer = part.starts_with("0x");
    let mut part = part;
    if is_hex || is_pointer {
        part = "0";
    }
    let digits = part.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        normal.push_str(part);
        return;
    }
    if !normal.ends_with('#') {
        normal.push('#');
    }
    // The unit, such as `ms`, or the `T` of a time.
    let unit = part.chars().filter(|sign| !sign.is_ascii_digit());
    normal.extend(unit);
}

/// Programs whose first word says what they do.
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt",
    "brew",
    "bun",
    "cargo",
    "composer",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "just",
    "kubectl",
    "make",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "terraform",
    "uv",
    "yarn",
];

/// Programs that run another one.
const WRAPPERS: &[&str] = &[
    "command", "env", "exec", "nice", "nohup", "sudo", "time", "timeout",
];

/// What a shell command is about: the program of its first part, and what the program is to do. A step into a folder is not a part.
pub fn program_of(command: &str) -> String {
    let parts = command
        .split(['\n', ';', '|'])
        .flat_map(|part| part.split("&&"));
    for part in parts {
        let is_assignment = |word: &&str| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            !name.is_empty()
                && name
                    .bytes()
                    .all(|it| it.is_ascii_alphanumeric() || it == b'_')
        };
        let is_amount = |word: &&str| word.starts_with(|it: char| it.is_ascii_digit() || it == '-');
        let mut words = part
            .split_whitespace()
            .skip_while(|word| is_assignment(word) || WRAPPERS.contains(word) || is_amount(word));
        let Some(program) = words.next() else {
            continue;
        };
        let program = program.rsplit('/').next().unwrap_or(program);
        if matches!(
            program,
            "cd" | "export" | "set" | "source" | "." | "(" | "{" | "echo"
        ) {
            continue;
        }
        let does = words
            .find(|word| !word.starts_with(['-', '+']))
            .filter(|_| WITH_SUBCOMMANDS.contains(&program));
        return does.map_or_else(|| program.to_owned(), |does| format!("{program} {does}"));
    }
    String::new()
}

/// A call on one line.
pub fn call(tool: &str, subject: &str) -> String {
    if subject.is_empty() {
        return tool.to_owned();
    }
    preview(&format!("{tool} {subject}"), CALL)
}

/// What put an end to a failure: the call that went well, and what was done between the two.
pub fn fix(failed: &str, went_well: &str, between: &[String]) -> String {
    let mut fix = match (failed == went_well, between.is_empty()) {
        (true, true) => return format!("the same call again ({went_well})"),
        (true, false) => format!("{went_well} went well"),
        (false, _) => went_well.to_owned(),
    };
    if !between.is_empty() {
        let _ = write!(fix, " after {}", between.join("; "));
    }
    fix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f27_b_the_same_failure_elsewhere_is_the_same() {
        for (one, other) in [
            (
                "src/a/main.rs:12:5: error: mismatched types",
                "/tmp/wt/other/main.rs:9: error: mismatched types",
            ),
            (
                "Exit code 1\n\u{1b}[31merror\u{1b}[0m: could not open 'x.txt' (os error 2)",
                "error: could not open \"x.txt\" (os error 13)",
            ),
            (
                "fatal: bad object 3f2a9c1d at 2026-11-17T12:34:56Z",
                "fatal: bad object 99aa77b0e1 at 2026-01-02T01:00:00Z",
            ),
            (
                "request 0d6b4a3e-9f5c-1f2e-3d4c-5b6a00112233 failed after 0.31s",
                "request 11112222-9f5c-aaaa-bbbb-5b6a00112244 failed after 12.5s",
            ),
            (
                "   Compiling shop v1\nerror[E0308]: mismatched types",
                "Exit code 101\n   Compiling other v2\n   Compiling shop v1\nerror[E0308]: mismatched types",
            ),
            (
                "No such file or directory: '/home/a/x.txt'",
                "no such file or directory: /srv/b/x.txt",
            ),
            ("segfault at 0x7ffe12", "segfault at 0xdeadbeef00"),
        ] {
            let [one, other] = [one, other].map(|it| FailureKey::of(it).signature);
            assert_eq!(one, other);
        }
    }

    #[test]
    fn f27_b_other_failures_are_others() {
        for (one, other) in [
            ("error[E0308]: x", "error[E0382]: x"),
            ("no such file: a.txt", "no such file: b.txt"),
            ("No module named 'foo'", "No module named 'bar'"),
            ("test a ... FAILED", "test b ... FAILED"),
            (
                "cannot reach http://a.example/x",
                "cannot reach http://b.example/x",
            ),
        ] {
            let [one, other] = [one, other].map(FailureKey::of);
            assert_ne!(one.signature, other.signature);
            assert_ne!(one.beginning, other.beginning);
        }
    }

    #[test]
    fn f27_b_the_first_hundred_characters_are_enough() {
        let long = "cannot parse /a/very/long/path/that/goes/on/and/on/config.toml because of this and that and also ";
        assert!(long.len() > 95);
        let [one, other] =
            [1, 2].map(|n| FailureKey::of(&format!("{long}something else{}", " x".repeat(n * 40))));
        assert_eq!(one.beginning, other.beginning);
        assert_eq!(one.beginning.chars().count(), 100);
    }

    #[test]
    fn the_line_that_tells_why_comes_first() {
        for (message, expected) in [
            ("stderr: boom", "boom"),
            ("Exit code 3\noops", "oops"),
            ("Exit code 3", "Exit code 3"),
            (
                "running 3 tests\n0 failed\nassertion failed: x\n",
                "assertion failed: x",
            ),
            (
                "Traceback (most recent call last):\n  File \"x.py\"\nKeyError: 'a'",
                "KeyError: 'a'",
            ),
            ("", ""),
        ] {
            assert_eq!(telling(message), expected, "{message}");
        }
    }

    #[test]
    fn a_command_is_about_its_program() {
        for (command, expected) in [
            ("cargo test -p x", "cargo test"),
            ("cd /x && cargo +nightly test", "cargo test"),
            (
                "RUST_LOG=debug timeout 5 cargo build 2>&1 | tail",
                "cargo build",
            ),
            ("sudo /usr/bin/apt install x", "apt install"),
            ("pytest -q tests/", "pytest"),
            ("python3 x.py", "python3"),
            ("echo x; ls", "ls"),
            ("cd x", ""),
            ("", ""),
        ] {
            assert_eq!(program_of(command), expected, "{command}");
        }
    }

    #[test]
    fn a_fix_names_what_was_done() {
        let edits = ["Edit a.rs".to_owned(), "Bash cargo update".to_owned()];
        for (failed, well, between, expected) in [
            (
                "Bash t",
                "Bash t",
                &edits[..0],
                "the same call again (Bash t)",
            ),
            (
                "Bash t",
                "Bash t",
                &edits[..1],
                "Bash t went well after Edit a.rs",
            ),
            ("Bash t", "Bash t -x", &edits[..0], "Bash t -x"),
            (
                "Bash t",
                "Bash t -x",
                &edits[..],
                "Bash t -x after Edit a.rs; Bash cargo update",
            ),
        ] {
            assert_eq!(fix(failed, well, between), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_message_is_too_strange(message in "\\PC{0,300}", colours in "(\u{1b}\\[[0-9;]*m?){0,5}") {
            let key = FailureKey::of(&format!("{colours}{message}"));
            assert!(key.signature.chars().count() <= 100);
            program_of(&message);
        }
    }
}
