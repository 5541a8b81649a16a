//! The project that a command is about, and how its paths are shown.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::settings::{
    self, Diagnostic, FileKind, GuardMode, HookDefinition, HookStatus, LoadedHook, LoadedRule,
    Locations, Settings, SettingsFile, TrustState, main_checkout,
};
use bowline_agents::DEFAULT;
use bowline_builtins::continuity::Live;
use bowline_builtins::machine::Machine;
use bowline_builtins::rule::{Compiled, compile_rules};
use bowline_builtins::{Analyst, Builtins, Ledger, SharedState, own_places};
use bowline_guard::sensitive::SensitivePolicy;
use bowline_guard::tool_call::ToolCall;
use bowline_store::Store;
use serde::{Serialize, Serializer};

use crate::error::{Error, Result};
use crate::ui::reveal;

/// The folder that was named, or the current one, as an absolute path.
pub(crate) fn folder(named: Option<&Path>) -> Result<PathBuf> {
    let folder = match named {
        Some(folder) => std::path::absolute(folder),
        None => std::env::current_dir(),
    }
    .map_err(|source| {
        Error::file("find", named.unwrap_or(Path::new(".")), source)
            .hint("run bowline in a folder that exists, or name one")
    })?;
    match folder.metadata() {
        Ok(found) if found.is_dir() => Ok(folder),
        Ok(_) => Err(Error::file(
            "open",
            &folder,
            io::Error::from(io::ErrorKind::NotADirectory),
        )
        .hint("name the project's folder, not a file in it")),
        Err(source) => {
            Err(Error::file("open", &folder, source).hint("name a project's folder that exists"))
        }
    }
}

/// The settings of the project that the folder belongs to.
pub(crate) fn load(folder: &Path) -> Settings {
    let locations = Locations::from_env();
    let mut settings = settings::load(&settings::find_project(folder, &locations), &locations);
    settings.allowances = settings.allowances.for_looking();
    settings
}

/// Whether the project's hooks for Claude Code are trusted, if the settings want them under other agents, too.
pub(crate) fn bridged_trust(settings: &Settings) -> TrustState {
    if settings.config.bridge.claude_hooks {
        settings.claude_hooks.trust
    } else {
        TrustState::NotNeeded
    }
}

/// The hooks that Bowline adds to the project's own.
pub(crate) fn builtins(settings: &Settings) -> Builtins {
    builtins_of(settings, &shared_after(None))
}

/// What the hooks share, with what a store has about sessions.
pub(crate) fn shared_after(store: Option<Arc<dyn Store>>) -> SharedState {
    let mut shared = SharedState::new(Machine::from_env());
    shared.live = Arc::new(Live::new(store.clone()));
    shared.ledger = Arc::new(Ledger::new(store));
    shared
}

/// The hooks that Bowline adds, on what they share.
pub(crate) fn builtins_of(settings: &Settings, shared: &SharedState) -> Builtins {
    let own_places = own_places(|name| std::env::var_os(name));
    Builtins::of_caller(settings, shared, own_places)
}

/// What becomes of the guards' verdicts under the default agent.
pub(crate) fn mode(builtins: &Builtins) -> GuardMode {
    let guards = &builtins.guards;
    guards
        .policy((Some(DEFAULT.name), None), None, &ToolCall::default().files)
        .mode
}

/// Whether the hooks of this file are run by Bowline, and not by the agent that the file belongs to.
pub(crate) fn is_run_by_bowline(settings: &Settings, file: Option<&Path>) -> bool {
    let mut files = settings.files.iter();
    files.any(|it| it.kind == FileKind::BowlineConfig && Some(it.path.as_path()) == file)
}

/// What is wrong with the scripts that the project's hooks call.
pub(crate) fn script_findings(settings: &Settings) -> Vec<Diagnostic> {
    let hooks = checked_hooks(settings);
    settings::script_findings(hooks, &settings.project, &Locations::from_env())
}

/// The programs that the project's hooks call, and that are not on the path.
pub(crate) fn program_findings(settings: &Settings) -> Vec<Diagnostic> {
    let hooks = checked_hooks(settings);
    let path = std::env::var_os("PATH").unwrap_or_default();
    settings::program_findings(hooks, &settings.project, &Locations::from_env(), &path)
}

/// The hooks whose commands are looked at. One that is switched off by itself calls nothing; where all are off for now, they will
/// be on again.
fn checked_hooks(settings: &Settings) -> impl Iterator<Item = &HookDefinition> {
    let all_off = settings.claude_hooks_off.as_ref();
    let is_checked = move |hook: &&LoadedHook| match &hook.status {
        HookStatus::InForce | HookStatus::Untrusted => true,
        HookStatus::Disabled { by } => Some(by) == all_off,
        _ => false,
    };
    let hooks = settings.hooks.iter().filter(is_checked);
    hooks.map(|hook| &hook.definition)
}

