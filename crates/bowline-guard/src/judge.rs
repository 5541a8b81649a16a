//! The verdict on a shell text: the strictest of its effects.

mod scripts;

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use crate::effect::{Category, Effect, Gravity};
use crate::families::{self, rule::rules};
use crate::interpret::{Hazard, Interpretation, Reach, interpret, interpret_powershell};
use crate::invocation::{Done, Invocation};
use crate::loss::Act;
use crate::paths::{self, World};
use crate::sensitive::{Access, Sensitivity, classify};
use crate::shell::Understanding;
use scripts::Scripts;

rules! {
    MULTIPLIES = Process, "shell.multiplies", "Starts itself again and again until the machine stops",
        instead "start the programs that are needed by name, each once";
    UNKNOWN_PROGRAM = Unverified, "shell.unknown-program", "Runs a program that cannot be known, with arguments that could destroy",
        instead "write the program's name out instead of a variable";
    UNVERIFIED = Unverified, "shell.unverified", "Could not be read to the end, and contains something that could destroy",
        instead "write it as separate, simple commands";
    UNSEEN = Unverified, "shell.too-many-paths", "Names more paths than can be looked at",
        instead "name the folder instead of every file in it, or split the command";
}

/// What was found in a text, and the verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Judgement {
    /// The programs that would run.
    pub invocations: Vec<Invocation>,
    /// What they would do, with the index of the program; what no program does stands at the end of the list.
    pub effects: Vec<(Effect, Option<usize>)>,
    /// What they would do to files and repositories, one after another.
    pub acts: Vec<Act>,
    /// What follows from it.
    pub verdict: TextVerdict,
    /// How far the text was understood.
    pub understanding: Understanding,
    /// How much work it was, in counted steps; no text takes more than a fixed number.
    pub steps: usize,
}

impl Judgement {
    /// Why not all of the text was understood, if so.
    pub fn not_understood(&self) -> Option<&str> {
        why_not_understood(&self.understanding)
    }
}

fn why_not_understood(understanding: &Understanding) -> Option<&str> {
    match understanding {
        Understanding::Clean => None,
        Understanding::Partial { problems } => Some(problems.first().map_or("", String::as_str)),
        Understanding::Failed { reason } => Some(reason),
    }
}

/// What follows from a text's effects.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextVerdict {
    /// The strictest effect's gravity; harmless without any.
    pub gravity: Gravity,
    /// Its category and rule, where there is one.
    pub rule: Option<(Category, &'static str)>,
    /// What it does, for people.
    pub reason: Option<String>,
    /// A safer way.
    pub instead: Option<String>,
}

/// Judges a shell text.
pub fn judge(text: &str, world: &dyn World) -> Judgement {
    judge_interpreted(text, interpret(text, world), world)
}

/// Judges a PowerShell text.
pub fn judge_powershell(text: &str, world: &dyn World) -> Judgement {
    judge_interpreted(text, interpret_powershell(text, world), world)
}

fn judge_interpreted(text: &str, interpretation: Interpretation, world: &dyn World) -> Judgement {
    let (mut effects, mut acts) = (Vec::new(), Vec::new());
    let mut done = Done::new(&mut acts, &interpretation.reliance);
    let found = families::effects_of_line(&interpretation.invocations, world, &mut done);
    for (index, (invocation, found)) in interpretation.invocations.iter().zip(found).enumerate() {
        effects.extend(found.into_iter().map(|effect| (effect, Some(index))));
        effects.extend(unknown_program(invocation, world).map(|effect| (effect, Some(index))));
    }
    for hazard in &interpretation.hazards {
        effects.push((of_hazard(*hazard), None));
    }
    effects.extend(unverified(text, &interpretation, world).map(|effect| (effect, None)));
    // Links behind the paths that were not looked at could lead anywhere.
    if world.is_exhausted() {
        let what = "names more paths than can be looked at";
        effects.push((UNSEEN.doubtful(what), None));
    }
    // Last, so that they take nothing from what the line itself may look at.
    let mut scripts = Scripts::new(world);
    let of_scripts = scripts.effects(&interpretation, &done).into_iter();
    effects.extend(of_scripts.map(|(run, effect)| (effect, Some(run))));
    Judgement {
        verdict: strictest(&effects),
        effects,
        acts,
        steps: interpretation.steps + words(&interpretation.invocations) + scripts.steps,
        invocations: interpretation.invocations,
        understanding: interpretation.understanding,
    }
}

