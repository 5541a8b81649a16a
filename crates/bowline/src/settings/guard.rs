//! `[guard]`: how strict the guards are, what they let pass, and for whom that differs.

use std::collections::BTreeMap;

use bowline_guard::effect::Category;
use bowline_guard::pattern::{BadPattern, CommandPattern, PathPattern, RulePattern};

use super::config::{Config, FileConfig};
use super::fields::nearest;
use super::guard_doubts::{self as doubts, Doubt};
use super::keys::{Setting, choice};
use super::node::{Entry, Value};
use crate::event::fold;

pub(super) const GUARD: &str = "guard";

/// What of `[guard]` can be locked.
pub(super) const LOCKABLE: &[&str] = &[
    GUARD,
    "guard.mode",
    "guard.categories",
    "guard.allow",
    "guard.sensitive",
    "guard.secrets",
    "guard.worktree",
    "guard.agents",
    "guard.subagents",
];

/// `[guard]`: how strict the guards are.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardConfig {
    /// For every agent, everywhere in the project.
    #[serde(flatten)]
    pub base: GuardLayer,
    /// `[guard.worktree]`: in a linked git worktree.
    pub worktree: GuardLayer,
    /// `[guard.agents.NAME]`: for one agent, such as `claude-code`.
    pub agents: BTreeMap<String, GuardLayer>,
    /// `[guard.subagents.NAME]`: for one type of sub-agent. It only tightens, because whoever defines a sub-agent
    /// chooses its name.
    pub subagents: BTreeMap<String, GuardLayer>,
    /// `[guard.sensitive]`: what the project says about files that hold secrets.
    pub sensitive: SensitiveConfig,
    /// `secrets`: what happens to a file, a commit or a prompt with a secret in it.
    pub secrets: SecretWriting,
}

/// One layer of `[guard]`; what a later one says counts over an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardLayer {
    /// What becomes of a verdict.
    pub mode: Option<GuardMode>,
    /// The verdict of a category, by its name.
    pub categories: BTreeMap<String, GuardAnswer>,
    /// What is let pass.
    pub allow: GuardAllow,
}

/// `[guard.allow]`: what is let pass.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct GuardAllow {
    /// Rules by their id, or whole categories.
    pub rules: Vec<String>,
    /// Paths, as in `.gitignore`.
    pub paths: Vec<String>,
    /// Program runs, such as `make clean *`.
    pub commands: Vec<String>,
}

/// `[guard.sensitive]`: files that hold secrets, and files that do not, as in `.gitignore`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct SensitiveConfig {
    /// These hold secrets, too.
    pub deny: Vec<String>,
    /// These do not, whatever they are called.
    pub allow: Vec<String>,
}

/// What becomes of a guard's verdict, from the strictest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GuardMode {
    /// It counts.
    #[default]
    Enforce,
    /// It counts the first time; the same call again in the same session passes.
    OneStrike,
    /// It is only told.
    Observe,
}

/// The verdict that settings give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GuardAnswer {
    /// It passes.
    Allow,
    /// A person decides.
    Ask,
    /// It must not happen.
    Deny,
}

/// What happens to a file, a commit or a prompt with a secret in it, from the mildest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SecretWriting {
    /// Nobody looks.
    #[default]
    Off,
    /// A person decides.
    Ask,
    /// It must not happen.
    Deny,
}

impl GuardLayer {
    /// Both layers as one; what the other says counts over this one.
    pub fn with(mut self, over: &Self) -> Self {
        self.mode = over.mode.or(self.mode);
        self.categories.extend(
            over.categories
                .iter()
                .map(|(name, answer)| (name.clone(), *answer)),
        );
        self.allow.rules.extend_from_slice(&over.allow.rules);
        self.allow.paths.extend_from_slice(&over.allow.paths);
        self.allow.commands.extend_from_slice(&over.allow.commands);
        self
    }
}

/// One key of `[guard]`.
#[derive(Debug)]
pub(super) enum GuardSetting {
    Layer(Layer, LayerSetting),
    SensitiveDeny(Vec<String>),
    SensitiveAllow(Vec<String>),
    Secrets(SecretWriting),
}

