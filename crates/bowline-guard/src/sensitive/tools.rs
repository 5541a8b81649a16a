//! Judges the calls of an agent's file tools.

use bowline_agents::Tool;

use crate::Strictness;
use crate::paths::{Place, ResolvedPath, Shape, World, glob, place, resolve, resolve_literal};

use super::names::is_code;
use super::{Access, Sensitivity, classify};

/// The fields of a tool's input that name files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToolFields<'input> {
    /// `file_path`, of Read, Edit, MultiEdit and Write.
    pub file_path: Option<&'input str>,
    /// `notebook_path`, of NotebookEdit and NotebookRead.
    pub notebook_path: Option<&'input str>,
    /// `path`, of Grep, Glob and LS.
    pub path: Option<&'input str>,
    /// `pattern`: of Glob a file pattern, of Grep a text that is not judged.
    pub pattern: Option<&'input str>,
    /// `glob`, of Grep: which files are searched.
    pub glob: Option<&'input str>,
    /// `type`, of Grep: which kind of source is searched.
    pub kind: Option<&'input str>,
}

impl<'input> ToolFields<'input> {
    /// The files and folders that are named, whichever of them the tool goes by.
    pub fn paths(&self) -> impl Iterator<Item = &'input str> + use<'input> {
        [self.file_path, self.notebook_path, self.path]
            .into_iter()
            .flatten()
    }
}

/// A sensitive file that a call would touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SensitiveFinding {
    /// How strict to be.
    pub strictness: Strictness,
    /// The rule's name.
    pub rule: &'static str,
    /// The path or pattern as the tool was given it.
    pub path: String,
    /// Where it leads, absolute, as far as that is known.
    pub paths: Vec<String>,
    /// What the file is.
    pub why: String,
    /// A safer way.
    pub instead: String,
}

/// Judges one call of a file tool; `None` if nothing speaks against it or it is no file tool.
pub fn judge_tool(
    tool: &str,
    input: &ToolFields<'_>,
    world: &dyn World,
) -> Option<SensitiveFinding> {
    let access = match Tool::named(tool) {
        Tool::Read => Access::Read,
        Tool::Write => Access::Write,
        Tool::Edit => Access::Edit,
        Tool::List => Access::List,
        Tool::Glob => return strictest(places(input).map(|path| judge_glob(path, input, world))),
        Tool::Grep => return strictest(places(input).map(|path| judge_grep(path, input, world))),
        Tool::Shell
        | Tool::PowerShell
        // Judged as the programs that do the same.
        | Tool::Delete
        | Tool::Move
        | Tool::Fetch
        | Tool::Delegate
        | Tool::Mcp
        | Tool::Unread
        | Tool::Other => return None,
    };
    strictest(
        input
            .paths()
            .map(|path| judge_path(&literal(path, world), access, world)),
    )
}

/// The places that a search is about; without one it is the current directory.
fn places<'input>(input: &ToolFields<'input>) -> impl Iterator<Item = Option<&'input str>> {
    let nowhere = input.paths().next().is_none().then_some(None);
    input.paths().map(Some).chain(nowhere)
}

/// The first of the strictest.
fn strictest(findings: impl Iterator<Item = Option<SensitiveFinding>>) -> Option<SensitiveFinding> {
    findings.flatten().reduce(|before, found| {
        if found.strictness > before.strictness {
            found
        } else {
            before
        }
    })
}

fn judge_glob(
    path: Option<&str>,
    input: &ToolFields<'_>,
    world: &dyn World,
) -> Option<SensitiveFinding> {
    let directory = path.map(|path| literal(path, world));
    let pattern = below(
        directory.as_ref(),
        input.pattern.unwrap_or("*"),
        Depth::Direct,
    );
    let found = judge_path(&resolve(&pattern, world), Access::Glob, world);
    found.map(|found| SensitiveFinding {
        path: input.pattern.or(path).unwrap_or_default().to_owned(),
        ..found
    })
}

