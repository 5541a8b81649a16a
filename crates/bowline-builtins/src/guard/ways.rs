//! The commands by which a person lets a call pass that one of the guard's rules stopped.

use bowline::hooks::{Decision, HookContext, Opinion, Recording, TriggerResult};
use bowline::settings::AllowedCall;
use bowline_agents::shell_word;
use bowline_guard::effect::Category;
use bowline_guard::rules;
use bowline_guard::secrets::redact;
use bowline_store::DecidedEvent;
use serde::Serialize;
use serde_json::Value;

use super::{SECRET_WRITING, call_of};

/// The placeholders for what was not recorded.
const NOT_KEPT: &[&str] = &["[REDACTED", "left out]", "[left out"];

/// So much of a session's name tells it from the others.
const BEGINNING: usize = 12;

/// A command that lets something pass, and what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Way {
    /// The command.
    pub command: String,
    /// What it lets pass, for people.
    pub effect: &'static str,
}

/// The commands that let a call pass, the narrowest first; none where no rule of the guard stopped it. The input is as it was recorded.
pub fn ways(event: &DecidedEvent, input: Option<&Value>) -> Vec<Way> {
    let is_stopped = event.decision >= Decision::Ask;
    let counts = |id: &&str| is_stopped && can_be_silenced(id);
    let Some(rule) = event.rule.as_deref().filter(counts) else {
        return Vec::new();
    };
    let mut ways = Vec::new();
    let mut add = |command: String, effect| ways.push(Way { command, effect });
    let tool = event.tool.as_deref().unwrap_or_default();
    if input.and_then(|input| exact_call(tool, input)).is_some() {
        let id = &event.id;
        add(format!("bowline allow {id} --once"), "this call, one time");
        add(format!("bowline allow {id}"), "this call in its project");
    }
    let in_session = |name: &str| format!("bowline allow {rule} --session={}", shell_word(name));
    // A name that looks like a secret would not be shown. Its beginning is enough.
    let beginning: String = event.session.chars().take(BEGINNING).collect();
    let mut commands = [event.session.as_str(), &beginning]
        .map(in_session)
        .into_iter();
    if let Some(command) = commands.find(|it| redact(it) == *it)
        && !event.session.is_empty()
    {
        add(
            command,
            "all that this rule finds, in the session of this call",
        );
    }
    add(
        format!("bowline allow {rule}"),
        "all that this rule finds, in the project that you are in",
    );
    ways
}

/// What a person is told who may let a denied call pass.
pub fn told_way(call: &str) -> String {
    format!(
        "Bowline denied this. To allow it, in a terminal: bowline allow {call} (bowline why tells more)"
    )
}

/// Adds a line for the person only: how to let a denied call pass. A call that is not recorded cannot be named.
pub(super) fn with_way(denial: Opinion, ctx: &HookContext) -> Opinion {
    match ctx.call_id() {
        Some(call) if ctx.recording() == Recording::On => denial.system_message(told_way(call)),
        _ => denial,
    }
}

/// Adds the same line to a guard's question that was denied because its agent cannot ask it.
pub fn add_way(result: &mut TriggerResult, ctx: &HookContext) {
    let said = |wanted| {
        let mut said = result.results.iter().map(|run| run.output.decision());
        said.any(|decision| decision == wanted)
    };
    let is_unasked =
        result.output.decision() == Decision::Deny && said(Decision::Ask) && !said(Decision::Deny);
    let rule = result.output.rule.as_deref().filter(|_| is_unasked);
    if rule.is_some_and(can_be_silenced) {
        let denial = std::mem::take(&mut result.output);
        result.output = with_way(denial, ctx);
    }
}

/// Whether a person may let pass what a rule stops.
pub fn can_be_silenced(rule: &str) -> bool {
    is_rule(rule) && !guards_itself(rule)
}

/// A call to the letter, if all of its input was recorded.
pub fn exact_call(tool: &str, input: &Value) -> Option<AllowedCall> {
    let exact = call_of(tool, Some(input));
    let is_whole = !NOT_KEPT.iter().any(|mark| exact.what.contains(mark));
    is_whole.then_some(exact)
}

/// Whether the guard has a rule of this name.
pub fn is_rule(id: &str) -> bool {
    id == SECRET_WRITING || rules::rules().iter().any(|rule| rule.id == id)
}

/// Whether a rule protects Bowline itself, so that it cannot be silenced.
pub fn guards_itself(id: &str) -> bool {
    let mut rules = rules::rules().into_iter();
    rules.any(|rule| rule.id == id && rule.category == Category::OwnSettings)
}

#[cfg(test)]
mod tests {
    use bowline_store::Record;
    use chrono::Utc;
    use serde_json::json;

    use super::*;

    const FORCE: &str = "git.push-force";

    #[test]
    fn what_can_be_allowed_is_offered_the_narrowest_first() {
        let push = json!({"command": "git push -f"});
        let cut = json!({"command": "X=[REDACTED] git push -f"});
        let once = "bowline allow e1 --once";
        let call = "bowline allow e1";
        let session = "bowline allow git.push-force --session='s 1'";
        let rule = "bowline allow git.push-force";
        for (decision, id, of, input, expected) in [
            (
                Decision::Deny,
                Some(FORCE),
                "s 1",
                Some(&push),
                &[once, call, session, rule][..],
            ),
            (
                Decision::Ask,
                Some(FORCE),
                "",
                Some(&push),
                &[once, call, rule],
            ),
            (
                Decision::Deny,
                Some(FORCE),
                "s 1",
                Some(&cut),
                &[session, rule],
            ),
            (Decision::Deny, Some(FORCE), "", None, &[rule]),
            (Decision::NoOpinion, Some(FORCE), "s 1", Some(&push), &[]),
            (
                Decision::Deny,
                Some("self.settings"),
                "s 1",
                Some(&push),
                &[],
            ),
            (Decision::Deny, Some("my-own-rule"), "s 1", Some(&push), &[]),
            (Decision::Deny, None, "s 1", Some(&push), &[]),
        ] {
            let mut event = Record::new("e1", Utc::now(), "codex", "PreToolUse", of).decided;
            event.tool = Some("Bash".to_owned());
            event.rule = id.map(ToOwned::to_owned);
            event.decision = decision;
            let ways = ways(&event, input);
            let commands: Vec<&str> = ways.iter().map(|way| way.command.as_str()).collect();
            assert_eq!(commands, expected, "{decision:?} {id:?} {of} {input:?}");
        }
    }
    #[test]
    fn a_session_whose_name_looks_like_a_secret_is_named_by_its_beginning() {
        let name = "ses_2fA9kQ7xL0mZ8cVbN4tY6uPw";
        let command = |name: &str| format!("bowline allow git.push-force --session={name}");
        assert_ne!(redact(&command(name)), command(name));
        let mut event = Record::new("e1", Utc::now(), "kimi", "PreToolUse", name).decided;
        event.rule = Some(FORCE.to_owned());
        event.decision = Decision::Deny;
        let ways = ways(&event, None);
        assert_eq!(ways[0].command, command(&name[..BEGINNING]));
    }
}
