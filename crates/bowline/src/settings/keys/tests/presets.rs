//! Presets count like keys of the file that names them, and it is known where each value comes from.

use std::path::PathBuf;

use super::load;
use crate::settings::files::FileText;
use crate::settings::keys::describe::{Kind, Table, Who};
use crate::settings::keys::presets::{Preset, with_preset};
use crate::settings::keys::sections::*;
use crate::settings::keys::template::{TemplateFor, settings_template};
use crate::settings::keys::{
    FileConfig, SecretWriting, SettingStatus, StatedSetting, resolve, setting_keys, settled,
};
use crate::settings::trust::store::TrustState;
use crate::settings::{Scope, Severity};

/// What these files state, and what became of it.
fn stated(files: &[(Scope, &str)], trust: TrustState) -> Vec<StatedSetting> {
    let files: Vec<(Scope, FileText)> = files
        .iter()
        .map(|(scope, text)| {
            let file = FileText {
                path: PathBuf::from(format!("{scope}.toml")),
                text: Ok(Some((*text).to_owned())),
            };
            (*scope, file)
        })
        .collect();
    let mut configs: Vec<_> = files
        .iter()
        .map(|(scope, file)| FileConfig::of(file, *scope).unwrap())
        .collect();
    resolve(&mut configs, trust);
    settled(&mut configs)
}

#[test]
fn every_preset_is_read_without_findings_and_states_the_same_keys() {
    let keys = |preset: Preset| -> Vec<String> {
        let file = preset.file();
        assert!(file.rules.is_empty());
        let keys = file.stated.iter().map(|it| it.path.to_string()).collect();
        for stated in &file.stated {
            let is_for_all = stated.key.who == Who::Everybody;
            assert!(is_for_all, "{}: a project may not set it", stated.path);
        }
        assert_eq!(file.findings.finish(), [], "{preset:?}");
        keys
    };
    let safe = keys(Preset::Safe);
    assert!(safe.len() > 3, "{safe:?}");
    for preset in Preset::ALL {
        assert_eq!(keys(preset), safe, "{preset:?}");
    }
}

#[test]
fn safe_is_what_holds_without_anything_and_the_others_differ_from_the_one_before() {
    let of = |preset: Preset| {
        let text = format!("preset = '{}'", preset.name());
        let (config, findings) = load(&[(Scope::Global, &text)], TrustState::NotNeeded);
        assert_eq!(findings, [], "{preset:?}");
        assert_eq!(config.preset, Some(preset));
        Config {
            preset: None,
            ..config
        }
    };
    assert_eq!(of(Preset::Safe), Config::default());
    for pair in Preset::ALL.windows(2) {
        assert_ne!(of(pair[0]), of(pair[1]), "{pair:?}");
    }
    let team = of(Preset::Team);
    assert_eq!(team.leases.mode, LeaseMode::Ask);
    assert_eq!(team.guard.secrets, SecretWriting::Deny);
    assert_eq!(of(Preset::Collective).leases.mode, LeaseMode::Deny);
}

#[test]
fn the_files_own_keys_win_over_its_preset_and_stronger_files_over_both() {
    let mode = |files: &[(Scope, &str)]| {
        let (config, findings) = load(files, TrustState::Trusted);
        assert_eq!(findings, [], "{files:?}");
        (config.preset, config.leases.mode, config.guard.secrets)
    };
    let (team, solo) = (Some(Preset::Team), Some(Preset::Solo));
    for (files, expected) in [
        (
            // A key counts over the preset wherever it stands.
            &[(Scope::Global, "leases.mode = 'deny'\npreset = 'team'")][..],
            (team, LeaseMode::Deny, SecretWriting::Deny),
        ),
        (
            &[
                (Scope::Global, "leases.mode = 'deny'"),
                (Scope::Project, "preset = 'team'"),
            ],
            (team, LeaseMode::Ask, SecretWriting::Deny),
        ),
        (
            &[
                (Scope::Global, "preset = 'team'"),
                (Scope::Project, "preset = 'solo'"),
            ],
            (solo, LeaseMode::Off, SecretWriting::Ask),
        ),
        (
            &[
                (Scope::Project, "preset = 'solo'"),
                (Scope::Managed, "guard.secrets = 'deny'"),
            ],
            (solo, LeaseMode::Off, SecretWriting::Deny),
        ),
    ] {
        assert_eq!(mode(files), expected, "{files:?}");
    }
}

