//! `.claude/sensitive-files.json`: the files of a project that are secret besides the built-in rules, and those that
//! pass. Only `patterns.custom_patterns` and `allowlist` are read; its other lists are for people.

use std::path::{Path, PathBuf};

use bowline_guard::sensitive::SensitivePolicy;
use regex::{Regex, RegexBuilder};

use crate::settings::Diagnostic;
use crate::settings::files::FileText;
use crate::settings::files::locations::CLAUDE_FOLDER;
use crate::settings::hooks::model::Scope;
use crate::settings::hooks::read::{Syntax, tree};
use crate::settings::load::settings::{FileKind, FileStatus, SettingsFile};
use crate::settings::syntax::fields::{Fields, described, shortened};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::json::Reader;
use crate::settings::syntax::node::{Entry, Node, Span, Value};
use crate::settings::syntax::tree::start;
use crate::settings::trust::store::TrustState;

/// The name of the file in the project's `.claude` folder.
pub(in crate::settings) const FILE: &str = "sensitive-files.json";

/// The file as it is named from the project.
pub(in crate::settings) const PATH: &str = ".claude/sensitive-files.json";

const CUSTOM: &str = "custom_patterns";
const ALLOW: &str = "allowlist";

/// Of a list no more entries than this are looked at: each costs time, and memory for as long as the project is worked
/// on.
const MAX_PATTERNS: usize = 500;
/// The memory for a compiled pattern. A small limit is tried first, because an attempt costs as much as its limit.
const SIZES: [usize; 3] = [16 << 10, 256 << 10, 1 << 20];
/// The memory for all patterns and attempts together.
const MAX_SIZE: usize = 16 << 20;

/// What the projects' `sensitive-files.json` say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SensitiveFiles {
    /// Which files are secret, too. They count whether the project is trusted or not.
    pub custom: Vec<SensitivePattern>,
    /// Which files pass whatever the rules say.
    pub allow: Vec<SensitivePattern>,
    /// Patterns that would let files pass, but are not trusted.
    pub ignored: Vec<SensitivePattern>,
}

impl SensitiveFiles {
    /// The patterns, ready for use.
    pub fn policy(&self) -> SensitivePolicy {
        let compiled = |patterns: &[SensitivePattern]| -> Vec<Regex> {
            patterns.iter().map(|it| it.compiled.0.clone()).collect()
        };
        SensitivePolicy {
            custom_patterns: compiled(&self.custom),
            allow: compiled(&self.allow),
            ..SensitivePolicy::default()
        }
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
    #[serde(skip)]
    compiled: Compiled,
}

/// A regular expression, which is what it is written as.
#[derive(Debug, Clone)]
struct Compiled(Regex);

impl PartialEq for Compiled {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Compiled {}

/// What is left of [`MAX_SIZE`].
#[derive(Debug)]
struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_SIZE)
    }
}

/// Why a pattern is not used.
#[derive(Debug)]
enum Unusable {
    /// It is wrong, or too large by itself.
    Bad(String),
    /// No memory is left.
    NoRoom,
}

impl Budget {
    fn compile(&mut self, pattern: &str) -> Result<Regex, Unusable> {
        for size in SIZES {
            self.0 = self.0.checked_sub(size).ok_or(Unusable::NoRoom)?;
            match RegexBuilder::new(pattern).size_limit(size).build() {
                Ok(regex) => return Ok(regex),
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(Unusable::Bad(error.to_string())),
            }
        }
        Err(Unusable::Bad("it is too large".to_owned()))
    }
}