/// Which layer a key is in.
#[derive(Debug, Clone)]
pub(super) enum Layer {
    Base,
    Worktree,
    Agent(String),
    Subagent(String),
}

#[derive(Debug)]
pub(super) enum LayerSetting {
    Mode(GuardMode),
    Category(&'static str, GuardAnswer),
    AllowRules(Vec<String>),
    AllowPaths(Vec<String>),
    AllowCommands(Vec<String>),
}

impl GuardSetting {
    /// Lists add up: a project's list does not take away the user's.
    pub(super) fn apply(self, config: &mut Config) {
        let guard = &mut config.guard;
        match self {
            Self::SensitiveDeny(patterns) => guard.sensitive.deny.extend(patterns),
            Self::SensitiveAllow(patterns) => guard.sensitive.allow.extend(patterns),
            Self::Secrets(secrets) => guard.secrets = secrets,
            Self::Layer(layer, setting) => {
                let layer = match layer {
                    Layer::Base => &mut guard.base,
                    Layer::Worktree => &mut guard.worktree,
                    Layer::Agent(name) => guard.agents.entry(name).or_default(),
                    Layer::Subagent(name) => guard.subagents.entry(name).or_default(),
                };
                match setting {
                    LayerSetting::Mode(mode) => layer.mode = Some(mode),
                    LayerSetting::Category(name, answer) => {
                        layer.categories.insert(name.to_owned(), answer);
                    }
                    LayerSetting::AllowRules(rules) => layer.allow.rules.extend(rules),
                    LayerSetting::AllowPaths(paths) => layer.allow.paths.extend(paths),
                    LayerSetting::AllowCommands(commands) => layer.allow.commands.extend(commands),
                }
            }
        }
    }

    /// Whether it can only make decisions stricter than weaker files do.
    pub(super) fn only_tightens(&self, weaker: &Config) -> bool {
        match self {
            Self::Layer(
                _,
                LayerSetting::Mode(GuardMode::Enforce)
                | LayerSetting::Category(_, GuardAnswer::Deny),
            )
            | Self::SensitiveDeny(_) => true,
            Self::Secrets(secrets) => *secrets >= weaker.guard.secrets,
            _ => false,
        }
    }
}

const MODES: &[(&str, GuardMode)] = &[
    ("enforce", GuardMode::Enforce),
    ("one-strike", GuardMode::OneStrike),
    ("observe", GuardMode::Observe),
];

const ANSWERS: &[(&str, GuardAnswer)] = &[
    ("deny", GuardAnswer::Deny),
    ("ask", GuardAnswer::Ask),
    ("allow", GuardAnswer::Allow),
];

const SECRETS: &[(&str, SecretWriting)] = &[
    ("off", SecretWriting::Off),
    ("ask", SecretWriting::Ask),
    ("deny", SecretWriting::Deny),
];

impl FileConfig<'_> {
    /// Reads the section.
    pub(super) fn guard(&mut self, section: &Entry) {
        for entry in self.table(GUARD, section) {
            let path = format!("{GUARD}.{}", entry.key.text);
            match fold(&entry.key.text).as_str() {
                "worktree" => self.layer(&path, &Layer::Worktree, entry),
                "agents" => {
                    for agent in self.table(&path, entry) {
                        if let Some(doubt) = doubts::unknown_agent(&agent.key.text) {
                            let span = &agent.key.span;
                            self.findings
                                .warning(doubt.code, span, doubt.message, doubt.help);
                        }
                    }
                    self.layers(&path, Layer::Agent, entry);
                }
                "subagents" => self.layers(&path, Layer::Subagent, entry),
                "sensitive" => self.sensitive(&path, entry),
                "secrets" => {
                    let read = choice(&entry.value, SECRETS).map(GuardSetting::Secrets);
                    self.guard_setting(&path, entry, read);
                }
                _ => self.layer_key(&path, &Layer::Base, entry, BASE_KEYS),
            }
        }
    }