#[test]
fn the_preset_of_an_untrusted_project_only_tightens() {
    let (config, findings) = load(
        &[
            (Scope::Global, "leases.mode = 'deny'"),
            (Scope::Project, "preset = 'team'"),
        ],
        TrustState::Untrusted,
    );
    assert_eq!(config.guard.secrets, SecretWriting::Deny, "it tightens");
    assert_eq!(config.leases.mode, LeaseMode::Deny, "`ask` would be milder");
    assert!(!config.fleet.notify);
    // What holds already is not mentioned: `handover.detail` is what it is.
    let told: Vec<_> = findings.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        told,
        [
            "`leases.mode = \"ask\"` of the preset `team` is ignored: the project's settings are not trusted",
            "`fleet.notify = true` of the preset `team` is ignored: the project's settings are not trusted",
            "`errors.memory = true` of the preset `team` is ignored: the project's settings are not trusted",
            "`cost.track = true` of the preset `team` is ignored: the project's settings are not trusted",
            "`behaviour.recovery = true` of the preset `team` is ignored: the project's settings are not trusted",
        ]
    );
    assert!(findings.iter().all(|it| it.severity == Severity::Note));
    assert!(findings.iter().all(|it| (it.line, it.column) == (1, 10)));
}

#[test]
fn what_is_locked_stays_locked_also_for_a_preset() {
    for (locked, leases, notify) in [
        ("locked = ['leases']", LeaseMode::Off, true),
        ("locked = ['preset']", LeaseMode::Off, false),
        ("locked = ['record']", LeaseMode::Ask, true),
    ] {
        let files = [(Scope::Managed, locked), (Scope::Global, "preset = 'team'")];
        let (config, _) = load(&files, TrustState::NotNeeded);
        let found = (config.leases.mode, config.fleet.notify);
        assert_eq!(found, (leases, notify), "{locked}");
        // Values that make a guard stricter always count.
        assert_eq!(config.guard.secrets, SecretWriting::Deny, "{locked}");
    }
}

#[test]
fn a_preset_that_nobody_knows_is_an_error_and_changes_nothing() {
    let (config, findings) = load(&[(Scope::Global, "preset = 'lone'")], TrustState::NotNeeded);
    assert_eq!(config, Config::default());
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}");
    };
    assert_eq!(finding.code, "wrong-value");
    assert!(finding.message.contains("`safe` or `solo`"), "{finding:?}");
}

#[test]
fn each_value_says_where_it_comes_from_and_whether_it_counts() {
    let all = stated(
        &[
            (Scope::Managed, "locked = ['record']"),
            (Scope::Global, "preset = 'team'\nleases.mode = 'deny'\n"),
            (
                Scope::Project,
                "[record]\nprompts = 'off'\n[guard]\nallow.paths = ['dist/**']\n[store]\nkeep_days = 3\n",
            ),
            (Scope::Local, "locked = []\nguard.allow.paths = ['tmp/**']"),
        ],
        TrustState::Trusted,
    );
    let of = |key: &str| -> Vec<String> {
        let found = all.iter().filter(|it| it.key == key);
        found
            .map(|it| {
                let source = &it.source;
                let status = match &it.status {
                    SettingStatus::InForce => "in force",
                    SettingStatus::Overridden => "overridden",
                    SettingStatus::Ignored { code, .. } => code,
                };
                let preset = source.preset.map_or("", Preset::name);
                let file = source.file.display();
                format!("{} {file}:{} {preset} {status}", it.value, source.line)
            })
            .collect()
    };
    for (key, expected) in [
        ("preset", &["\"team\" global.toml:1  in force"][..]),
        (
            "leases.mode",
            &[
                "\"ask\" global.toml:1 team overridden",
                "\"deny\" global.toml:2  in force",
            ],
        ),
        ("fleet.notify", &["true global.toml:1 team in force"]),
        ("record.prompts", &["\"off\" project.toml:2  locked"]),
        ("store.keep_days", &["3 project.toml:6  not-in-projects"]),
        (
            "locked",
            &[
                "[] local.toml:1  managed-only",
                "[\"record\"] managed.toml:1  in force",
            ],
        ),
        (
            "guard.allow.paths",
            &[
                "[\"dist/**\"] project.toml:4  in force",
                "[\"tmp/**\"] local.toml:2  in force",
            ],
        ),
    ] {
        assert_eq!(of(key), expected, "{key}");
    }
}

/// Lists of `[guard]` add up, and the table says which.
#[test]
fn exactly_the_lists_of_all_files_that_add_up_are_marked() {
    let keys = setting_keys();
    let lists = keys.iter().filter(|key| key.holds.starts_with("a list"));
    for key in lists.filter(|key| key.key != "locked") {
        let path = key.key.replace("NAME", "claude-code");
        // Both are rules, patterns, programs and hosts.
        let (weaker, stronger) = (
            format!("{path} = ['git.push']"),
            format!("{path} = ['git.reset']"),
        );
        let files = [(Scope::Global, &*weaker), (Scope::Managed, &*stronger)];
        let (both, _) = load(&files, TrustState::NotNeeded);
        let (one, _) = load(&files[1..], TrustState::NotNeeded);
        let all = stated(&files, TrustState::NotNeeded);
        let is_in_force = |it: &&StatedSetting| it.status == SettingStatus::InForce;
        let in_force = all.iter().filter(is_in_force).count();
        assert_eq!(in_force, if both == one { 1 } else { 2 }, "{path}");
    }
}

