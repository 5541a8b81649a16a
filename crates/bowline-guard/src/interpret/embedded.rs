//! Programs that run commands which stand inside their own arguments.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::options::{first_operand, texts_of};
use super::scope::Scope;
use super::shells::is_shell;
use super::value::Item;
use crate::invocation::Through;

/// Whether a variable names a command that some program starts.
pub(super) fn names_a_command(variable: &str) -> bool {
    matches!(
        variable,
        "EDITOR"
            | "VISUAL"
            | "PAGER"
            | "GIT_EDITOR"
            | "GIT_PAGER"
            | "GIT_SEQUENCE_EDITOR"
            | "GIT_SSH_COMMAND"
            | "GIT_SSH"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
            | "BROWSER"
            | "MANPAGER"
            | "LESSOPEN"
            | "LESSCLOSE"
            | "PROMPT_COMMAND"
            | "BASH_ENV"
            | "ENV"
            | "KUBE_EDITOR"
            | "SUDO_EDITOR"
            | "FCEDIT"
            | "RSYNC_RSH"
            | "SYSTEMD_EDITOR"
            | "GIT_PROXY_COMMAND"
            | "SVN_EDITOR"
            | "HGEDITOR"
            | "MAKE"
            | "KUBECTL_EXTERNAL_DIFF"
            | "CVS_RSH"
    )
}

/// Follows what a program's arguments make it run.
pub(super) fn follow(
    interpreter: &mut Interpreter<'_>,
    name: &str,
    call: &ExpandedCommand,
    scope: &mut Scope,
) {
    let args = call.args();
    let mut texts: Vec<String> = Vec::new();
    match name {
        "git" | "hub" => {
            git(args, &mut texts);
            texts.extend(super::git_settings::commands(args));
        }
        "awk" | "gawk" | "mawk" | "nawk" => {
            for program in args.iter().map(Item::marked) {
                texts.extend(quoted_after(program, "system("));
                texts.extend(quoted_before_getline(program));
                texts.extend(quoted_after(program, "| "));
                texts.extend(quoted_after(program, "|"));
                texts.extend(awk_environment(program));
                texts.extend(awk_variables(program, args));
                texts.extend(awk_input(program));
            }
        }
        "sed" | "gsed" => {
            for script in args.iter().filter_map(Item::text) {
                texts.extend(sed_commands(script));
            }
        }
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "ed" => {
            let commands = args
                .iter()
                .map(Item::marked)
                .chain(call.input.as_deref().map(|input| input.text.as_str()));
            for command in commands {
                texts.extend(editor_commands(command));
            }
        }
        "tar" | "gtar" | "bsdtar" => {
            for action in texts_of(args, &["--checkpoint-action"]) {
                texts.extend(action.strip_prefix("exec=").map(str::to_owned));
            }
            texts.extend(texts_of(
                args,
                &[
                    "--to-command",
                    "--use-compress-program",
                    "-I",
                    "--rsh-command",
                    "--info-script",
                    "--new-volume-script",
                ],
            ));
        }
        "zip" => texts.extend(texts_of(args, &["-TT", "--unzip-command"])),
        "make" | "gmake" | "bmake" => {
            for rule in texts_of(args, &["--eval", "-E"]) {
                let body = rule
                    .split_once([';', '\n'])
                    .map_or(rule.as_str(), |(_, body)| body);
                texts.push(make_variables(body));
            }
            let reads_input = texts_of(args, &["-f", "--file", "--makefile"])
                .iter()
                .any(|it| it == "-" || it == "/dev/stdin");
            if let Some(input) = call.input.as_ref().filter(|_| reads_input) {
                let recipes = input
                    .text
                    .lines()
                    .filter_map(|line| line.strip_prefix('\t'));
                texts.extend(
                    recipes.map(|line| make_variables(line.trim_start_matches(['@', '-', '+']))),
                );
            }
        }
        "crontab" => {
            if let Some(input) = &call.input {
                texts.extend(input.text.lines().filter_map(schedule));
            }
        }
        "at" | "batch" => texts.extend(call.input.as_ref().map(|input| input.text.clone())),
        "rsync" => texts.extend(texts_of(args, &["-e", "--rsh", "--rsync-path"])),
        "less" | "man" => texts.extend(texts_of(args, &["-P", "--pager"])),
        "gdb" | "lldb" => {
            for command in texts_of(args, &["-ex", "-eval-command", "-o"]) {
                texts.extend(
                    command
                        .strip_prefix("shell ")
                        .or_else(|| command.strip_prefix('!'))
                        .map(str::to_owned),
                );
            }
        }
        "socat" => {
            for word in args.iter().map(Item::marked) {
                let upper = word.to_ascii_uppercase();
                for kind in ["EXEC:", "SYSTEM:"] {
                    if upper.starts_with(kind) {
                        texts.extend(
                            word.get(kind.len()..)
                                .map(|it| it.trim_matches(['"', '\'']).to_owned()),
                        );
                    }
                }
            }
        }
        "nc" | "ncat" | "netcat" => {
            texts.extend(texts_of(args, &["-c", "--sh-exec", "-e", "--exec"]));
        }
        "logrotate" | "inotifywait" => {}
        "nodemon" | "concurrently" | "chokidar" | "onchange" | "watchexec" | "npm-run-all"
        | "wait-on" | "foreman" | "just" => {
            texts.extend(texts_of(args, &["-x", "--exec", "-c", "--command"]));
            if matches!(name, "concurrently" | "watchexec") {
                texts.extend(
                    args.iter()
                        .map(Item::marked)
                        .filter(|it| it.contains(' '))
                        .map(str::to_owned),
                );
                let words = args
                    .get(first_operand(args, &["-w", "-e", "-i", "-s"])..)
                    .unwrap_or_default();
                texts.push(words.iter().map(Item::marked).collect::<Vec<_>>().join(" "));
            }
        }
        "emacs" | "emacsclient" => {
            for code in texts_of(args, &["--eval", "-eval", "--execute", "-e"]) {
                texts.extend(quoted_after(&code, "(shell-command "));
                for call in ["(delete-directory ", "(delete-file "] {
                    texts.extend(
                        quoted_after(&code, call)
                            .into_iter()
                            .map(|path| format!("rm -rf '{path}'")),
                    );
                }
            }
        }
        _ => return,
    }
    if texts.is_empty() {
        return;
    }
    let mut inner = interpreter.copy(scope);
    inner.through.clone_from(&call.through);
    inner.through.push(Through::Wrapper(name.to_owned()));
    inner.directory = call.directory.clone();
    for text in texts {
        interpreter.nested(&text, &inner, None);
    }
}

