//! Remembers failures of tools, and what put an end to them.

use std::sync::Arc;

use async_trait::async_trait;
use bowline::hooks::{Hook, HookContext, HookEvent, HookInput, Opinion, RunPolicy};
use bowline_agents::Tool;
use bowline_guidance::failure::{self, FailureKey};
use bowline_store::{Change, FailedCall, Failure, FailureRef};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Ground;
use crate::assemble::BuiltinHook;
use crate::caught_up::catch_up;
use crate::recorder::digest::digest;
use crate::recorder::{Ended, add_change, ended, kept_call, kept_failure, subject_of};

const NAME: &str = "errors";
const SUMMARY: &str = "remembers failures, and tells an agent what put an end to one before";

/// So many failures of a session wait for their end.
const MAX_OPEN: usize = 8;
/// So much of what was done between a failure and its end is kept.
const MAX_BETWEEN: usize = 3;

#[derive(Debug)]
pub(super) struct Errors {
    ground: Arc<Ground>,
}

/// The failures of a session that nothing has put an end to yet.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Open {
    failures: Vec<OpenFailure>,
}

#[derive(Debug, Serialize, Deserialize)]
struct OpenFailure {
    failure: FailureRef,
    /// What the call was about: a program, or a file. A later call about the same that goes well puts an end to it.
    about: String,
    call: Option<String>,
    between: Vec<String>,
}

/// A call, as far as failures are concerned.
struct Call {
    tool: String,
    kind: Tool,
    about: String,
    /// On one line, as far as it is kept.
    shown: Option<String>,
}

impl Errors {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let is_on = ground.config.errors.memory && ground.memory.store().is_some();
        let ground = Arc::clone(ground);
        is_on.then(|| BuiltinHook::of_all_tools(Self { ground }, SUMMARY))
    }

    fn call(&self, input: &HookInput) -> Option<Call> {
        let tool = input.tool_name()?;
        let kind = Tool::named(tool);
        let subject = subject_of(input);
        let about = if kind.runs_a_shell() {
            failure::program_of(&subject)
        } else {
            input.file_path().unwrap_or_default().to_owned()
        };
        let keep = self.ground.config.record;
        Some(Call {
            tool: tool.to_owned(),
            kind,
            about,
            shown: kept_call(keep, &failure::call(tool, &subject)),
        })
    }

    fn failed(&self, call: Call, message: &str, input: &HookInput, ctx: &HookContext) -> Opinion {
        let key = FailureKey::of(message);
        let failure = FailureRef {
            project: self.ground.root.to_string_lossy().into_owned(),
            tool: call.tool.clone(),
            signature: digest(&Value::String(key.signature)),
            beginning: digest(&Value::String(key.beginning)),
        };
        let known = self.known(&failure, ctx);
        let config = &self.ground.config;
        add_change(
            ctx,
            Change::Failed(FailedCall {
                failure: failure.clone(),
                message: kept_failure(config.record, &failure::telling(message)),
                follow_up_after: config.errors.follow_up_after,
            }),
        );
        self.ground
            .memory
            .of_session(NAME, input, ctx, |open: &mut Open| open.add(failure, call));
        known.map_or_else(Opinion::allow, |known| self.tell(&known, input, ctx))
    }

    /// What the store knows of it from before.
    fn known(&self, failure: &FailureRef, ctx: &HookContext) -> Option<Failure> {
        let store = self.ground.memory.store()?;
        catch_up(store.as_ref(), ctx);
        match store.failures().known(failure) {
            Ok(known) => known,
            Err(error) => {
                tracing::debug!("whether this failed before is not known: {error}");
                None
            }
        }
    }

    fn tell(&self, known: &Failure, input: &HookInput, ctx: &HookContext) -> Opinion {
        let advice = &self.ground.advice;
        let mut opinion = Opinion::allow();
        let id = known.id.to_string();
        if let Some(fix) = &known.fixed_by {
            let values = [("id", id.as_str()), ("fix", fix)];
            let said = advice.once(input, ctx, &failure::FIXED_BEFORE, &id, &values);
            opinion = said.into_iter().fold(opinion, Opinion::context);
        }
        let count = known.count + 1;
        let after = u64::from(self.ground.config.errors.follow_up_after);
        if known.follow_up.is_none() && count >= after {
            let count = count.to_string();
            let values = [("tool", known.tool.as_str()), ("count", &count)];
            let said = advice.once(input, ctx, &failure::FOLLOW_UP, &id, &values);
            opinion = said.into_iter().fold(opinion, Opinion::context);
        }
        opinion
    }

    fn went_well(&self, call: &Call, input: &HookInput, ctx: &HookContext) {
        let ended = self
            .ground
            .memory
            .of_session(NAME, input, ctx, |open: &mut Open| open.went_well(call));
        for ended in ended {
            let fix = ended.call.as_deref().zip(call.shown.as_deref());
            let by = fix.map(|(failed, well)| failure::fix(failed, well, &ended.between));
            let failure = ended.failure;
            add_change(ctx, Change::FailureFixed { failure, by });
        }
    }
}

impl Open {
    fn add(&mut self, failure: FailureRef, call: Call) {
        self.failures.retain(|open| open.failure != failure);
        if self.failures.len() >= MAX_OPEN {
            self.failures.remove(0);
        }
        self.failures.push(OpenFailure {
            failure,
            about: call.about,
            call: call.shown,
            between: Vec::new(),
        });
    }

    /// The failures that this puts an end to. For the others it is something that was done meanwhile.
    fn went_well(&mut self, call: &Call) -> Vec<OpenFailure> {
        let (ended, mut open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.failures)
            .into_iter()
            .partition(|open| open.failure.tool == call.tool && open.about == call.about);
        for open in &mut open {
            open.note(call);
        }
        self.failures = open;
        ended
    }
}

impl OpenFailure {
    fn note(&mut self, call: &Call) {
        let is_of_a_file = Tool::named(&self.failure.tool).is_for_files();
        let may_help = call.kind.runs_a_shell()
            || call.kind.changes_a_file()
            || (is_of_a_file && call.kind == Tool::Read);
        let Some(shown) = call.shown.as_ref().filter(|_| may_help) else {
            return;
        };
        self.between.retain(|before| before != shown);
        if self.between.len() >= MAX_BETWEEN {
            self.between.remove(0);
        }
        self.between.push(shown.clone());
    }
}

#[async_trait]
impl Hook for Errors {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PostToolUse, HookEvent::PostToolUseFailure]
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::observer().whole()
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let Some(call) = self.call(input) else {
            return Ok(Opinion::allow());
        };
        Ok(match ended(input) {
            Ended::Failed(message) => self.failed(call, &message, input, ctx),
            Ended::Well => {
                self.went_well(&call, input, ctx);
                Opinion::allow()
            }
            Ended::Unknown => Opinion::allow(),
        })
    }
}
