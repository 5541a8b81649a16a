//! What the agent can do: the tool trait, and the tools that every agent has.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::execution::ExecutionContext;
use crate::input::ToolOutput;
use crate::lifecycle::ToolCall;

mod bash;
mod edit;
mod files;
mod look;
mod read;
mod task;
mod write;

pub use bash::Bash;
pub use edit::Edit;
pub use read::Read;
pub(super) use task::Task;
pub use write::Write;

/// Something that the model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The name by which the model calls it, and with which matchers are compared.
    fn name(&self) -> &str;

    /// What it does and when to use it, for the model.
    fn description(&self) -> &str;

    /// The JSON schema of its input, an object.
    fn input_schema(&self) -> Value;

    /// Runs it. The error is text for the model: what went wrong and what to do.
    ///
    /// Hooks have seen the call, and may have rewritten the input; the tool checks it as if they had not. After a cancellation
    /// ([`ExecutionContext::cancellation_token`]) it is dropped if it does not end by itself.
    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String>;
}

/// The tools of one agent, by name.
#[derive(Clone, Default)]
pub(super) struct Toolbox(Vec<Arc<dyn Tool>>);

impl Toolbox {
    /// Shell, read, write and edit.
    pub(super) fn builtin() -> Self {
        let writing = files::WriteLock::default();
        Self(vec![
            Arc::new(Bash),
            Arc::new(Read),
            Arc::new(Write::new(writing.clone())),
            Arc::new(Edit::new(writing)),
        ])
    }

    /// Adds a tool, in the place of one of the same name.
    /// The tools that change nothing.
    pub(super) fn looking() -> Self {
        Self(vec![
            Arc::new(Read),
            Arc::new(look::List),
            Arc::new(look::Glob),
            Arc::new(look::Grep),
        ])
    }

    pub(super) fn add(&mut self, tool: Arc<dyn Tool>) {
        self.0.retain(|known| known.name() != tool.name());
        self.0.push(tool);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|tool| tool.name() == name)
    }

    /// The tools as the Messages API describes them.
    pub(super) fn specs(&self) -> Vec<Value> {
        self.0
            .iter()
            .map(|tool| {
                json!({
                    "name": tool.name(),
                    "description": tool.description(),
                    "input_schema": tool.input_schema(),
                })
            })
            .collect()
    }

    pub(super) async fn run(
        &self,
        call: ToolCall,
        ctx: &ExecutionContext,
    ) -> Result<ToolOutput, String> {
        if let Some(tool) = self.0.iter().find(|tool| tool.name() == call.name) {
            return tool.run(call.input, ctx).await;
        }
        let names: Vec<&str> = self.0.iter().map(|tool| tool.name()).collect();
        Err(format!(
            "there is no tool called {}; there are {}",
            call.name,
            names.join(", ")
        ))
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.0.iter().map(|tool| tool.name()))
            .finish()
    }
}

/// A tool's input, typed.
fn arguments<T: DeserializeOwned>(tool: &str, input: Value) -> Result<T, String> {
    serde_json::from_value(input)
        .map_err(|error| format!("the input of {tool} is not valid: {error}"))
}