/// The file of a project.
pub(in crate::settings) fn file_of(project: &Path) -> PathBuf {
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
pub(in crate::settings) struct Loaded {
    pub(in crate::settings) patterns: SensitiveFiles,
    pub(in crate::settings) files: Vec<SettingsFile>,
    pub(in crate::settings) diagnostics: Vec<Diagnostic>,
    budget: Budget,
}

/// Reads the file that trust covers, and the project's own if that is another one.
pub(in crate::settings) fn load(
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
                let into = (&mut self.patterns, &mut self.budget);
                let outcome = read(&file.path, text, allow_list, into);
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
pub(in crate::settings) fn loosens(text: &str) -> bool {
    let Ok(Some(root)) = crate::settings::syntax::tree::tree(text, Syntax::Json) else {
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
fn read(
    path: &Path,
    text: &str,
    allow_list: AllowList,
    (files, budget): (&mut SensitiveFiles, &mut Budget),
) -> Outcome {
    let base = start(text);
    let body = text.get(base..).unwrap_or_default();
    let mut findings = Findings::new(text, base, Some(path));
    let status = match tree(body, base, Syntax::Json, Reader::Other, &mut findings) {
        Ok(None) => FileStatus::Read,
        Ok(Some(root)) => {
            let mut source = Source {
                path,
                budget,
                findings: &mut findings,
            };
            read_root(&root, allow_list, files, &mut source);
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
pub(in crate::settings) fn check(file: &FileText) -> Vec<Diagnostic> {
    match &file.text {
        Ok(Some(text)) => {
            let (mut files, mut budget) = (SensitiveFiles::default(), Budget::default());
            let unused = (&mut files, &mut budget);
            read(&file.path, text, AllowList::Trusted, unused).diagnostics
        }
        Ok(None) | Err(_) => Vec::new(),
    }
}

/// The file that is read.
#[derive(Debug)]
struct Source<'a, 'text> {
    path: &'a Path,
    budget: &'a mut Budget,
    findings: &'a mut Findings<'text>,
}

fn read_root(
    root: &Node,
    allow_list: AllowList,
    files: &mut SensitiveFiles,
    source: &mut Source<'_, '_>,
) {
    let Some(mut fields) = Fields::of(root, source.findings) else {
        source.findings.error(
            "wrong-type",
            &root.span,
            format!("the file is {}; expected an object", described(root)),
            "write {\"patterns\": {\"custom_patterns\": []}, \"allowlist\": []}",
        );
        return;
    };
    if let Some(patterns) = fields.take("patterns") {
        match Fields::of(&patterns.value, source.findings) {
            Some(mut patterns) => {
                let custom = located(patterns.take(CUSTOM), source);
                files.custom.extend(custom.into_iter().map(|(it, _)| it));
            }
            None => {
                fields.wrong_kind(
                    patterns,
                    "an object with `custom_patterns`",
                    source.findings,
                );
            }
        }
    }
    for (pattern, span) in located(fields.take(ALLOW), source) {
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
        source
            .findings
            .note(code, &span, format!("{entry} is ignored: {why}"), help);
        files.ignored.push(pattern);
    }
}

/// The patterns of a list that can be used.
fn located(list: Option<&Entry>, source: &mut Source<'_, '_>) -> Vec<(SensitivePattern, Span)> {
    let Source {
        path,
        budget,
        findings,
    } = source;
    let Some(list) = list else {
        return Vec::new();
    };
    let mut patterns = Vec::new();
    for (at, (text, span)) in entries(list, findings).into_iter().enumerate() {
        // Those that cannot be used count, too: finding that out is what costs.
        if at == MAX_PATTERNS {
            findings.error(
                "too-many-patterns",
                span,
                format!("only the first {MAX_PATTERNS} entries are used"),
                "put several into one pattern: `a|b`",
            );
            break;
        }
        let regex = match budget.compile(text) {
            Ok(regex) => regex,
            Err(Unusable::Bad(problem)) => {
                let problem = problem.lines().last().unwrap_or_default();
                findings.error(
                    "bad-pattern",
                    span,
                    format!(
                        "`{}` cannot be used as a regular expression: {problem}",
                        shortened(text)
                    ),
                    "correct it; the other entries are used",
                );
                continue;
            }
            Err(Unusable::NoRoom) => {
                findings.error(
                    "patterns-too-large",
                    span,
                    "the patterns take too much memory together: this entry and those after it are not used".to_owned(),
                    "write simpler ones: `[a-z]` for `\\w`, `+` for `{25}`",
                );
                break;
            }
        };
        if regex.is_match("") {
            findings.warning(
                "matches-everything",
                span,
                format!("`{}` is found in every path", shortened(text)),
                "name the files that are meant, such as `^fixtures/`",
            );
        }
        let (line, column) = findings.position(span.start);
        let pattern = SensitivePattern {
            pattern: text.to_owned(),
            file: path.to_path_buf(),
            line,
            column,
            compiled: Compiled(regex),
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
