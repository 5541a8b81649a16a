//! *False alarm*: a call that was stopped, and what a person can do so that its like passes.

use bowline::hooks::Decision;
use bowline_builtins::false_alarm::{NoRemedy, Remedy};
use bowline_builtins::rule::{Exception, NoException};
use bowline_store::RecordedEvent;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::guards::stopped;
use super::inbox::changed;
use super::parts::{commands, copyable};
use crate::data::false_alarm::{Aid, Alarm, NoAid, Test};
use crate::data::guards::StoppedCall;
use crate::text::{key, link, shown};

/// What became of the last thing that was done here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    Nothing,
    /// The entry was written.
    Allowed,
}

pub(crate) fn view(alarm: &Alarm, done: Done, token: &str, now: DateTime<Utc>) -> Markup {
    let rule = alarm.event.decided.rule.as_deref();
    let call = StoppedCall {
        event: alarm.event.clone(),
        is_false_alarm: alarm.aid.is_some(),
    };
    html! {
        h1 { "False alarm" @if alarm.aid.is_none() { "?" } }
        @if done == Done::Allowed { p.notice role="status" { "Written: the guard says nothing to such a call any more." } }
        (stopped(&call, token, now, &html! {}))
        @if let Some(aid) = &alarm.aid { (aided(alarm, aid, token)) }
        @if let Some(rule) = rule { p { a href=(link("guards", &[("rule", rule)])) { "All that " code { (shown(rule)) } " stopped" } } }
    }
}

/// The entry cannot be written.
pub(crate) fn refused(why: &NoAid) -> Markup {
    html! {
        h1 { "Not allowed" }
        (no_aid(why))
        p { a href="./guards" { "What was stopped, by rule" } }
    }
}

fn aided(alarm: &Alarm, aid: &Aid, token: &str) -> Markup {
    html! {
        h2 { "Let it pass from now on" }
        @match &aid.remedy {
            Ok(Remedy::Entry(change)) => {
                (changed(change))
                p { "The guard is only silenced; nothing is granted, and whatever else is found still counts." }
                form method="post" action="./false-alarm" {
                    input type="hidden" name="token" value=(token);
                    input type="hidden" name="id" value=(key(&alarm.call));
                    input type="hidden" name="event" value=(key(&alarm.event.decided.id));
                    button.primary { "Allow for good" }
                }
            },
            Ok(Remedy::Rule(rule)) => (exception(rule, aid.test.as_ref())),
            Ok(_) => {},
            Err(NoAid::No(NoRemedy::Hook)) => (of_hooks(&alarm.event)),
            Err(why) => (no_aid(why)),
        }
        @if !aid.ways.is_empty() {
            h3 { "In a terminal of yours" }
            (commands(&aid.ways))
        }
        @if let Some(test) = &aid.test {
            h2 #keep { "Keep it as a test" }
            p { "A line for a file of cases that must pass:" }
            (copyable(&test.case))
            p { "Run all of them whenever rules or settings change. It exits with 1 if one comes out differently:" }
            (copyable(&test.of_all))
            p { "Or fire this call once, at all hooks of the project. They run for real; the call does not. It exits with 1 if it is stopped:" }
            (copyable(&test.of_call))
        }
    }
}

fn exception(rule: &Exception, test: Option<&Test>) -> Markup {
    let file = rule.file.to_string_lossy();
    html! {
        p {
            "This rule is your own, so that nothing silences it. Put this in its place in " code { (shown(&file)) } ", line " (rule.line)
            ". It is the same rule, but leaves this call alone:"
        }
        (copyable(&rule.text))
        p { code { "bowline check" } " tells whether the file is right, and whether the examples of the rule hold." }
        @if test.is_some() { p { "Then look whether the call passes: " a href="#keep" { "keep it as a test" } "." } }
    }
}

/// Hooks that stopped it by themselves.
fn of_hooks(event: &RecordedEvent) -> Markup {
    let hooks = event.decided.hooks.iter();
    let stopped = hooks.filter(|hook| hook.decision >= Decision::Ask);
    html! {
        p.notice {
            "No rule stopped this call, but" @for hook in stopped { " " code { (shown(&hook.name)) } "," }
            " a hook that decides by itself. Change it where it is: " code { "bowline hooks" } " names its file."
        }
    }
}

fn no_aid(why: &NoAid) -> Markup {
    html! {
        p.notice {
            @match why {
                NoAid::NotKept => "This call was not kept word for word, so that nothing can be written for it alone. Secrets and very long texts are not recorded.",
                NoAid::Unseen => "This call has characters that nobody sees. Write an exception by hand.",
                NoAid::No(NoRemedy::Passes) => "The guard lets this call pass now: it was allowed since, or what it would have taken away is gone.",
                NoAid::No(NoRemedy::NoException(NoException::Silent(_))) => "Your rule does not apply to this call now.",
                NoAid::No(why) => { (sentence(&why.to_string())) },
            }
        }
    }
}

/// A reason as a sentence.
fn sentence(text: &str) -> String {
    let mut chars = shown(text).chars().collect::<Vec<_>>().into_iter();
    let first = chars.next().map(|it| it.to_uppercase().to_string());
    let rest: String = chars.collect();
    format!(
        "{}{}.",
        first.unwrap_or_default(),
        rest.trim_end_matches('.')
    )
}
