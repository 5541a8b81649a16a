//! How the questions of one project get into the inbox, and how they are decided there.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bowline::hooks::{
    Answerer, HookContext, HookEvent, HookInput, Opinion, PersonsAnswer, PersonsVerdict,
};
use bowline::settings::FleetConfig;
use bowline_continuity::fleet::AgentStatus;
use bowline_guard::secrets::redact;
use bowline_store::INBOX;
use chrono::{DateTime, Local, Utc};

use super::lasting::{Case, Keeping};
use super::limit::{cut_short, longest_wait};
use super::{Extent, Inbox, Question, Reply, Said};
use crate::continuity::{Caller, Live, notify};
use crate::guard::{Guards, call_of};
use crate::recorder::subagent_of;
use crate::sanitise::sanitise;

/// A longer call, in bytes of JSON, is asked about by the agent alone: an inbox would show only a part of it.
const LONGEST: usize = 8_000;
/// What an agent waits for if it does not say so.
const USUAL_LIMIT: Duration = Duration::from_mins(1);

/// Lets the questions of a project wait in the inbox.
pub struct Door {
    /// Where they wait.
    pub inbox: Arc<Inbox>,
    /// For how long.
    pub wait: Duration,
    /// The project's folder.
    pub project: PathBuf,
    /// How a person learns of them.
    pub fleet: FleetConfig,
    /// What is known of sessions.
    pub live: Arc<Live>,
    /// The guards, which ask.
    pub(crate) guards: Arc<Guards>,
    /// Where a permission is kept that outlasts its call.
    pub(crate) keeping: Arc<Keeping>,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door")
            .field("wait", &self.wait)
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Answerer for Door {
    fn name(&self) -> &str {
        INBOX
    }

    async fn answer(
        &self,
        input: &HookInput,
        question: &Opinion,
        ctx: &HookContext,
    ) -> Option<PersonsAnswer> {
        if input.event_type() != HookEvent::PreToolUse {
            return None;
        }
        // Nobody shall allow what is not shown in full.
        let shown = input.call_input();
        let length = shown.as_deref().map_or(0, |it| it.to_string().len());
        if length > LONGEST {
            return None;
        }
        let agent_waits = Caller::waits(ctx).unwrap_or(USUAL_LIMIT);
        let limit = self.wait.min(longest_wait(agent_waits)?);
        let mut asked = self.question(input, question, ctx, limit)?;
        asked.cut_short = cut_short((self.wait, limit), &asked.agent, agent_waits);
        // The hook may be killed meanwhile, and then nobody could find its agent.
        let _process = Caller::process(ctx);
        let what = asked.reason.clone();
        let session = asked.session.clone();
        let before = self.live.status(&session);
        self.live
            .keep_status(&session, AgentStatus::Attention, what.clone());
        if self.fleet.notify {
            notify::attention(&self.project, what.as_deref(), ctx);
        }
        let case = Case {
            call: call_of(input.tool_name().unwrap_or_default(), shown.as_deref()),
            input: input.clone(),
            ctx: ctx.clone(),
            guards: Arc::clone(&self.guards),
            keeping: Arc::clone(&self.keeping),
        };
        let waiting = self.inbox.wait(asked, case, limit);
        let reply = tokio::select! {
            reply = waiting => reply,
            () = ctx.cancellation_token.cancelled() => None,
        };
        // Without an answer in time the agent asks by itself; one whose hook is gone does not.
        if reply.is_some() || ctx.cancellation_token.is_cancelled() {
            self.live.goes_on(&session, before);
        }
        Some(decided(reply?, question, Utc::now()))
    }
}

impl Door {
    fn question(
        &self,
        input: &HookInput,
        question: &Opinion,
        ctx: &HookContext,
        limit: Duration,
    ) -> Option<Question> {
        let asked_at = Utc::now();
        let reason = question.stop_reason.as_deref();
        Some(Question {
            id: short_id(ctx.call_id()?),
            asked_at,
            until: asked_at + limit,
            cut_short: None,
            agent: ctx.agent().unwrap_or_default().to_owned(),
            session: input.session_id.clone(),
            project: self.project.to_string_lossy().into_owned(),
            subagent: subagent_of(input).map(|it| it.id),
            tool: input.tool_name().unwrap_or_default().to_owned(),
            input: input
                .call_input()
                .as_deref()
                .map(sanitise)
                .unwrap_or_default(),
            tool_use_id: input.tool_use_id().map(str::to_owned),
            reason: reason.map(|it| redact(it).into_owned()),
            rule: question.rule.clone(),
        })
    }
}

/// Few letters that people can type. They come from the call's own name, so that an old one means no other question.
fn short_id(call: &str) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut hasher = DefaultHasher::new();
    call.hash(&mut hasher);
    let mut number = hasher.finish();
    let mut id = String::new();
    for _ in 0..5 {
        let at = usize::try_from(number % 32).unwrap_or_default();
        id.extend(LETTERS.get(at).map(|letter| char::from(*letter)));
        number /= 32;
    }
    id
}

fn decided(reply: Reply, question: &Opinion, at: DateTime<Utc>) -> PersonsAnswer {
    let time = at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S %:z");
    let by = format!("by {} at {time}, {}", reply.by.name, reply.by.place);
    let (verdict, did) = match reply.said {
        Said::Allow(extent) => {
            let reach = match extent {
                Extent::Once => "",
                Extent::Session => ", also again in this session",
                Extent::Always => ", for good",
            };
            (PersonsVerdict::Allow, format!("allowed {by}{reach}"))
        }
        Said::Deny(message) => {
            let message = message.filter(|it| !it.trim().is_empty());
            let reason = question.stop_reason.as_deref().unwrap_or_default();
            let told = match message {
                Some(message) => format!("A person denied this: {}", redact(&message)),
                None => format!("A person denied this. It was asked about, because: {reason}"),
            };
            let verdict = PersonsVerdict::Deny { message: told };
            (verdict, format!("denied {by}"))
        }
    };
    PersonsAnswer { verdict, note: did }
}

#[cfg(test)]
mod tests {
    use bowline::settings::{self, Locations};
    use serde_json::json;

    use super::*;
    use crate::machine::Machine;
    use crate::{Builtins, SharedState};

    #[tokio::test(start_paused = true)]
    async fn what_cannot_be_shown_in_full_does_not_wait() {
        let folder = tempfile::tempdir().unwrap();
        let locations = Locations::under(folder.path());
        let mut shared = SharedState::new(Machine::from_env());
        shared.inbox = Some(Arc::default());
        let mut settings = settings::load(folder.path(), &locations);
        settings.config.approvals.wait = settings::Wait::For(Duration::from_mins(2));
        let guards = Builtins::new(&settings, &shared).guards;
        let door = shared.door(&settings, &guards, &locations).unwrap();
        for (length, came) in [(100, true), (LONGEST, false)] {
            let input = json!({"command": "x".repeat(length)});
            let input = HookInput::pre_tool_use("s1", "Bash", input);
            let ctx = HookContext::new("s1").with_call_id(format!("call-{length}"));
            let before = *door.inbox.changes().borrow();
            // Nobody answers.
            let answer = door.answer(&input, &Opinion::ask("why"), &ctx).await;
            assert_eq!(answer, None);
            assert_eq!(*door.inbox.changes().borrow() > before, came, "{length}");
        }
    }
}