fn git(args: &[Item], texts: &mut Vec<String>) {
    for setting in texts_of(args, &["-c", "--config"]) {
        let Some((key, value)) = setting.split_once('=') else {
            continue;
        };
        let key = key.to_ascii_lowercase();
        let runs = [
            "pager",
            "editor",
            "sshcommand",
            "fsmonitor",
            "command",
            "cmd",
            "external",
            "textconv",
            "askpass",
            "helper",
            "hookspath",
        ]
        .iter()
        .any(|ending| key.ends_with(ending));
        if let Some(shell) = value.strip_prefix('!') {
            texts.push(shell.to_owned());
        } else if key.starts_with("alias.") {
            // `git -c alias.x='reset --hard' x`
            texts.push(format!("git {value}"));
        } else if runs && key != "core.hookspath" {
            texts.push(value.to_owned());
        }
    }
    let subcommand_at = first_operand(
        args,
        &[
            "-c",
            "-C",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
        ],
    );
    let subcommand = args.get(subcommand_at).map(Item::marked);
    let rest = args.get(subcommand_at + 1..).unwrap_or_default();
    let words = |from: usize| {
        rest.get(from..)
            .unwrap_or_default()
            .iter()
            .map(Item::marked)
            .collect::<Vec<_>>()
            .join(" ")
    };
    match subcommand {
        Some("submodule") => {
            if let Some(at) = rest.iter().position(|it| it.text() == Some("foreach")) {
                let skip = rest
                    .iter()
                    .skip(at + 1)
                    .take_while(|it| it.marked().starts_with('-'))
                    .count();
                let text = words(at + 1 + skip);
                // What git does there is judged as part of this run: not here, but in every submodule.
                let only_git = text
                    .split([';', '&', '|', '\n'])
                    .map(str::trim)
                    .all(|command| command.is_empty() || command.starts_with("git "));
                if !only_git {
                    texts.push(text);
                }
            }
        }
        Some("bisect") if rest.first().and_then(Item::text) == Some("run") => {
            texts.push(quoted_words(rest.get(1..).unwrap_or_default()));
        }
        Some("rebase") => texts.extend(texts_of(rest, &["-x", "--exec"])),
        Some("filter-branch") => texts.extend(texts_of(
            rest,
            &[
                "--tree-filter",
                "--index-filter",
                "--msg-filter",
                "--env-filter",
                "--parent-filter",
                "--commit-filter",
            ],
        )),
        Some("difftool" | "mergetool") => texts.extend(texts_of(rest, &["-x", "--extcmd"])),
        Some("config") => {
            let value = rest.last().map(Item::marked).unwrap_or_default();
            texts.extend(value.strip_prefix('!').map(str::to_owned));
        }
        Some("grep") => texts.extend(
            rest.iter()
                .filter_map(|it| it.marked().strip_prefix("--open-files-in-pager="))
                .map(str::to_owned),
        ),
        Some("worktree" | _) | None => {}
    }
}

