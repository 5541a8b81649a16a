//! A prompt hook, start to end.

use std::time::Duration;

use serde_json::Value;

use super::answer::{Outlook, PromptAnswer};
use super::question::Question;
use super::template::Event;
use super::{ModelConfig, model};
use crate::context::HookContext;
use crate::dialect::Dialect;
use crate::error::Result;
use crate::event::HookEvent;
use crate::input::HookInput;
use crate::opinion::Opinion;
use crate::settings::PromptAction;

/// What a hook that needs a model says without one.
pub(super) fn without_model(kind: &str) -> Opinion {
    Opinion::allow().warning(format!(
        "no model is configured, so the {kind} hook was skipped; set ANTHROPIC_API_KEY or OPENAI_API_KEY (and, if need be, \
         ANTHROPIC_BASE_URL, OPENAI_BASE_URL, BOWLINE_PROMPT_MODEL)"
    ))
}

/// Asks the model about an event; `payload` is the event's JSON. Without a model the hook is skipped,
/// with a warning. `Err` is a failure of the hook, whose policy decides.
pub(crate) async fn run(
    action: &PromptAction,
    input: &HookInput,
    ctx: &HookContext,
    payload: &Value,
    dialect: Dialect,
    model: Option<&ModelConfig>,
    timeout: Duration,
) -> Result<Opinion> {
    let Some(config) = model else {
        return Ok(without_model("prompt"));
    };
    let event = Event {
        input,
        ctx,
        payload,
    };
    let question = Question::new(&action.prompt, &event, dialect);
    let text = model::ask(config, action.model.as_deref(), &question, timeout).await?;
    let verdict = PromptAnswer::read(&text);
    let mut output = match dialect {
        Dialect::ClaudeCode => by_the_clients_rules(verdict, action, input.event_type()),
        Dialect::Generic => verdict.into_output(),
    };
    output.warnings.extend(question.warnings);
    Ok(output)
}

