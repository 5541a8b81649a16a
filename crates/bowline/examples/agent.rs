//! An agent with a hook, against a scripted model on loopback: no account is needed.
//! Leave out `base_url`, `api_key` and `model`, set ANTHROPIC_API_KEY, and it talks to a real one.
#![expect(clippy::print_stdout, reason = "an example shows what happened")]

use bowline::agent::Agent;
use bowline::hooks::{FnHook, HookEvent, HookOutput};
use serde_json::json;

#[path = "../tests/agent/scripted_model.rs"]
mod scripted_model;
use scripted_model::{ScriptedModel, calls, says};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = ScriptedModel::start(vec![
        calls(&[
            ("Bash", json!({"command": "echo hello"})),
            ("Bash", json!({"command": "sudo echo hello"})),
        ]),
        says("One command greeted you; the other one needs sudo, which is not allowed here."),
    ])
    .await?;

    let no_sudo = FnHook::new(
        "no-sudo",
        [HookEvent::PreToolUse],
        |input, _ctx| async move {
            Ok(match input.command() {
                Some(command) if command.starts_with("sudo ") => {
                    HookOutput::block("run it without sudo")
                }
                _ => HookOutput::allow(),
            })
        },
    );
    let mut agent = Agent::builder()
        .hook(no_sudo)
        .base_url(model.url())
        .api_key("not-needed")
        .model("scripted")
        .build()
        .await?;

    let reply = agent.run("Greet me, with and without sudo.").await?;
    agent.end().await;

    if let Some(results) = model
        .requests()
        .last()
        .and_then(|request| request.pointer("/messages/2/content"))
    {
        println!("What the model got back: {results:#}");
    }
    println!("{}", reply.text);
    println!("{} tool calls, {} denied", reply.tool_calls, reply.denials);
    Ok(())
}
