//! *Guards*: what was stopped, by which rule, and what to do about a false alarm.

use bowline::hooks::Decision;
use bowline_builtins::guard::ways;
use bowline_daemon::rpc::traces::told;
use bowline_guard::rules;
use bowline_store::{DecisionFilter, Enforcement, RecordedEvent, RuleDigest};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::costs::periods;
use super::parts::{commands, decision, project, session};
use super::unmet::unmet;
use crate::data::guards::{Guards, Stopped, StoppedCall};
use crate::text::{ago, brief, counted, key, link, prose};

pub(crate) fn view(guards: &Guards, now: DateTime<Utc>) -> Markup {
    html! {
        h1 { "Guards" }
        (periods(guards.period, "guards"))
        @if guards.rules.is_empty() {
            p { "Nothing was stopped in this time." }
        } @else {
            table.cards role="table" {
                caption.hidden { "What was stopped, by rule" }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { "Rule" }
                    th role="columnheader" scope="col" { "Decision" }
                    th.number role="columnheader" scope="col" { "Times" }
                    th role="columnheader" scope="col" { "What became of it" }
                    th role="columnheader" scope="col" { "Last" }
                } }
                tbody role="rowgroup" { @for rule in &guards.rules { tr role="row" {
                    td role="cell" data-label="Rule" {
                        @match &rule.rule {
                            Some(id) => a href=(link("guards", &[("rule", id)])) { (brief(id, 80)) },
                            None => a href=(link("timeline", &[("decision", word(rule))])) { "hooks without a rule" },
                        }
                    }
                    td role="cell" data-label="Decision" { (decision(rule.decision, rule.enforcement)) }
                    td.number role="cell" data-label="Times" { (rule.count) }
                    td role="cell" data-label="What became of it" {
                        @if rule.enforcement == Enforcement::Enforced && rule.answers.ran + rule.answers.refused > 0 {
                            (rule.answers.ran) " ran, " (rule.answers.refused) " refused"
                        }
                    }
                    td role="cell" data-label="Last" { (ago(rule.last.decided.time, now)) " " (call(&rule.last)) }
                } } }
            }
        }
    }
}

/// The filter that finds what was decided like this.
fn word(rule: &RuleDigest) -> &'static str {
    let decision = match (rule.enforcement, rule.decision) {
        (Enforcement::Observed, _) => DecisionFilter::Observed,
        (_, Decision::Deny) => DecisionFilter::Deny,
        _ => DecisionFilter::Ask,
    };
    decision.word()
}

fn call(event: &RecordedEvent) -> Markup {
    let decided = &event.decided;
    let tool = brief(decided.tool.as_deref().unwrap_or(&decided.event), 40);
    html! {
        @match &decided.tool_use_id {
            Some(id) => a href=(link("call", &[("id", id)])) { (tool) },
            None => (tool),
        }
        " " code { (brief(&told(event.input.as_ref()), 160)) }
    }
}

/// What one rule stopped.
pub(crate) fn rule(stopped: &Stopped, token: &str, now: DateTime<Utc>) -> Markup {
    let rule = rules::rules().into_iter().find(|it| it.id == stopped.rule);
    html! {
        h1 { "Rule " code { (brief(&stopped.rule, 80)) } }
        p { a href="./guards" { "All rules" } }
        @if let Some(rule) = rule { p { (rule.summary) } }
        @match &stopped.unmet {
            Some(name) => (unmet(std::slice::from_ref(name), |_, name| link("guards", &[("rule", name)]))),
            None if stopped.calls.is_empty() => p { "It has stopped nothing that is still recorded." },
            None => p.summary { (counted(stopped.calls.len(), "call")) ", the last first" },
        }
        @for call in &stopped.calls { (stopped_call(call, token, now)) }
    }
}

fn stopped_call(call: &StoppedCall, token: &str, now: DateTime<Utc>) -> Markup {
    let event = &call.event;
    let about = match &event.decided.tool_use_id {
        Some(id) if call.is_false_alarm => html! {
            p { a href=(link("false-alarm", &[("id", id), ("event", &event.decided.id)])) { "How the like of it can pass" } }
        },
        None if call.is_false_alarm => without_call(event),
        _ => html! {},
    };
    stopped(call, token, now, &about)
}

/// The name of a stopped call in its view.
pub(crate) fn anchor(event: &str) -> String {
    format!("stopped-{}", brief(event, 64))
}

/// One call that was stopped, whether it was a false alarm, and what else there is to say.
pub(crate) fn stopped(
    stopped: &StoppedCall,
    token: &str,
    now: DateTime<Utc>,
    more: &Markup,
) -> Markup {
    let event = &stopped.event;
    let decided = &event.decided;
    let anchor = anchor(&decided.id);
    let heading = format!("{anchor}-name");
    let (mark, text) = if stopped.is_false_alarm {
        ("none", "It was no false alarm")
    } else {
        ("false-alarm", "This was a false alarm")
    };
    html! {
        article.question id=(anchor) aria-labelledby=(heading) {
            h2 id=(heading) {
                (decision(decided.decision, decided.enforcement)) " " (call(event))
                @if stopped.is_false_alarm { " " span.state.attention { "false alarm" } }
            }
            @if let Some(reason) = &decided.reason { p { (prose(reason)) } }
            dl.facts {
                div { dt { "When" } dd { (ago(decided.time, now)) } }
                div { dt { "Project" } dd { (project(decided.project.as_deref())) } }
                div { dt { "Session" } dd { (session(&decided.session)) } }
            }
            (more)
            @if let Some(folder) = &decided.project {
                form method="post" action="./mark" {
                    input type="hidden" name="token" value=(token);
                    input type="hidden" name="project" value=(key(folder));
                    input type="hidden" name="event" value=(key(&decided.id));
                    input type="hidden" name="call" value=(key(decided.tool_use_id.as_deref().unwrap_or_default()));
                    input type="hidden" name="rule" value=(key(decided.rule.as_deref().unwrap_or_default()));
                    button name="mark" value=(mark) { (text) }
                }
            }
        }
    }
}

/// What can be done about an event that is about no call.
fn without_call(event: &RecordedEvent) -> Markup {
    let ways = ways(&event.decided, event.input.as_ref());
    html! {
        @if ways.is_empty() {
            p { "No rule of the guard stopped it. What your own rules and hooks stop is changed in their files: "
                code { "bowline hooks" } " lists them." }
        } @else {
            (commands(&ways))
        }
    }
}
