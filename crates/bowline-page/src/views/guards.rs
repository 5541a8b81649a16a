//! *Guards*: what was stopped, by which rule, and what to do about a false alarm.

use bowline_daemon::rpc::traces::told;
use bowline_guard::rules;
use bowline_store::{Enforcement, RecordedEvent};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::costs::periods;
use super::parts::{commands, decision, project, session};
use crate::data::call::ways;
use crate::data::guards::{Guards, Stopped, StoppedCall};
use crate::text::{ago, argument, brief, counted, json, link, shown};

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
                            None => span.faint { "a hook without a rule" },
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
        p.summary { (counted(stopped.calls.len(), "call")) ", the last first" }
        @for call in &stopped.calls { (stopped_call(call, token, now)) }
    }
}

fn stopped_call(stopped: &StoppedCall, token: &str, now: DateTime<Utc>) -> Markup {
    let event = &stopped.event;
    let decided = &event.decided;
    let id = brief(&decided.id, 64);
    let heading = format!("stopped-{id}-name");
    let (mark, text) = if stopped.is_false_alarm {
        ("none", "It was no false alarm")
    } else {
        ("false-alarm", "This was a false alarm")
    };
    html! {
        article.question id=(format!("stopped-{id}")) aria-labelledby=(heading) {
            h2 id=(heading) {
                (decision(decided.decision, decided.enforcement)) " " (call(event))
                @if stopped.is_false_alarm { " " span.state.attention { "false alarm" } }
            }
            @if let Some(reason) = &decided.reason { p { (shown(reason)) } }
            dl.facts {
                div { dt { "When" } dd { (ago(decided.time, now)) } }
                div { dt { "Project" } dd { (project(decided.project.as_deref())) } }
                div { dt { "Session" } dd { (session(&decided.session)) } }
            }
            @if let Some(folder) = &decided.project {
                form method="post" action="./mark" {
                    input type="hidden" name="token" value=(token);
                    input type="hidden" name="project" value=(folder);
                    input type="hidden" name="event" value=(decided.id);
                    input type="hidden" name="rule" value=(decided.rule.as_deref().unwrap_or_default());
                    button name="mark" value=(mark) { (text) }
                }
            }
            @if stopped.is_false_alarm { (remedies(event)) }
        }
    }
}

/// How a false alarm becomes an entry in the allow-list or a test.
fn remedies(event: &RecordedEvent) -> Markup {
    let ways = ways(event, event.input.as_ref());
    html! {
        @if ways.is_empty() {
            p { "No rule of the guard stopped it. What your own rules and hooks stop is changed in their files: "
                code { "bowline hooks" } " lists them." }
        } @else {
            h3 { "Let it pass" }
            (commands(&ways))
        }
        @if let Some(test) = test_case(event) {
            h3 { "Keep it as a test" }
            p { "This shows what is decided about it now, and exits with 1 if it is stopped:" }
            pre.code tabindex="0" { code { (test) } }
        }
    }
}

fn test_case(event: &RecordedEvent) -> Option<String> {
    let tool = event.decided.tool.as_deref()?;
    let input = json(event.input.as_ref()?);
    let compact = serde_json::from_str::<serde_json::Value>(&input).ok()?;
    let (tool, input) = (argument(tool), argument(&compact.to_string()));
    Some(shown(&format!(
        "bowline test PreToolUse --tool {tool} --input {input}"
    )))
}