/// What happens to the rules of a file that is checked alone.
pub(crate) fn rules_of_file(path: &Path, rules: &[LoadedRule]) -> Compiled {
    let locations = Locations::from_env();
    let folder = std::path::absolute(path.parent().unwrap_or(path)).unwrap_or_default();
    let analyst = Analyst::new(
        Arc::new(Machine::from_env()),
        settings::find_project(&folder, &locations),
        SensitivePolicy::default(),
    );
    compile_rules(rules, &Arc::new(analyst))
}

/// Shows paths as short as they can be understood.
#[derive(Debug)]
pub(crate) struct Paths {
    project: PathBuf,
    home: Option<PathBuf>,
}

impl Paths {
    pub(crate) fn of(project: &Path) -> Self {
        Self {
            project: project.to_owned(),
            home: Locations::from_env().home,
        }
    }

    /// Relative to the project, or from the home folder with `~`, or as it is.
    pub(crate) fn show(&self, path: &Path) -> String {
        match path.strip_prefix(&self.project) {
            Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Ok(inside) => shown(inside),
            Err(_) => self.show_absolute(path),
        }
    }

    /// From the home folder with `~`, or as it is.
    pub(crate) fn show_absolute(&self, path: &Path) -> String {
        let in_home = self
            .home
            .as_ref()
            .and_then(|home| path.strip_prefix(home).ok());
        match in_home {
            Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
            Some(rest) => shown(&Path::new("~").join(rest)),
            None => shown(path),
        }
    }
}

/// The names of projects in lists: a folder's, and for a linked worktree that of the checkout that it belongs to. Those that have the
/// same name are distinguished by the folders around them.
#[derive(Debug, Default)]
pub(crate) struct ProjectNames {
    /// The names by folder.
    names: HashMap<String, String>,
    /// What is shown of those that share their names.
    tails: HashMap<String, String>,
}

impl ProjectNames {
    /// Gets to know all of these before one is named.
    pub(crate) fn learn<'a>(&mut self, folders: impl IntoIterator<Item = &'a str>) {
        let known = self.names.len();
        for folder in folders {
            let name = || folder_name(Path::new(folder));
            (self.names.entry(folder.to_owned())).or_insert_with(name);
        }
        if self.names.len() > known {
            self.tell_apart();
        }
    }

    pub(crate) fn of(&mut self, folder: Option<&str>) -> &str {
        let Some(folder) = folder else {
            return "";
        };
        self.learn([folder]);
        let shown = self.tails.get(folder).or_else(|| self.names.get(folder));
        shown.map_or("", String::as_str)
    }

    /// The folders of projects that are called so, or are shown so.
    pub(crate) fn called(&self, name: &str) -> Vec<&str> {
        let is_called = |folder: &str| {
            let path = Path::new(folder);
            (!name.is_empty() && path.ends_with(name))
                || self.names.get(folder).is_some_and(|it| it == name)
        };
        let folders = self.names.keys().map(String::as_str);
        let mut called: Vec<&str> = folders.filter(|folder| is_called(folder)).collect();
        called.sort_unstable();
        called
    }

    fn tell_apart(&mut self) {
        let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
        for (folder, name) in &self.names {
            by_name.entry(name).or_default().push(folder);
        }
        let shared = by_name.into_values().filter(|folders| folders.len() > 1);
        self.tails = shared
            .flat_map(|folders| {
                let tail = |folder: &str| (folder.to_owned(), tail_among(folder, &folders));
                folders.iter().map(|it| tail(it)).collect::<Vec<_>>()
            })
            .collect();
    }
}

fn folder_name(path: &Path) -> String {
    let name = |path: &Path| path.file_name().map(|name| shown(Path::new(name)));
    let own = name(path).unwrap_or_else(|| shown(path));
    match main_checkout(path).as_deref().and_then(name) {
        Some(main) => format!("{main}@{own}"),
        None => own,
    }
}

/// The shortest end of a folder's path that none of the others has.
fn tail_among(folder: &str, others: &[&str]) -> String {
    let parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let is_shared = |tail: &Path| {
        let mut others = others.iter().filter(|other| **other != folder);
        others.any(|other| Path::new(other).ends_with(tail))
    };
    let tails = (1..=parts.len()).filter_map(|length| parts.get(parts.len() - length..));
    let mut tails = tails.map(|parts| parts.join("/"));
    let tail = tails.find(|tail| !is_shared(Path::new(tail)));
    shown(Path::new(tail.as_deref().unwrap_or(folder)))
}

