//! Guards against secrets that are written where they do not belong: into a file, a commit or a prompt.

mod commit;
mod diff;
mod files;
mod git;
mod shell;
mod spot;

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline::settings::{GuardMode, Strictness};
use bowline_agents::Tool;
use bowline_guard::tool::FileVerb;
use bowline_guard::tool_call::runs_a_shell;
use serde_json::Value;

use super::{Allowed, Guards, PRIORITY, run_policy, signed};
use commit::Commit;
use spot::{Spot, place_of, spots_in};

/// A call can be rewritten until it is permitted.
const EVENTS: &[HookEvent] = &[
    HookEvent::PreToolUse,
    HookEvent::PermissionRequest,
    HookEvent::UserPromptSubmit,
];
/// What people call the guard against written secrets by.
pub const SECRET_WRITING: &str = "secrets.writing";
/// More places than this are counted, not named.
const MOST_PLACES: usize = 3;
/// A large repository takes git a while.
const TIMEOUT_SECS: u64 = 30;

const ELSEWHERE: &str = "put it into the environment or a secret store and refer to it by its name; if it is only an \
     example, write one that nobody could take for a real one";
const UNCOMMITTED: &str = "take it out of the change, put it into the environment or a secret store and refer to it by its \
     name; a secret that was ever pushed has to be replaced";
const UNSENT: &str = "send the prompt without it and name the variable or the store that holds it; replace the secret if it was \
     pasted before, since transcripts keep what was sent";

const LOOKED_AT: &str = "look at what would be committed before you say yes, or commit by a plain `git commit` in the \
     repository's own folder";

/// Speaks up when what looks like a live secret would be written into a file or a commit, or was pasted into a prompt.
/// Asks about a commit whose change cannot be looked at. Silent otherwise.
///
/// Every call is judged by itself: what is asked about here does not count as a strike.
#[derive(Debug)]
pub struct SecretWritingGuard {
    guards: Arc<Guards>,
    on_secret: Strictness,
}

impl SecretWritingGuard {
    /// One of a project's guards.
    pub fn new(guards: Arc<Guards>, on_secret: Strictness) -> Self {
        Self { guards, on_secret }
    }

    async fn look_at_command(&self, input: &HookInput, ctx: &HookContext) -> Seen {
        let command = input.command().unwrap_or_default();
        let judgement = self.guards.analyst().judge(command, input, ctx);
        let mut seen = Seen::new("this command would write", ELSEWHERE);
        seen.spots = shell::written(command, &judgement);
        let commits = Commit::all(command, &judgement.invocations);
        if !commits.is_empty() {
            seen.deed = "this command would write or commit";
            seen.instead = UNCOMMITTED;
        }
        for commit in commits {
            let found = if self.guards.analyst().machine().is_unseen() {
                commit.look_at_text()
            } else {
                commit.look(&ctx.env).await
            };
            seen.spots.extend(found.spots);
            seen.warnings.extend(found.warning);
            seen.unseen = seen.unseen.or(found.unseen);
        }
        seen
    }

    fn answer(&self, seen: Seen, mode: GuardMode) -> Opinion {
        let on_secret = if seen.spots.is_empty() {
            Strictness::Ask
        } else {
            self.on_secret
        };
        let stopped = match on_secret {
            Strictness::Allow | Strictness::Ask => Opinion::ask,
            Strictness::Deny => Opinion::block,
        };
        let output = match (seen.reason(), mode) {
            (None, _) => Opinion::allow(),
            (Some(reason), GuardMode::Observe) => stopped(reason.clone())
                .by_rule(SECRET_WRITING)
                .only_observed()
                .system_message(format!(
                    "Bowline only observes; it would stop this: {reason}"
                )),
            (Some(reason), _) => stopped(signed(&reason)).by_rule(SECRET_WRITING),
        };
        let unseen = seen
            .unseen
            .map(|why| format!("the change of a commit was not looked at for secrets: {why}"));
        let warnings = seen.warnings.into_iter().chain(unseen);
        warnings.fold(output, Opinion::warning)
    }
}

#[async_trait]
impl Hook for SecretWritingGuard {
    fn name(&self) -> &str {
        "guard:secret-writing"
    }

