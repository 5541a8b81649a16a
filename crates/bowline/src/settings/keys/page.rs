//! The reference page of all keys, `docs/settings.md`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::describe::{Key, Kind, Map, Need, Table, Who};
use super::sections::{FILE, default_value};
use super::slot::Slot;

const HEAD: &str = "\
# Settings

Every key of Bowline's own files. This page is made from the table that the reader uses: `BOWLINE_UPDATE=1 cargo test
-p bowline --lib checked_in` writes it anew. `bowline schema` prints the same for editors.

| file | whose it is |
|---|---|
| `/etc/bowline/config.toml` | the administrator's |
| `bowline.local.toml` | the project's, on this machine alone |
| `bowline.toml` | the project's |
| `~/.config/bowline/config.toml` | the user's |

All files are read. Where two set the same key, the one further up wins. Names of keys are read in any casing: `on_failure`, `onFailure`
and `on-failure` are the same key.

*Set by* says whose files a key counts in. *Everybody* includes a project, once the user trusts it (`bowline trust`). Before
that, a project can only make decisions stricter: its values count where *without trust* names them. The administrator can lock any
key or section with `locked`.
";

/// Every key of `bowline.toml`, for people, in Markdown.
pub fn settings_page() -> String {
    let mut page = Page {
        text: HEAD.to_owned(),
        shown: BTreeMap::new(),
    };
    page.section("At the top level", &[], "", &FILE);
    page.text
}

struct Page {
    text: String,
    /// The tables that were shown, and under which heading.
    shown: BTreeMap<&'static str, String>,
}

impl Page {
    /// A table of keys, then the tables in it. `path` ends with a dot, unless it is empty.
    fn section(&mut self, heading: &str, about: &[&str], path: &str, table: &'static Table) {
        self.line(&format!("\n## {heading}\n"));
        for about in about.iter().filter(|about| !about.is_empty()) {
            self.line(&format!("{about}\n"));
        }
        if let Some(other) = self.shown.get(table.name) {
            let same = format!("It has the keys of {other}.");
            return self.line(&same);
        }
        self.shown.insert(table.name, heading.to_owned());
        self.rows(path, table);
        for key in table.keys {
            self.tables(key.kind, key.about, &format!("{path}{}", key.name));
        }
    }

    fn rows(&mut self, path: &str, table: &Table) {
        let are_settings = table.keys.iter().any(|key| key.slot.is_some());
        self.line(if are_settings {
            "| key | holds | default | set by | what it is for |\n|---|---|---|---|---|"
        } else {
            "| key | holds | what it is for |\n|---|---|---|"
        });
        for key in table.keys.iter().filter(|key| !has_heading(key.kind)) {
            let name = match key.kind {
                Kind::Map(map) if key.slot.is_some() => format!("{}.{}", key.name, map.key),
                _ => key.name.to_owned(),
            };
            let mut cells = vec![format!("`{name}`"), holds(key.kind)];
            if are_settings {
                cells.push(default(key, &format!("{path}{}", key.name)));
                cells.push(set_by(key));
            }
            cells.push(explained(key));
            let cells: Vec<String> = cells.iter().map(|it| it.replace('|', "\\|")).collect();
            self.line(&format!("| {} |", cells.join(" | ")));
        }
    }

    /// The tables that a key holds, each under its own heading.
    fn tables(&mut self, kind: Kind, about: &str, path: &str) {
        let inside = format!("{path}.");
        match kind {
            Kind::Table(table) => {
                let heading = format!("`[{path}]`");
                self.section(&heading, &[about, table.about], &inside, table);
            }
            Kind::List(Kind::Table(table)) => {
                let heading = format!("`[[{path}]]`");
                self.section(&heading, &[about, table.about], &inside, table);
            }
            Kind::Map(map) if has_heading(kind) => {
                self.tables(map.of, about, &format!("{inside}{}", map.key));
            }
            Kind::AnyOf(_) if has_heading(kind) => {
                self.line(&format!("\n## `{path}`\n\n{about}"));
                self.forms(kind);
            }
            _ => {}
        }
    }

    /// What a value can be: each form once, with its keys.
    fn forms(&mut self, kind: Kind) {
        match kind {
            Kind::Table(table) if self.shown.contains_key(table.name) => {}
            Kind::Table(table) => {
                let heading = table.about.trim_end_matches('.');
                self.shown.insert(table.name, heading.to_owned());
                self.line(&format!("\n### {heading}\n"));
                self.rows("", table);
            }
            Kind::List(of) => self.forms(*of),
            Kind::Map(map) => self.forms(map.of),
            Kind::AnyOf(union) => {
                if !union.about.is_empty() {
                    self.line(&format!("\n{}", union.about));
                }
                union.of.iter().for_each(|kind| self.forms(*kind));
            }
            _ => {}
        }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// Whether it is shown under a heading of its own, not in a row.
fn has_heading(kind: Kind) -> bool {
    match kind {
        Kind::Table(_) | Kind::List(Kind::Table(_)) => true,
        Kind::Map(map) => has_heading(map.of),
        Kind::AnyOf(union) => union.of.iter().any(|kind| has_heading(*kind)),
        _ => false,
    }
}

pub(super) fn holds(kind: Kind) -> String {
    match kind {
        Kind::Flag => "`true` or `false`".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::TextLike(like) => like.what.to_owned(),
        Kind::Count => "a whole number above 0".to_owned(),
        Kind::WholeNumber => "a whole number".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Seconds => "seconds, above 0".to_owned(),
        Kind::Object => "anything with keys".to_owned(),
        Kind::Words(list) => quoted(&(list.words)()),
        Kind::List(Kind::Text) => "a list of texts".to_owned(),
        Kind::List(of) => format!("a list; each {}", holds(*of)),
        Kind::Map(Map { of: Kind::Text, .. }) => "texts by name".to_owned(),
        Kind::Map(map) => holds(map.of),
        Kind::AnyOf(union) => {
            let each: Vec<String> = union.of.iter().map(|kind| holds(*kind)).collect();
            each.join(", or ")
        }
        Kind::Table(table) => match table.names().as_slice() {
            [one] => format!("a table with `{one}`"),
            [one, other] => format!("a table with `{one}` and `{other}`"),
            _ => format!("a {}", table.name.to_lowercase()),
        },
    }
}

fn quoted(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// What a key is for, and what its words mean.
pub(super) fn explained(key: &Key) -> String {
    let mut about = key.about.to_owned();
    let more = match key.kind {
        Kind::Words(list) => list.about.to_owned(),
        Kind::Map(map) => match (map.names)().as_slice() {
            [] => String::new(),
            names => format!("{} is one of {}.", map.key, quoted(names)),
        },
        _ => String::new(),
    };
    if !more.is_empty() {
        about = format!("{about} {more}");
    }
    if key.need == Need::Required {
        about = format!("{about} Required.");
    }
    about
}

/// The default.
pub(super) fn default(key: &Key, path: &str) -> String {
    if let Some(words) = key.default {
        return words.to_owned();
    }
    match default_value(path) {
        Some(Value::String(word)) => format!("`{word}`"),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => format!("`{value}`"),
        _ => "none".to_owned(),
    }
}

fn set_by(key: &Key) -> String {
    let who = match key.who {
        Who::Everybody => "everybody",
        Who::User => "user, administrator",
        Who::Administrator => "administrator",
    };
    match key.slot.and_then(Slot::without_trust) {
        Some(values) => format!("{who}; without trust: {values}"),
        None => who.to_owned(),
    }
}