/// What the families look at.
fn words(invocations: &[Invocation]) -> usize {
    invocations.iter().map(|it| 1 + it.args.len()).sum()
}

fn strictest(effects: &[(Effect, Option<usize>)]) -> TextVerdict {
    // The first of the gravest: what runs first is what a person sees first.
    let mut gravest: Option<&Effect> = None;
    for (effect, _) in effects {
        if gravest.is_none_or(|it| effect.gravity > it.gravity) {
            gravest = Some(effect);
        }
    }
    match gravest.filter(|it| it.gravity > Gravity::Harmless) {
        Some(effect) => TextVerdict {
            gravity: effect.gravity,
            rule: Some((effect.category, effect.rule)),
            reason: Some(effect.what.clone()),
            instead: effect.instead.clone(),
        },
        None => TextVerdict {
            gravity: Gravity::Harmless,
            rule: None,
            reason: None,
            instead: None,
        },
    }
}

fn of_hazard(hazard: Hazard) -> Effect {
    match hazard {
        Hazard::Multiplies => {
            MULTIPLIES.grave("starts itself again and again until the machine stops")
        }
    }
}

/// A program that cannot be known is judged as the worst that its arguments would make of it, one step milder.
fn unknown_program(invocation: &Invocation, world: &dyn World) -> Option<Effect> {
    if invocation.program.is_some() {
        return None;
    }
    let flags = |letters: &[char]| {
        invocation
            .args
            .iter()
            .filter_map(|arg| arg.text())
            .any(|text| {
                text.starts_with('-')
                    && !text.starts_with("--")
                    && letters.iter().all(|letter| text.contains(*letter))
            })
    };
    let mut candidates = vec!["git", "dd"];
    if flags(&['r', 'f']) || flags(&['R', 'f']) {
        candidates.push("rm");
    }
    candidates.into_iter().find_map(|program| {
        let guess = Invocation { program: Some(program.to_owned()), ..invocation.clone() };
        let grave = families::effects(&guess, world).into_iter().any(|effect| effect.gravity == Gravity::Grave);
        grave.then(|| {
            UNKNOWN_PROGRAM.doubtful(format!(
                "runs a program that cannot be known; `{program}` would destroy with these arguments"
            ))
        })
    })
}

/// A text that was not understood is asked about if it holds something that could destroy or disclose, and always
/// when it was not followed to its end: what comes there may be anything.
fn unverified(text: &str, interpretation: &Interpretation, world: &dyn World) -> Option<Effect> {
    let why = why_not_understood(&interpretation.understanding)?;
    let danger = dangerous_word(text, world).or_else(|| dangerous_piece(text, world));
    let what = match (danger, interpretation.reach) {
        (Some(danger), _) => {
            format!("could not be read to the end ({why}), and contains `{danger}`")
        }
        (None, Reach::CutShort) => format!("could not be read to the end ({why})"),
        (None, Reach::Whole) => return None,
    };
    Some(UNVERIFIED.doubtful(what))
}

