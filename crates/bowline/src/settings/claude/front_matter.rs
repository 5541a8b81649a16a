//! Finds the skills and sub-agents that bring hooks in their front matter.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::hook::Activation;
use crate::settings::files::{self, finding};
use crate::settings::hooks::read::Syntax;
use crate::settings::syntax::node::Value;
use crate::settings::syntax::tree::{start, tree};
use crate::settings::syntax::yaml;
use crate::settings::{Diagnostic, FileKind, Severity};

/// How deep folders of sub-agents are searched.
const MAX_DEPTH: usize = 8;
/// How many files of sub-agents are looked at.
const MAX_FILES: usize = 4096;

/// A skill or sub-agent with hooks.
#[derive(Debug)]
pub(in crate::settings) struct Found {
    pub(in crate::settings) path: PathBuf,
    pub(in crate::settings) kind: FileKind,
    pub(in crate::settings) activation: Activation,
    pub(in crate::settings) text: String,
}

impl Found {
    /// It is a plugin's, and called by the plugin's name as well.
    pub(in crate::settings) fn belongs_to(&mut self, plugin: &str) {
        if let Activation::Skill(name) | Activation::Agent(name) = &mut self.activation {
            *name = format!("{plugin}:{name}");
        }
    }
}

/// The skills and sub-agents below one of Claude Code's folders.
pub(in crate::settings) fn find(
    claude_dir: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Found> {
    let mut found = Vec::new();
    for folder in entries(&claude_dir.join("skills"), diagnostics) {
        let name = file_name(&folder);
        found.extend(read(
            folder.join("SKILL.md"),
            FileKind::Skill,
            name,
            diagnostics,
        ));
    }
    for path in markdown_files(&claude_dir.join("agents"), diagnostics) {
        let name = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        found.extend(read(path, FileKind::Agent, name, diagnostics));
    }
    found
}

fn read(
    path: PathBuf,
    kind: FileKind,
    fallback: Option<String>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Found> {
    let text = match files::read_text(&path) {
        Ok(text) => text?,
        Err(unreadable) => {
            diagnostics.push(unreadable.diagnostic(&path));
            return None;
        }
    };
    let written = match tree(&text, Syntax::FrontMatter) {
        Ok(Some(root)) => {
            root.get("hooks")?;
            root.get("name").and_then(|name| match &name.value {
                Value::String(name) if !name.is_empty() => Some(name.clone()),
                _ => None,
            })
        }
        Ok(None) if !yaml::is_unclosed(text.get(start(&text)..)?) => return None,
        // The reader of the hooks reports what is wrong with it.
        Ok(None) | Err(_) => None,
    };
    let name = written.or(fallback)?;
    let activation = match kind {
        FileKind::Agent => Activation::Agent(name),
        _ => Activation::Skill(name),
    };
    Some(Found {
        path,
        kind,
        activation,
        text,
    })
}

/// The Markdown files below a folder, by path. Linked folders are followed, each once.
fn markdown_files(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    let mut level = vec![folder.to_owned()];
    for _ in 0..MAX_DEPTH {
        let mut below = Vec::new();
        for folder in level {
            if !folder.canonicalize().is_ok_and(|real| seen.insert(real)) {
                continue;
            }
            for path in entries(&folder, diagnostics) {
                if path.is_dir() {
                    below.push(path);
                } else if path.extension().is_some_and(|extension| extension == "md") {
                    found.push(path);
                }
            }
            if found.len() + seen.len() > MAX_FILES {
                diagnostics.push(finding(
                    Severity::Warning,
                    "too-many-files",
                    &folder,
                    format!(
                        "more than {MAX_FILES} files and folders of sub-agents; the rest is skipped"
                    ),
                    "is this the right folder?",
                ));
                found.sort();
                return found;
            }
        }
        level = below;
    }
    found.sort();
    found
}

fn entries(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    files::list(folder).unwrap_or_else(|unreadable| {
        diagnostics.push(unreadable.diagnostic(folder));
        Vec::new()
    })
}

fn file_name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}
