//! Looking around without changing anything: listing a folder, finding files by name, searching in them.

use std::fs;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

use super::files::{self, with_path};
use super::{Tool, arguments};
use crate::execution::{ExecutionContext, SecurityContext};
use crate::input::ToolOutput;

/// The most files and folders that one call looks at.
const MOST_ENTRIES: usize = 20_000;
/// The most lines of an answer.
const MOST_LINES: usize = 500;
/// The longest line of an answer, in bytes.
const LINE_LIMIT: usize = 300;
/// Larger files are not searched.
const SEARCHED_SIZE: u64 = 1024 * 1024;
/// And together no more than this.
const SEARCHED_TOTAL: u64 = 64 * 1024 * 1024;
/// The largest pattern, compiled.
const PATTERN_SIZE: usize = 1024 * 1024;

/// Lists a folder.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::agent) struct List;

/// Finds files by name.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::agent) struct Glob;

/// Searches in files.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::agent) struct Grep;

#[derive(serde::Deserialize)]
struct ListInput {
    path: Option<String>,
}

#[derive(serde::Deserialize)]
struct GlobInput {
    pattern: String,
    path: Option<String>,
}

#[derive(serde::Deserialize)]
struct GrepInput {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
}

#[async_trait]
impl Tool for List {
    fn name(&self) -> &'static str {
        "LS"
    }

    fn description(&self) -> &'static str {
        "Lists a folder of the project. Folders end in a slash."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The folder; the project's without it."},
            },
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: ListInput = arguments(self.name(), input)?;
        let names = with_path(ctx, folder(input.path), |folder| {
            let mut names: Vec<String> = entries(folder)?
                .map(|(path, kind)| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let slash = if kind == Kind::Folder { "/" } else { "" };
                    format!("{name}{slash}")
                })
                .take(MOST_ENTRIES)
                .collect();
            names.sort();
            Ok(names)
        })
        .await?;
        Ok(ToolOutput::new(lines(
            names,
            "(the folder is empty)",
            Seen::All,
        )))
    }
}

#[async_trait]
impl Tool for Glob {
    fn name(&self) -> &'static str {
        "Glob"
    }

    fn description(&self) -> &'static str {
        "Finds files of the project by a pattern such as **/*.rs. Links are not followed."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "The pattern, below the folder."},
                "path": {"type": "string", "description": "The folder; the project's without it."},
            },
            "required": ["pattern"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: GlobInput = arguments(self.name(), input)?;
        let pattern = glob(&input.pattern)?;
        let found = with_path(ctx, folder(input.path), move |folder| {
            let mut found = Vec::new();
            let seen = walk(folder, |path| {
                let below = path.strip_prefix(folder).unwrap_or(path);
                if pattern.is_match(below) {
                    found.push(below.to_string_lossy().into_owned());
                }
                go_on(&found)
            })?;
            found.sort();
            Ok(lines(found, "(no file fits)", seen))
        })
        .await?;
        Ok(ToolOutput::new(found))
    }
}

#[async_trait]
impl Tool for Grep {
    fn name(&self) -> &'static str {
        "Grep"
    }

    fn description(&self) -> &'static str {
        "Searches the project's text files for a regular expression. Links are not followed; files over 1 MB and files that hold \
         secrets are left out."
    }

    fn input_schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "The regular expression."},
                "path": {"type": "string", "description": "A file or folder; the project's without it."},
                "glob": {"type": "string", "description": "Only files that fit, such as **/*.rs."},
            },
            "required": ["pattern"],
        })
    }

    async fn run(&self, input: Value, ctx: &ExecutionContext) -> Result<ToolOutput, String> {
        let input: GrepInput = arguments(self.name(), input)?;
        let pattern = RegexBuilder::new(&input.pattern)
            .size_limit(PATTERN_SIZE)
            .build()
            .map_err(|error| format!("the pattern cannot be used: {error}"))?;
        let only = input.glob.as_deref().map(glob).transpose()?;
        let security = ctx.security().clone();
        let found = with_path(ctx, folder(input.path), move |place| {
            Search {
                pattern,
                only,
                security,
                left: SEARCHED_TOTAL,
                found: Vec::new(),
            }
            .below(place)
        })
        .await?;
        Ok(ToolOutput::new(found))
    }
}

