//! Writing files.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::files::{WriteLock, with_path, write_text};
use super::{Tool, arguments};
use crate::execution::ExecutionContext;
use crate::input::ToolOutput;

/// Creates or replaces a file.
#[derive(Debug, Clone, Default)]
pub struct Write {
    lock: WriteLock,
}

#[derive(serde::Deserialize)]
struct Input {
    file_path: String,
    content: String,
}

impl Write {
    pub(super) fn new(lock: WriteLock) -> Self {
        Self { lock }
    }
}

#[async_trait]
impl Tool for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn description(&self) -> &'static str {
        "Creates a file, or replaces the whole content of one. Missing folders are made. To change a part, use Edit."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The file."},
                "content": {"type": "string", "description": "Its new content."},
            },
            "required": ["file_path", "content"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let Input { file_path, content } = arguments(self.name(), input)?;
        let lock = self.lock.hold().await;
        let report = with_path(ctx, file_path, move |path| {
            // Moved in: the work finishes even if nobody waits for it any more.
            let _held = lock;
            write_text(path, &content)?;
            Ok(format!(
                "wrote {} bytes to {}",
                content.len(),
                path.display()
            ))
        })
        .await?;
        Ok(ToolOutput::new(report))
    }
}
