//! Finds plugins, and the files and inline objects that they write hooks in.

use std::path::{Component, Path, PathBuf};

use crate::settings::files::locations::{CLAUDE_FOLDER, LOCAL_FILE, PROJECT_FILE};
use crate::settings::files::{self, FileText, finding};
use crate::settings::hooks::model::Plugin;
use crate::settings::hooks::read::Syntax;
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Node, Span, Value};
use crate::settings::syntax::tree::{start, tree};
use crate::settings::{Diagnostic, Severity};

/// A plugin that is switched on.
#[derive(Debug)]
pub(in crate::settings) struct Found {
    pub(in crate::settings) plugin: Plugin,
    /// `name@marketplace`, for an installed one.
    pub(in crate::settings) id: Option<String>,
    /// `.claude-plugin/plugin.json`, if it is there and can be read.
    manifest: Option<Manifest>,
}

#[derive(Debug)]
struct Manifest {
    path: PathBuf,
    text: String,
    root: Node,
}

/// Where a plugin's hooks are, unless its manifest says more.
pub(in crate::settings) const HOOKS_FILE: &str = "hooks/hooks.json";
pub(in crate::settings) const MANIFEST: &str = ".claude-plugin/plugin.json";

/// The files of the plugin in a folder that hooks may be written in, to be checked one by one: its manifest, its
/// `hooks/hooks.json`, and what the manifest names beside. Empty when the folder is no plugin, or a project's.
pub fn plugin_files(dir: &Path) -> Vec<PathBuf> {
    let exists = |name: &str| dir.join(name).symlink_metadata().is_ok();
    if [CLAUDE_FOLDER, PROJECT_FILE, LOCAL_FILE]
        .into_iter()
        .any(exists)
        || ![MANIFEST, HOOKS_FILE].into_iter().any(exists)
    {
        return Vec::new();
    }
    let standard = dir.join(HOOKS_FILE);
    // Problems of the manifest are reported when the manifest is checked.
    let named = Found::at(dir.to_owned(), None, &mut Vec::new()).files(&mut Vec::new());
    exists(MANIFEST)
        .then(|| dir.join(MANIFEST))
        .into_iter()
        .chain(named)
        .filter(|file| *file != standard || exists(HOOKS_FILE))
        .collect()
}

