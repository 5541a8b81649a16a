//! *Inbox*: the questions that wait for a person, and their answers.

use bowline_builtins::guard::call_of;
use bowline_builtins::inbox::Question;
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde_json::Value;

use crate::data::inbox::Outcome;
use crate::text::{ago, brief, folder_name, json, length, link, short_id, shown};

pub(crate) fn view(
    questions: &[Question],
    outcome: Option<Outcome>,
    token: &str,
    now: DateTime<Utc>,
) -> Markup {
    html! {
        h1 { "Inbox" }
        @if let Some(outcome) = outcome { p.notice role="status" { (told(outcome)) } }
        @if questions.is_empty() {
            p { "No question waits." }
            p.faint {
                "With " code { "[approvals] wait = \"2m\"" } " in the settings, what the guard or a rule asks about waits here "
                "before the agent asks it itself."
            }
        }
        @for question in questions { (asks(question, token, now)) }
    }
}

const fn told(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allowed => "Allowed: the call runs.",
        Outcome::Denied => "Denied: the call does not run, and the model is told.",
        Outcome::Gone => {
            "This question does not wait any more: it was answered, its time is over, or its agent ended."
        }
        Outcome::Unclear => "Nothing was answered: the form did not say what is meant.",
    }
}

/// What is asked about, to the letter but for secrets.
pub(crate) fn asked(question: &Question) -> String {
    call_of(&question.tool, Some(&question.input)).what
}

fn asks(question: &Question, token: &str, now: DateTime<Utc>) -> Markup {
    let id = short_id(&question.id);
    let heading = format!("question-{id}-name");
    html! {
        article.question id=(format!("question-{id}")) aria-labelledby=(heading) {
            h2 id=(heading) {
                (brief(&question.tool, 40)) " in " (folder_name(&question.project))
                " " span.faint { "question " (id) }
            }
            (call(question))
            @if let Some(reason) = &question.reason { p.reason { (shown(reason)) } }
            dl.facts {
                @if let Some(rule) = &question.rule {
                    div { dt { "Rule" } dd { code { (shown(rule)) } } }
                }
                div { dt { "Agent" } dd {
                    (shown(&question.agent)) ", session "
                    a href=(link("session", &[("session", &question.session)])) { (short_id(&question.session)) }
                    @if let Some(subagent) = &question.subagent { ", sub-agent " (short_id(subagent)) }
                } }
                div { dt { "Project" } dd { (shown(&question.project)) } }
                div { dt { "Asked" } dd { (ago(question.asked_at, now)) } }
                div { dt { "Waits" } dd { (length(question.until - now)) " more; then the agent asks by itself" } }
            }
            div.answers {
                form method="post" action="./answer" {
                    (fields(question, token))
                    button.primary name="say" value="once" { "Allow once" }
                }
                // A form of its own: the return key in its field must not press the button of the other one.
                form.deny method="post" action="./answer" {
                    (fields(question, token))
                    label for=(format!("message-{id}")) { "What the model is told if you deny it" }
                    input #{"message-" (id)} name="message" maxlength="4000" autocomplete="off";
                    button.danger name="say" value="deny" { "Deny" }
                }
            }
        }
    }
}

fn fields(question: &Question, token: &str) -> Markup {
    html! {
        input type="hidden" name="token" value=(token);
        input type="hidden" name="id" value=(question.id);
    }
}

fn call(question: &Question) -> Markup {
    let what = asked(question);
    let others = match &question.input {
        Value::Object(fields) if fields.get("command").and_then(Value::as_str) == Some(&what) => {
            let mut others = fields.clone();
            others.shift_remove("command");
            (!others.is_empty()).then_some(Value::Object(others))
        }
        // The whole input is shown as it is.
        _ => None,
    };
    let is_command = question.input.get("command").and_then(Value::as_str) == Some(&what);
    html! {
        pre.code tabindex="0" { code {
            @if is_command { (shown(&what)) } @else { (json(&question.input)) }
        } }
        @if let Some(others) = others {
            details {
                summary { "The rest of its input" }
                pre.code tabindex="0" { code { (json(&others)) } }
            }
        }
    }
}
