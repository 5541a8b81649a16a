//! What is wrong with settings, as reports show it.

use std::ops::Range;
use std::path::{Path, PathBuf};

use bowline::settings::{Diagnostic, Severity};
use bowline_agents::shell_word;
use serde::Serialize;

use crate::project::{self, Paths};
use crate::ui::counted;

/// More files than this are counted, not named.
const MOST_NAMES: usize = 5;

/// One finding.
#[derive(Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    pub(crate) code: &'static str,
    #[serde(serialize_with = "project::lossy_option")]
    pub(crate) file: Option<PathBuf>,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Bytes of the file, `start` to before `end`.
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl From<Diagnostic> for Finding {
    fn from(diagnostic: Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code,
            file: diagnostic.file,
            line: diagnostic.line,
            column: diagnostic.column,
            span: diagnostic.span,
            message: diagnostic.message,
            help: diagnostic.help,
        }
    }
}

/// One line about the errors and warnings, for reports that are about something else: a hook that was
/// dropped must not be taken for an all-clear.
pub(crate) fn problems(findings: &[Finding], paths: &Paths, dir: Option<&Path>) -> Option<String> {
    let serious = || {
        findings
            .iter()
            .filter(|finding| finding.severity != Severity::Note)
    };
    let count = match serious().count() {
        0 => return None,
        count => counted(count, "problem"),
    };
    let mut files: Vec<String> = Vec::new();
    for file in serious().filter_map(|finding| finding.file.as_deref()) {
        let name = paths.show(file);
        if !files.contains(&name) {
            files.push(name);
        }
    }
    if let Some(more @ 1..) = files.len().checked_sub(MOST_NAMES) {
        files.truncate(MOST_NAMES);
        files.push(format!("{more} more"));
    }
    let files = match files.join(", ") {
        names if names.is_empty() => names,
        names => format!(" ({names})"),
    };
    let argument = dir
        .map(|dir| format!(" {}", shell_word(&dir.to_string_lossy())))
        .unwrap_or_default();
    Some(format!(
        "{count} in the settings{files}: see `bowline check{argument}`"
    ))
}