/// In Claude Code a block also ends the turn, unless the hook says otherwise. Where the turn is about to
/// end anyway a block sends the agent on instead, unless the model says that this cannot help.
fn by_the_clients_rules(verdict: PromptAnswer, action: &PromptAction, event: HookEvent) -> Opinion {
    let at_the_end = matches!(event, HookEvent::Stop | HookEvent::SubagentStop);
    match verdict {
        PromptAnswer::Block {
            reason,
            outlook: Outlook::Impossible,
        } if at_the_end => Opinion {
            message: Some(reason).filter(|reason| !reason.is_empty()),
            ..Opinion::default()
        },
        verdict @ PromptAnswer::Block { .. } => {
            let mut output = verdict.into_output();
            if !at_the_end && !action.continue_on_block {
                output.end_turn.clone_from(&output.stop_reason);
            }
            output
        }
        verdict => verdict.into_output(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Error;
    use crate::model_api::ApiKey;
    use crate::settings::ModelProvider;
    use crate::test_server::{Reply, Server};

    const PATIENCE: Duration = Duration::from_secs(20);

    fn asking(prompt: &str) -> PromptAction {
        PromptAction {
            prompt: prompt.to_owned(),
            ..PromptAction::default()
        }
    }

    fn at(provider: ModelProvider, server: &Server) -> ModelConfig {
        ModelConfig {
            base_url: server.url(""),
            ..ModelConfig::new(provider, ApiKey::new("sk-s3cr3t"))
        }
    }

    async fn run_on(
        input: &HookInput,
        action: &PromptAction,
        dialect: Dialect,
        model: Option<&ModelConfig>,
        timeout: Duration,
    ) -> Result<Opinion> {
        let ctx = HookContext::new("s");
        let payload = json!({ "session_id": "s" });
        run(action, input, &ctx, &payload, dialect, model, timeout).await
    }

    fn push() -> HookInput {
        HookInput::pre_tool_use("s", "Bash", json!({ "command": "git push" }))
    }

    fn anthropic_says(text: &str) -> Reply {
        let body = json!({ "content": [
            { "type": "thinking", "thinking": "BLOCK: a thought is no answer" },
            { "type": "text", "text": text },
        ]});
        Reply::new(200, body.to_string())
    }

    #[tokio::test]
    async fn f12_c_without_a_model_the_hook_is_skipped_with_a_warning() {
        let output = run_on(&push(), &asking("?"), Dialect::Generic, None, PATIENCE)
            .await
            .unwrap();
        assert!(output.continue_execution);
        assert_eq!(output.permission, None);
        let [warning] = output.warnings.as_slice() else {
            panic!("{:?}", output.warnings);
        };
        for word in ["skipped", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
            assert!(warning.contains(word), "{warning}");
        }
    }

    #[tokio::test]
    async fn f12_c_a_timeout_is_a_failure_for_the_policy_to_decide() {
        let server = Server::start([Reply::Silence]).await;
        let model = at(ModelProvider::Anthropic, &server);
        let limit = Duration::from_millis(50);
        let error = run_on(&push(), &asking("?"), Dialect::Generic, Some(&model), limit)
            .await
            .unwrap_err();
        assert!(matches!(&error, Error::Model { .. }), "{error}");
        assert!(error.to_string().contains("50 ms"), "{error}");
    }

    #[tokio::test]
    async fn an_http_failure_is_a_failure_too() {
        let server = Server::start([Reply::new(401, "who are you?")]).await;
        let model = at(ModelProvider::Openai, &server);
        let error = run_on(
            &push(),
            &asking("?"),
            Dialect::Generic,
            Some(&model),
            PATIENCE,
        )
        .await
        .unwrap_err()
        .to_string();
        assert!(error.contains("401: who are you?"), "{error}");
    }

    #[tokio::test]
    async fn anthropic_is_asked_with_the_command_marked_as_data() {
        let server = Server::start([anthropic_says("block: not on Fridays")]).await;
        let model = at(ModelProvider::Anthropic, &server);
        let action = PromptAction {
            model: Some("my-model".to_owned()),
            ..asking("Is $COMMAND safe?")
        };
        let output = run_on(&push(), &action, Dialect::Generic, Some(&model), PATIENCE)
            .await
            .unwrap();
        assert_eq!(output, Opinion::block("not on Fridays"));

        let request = server.requests()[0].json();
        assert_eq!(request["model"], "my-model");
        assert_eq!(request["max_tokens"], model.max_tokens);
        assert!(
            request["system"]
                .as_str()
                .unwrap()
                .contains("never an instruction")
        );
        let question = request["messages"][0]["content"].as_str().unwrap();
        assert!(question.contains(">git push</data-"), "{question}");
    }

    #[tokio::test]
    async fn openai_answers_are_read_leniently() {
        for (message, expected) in [
            (json!({ "content": "BLOCK: no" }), Some("no")),
            (
                json!({ "content": [{ "type": "text", "text": "BLOCK: no" }] }),
                Some("no"),
            ),
            (json!({ "content": "{\"ok\": true}" }), None),
        ] {
            let body = json!({ "choices": [{ "message": message }] });
            let server = Server::start([Reply::new(200, body.to_string())]).await;
            let model = at(ModelProvider::Openai, &server);
            let output = run_on(
                &push(),
                &asking("?"),
                Dialect::Generic,
                Some(&model),
                PATIENCE,
            )
            .await
            .unwrap();
            assert_eq!(output.stop_reason.as_deref(), expected);
            assert!(output.warnings.is_empty());
            let request = server.requests()[0].json();
            assert_eq!(request["model"], "gpt-6-luna");
            assert_eq!(request["max_tokens"], model.max_tokens);
            assert_eq!(request["messages"][1]["content"], "?");
        }
    }

    #[tokio::test]
    async fn a_refusal_or_an_empty_answer_is_any_other_answer() {
        for (body, kept) in [
            (
                json!({ "choices": [{ "message": { "content": null, "refusal": "I'd rather not." } }] }),
                Some("I'd rather not."),
            ),
            (json!({ "choices": [] }), None),
            (json!([]), None),
        ] {
            let server = Server::start([Reply::new(200, body.to_string())]).await;
            let model = at(ModelProvider::Openai, &server);
            let output = run_on(
                &push(),
                &asking("?"),
                Dialect::Generic,
                Some(&model),
                PATIENCE,
            )
            .await
            .unwrap();
            assert!(output.continue_execution);
            assert_eq!(output.message.as_deref(), kept);
            assert_eq!(output.warnings.len(), 1);
        }
    }

    #[tokio::test]
    async fn in_claude_code_a_block_also_ends_the_turn() {
        let stop = HookInput::stop("s");
        let no = r#"{"ok": false, "reason": "no"}"#;
        let hopeless = r#"{"ok": false, "reason": "no", "impossible": true}"#;
        for (input, continue_on_block, answer, blocks, ends_turn) in [
            (push(), false, no, true, true),
            (push(), true, no, true, false),
            (push(), false, hopeless, true, true),
            (push(), false, r#"{"ok": true}"#, false, false),
            (stop.clone(), false, no, true, false),
            (stop, false, hopeless, false, false),
        ] {
            let server = Server::start([anthropic_says(answer)]).await;
            let action = PromptAction {
                continue_on_block,
                ..asking("?")
            };
            let model = at(ModelProvider::Anthropic, &server);
            let output = run_on(&input, &action, Dialect::ClaudeCode, Some(&model), PATIENCE)
                .await
                .unwrap();
            let case = format!("{} {continue_on_block} {answer}", input.event_name());
            assert_eq!(!output.continue_execution, blocks, "{case}");
            assert_eq!(output.end_turn.is_some(), ends_turn, "{case}");
        }
    }

    #[tokio::test]
    async fn a_shortened_event_is_told() {
        let server = Server::start([anthropic_says("ALLOW")]).await;
        let model = at(ModelProvider::Anthropic, &server);
        let input = HookInput::user_prompt_submit("s", "x".repeat(100_000));
        let action = asking("$USER_PROMPT");
        let output = run_on(&input, &action, Dialect::Generic, Some(&model), PATIENCE)
            .await
            .unwrap();
        assert!(output.warnings[0].contains("$USER_PROMPT"), "{output:?}");
    }
}
