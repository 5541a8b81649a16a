//! Checks one file by itself, whatever its place.

use std::path::{Path, PathBuf};

use crate::dialect::Dialect;
use crate::hook::Activation;
use crate::settings::Severity;
use crate::settings::claude::plugins;
use crate::settings::claude::sensitive;
use crate::settings::files::locations::LOCAL_FILE;
use crate::settings::files::{FileText, finding};
use crate::settings::hooks::model::{Plugin, Scope};
use crate::settings::hooks::read::{DialectChoice, Parsed, Source, Syntax, parse_source};
use crate::settings::keys::{self, FileConfig};
use crate::settings::rules;
use crate::settings::rules::definition::LoadedRule;
use crate::settings::trust::store::TrustState;

/// What one file says, and what is wrong with it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its text, if it could be read.
    pub text: Option<String>,
    /// Its hooks and the findings.
    pub parsed: Parsed,
    /// Its rules, if it is one of Bowline's own.
    pub rules: Vec<LoadedRule>,
}

/// Checks a file. Its name and folder say what it is; `dialect` overrides the rules by which it is read.
pub fn check_file(path: &Path, dialect: Option<Dialect>) -> FileReport {
    let file = FileText::read(path.to_owned());
    let mut parsed = Parsed::default();
    let mut own_rules = Vec::new();
    match &file.text {
        Ok(Some(_)) if is_sensitive_files(path) => {
            parsed.diagnostics.extend(sensitive::check(&file));
        }
        Ok(Some(text)) => {
            let source = guess(path, dialect);
            if let Some(plugin) = source
                .plugin
                .as_ref()
                .filter(|plugin| is_manifest_of(plugin, path))
            {
                read_manifest(path, plugin, &source, &mut parsed);
            } else {
                add(&mut parsed, parse_source(text, &source));
            }
            if source.syntax == Syntax::Toml {
                let mut configs: Vec<_> = FileConfig::of(&file, source.scope).into_iter().collect();
                own_rules = rules::arrange(&mut configs, TrustState::NotNeeded);
                keys::resolve(&mut configs, TrustState::NotNeeded);
                let findings = configs
                    .into_iter()
                    .flat_map(|config| config.findings.finish());
                parsed.diagnostics.extend(findings);
                parsed.diagnostics.sort_by_key(|finding| finding.span.start);
            }
        }
        Ok(None) => parsed.diagnostics.push(finding(
            Severity::Error,
            "no-such-file",
            path,
            "there is no such file",
            "check the path",
        )),
        Err(unreadable) => parsed.diagnostics.push(unreadable.diagnostic(path)),
    }
    FileReport {
        path: file.path,
        text: file.text.ok().flatten(),
        parsed,
        rules: own_rules,
    }
}

/// The rules that a file of Bowline's own would have with this text, before it is written.
pub fn rules_with(path: &Path, text: &str) -> Vec<LoadedRule> {
    let file = FileText {
        path: path.to_owned(),
        text: Ok(Some(text.to_owned())),
    };
    let scope = guess_scope(path, None);
    let mut configs: Vec<_> = FileConfig::of(&file, scope).into_iter().collect();
    rules::arrange(&mut configs, TrustState::NotNeeded)
}

fn read_manifest(path: &Path, plugin: &Plugin, source: &Source, parsed: &mut Parsed) {
    let found = plugins::Found::at(plugin.root.clone(), None, &mut parsed.diagnostics);
    // For what is wrong with the names; each file is checked by itself.
    found.files(&mut parsed.diagnostics);
    for part in found.inline() {
        if let Ok(Some(text)) = &part.text {
            add(parsed, parse_source(text, source));
        }
    }
    // By the name that the caller knows it by.
    for finding in &mut parsed.diagnostics {
        finding.file = Some(path.to_owned());
    }
}

fn add(parsed: &mut Parsed, more: Parsed) {
    parsed.hooks.extend(more.hooks);
    parsed.diagnostics.extend(more.diagnostics);
}

fn guess(path: &Path, dialect: Option<Dialect>) -> Source {
    let syntax = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => Syntax::Toml,
        Some("md" | "markdown") => Syntax::FrontMatter,
        _ => Syntax::Json,
    };
    let plugin = plugin_root(path).map(|root| {
        // Problems of the manifest are reported when the manifest is checked.
        plugins::Found::at(root, None, &mut Vec::new()).plugin
    });
    let by_place = if syntax == Syntax::FrontMatter || plugin.is_some() || is_claude_codes(path) {
        DialectChoice::ByShape
    } else {
        DialectChoice::Fixed(Dialect::Generic)
    };
    let name = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let activation = match syntax {
        Syntax::FrontMatter if path.file_name().is_some_and(|file| file == "SKILL.md") => {
            Activation::Skill(name(path.parent().and_then(Path::file_name)))
        }
        Syntax::FrontMatter => Activation::Agent(name(path.file_stem())),
        Syntax::Json | Syntax::Toml => Activation::Always,
    };
    Source {
        scope: guess_scope(path, plugin.as_ref()),
        file: Some(path.to_owned()),
        plugin,
        activation,
        ..Source::new(syntax, dialect.map_or(by_place, DialectChoice::Fixed))
    }
}

