//! Changing a part of a file.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::files::{WriteLock, read_text, with_path, write_text};
use super::{Tool, arguments};
use crate::execution::ExecutionContext;
use crate::input::ToolOutput;

/// Replaces a piece of text in a file.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    lock: WriteLock,
}

#[derive(serde::Deserialize)]
struct Input {
    file_path: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: bool,
}

impl Edit {
    pub(super) fn new(lock: WriteLock) -> Self {
        Self { lock }
    }
}

#[async_trait]
impl Tool for Edit {
    fn name(&self) -> &'static str {
        "Edit"
    }

    fn description(&self) -> &'static str {
        "Replaces a piece of text in a file, exactly as it is written there. The piece must occur once, unless replace_all is \
         set."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "The file."},
                "old_string": {"type": "string", "description": "The text to replace."},
                "new_string": {"type": "string", "description": "What to put in its place."},
                "replace_all": {"type": "boolean", "description": "Replace every occurrence."},
            },
            "required": ["file_path", "old_string", "new_string"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: Input = arguments(self.name(), input)?;
        let lock = self.lock.hold().await;
        let path = input.file_path.clone();
        let report = with_path(ctx, path, move |path| {
            // Moved in: the work finishes even if nobody waits for it any more.
            let _held = lock;
            let (text, count) = replaced(&read_text(path)?, &input)?;
            write_text(path, &text)?;
            let times = if count == 1 { "once" } else { "each time" };
            Ok(format!(
                "replaced it {times} ({count}) in {}",
                path.display()
            ))
        })
        .await?;
        Ok(ToolOutput::new(report))
    }
}

fn replaced(text: &str, input: &Input) -> Result<(String, usize), String> {
    let Input {
        old_string: old,
        new_string: new,
        ..
    } = input;
    if old.is_empty() {
        return Err("old_string is empty; use Write to create a file".to_owned());
    }
    if old == new {
        return Err("old_string and new_string are the same".to_owned());
    }
    match text.matches(old.as_str()).count() {
        0 => Err(
            "old_string does not occur in the file; read it again and copy the text exactly"
                .to_owned(),
        ),
        count if count > 1 && !input.replace_all => Err(format!(
            "old_string occurs {count} times; make it longer until it is unique, or set replace_all"
        )),
        count => Ok((text.replace(old.as_str(), new), count)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Read, Toolbox, Write};
    use super::*;
    use crate::execution::SecurityContext;
    use crate::lifecycle::ToolCall;

    #[test]
    fn a_piece_must_be_unique_or_all_are_meant() {
        for (old, new, all, expected) in [
            ("b", "x", false, Ok("a x a")),
            ("a", "x", false, Err("2 times")),
            ("a", "x", true, Ok("x b x")),
            ("c", "x", false, Err("does not occur")),
            ("", "x", true, Err("is empty")),
            ("a", "a", true, Err("the same")),
        ] {
            let input = Input {
                file_path: String::new(),
                old_string: old.into(),
                new_string: new.into(),
                replace_all: all,
            };
            match (replaced("a b a", &input), expected) {
                (Ok((text, _)), Ok(expected)) => assert_eq!(text, expected),
                (Err(error), Err(expected)) => assert!(error.contains(expected), "{error}"),
                other => panic!("{old:?}: {other:?}"),
            }
        }
    }

    #[tokio::test]
    async fn files_are_written_read_and_edited_below_the_root_only() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let ctx = ExecutionContext::new(SecurityContext::new(&root));
        let (write, edit) = (Write::default(), Edit::default());

        let input = json!({"file_path": "notes/a.txt", "content": "one\ntwo\n"});
        write.run(input, &ctx).await.unwrap();
        let input = json!({"file_path": "notes/a.txt", "old_string": "two", "new_string": "2"});
        edit.run(input, &ctx).await.unwrap();
        let read = Read.run(json!({"file_path": "notes/a.txt"}), &ctx).await;
        assert_eq!(read.unwrap().content, "     1\tone\n     2\t2\n");
        let left: Vec<_> = std::fs::read_dir(root.join("notes")).unwrap().collect();
        assert_eq!(left.len(), 1, "no draft is left: {left:?}");

        for (input, expected) in [
            (json!({"file_path": "../b.txt", "content": "x"}), "outside"),
            (json!({"file_path": "notes", "content": "x"}), "is a folder"),
            (
                json!({"file_path": "notes/a.txt/b", "content": "x"}),
                "cannot look up",
            ),
        ] {
            let error = write.run(input.clone(), &ctx).await.unwrap_err();
            assert!(error.contains(expected), "{input}: {error}");
        }
        assert!(!folder.path().join("b.txt").exists());
        for (path, expected) in [
            ("missing", "does not exist"),
            ("notes", "is a folder"),
            ("/etc/passwd", "outside"),
        ] {
            let error = Read
                .run(json!({ "file_path": path }), &ctx)
                .await
                .unwrap_err();
            assert!(error.contains(expected), "{path}: {error}");
        }
    }

    #[tokio::test]
    async fn edits_at_the_same_time_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "0 1 2 3 4 5 6 7").unwrap();
        let ctx = ExecutionContext::new(SecurityContext::new(folder.path()));
        let tools = Toolbox::builtin();
        let edits = (0..8).map(|n| {
            let input = json!({
                "file_path": "a",
                "old_string": n.to_string(),
                "new_string": ((b'a' + n) as char).to_string(),
            });
            tools.run(ToolCall::new("id", "Edit", input), &ctx)
        });
        for result in futures_util::future::join_all(edits).await {
            result.unwrap();
        }
        let text = std::fs::read_to_string(folder.path().join("a")).unwrap();
        assert_eq!(text, "a b c d e f g h");
    }
}
