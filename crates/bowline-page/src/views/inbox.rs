//! *Inbox*: the questions that wait for a person, and their answers.

use bowline_builtins::guard::call_of;
use bowline_builtins::inbox::{Preview, Question, SettingsChange, Unanswerable};
use bowline_daemon::approvals::{LONGEST_MESSAGE, Unsettled};
use chrono::{DateTime, Utc};
use maud::{Markup, html};
use serde_json::Value;

use crate::data::inbox::{Outcome, Planned};
use crate::text::{ago, brief, folder_name, json, key, length, link, prose, short_id, shown};

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

pub(crate) const fn told(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allowed => "Allowed: the call runs.",
        Outcome::AllowedInSession => {
            "Allowed: the call runs, and the guard says nothing to exactly this call in the rest of its session."
        }
        Outcome::AllowedAlways => {
            "Allowed: the call runs, and the guard says nothing to such a call any more."
        }
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
    let answers = answers(question, token);
    framed(question, &answers, now)
}

/// Where a question is in the inbox.
pub(crate) fn anchor(id: &str) -> String {
    format!("question-{}", short_id(id))
}

/// A question with all that a person needs to answer it, and below it what can be done.
fn framed(question: &Question, below: &Markup, now: DateTime<Utc>) -> Markup {
    let id = short_id(&question.id);
    let anchor = anchor(&question.id);
    let heading = format!("{anchor}-name");
    html! {
        article.question id=(anchor) aria-labelledby=(heading) {
            h2 id=(heading) {
                (brief(&question.tool, 40)) " in " (folder_name(&question.project))
                " " span.faint { "question " (id) }
            }
            (call(question))
            @if let Some(reason) = &question.reason { p.reason { (prose(reason)) } }
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
                div { dt { "Waits" } dd { (length(question.until - now)) " more; then the agent asks by itself"
                    @if let Some(why) = &question.cut_short { ". It waits " (shown(why)) }
                } }
            }
            (below)
        }
    }
}

fn answers(question: &Question, token: &str) -> Markup {
    let id = short_id(&question.id);
    html! {
            div.answers {
                form method="post" action="./answer" {
                    (fields(question, token))
                    button.primary name="say" value="once" { "Allow once" }
                    " " button name="say" value="session" { "Allow for the session" }
                    " " a.button href=(link("allow", &[("id", &question.id)])) { "Allow for good…" }
                }
                // A form of its own: the return key in its field must not press the button of the other one.
                form.deny method="post" action="./answer" {
                    (fields(question, token))
                    label for=(format!("message-{id}")) { "What the model is told if you deny it" }
                    input #{"message-" (id)} name="message" maxlength=(LONGEST_MESSAGE) autocomplete="off";
                    button.danger name="say" value="deny" { "Deny" }
                }
            }
    }
}

/// What allowing a call for good writes, before it is written.
pub(crate) fn plan(planned: &Planned, token: &str, now: DateTime<Utc>) -> Markup {
    let question = &planned.question;
    let below = html! {
        @match &planned.preview {
            Ok(preview) => (written(preview, question, token)),
            Err(refusal) => {
                p.notice role="status" { "This cannot be allowed for good: " (shown(&refusal.to_string())) "." }
            }
        }
        p { a href="./inbox" { "Back to the questions" } }
    };
    html! {
        h1 { "Allow for good" }
        (framed(question, &below, now))
    }
}

fn written(preview: &Preview, question: &Question, token: &str) -> Markup {
    html! {
        @if let Some(change) = &preview.change { (changed(change)) }
        p { "The guard is only silenced; nothing is granted, and whatever else is found still counts." }
        form method="post" action="./answer" {
            (fields(question, token))
            button.primary name="say" value="always" { "Allow for good" }
        }
    }
}

pub(crate) fn changed(change: &SettingsChange) -> Markup {
    let file = change.file.to_string_lossy();
    html! {
        @if change.lines.added.is_empty() {
            p { code { (shown(&file)) } " has the entry already." }
        } @else {
            p { "This is written to " code { (shown(&file)) } ", from line " (change.lines.line) " on:" }
            pre.code tabindex="0" { code {
                @for line in &change.lines.removed { span.removed { "- " (shown(line)) } }
                @for line in &change.lines.added { span.added { "+ " (shown(line)) } }
            } }
        }
    }
}

/// An answer that was not taken. The question still waits, unless it came too late.
pub(crate) fn refused(refusal: &Unsettled) -> Markup {
    let is_late = *refusal == Unsettled::Unanswerable(Unanswerable::KeptTooLate);
    html! {
        h1 { "Not answered" }
        p.notice role="status" { (shown(&refusal.to_string())) "." }
        @if !is_late { p { "The question still waits: it can be allowed once, or denied." } }
        p { a href="./inbox" { "Back to the questions" } }
    }
}

fn fields(question: &Question, token: &str) -> Markup {
    html! {
        input type="hidden" name="token" value=(token);
        input type="hidden" name="id" value=(key(&question.id));
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