/// Programs and words that could destroy, looked for without any understanding.
const DANGEROUS: &[&str] = &[
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "dd",
    "mkfs",
    "wipefs",
    "truncate",
    "rmtree",
    "rmsync",
    "rimraf",
    "unlinksync",
    "drop",
    "flushall",
    "flushdb",
    "dropdatabase",
    "destroy",
    "terminate",
    "purge",
    "prune",
    "delete",
    "--delete",
    "-delete",
    "--force",
    "--hard",
    "--mirror",
    "reset",
    "clean",
    "shutdown",
    "reboot",
    "halt",
    "poweroff",
    "killall",
    "pkill",
    "chmod",
    "chown",
    "crontab",
    "curl",
    "wget",
    "eval",
    "base64",
    "xxd",
    "nc",
    "ncat",
    "sudo",
    "su",
    "format",
    "fdisk",
    "parted",
    "diskutil",
    "remove-item",
    "ri",
    "rd",
    "del",
    "erase",
    "clear-content",
    "clear-disk",
    "format-volume",
    "invoke-expression",
    "iex",
    "stop-computer",
    "restart-computer",
];

/// A text may have very many words.
fn is_dangerous(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| DANGEROUS.iter().copied().collect());
    WORDS.contains(word)
}

/// The most paths that are looked at one by one.
const MAX_PATHS: usize = 100;

fn dangerous_word(text: &str, world: &dyn World) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let found = lower
        .split(separates_words)
        .find(|word| is_dangerous(word) || word.starts_with("mkfs."));
    if let Some(found) = found {
        return Some(found.to_owned());
    }
    let hidden: String = lower
        .chars()
        .filter(|c| !matches!(c, '\\' | '\'' | '"'))
        .collect();
    if let Some(found) = hidden
        .split(separates_words)
        .find(|word| is_dangerous(word))
    {
        return Some(found.to_owned());
    }
    let paths: BTreeSet<&str> = text
        .split(separates_paths)
        .filter(|word| word.contains(['.', '/', '_', '~']))
        .collect();
    if paths.len() > MAX_PATHS {
        return Some(format!("{} paths", paths.len()));
    }
    paths
        .into_iter()
        .find(|word| secret_path(word, world))
        .map(str::to_owned)
}

fn separates_words(c: char) -> bool {
    separates_paths(c) || matches!(c, '[' | ']' | '/' | '\\' | ':' | '!' | '*' | '?')
}

fn separates_paths(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '$' | '(' | ')' | '{' | '}' | ';' | '|' | '&' | '<' | '>' | '=' | ','
    ) || c.is_whitespace()
}

/// The most pieces that are judged one by one, the longest, and the most steps for all of them.
const MAX_PIECES: usize = 100;
const MAX_PIECE: usize = 1_000;
const MAX_PIECE_STEPS: usize = 4_000;

/// A piece between two operators that would be stopped if it stood alone, whatever keeps the whole from being read.
fn dangerous_piece(text: &str, world: &dyn World) -> Option<String> {
    let pieces = text
        .split(['\n', ';', '|', '&', '(', ')', '`'])
        // A brace begins a group only when a blank follows.
        .map(|piece| piece.trim().trim_start_matches("{ "))
        .filter(|piece| !piece.is_empty());
    let mut steps = 0;
    for (count, piece) in pieces.enumerate() {
        if count >= MAX_PIECES || piece.len() > MAX_PIECE || steps > MAX_PIECE_STEPS {
            return Some("more than can be looked at piece by piece".to_owned());
        }
        let interpretation = interpret(piece, world);
        let invocations = interpretation.invocations;
        // Judging a word costs more than a step.
        steps += interpretation.steps + 4 * words(&invocations);
        let mut acts = Vec::new();
        let mut done = Done::new(&mut acts, &interpretation.reliance);
        let stopped = families::effects_of_line(&invocations, world, &mut done)
            .iter()
            .flatten()
            // Half a command is not known to begin with.
            .filter(|effect| effect.category != Category::Unverified)
            .any(|effect| effect.gravity > Gravity::Harmless);
        if stopped {
            return Some(piece.to_owned());
        }
    }
    None
}

fn secret_path(word: &str, world: &dyn World) -> bool {
    let path = paths::resolve_literal(word, world);
    !word.is_empty()
        && word.len() < 512
        && classify(&path, Access::Read, world) != Sensitivity::Public
}
