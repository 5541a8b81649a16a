//! A settings file to begin with: every key with its default and what it is for, made from the tables.

use super::describe::{Complaints, Key, Kind, Map, Table, Who};
use super::origin::default_of;
use super::page::explained;
use super::presets::{self, Preset};
use super::sections::FILE;

/// Whose file it is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateFor {
    /// A project's `bowline.toml` or `bowline.local.toml`.
    Project,
    /// The user's `config.toml`.
    User,
}

const HEAD: &str = "\
# Settings of Bowline. A line with `#` and a key, without a space, shows what holds without the key, or an example where
# that is no single value. Remove the `#` to set the key. `bowline check` says what is wrong with this file, `bowline
# config show` which values hold and where each comes from.
";

/// Hooks and rules have many forms; these are the shortest.
const HOOKS_AND_RULES: &str = "
# A hook of your own: a program that runs at an event. `bowline events` lists the events, `bowline hooks` the hooks.
#[[hooks.PostToolUse]]
#matcher = \"Edit|Write\"
#hooks = [{ type = \"command\", command = \"true\", timeout_secs = 10 }]

# A rule of your own: what is denied, asked about, allowed, explained or rewritten. `bowline rules list` shows them all.
#[[rule]]
#id = \"no-deploy\"
#command = \"make deploy *\"
#verdict = \"deny\"
#message = \"The pipeline makes releases.\"
";

/// Lines of explanations are not longer.
const WIDTH: usize = 118;

/// A settings file in which every key is there, but none is set; a preset is, if one is chosen.
pub fn settings_template(target: TemplateFor, preset: Option<Preset>) -> String {
    let mut template = Template {
        text: HEAD.to_owned(),
        target,
        preset,
    };
    template.table(&FILE, "");
    template.text.push_str(HOOKS_AND_RULES);
    template.text
}

struct Template {
    text: String,
    target: TemplateFor,
    preset: Option<Preset>,
}

impl Template {
    /// The keys of a table, then the tables in it: in TOML a key belongs to the heading above it. `section` ends with a dot,
    /// unless it is empty.
    fn table(&mut self, table: &Table, section: &str) {
        let keys = || table.keys.iter().filter(|key| self.target.may_set(key));
        let (tables, values): (Vec<_>, Vec<_>) = keys().partition(|key| inner(key.kind).is_some());
        for key in values {
            // At the top level it is another way to write a key of a section.
            let is_other_way = section.is_empty() && key.complaints == Complaints::WithHooks;
            if key.slot.is_some() && !is_other_way {
                self.value(key, section);
            }
        }
        for key in tables {
            self.heading(key, section);
        }
    }

    fn value(&mut self, key: &Key, section: &str) {
        let path = format!("{section}{}", key.name);
        self.text.push('\n');
        self.comment(&explained(key));
        let line = match (key.kind, self.preset) {
            (Kind::Map(map), _) => format!("#{}.{}", key.name, entry(key, map)),
            (_, Some(preset)) if path == presets::KEY => {
                format!("{} = \"{}\"", key.name, preset.name())
            }
            _ => format!("#{} = {}", key.name, example(key, &path)),
        };
        self.line(&line);
    }

    fn heading(&mut self, key: &Key, section: &str) {
        let Some(table) = inner(key.kind) else {
            return;
        };
        let name = match key.kind {
            Kind::Map(map) => format!("{}.{}", key.name, key.example.unwrap_or(map.key)),
            _ => key.name.to_owned(),
        };
        self.text.push('\n');
        self.comment(key.about);
        self.comment(table.about);
        self.line(&format!("[{section}{name}]"));
        self.table(table, &format!("{section}{name}."));
    }

    /// A text for people, in lines.
    fn comment(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + word.len() > WIDTH {
                self.line(&format!("#{line}"));
                line.clear();
            }
            line.push(' ');
            line.push_str(word);
        }
        if !line.is_empty() {
            self.line(&format!("#{line}"));
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

impl TemplateFor {
    fn may_set(self, key: &Key) -> bool {
        match key.who {
            Who::Everybody => true,
            Who::User => self == Self::User,
            Who::Administrator => false,
        }
    }
}

/// The table that a key holds.
fn inner(kind: Kind) -> Option<&'static Table> {
    match kind {
        Kind::Table(table)
        | Kind::Map(&Map {
            of: Kind::Table(table),
            ..
        }) => Some(table),
        _ => None,
    }
}

/// One entry of a map, as it is written.
fn entry(key: &Key, map: &Map) -> String {
    if let Some(entry) = key.example {
        return entry.to_owned();
    }
    let names = (map.names)();
    let name = names.first().unwrap_or(&map.key);
    format!("{name} = {}", of_kind(map.of))
}

/// What holds without the key, else a value that it can hold.
fn example(key: &Key, path: &str) -> String {
    match (key.example, default_of(key, path)) {
        (Some(example), _) => example.to_owned(),
        (None, Some(value)) => value.to_string(),
        (None, None) => of_kind(key.kind),
    }
}

fn of_kind(kind: Kind) -> String {
    match kind {
        Kind::Flag => "false".to_owned(),
        Kind::Text | Kind::TextLike(_) => "\"text\"".to_owned(),
        Kind::Count | Kind::WholeNumber | Kind::Number => "1".to_owned(),
        Kind::Seconds => "60".to_owned(),
        Kind::Words(list) => {
            let words = (list.words)();
            format!("\"{}\"", words.first().unwrap_or(&""))
        }
        Kind::List(_) => "[]".to_owned(),
        Kind::Object | Kind::Map(_) | Kind::Table(_) => "{}".to_owned(),
        Kind::AnyOf(union) => union
            .of
            .first()
            .map_or_else(String::new, |kind| of_kind(*kind)),
    }
}
