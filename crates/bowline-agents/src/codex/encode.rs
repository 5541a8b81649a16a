//! Writing an answer that Codex accepts: silence, or one JSON object without a field that it does not know there.

use serde_json::Value;

use super::decode::WORDS;
use super::rules::{BlockForm, block_form, can_end_turn, is_read, rewrites, takes_context};
use crate::answer::{Answer, Object};
use crate::decision::Decision;
use crate::express;
use crate::opinion::{Opinion, add_text};
use crate::reported::Reported;

pub(super) fn encode(reported: &Reported<'_>, opinion: &Opinion) -> Answer {
    if !is_read(reported.event) {
        return Answer::default();
    }
    Encoder {
        reported,
        opinion,
        top: Object::new(),
        own: Object::new(),
        context: opinion.additional_context.clone(),
        message: opinion.system_message.clone(),
    }
    .encode()
}

struct Encoder<'a> {
    reported: &'a Reported<'a>,
    opinion: &'a Opinion,
    /// The fields of the answer.
    top: Object,
    /// Those of `hookSpecificOutput`.
    own: Object,
    context: Option<String>,
    message: Option<String>,
}

impl Encoder<'_> {
    fn encode(mut self) -> Answer {
        let event = self.reported.event;
        let reason = self.reason();
        match (block_form(event), self.opinion.decision()) {
            (BlockForm::PermissionDecision, _) => self.permission(reason),
            (BlockForm::RequestDecision, _) => self.request(reason),
            (_, Decision::NoOpinion | Decision::Grant) => self.end_turn(),
            (BlockForm::TopLevel, _) => {
                self.top("decision", "block");
                self.top("reason", reason);
            }
            (BlockForm::EndTurn, _) => {
                self.top("continue", false);
                self.top("stopReason", reason);
            }
            (BlockForm::Unenforceable, _) => self.tell_unenforced(&reason),
        }
        if let Some(context) = self.context.take().filter(|_| takes_context(event)) {
            self.own("additionalContext", context);
        }
        if let Some(message) = self.message.take() {
            self.top("systemMessage", message);
        }
        if !self.own.is_empty() {
            self.own("hookEventName", event.name());
            let own = std::mem::take(&mut self.own);
            self.top("hookSpecificOutput", own);
        }
        Answer::json(self.top)
    }

    fn top(&mut self, name: &str, value: impl Into<Value>) {
        self.top.insert(name.to_owned(), value.into());
    }

    fn own(&mut self, name: &str, value: impl Into<Value>) {
        self.own.insert(name.to_owned(), value.into());
    }

    /// Why it is blocked: never blank, or the whole answer would be void. It also has what the model would not hear otherwise.
    fn reason(&mut self) -> String {
        let opinion = self.opinion;
        let mut reason = express::reason(opinion).to_owned();
        if opinion.decision() == Decision::Ask {
            reason = format!("The user has to decide this: {reason}");
        }
        if !takes_context(self.reported.event)
            && let Some(context) = self.context.take()
        {
            reason = format!("{reason}\n{context}");
        }
        reason
    }

    /// An "allow" is only accepted beside another input, and does not skip Codex's own question then.
    fn permission(&mut self, reason: String) {
        let rewritten = self.opinion.rewritten_input();
        let refusal = match (self.opinion.decision(), rewritten) {
            (Decision::Deny | Decision::Ask, _) => Some(reason),
            (_, None) => return,
            (_, Some(input)) if input.is_object() && rewrites(self.reported, input) => None,
            (_, Some(_)) => {
                Some("A hook changed the tool's input to one that Codex cannot run.".to_owned())
            }
        };
        match (refusal, rewritten) {
            (Some(reason), _) => {
                self.own("permissionDecision", "deny");
                self.own("permissionDecisionReason", reason);
            }
            (None, Some(input)) => {
                self.own("permissionDecision", "allow");
                self.own("updatedInput", WORDS.own_input(self.reported, input));
            }
            (None, None) => {}
        }
    }

    /// Silence leaves the question to Codex, which asks it.
    fn request(&mut self, reason: String) {
        let decision = match (self.opinion.decision(), self.opinion.rewritten_input()) {
            (Decision::Deny, _) => Object::from_iter([
                ("behavior".to_owned(), "deny".into()),
                ("message".to_owned(), reason.into()),
            ]),
            (Decision::Grant, None) => Object::from_iter([("behavior".to_owned(), "allow".into())]),
            _ => return,
        };
        self.own("decision", decision);
    }

    fn end_turn(&mut self) {
        if let Some(reason) = &self.opinion.end_turn
            && can_end_turn(self.reported.event)
        {
            self.top("continue", false);
            self.top("stopReason", reason.as_str());
        }
    }

    fn tell_unenforced(&mut self, reason: &str) {
        let event = self.reported.event.name();
        let told = format!("A hook blocked {event}, which Codex cannot enforce: {reason}");
        add_text(&mut self.message, &told);
        let told =
            format!("{told}\nDo not go on before you have told the user and the user has agreed.");
        add_text(&mut self.context, &told);
    }
}