/// Judges one access to one path, with the project's own patterns.
pub fn judge_path(
    path: &ResolvedPath,
    access: Access,
    world: &dyn World,
) -> Option<SensitiveFinding> {
    let (strictness, reason) = match classify(path, access, world) {
        Sensitivity::Secret(reason) => (Strictness::Deny, reason),
        Sensitivity::Maybe(reason) => (Strictness::Ask, reason),
        Sensitivity::Public => return None,
    };
    Some(SensitiveFinding {
        strictness,
        rule: reason.rule,
        path: path.written.clone(),
        paths: path.known_paths(),
        why: reason.why.to_owned(),
        instead: reason.instead.to_owned(),
    })
}

fn judge_grep(
    path: Option<&str>,
    input: &ToolFields<'_>,
    world: &dyn World,
) -> Option<SensitiveFinding> {
    let directory = path.map(|path| literal(path, world));
    let restricted = input
        .glob
        .filter(|glob| !glob.trim_start().starts_with('!'));
    let narrow =
        restricted.is_some_and(|glob| is_code(glob.trim_end_matches('}'))) || input.kind.is_some();
    let tree = directory.as_ref().and_then(|path| {
        // With a restriction only the path itself is certain to be read.
        if narrow || restricted.is_some() {
            return judge_path(path, Access::Read, world);
        }
        judge_path(path, Access::Search, world).or_else(|| judge_breadth(path, world))
    });
    let by_glob = restricted.and_then(|glob| {
        let pattern = below(directory.as_ref(), glob, Depth::Any);
        judge_path(&resolve(&pattern, world), Access::Search, world).map(|found| SensitiveFinding {
            path: glob.to_owned(),
            ..found
        })
    });
    // The stricter of both; the path's own finding if they agree.
    match (tree, by_glob) {
        (Some(tree), Some(by_glob)) if by_glob.strictness > tree.strictness => Some(by_glob),
        (tree, by_glob) => tree.or(by_glob),
    }
}

/// A search through a whole home or the whole machine reads every secret there.
fn judge_breadth(path: &ResolvedPath, world: &dyn World) -> Option<SensitiveFinding> {
    let why = search_of_everything(path, world)?;
    Some(SensitiveFinding {
        strictness: Strictness::Ask,
        rule: super::SEARCH_EVERYTHING.rule,
        path: path.written.clone(),
        paths: path.known_paths(),
        why,
        instead: super::SEARCH_EVERYTHING.instead.to_owned(),
    })
}

/// What speaks against reading everything below a place, if that is a whole home or the whole machine.
pub(crate) fn search_of_everything(path: &ResolvedPath, world: &dyn World) -> Option<String> {
    let whole = match place(path, world) {
        Place::Root => "the whole machine",
        Place::HomeItself => "the whole home",
        Place::OtherHome if path.home.as_deref() == Some(path.path.as_str()) => "another home",
        _ => return None,
    };
    (!world.sensitive_policy().allows(path, world))
        .then(|| format!("a search through {whole} reads the keys and logins in it, too"))
}

fn literal(path: &str, world: &dyn World) -> ResolvedPath {
    resolve_literal(path, world)
}

/// Where a pattern without a folder looks.
#[derive(Clone, Copy)]
enum Depth {
    Direct,
    Any,
}

/// The pattern as seen from the directory that is searched.
fn below(directory: Option<&ResolvedPath>, pattern: &str, depth: Depth) -> String {
    let absolute = pattern.starts_with(['/', '~', '$']);
    let deep = match depth {
        Depth::Any if !pattern.contains('/') => format!("**/{pattern}"),
        Depth::Any | Depth::Direct => pattern.to_owned(),
    };
    match directory {
        _ if absolute => pattern.to_owned(),
        None => deep,
        Some(directory) if directory.shape == Shape::Exact => {
            format!(
                "{}/{deep}",
                escape(directory.target.as_deref().unwrap_or(&directory.path))
            )
        }
        Some(directory) => format!("{}/{deep}", directory.path),
    }
}

/// A directory's own wildcard characters are plain ones here.
fn escape(directory: &str) -> String {
    if !glob::has_wildcard(directory) && !directory.contains('$') {
        return directory.to_owned();
    }
    directory.replace(['*', '?', '[', ']', '{', '}', '$', '`'], "_")
}
