//! Which commands an `allow` may speak of at all: lines whose words are the programs that run, and nothing else.
//!
//! A grant is deliberate, so this is a list of what is understood, not of what is dangerous. Whatever could make a
//! known name mean another program (a folder, a variable, an alias, another directory) is not in it.

use bowline_guard::invocation::{Arg, Invocation, Stdin, Through};
use bowline_guard::judge::Judgement;
use bowline_guard::shell::{
    Construct, Expansion, Redirect, RedirectOperator, RedirectTarget, ShellLine, SimpleCommand,
    Understanding, Word, parse,
};

/// Longer lines are not allowed as a whole.
const MAX_COMMANDS: usize = 100;

/// Wrappers that run a program as it is written.
const PLAIN_WRAPPERS: &[&str] = &["nohup", "nice", "timeout"];

const PRIVILEGE_WRAPPERS: &[&str] = &["sudo", "doas"];

/// Commands of the shell that change what the words after them mean.
const MEANING_CHANGERS: &[&str] = &[
    ".",
    "alias",
    "bind",
    "builtin",
    "cd",
    "command",
    "coproc",
    "declare",
    "dirs",
    "enable",
    "eval",
    "exec",
    "export",
    "getopts",
    "hash",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "set",
    "shopt",
    "source",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
];

/// Whether a text runs exactly the programs that it names, one after another, with words that are known and with
/// nothing of the shell around them.
pub(super) fn is_plain_line(text: &str, judgement: &Judgement) -> bool {
    let line = parse(text);
    let (commands, runs) = (&line.commands, &judgement.invocations);
    // The same run is listed once, however often it happens.
    let in_sight = |run: &Invocation| commands.iter().any(|command| is_plain(command, run));
    let accounted = |command: &SimpleCommand| runs.iter().any(|run| is_plain(command, run));
    judgement.understanding == Understanding::Clean
        && line.is_clean()
        && line.redirects.is_empty()
        && (1..=MAX_COMMANDS).contains(&commands.len())
        && is_only_a_sequence(text, &line)
        && (commands.len() == 1 || !commands.iter().any(changes_meaning))
        && commands.iter().all(accounted)
        && runs.iter().all(in_sight)
}

/// Alone, such a command has nothing after it whose meaning it could change.
fn changes_meaning(command: &SimpleCommand) -> bool {
    command
        .name()
        .is_none_or(|name| MEANING_CHANGERS.contains(&name))
}

/// Whether there is nothing between the commands but what puts them one after another.
fn is_only_a_sequence(text: &str, line: &ShellLine) -> bool {
    let mut end = 0;
    for command in &line.commands {
        let between = text.get(end..command.span.start).map(str::trim);
        let joins = match between {
            Some("") => true,
            Some(";" | "&&" | "||") => end > 0,
            _ => false,
        };
        if !joins {
            return false;
        }
        end = command.span.end;
    }
    matches!(text.get(end..).map(str::trim), Some("" | ";"))
}

/// Whether a command is this run, and no more than that.
fn is_plain(command: &SimpleCommand, run: &Invocation) -> bool {
    command.assignments.is_empty()
        && command.context.construct == Construct::TopLevel
        && command.context.depth == 0
        && command.redirects.iter().all(leads_nowhere)
        && run.environment.is_empty()
        && run.stdin == Stdin::None
        && is_run_as_written(&command.words, run)
}

/// Whether the words are those of the run, after wrappers that change nothing.
fn is_run_as_written(words: &[Word], run: &Invocation) -> bool {
    let Some(at) = words.len().checked_sub(run.args.len() + 1) else {
        return false;
    };
    let (wrappers, own) = words.split_at(at);
    let Some((program, args)) = own.split_first() else {
        return false;
    };
    let named = program.expansion == Expansion::None
        && program.literal.is_some()
        && program.literal == run.program
        && !program.source.contains('/');
    named
        && args.iter().zip(&run.args).all(is_same)
        && wrappers.iter().all(is_plain_wrapper)
        && run.through.iter().all(|through| match through {
            Through::Privilege => true,
            Through::Wrapper(name) => PLAIN_WRAPPERS.contains(&name.as_str()),
            _ => false,
        })
}

fn is_same((word, arg): (&Word, &Arg)) -> bool {
    word.expansion != Expansion::Dynamic
        && arg.text_or_pattern().is_some()
        && (arg.source == word.source || arg.text_or_pattern() == word.literal.as_deref())
}

/// A wrapper's name, or a number for it: `timeout 10`, `nice -n 5`.
fn is_plain_wrapper(word: &Word) -> bool {
    let Some(text) = word.literal.as_deref() else {
        return false;
    };
    let number = text.trim_start_matches(['-', 'n', 'k']);
    let number = number.trim_end_matches(['s', 'm', 'h']);
    let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '.');
    word.expansion == Expansion::None
        && (PLAIN_WRAPPERS.contains(&text) || PRIVILEGE_WRAPPERS.contains(&text) || is_number)
}

/// Whether a redirection only throws away or joins what the program prints.
fn leads_nowhere(redirect: &Redirect) -> bool {
    let RedirectTarget::Word(word) = &redirect.target else {
        return false;
    };
    let Some(target) = word.literal.as_deref() else {
        return false;
    };
    match redirect.operator {
        RedirectOperator::Write | RedirectOperator::Append | RedirectOperator::WriteBoth => {
            target == "/dev/null"
        }
        // A descriptor is no word: its target is empty.
        RedirectOperator::DuplicateOutput => matches!(target, "" | "1" | "2"),
        _ => false,
    }
}