fn quoted_words(words: &[Item]) -> String {
    words
        .iter()
        .map(|it| format!("'{}'", it.marked().replace('\'', "'\\''")))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The text in double quotes right after each occurrence of a beginning.
fn quoted_after(program: &str, beginning: &str) -> Vec<String> {
    program
        .match_indices(beginning)
        .take(8)
        .filter_map(|(at, found)| {
            let rest = program.get(at + found.len()..)?.trim_start();
            quoted(rest)
        })
        .collect()
}

fn quoted(rest: &str) -> Option<String> {
    let inside = rest.strip_prefix('"')?;
    let mut text = String::new();
    let mut chars = inside.chars();
    loop {
        match chars.next()? {
            '"' => return Some(text),
            '\\' => text.extend(chars.next()),
            c => text.push(c),
        }
    }
}

/// `"command" | getline`
fn quoted_before_getline(program: &str) -> Vec<String> {
    let Some((before, _)) = program.split_once("getline") else {
        return Vec::new();
    };
    let before = before.trim_end().trim_end_matches('|').trim_end();
    let Some(inside) = before.strip_suffix('"') else {
        return Vec::new();
    };
    inside
        .rsplit('"')
        .next()
        .map(|text| vec![text.to_owned()])
        .unwrap_or_default()
}

/// `c = "command"; system(c)`, `-v c=command`.
fn awk_variables(program: &str, args: &[Item]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, opening) in program.match_indices("system(").take(8) {
        let rest = program.get(at + opening.len()..).unwrap_or_default();
        let name = rest.split(')').next().unwrap_or_default().trim();
        if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
            continue;
        }
        found.extend(quoted_after(program, &format!("{name}=")));
        found.extend(quoted_after(program, &format!("{name} =")));
        let given = args.iter().filter_map(|item| {
            let text = item.marked().trim_start_matches("-v");
            text.strip_prefix(name)?
                .strip_prefix('=')
                .map(str::to_owned)
        });
        found.extend(given);
    }
    found
}

/// `print "command" | "sh"`, `getline line < "file"`.
fn awk_input(program: &str) -> Vec<String> {
    let mut found = Vec::new();
    let pieces: Vec<&str> = program.split('|').take(16).collect();
    for pair in pieces.windows(2) {
        if let [before, after] = pair
            && let Some(command) = quoted(after.trim_start())
            && command.split_whitespace().next().is_some_and(is_shell)
        {
            found.extend(quoted_after(before, "print"));
        }
    }
    for (_, rest) in program
        .match_indices("getline")
        .take(8)
        .filter_map(|(at, _)| program.split_at_checked(at))
    {
        let target = rest.split_once('<').map(|(_, target)| target.trim_start());
        if let Some(file) = target.and_then(quoted) {
            found.push(format!("cat '{file}'"));
        }
    }
    found
}

/// `for (k in ENVIRON) print …`, `print ENVIRON["NAME"]`.
fn awk_environment(program: &str) -> Vec<String> {
    if !program.contains("print") {
        return Vec::new();
    }
    let mut texts: Vec<String> = quoted_after(program, "ENVIRON[")
        .into_iter()
        .map(|name| format!("printenv '{name}'"))
        .collect();
    if program.contains("in ENVIRON") {
        texts.push("printenv".to_owned());
    }
    texts
}

/// `1e command`, `s/…/…/e`.
fn sed_commands(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in script.split(['\n', ';']) {
        let part = part
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '$' | ',' | '!' | ' '));
        if let Some(command) = part.strip_prefix("e ") {
            found.push(command.to_owned());
        }
        if let Some(rest) = part.strip_prefix('s')
            && let Some(delimiter) = rest
                .chars()
                .next()
                .filter(|c| !c.is_alphanumeric() && !c.is_whitespace())
        {
            let pieces: Vec<&str> = rest.split(delimiter).collect();
            if let [_, _, with, flags, ..] = pieces.as_slice()
                && flags.chars().all(char::is_alphanumeric)
                && flags.contains('e')
            {
                found.push((*with).to_owned());
            }
        }
    }
    found
}

/// `:!command`, `+!command`, `-c '!command'`.
fn editor_commands(argument: &str) -> Vec<String> {
    let mut found = quoted_after(argument, "system(");
    for part in argument.split(['|', '\n']) {
        // A range, `:silent`, `:r` or `:w` may stand before the mark.
        let Some((before, command)) = part.split_once('!') else {
            continue;
        };
        let prefix = before.trim_matches(|c: char| c == '+' || c == ':' || c.is_whitespace());
        match prefix {
            "" | "%" | "r" | "w" | "." | "1,$" | "w " | "read" | "write" => {
                found.push(command.to_owned());
            }
            "sil" | "silent" => {
                let command = command.trim_start_matches([' ', ':']);
                found.push(command.strip_prefix('!').unwrap_or(command).to_owned());
            }
            _ => {}
        }
    }
    found
}

/// The command of a line in a crontab.
pub(super) fn schedule(line: &str) -> Option<String> {
    let line = line.trim();
    if line.starts_with('#') || line.is_empty() {
        return None;
    }
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..fields {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    Some(rest.to_owned())
}

/// Make's own way to write a variable of the environment.
fn make_variables(recipe: &str) -> String {
    recipe.replace("$(HOME)", "$HOME").replace("$$", "$")
}
