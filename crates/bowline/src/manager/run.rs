//! Runs one hook: time limit, cancellation, panics, failure policy. Whatever a hook does, the event continues.

use std::any::Any;
use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::time::Instant;

use super::parts::refuse_rewrite;
use super::{Candidate, HookManager, HookRun, RunStatus, Scope};
use crate::context::HookContext;
use crate::decision::Decision;
use crate::error::{Error, Result};
use bowline_guard::secrets::redact;

use crate::event::{EventClass, HookEvent};
use crate::hook::{Attempts, Hook, Match, OnFailure, Repeat, RunMode, RunPolicy};
use crate::input::HookInput;
use crate::opinion::Opinion;

/// Asks the hook whether it wants the event. One that panics when asked is run, so that its failure is
/// judged by its policy and not passed over.
pub(super) fn matches(hook: &dyn Hook, input: &HookInput) -> Match {
    catch_unwind(AssertUnwindSafe(|| hook.matches(input))).unwrap_or_else(|payload| {
        tracing::warn!(
            hook = hook.name(),
            panic = %redact(panic_text(&*payload)),
            "hook panicked in matches"
        );
        Match::Yes
    })
}

impl HookManager {
    pub(super) async fn run(
        &self,
        candidate: &Candidate,
        input: &HookInput,
        ctx: &HookContext,
    ) -> HookRun {
        let hook = &candidate.hook;
        let once = once(&candidate.policy);
        if once && !self.memory.claim(hook.name(), input) {
            return HookRun::skipped(hook.name(), "already ran once in this session");
        }
        if candidate.policy.mode == RunMode::Background {
            return self.start(candidate, input, ctx);
        }
        let run = match &candidate.scope {
            Scope::Whole => {
                let limit = self.limit(hook.as_ref());
                let mut run = self.run_once(candidate, limit, input, ctx).await;
                if input.part_count() > 1 {
                    refuse_rewrite(&mut run.output, input);
                }
                run
            }
            Scope::Parts(parts) => self.run_parts(candidate, parts, input, ctx).await,
        };
        if once && run.status == RunStatus::Failed {
            self.memory.release(hook.name(), input);
        }
        run
    }

    /// Runs a hook for one input, and once more where it gets another attempt.
    pub(super) async fn run_once(
        &self,
        candidate: &Candidate,
        limit: Duration,
        input: &HookInput,
        ctx: &HookContext,
    ) -> HookRun {
        let hook = candidate.hook.as_ref();
        let started = Instant::now();
        let mut result = attempt(hook, limit, input, ctx).await;
        if gets_another_attempt(&candidate.policy, &result) {
            result = attempt(hook, limit, input, ctx).await;
        }
        finished(candidate, input.event_type(), result, started.elapsed())
    }

    /// Lets a person answer a question, which is decided then. Says what was recorded of that.
    pub(super) async fn ask_a_person(
        &self,
        input: &HookInput,
        question: &mut Opinion,
        ctx: &HookContext,
    ) -> Option<HookRun> {
        let answerer = self.answerer.as_ref()?;
        let started = Instant::now();
        let asking = AssertUnwindSafe(answerer.answer(input, question, ctx)).catch_unwind();
        let answer = match asking.await {
            Ok(answer) => answer?,
            Err(payload) => {
                let panic = redact(panic_text(&*payload)).into_owned();
                tracing::warn!(answerer = answerer.name(), %panic, "nobody could be asked");
                return None;
            }
        };
        *question = answer.decide(std::mem::take(question));
        Some(HookRun {
            id: answerer.name().to_owned(),
            status: RunStatus::Ran,
            output: answer.recorded(),
            error: None,
            duration: started.elapsed(),
        })
    }

    /// Starts a background hook; what it says is of no consequence, and it does not end with the event.
    fn start(&self, candidate: &Candidate, input: &HookInput, ctx: &HookContext) -> HookRun {
        let hook = Arc::clone(&candidate.hook);
        let id = hook.name().to_owned();
        let limit = self.limit(hook.as_ref());
        let (input, scope) = (input.clone(), candidate.scope.clone());
        let ctx = (ctx.clone()).with_cancellation(self.background.cancellation());
        let (memory, once) = (Arc::clone(&self.memory), once(&candidate.policy));
        let (background, running) = (self.background.clone(), self.background.begin());
        tokio::spawn(async move {
            let _running = running;
            let started = Instant::now();
            let inputs: Box<dyn Iterator<Item = Cow<'_, HookInput>> + Send> = match &scope {
                Scope::Whole => Box::new(iter::once(Cow::Borrowed(&input))),
                Scope::Parts(parts) => Box::new(parts.iter().map(|index| input.part(*index))),
            };
            for part in inputs {
                let left = limit.saturating_sub(started.elapsed());
                if let Err(error) = attempt(hook.as_ref(), left, &part, &ctx).await {
                    let text = error.to_string();
                    tracing::warn!(hook = hook.name(), error = %redact(&text), "background hook failed");
                    background.tell(hook.name(), &error, &ctx);
                    if once {
                        memory.release(hook.name(), &input);
                    }
                }
            }
        });
        HookRun {
            id,
            status: RunStatus::Started,
            output: Opinion::allow(),
            error: None,
            duration: Duration::ZERO,
        }
    }

    /// Tells hooks what was decided; they cannot change the answer, nor delay it beyond their timeouts.
    pub(super) async fn tell_decided(
        &self,
        candidates: &[Candidate],
        input: &HookInput,
        output: &Opinion,
        ctx: &HookContext,
    ) {
        let mut waiting = Vec::new();
        for candidate in candidates {
            let hook = candidate.hook.as_ref();
            let telling = catch_unwind(AssertUnwindSafe(|| hook.decided(input, output, ctx)));
            let mut telling = match telling {
                Ok(telling) => AssertUnwindSafe(telling).catch_unwind(),
                Err(payload) => {
                    warn_of_panic(hook, &*payload);
                    continue;
                }
            };
            match first_poll(Pin::new(&mut telling)).await {
                Poll::Ready(told) => note_told(hook, told),
                Poll::Pending => waiting.push(async move {
                    match tokio::time::timeout(self.limit(hook), telling).await {
                        Ok(told) => note_told(hook, told),
                        Err(_) => {
                            tracing::warn!(hook = hook.name(), "hook took too long in decided");
                        }
                    }
                }),
            }
        }
        if !waiting.is_empty() {
            join_all(waiting).await;
        }
    }

    pub(super) fn limit(&self, hook: &dyn Hook) -> Duration {
        hook.timeout().min(self.timeout_cap)
    }
}

