//! `bowline completions`: a script that teaches a shell the commands, and where it can ask for ids.

use clap::{CommandFactory as _, ValueEnum};

use super::complete::Kind;
use crate::ui::Ui;
use crate::{Cli, Outcome};

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline completions bash > ~/.local/share/bash-completion/completions/bowline
  bowline completions zsh > ~/.zfunc/_bowline
  bowline completions fish > ~/.config/fish/completions/bowline.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// A command whose argument is an id.
struct IdArgument {
    command: &'static str,
    /// How the argument begins in the script for zsh.
    zsh: &'static str,
    kinds: &'static [Kind],
}

const ID_ARGUMENTS: &[IdArgument] = &[
    id_argument("trace show", "'::id -- ", &[Kind::Call]),
    id_argument("trace tree", "'::id -- ", &[Kind::Call]),
    id_argument("session show", "'::session -- ", &[Kind::Session]),
    id_argument("why", "'::call -- ", &[Kind::Stopped]),
    id_argument("allow", "'::named -- ", &[Kind::Stopped, Kind::Rule]),
    id_argument("rules show", "':id -- ", &[Kind::Rule]),
];

/// Commands with an option `--session` for one that is recorded.
const WITH_SESSIONS: &[&str] = &["trace", "log", "store", "explain", "allow"];

const fn id_argument(
    command: &'static str,
    zsh: &'static str,
    kinds: &'static [Kind],
) -> IdArgument {
    IdArgument {
        command,
        zsh,
        kinds,
    }
}

impl IdArgument {
    fn kinds(&self) -> String {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        names.join(" ")
    }
}

pub(crate) fn run(args: &CompletionsArgs, ui: &mut Ui) -> Outcome {
    let script = match args.shell {
        Shell::Bash => for_bash(&generated(clap_complete::Shell::Bash)),
        Shell::Zsh => for_zsh(&generated(clap_complete::Shell::Zsh)),
        Shell::Fish => for_fish(&generated(clap_complete::Shell::Fish)),
    };
    ui.verbatim(&script);
    Outcome::Clean
}

fn generated(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "bowline", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The generated function is used where no id is expected, and where there are none. The ids are not expanded.
fn for_bash(script: &str) -> String {
    let script = script.replace("complete -F _bowline ", "complete -F _bowline_or_id ");
    let case = |it: &IdArgument| format!("        \"{}\") kinds=\"{}\" ;;", it.command, it.kinds());
    let places: Vec<String> = ID_ARGUMENTS.iter().map(case).collect();
    let places = places.join("\n");
    let sessions = WITH_SESSIONS.join("\\ *|");
    format!(
        r#"_bowline_or_id() {{
    local IFS=$' \t\n' cur="${{COMP_WORDS[COMP_CWORD]}}" kinds="" id
    case "${{COMP_WORDS[*]:1:COMP_CWORD-1}}" in
{places}
        {sessions}\ *)
            [[ "${{COMP_WORDS[COMP_CWORD-1]}}" == --session ]] && kinds="session" ;;
    esac
    COMPREPLY=()
    if [[ -n "$kinds" && "$cur" != -* ]]; then
        while read -r id; do
            [[ "$id" == "$cur"* ]] && COMPREPLY+=("$id")
        done < <("$1" complete $kinds 2>/dev/null)
    fi
    [[ ${{#COMPREPLY[@]}} -gt 0 ]] || _bowline "$@"
}}

{script}"#
    )
}

/// The places of ids ask for them.
fn for_zsh(script: &str) -> String {
    let asking = |line: &str| {
        let of_place = ID_ARGUMENTS.iter().find(|it| line.starts_with(it.zsh));
        let kinds = match of_place {
            Some(id_argument) => Some(id_argument.kinds()),
            None if line.contains(":SESSION:_default'") => Some("session".to_owned()),
            None => None,
        };
        match kinds {
            Some(kinds) => line.replace(":_default'", &format!(": _bowline_ids {kinds}'")),
            None => line.to_owned(),
        }
    };
    let lines: Vec<String> = script.lines().map(asking).collect();
    let ids = r#"(( $+functions[_bowline_ids] )) ||
_bowline_ids() {
    local -a ids
    ids=(${(f)"$(bowline complete "$@" 2>/dev/null)"})
    compadd -a ids
}

if [ "$funcstack[1]" = "_bowline" ]; then"#;
    let last = r#"if [ "$funcstack[1]" = "_bowline" ]; then"#;
    lines.join("\n").replace(last, ids) + "\n"
}

/// Further lines add to those that are there.
fn for_fish(script: &str) -> String {
    let mut lines = vec![script.trim_end().to_owned()];
    for id_argument in ID_ARGUMENTS {
        let condition = match id_argument.command.split_once(' ') {
            Some((command, action)) => format!(
                "__fish_bowline_using_subcommand {command}; and __fish_seen_subcommand_from {action}"
            ),
            None => format!("__fish_bowline_using_subcommand {}", id_argument.command),
        };
        lines.push(format!(
            "complete -c bowline -n \"{condition}\" -k -f -a \"(bowline complete {} 2>/dev/null)\"",
            id_argument.kinds()
        ));
    }
    for command in WITH_SESSIONS {
        lines.push(format!(
            "complete -c bowline -n \"__fish_bowline_using_subcommand {command}\" -l session -r -k -f -a \"(bowline complete session 2>/dev/null)\""
        ));
    }
    lines.join("\n") + "\n"
}