/// The installed plugins that are switched on, in the order of their list.
pub(in crate::settings) fn installed(
    claude_config_dir: &Path,
    project: &Path,
    enabled: impl Fn(&str) -> bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Found> {
    let list = claude_config_dir.join("plugins/installed_plugins.json");
    let Some((_, root)) = read_json(&list, diagnostics) else {
        return Vec::new();
    };
    let Some(Value::Map(entries)) = root.get("plugins").map(|node| &node.value) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries.iter().filter(|entry| enabled(&entry.key.text)) {
        let id = &entry.key.text;
        match install_path(&entry.value, project) {
            Some(folder) => found.push(Found::at(folder, Some(id), diagnostics)),
            None => diagnostics.push(finding(
                Severity::Warning,
                "plugin-not-found",
                &list,
                format!(
                    "the plugin `{id}` is switched on, but has no `installPath` for this project"
                ),
                "install it again",
            )),
        }
    }
    found
}

/// An installation is an object with `installPath`, or a list of such; one with another project's
/// `projectPath` is not for this project.
fn install_path(node: &Node, project: &Path) -> Option<PathBuf> {
    let installations = match &node.value {
        Value::List(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let path = |node: &Node, key: &str| node.get(key).and_then(string).map(PathBuf::from);
    let applicable = || {
        installations
            .iter()
            .filter_map(|node| Some((path(node, "projectPath"), path(node, "installPath")?)))
    };
    applicable()
        .find(|(of, _)| of.as_deref() == Some(project))
        .or_else(|| applicable().find(|(of, _)| of.is_none()))
        .map(|(_, installed)| installed)
        .filter(|installed| installed.is_absolute())
}

impl Found {
    /// The plugin in a folder. It is called what its manifest says, else as it is listed, else as its folder.
    pub(in crate::settings) fn at(
        root: PathBuf,
        id: Option<&str>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let path = root.join(MANIFEST);
        let manifest =
            read_json(&path, diagnostics).map(|(text, root)| Manifest { path, text, root });
        let name = manifest
            .as_ref()
            .and_then(|manifest| manifest.root.get("name"))
            .and_then(string)
            .or_else(|| id.map(|id| id.split_once('@').map_or(id, |(name, _)| name)))
            .map(ToOwned::to_owned)
            .or_else(|| Some(root.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| "plugin".to_owned());
        Self {
            plugin: Plugin::new(name, root),
            id: id.map(ToOwned::to_owned),
            manifest,
        }
    }

    /// The files to read: `hooks/hooks.json`, and those that the manifest names.
    pub(in crate::settings) fn files(&self, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
        let mut files = vec![self.plugin.root.join(HOOKS_FILE)];
        for written in self.manifest_hooks().filter_map(string) {
            let inside = Path::new(written)
                .components()
                .all(|part| matches!(part, Component::CurDir | Component::Normal(_)));
            // Normalised, so that `./hooks/hooks.json` is recognised as the default file.
            let file: PathBuf = self.plugin.root.join(written).components().collect();
            if !inside {
                diagnostics.push(finding(
                    Severity::Error,
                    "outside-plugin",
                    self.manifest_path(),
                    format!("`hooks` names `{written}`, which is not inside of the plugin; it is skipped"),
                    "name a file in the plugin's folder",
                ));
            } else if !files.contains(&file) {
                files.push(file);
            }
        }
        files
    }

    /// The objects in the manifest, each as a text in which it is where it is in the manifest.
    pub(in crate::settings) fn inline(&self) -> Vec<FileText> {
        let Some(manifest) = &self.manifest else {
            return Vec::new();
        };
        self.manifest_hooks()
            .filter(|node| matches!(node.value, Value::Map(_)))
            .map(|node| FileText {
                path: manifest.path.clone(),
                text: Ok(Some(only(&manifest.text, &node.span))),
            })
            .collect()
    }

    fn manifest_path(&self) -> &Path {
        self.manifest
            .as_ref()
            .map_or(self.plugin.root.as_path(), |manifest| &manifest.path)
    }

    /// What `hooks` in the manifest is, or is a list of.
    fn manifest_hooks(&self) -> impl Iterator<Item = &Node> {
        let hooks = self
            .manifest
            .as_ref()
            .and_then(|manifest| manifest.root.get("hooks"));
        let nodes = match hooks {
            Some(Node {
                value: Value::List(nodes),
                ..
            }) => nodes.as_slice(),
            Some(node) => std::slice::from_ref(node),
            None => &[],
        };
        nodes.iter()
    }
}

fn read_json(path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Option<(String, Node)> {
    let text = match files::read_text(path) {
        Ok(text) => text?,
        Err(unreadable) => {
            diagnostics.push(unreadable.diagnostic(path));
            return None;
        }
    };
    match tree(&text, Syntax::Json) {
        Ok(root) => Some((text, root?)),
        Err(error) => {
            let mut findings = Findings::new(&text, start(&text), Some(path));
            findings.error("syntax", &error.span, error.message, "correct it");
            diagnostics.extend(findings.finish());
            None
        }
    }
}

fn string(node: &Node) -> Option<&str> {
    match &node.value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The text with everything but the span blanked out, so that lines and columns stay what they are.
fn only(text: &str, span: &Span) -> String {
    text.char_indices()
        .flat_map(|(at, c)| {
            let (shown, count) = match c {
                c if span.contains(&at) => (c, 1),
                '\n' => ('\n', 1),
                c => (' ', c.len_utf8()),
            };
            std::iter::repeat_n(shown, count)
        })
        .collect()
}