/// A text in which paths are relative to the project.
pub(crate) fn relative(text: &str, project: Option<&str>) -> String {
    let Some(project) = project.filter(|path| path.len() > 1) else {
        return text.to_owned();
    };
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(project) {
        shown.push_str(before);
        // A path begins here, and ends here or continues below.
        let begins = !shown.ends_with(|c: char| c.is_alphanumeric() || "/._-~".contains(c));
        let below = after
            .strip_prefix('/')
            .filter(|rest| rest.starts_with(|c: char| !c.is_whitespace()));
        let ends = after.is_empty()
            || after.starts_with(|c: char| c.is_whitespace() || "'\";&|)".contains(c));
        rest = match below {
            Some(below) if begins => below,
            _ if begins && ends => {
                shown.push('.');
                after
            }
            _ => {
                shown.push_str(project);
                after
            }
        };
    }
    shown.push_str(rest);
    shown
}

/// A path on one line, as well as it can be shown.
pub(crate) fn shown(path: &Path) -> String {
    reveal::name(&path.to_string_lossy())
}

/// Writes a path into a report, also one that is not UTF-8.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// As [`lossy`], for a path that may be missing.
#[expect(
    clippy::ref_option,
    reason = "serde hands over a reference to the field"
)]
pub(crate) fn lossy_option<S: Serializer>(
    path: &Option<PathBuf>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => lossy(path, serializer),
        None => serializer.serialize_none(),
    }
}

/// A settings file in a report.
#[derive(Debug, Serialize)]
pub(crate) struct FileView {
    #[serde(serialize_with = "lossy")]
    pub(crate) path: PathBuf,
    pub(crate) kind: Option<settings::FileKind>,
    pub(crate) scope: Option<settings::Scope>,
    pub(crate) status: FileStatusName,
    /// Why it was not read.
    pub(crate) reason: Option<String>,
    pub(crate) hooks: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileStatusName {
    Read,
    Unreadable,
    Broken,
}

impl From<&SettingsFile> for FileView {
    fn from(file: &SettingsFile) -> Self {
        use settings::FileStatus;
        let (status, reason) = match &file.status {
            FileStatus::Unreadable { reason } => (FileStatusName::Unreadable, Some(reason.clone())),
            FileStatus::Broken => (FileStatusName::Broken, None),
            _ => (FileStatusName::Read, None),
        };
        Self {
            path: file.path.clone(),
            kind: Some(file.kind),
            scope: Some(file.scope),
            status,
            reason,
            hooks: file.hooks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shown_short() {
        let paths = Paths {
            project: "/home/ada/engine".into(),
            home: Some("/home/ada".into()),
        };
        for (path, expected) in [
            ("/home/ada/engine/bowline.toml", "bowline.toml"),
            ("/home/ada/.claude/settings.json", "~/.claude/settings.json"),
            ("/etc/bowline/config.toml", "/etc/bowline/config.toml"),
            ("/home/ada", "~"),
            ("/home/ada/engine", "."),
            ("/home/ada/two\nlines", "~/two⏎lines"),
        ] {
            assert_eq!(paths.show(Path::new(path)), expected);
        }
    }

    #[test]
    fn projects_of_one_name_are_told_apart() {
        let mut names = ProjectNames::default();
        assert_eq!(names.of(Some("/home/a/shop")), "shop");
        names.learn(["/home/b/shop", "/home/c/bank", "/x/b/shop"]);
        for (folder, name) in [
            ("/home/a/shop", "a/shop"),
            ("/home/b/shop", "home/b/shop"),
            ("/x/b/shop", "x/b/shop"),
            ("/home/c/bank", "bank"),
        ] {
            assert_eq!(names.of(Some(folder)), name);
        }
        assert_eq!(names.called("a/shop"), ["/home/a/shop"]);
        assert_eq!(names.called("shop").len(), 3);
        assert_eq!(names.called("hop"), [""; 0]);
    }

    #[test]
    fn paths_in_texts_are_relative_to_the_project() {
        for (text, expected) in [
            ("/home/ann/shop/src/a.rs", "src/a.rs"),
            ("cat /home/ann/shop/a '/home/ann/shop/b c'", "cat a 'b c'"),
            ("cd /home/ann/shop && ls", "cd . && ls"),
            ("ls /home/ann/shop", "ls ."),
            ("ls /home/ann/shop2/x", "ls /home/ann/shop2/x"),
            ("ls /mnt/home/ann/shop/x", "ls /mnt/home/ann/shop/x"),
            (
                "x --manifest=/home/ann/shop/Cargo.toml",
                "x --manifest=Cargo.toml",
            ),
            ("", ""),
        ] {
            assert_eq!(relative(text, Some("/home/ann/shop")), expected, "{text}");
        }
        assert_eq!(relative("/a", None), "/a");
        assert_eq!(relative("/a", Some("/")), "/a");
    }
}
