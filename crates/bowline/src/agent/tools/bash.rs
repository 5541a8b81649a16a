//! The shell.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use super::{Tool, arguments};
use crate::dialect::{Exit, RawOutput};
use crate::duration::humane;
use crate::execution::ExecutionContext;
use crate::input::ToolOutput;
use crate::runner::process::{Caps, Process};

const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);
const LONGEST_TIMEOUT: Duration = Duration::from_mins(10);

/// How much of each stream the model gets to see.
const CAPS: Caps = Caps {
    stdout: 30_000,
    stderr: 10_000,
};

/// Runs shell commands. At its timeout, or when the session is cancelled, a command ends with everything that it started.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bash;

#[derive(serde::Deserialize)]
struct Input {
    command: String,
    timeout: Option<u64>,
}

#[async_trait]
impl Tool for Bash {
    fn name(&self) -> &'static str {
        "Bash"
    }

    fn description(&self) -> &'static str {
        "Runs a shell command (sh) in the project folder and returns what it prints. Nothing can be typed into it. Output beyond \
         30,000 bytes is cut."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command."},
                "timeout": {
                    "type": "integer",
                    "description": "How long it may take, in milliseconds: 120000 unless given, at most 600000.",
                },
                "description": {"type": "string", "description": "What it does, in a few words."},
            },
            "required": ["command"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let Input {
            command: text,
            timeout: limit,
        } = arguments(self.name(), input)?;
        let limit = limit
            .map_or(DEFAULT_TIMEOUT, Duration::from_millis)
            .min(LONGEST_TIMEOUT);

        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(text)
            .env_clear()
            .envs(ctx.security().child_environment());
        if let Some(cwd) = ctx.cwd() {
            command.current_dir(cwd);
        }
        let process = Process::spawn(command)
            .map_err(|error| format!("the shell cannot be started: {error}"))?;
        let output = tokio::select! {
            biased;
            () = ctx.cancellation_token().cancelled() => {
                return Err("interrupted before it finished".to_owned());
            }
            finished = timeout(limit, process.finish(&[], CAPS, &|_| {})) => finished
                .map_err(|_| format!(
                    "stopped, because it did not finish within {}; give it a longer `timeout`, or let it do less",
                    humane(limit)
                ))?
                .map_err(|error| format!("the shell cannot be waited for: {error}"))?,
        };
        let printed = printed(&output);
        match output.exit {
            Exit::Code(0) => Ok(ToolOutput::new(printed)),
            Exit::Code(code) => Err(format!("exit code {code}\n{printed}")),
            Exit::Signal(signal) => Err(format!("ended by signal {signal}\n{printed}")),
        }
    }
}

/// Both streams, standard error last, with a word where something was cut.
fn printed(output: &RawOutput) -> String {
    let stream = |text: &str, cut: bool| {
        let text = text.trim_end();
        if cut {
            format!("{text}\n… (the rest was cut)")
        } else {
            text.to_owned()
        }
    };
    [
        stream(&output.stdout, output.stdout_cut),
        stream(&output.stderr, output.stderr_cut),
    ]
    .into_iter()
    .filter(|text| !text.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::SecurityContext;

    async fn bash(input: Value) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let ctx = ExecutionContext::new(SecurityContext::new(folder.path()));
        Bash.run(input, &ctx)
            .await
            .map(|output| output.content.as_str().unwrap().to_owned())
    }

    #[tokio::test]
    async fn a_command_prints_succeeds_or_fails() {
        for (command, expected) in [
            ("echo one; echo two >&2", Ok("one\ntwo")),
            ("true", Ok("")),
            ("echo no >&2; exit 3", Err("exit code 3\nno")),
            ("kill -9 $$", Err("ended by signal 9\n")),
            ("cat", Ok("")),
        ] {
            let result = bash(json!({ "command": command })).await;
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(result, expected, "{command}");
        }
    }

    #[tokio::test]
    async fn long_output_is_cut() {
        let text = bash(json!({"command": "head -c 100000 /dev/zero | tr '\\0' x"}))
            .await
            .unwrap();
        assert!(text.len() < 31_000);
        assert!(text.ends_with("(the rest was cut)"));
    }

    #[tokio::test]
    async fn a_slow_command_is_stopped() {
        let error = bash(json!({"command": "sleep 600", "timeout": 50}))
            .await
            .unwrap_err();
        assert!(error.contains("within 50 ms"), "{error}");
    }

    #[tokio::test]
    async fn an_unusable_input_is_explained() {
        let error = bash(json!({"cmd": "ls"})).await.unwrap_err();
        assert!(error.contains("`command`"), "{error}");
    }
}
