//! What becomes of a secret that a run prints: another run may keep it, the text may take it, or nobody sees it.

use super::filters::{Lets, lets};
use super::variables::picks_harmless_variables;
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

/// A run that prints a secret, and the runs of the line after it, up to its next repetition.
struct Producer<'line> {
    run: &'line Invocation,
    /// As those know it who read its output.
    source: String,
    later: &'line [Invocation],
}

impl<'line> Producer<'line> {
    fn of(at: usize, line: &'line [Invocation]) -> Option<Self> {
        let (run, later) = line.get(at..)?.split_first()?;
        let source = match run.opened.first() {
            // What it reads is known by the file.
            Some(opened) if reads_into_variable(run) => format!("cat {}", opened.file.source),
            _ => source_of(run),
        };
        Some(Self { run, source, later })
    }

    /// The later runs that read what this very run prints: a run that does the same has its own readers.
    fn readers(&self) -> Vec<&'line Invocation> {
        let again = self
            .later
            .iter()
            .position(|it| source_of(it) == self.source);
        let until = again.unwrap_or(self.later.len());
        let later = self.later.get(..until).unwrap_or_default();
        later
            .iter()
            .enumerate()
            .filter(|(at, it)| match &it.stdin {
                Stdin::Pipe(programs) => programs.iter().any(|it| self.is_known_as(it)),
                // A known text comes from right before it.
                Stdin::Text(_) => {
                    let between = later.get(..*at).unwrap_or_default();
                    is_fed_by(it, self.run) && between.iter().all(|it| it.stdin != Stdin::None)
                }
                Stdin::None | Stdin::File(_) => false,
            })
            .map(|(_, it)| it)
            .collect()
    }

    /// Whether that is what this run prints: elsewhere it is known by who runs it there, as in `kubectl exec web -- env`.
    fn is_known_as(&self, source: &str) -> bool {
        let inner = source.strip_suffix(self.source.as_str());
        inner.is_some_and(|it| it.is_empty() || (it.ends_with(' ') && self.run.runs_elsewhere()))
    }

    /// Whether a run has what this one prints among its arguments.
    fn is_taken_by(&self, run: &Invocation) -> bool {
        run.through.iter().any(|through| match through {
            Through::EachOf(listing) => listing.contains(self.source.as_str()),
            _ => false,
        })
    }
}

/// Leaves out what nobody sees of the secrets that a run prints, and makes milder what the text itself takes.
pub(in crate::families) fn without_unseen(
    found: &mut Vec<Effect>,
    at: usize,
    line: &[Invocation],
    world: &dyn World,
) {
    if !found.iter().any(|it| is_about_printing(it.rule)) {
        return;
    }
    let Some(producer) = Producer::of(at, line) else {
        return;
    };
    let run = producer.run;
    let readers = producer.readers();
    let reads_file = found.iter().any(|it| it.rule == READ.id);
    let extent = if reads_file && !narrows(run) && !readers.iter().any(|it| narrows(it)) {
        Extent::File
    } else {
        Extent::Value
    };
    let captured = run.output == Destination::Captured || reads_into_variable(run);
    let taken = captured.then(|| taken(&producer, &readers, extent));
    let is_copy = |it: &&Invocation| {
        it.program.as_deref() == Some("tee")
            && it.args.iter().any(|arg| !word(arg).starts_with('-'))
    };
    let shown = taken == Some(Taken::Shown) || readers.iter().any(is_copy);
    found.retain(|effect| {
        let kept = readers.iter().any(|it| keeps(it, run, effect, world));
        let unseen = run.output == Destination::Discarded && is_about_printing(effect.rule);
        shown || !(kept || unseen)
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
    let picks = || {
        let words: Vec<&str> = keeper.args.iter().map(word).collect();
        let name = keeper
            .program
            .as_deref()
            .map(plain_name)
            .unwrap_or_default();
        picks_harmless_variables(name, &words)
    };
    match lets_through(keeper) {
        _ if effect.rule == ENVIRONMENT.id && picks() => true,
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

/// `read NAME < file`
fn reads_into_variable(run: &Invocation) -> bool {
    matches!(
        run.program.as_deref(),
        Some("read" | "mapfile" | "readarray")
    )
}

/// How much the text has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// One value, as a header needs it.
    Value,
    /// All of a file.
    File,
}

/// Whether a run picks a part of what it reads.
fn narrows(run: &Invocation) -> bool {
    let name = run.program.as_deref().map(plain_name).unwrap_or_default();
    matches!(
        name,
        "cut" | "grep" | "egrep" | "rg" | "sed" | "awk" | "gawk" | "head" | "tail" | "jq" | "yq"
    )
}

fn taken(producer: &Producer<'_>, readers: &[&Invocation], extent: Extent) -> Taken {
    // What an `echo` prints may go into a program that keeps it.
    let piped_on = |at: usize| {
        let next = producer.later.get(at + 1);
        next.is_some_and(|next| lets_through(next) == Lets::Nothing && readers.contains(&next))
    };
    let read = readers
        .iter()
        .any(|it| !is_plain_filter(it) && lets_through(it) != Lets::Nothing);
    let printed =
        producer.later.iter().enumerate().any(|(at, it)| {
            producer.is_taken_by(it) && shows_arguments(it, extent) && !piped_on(at)
        });
    if read || printed {
        return Taken::Shown;
    }
    let mut takers = producer
        .later
        .iter()
        .filter(|it| producer.is_taken_by(it))
        .peekable();
    let tested = takers.peek().is_some()
        && takers.all(|it| matches!(it.program.as_deref(), Some("test" | "[")));
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
    let first = || {
        let mut words = run.args.iter().map(word);
        words.find(|it| !it.starts_with('-')).unwrap_or_default()
    };
    match name {
        "echo" | "printf" | "print" | "logger" | "wall" | "say" | "notify-send" | "write"
        | "tee" | "cat" => run.output == Destination::Shown,
        "git" => matches!(first(), "commit" | "tag" | "notes" | "stash"),
        "gh" | "glab" => !matches!(first(), "auth" | "secret" | "variable" | "repo"),
        "mail" | "nc" | "ncat" | "slack" | "wget" => true,
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