#[test]
fn the_keys_are_those_of_the_tables_with_their_defaults() {
    let keys = setting_keys();
    let of = |name: &str| keys.iter().find(|it| it.key == name).unwrap();
    for (name, default, value) in [
        ("guard.mode", "enforce", Some("enforce".into())),
        ("leases.expires_secs", "600", Some(600.into())),
        ("store.keep_days", "30", Some(30.into())),
        ("fleet.notify", "false", Some(false.into())),
        ("guard.allow.rules", "none", None),
        ("guard.agents.NAME.mode", "as in [guard]", None),
        ("prompt.model", "a small and fast one", None),
        ("preset", "none", None),
    ] {
        let key = of(name);
        assert_eq!(
            (key.default.as_str(), &key.default_value),
            (default, &value),
            "{name}"
        );
    }
    assert!(
        !keys.iter().any(|it| it.key == "on_failure"),
        "as in [defaults]"
    );
    for (key, stated, is) in [
        ("guard.mode", "guard.mode", true),
        ("guard.mode", "guard.modes", false),
        ("guard.agents.NAME.mode", "guard.agents.codex.mode", true),
        ("guard.agents.NAME.mode", "guard.agents.codex", false),
        (
            "guard.categories.CATEGORY",
            "guard.categories.look-alike",
            true,
        ),
        ("dialects.FILE", "dialects.\".claude/settings.json\"", true),
        ("guard.allow.rules", "guard.allow", false),
    ] {
        assert_eq!(of(key).is(stated), is, "{key}: {stated}");
    }
}

#[test]
fn a_new_settings_file_says_nothing_and_can_say_everything() {
    for (target, scope) in [
        (TemplateFor::Project, Scope::Project),
        (TemplateFor::User, Scope::Global),
    ] {
        let text = settings_template(target, None);
        let (config, findings) = load(&[(scope, &text)], TrustState::Trusted);
        assert_eq!(config, Config::default());
        assert_eq!(findings, []);
        let everything: String = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(key) if !key.starts_with(' ') => format!("{key}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let (_, findings) = load(&[(scope, &everything)], TrustState::Trusted);
        assert_eq!(findings, [], "{everything}");
        let file = crate::settings::parse_source(
            &everything,
            &crate::settings::Source::new(
                crate::settings::Syntax::Toml,
                crate::settings::DialectChoice::Fixed(crate::dialect::Dialect::Generic),
            ),
        );
        assert_eq!((file.hooks.len(), file.diagnostics), (1, Vec::new()));
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest.is_some_and(|it| it <= 120), "{widest:?}");
        // Every key that its owner may set is there.
        let stated = stated(&[(scope, &everything)], TrustState::Trusted);
        let keys = setting_keys();
        let missing = keys
            .iter()
            .filter(|key| !stated.iter().any(|it| key.is(&it.key)));
        let missing: Vec<_> = missing.map(|key| key.key.as_str()).collect();
        let of_others = match target {
            TemplateFor::User => &["locked", "allow_managed_hooks_only"][..],
            TemplateFor::Project => &[
                "store.keep_days",
                "store.max_size_mb",
                "store.durability",
                "cost.prices.MODEL.input",
                "cost.prices.MODEL.output",
                "cost.prices.MODEL.cache_write",
                "cost.prices.MODEL.cache_write_1h",
                "cost.prices.MODEL.cache_read",
                "locked",
                "allow_managed_hooks_only",
            ],
        };
        assert_eq!(missing, of_others);
    }
    let text = settings_template(TemplateFor::User, Some(Preset::Team));
    let (config, findings) = load(&[(Scope::Global, &text)], TrustState::NotNeeded);
    assert_eq!((config.preset, findings), (Some(Preset::Team), Vec::new()));
}

#[test]
fn a_preset_is_put_into_a_file_that_exists() {
    for (before, after) in [
        ("", "preset = \"team\"\n"),
        (
            "# mine\n[guard]\nmode = 'observe'\n",
            "preset = \"team\"\n# mine\n[guard]\nmode = 'observe'\n",
        ),
        (
            "# mine\npreset = 'solo' # for now\n[guard]\n",
            "# mine\npreset = \"team\" # for now\n[guard]\n",
        ),
        (
            "\u{feff}[guard]\npreset = 1\n",
            "\u{feff}preset = \"team\"\n[guard]\npreset = 1\n",
        ),
    ] {
        assert_eq!(with_preset(before, Preset::Team).as_deref(), Ok(after));
    }
    let unfit = with_preset("[guard]\nmode = \n", Preset::Team).unwrap_err();
    assert_eq!(unfit.line, 2, "{unfit}");
}

/// A table whose keys a preset sets must be one of the file's own.
#[test]
fn a_preset_sets_only_keys_of_sections() {
    let is_section = |name: &str| {
        let mut keys = FILE.keys.iter();
        keys.any(|key| key.name == name && matches!(key.kind, Kind::Table(Table { .. })))
    };
    for stated in Preset::Collective.file().stated {
        let section = stated.path.names().first().unwrap().clone();
        assert!(is_section(&section), "{}", stated.path);
    }
}