fn note_told(hook: &dyn Hook, told: std::thread::Result<()>) {
    if let Err(payload) = told {
        warn_of_panic(hook, &*payload);
    }
}

fn warn_of_panic(hook: &dyn Hook, payload: &(dyn Any + Send)) {
    tracing::warn!(
        hook = hook.name(),
        panic = %redact(panic_text(payload)),
        "hook panicked in decided"
    );
}

fn gets_another_attempt(policy: &RunPolicy, result: &Result<Opinion>) -> bool {
    let settled = |error: &Error| is_timeout(error) && policy.on_timeout.is_some();
    policy.attempts == Attempts::RetryOnce && result.as_ref().is_err_and(|error| !settled(error))
}

fn is_timeout(error: &Error) -> bool {
    matches!(error, Error::HookTimeout { .. })
}

fn once(policy: &RunPolicy) -> bool {
    policy.repeat == Repeat::OncePerSession
}

async fn attempt(
    hook: &dyn Hook,
    limit: Duration,
    input: &HookInput,
    ctx: &HookContext,
) -> Result<Opinion> {
    let name = || hook.name().to_owned();
    if ctx.cancellation_token.is_cancelled() {
        return Err(Error::HookCancelled { hook: name() });
    }
    let execution = AssertUnwindSafe(async { hook.opinion(input, ctx).await });
    let mut execution = pin!(execution.catch_unwind());
    let ended = match first_poll(execution.as_mut()).await {
        Poll::Ready(ended) => ended,
        Poll::Pending => tokio::select! {
            biased;
            () = ctx.cancellation_token.cancelled() => {
                return Err(Error::HookCancelled { hook: name() });
            }
            ended = tokio::time::timeout(limit, execution) => {
                ended.map_err(|_| Error::HookTimeout { hook: name(), after: limit })?
            }
        },
    };
    ended.unwrap_or_else(|payload| {
        Err(Error::HookPanicked {
            hook: name(),
            message: panic_text(&*payload).to_owned(),
        })
    })
}

/// Polls once. Most hooks only compute, and are done then: clocks and the like are for those that wait.
async fn first_poll<F: Future>(mut future: Pin<&mut F>) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

fn finished(
    candidate: &Candidate,
    event: HookEvent,
    result: Result<Opinion>,
    duration: Duration,
) -> HookRun {
    let id = candidate.hook.name().to_owned();
    let observes = candidate.policy.mode == RunMode::Observe;
    match result {
        Ok(output) => HookRun {
            id,
            status: RunStatus::Ran,
            output: if observes {
                without_decision(output)
            } else {
                output
            },
            error: None,
            duration,
        },
        Err(error) => {
            let policy = &candidate.policy;
            let on_failure = match policy.on_timeout {
                Some(on_timeout) if is_timeout(&error) => on_timeout,
                _ => policy.on_failure,
            };
            let error = error_naming(&id, error);
            tracing::warn!(hook = id, event = event.name(), error = %redact(&error), "hook failed");
            let class = event.class();
            let output = match (on_failure, class) {
                (OnFailure::Block, EventClass::Gate)
                | (OnFailure::BlockOrInstruct, EventClass::Gate | EventClass::Redirect)
                    if !observes =>
                {
                    Opinion::block(error.clone())
                }
                (OnFailure::Ask, EventClass::Gate) if !observes => Opinion::ask(error.clone()),
                _ => Opinion::allow().warning(error.clone()),
            };
            HookRun {
                id,
                status: RunStatus::Failed,
                output,
                error: Some(error),
                duration,
            }
        }
    }
}

/// The error's text, with the hook's name in it.
fn error_naming(hook: &str, error: Error) -> String {
    let text = error.to_string();
    if text.contains(&format!("`{hook}`")) {
        text
    } else {
        format!("hook `{hook}` failed: {text}")
    }
}

/// An observer adds context and messages; what it thinks of permission is not asked.
fn without_decision(output: Opinion) -> Opinion {
    let ignored = output.decision() != Decision::NoOpinion || output.updated_input.is_some();
    let output = Opinion {
        continue_execution: true,
        stop_reason: None,
        updated_input: None,
        permission: None,
        end_turn: None,
        ..output
    };
    if ignored {
        output.warning("an observer cannot decide: its decision was ignored")
    } else {
        output
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_hook_once() {
        let failed = Error::HookFailed {
            hook: "lint".to_owned(),
            reason: "no".to_owned(),
        };
        for (hook, error, expected) in [
            ("lint", failed, "hook `lint` failed: no"),
            // A short name occurs in many texts by chance.
            ("a", Error::other("a fan"), "hook `a` failed: a fan"),
        ] {
            assert_eq!(error_naming(hook, error), expected);
        }
    }
}
