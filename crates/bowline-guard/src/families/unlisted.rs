//! Programs that no family knows: service tools share their verbs and the kinds of things that they manage, so that
//! `acmectl cluster destroy prod` is understood without a line of its own.

mod kinds;
mod local;
mod verbs;

use crate::effect::{Effect, Gravity};

use super::Run;
use super::args::{listed, word};
use super::cloud::names_production;
use super::database::is_disposable;
use super::rule::rules;
use super::stores;
use kinds::{holds_data, is_cache, is_local_kind, is_replaceable, singular};
pub(super) use local::is_local;
use verbs::{Verb, is_harmless_verb, plain_verb, verb_of};

rules! {
    DELETES = Cloud, "unlisted.delete", "Deletes something by a tool that is not known more closely",
        instead "look first with the command that lists or describes it, and leave the deletion to the person";
}

/// At most this many words are looked at: verbs stand at the beginning.
const MAX_WORDS: usize = 5;

/// What the run says besides its verb.
struct Said<'run> {
    /// The words that are no options, in order.
    words: Vec<&'run str>,
    options: Vec<&'run str>,
}

impl<'run> Said<'run> {
    fn of(run: Run<'run>) -> Self {
        let mut said = Self {
            words: Vec::new(),
            options: Vec::new(),
        };
        for text in run.args.iter().map(word) {
            if text.starts_with('-') && text.len() > 1 {
                said.options.push(text);
            } else {
                said.words.push(text);
            }
        }
        said
    }

    fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|option| {
            let name = option.split('=').next().unwrap_or(option);
            names.contains(&name)
        })
    }

    /// Nothing is really done.
    fn only_looks(&self) -> bool {
        self.options.iter().any(|option| {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            let name = name.trim_start_matches('-').replace('_', "-");
            let asks = matches!(
                name.as_str(),
                "dry-run"
                    | "dryrun"
                    | "dry"
                    | "what-if"
                    | "whatif"
                    | "preview"
                    | "simulate"
                    | "plan"
                    | "help"
                    | "noop"
                    | "no-op"
                    | "list"
                    | "show"
                    | "validate-only"
                    | "preview-only"
                    | "check"
            );
            (asks && value != "false") || matches!(*option, "-h")
        })
    }

    fn takes_everything(&self) -> bool {
        self.options.iter().any(|option| {
            matches!(
                *option,
                "--everything"
                    | "--recursive"
                    | "--purge"
                    | "--nuke"
                    | "--cascade"
                    | "--hard"
                    | "--permanent"
                    | "-r"
                    | "-R"
                    | "-rf"
            ) || option.starts_with("--purge")
                || (option.starts_with("--all") && !option.contains("=false"))
        }) || self.words.iter().any(|it| matches!(*it, "*" | "all"))
    }

    fn is_unasked(&self) -> bool {
        self.has(&[
            "--force",
            "-f",
            "--yes",
            "-y",
            "--confirm",
            "--no-prompt",
            "--noprompt",
            "--skip-confirmation",
            "--auto-approve",
            "--assume-yes",
            "-rf",
            "--noinput",
            "--no-input",
            "--non-interactive",
            "--now",
        ])
    }

    fn names_production(&self) -> bool {
        let values = self.options.iter().filter_map(|it| it.split_once('='));
        let values = values.map(|(_, value)| value);
        self.words
            .iter()
            .copied()
            .chain(values)
            .any(names_production)
    }
}

/// What a program that no family had anything to say about would delete.
pub(super) fn effects(run: Run<'_>) -> Option<Effect> {
    if run.args.is_empty() {
        return None;
    }
    let said = Said::of(run);
    let found = verb_among(&said).or_else(|| option_verb(&said))?;
    if said.only_looks() || stores::only_tries(run) {
        return None;
    }
    let gravity = gravity(&said, &found)?;
    let own_script = is_own_script(run);
    let grave = gravity == Gravity::Grave || said.takes_everything() || said.names_production();
    if own_script && (found.verb == Verb::Weak || !grave) {
        return None;
    }
    let gravity = if own_script {
        Gravity::Doubtful
    } else {
        gravity
    };
    let what = format!(
        "{}: {} {}",
        run.name,
        found.text,
        listed(said.words.get(found.at + 1..).unwrap_or_default())
    );
    Some(DELETES.effect(gravity, what.trim_end()))
}

