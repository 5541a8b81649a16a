//! Which of the six shapes a block of hooks has, and the way through it to the single hooks.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::definition;
use super::definition::{Group, HookBlock, Order};
use super::matcher;
use super::policy::FileDefaults;
use crate::dialect::Dialect;
use crate::event::{HookEvent, fold};
use crate::hook::Activation;
use crate::settings::claude::traps;
use crate::settings::syntax::fields::{Fields, described, shortened, unique};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Entry, Key, Node, Span, Value};
use crate::settings::{DialectChoice, HookDefinition, Parsed, Shape, Source, Syntax};

/// More events and hooks than anyone writes; a broken file must fill neither the memory nor the day.
const MAX_ENTRIES: usize = 1_000;

/// A name that is longer than this is like no event's name.
const LONGEST_EVENT_NAME: usize = 64;

/// Reads the tree of a file.
pub(in crate::settings) fn read(root: &Node, source: &Source, findings: Findings<'_>) -> Parsed {
    let mut reader = Reader {
        source,
        findings,
        defaults: FileDefaults::default(),
        hooks: Vec::new(),
        counts: BTreeMap::new(),
        seen: 0,
    };
    reader.document(root);
    Parsed {
        hooks: reader.hooks,
        diagnostics: reader.findings.finish(),
    }
}

struct Reader<'a> {
    source: &'a Source,
    findings: Findings<'a>,
    defaults: FileDefaults,
    hooks: Vec<HookDefinition>,
    /// How many hooks each event has so far, for the names of those that have none.
    counts: BTreeMap<HookEvent, usize>,
    /// How many events and hooks were looked at, good or bad.
    seen: usize,
}

