//! How an agent's settings name Bowline, and what happens when two of its files do.
//!
//! Agents run the hooks of all their settings files, and merge two entries only if they are spelled alike. The user's file names
//! Bowline by an absolute path, and a project's file by a shell line that works for everybody. With both, an event arrives
//! twice. The project's line sets [`SCOPE_VARIABLE`], so that the daemon recognises the two as one.

use std::path::{Path, PathBuf};

/// The program that agents start.
pub const HOOK_PROGRAM: &str = "bowline-hook";

/// The variable by which an entry of a project's settings says that it is one.
pub const SCOPE_VARIABLE: &str = "BOWLINE_SCOPE";

/// What the variable says then.
pub const PROJECT_SCOPE: &str = "project";

/// The beginning of a project's line. Without Bowline it succeeds and prints nothing.
pub const MISSING_IS_FINE: &str = "command -v bowline-hook >/dev/null 2>&1 || exit 0; ";

/// Whether a command of an agent's settings starts Bowline. A command that only mentions it does not.
pub fn starts_bowline(command: &str, args: Option<&[String]>) -> bool {
    let is_program = |path: &str| {
        Path::new(path)
            .file_name()
            .is_some_and(|name| name == HOOK_PROGRAM)
    };
    if args.is_some() {
        return is_program(command);
    }
    if let Some(rest) = command.strip_prefix(MISSING_IS_FINE) {
        return rest.contains(&format!("exec {HOOK_PROGRAM} "));
    }
    let (program, rest) = first_word(command);
    let mut words = rest.split_whitespace();
    // Other words after the program mean that a person uses it for something else.
    is_program(&program)
        && words
            .next()
            .is_some_and(|agent| agent.starts_with(|c: char| c.is_ascii_lowercase()))
        && !words.any(|word| word.contains(['|', ';', '&']))
}

/// The program that a command of an agent's settings names, unless a shell has to look for it.
pub fn program_path(command: &str, args: Option<&[String]>) -> Option<PathBuf> {
    if args.is_some() {
        return Some(PathBuf::from(command));
    }
    let (program, _) = first_word(command);
    Some(PathBuf::from(program)).filter(|path| path.is_absolute())
}

/// The first word of a shell line without its quotes, and the rest.
fn first_word(line: &str) -> (String, &str) {
    let line = line.trim_start();
    let mut word = String::new();
    let mut quote = None;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, _) if letter.is_whitespace() => {
                return (word, line.get(at..).unwrap_or_default());
            }
            (None | Some('"'), '\\') => word.extend(letters.next().map(|(_, letter)| letter)),
            _ => word.push(letter),
        }
    }
    (word, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_starts_bowline_is_bowlines() {
        let line = format!(
            "{MISSING_IS_FINE}BOWLINE_SCOPE=project exec bowline-hook claude-code Stop --on-failure ask --timeout 60"
        );
        for (command, args, expected) in [
            ("/opt/bin/bowline-hook", Some(vec!["claude-code"]), true),
            ("bowline-hook", Some(vec![]), true),
            (line.as_str(), None, true),
            ("bowline-hook claude-code Stop", None, true),
            ("'/opt/bin/bowline-hook' claude-code", None, true),
            ("'/opt/my bin/bowline-hook' claude-code", None, true),
            (r"/opt/my\ bin/bowline-hook claude-code", None, true),
            (r"'/opt/ann'\''s/bowline-hook' claude-code", None, true),
            ("'/opt/bowline-hook claude-code'", None, false),
            (
                "/opt/bin/bowline-hook-log",
                Some(vec!["claude-code"]),
                false,
            ),
            ("/opt/tool", Some(vec!["bowline-hook"]), false),
            ("echo bowline-hook claude-code", None, false),
            ("notify 'bowline says hello'", None, false),
            ("bowline-hook claude-code | tee log", None, false),
            ("bowline-hook", None, false),
            (
                "command -v bowline-hook >/dev/null 2>&1 || exit 0; echo mine",
                None,
                false,
            ),
            ("", None, false),
        ] {
            let args: Option<Vec<String>> =
                args.map(|args| args.into_iter().map(str::to_owned).collect());
            assert_eq!(
                starts_bowline(command, args.as_deref()),
                expected,
                "{command}"
            );
        }
    }

    #[test]
    fn a_program_that_a_shell_looks_for_has_no_path() {
        let args = ["claude-code".to_owned()];
        for (command, args, expected) in [
            (
                "/opt/my bin/bowline-hook",
                Some(&args[..]),
                Some("/opt/my bin/bowline-hook"),
            ),
            ("bowline-hook", Some(&args[..]), Some("bowline-hook")),
            (
                "'/opt/my bin/bowline-hook' claude-code",
                None,
                Some("/opt/my bin/bowline-hook"),
            ),
            ("bowline-hook claude-code", None, None),
            (MISSING_IS_FINE, None, None),
        ] {
            assert_eq!(
                program_path(command, args),
                expected.map(PathBuf::from),
                "{command}"
            );
        }
    }
}
