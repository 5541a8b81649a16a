//! Reads the text of one settings file into hooks and findings.

use std::path::PathBuf;

use super::shape;
use crate::dialect::Dialect;
use crate::hook::Activation;
use crate::settings::claude::traps;
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::json;
use crate::settings::syntax::json::Reader;
use crate::settings::syntax::limits;
use crate::settings::syntax::node::{Node, SyntaxError, shifted};
use crate::settings::syntax::toml;
use crate::settings::syntax::yaml;
use crate::settings::{Defaults, Diagnostic, HookDefinition, Plugin, Scope};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// JSON; comments and trailing commas are read, with a warning.
    Json,
    /// TOML.
    Toml,
    /// Markdown with YAML front matter between `---` lines.
    FrontMatter,
}

/// Which rules apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialectChoice {
    /// These.
    Fixed(Dialect),
    /// Claude Code's for the nested form with string matchers, else the generic ones.
    ByShape,
}

/// What is known of a text before it is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Source {
    /// How it is written.
    pub syntax: Syntax,
    /// Which rules apply.
    pub dialect: DialectChoice,
    /// Whose file it is.
    pub scope: Scope,
    /// The file.
    pub file: Option<PathBuf>,
    /// The plugin that it belongs to.
    pub plugin: Option<Plugin>,
    /// When its hooks are in force.
    pub activation: Activation,
    /// What applies to hooks that say nothing themselves, in place of what the file says; `None` to go by the file.
    pub defaults: Option<Defaults>,
}

impl Source {
    /// A text of the given syntax and rules, in the project's scope.
    pub fn new(syntax: Syntax, dialect: DialectChoice) -> Self {
        Self {
            syntax,
            dialect,
            scope: Scope::Project,
            file: None,
            plugin: None,
            activation: Activation::Always,
            defaults: None,
        }
    }
}

/// What a text says, and what is wrong with it.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Parsed {
    /// The hooks, in the order of the file.
    pub hooks: Vec<HookDefinition>,
    /// The findings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// The finding for a text with wrong syntax.
const SYNTAX: &str = "syntax";

impl Parsed {
    /// Whether the text is not valid JSON, TOML or YAML, so that nothing in it counts.
    pub fn is_broken(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|finding| finding.code == SYNTAX)
    }
}

/// Reads JSON settings by fixed rules.
pub fn parse(text: &str, dialect: Dialect) -> Parsed {
    parse_source(
        text,
        &Source::new(Syntax::Json, DialectChoice::Fixed(dialect)),
    )
}

/// What is wrong with JSON settings, by fixed rules. Nothing is run.
pub fn validate(text: &str, dialect: Dialect) -> Vec<Diagnostic> {
    parse(text, dialect).diagnostics
}

/// Reads the text of one file.
pub fn parse_source(text: &str, source: &Source) -> Parsed {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let base = text.len() - body.len();
    let mut findings = Findings::new(text, base, source.file.as_deref());
    let reader = traps::reader(source);
    match tree(body, base, source.syntax, reader, &mut findings) {
        Ok(Some(root)) => shape::read(&root, source, findings),
        Ok(None) => Parsed {
            hooks: Vec::new(),
            diagnostics: findings.finish(),
        },
        Err(error) => {
            findings.error(
                SYNTAX,
                &error.span,
                error.message,
                "no hook of this file is used until it is corrected",
            );
            Parsed {
                hooks: Vec::new(),
                diagnostics: findings.finish(),
            }
        }
    }
}

/// The tree of a text that begins at byte `base` of the file; `None` when there is nothing to read in it.
pub(in crate::settings) fn tree(
    body: &str,
    base: usize,
    syntax: Syntax,
    reader: Reader,
    findings: &mut Findings<'_>,
) -> Result<Option<Node>, SyntaxError> {
    limits::check(body, syntax).map_err(|error| SyntaxError {
        span: shifted(error.span, base),
        ..error
    })?;
    if body.trim().is_empty() {
        return Ok(None);
    }
    match syntax {
        Syntax::Json => json::read(body, base, reader, findings),
        Syntax::Toml => toml::read(body, base).map(Some),
        Syntax::FrontMatter => yaml::read(body, base, findings),
    }
}

#[cfg(test)]
mod tests;