struct Found<'run> {
    verb: Verb,
    text: &'run str,
    /// Where it stands among the words.
    at: usize,
    /// What is deleted, as far as the words before the verb tell.
    kinds: Vec<String>,
    /// The word after it: a kind, or a name.
    after: Option<String>,
}

fn verb_among<'run>(said: &Said<'run>) -> Option<Found<'run>> {
    for (at, text) in said.words.iter().copied().take(MAX_WORDS).enumerate() {
        if let Some((verb, parts)) = verb_of(text, at) {
            let kind = |at: usize| said.words.get(at).map(|it| singular(it));
            let before = at.checked_sub(1).and_then(kind);
            let kinds = before.into_iter().chain(parts).collect();
            let after = kind(at + 1);
            return Some(Found {
                verb,
                text,
                at,
                kinds,
                after,
            });
        }
        // `build cancel 33`: a verb that is the name of a thing.
        let next = said.words.get(at + 1).and_then(|it| plain_verb(it));
        let noun = matches!(
            text,
            "build" | "package" | "query" | "view" | "list" | "check" | "release" | "test"
        ) && next.is_some_and(|it| it != Verb::Weak || said.words.len() > at + 2);
        if is_harmless_verb(text) && !noun {
            return None;
        }
    }
    None
}

/// `--delete-all`, `--erase`: an option instead of a verb.
fn option_verb<'run>(said: &Said<'run>) -> Option<Found<'run>> {
    let harmless = said.words.first().is_some_and(|it| is_harmless_verb(it));
    let text = said
        .options
        .iter()
        .copied()
        .filter(|_| !harmless)
        .find(|option| {
            OPTION_VERBS.contains(option)
                || (option.contains('_')
                    && OPTION_VERBS.contains(&option.replace('_', "-").as_str()))
        })?;
    let all = text.ends_with("all") || text.ends_with("data") || text.ends_with("database");
    let everything = all.then(|| "data".to_owned());
    Some(Found {
        verb: if all { Verb::Strong } else { Verb::Delete },
        text,
        at: said.words.len(),
        kinds: said
            .words
            .iter()
            .take(MAX_WORDS)
            .map(|it| singular(it))
            .chain(everything)
            .collect(),
        after: None,
    })
}

/// Options that are verbs.
const OPTION_VERBS: &[&str] = &[
    "--delete",
    "--delete-all",
    "--force-delete",
    "--destroy",
    "--nuke",
    "--erase",
    "--erase-all",
    "--remove-all",
    "--drop-all",
    "--drop-database",
    "--delete-data",
    "--purge",
    "--purge-all",
    "--unregister",
    "--wipe-all",
    "--reset-all",
    "--kill",
];