/// What an event's list holds.
enum Element<'n> {
    /// `{matcher, hooks: […]}`.
    Group(&'n Node),
    /// A hook of its own.
    Hook(&'n Node),
}

impl Reader<'_> {
    fn document(&mut self, root: &Node) {
        let Some(entries) = unique(root, str::to_owned, &mut self.findings) else {
            if root.value != Value::Null {
                self.findings.error(
                    "not-an-object",
                    &root.span,
                    format!("the file is {}; expected an object", described(root)),
                    "write `{\"hooks\": {…}}`",
                );
            }
            return;
        };
        self.file_defaults(&entries, root);
        match entries.iter().find(|entry| entry.key.text == "hooks") {
            Some(entry) => self.hooks_value(&entry.value),
            None if self.source.syntax == Syntax::Json => self.direct(&entries),
            None => {}
        }
        self.ignored_defaults(&entries, root);
    }

    /// Hooks in Claude Code's own form follow the client, which knows no defaults.
    fn ignored_defaults(&mut self, entries: &[&Entry], root: &Node) {
        let of_client = |hook: &HookDefinition| hook.origin.dialect == Dialect::ClaudeCode;
        if self.hooks.is_empty() || !self.hooks.iter().all(of_client) {
            return;
        }
        let in_table = match root.get("defaults").map(|node| &node.value) {
            Some(Value::Map(entries)) => entries.as_slice(),
            _ => &[],
        };
        for entry in entries.iter().copied().chain(in_table) {
            let known = FileDefaults::KEYS
                .iter()
                .find(|key| fold(key) == fold(&entry.key.text));
            if let Some(key) = known {
                self.findings.warning(
                    "ignored-key",
                    &entry.key.span,
                    format!("`{key}` is ignored here: hooks in Claude Code's form follow the client's rules"),
                    "set it on the hooks that need it",
                );
            }
        }
    }

    /// At the top level, or in a table `defaults`.
    fn file_defaults(&mut self, entries: &[&Entry], root: &Node) {
        if self.source.dialect == DialectChoice::Fixed(Dialect::ClaudeCode)
            || self.source.syntax == Syntax::FrontMatter
        {
            return;
        }
        let mut top = Fields::new(entries.to_vec(), &root.span);
        self.defaults.read(&mut top, &mut self.findings);
        let table = root
            .get("defaults")
            .filter(|node| matches!(node.value, Value::Map(_)));
        if let Some(mut table) = table.and_then(|node| Fields::of(node, &mut self.findings)) {
            self.defaults.read(&mut table, &mut self.findings);
        }
        if let Some(settled) = &self.source.defaults {
            self.defaults = FileDefaults::from(settled);
        }
    }

    fn hooks_value(&mut self, hooks: &Node) {
        match &hooks.value {
            Value::Null => {}
            Value::Map(_) => {
                let shape = match self.source.syntax {
                    Syntax::FrontMatter => Shape::FrontMatter,
                    Syntax::Json | Syntax::Toml => Shape::Nested,
                };
                for entry in unique(hooks, str::to_owned, &mut self.findings).unwrap_or_default() {
                    if self.is_full(&entry.key.span) {
                        return;
                    }
                    match HookEvent::from_name(&entry.key.text) {
                        Some(event) => self.event(event, entry, shape),
                        None => self.unknown_event(&entry.key.text, &entry.key.span),
                    }
                }
            }
            Value::List(nodes) => self.script_list(nodes, &hooks.span),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => self.findings.error(
                "wrong-type",
                &hooks.span,
                format!(
                    "`hooks` is {}; expected an object or a list",
                    described(hooks)
                ),
                "write an object of events, such as `{\"PreToolUse\": […]}`",
            ),
        }
    }

    /// Events at the top level. Only lists count: other programs have keys such as `setup` too.
    fn direct(&mut self, entries: &[&Entry]) {
        let lists: Vec<&Entry> = entries
            .iter()
            .copied()
            .filter(|entry| matches!(entry.value.value, Value::List(_)))
            .collect();
        let is_event = |entry: &&Entry| HookEvent::from_name(&entry.key.text).is_some();
        let Some(first) = lists.iter().copied().find(|entry| is_event(entry)) else {
            return;
        };
        if self.warns_of_form() {
            let what = "events outside of `hooks`";
            traps::foreign_form(None, what, &first.key.span, &mut self.findings);
        }
        for entry in lists {
            if self.is_full(&entry.key.span) {
                return;
            }
            match HookEvent::from_name(&entry.key.text) {
                Some(event) => self.event(event, entry, Shape::Direct),
                None if nearest_event(&entry.key.text).is_some() => {
                    self.unknown_event(&entry.key.text, &entry.key.span);
                }
                None => {}
            }
        }
    }

    fn script_list(&mut self, nodes: &[Node], span: &Span) {
        if self.warns_of_form() && !nodes.is_empty() {
            traps::foreign_form(None, "a list under `hooks`", span, &mut self.findings);
        }
        for node in nodes {
            if self.is_full(&node.span) {
                return;
            }
            let Some(name) = node.get("event").or_else(|| node.get("type")) else {
                self.findings.error(
                    "missing-event",
                    &node.span,
                    "an entry without an event; it is left out",
                    "add `type` with the event, such as \"PreToolUse\"",
                );
                continue;
            };
            let Value::String(text) = &name.value else {
                self.findings.error(
                    "wrong-type",
                    &name.span,
                    format!("the event is {}; expected a string", described(name)),
                    "write the name of an event, such as \"PreToolUse\"",
                );
                continue;
            };
            let Some(event) = HookEvent::from_name(text) else {
                self.unknown_event(text, &name.span);
                continue;
            };
            let block = HookBlock {
                event,
                shape: Shape::ScriptList,
                dialect: self.dialect_of_other_shapes(),
                matcher: None,
                name: None,
                group: self.group(span, Order::OneAfterAnother),
            };
            self.add_hook(node, &block);
        }
    }

    fn event(&mut self, event: HookEvent, entry: &Entry, nested: Shape) {
        let Entry { key, value: node } = entry;
        if traps::is_claude_settings(self.source) {
            traps::event_casing(key, event, &mut self.findings);
        }
        let event = match (&self.source.activation, event) {
            (Activation::Agent(_), HookEvent::Stop) => HookEvent::SubagentStop,
            (_, event) => event,
        };
        match &node.value {
            Value::Null => {}
            Value::List(nodes) => self.list(event, key, nodes, &node.span, nested),
            Value::Map(_) if is_lone_entry(node) => {
                self.list_expected(event, node, "an object");
                self.list(event, key, std::slice::from_ref(node), &node.span, nested);
            }
            Value::Map(_) => self.named_map(event, key, node),
            Value::String(_) => {
                self.list_expected(event, node, "a string");
                self.list(event, key, std::slice::from_ref(node), &node.span, nested);
            }
            Value::Bool(_) | Value::Number(_) => self.findings.error(
                "wrong-type",
                &node.span,
                format!(
                    "`{}` is {}; expected a list of hooks",
                    key.text,
                    described(node)
                ),
                "write a list of commands, or of `{\"matcher\": \"…\", \"hooks\": […]}`",
            ),
        }
    }

    fn list(&mut self, event: HookEvent, key: &Key, nodes: &[Node], span: &Span, nested: Shape) {
        let dialect = self.dialect_of_list(nodes);
        self.warn_of_list(event, key, nodes);
        for node in nodes {
            match element(node) {
                Element::Group(node) => self.matcher_group(event, node, nested, dialect),
                Element::Hook(node) => {
                    let block = HookBlock {
                        event,
                        shape: Shape::Flat,
                        dialect,
                        matcher: None,
                        name: None,
                        group: self.group(span, Order::OneAfterAnother),
                    };
                    self.hook(node, &block);
                }
            }
        }
    }

    fn matcher_group(&mut self, event: HookEvent, node: &Node, shape: Shape, dialect: Dialect) {
        let findings = &mut self.findings;
        let Some(mut fields) = Fields::of(node, findings) else {
            return;
        };
        let order = if fields.flag("parallel", findings) {
            Order::Together
        } else {
            Order::OneAfterAnother
        };
        let matcher = matcher::read(fields.take("matcher"), event, dialect, findings);
        let hooks = fields.take("hooks");
        fields.skip(&["name", "id", "description"]);
        let hooks = match hooks.map(|entry| (entry, &entry.value.value)) {
            None => &[],
            Some((_, Value::List(hooks))) => hooks.as_slice(),
            Some((entry, _)) => {
                fields.wrong_kind(entry, "a list of hooks", findings);
                &[]
            }
        };
        let faulty = fields.faulty;
        fields.finish(&["matcher", "hooks", "parallel"], findings);
        if faulty && dialect == Dialect::ClaudeCode && traps::is_claude_settings(self.source) {
            traps::refused_entry(event, &node.span, findings);
        }
        let Ok(matcher) = matcher else {
            return;
        };
        let block = HookBlock {
            event,
            shape,
            dialect,
            matcher: Some(&matcher),
            name: None,
            group: self.group(&node.span, order),
        };
        for hook in hooks {
            self.hook(hook, &block);
        }
    }

    fn named_map(&mut self, event: HookEvent, key: &Key, node: &Node) {
        if self.warns_of_form() {
            let what = "hooks by name";
            traps::foreign_form(Some(event), what, &key.span, &mut self.findings);
        }
        let group = self.group(&node.span, Order::OneAfterAnother);
        for entry in unique(node, str::to_owned, &mut self.findings).unwrap_or_default() {
            let block = HookBlock {
                event,
                shape: Shape::NamedMap,
                dialect: self.dialect_of_other_shapes(),
                matcher: None,
                name: Some(&entry.key),
                group,
            };
            self.hook(&entry.value, &block);
        }
    }

    fn hook(&mut self, node: &Node, block: &HookBlock<'_>) {
        if !self.is_full(&node.span) {
            self.add_hook(node, block);
        }
    }

    /// Reads one hook and gives it a name, if the file has not.
    fn add_hook(&mut self, node: &Node, block: &HookBlock<'_>) {
        let (source, defaults) = (self.source, self.defaults);
        let Some(mut hook) = definition::read(node, block, source, defaults, &mut self.findings)
        else {
            return;
        };
        let count = self.counts.entry(hook.event).or_default();
        *count += 1;
        match &self.source.plugin {
            Some(plugin) => hook.id = format!("{}:{}-{count}", plugin.name, hook.event.name()),
            None if hook.id.is_empty() => {
                hook.id = format!("{}:{}-{count}", self.source.scope, hook.event.name());
            }
            None => {}
        }
        self.hooks.push(hook);
    }

    /// Counts an event or a hook. Whether it is one too many, which is said once.
    fn is_full(&mut self, next: &Span) -> bool {
        self.seen = self.seen.saturating_add(1);
        if self.seen == MAX_ENTRIES + 1 {
            self.findings.error(
                "too-many-entries",
                next,
                format!(
                    "more than {MAX_ENTRIES} events and hooks in one file; the rest is left out"
                ),
                "split the file, or remove hooks",
            );
        }
        self.seen > MAX_ENTRIES
    }

    fn unknown_event(&mut self, name: &str, span: &Span) {
        let help = match nearest_event(name) {
            Some(near) => format!("did you mean `{}`?", near.name()),
            None => "`bowline events` lists all events".to_owned(),
        };
        self.findings.warning(
            "unknown-event",
            span,
            format!("no event is called `{}`; it is ignored", shortened(name)),
            help,
        );
    }

    fn list_expected(&mut self, event: HookEvent, node: &Node, found: &str) {
        self.findings.warning(
            "list-expected",
            &node.span,
            format!(
                "{} has {found} where a list of hooks is expected; it is read as a list of one",
                event.name()
            ),
            "put `[` and `]` around it",
        );
    }

    /// Claude Code's rules are for its own form: groups whose matchers are strings.
    fn dialect_of_list(&self, nodes: &[Node]) -> Dialect {
        match self.source.dialect {
            DialectChoice::Fixed(dialect) => dialect,
            DialectChoice::ByShape => {
                let foreign = nodes.iter().any(|node| match element(node) {
                    Element::Group(node) => has_object_matcher(node),
                    Element::Hook(node) => matches!(node.value, Value::String(_) | Value::Map(_)),
                });
                if foreign {
                    Dialect::Generic
                } else {
                    Dialect::ClaudeCode
                }
            }
        }
    }

    fn dialect_of_other_shapes(&self) -> Dialect {
        match self.source.dialect {
            DialectChoice::Fixed(dialect) => dialect,
            DialectChoice::ByShape => Dialect::Generic,
        }
    }

    fn warn_of_list(&mut self, event: HookEvent, key: &Key, nodes: &[Node]) {
        if !self.warns_of_form() {
            return;
        }
        let what = nodes.iter().find_map(|node| match element(node) {
            Element::Group(node) => has_object_matcher(node).then_some("an object as a matcher"),
            Element::Hook(_) => Some("a hook directly under its event"),
        });
        if let Some(what) = what {
            traps::foreign_form(Some(event), what, &key.span, &mut self.findings);
        }
    }

    /// A file that Claude Code reads as well, without an explicit dialect.
    fn warns_of_form(&self) -> bool {
        self.source.dialect == DialectChoice::ByShape && traps::is_claude_settings(self.source)
    }

    /// A group's number is that of its place, so that groups of different files stay apart.
    fn group(&self, span: &Span, order: Order) -> Group {
        let mut hasher = DefaultHasher::new();
        (
            self.source.scope,
            &self.source.file,
            &self.source.plugin,
            span.start,
        )
            .hash(&mut hasher);
        Group {
            id: hasher.finish(),
            order,
        }
    }
}

fn element(node: &Node) -> Element<'_> {
    if node.get("hooks").is_some() {
        Element::Group(node)
    } else {
        Element::Hook(node)
    }
}

fn has_object_matcher(group: &Node) -> bool {
    group
        .get("matcher")
        .is_some_and(|matcher| matches!(matcher.value, Value::Map(_)))
}

/// A group or a hook that stands where its list should: `{"hooks": […]}`, `{"command": "…"}`. In a map of names these
/// keys would be names, and running the text beside `type` as a command is the last thing that anyone wants.
fn is_lone_entry(node: &Node) -> bool {
    let is_string =
        |key| matches!(node.get(key), Some(node) if matches!(node.value, Value::String(_)));
    matches!(node.get("hooks"), Some(hooks) if matches!(hooks.value, Value::List(_)))
        || ["command", "prompt", "url", "type"]
            .into_iter()
            .any(is_string)
}

fn nearest_event(name: &str) -> Option<HookEvent> {
    (name.len() <= LONGEST_EVENT_NAME)
        .then(|| HookEvent::nearest(name))
        .flatten()
}
