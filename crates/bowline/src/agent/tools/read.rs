//! Reading files.

use std::fmt::Write as _;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::files::{read_text, with_path};
use super::{Tool, arguments};
use crate::execution::ExecutionContext;
use crate::input::ToolOutput;

const DEFAULT_LINES: usize = 2_000;
const LINE_LIMIT: usize = 2_000;
const OUTPUT_LIMIT: usize = 100_000;

/// Reads a text file with numbered lines.
#[derive(Debug, Clone, Copy, Default)]
pub struct Read;

#[derive(serde::Deserialize)]
struct Input {
    file_path: String,
    /// The first line, counted from 1.
    offset: Option<usize>,
    limit: Option<usize>,
}

#[async_trait]
impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn description(&self) -> &'static str {
        "Reads a text file. Lines are numbered; the number and the tab after it are not part of the file. At most 2000 lines \
         unless limit says otherwise; long lines are cut."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The file."},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line to read, counted from 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines to read."},
            },
            "required": ["file_path"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: Input = arguments(self.name(), input)?;
        let text = with_path(ctx, input.file_path, read_text).await?;
        Ok(ToolOutput::new(numbered(
            &text,
            input.offset.unwrap_or(1).max(1),
            input.limit.unwrap_or(DEFAULT_LINES),
        )))
    }
}

fn numbered(text: &str, first: usize, limit: usize) -> String {
    if text.is_empty() {
        return "(the file is empty)".to_owned();
    }
    let mut shown = String::new();
    let mut last = first - 1;
    for (index, line) in text.lines().enumerate().skip(first - 1).take(limit) {
        if shown.len() > OUTPUT_LIMIT {
            break;
        }
        last = index + 1;
        let head = line
            .get(..line.floor_char_boundary(LINE_LIMIT))
            .unwrap_or(line);
        let mark = if head.len() < line.len() {
            " … (cut)"
        } else {
            ""
        };
        let _ = writeln!(shown, "{last:>6}\t{head}{mark}");
    }
    let total = text.lines().count();
    if first > total {
        return format!("(the file has only {total} lines)");
    }
    if last < total {
        let _ = writeln!(shown, "(lines {} to {total} are not shown)", last + 1);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_bounded() {
        for (text, first, limit, expected) in [
            ("", 1, 10, "(the file is empty)"),
            ("a\nb\n", 1, 10, "     1\ta\n     2\tb\n"),
            ("a\nb\nc", 2, 1, "     2\tb\n(lines 3 to 3 are not shown)\n"),
            ("a\n", 9, 10, "(the file has only 1 lines)"),
            ("a\n", 1, 0, "(lines 1 to 1 are not shown)\n"),
        ] {
            assert_eq!(
                numbered(text, first, limit),
                expected,
                "{text:?} {first} {limit}"
            );
        }
        let long = numbered(&"é".repeat(5_000), 1, 1);
        assert!(long.len() < 2_100 && long.ends_with("(cut)\n"));
        let many = numbered(&"line of text\n".repeat(50_000), 1, usize::MAX);
        assert!(many.len() < OUTPUT_LIMIT + 200, "{}", many.len());
        assert!(many.ends_with("to 50000 are not shown)\n"));
    }
}