    fn layers(&mut self, path: &str, of: impl Fn(String) -> Layer, section: &Entry) {
        for agent in self.table(path, section) {
            let path = format!("{path}.{}", agent.key.text);
            self.layer(&path, &of(agent.key.text.clone()), agent);
        }
    }

    fn layer(&mut self, path: &str, layer: &Layer, section: &Entry) {
        for entry in self.table(path, section) {
            let path = format!("{path}.{}", entry.key.text);
            self.layer_key(&path, layer, entry, LAYER_KEYS);
        }
    }

    fn layer_key(&mut self, path: &str, layer: &Layer, entry: &Entry, known: &[&str]) {
        let of_layer = |setting| GuardSetting::Layer(layer.clone(), setting);
        match fold(&entry.key.text).as_str() {
            "mode" => {
                let read = choice(&entry.value, MODES).map(|it| of_layer(LayerSetting::Mode(it)));
                self.guard_setting(path, entry, read);
            }
            "categories" => self.categories(path, layer, entry),
            "allow" if matches!(layer, Layer::Subagent(_)) => self.wrong(
                path,
                &entry.value,
                "whoever defines a sub-agent chooses its name, so its settings only tighten; expected `mode` or `categories`",
            ),
            "allow" => {
                for list in self.table(path, entry) {
                    let path = format!("{path}.{}", list.key.text);
                    let setting = match fold(&list.key.text).as_str() {
                        "rules" => {
                            let rules = self.patterns(&path, list, RulePattern::parse);
                            self.doubts(list, &rules, doubts::unknown_rule);
                            LayerSetting::AllowRules(rules)
                        }
                        "paths" => {
                            let paths = self.patterns(&path, list, PathPattern::parse);
                            self.doubts(list, &paths, doubts::literal_brackets);
                            LayerSetting::AllowPaths(paths)
                        }
                        "commands" => LayerSetting::AllowCommands(self.patterns(
                            &path,
                            list,
                            CommandPattern::of_program,
                        )),
                        _ => {
                            self.unknown(&path, list, &["rules", "paths", "commands"]);
                            continue;
                        }
                    };
                    self.guard_setting(&path, list, Ok(of_layer(setting)));
                }
            }
            _ => self.unknown(path, entry, known),
        }
    }

    fn categories(&mut self, path: &str, layer: &Layer, section: &Entry) {
        for entry in self.table(path, section) {
            let path = format!("{path}.{}", entry.key.text);
            let folded = fold(&entry.key.text);
            let Some(category) = Category::ALL.iter().find(|it| fold(it.name()) == folded) else {
                let names: Vec<&str> = Category::ALL.iter().map(|it| it.name()).collect();
                self.unknown(&path, entry, &names);
                continue;
            };
            let read = match choice(&entry.value, ANSWERS) {
                Ok(GuardAnswer::Allow) if *category == Category::OwnSettings => Err(
                    "changes to the guard's own settings are always asked about; expected `deny` or `ask`"
                        .to_owned(),
                ),
                Ok(answer) => Ok(GuardSetting::Layer(
                    layer.clone(),
                    LayerSetting::Category(category.name(), answer),
                )),
                Err(expected) => Err(expected),
            };
            self.guard_setting(&path, entry, read);
        }
    }

    fn sensitive(&mut self, path: &str, section: &Entry) {
        for entry in self.table(path, section) {
            let path = format!("{path}.{}", entry.key.text);
            let setting = match fold(&entry.key.text).as_str() {
                "deny" => GuardSetting::SensitiveDeny,
                "allow" => GuardSetting::SensitiveAllow,
                _ => {
                    self.unknown(&path, entry, &["deny", "allow"]);
                    continue;
                }
            };
            let patterns = self.patterns(&path, entry, PathPattern::parse);
            self.doubts(entry, &patterns, doubts::literal_brackets);
            self.guard_setting(&path, entry, Ok(setting(patterns)));
        }
    }