    fn events(&self) -> &[HookEvent] {
        EVENTS
    }

    fn timeout_secs(&self) -> u64 {
        TIMEOUT_SECS
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn policy(&self) -> RunPolicy {
        run_policy()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let seen = if input.event_type() == HookEvent::UserPromptSubmit {
            look_at_prompt(input.prompt().unwrap_or_default())
        } else if input.tool_name().is_some_and(runs_a_shell) {
            self.look_at_command(input, ctx).await
        } else {
            look_at_file(input)
        };
        let mode = self.guards.mode(input, ctx);
        let is_loud = seen.reason().is_some();
        if is_loud && Allowed::of_event(&self.guards, input, ctx).silences(SECRET_WRITING) {
            return Ok(Opinion::allow());
        }
        Ok(self.answer(seen, mode))
    }
}

/// What was seen of one event.
#[derive(Debug)]
struct Seen {
    /// What would be done with the secrets.
    deed: &'static str,
    spots: Vec<Spot>,
    instead: &'static str,
    warnings: Vec<String>,
    /// Why a commit could not be looked at.
    unseen: Option<&'static str>,
}

impl Seen {
    fn new(deed: &'static str, instead: &'static str) -> Self {
        Self {
            deed,
            spots: Vec::new(),
            instead,
            warnings: Vec::new(),
            unseen: None,
        }
    }

    /// What was found and what to do, if anything was. Never the secret itself.
    fn reason(&self) -> Option<String> {
        if self.spots.is_empty() {
            return self.unseen.map(|why| {
                format!(
                    "what would be committed could not be looked at for secrets: {why}. Instead: {LOOKED_AT}. \
                     [{SECRET_WRITING}]"
                )
            });
        }
        let mut places: Vec<String> = self
            .spots
            .iter()
            .take(MOST_PLACES)
            .map(ToString::to_string)
            .collect();
        if let Some(more @ 1..) = self.spots.len().checked_sub(MOST_PLACES) {
            places.push(format!("{more} more"));
        }
        Some(format!(
            "{} what looks like a live secret: {}. Instead: {}. [{SECRET_WRITING}]",
            self.deed,
            places.join("; "),
            self.instead
        ))
    }
}

fn look_at_prompt(prompt: &str) -> Seen {
    let mut seen = Seen::new("the prompt holds", UNSENT);
    seen.spots = spots_in(prompt, spot::Surroundings::Real, |line| {
        format!("in line {line}")
    });
    seen
}

fn look_at_file(input: &HookInput) -> Seen {
    let mut seen = Seen::new("this call would write", ELSEWHERE);
    let changes = input.tool_name().is_some_and(|tool| {
        Tool::named(tool).changes_a_file() || FileVerb::of(tool) == Some(FileVerb::Write)
    });
    let Some(fields) = input.tool_input().filter(|_| changes) else {
        return seen;
    };
    let path = input.file_path().unwrap_or("a file");
    let surroundings = spot::Surroundings::of(path);
    for (new, old, part) in new_texts(fields) {
        let spots = spots_in(new, surroundings, |line| place_of(path, line, part));
        // What the file holds already is not written now.
        let added = spots
            .into_iter()
            .filter(|spot| !spot.is_in(new, old.unwrap_or_default()));
        seen.spots.extend(added);
    }
    seen
}

/// The texts that a tool's input would put into a file, what they replace, and what their lines are counted in.
fn new_texts(fields: &Value) -> Vec<(&str, Option<&str>, &'static str)> {
    const NEW_TEXT: &str = " of the new text";
    let edits = fields.get("edits").and_then(Value::as_array);
    let mut texts = Vec::new();
    for holder in std::iter::once(fields).chain(edits.into_iter().flatten()) {
        let old = ["old_string", "oldText"];
        let old = old.iter().find_map(|name| holder.get(name)?.as_str());
        for (name, part) in [
            ("content", ""),
            ("new_string", NEW_TEXT),
            ("new_source", " of the cell"),
            // The server for files that comes with the protocol.
            ("newText", NEW_TEXT),
        ] {
            let new = holder.get(name).and_then(Value::as_str);
            texts.extend(new.map(|new| (new, old, part)));
        }
    }
    texts
}