/// One search.
struct Search {
    pattern: Regex,
    only: Option<GlobMatcher>,
    security: SecurityContext,
    /// How many bytes may still be read.
    left: u64,
    found: Vec<String>,
}

impl Search {
    fn below(mut self, place: &Path) -> Result<String, String> {
        let seen = if place.is_file() {
            self.look_into(place, place);
            Seen::All
        } else {
            walk(place, |path| {
                let below = path.strip_prefix(place).unwrap_or(path);
                let wanted = self.only.as_ref().is_none_or(|only| only.is_match(below));
                if wanted {
                    self.look_into(path, below);
                }
                if self.left == 0 {
                    Step::Enough
                } else {
                    go_on(&self.found)
                }
            })?
        };
        Ok(lines(self.found, "(nothing was found)", seen))
    }

    fn look_into(&mut self, path: &Path, shown: &Path) {
        let size = fs::metadata(path).map_or(u64::MAX, |found| found.len());
        if size > SEARCHED_SIZE || self.security.permits(path).is_err() {
            return;
        }
        self.left = self.left.saturating_sub(size);
        let Ok(text) = files::read_text(path) else {
            return;
        };
        for (index, line) in text.lines().enumerate() {
            if self.found.len() > MOST_LINES {
                return;
            }
            if self.pattern.is_match(line) {
                let shown = shown.display();
                self.found.push(format!("{shown}:{}:{line}", index + 1));
            }
        }
    }
}

/// Whether a walk continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Enough,
}

fn go_on(found: &[String]) -> Step {
    if found.len() > MOST_LINES {
        Step::Enough
    } else {
        Step::On
    }
}

/// How much of what there is was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    All,
    Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Folder,
    File,
    /// Links, pipes and the like, which are not followed and not opened.
    Other,
}

/// Visits every regular file below a folder, but for git's own. A folder that cannot be read is passed over.
fn walk(root: &Path, mut visit: impl FnMut(&Path) -> Step) -> Result<Seen, String> {
    let mut folders = vec![root.to_owned()];
    let mut left = MOST_ENTRIES;
    let mut at_root = true;
    while let Some(folder) = folders.pop() {
        let listed = match entries(&folder) {
            Ok(listed) => listed,
            Err(error) if at_root => return Err(error),
            Err(_) => continue,
        };
        at_root = false;
        for (path, kind) in listed {
            left -= 1;
            if left == 0 {
                return Ok(Seen::Part);
            }
            match kind {
                Kind::Folder if path.file_name().is_some_and(|name| name == ".git") => {}
                Kind::Folder => folders.push(path),
                Kind::File if visit(&path) == Step::Enough => return Ok(Seen::Part),
                Kind::File | Kind::Other => {}
            }
        }
    }
    Ok(Seen::All)
}

fn entries(folder: &Path) -> Result<impl Iterator<Item = (PathBuf, Kind)>, String> {
    let listed = fs::read_dir(folder)
        .map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    Ok(listed.filter_map(|entry| {
        let entry = entry.ok()?;
        let kind = entry.file_type().ok()?;
        let kind = if kind.is_dir() {
            Kind::Folder
        } else if kind.is_file() {
            Kind::File
        } else {
            Kind::Other
        };
        Some((entry.path(), kind))
    }))
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| format!("the pattern cannot be used: {error}"))
}

fn folder(path: Option<String>) -> String {
    path.unwrap_or_else(|| ".".to_owned())
}