/// How grave it is; `None` for what people do with packages, caches and lists every day.
fn gravity(said: &Said<'_>, found: &Found<'_>) -> Option<Gravity> {
    let wide = said.takes_everything() || said.names_production();
    // `delete plugin x`, but not a thing whose name is `plugin`.
    let after = found.after.as_deref().unwrap_or_default();
    let kind_follows = said.words.len() > found.at + 2;
    if is_prose(said, found.at)
        || found.kinds.iter().any(|it| is_cache(it))
        || (kind_follows && is_cache(after))
    {
        return None;
    }
    if (found.kinds.iter().any(|it| is_local_kind(it)) || (kind_follows && is_local_kind(after)))
        && !wide
    {
        return None;
    }
    let disposable = said
        .words
        .iter()
        .skip(found.at + 1)
        .any(|it| is_disposable(it));
    let data = (found.kinds.iter().any(|it| holds_data(it)) || holds_data(after)) && !disposable;
    let replaceable = found.kinds.iter().any(|it| is_replaceable(it)) || is_replaceable(after);
    let more = said.words.len() > found.at + 1 || !said.options.is_empty();
    match found.verb {
        Verb::Strong if (data || more) && !replaceable && !disposable => Some(Gravity::Grave),
        Verb::Strong if wide => Some(Gravity::Grave),
        Verb::Delete if !more && !(data && (found.at > 0 || found.text.contains(':'))) => None,
        Verb::Delete if (data && !replaceable) || said.takes_everything() => Some(Gravity::Grave),
        Verb::Delete
            if said.is_unasked()
                && (found.at > 0 || said.names_production())
                && !replaceable
                && !disposable =>
        {
            Some(Gravity::Grave)
        }
        Verb::Strong | Verb::Delete => Some(Gravity::Doubtful),
        Verb::Weak => weak(said, found, data),
    }
}

/// Whether the words around the verb make a sentence: `how to delete a branch`.
fn is_prose(said: &Said<'_>, at: usize) -> bool {
    let word = |at: Option<usize>| {
        at.and_then(|it| said.words.get(it))
            .copied()
            .unwrap_or_default()
    };
    matches!(
        word(Some(at + 1)),
        "the"
            | "a"
            | "an"
            | "to"
            | "of"
            | "its"
            | "your"
            | "their"
            | "this"
            | "that"
            | "from"
            | "in"
            | "or"
            | "and"
            | "if"
            | "when"
            | "until"
            | "each"
            | "it"
            | "them"
    ) || matches!(
        word(at.checked_sub(1)),
        "to" | "will"
            | "not"
            | "may"
            | "can"
            | "and"
            | "would"
            | "should"
            | "must"
            | "then"
            | "you"
            | "we"
            | "they"
    )
}

/// `remove` and its like: of a resource by its kind, of everything, or by an address.
fn weak(said: &Said<'_>, found: &Found<'_>, data: bool) -> Option<Gravity> {
    let operands = said.words.get(found.at + 1..).unwrap_or_default();
    let everything = said.takes_everything();
    let address = operands.iter().any(|it| it.contains("://"));
    let removes = matches!(found.text, "remove" | "rm" | "rb" | "forget" | "abandon");
    let named =
        found.at > 0 && (!operands.is_empty() || said.options.iter().any(|it| it.contains('=')));
    let by_kind = operands.iter().any(|it| {
        it.split_once('/')
            .is_some_and(|(kind, _)| holds_data(&singular(kind)) || is_replaceable(&singular(kind)))
    });
    if address && (removes || everything) {
        return Some(Gravity::Grave);
    }
    if data && (everything || said.is_unasked() || (removes && named)) {
        return Some(Gravity::Grave);
    }
    let resets = matches!(
        found.text,
        "reset" | "clear" | "empty" | "flush" | "prune" | "gc" | "cleanup"
    );
    match found.text {
        _ if removes && (named || everything || by_kind) => Some(Gravity::Doubtful),
        "uninstall" | "clean" | "unset" | "detach" => None,
        "cancel" | "kill" | "abort" if named => Some(Gravity::Doubtful),
        _ if resets && (everything || (data && found.at > 0)) => Some(Gravity::Doubtful),
        _ => None,
    }
}

/// A script of the project: what its words mean is the project's business.
fn is_own_script(run: Run<'_>) -> bool {
    let script = [".py", ".js", ".ts", ".mjs", ".rb", ".pl", ".php"];
    let path = run.invocation.program_path.as_deref().unwrap_or_default();
    let relative =
        path.contains('/') && !path.starts_with(['/', '~', '$']) && !path.contains("bin/");
    script.iter().any(|ending| run.name.ends_with(ending)) || relative
}
