//! Runs a hook for each part of a call that does several things, and makes one answer of what it says.
//!
//! A call runs as a whole or not at all: it is allowed only where every part is, and one part cannot run with another input.

use std::time::Duration;

use bowline_guard::lookalikes::escape;
use bowline_guard::secrets::redact;
use bowline_guard::tool_call::shortened;
use tokio::time::Instant;

use super::{Candidate, HookManager, HookRun, RunStatus};
use crate::context::HookContext;
use crate::decision::Decision;
use crate::event::EventClass;
use crate::input::HookInput;
use crate::merge::merge;
use crate::opinion::{Opinion, Permission};

/// At most this many parts are told why they are stopped.
const MAX_REASONS: usize = 5;

impl HookManager {
    /// Runs a hook for these parts of the event, counted from 0, within its one time limit. A denial ends it on a gate.
    pub(super) async fn run_parts(
        &self,
        candidate: &Candidate,
        parts: &[usize],
        input: &HookInput,
        ctx: &HookContext,
    ) -> HookRun {
        let started = Instant::now();
        let limit = self.limit(candidate.hook.as_ref());
        let mut said = Said::default();
        for index in parts {
            let part = input.part(*index);
            let left = limit.saturating_sub(started.elapsed());
            let mut run = self.run_once(candidate, left, &part, ctx).await;
            refuse_rewrite(&mut run.output, &part);
            let ends = run.denies() && input.event_type().class() == EventClass::Gate;
            said.add(run, &part);
            if ends {
                break;
            }
        }
        let all = input.part_count();
        let id = candidate.hook.name();
        said.together(id, all, started.elapsed())
    }
}

/// Denies what a hook wants to run instead of a call with several parts, or instead of one of them: nobody can say how the agent
/// would have to run that.
pub(super) fn refuse_rewrite(output: &mut Opinion, input: &HookInput) {
    let Some(rewritten) = output.updated_input.take() else {
        return;
    };
    if output.decision() == Decision::Deny || input.tool_input() == Some(&rewritten) {
        return;
    }
    if input.event_type().class() != EventClass::Gate {
        let warning = "a call of several parts cannot be changed: the new input was ignored";
        output.warnings.push(warning.to_owned());
        return;
    }
    let reason = format!(
        "A hook changed one part of this call, and a part cannot be changed by itself, so that the call is denied. Make this part a \
         call of its own, with this input: {rewritten}"
    );
    output.continue_execution = false;
    output.permission = None;
    output.rule = None;
    output.stop_reason = Some(redact(&reason).into_owned());
}

/// What a hook said of the parts so far.
#[derive(Default)]
struct Said {
    runs: Vec<HookRun>,
    /// Which part each is about, for people.
    about: Vec<String>,
}

impl Said {
    fn add(&mut self, mut run: HookRun, part: &HookInput) {
        self.say_once(&mut run.output);
        self.runs.push(run);
        self.about.push(described(part));
    }

    /// What was said of an earlier part is not said again.
    fn say_once(&self, output: &mut Opinion) {
        let before = || self.runs.iter().map(|it| &it.output);
        let keep_new = |text: &mut Option<String>, of: fn(&Opinion) -> &Option<String>| {
            text.take_if(|text| before().any(|it| of(it).as_ref() == Some(text)));
        };
        keep_new(&mut output.additional_context, |it| &it.additional_context);
        keep_new(&mut output.message, |it| &it.message);
        let warnings = &mut output.warnings;
        warnings.retain(|warning| !before().any(|it| it.warnings.contains(warning)));
    }

    /// One run of the hook, of a call with this many parts.
    fn together(mut self, id: &str, parts: usize, duration: Duration) -> HookRun {
        self.drop_partial_grant(parts);
        let mut output = merge(self.runs.iter().map(|it| &it.output));
        if output.decision() >= Decision::Ask {
            (output.stop_reason, output.rule) = self.why(output.decision());
        }
        output.system_message = self.messages();
        let mut failed = self
            .runs
            .iter_mut()
            .filter(|it| it.status == RunStatus::Failed);
        let error = failed.next().and_then(|it| it.error.take());
        HookRun {
            id: id.to_owned(),
            status: match error {
                Some(_) => RunStatus::Failed,
                None => RunStatus::Ran,
            },
            output,
            error,
            duration,
        }
    }

    /// Who allows one part says nothing of the others.
    fn drop_partial_grant(&mut self, parts: usize) {
        let granted = |run: &&mut HookRun| run.output.permission == Some(Permission::Grant);
        let count = self.runs.iter_mut().filter(granted).count();
        if count == parts {
            return;
        }
        for run in self.runs.iter_mut().filter(granted) {
            run.output.permission = None;
        }
        if let Some(first) = self.runs.first_mut().filter(|_| count > 0) {
            let warning = format!(
                "it allowed {count} of the {parts} parts of the call, so that the call is not allowed"
            );
            first.output.warnings.push(warning);
        }
    }

    /// The reasons of the strictest decision, each with its part, and the rule of the first.
    fn why(&self, strictest: Decision) -> (Option<String>, Option<String>) {
        let runs = self.runs.iter().zip(&self.about);
        let strictest = runs.filter(|(run, _)| run.decision() == strictest);
        let strictest: Vec<_> = strictest.collect();
        let rule = strictest
            .first()
            .and_then(|(run, _)| run.output.rule.clone());
        let mut reasons: Vec<String> = strictest
            .iter()
            .filter_map(|(run, about)| {
                Some(format!("{} ({about})", run.output.stop_reason.as_deref()?))
            })
            .collect();
        if let Some(more @ 1..) = reasons.len().checked_sub(MAX_REASONS) {
            reasons.truncate(MAX_REASONS);
            reasons.push(format!("The same holds for {more} more parts."));
        }
        ((!reasons.is_empty()).then(|| reasons.join("\n")), rule)
    }

    /// All messages for the person, each once.
    fn messages(&self) -> Option<String> {
        let mut messages: Vec<&str> = Vec::new();
        for message in self
            .runs
            .iter()
            .filter_map(|it| it.output.system_message.as_deref())
        {
            if !messages.contains(&message) && messages.len() < MAX_REASONS {
                messages.push(message);
            }
        }
        (!messages.is_empty()).then(|| messages.join("\n"))
    }
}

/// Which part it is: `part 2 of 3: Write of notes.md`.
fn described(part: &HookInput) -> String {
    let number = |name: &str| part.field("part")?.get(name)?.as_u64();
    let place = format!(
        "part {} of {}",
        number("number").unwrap_or_default(),
        number("of").unwrap_or_default()
    );
    let tool = part.tool_name().unwrap_or_default();
    match part.file_path() {
        Some(file) => format!("{place}: {} of {}", escape(tool), escape(&shortened(file))),
        None => format!("{place}: {}", escape(tool)),
    }
}
