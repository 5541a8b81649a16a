//! Reads the keys of one file by the table, before it is known whether the file may set them.

use std::path::Path;

use bowline_agents::near::nearest;

use super::describe::{Complaints, Key, Kind, Map, Table, Unknown};
use super::doubts;
use super::origin::StatedSetting;
use super::presets::Preset;
use super::sections::{DEFAULTS_SECTION, FILE};
use super::slot::{At, Change, KeyPath};
use crate::event::fold;
use crate::settings::files::FileText;
use crate::settings::hooks::model::Scope;
use crate::settings::hooks::read::Syntax;
use crate::settings::rules;
use crate::settings::rules::definition::RuleDefinition;
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Entry, Node, Span, Value};
use crate::settings::syntax::tree::{start, tree};

/// What one file sets.
#[derive(Debug)]
pub(in crate::settings) struct FileConfig<'a> {
    pub(in crate::settings) scope: Scope,
    pub(super) path: &'a Path,
    /// Whether the file could be read at all.
    pub(super) usable: bool,
    pub(super) stated: Vec<Stated>,
    /// What became of each value, once that is settled.
    pub(super) outcomes: Vec<StatedSetting>,
    pub(in crate::settings) rules: Vec<RuleDefinition>,
    pub(in crate::settings) findings: Findings<'a>,
}

/// One value that a file gives.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) key: &'static Key,
    pub(super) path: KeyPath,
    pub(super) span: Span,
    /// The value as JSON.
    pub(super) value: serde_json::Value,
    pub(super) change: Box<dyn Change>,
    /// The preset that it belongs to, and where its file names that one.
    pub(super) preset: Option<(Preset, Span)>,
}

impl<'a> FileConfig<'a> {
    /// Reads the keys of a file, if it exists. That it is broken, or what is wrong with its hooks, is said by others.
    pub(in crate::settings) fn of(file: &'a FileText, scope: Scope) -> Option<Self> {
        let text = match &file.text {
            Ok(None) => return None,
            Ok(Some(text)) => Some(text.as_str()),
            Err(_) => None,
        };
        let Some(text) = text else {
            return Some(Self::empty("", &file.path, scope));
        };
        Some(Self::of_text(text, &file.path, scope))
    }

    /// Reads the keys of a text that is called so.
    pub(super) fn of_text(text: &'a str, path: &'a Path, scope: Scope) -> Self {
        let root = tree(text, Syntax::Toml);
        let mut config = Self {
            usable: root.is_ok(),
            ..Self::empty(text, path, scope)
        };
        if let Ok(Some(root)) = root {
            config.table(&FILE, &root, &KeyPath::default());
        }
        config
    }

    fn empty(text: &'a str, path: &'a Path, scope: Scope) -> Self {
        Self {
            scope,
            path,
            usable: false,
            stated: Vec::new(),
            outcomes: Vec::new(),
            rules: Vec::new(),
            findings: Findings::new(text, start(text), Some(path)),
        }
    }

    pub(in crate::settings) fn is_the_projects(&self) -> bool {
        matches!(self.scope, Scope::Project | Scope::Local)
    }

    fn table(&mut self, table: &Table, node: &Node, path: &KeyPath) {
        for entry in self.entries(node, path) {
            match table.key(&entry.key.text) {
                Some(key) => self.key(key, entry, path),
                None => self.unknown(&table.names(), entry, path),
            }
        }
    }

    fn key(&mut self, key: &'static Key, entry: &Entry, path: &KeyPath) {
        let inside = match key.complaints {
            // At the top level they mean the same.
            Complaints::WithHooks => KeyPath::of(&[DEFAULTS_SECTION, key.name]),
            Complaints::Here => path.join(key.name),
        };
        match key.kind {
            Kind::Table(table) => self.table(table, &entry.value, &inside),
            Kind::Map(map) => self.map(key, map, &entry.value, &inside),
            Kind::List(Kind::Table(_)) => {
                self.rules = rules::read(&entry.value, self.scope, &mut self.findings);
            }
            _ => self.value(key, &entry.value, inside),
        }
    }

    fn map(&mut self, key: &'static Key, map: &Map, node: &Node, path: &KeyPath) {
        let names = (map.names)();
        for entry in self.entries(node, path) {
            let folded = fold(&entry.key.text);
            let known = names.iter().find(|name| fold(name) == folded);
            let name = match (known, map.others) {
                (Some(name), _) => name,
                (None, Unknown::Fine) => entry.key.text.as_str(),
                (None, Unknown::Wrong) => {
                    self.unknown(&names, entry, path);
                    continue;
                }
            };
            let inside = path.join(name);
            match map.of {
                Kind::Table(table) => {
                    self.agent(entry, path);
                    self.table(table, &entry.value, &inside);
                }
                _ => self.value(key, &entry.value, inside),
            }
        }
    }

    fn value(&mut self, key: &'static Key, node: &Node, path: KeyPath) {
        let Some(slot) = key.slot else {
            return;
        };
        let mut at = At {
            path: &path,
            complaints: key.complaints,
            findings: &mut self.findings,
        };
        if let Some(change) = slot.read(node, &mut at) {
            self.stated.push(Stated {
                key,
                path,
                span: node.span.clone(),
                value: node.to_json(),
                change,
                preset: None,
            });
        }
    }

    fn entries<'n>(&mut self, node: &'n Node, path: &KeyPath) -> &'n [Entry] {
        if let Value::Map(entries) = &node.value {
            return entries;
        }
        // A file that is no table is reported with its hooks.
        if !path.names().is_empty() {
            let complaints = Complaints::Here;
            let findings = &mut self.findings;
            let mut at = At {
                path,
                complaints,
                findings,
            };
            at.wrong(node, &format!("expected a table, `[{path}]`"));
        }
        &[]
    }

    fn agent(&mut self, entry: &Entry, path: &KeyPath) {
        if path.last() != "agents" {
            return;
        }
        if let Some(doubt) = doubts::unknown_agent(&entry.key.text) {
            let span = &entry.key.span;
            self.findings
                .warning(doubt.code, span, doubt.message, doubt.help);
        }
    }

    fn unknown(&mut self, known: &[&str], entry: &Entry, path: &KeyPath) {
        let inside = path.join(&entry.key.text);
        if let [_, of, _] = path.names()
            && of == "subagents"
            && fold(&entry.key.text) == "allow"
        {
            let complaints = Complaints::Here;
            let findings = &mut self.findings;
            let mut at = At {
                path: &inside,
                complaints,
                findings,
            };
            return at.wrong(
                &entry.value,
                "whoever defines a sub-agent chooses its name, so its settings only tighten; expected `mode` or `categories`",
            );
        }
        let help = match nearest(&entry.key.text, known.iter().copied()) {
            Some(nearest) => format!("did you mean `{}`?", path.join(nearest)),
            None => format!("expected one of {}", known.join(", ")),
        };
        self.findings.warning(
            "unknown-key",
            &entry.key.span,
            format!("`{inside}` is not a key that Bowline knows; it is ignored"),
            help,
        );
    }
}
