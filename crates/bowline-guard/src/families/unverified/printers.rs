//! Programs that print what a shell is meant to run: settings of tools, and files as they are.

use crate::families::launch::plain_name;

/// Programs that print nothing else for a shell.
const ALWAYS: &[&str] = &[
    "dbus-launch",
    "dircolors",
    "gdircolors",
    "gpg-agent",
    "keychain",
    "lesspipe",
    "modulecmd",
    "register-python-argcomplete",
    "register-python-argcomplete3",
    "resize",
    "ssh-agent",
];

/// The words with which tools are asked for their settings.
const WORDS: &[&str] = &[
    "--alias",
    "--bash",
    "--completion",
    "--completions",
    "--export-prefix",
    "--fish",
    "--generate-shell-completion",
    "--print-shell-function",
    "--search-paths",
    "--sh-syntax",
    "--zsh",
    "-Mlocal::lib",
    "activate",
    "alias",
    "completion",
    "completions",
    "docker-env",
    "env",
    "generate-shell-completion",
    "get-login",
    "hook",
    "hook-env",
    "init",
    "oc-env",
    "path",
    "podman-env",
    "print-dev-env",
    "script",
    "shell",
    "shell-hook",
    "shell.bash",
    "shell.posix",
    "shell.zsh",
    "shellenv",
    "shellinit",
    "show-env",
    "show-environment",
    "virtualenv-init",
];

/// Programs that print what somebody has written, whatever their words are.
const PRINT_ANYTHING: &[&str] = &[
    "awk", "cat", "column", "cut", "echo", "envsubst", "fold", "grep", "head", "jq", "m4", "node",
    "paste", "perl", "php", "printf", "python", "python3", "ruby", "sed", "sort", "tail", "tr",
    "xargs", "yq",
];

/// What only leaves out or renames a part of what a tool prints.
const FILTERS: &[&str] = &["grep", "egrep", "head", "sed", "sort", "tail", "tr", "uniq"];

/// Whether the first of a pipe's programs prints settings for a shell, and the others only look through them.
pub(in crate::families) fn prints_for_shells(programs: &[String]) -> bool {
    let Some((first, rest)) = programs.split_first() else {
        return false;
    };
    let filters = |program: &String| {
        let name = program.split_whitespace().next().unwrap_or_default();
        FILTERS.contains(&name)
    };
    prints_settings(first) && rest.iter().all(filters)
}

fn prints_settings(program: &str) -> bool {
    let mut words = program
        .split_whitespace()
        .map(|it| it.trim_matches(['"', '\'']));
    let name = plain_name(words.next().unwrap_or_default());
    let words: Vec<&str> = words.collect();
    let asked = words
        .iter()
        .take(5)
        .any(|it| WORDS.contains(&it.split('=').next().unwrap_or(it)));
    // A script of one's own that is named after what it does.
    let named = name
        .split(['-', '_', '.'])
        .any(|it| matches!(it, "env" | "shellenv" | "activate" | "completion"));
    ALWAYS.contains(&name)
        || (words.contains(&"-Mlocal::lib") && name == "perl")
        || ((asked || (named && name != "env")) && !PRINT_ANYTHING.contains(&name))
}

/// `cat install.sh`, `git show HEAD:install.sh`: a file as it stands.
pub(super) fn prints_files(program: &str) -> bool {
    let words: Vec<&str> = program.split_whitespace().collect();
    match words.as_slice() {
        ["cat", files @ ..] => files.iter().any(|it| !it.starts_with('-')),
        ["git", "show", rest @ ..] => rest.iter().any(|it| it.contains(':')),
        ["grep" | "egrep", rest @ .., file] => {
            let parts = rest
                .iter()
                .any(|it| it.starts_with('-') && it.contains('o'));
            !parts && file.contains("env")
        }
        _ => false,
    }
}