    /// The patterns of a list that can be used; one bad pattern does not take the others with it.
    fn patterns<P>(
        &mut self,
        path: &str,
        list: &Entry,
        parse: impl Fn(&str) -> Result<P, BadPattern>,
    ) -> Vec<String> {
        let Value::List(items) = &list.value.value else {
            self.wrong(path, &list.value, "expected a list of patterns");
            return Vec::new();
        };
        if let Some(more) = items.get(MAX_PATTERNS) {
            self.findings.error(
                "too-many-patterns",
                &more.span,
                format!(
                    "`{path}` has {} patterns; the first {MAX_PATTERNS} count, this one and those after it are left out",
                    items.len()
                ),
                "name folders instead of files: `secrets/**`",
            );
        }
        let mut patterns = Vec::new();
        for item in items.iter().take(MAX_PATTERNS) {
            match &item.value {
                Value::String(text) => match parse(text) {
                    Ok(_) => patterns.push(text.clone()),
                    Err(bad) => self.wrong(path, item, &bad.to_string()),
                },
                _ => self.wrong(path, item, "expected a pattern"),
            }
        }
        patterns
    }

    /// Tells what is probably not meant so. The patterns count as they are: a wrong one that protects must not protect less.
    fn doubts(&mut self, list: &Entry, used: &[String], doubt: fn(&str) -> Option<Doubt>) {
        let Value::List(items) = &list.value.value else {
            return;
        };
        for item in items {
            let Value::String(text) = &item.value else {
                continue;
            };
            let found = used.contains(text).then(|| doubt(text)).flatten();
            if let Some(Doubt {
                code,
                message,
                help,
            }) = found
            {
                self.findings.warning(code, &item.span, message, help);
            }
        }
    }

    fn guard_setting(&mut self, path: &str, entry: &Entry, read: Result<GuardSetting, String>) {
        match read {
            Ok(setting) => {
                self.state(path.to_owned(), &entry.value.span, Setting::Guard(setting));
            }
            Err(expected) => self.wrong(path, &entry.value, &expected),
        }
    }

    fn table<'n>(&mut self, path: &str, section: &'n Entry) -> &'n [Entry] {
        if let Value::Map(entries) = &section.value.value {
            return entries;
        }
        let expected = format!("expected a table, `[{path}]`");
        self.wrong(path, &section.value, &expected);
        &[]
    }

    fn unknown(&mut self, path: &str, entry: &Entry, known: &[&str]) {
        let help = match nearest(&entry.key.text, known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("expected one of {}", known.join(", ")),
        };
        self.findings.warning(
            "unknown-key",
            &entry.key.span,
            format!("`{path}` is not a key that Bowline knows; it is ignored"),
            help,
        );
    }
}

/// Every pattern is compared with every path of a call.
const MAX_PATTERNS: usize = 200;

