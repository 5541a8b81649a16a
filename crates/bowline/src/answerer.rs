//! Who answers a question before the agent asks it itself.

use async_trait::async_trait;

use crate::context::HookContext;
use crate::decision::Decision;
use crate::input::HookInput;
use crate::opinion::{Opinion, Permission};

/// Asks a person what hooks ask about: an inbox, a chat, a window of the embedder's own.
///
/// It is asked after all hooks have spoken and only if they came to a question. Its answer is final, and the only thing that turns a
/// question into a grant.
#[async_trait]
pub trait Answerer: Send + Sync {
    /// The name under which its answers are recorded.
    fn name(&self) -> &str;

    /// What a person says about the call that will be executed; `None` if nobody answered in time. Then the agent asks by itself.
    async fn answer(
        &self,
        input: &HookInput,
        question: &Opinion,
        ctx: &HookContext,
    ) -> Option<PersonsAnswer>;
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonsAnswer {
    /// Whether the call may run.
    pub verdict: PersonsVerdict,
    /// Who answered, when and where, for the record.
    pub note: String,
}

/// Whether a call may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PersonsVerdict {
    /// It may.
    Allow,
    /// It must not.
    Deny {
        /// What the model is told.
        message: String,
    },
}

impl PersonsAnswer {
    /// The question as it was decided.
    pub(crate) fn decide(&self, question: Opinion) -> Opinion {
        debug_assert_eq!(question.decision(), Decision::Ask);
        match &self.verdict {
            PersonsVerdict::Allow => Opinion {
                continue_execution: true,
                stop_reason: None,
                permission: Some(Permission::Grant),
                ..question
            },
            PersonsVerdict::Deny { message } => Opinion {
                stop_reason: Some(message.clone()),
                permission: None,
                ..question
            },
        }
    }

    /// What is recorded of it: the decision alone, and who made it.
    pub(crate) fn recorded(&self) -> Opinion {
        let decided = self.decide(Opinion::ask(""));
        Opinion {
            message: Some(self.note.clone()),
            ..decided
        }
    }
}
