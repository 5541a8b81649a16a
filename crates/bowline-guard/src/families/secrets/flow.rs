//! What becomes of a secret that a run prints: another run may keep it, the text may take it, or nobody sees it.

use super::filters::{Lets, lets};
use super::{ENVIRONMENT, READ, VARIABLE, judge, takes_secret};
use crate::effect::{Effect, Gravity};
use crate::families::Run;
use crate::families::args::word;
use crate::families::launch::plain_name;
use crate::interpret::source_of;
use crate::invocation::{Destination, Invocation, Stdin, Through};
use crate::paths::World;
use crate::sensitive::{Access, Sensitivity};

/// Files of lines like `NAME=value`.
const NAMED_VALUES: &[&str] = &["environment-file", "environment-loader"];

/// Whether a rule is about printing a secret.
fn is_about_printing(rule: &str) -> bool {
    [
        VARIABLE.id,
        READ.id,
        ENVIRONMENT.id,
        "secrets.tool-prints",
        "secrets.tool-may-print",
    ]
    .contains(&rule)
}

/// What a run lets through of what it reads.
fn lets_through(invocation: &Invocation) -> Lets {
    let Some(program) = invocation.program.as_deref() else {
        return Lets::Everything;
    };
    let name = plain_name(program);
    let run = Run {
        name,
        args: &invocation.args,
        invocation,
    };
    if takes_secret(run) {
        return Lets::Nothing;
    }
    let words: Vec<&str> = invocation.args.iter().map(word).collect();
    lets(name, &words)
}

/// Whether a run reads from a pipe, and lets no secret through.
pub(in crate::families) fn keeps_input(invocation: &Invocation) -> bool {
    matches!(invocation.stdin, Stdin::Pipe(_) | Stdin::Text(_))
        && lets_through(invocation) != Lets::Everything
}

/// Leaves out what nobody sees of the secrets that a run prints, and makes milder what the text itself takes.
pub(in crate::families) fn without_unseen(
    found: &mut Vec<Effect>,
    at: usize,
    line: &[Invocation],
    keepers: &[&Invocation],
    world: &dyn World,
) {
    let Some(run) = line.get(at) else { return };
    if !found.iter().any(|it| is_about_printing(it.rule)) {
        return;
    }
    let reads_file = found.iter().any(|it| it.rule == READ.id);
    let extent = if reads_file && !line.iter().any(|it| narrows(it, run)) {
        Extent::File
    } else {
        Extent::Value
    };
    let taken = (run.output == Destination::Captured).then(|| taken_by(at, line, extent));
    let copied = taken == Some(Taken::Shown)
        || line.iter().any(|it| {
            it.program.as_deref() == Some("tee")
                && it.args.iter().any(|arg| !word(arg).starts_with('-'))
                && reads(it, run)
        });
    found.retain(|effect| {
        let kept = keepers
            .iter()
            .any(|it| reads(it, run) && keeps(it, run, effect, world));
        let unseen = run.output == Destination::Discarded && is_about_printing(effect.rule);
        copied || !(kept || unseen)
    });
    match taken {
        None | Some(Taken::Shown) => {}
        Some(Taken::Tested) => found.retain(|it| !is_about_printing(it.rule)),
        // One step milder: what may be a secret, and is not shown, is nothing to ask about.
        Some(Taken::Kept) => {
            found.retain(|it| !is_about_printing(it.rule) || it.gravity == Gravity::Grave);
            for effect in found.iter_mut().filter(|it| is_about_printing(it.rule)) {
                effect.gravity = Gravity::Doubtful;
            }
        }
    }
}

/// Whether what a run prints of a secret stays with the run that reads it.
fn keeps(keeper: &Invocation, producer: &Invocation, effect: &Effect, world: &dyn World) -> bool {
    match lets_through(keeper) {
        Lets::Nothing => is_about_printing(effect.rule),
        Lets::Names if effect.rule == ENVIRONMENT.id => true,
        Lets::Names => effect.rule == READ.id && has_named_values(producer, world),
        Lets::Everything => false,
    }
}

/// Whether a file is of lines like `NAME=value`.
pub(super) fn holds_named_values(sensitivity: &Sensitivity) -> bool {
    sensitivity
        .reason()
        .is_some_and(|reason| NAMED_VALUES.contains(&reason.rule))
}

/// Whether the secret files that a run names hold lines like `NAME=value`, all of them.
fn has_named_values(run: &Invocation, world: &dyn World) -> bool {
    run.args
        .iter()
        .filter_map(|it| judge(word(it), Access::Read, world))
        .all(|(sensitivity, _)| holds_named_values(&sensitivity))
}