/// Only Bowline's own files have keys that not everyone may set.
fn guess_scope(path: &Path, plugin: Option<&Plugin>) -> Scope {
    match path.file_name().and_then(|name| name.to_str()) {
        _ if plugin.is_some() => Scope::Plugin,
        Some(LOCAL_FILE) => Scope::Local,
        Some("config.toml") if path.starts_with("/etc") => Scope::Managed,
        Some("config.toml") => Scope::Global,
        _ => Scope::Project,
    }
}

/// The folder of the plugin that a file belongs to: a `hooks/hooks.json`, a manifest, or a file that a manifest names.
fn plugin_root(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    if path.ends_with(plugins::HOOKS_FILE) || path.ends_with(plugins::MANIFEST) {
        return Some(path.parent()?.parent()?.to_owned());
    }
    path.ancestors()
        .skip(1)
        .filter(|folder| folder.join(plugins::MANIFEST).is_file())
        .find(|folder| {
            plugins::Found::at((*folder).to_owned(), None, &mut Vec::new())
                .files(&mut Vec::new())
                .contains(&path)
        })
        .map(Path::to_owned)
}

fn is_manifest_of(plugin: &Plugin, path: &Path) -> bool {
    std::path::absolute(path).is_ok_and(|path| path == plugin.root.join(plugins::MANIFEST))
}

fn is_sensitive_files(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == sensitive::FILE)
}

/// Whether the file is one that Claude Code reads, by its folder and name.
fn is_claude_codes(path: &Path) -> bool {
    let in_folder = |name: &str| {
        path.parent()
            .and_then(Path::file_name)
            .is_some_and(|folder| folder == name)
    };
    let named = |names: &[&str]| {
        path.file_name()
            .is_some_and(|file| names.iter().any(|name| file == *name))
    };
    in_folder(".claude")
        || in_folder("managed-settings.d")
        || named(&[
            "settings.json",
            "settings.local.json",
            "managed-settings.json",
        ])
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(name: &str, text: &str) -> FileReport {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        check_file(&path, None)
    }

    fn codes(report: &FileReport) -> Vec<&'static str> {
        report
            .parsed
            .diagnostics
            .iter()
            .map(|finding| finding.code)
            .collect()
    }

    const NESTED: &str =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#;

    #[test]
    fn name_and_folder_tell_what_a_file_is() {
        let front_matter =
            "---\nhooks:\n  Stop:\n    - hooks:\n        - {type: command, command: x}\n---\n";
        for (name, text, dialect, activation) in [
            (
                ".claude/settings.json",
                NESTED,
                Dialect::ClaudeCode,
                Activation::Always,
            ),
            ("other.json", NESTED, Dialect::Generic, Activation::Always),
            (
                "bowline.toml",
                "hooks.Stop = ['x']",
                Dialect::Generic,
                Activation::Always,
            ),
            (
                "skills/tidy/SKILL.md",
                front_matter,
                Dialect::ClaudeCode,
                Activation::Skill("tidy".to_owned()),
            ),
            (
                "agents/a.md",
                front_matter,
                Dialect::ClaudeCode,
                Activation::Agent("a".to_owned()),
            ),
        ] {
            let report = check(name, text);
            let [hook] = report.parsed.hooks.as_slice() else {
                panic!("{name}: {report:?}");
            };
            assert_eq!(hook.origin.dialect, dialect, "{name}");
            assert_eq!(hook.activation, activation, "{name}");
            assert_eq!(report.text.as_deref(), Some(text));
        }
    }

    #[test]
    fn a_plugins_files_are_known_by_their_folder() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let hooks = write("hooks/hooks.json", NESTED);
        let manifest = write(
            ".claude-plugin/plugin.json",
            r#"{"name": "lint", "hooks": ["./a.json", {"Stop": [{"hooks": [{"type": "command", "command": "y"}]}]}]}"#,
        );
        for (path, command) in [(hooks, "x"), (manifest, "y")] {
            let report = check_file(&path, None);
            let [hook] = report.parsed.hooks.as_slice() else {
                panic!("{report:?}");
            };
            assert_eq!(
                (hook.id.as_str(), hook.action.summary().as_str()),
                ("lint:Stop-1", command)
            );
            assert!(report.parsed.diagnostics.is_empty(), "{report:?}");
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_findings() {
        let root = tempfile::tempdir().unwrap();
        let missing = check_file(&root.path().join("none.json"), None);
        assert_eq!(codes(&missing), ["no-such-file"]);
        assert_eq!(codes(&check_file(root.path(), None)), ["not-a-file"]);
    }

    #[test]
    fn keys_and_hooks_of_a_toml_file_are_both_checked() {
        let report = check(
            "bowline.toml",
            "brigde.claude_hooks = true\nlocked = []\n[defaults]\non_failure = 'maybe'\ntimeout_secs = -1\n[hooks]\nStopp = ['x']\n",
        );
        assert_eq!(
            codes(&report),
            [
                "unknown-key",
                "managed-only",
                "wrong-type",
                "wrong-value",
                "unknown-event"
            ]
        );
        assert_eq!(codes(&check("bowline.toml", "hooks = [")), ["syntax"]);
    }

    #[test]
    fn the_dialect_can_be_chosen() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.json");
        fs::write(&path, NESTED).unwrap();
        let report = check_file(&path, Some(Dialect::ClaudeCode));
        assert_eq!(report.parsed.hooks[0].origin.dialect, Dialect::ClaudeCode);
    }
}
