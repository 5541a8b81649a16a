//! `.claude/sensitive-files.json`: the files of a project that are secret besides the built-in rules, and those that
//! pass. Only `patterns.custom_patterns` and `allowlist` are read; its other lists are for people.

use std::path::{Path, PathBuf};

use bowline_guard::sensitive::SensitivePolicy;

use super::Diagnostic;
use super::fields::{Fields, described, shortened};
use super::files::FileText;
use super::findings::Findings;
use super::load::{FileKind, FileStatus, SettingsFile};
use super::locations::CLAUDE_FOLDER;
use super::model::Scope;
use super::node::{Entry, Node, Span, Value};
use super::read::{Syntax, tree};
use super::tree::start;
use super::trust::TrustState;

/// The name of the file in the project's `.claude` folder.
pub(super) const FILE: &str = "sensitive-files.json";

/// The file as it is named from the project.
pub(super) const PATH: &str = ".claude/sensitive-files.json";

const CUSTOM: &str = "custom_patterns";
const ALLOW: &str = "allowlist";

/// More patterns than this are not used: each costs memory for as long as the project is worked on.
const MAX_PATTERNS: usize = 500;

/// What the projects' `sensitive-files.json` say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SensitiveFiles {
    /// Which files are secret, too. They count whether the project is trusted or not.
    pub custom: Vec<SensitivePattern>,
    /// Which files pass whatever the rules say.
    pub allow: Vec<SensitivePattern>,
    /// What would let files pass, but is not trusted.
    pub ignored: Vec<SensitivePattern>,
}

impl SensitiveFiles {
    /// The patterns, ready for use.
    pub fn policy(&self) -> SensitivePolicy {
        let texts = |patterns: &[SensitivePattern]| -> Vec<String> {
            patterns.iter().map(|it| it.pattern.clone()).collect()
        };
        // What cannot be used was left out when the file was read.
        SensitivePolicy::parse(texts(&self.custom), texts(&self.allow)).0
    }
}

/// A regular expression for paths, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SensitivePattern {
    /// As written.
    pub pattern: String,
    /// The file that it stands in.
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 1.
    pub column: usize,
}

/// The file of a project.
pub(super) fn file_of(project: &Path) -> PathBuf {
    project.join(CLAUDE_FOLDER).join(FILE)
}

/// Whether the allow-list of a project counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowList {
    /// The user trusts it.
    Trusted,
    /// The user has not trusted it.
    Untrusted,
    /// It stands in a folder that trust is not recorded for.
    NotCovered,
}

/// What was found in a project's files.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) patterns: SensitiveFiles,
    pub(super) files: Vec<SettingsFile>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Reads the file that trust covers, and the project's own if that is another one.
pub(super) fn load(
    covered: &FileText,
    project: &Path,
    bowline_root: &Path,
    trust: TrustState,
) -> Loaded {
    let mut loaded = Loaded::default();
    let allow_list = if trust.covers_allow_list() {
        AllowList::Trusted
    } else {
        AllowList::Untrusted
    };
    loaded.add(covered, allow_list);
    let own = file_of(project);
    if project != bowline_root && own.canonicalize().ok() != covered.path.canonicalize().ok() {
        loaded.add(&FileText::read(own), AllowList::NotCovered);
    }
    loaded
}

impl Loaded {
    fn add(&mut self, file: &FileText, allow_list: AllowList) {
        let status = match &file.text {
            Ok(None) => return,
            Ok(Some(text)) => {
                let outcome = read(&file.path, text, allow_list, &mut self.patterns);
                self.diagnostics.extend(outcome.diagnostics);
                outcome.status
            }
            Err(unreadable) => {
                self.diagnostics.push(unreadable.diagnostic(&file.path));
                FileStatus::Unreadable {
                    reason: unreadable.reason.clone(),
                }
            }
        };
        self.files.push(SettingsFile {
            path: file.path.clone(),
            kind: FileKind::SensitiveFiles,
            scope: Scope::Project,
            status,
            hooks: 0,
        });
    }
}

/// Whether a text has an allow-list, so that it needs to be trusted.
pub(super) fn loosens(text: &str) -> bool {
    let Ok(Some(root)) = super::tree::tree(text, Syntax::Json) else {
        return false;
    };
    let mut findings = Findings::new(text, 0, None);
    let Some(mut fields) = Fields::of(&root, &mut findings) else {
        return false;
    };
    let list = fields.take(ALLOW);
    list.is_some_and(|list| !entries(list, &mut findings).is_empty())
}

/// What came of one file.
#[derive(Debug)]
struct Outcome {
    diagnostics: Vec<Diagnostic>,
    status: FileStatus,
}