const LAYER_KEYS: &[&str] = &["mode", "categories", "allow"];
const BASE_KEYS: &[&str] = &[
    "mode",
    "categories",
    "allow",
    "sensitive",
    "secrets",
    "worktree",
    "agents",
    "subagents",
];

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::config::resolve;
    use super::super::files::FileText;
    use super::super::trust::TrustState;
    use super::super::{Diagnostic, Scope};
    use super::*;

    fn load(files: &[(Scope, &str)], trust: TrustState) -> (GuardConfig, Vec<Diagnostic>) {
        let files: Vec<(Scope, FileText)> = files
            .iter()
            .map(|(scope, text)| {
                let file = FileText {
                    path: PathBuf::from("bowline.toml"),
                    text: Ok(Some((*text).to_owned())),
                };
                (*scope, file)
            })
            .collect();
        let mut configs: Vec<_> = files
            .iter()
            .map(|(scope, file)| FileConfig::of(file, *scope).unwrap())
            .collect();
        let config = resolve(&mut configs, trust);
        let findings = configs
            .into_iter()
            .flat_map(|it| it.findings.finish())
            .collect();
        (config.guard, findings)
    }

    fn read(text: &str) -> (GuardConfig, Vec<Diagnostic>) {
        load(&[(Scope::Global, text)], TrustState::NotNeeded)
    }

    #[test]
    fn what_is_probably_not_meant_is_told_and_counts() {
        let (guard, findings) = read(
            "[guard.allow]\nrules = ['git.pushforce', 'git.*']\npaths = ['{a']\n\
             [guard.sensitive]\ndeny = ['[bad', 'keys/**']\n\
             [guard.agents.claude]\nmode = 'observe'\n",
        );
        let codes: Vec<&str> = findings.iter().map(|it| it.code).collect();
        assert_eq!(
            codes,
            [
                "unknown-rule",
                "literal-brackets",
                "literal-brackets",
                "unknown-agent"
            ]
        );
        assert_eq!(guard.sensitive.deny, ["[bad", "keys/**"]);
        assert_eq!(guard.agents["claude"].mode, Some(GuardMode::Observe));
    }

    #[test]
    fn every_key_is_read() {
        let (guard, findings) = read(
            r#"
            [guard]
            mode = "one-strike"
            secrets = "deny"
            [guard.categories]
            delete = "ask"
            fetched_code = "deny"
            [guard.allow]
            rules = ["git.*", "cloud"]
            paths = ["scratch/**"]
            commands = ["make clean *"]
            [guard.sensitive]
            deny = ["internal/**"]
            allow = ["tests/fixtures"]
            [guard.worktree]
            categories.discard = "allow"
            [guard.agents.codex]
            mode = "observe"
            [guard.agents.codex.allow]
            rules = ["process"]
            [guard.subagents.Explore]
            categories.remote = "deny"
            "#,
        );
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(guard.base.mode, Some(GuardMode::OneStrike));
        assert_eq!(guard.secrets, SecretWriting::Deny);
        assert_eq!(guard.base.categories["delete"], GuardAnswer::Ask);
        assert_eq!(guard.base.categories["fetched-code"], GuardAnswer::Deny);
        assert_eq!(guard.base.allow.rules, ["git.*", "cloud"]);
        assert_eq!(guard.base.allow.paths, ["scratch/**"]);
        assert_eq!(guard.base.allow.commands, ["make clean *"]);
        assert_eq!(guard.sensitive.deny, ["internal/**"]);
        assert_eq!(guard.sensitive.allow, ["tests/fixtures"]);
        assert_eq!(guard.worktree.categories["discard"], GuardAnswer::Allow);
        assert_eq!(guard.agents["codex"].mode, Some(GuardMode::Observe));
        assert_eq!(guard.agents["codex"].allow.rules, ["process"]);
        assert_eq!(
            guard.subagents["Explore"].categories["remote"],
            GuardAnswer::Deny
        );
    }

    #[test]
    fn what_is_wrong_is_said_and_takes_nothing_else_with_it() {
        for (text, code, says) in [
            ("guard = 3", "wrong-value", "[guard]"),
            ("guard.mode = 'lax'", "wrong-value", "`one-strike`"),
            ("guard.mod = 'observe'", "unknown-key", "`mode`"),
            (
                "guard.categories.deletes = 'ask'",
                "unknown-key",
                "`delete`",
            ),
            ("guard.categories.delete = 'maybe'", "wrong-value", "`deny`"),
            (
                "guard.categories.self = 'allow'",
                "wrong-value",
                "always asked",
            ),
            ("guard.allow.rule = ['x']", "unknown-key", "`rules`"),
            (
                "guard.allow.commands = ['a; b']",
                "wrong-value",
                "one program run",
            ),
            ("guard.allow.paths = 'x'", "wrong-value", "a list"),
            ("guard.agents.codex.secrets = 'off'", "unknown-key", "mode"),
            ("guard.secrets = true", "wrong-value", "`off`"),
            (
                "guard.subagents.x.allow.rules = ['*']",
                "wrong-value",
                "only tighten",
            ),
        ] {
            let (guard, findings) = read(text);
            assert_eq!(guard.base, GuardLayer::default(), "{text}");
            let [finding] = findings.as_slice() else {
                panic!("{text}: {findings:?}");
            };
            assert_eq!(finding.code, code, "{text}");
            assert!(finding.to_string().contains(says), "{text}: {finding}");
        }
        let (guard, findings) = read("guard.sensitive.deny = ['a/**', '../x', 'b/**']");
        assert_eq!(guard.sensitive.deny, ["a/**", "b/**"]);
        assert_eq!(findings.len(), 1, "{findings:?}");
    }

    #[test]
    fn without_trust_a_project_only_tightens() {
        for (text, kept) in [
            ("guard.mode = 'enforce'", true),
            ("guard.mode = 'observe'", false),
            ("guard.mode = 'one-strike'", false),
            ("guard.categories.delete = 'deny'", true),
            ("guard.categories.delete = 'ask'", false),
            ("guard.categories.delete = 'allow'", false),
            ("guard.allow.rules = ['git.*']", false),
            ("guard.worktree.mode = 'observe'", false),
            ("guard.agents.codex.mode = 'observe'", false),
            ("guard.agents.codex.categories.cloud = 'deny'", true),
            ("guard.sensitive.deny = ['x']", true),
            ("guard.sensitive.allow = ['x']", false),
            ("guard.secrets = 'deny'", true),
            ("guard.secrets = 'ask'", true),
        ] {
            for scope in [Scope::Project, Scope::Local] {
                let (guard, findings) = load(&[(scope, text)], TrustState::Untrusted);
                assert_eq!(guard != GuardConfig::default(), kept, "{text}");
                assert_eq!(findings.is_empty(), kept, "{text}: {findings:?}");
            }
        }
    }

    #[test]
    fn without_trust_a_project_does_not_loosen_what_the_user_set() {
        for (text, expected) in [
            ("guard.secrets = 'ask'", SecretWriting::Deny),
            ("guard.secrets = 'off'", SecretWriting::Deny),
        ] {
            let files = [
                (Scope::Global, "guard.secrets = 'deny'"),
                (Scope::Project, text),
            ];
            let (guard, findings) = load(&files, TrustState::Untrusted);
            assert_eq!(guard.secrets, expected, "{text}");
            assert_eq!(findings.len(), 1, "{text}: {findings:?}");
        }
    }

    #[test]
    fn what_the_administrator_locks_others_only_tighten() {
        let managed = "locked = ['guard']\nguard.mode = 'enforce'";
        for (text, kept) in [
            ("guard.mode = 'observe'", false),
            ("guard.allow.rules = ['*']", false),
            ("guard.categories.delete = 'allow'", false),
            ("guard.categories.delete = 'deny'", true),
            ("guard.sensitive.deny = ['x']", true),
        ] {
            let files = [(Scope::Managed, managed), (Scope::Global, text)];
            let (guard, findings) = load(&files, TrustState::NotNeeded);
            assert_eq!(guard.base.mode, Some(GuardMode::Enforce), "{text}");
            assert_eq!(findings.is_empty(), kept, "{text}: {findings:?}");
            let (alone, _) = load(&files[..1], TrustState::NotNeeded);
            assert_eq!(guard != alone, kept, "{text}");
        }
        let some = [
            (Scope::Managed, "locked = ['guard.mode']"),
            (
                Scope::Global,
                "guard.mode = 'observe'\nguard.allow.rules = ['x']",
            ),
        ];
        let (guard, _) = load(&some, TrustState::NotNeeded);
        assert_eq!((guard.base.mode, guard.base.allow.rules.len()), (None, 1));
    }

    #[test]
    fn lists_add_up_and_stronger_files_win() {
        let (guard, _) = load(
            &[
                (
                    Scope::Global,
                    "guard.mode = 'observe'\nguard.allow.rules = ['a']",
                ),
                (
                    Scope::Project,
                    "guard.mode = 'enforce'\nguard.allow.rules = ['b']",
                ),
            ],
            TrustState::Trusted,
        );
        assert_eq!(guard.base.mode, Some(GuardMode::Enforce));
        assert_eq!(guard.base.allow.rules, ["a", "b"]);

        let over = GuardLayer {
            mode: Some(GuardMode::OneStrike),
            ..GuardLayer::default()
        };
        let both = guard.base.with(&over);
        assert_eq!(both.mode, Some(GuardMode::OneStrike));
        assert_eq!(both.allow.rules, ["a", "b"]);
    }
}
