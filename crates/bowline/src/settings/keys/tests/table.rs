use std::collections::BTreeMap;

use serde_json::Value;

use super::load;
use crate::dialect::Dialect;
use crate::settings::hooks::keys::HOOK;
use crate::settings::keys::describe::{Key, Kind, Map, Table};
use crate::settings::keys::sections::FILE;
use crate::settings::keys::{Config, settings_page};
use crate::settings::rules::keys::RULE;
use crate::settings::trust::store::TrustState;
use crate::settings::{Diagnostic, DialectChoice, Scope, Source, Syntax, parse_source};

/// All tables, by what the schema calls them.
fn tables() -> BTreeMap<&'static str, &'static Table> {
    fn gather(kind: Kind, found: &mut BTreeMap<&'static str, &'static Table>) {
        match kind {
            Kind::Table(table) => {
                found.insert(table.name, table);
                table.keys.iter().for_each(|key| gather(key.kind, found));
            }
            Kind::List(of) => gather(*of, found),
            Kind::Map(map) => gather(map.of, found),
            Kind::AnyOf(union) => union.of.iter().for_each(|kind| gather(*kind, found)),
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    gather(Kind::Table(&FILE), &mut found);
    found
}

#[test]
fn every_key_has_a_sentence_and_is_on_the_page() {
    let page = settings_page();
    let tables = tables();
    assert!(tables.len() > 15, "{:?}", tables.keys());
    for (table, key) in tables
        .values()
        .flat_map(|it| it.keys.iter().map(|key| (it.name, key)))
    {
        assert!(key.about.ends_with('.'), "{table}: {}", key.name);
        let named = |before: &str| page.contains(&format!("{before}{}", key.name));
        let shown = ["| `", "`[", "`[[", "## `", ".", "with `", "and `"];
        assert!(shown.into_iter().any(named), "{table}: {}", key.name);
    }
}

#[test]
fn every_setting_goes_somewhere() {
    fn check(section: &str, key: &Key) {
        let path = format!("{section}{}", key.name);
        match key.kind {
            Kind::Table(table)
            | Kind::Map(&Map {
                of: Kind::Table(table),
                ..
            }) => {
                let section = format!("{path}.");
                table.keys.iter().for_each(|key| check(&section, key));
            }
            _ => assert!(key.slot.is_some(), "{path}"),
        }
    }
    // Hooks and rules have readers of their own.
    let settings = FILE.keys.iter();
    settings
        .filter(|key| !["hooks", "rule"].contains(&key.name))
        .for_each(|key| check("", key));
}

/// A field without a row can be set by nobody.
#[test]
fn every_field_of_the_settings_has_a_key() {
    /// What other keys decide: `on_failure`, `timeout_secs`, `expires_secs`, `test_timeout_secs`, `build_timeout_secs`, `locked`.
    const WITHOUT: &[&str] = &[
        "defaults.attempts",
        "defaults.timeout",
        "leases.expires",
        "orchestrator.decay",
        "tests.test_timeout",
        "tests.build_timeout",
        "allow_locked",
    ];
    fn check(section: &str, fields: &Value, table: &Table) {
        for (name, value) in fields.as_object().unwrap() {
            let path = format!("{section}{name}");
            let Some(key) = table.key(name) else {
                assert!(WITHOUT.contains(&path.as_str()), "{path} has no key");
                continue;
            };
            if let Kind::Table(table) = key.kind {
                check(&format!("{path}."), value, table);
            }
        }
    }
    check("", &serde_json::to_value(Config::default()).unwrap(), &FILE);
}

/// The readers of hooks and rules ask for keys by name; a key that they do not ask for has no effect.
#[test]
fn every_key_of_hooks_and_rules_is_read() {
    let reads = |findings: &[Diagnostic], key: &Key| {
        let unread = format!("`{}` has no effect in this place", key.name);
        !findings.iter().any(|finding| finding.message == unread)
    };
    let hooks = [
        ("PreToolUse", "command = 'x'\n"),
        ("PreToolUse", "script = 'x'\n"),
        ("PreToolUse", "prompt = 'x'\n"),
        ("PreToolUse", "type = 'agent'\nprompt = 'x'\n"),
        ("PreToolUse", "url = 'https://x'\n"),
        (
            "PreToolUse",
            "type = 'mcp_tool'\nserver = 's'\ntool = 't'\n",
        ),
        ("", "type = 'Stop'\nscript = 'x'\n"),
        ("", "script = 'x'\n"),
    ];
    for key in HOOK.keys {
        let is_read = hooks.iter().any(|(event, hook)| {
            let table = if event.is_empty() {
                "hooks".to_owned()
            } else {
                format!("hooks.{event}")
            };
            let others = hook
                .lines()
                .filter(|line| !line.starts_with(&format!("{} =", key.name)));
            let others: Vec<&str> = others.collect();
            let text = format!(
                "[[{table}]]\n{}\n{} = {}\n",
                others.join("\n"),
                key.name,
                sample(key)
            );
            let source = Source::new(Syntax::Toml, DialectChoice::Fixed(Dialect::Generic));
            let parsed = parse_source(&text, &source);
            parsed.hooks.len() == 1 && reads(&parsed.diagnostics, key)
        });
        assert!(is_read, "{}", key.name);
    }
    for key in RULE.keys {
        let text = format!("[[rule]]\n{} = {}\n", key.name, sample(key));
        let (_, findings) = load(&[(Scope::Global, &text)], TrustState::NotNeeded);
        assert!(reads(&findings, key), "{}: {findings:?}", key.name);
    }
}

/// A value that the key can hold.
fn sample(key: &Key) -> String {
    match (key.name, key.kind) {
        ("type", _) => "'command'".to_owned(),
        ("event", _) => "'Stop'".to_owned(),
        ("url", _) => "'https://x'".to_owned(),
        ("if", _) => "'Bash(x *)'".to_owned(),
        (_, Kind::Flag) => "true".to_owned(),
        (_, Kind::WholeNumber | Kind::Number) => "5".to_owned(),
        (_, Kind::Words(list)) => format!("'{}'", (list.words)()[0]),
        (_, Kind::List(_)) => "['x']".to_owned(),
        (_, Kind::Map(_) | Kind::Object | Kind::Table(_)) => "{}".to_owned(),
        _ => "'x'".to_owned(),
    }
}