/// Adds what a text says. One bad entry takes no other with it.
fn read(path: &Path, text: &str, allow_list: AllowList, files: &mut SensitiveFiles) -> Outcome {
    let base = start(text);
    let body = text.get(base..).unwrap_or_default();
    let mut findings = Findings::new(text, base, Some(path));
    let status = match tree(body, base, Syntax::Json, &mut findings) {
        Ok(None) => FileStatus::Read,
        Ok(Some(root)) => {
            read_root(&root, path, allow_list, files, &mut findings);
            FileStatus::Read
        }
        Err(error) => {
            findings.error(
                "syntax",
                &error.span,
                error.message,
                "no pattern of this file is used until it is corrected; the built-in rules stay in force",
            );
            FileStatus::Broken
        }
    };
    let mut diagnostics = findings.finish();
    // Claude Code does not read this file.
    diagnostics.retain(|finding| finding.code != "not-strict-json");
    Outcome {
        diagnostics,
        status,
    }
}

/// Checks a file by itself, as if it were trusted.
pub(super) fn check(file: &FileText) -> Vec<Diagnostic> {
    match &file.text {
        Ok(Some(text)) => {
            let mut unused = SensitiveFiles::default();
            read(&file.path, text, AllowList::Trusted, &mut unused).diagnostics
        }
        Ok(None) | Err(_) => Vec::new(),
    }
}

fn read_root(
    root: &Node,
    path: &Path,
    allow_list: AllowList,
    files: &mut SensitiveFiles,
    findings: &mut Findings<'_>,
) {
    let Some(mut fields) = Fields::of(root, findings) else {
        findings.error(
            "wrong-type",
            &root.span,
            format!("the file is {}; expected an object", described(root)),
            "write {\"patterns\": {\"custom_patterns\": []}, \"allowlist\": []}",
        );
        return;
    };
    if let Some(patterns) = fields.take("patterns") {
        match Fields::of(&patterns.value, findings) {
            Some(mut patterns) => {
                let custom = located(patterns.take(CUSTOM), path, findings);
                files.custom.extend(custom.into_iter().map(|(it, _)| it));
            }
            None => {
                fields.wrong_kind(patterns, "an object with `custom_patterns`", findings);
            }
        }
    }
    for (pattern, span) in located(fields.take(ALLOW), path, findings) {
        if allow_list == AllowList::Trusted {
            files.allow.push(pattern);
            continue;
        }
        let entry = format!("`{ALLOW}` entry `{}`", shortened(&pattern.pattern));
        let (code, why, help) = match allow_list {
            AllowList::NotCovered => (
                "not-covered",
                "trust covers only the file beside bowline.toml",
                "move the entry to that file",
            ),
            AllowList::Trusted | AllowList::Untrusted => (
                "untrusted",
                "the project's settings are not trusted",
                "look at it with `bowline trust`",
            ),
        };
        findings.note(code, &span, format!("{entry} is ignored: {why}"), help);
        files.ignored.push(pattern);
    }
}

/// The patterns of a list that can be used.
fn located(
    list: Option<&Entry>,
    path: &Path,
    findings: &mut Findings<'_>,
) -> Vec<(SensitivePattern, Span)> {
    let Some(list) = list else {
        return Vec::new();
    };
    let mut patterns = Vec::new();
    for (text, span) in entries(list, findings) {
        let (policy, bad) = SensitivePolicy::parse([text], [""; 0]);
        if let Some(bad) = bad.first() {
            let problem = bad.problem.lines().last().unwrap_or_default();
            findings.error(
                "bad-pattern",
                span,
                format!("`{}` is no regular expression: {problem}", shortened(text)),
                "correct it; the other entries are used",
            );
            continue;
        }
        if policy.custom_patterns.iter().any(|it| it.is_match("")) {
            findings.warning(
                "matches-everything",
                span,
                format!("`{}` is found in every path", shortened(text)),
                "name the files that are meant, such as `^fixtures/`",
            );
        }
        if patterns.len() == MAX_PATTERNS {
            findings.error(
                "too-many-patterns",
                span,
                format!("only the first {MAX_PATTERNS} entries are used"),
                "put several into one pattern: `a|b`",
            );
            break;
        }
        let (line, column) = findings.position(span.start);
        let pattern = SensitivePattern {
            pattern: text.to_owned(),
            file: path.to_owned(),
            line,
            column,
        };
        patterns.push((pattern, span.clone()));
    }
    patterns
}

/// The entries of a list that are no comments.
fn entries<'n>(list: &'n Entry, findings: &mut Findings<'_>) -> Vec<(&'n str, &'n Span)> {
    let name = shortened(&list.key.text);
    let Value::List(nodes) = &list.value.value else {
        findings.error(
            "wrong-type",
            &list.value.span,
            format!(
                "`{name}` is {}; expected a list of regular expressions",
                described(&list.value)
            ),
            "write a list of strings, or leave the key out",
        );
        return Vec::new();
    };
    let mut entries = Vec::new();
    for node in nodes {
        match &node.value {
            Value::String(text) => {
                let text = text.trim();
                if !text.is_empty() && !text.starts_with('#') {
                    entries.push((text, &node.span));
                }
            }
            _ => findings.error(
                "wrong-type",
                &node.span,
                format!(
                    "an entry of `{name}` is {}; expected a string",
                    described(node)
                ),
                "write a regular expression in quotes; the other entries are used",
            ),
        }
    }
    entries
}