/// One line each, none too long and not too many.
fn lines(mut found: Vec<String>, nothing: &str, seen: Seen) -> String {
    let more = found.len() > MOST_LINES;
    found.truncate(MOST_LINES);
    for line in &mut found {
        let end = line.floor_char_boundary(LINE_LIMIT);
        if end < line.len() {
            line.truncate(end);
            line.push_str(" … (cut)");
        }
    }
    if found.is_empty() {
        found.push(nothing.to_owned());
    }
    if more || seen == Seen::Part {
        found.push("(there is more; narrow it down)".to_owned());
    }
    found.join("\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use bowline_guard::sensitive::SensitivePolicy;

    use super::*;
    use crate::execution::Secrets;

    /// A project with a secret, a link out of it and a large file.
    fn project() -> (tempfile::TempDir, ExecutionContext) {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        for (file, text) in [
            ("project/src/main.rs", "fn main() {\n    needle();\n}\n"),
            ("project/src/deep/lib.rs", "// needle\n"),
            ("project/notes.txt", "needle\n"),
            ("project/.env", "KEY=needle\n"),
            ("project/.git/config", "needle\n"),
            ("outside/secret.txt", "needle\n"),
        ] {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::write(project.join("large.txt"), "needle\n".repeat(200_000)).unwrap();
        fs::write(project.join("binary"), b"needle\xff\xfe").unwrap();
        symlink(root.path().join("outside"), project.join("out")).unwrap();
        symlink(root.path().join("outside/secret.txt"), project.join("link")).unwrap();
        let secrets = Secrets::of_project(&project, None, SensitivePolicy::default());
        let security = SecurityContext::new(&project).without_secrets(secrets);
        (root, ExecutionContext::new(security))
    }

    async fn ask(tool: &dyn Tool, input: Value) -> String {
        let (_root, ctx) = project();
        match tool.run(input, &ctx).await {
            Ok(output) => output.content.as_str().unwrap_or_default().to_owned(),
            Err(error) => format!("error: {error}"),
        }
    }

    #[tokio::test]
    async fn looking_around_stays_in_the_project_and_off_secrets() {
        let cases: [(&dyn Tool, Value, &str); 9] = [
            (
                &Grep,
                json!({ "pattern": "need.e", "glob": "**/*.rs" }),
                "src/deep/lib.rs:1:// needle\nsrc/main.rs:2:    needle();",
            ),
            (
                &Grep,
                json!({ "pattern": "needle", "path": "notes.txt" }),
                "notes.txt:1:needle",
            ),
            (
                &Grep,
                json!({ "pattern": "needle", "path": ".env" }),
                "error: ",
            ),
            (
                &Grep,
                json!({ "pattern": "needle", "path": "out" }),
                "error: ",
            ),
            (&Grep, json!({ "pattern": "(" }), "error: the pattern"),
            (
                &Glob,
                json!({ "pattern": "**/*.rs" }),
                "src/deep/lib.rs\nsrc/main.rs",
            ),
            (&Glob, json!({ "pattern": "*.rs" }), "(no file fits)"),
            (&List, json!({ "path": "src" }), "deep/\nmain.rs"),
            (&List, json!({ "path": ".." }), "error: "),
        ];
        for (tool, input, expected) in cases {
            let said = ask(tool, input.clone()).await;
            let mut sorted: Vec<&str> = said.lines().collect();
            sorted.sort_unstable();
            assert!(
                sorted.join("\n").contains(expected),
                "{} {input}: {said}",
                tool.name()
            );
        }
        let everywhere = ask(&Grep, json!({ "pattern": "needle" })).await;
        assert_eq!(everywhere.lines().count(), 3, "{everywhere}");
        for kept_out in [".env", ".git", "large", "binary", "out", "link"] {
            assert!(!everywhere.contains(kept_out), "{everywhere}");
        }
    }

    #[test]
    fn answers_are_bounded() {
        let many = lines(vec!["ä".repeat(1_000); 9_000], "", Seen::All);
        assert!(many.len() < 200_000, "{}", many.len());
        assert!(many.ends_with("(there is more; narrow it down)"));
    }
}