/// What becomes of a secret that the text has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It is printed or sent after all.
    Shown,
    /// It is only asked whether there is one.
    Tested,
    /// It stays in a variable, or goes to a program.
    Kept,
}

/// How much the text has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// One value, as a header needs it.
    Value,
    /// All of a file.
    File,
}

/// Whether a run picks a part of what another prints, or of the file that it reads itself.
fn narrows(run: &Invocation, producer: &Invocation) -> bool {
    let name = run.program.as_deref().map(plain_name).unwrap_or_default();
    let picks = matches!(
        name,
        "cut" | "grep" | "egrep" | "rg" | "sed" | "awk" | "gawk" | "head" | "tail" | "jq" | "yq"
    );
    picks && (run == producer || reads(run, producer))
}

fn taken_by(at: usize, line: &[Invocation], extent: Extent) -> Taken {
    let Some(producer) = line.get(at) else {
        return Taken::Shown;
    };
    let source = source_of(producer);
    let takes = |it: &Invocation| {
        it.through.iter().any(|through| match through {
            Through::EachOf(listing) => listing.contains(source.as_str()),
            _ => false,
        })
    };
    // What an `echo` prints may go into a program that keeps it.
    let piped_on = |at: usize| {
        line.get(at + 1)
            .is_some_and(|next| keeps_input(next) && reads(next, producer))
    };
    let later = || line.iter().enumerate().skip(at + 1);
    let shows = later().any(|(number, it)| {
        (reads(it, producer) && !is_plain_filter(it) && !keeps_input(it))
            || (takes(it) && shows_arguments(it, extent) && !piped_on(number))
    });
    if shows {
        return Taken::Shown;
    }
    let mut takers = later().filter(|(_, it)| takes(it)).peekable();
    let tested = takers.peek().is_some()
        && takers.all(|(_, it)| matches!(it.program.as_deref(), Some("test" | "[")));
    if tested { Taken::Tested } else { Taken::Kept }
}

/// Programs that change a text, and hand it on to the same place.
fn is_plain_filter(run: &Invocation) -> bool {
    let name = run.program.as_deref().map(plain_name).unwrap_or_default();
    run.output == Destination::Captured
        && matches!(
            name,
            "cut"
                | "grep"
                | "egrep"
                | "sed"
                | "awk"
                | "gawk"
                | "head"
                | "tail"
                | "tr"
                | "jq"
                | "yq"
                | "sort"
                | "uniq"
                | "base64"
                | "cat"
                | "xargs"
                | "rev"
                | "wc"
                | "gunzip"
                | "openssl"
                | "python3"
                | "python"
                | "node"
        )
}

/// Programs that print, send or store what they are given as arguments.
fn shows_arguments(run: &Invocation, extent: Extent) -> bool {
    let name = run.program.as_deref().map(plain_name).unwrap_or_default();
    match name {
        "echo" | "printf" | "print" | "logger" | "wall" | "say" | "notify-send" | "write"
        | "tee" | "cat" => run.output == Destination::Shown,
        "git" | "gh" | "glab" | "mail" | "nc" | "ncat" | "slack" | "wget" => true,
        "curl" | "http" | "https" | "xh" | "curlie" if extent == Extent::File => true,
        // A header may carry a secret to where it belongs.
        "curl" | "http" | "https" | "xh" | "curlie" => {
            let mut is_header = false;
            run.args.iter().any(|arg| {
                let before = is_header;
                let text = word(arg);
                is_header = matches!(
                    text,
                    "-H" | "--header" | "-u" | "--user" | "--oauth2-bearer" | "-b" | "--cookie"
                );
                let glued = text.starts_with("-H")
                    || text.starts_with("--header")
                    || text.starts_with("-u");
                let names_header = text.contains(':') && !text.contains("://") && name != "curl";
                arg.text().is_none() && !before && !glued && !names_header
            })
        }
        _ => false,
    }
}

/// Whether `consumer` reads what `producer` prints.
pub(in crate::families) fn is_fed_by(consumer: &Invocation, producer: &Invocation) -> bool {
    let Some(from) = producer.program.as_deref() else {
        return false;
    };
    match &consumer.stdin {
        Stdin::Pipe(programs) => programs.iter().any(|it| {
            let name = it.split_whitespace().next().unwrap_or_default();
            plain_name(name) == plain_name(from)
        }),
        Stdin::Text(_) => matches!(from, "echo" | "printf"),
        Stdin::None | Stdin::File(_) => false,
    }
}

/// Whether `consumer` reads what this very run prints.
fn reads(consumer: &Invocation, producer: &Invocation) -> bool {
    match &consumer.stdin {
        Stdin::Pipe(programs) => programs.contains(&source_of(producer)),
        Stdin::Text(_) | Stdin::None | Stdin::File(_) => is_fed_by(consumer, producer),
    }
}
