//! The typed keys of Bowline's own files, other than `hooks`: what they mean, who may set them, who wins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::fields::{described, nearest, shortened};
use super::files::FileText;
use super::findings::Findings;
use super::guard::{GUARD, GuardConfig, LOCKABLE};
use super::keys::{KEYS, Setting, choice};
use super::model::{Dedupe, ExitPolicy, Scope};
use super::node::{Entry, Node, Span, Value};
use super::read::Syntax;
use super::rule::RuleDefinition;
use super::rule_fields;
use super::rules::RULE;
use super::tree::{start, tree};
use super::trust::TrustState;
use crate::dialect::Dialect;
use crate::hook::{Attempts, OnFailure};

/// What Bowline's own files say beside their hooks, after precedence: managed, local, project, global.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Config {
    /// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
    pub defaults: Defaults,
    /// `[dialects]`: the rules that a file is read by, by its path relative to the project
    /// or to the folder of its `bowline.toml`.
    pub dialects: BTreeMap<String, Dialect>,
    /// `[guard]`: how strict the guards are.
    pub guard: GuardConfig,
    /// `[http]`: what HTTP hooks may do.
    pub http: HttpConfig,
    /// `[prompt]`: the model that prompt hooks ask.
    pub prompt: PromptConfig,
    /// `[record]`: how much is kept of what agents do.
    pub record: RecordConfig,
    /// `[store]`: how long it is kept.
    pub store: StoreConfig,
    /// `[bridge]`: hooks of other agents.
    pub bridge: BridgeConfig,
    /// `locked`: keys and sections that only the administrator's file may set.
    pub locked: Vec<String>,
    /// `allow_managed_hooks_only`: only the administrator's hooks run.
    pub allow_managed_hooks_only: bool,
}

/// `[defaults]`: for hooks of Bowline's own files that say nothing themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Defaults {
    /// How exit codes are read.
    pub exit_policy: Option<ExitPolicy>,
    /// What a failure comes to on a gate; `None` to go by the shape.
    pub on_failure: Option<OnFailure>,
    /// Whether a failure is tried again: `on_failure = "retry"`.
    pub attempts: Attempts,
    /// What counts as the same hook.
    pub dedupe: Option<Dedupe>,
    /// `timeout_secs`: how long a hook may take.
    pub timeout: Option<Duration>,
}

/// `[http]`: what HTTP hooks may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct HttpConfig {
    /// Hosts, other than this machine, that hooks may post to without TLS.
    pub allow_insecure_hosts: Vec<String>,
}

/// `[prompt]`: the model that prompt hooks ask.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct PromptConfig {
    /// Whose way of asking.
    pub provider: Option<ModelProvider>,
    /// Where to ask, for other servers than the provider's own.
    pub base_url: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The environment variable that holds the key.
    pub api_key_env: Option<String>,
    /// The longest answer.
    pub max_tokens: Option<u32>,
}

/// Whose way of asking a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelProvider {
    /// Anthropic's messages.
    Anthropic,
    /// OpenAI's chat completions, which many servers understand.
    Openai,
}

/// `[record]`: how much is kept of what agents do. That a tool was called, by whom, when and how it went always is, and
/// why something was refused; secrets never are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct RecordConfig {
    /// Of what users write.
    pub prompts: RecordDetail,
    /// Of what tools are called with, and what sub-agents are to do.
    pub inputs: RecordDetail,
    /// Of what tools give back, their errors included, and of the last messages of sub-agents.
    pub outputs: RecordDetail,
}

/// How much is kept of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordDetail {
    /// All but secrets, up to 10 000 characters of each text.
    #[default]
    Full,
    /// Of a text how it begins, of a value its fields and how much is in each.
    Summary,
    /// Nothing.
    Off,
}

/// `[store]`: how long things are kept. Only the user's and the administrator's files say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct StoreConfig {
    /// Older things are removed.
    pub keep_days: u32,
    /// When more is in use, the oldest things are removed.
    pub max_size_mb: u32,
    /// What a recorded event survives.
    pub durability: StoreDurability,
}

impl Default for StoreConfig {
    fn default() -> Self {
        Self {
            keep_days: 30,
            max_size_mb: 1024,
            durability: StoreDurability::default(),
        }
    }
}

/// What a recorded event survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StoreDurability {
    /// The sudden end of Bowline.
    #[default]
    Process,
    /// The sudden end of the machine; every answer waits for the disk.
    Power,
}

/// `[bridge]`: hooks of other agents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct BridgeConfig {
    /// Whether the hooks in Claude Code's files run for agents that do not load them themselves. Only in projects that
    /// the user trusts.
    pub claude_hooks: bool,
}

/// Defaults that may stand at the top level too. What is wrong with them is said by whoever reads the hooks.
const READ_WITH_HOOKS: &[&str] = &["exit_policy", "on_failure", "dedupe"];

const HOOKS: &str = "hooks";
const DIALECTS: &str = "dialects";

/// What one file sets, before it is known whether it may.
#[derive(Debug)]
pub(super) struct FileConfig<'a> {
    pub(super) scope: Scope,
    path: &'a Path,
    usable: bool,
    stated: Vec<Stated>,
    pub(super) rules: Vec<RuleDefinition>,
    pub(super) findings: Findings<'a>,
}

#[derive(Debug)]
struct Stated {
    key: String,
    span: Span,
    setting: Setting,
}

impl<'a> FileConfig<'a> {
    /// Reads the keys of a file, if it exists. That it is broken, or what is wrong with its hooks, is said by others.
    pub(super) fn of(file: &'a FileText, scope: Scope) -> Option<Self> {
        let text = match &file.text {
            Ok(None) => return None,
            Ok(Some(text)) => Some(text.as_str()),
            Err(_) => None,
        };
        let root = text.map(|text| tree(text, Syntax::Toml));
        let text = text.unwrap_or_default();
        let mut config = Self {
            scope,
            path: &file.path,
            usable: matches!(root, Some(Ok(_))),
            stated: Vec::new(),
            rules: Vec::new(),
            findings: Findings::new(text, start(text), Some(&file.path)),
        };
        if let Some(Ok(Some(root))) = root {
            config.read(&root);
        }
        Some(config)
    }

    fn read(&mut self, root: &Node) {
        for entry in entries(root) {
            match snake_case(&entry.key.text).as_str() {
                HOOKS => {}
                DIALECTS => self.dialects(entry),
                RULE => {
                    self.rules = rule_fields::read(&entry.value, self.scope, &mut self.findings);
                }
                GUARD => self.guard(entry),
                key if sections().any(|section| section == key) => self.section(key, entry),
                key if READ_WITH_HOOKS.contains(&key) => {
                    self.key(&format!("defaults.{key}"), entry);
                }
                key => self.key(key, entry),
            }
        }
    }

    fn section(&mut self, name: &str, section: &Entry) {
        if matches!(section.value.value, Value::Map(_)) {
            for entry in entries(&section.value) {
                self.key(&format!("{name}.{}", snake_case(&entry.key.text)), entry);
            }
        } else {
            self.wrong(
                name,
                &section.value,
                &format!("expected a table, `[{name}]`"),
            );
        }
    }

    fn key(&mut self, key: &str, entry: &Entry) {
        let Some((_, read)) = KEYS.iter().find(|(known, _)| *known == key) else {
            self.findings.warning(
                "unknown-key",
                &entry.key.span,
                format!("`{key}` is not a key that Bowline knows; it is ignored"),
                nearest_key(key).map_or_else(
                    || "remove it, or look for its name in the reference".to_owned(),
                    |nearest| format!("did you mean `{nearest}`?"),
                ),
            );
            return;
        };
        match read(&entry.value) {
            Ok(setting) => self.state(key.to_owned(), &entry.value.span, setting),
            Err(_) if is_read_with_hooks(key) => {}
            Err(expected) => self.wrong(key, &entry.value, &expected),
        }
    }

    fn dialects(&mut self, section: &Entry) {
        for entry in entries(&section.value) {
            let file = &entry.key.text;
            let dialect = choice(
                &entry.value,
                &[
                    ("claude-code", Dialect::ClaudeCode),
                    ("generic", Dialect::Generic),
                ],
            );
            match dialect {
                Ok(dialect) => self.state(
                    format!("{DIALECTS}.\"{file}\""),
                    &entry.value.span,
                    Setting::Dialect(file.clone(), dialect),
                ),
                Err(expected) => self.wrong(DIALECTS, &entry.value, &expected),
            }
        }
        if !matches!(section.value.value, Value::Map(_)) {
            self.wrong(DIALECTS, &section.value, "expected a table, `[dialects]`");
        }
    }

    pub(super) fn state(&mut self, key: String, span: &Span, setting: Setting) {
        if let Setting::Locked(keys) = &setting {
            for unknown in keys.iter().filter(|key| !is_lockable(key)) {
                self.findings.warning(
                    "unknown-key",
                    span,
                    format!("`{unknown}` is not a key or section that can be locked"),
                    nearest_key(unknown).map_or_else(
                        || "remove it".to_owned(),
                        |nearest| format!("did you mean `{nearest}`?"),
                    ),
                );
            }
        }
        self.stated.push(Stated {
            key,
            span: span.clone(),
            setting,
        });
    }

    pub(super) fn wrong(&mut self, key: &str, node: &Node, expected: &str) {
        self.findings.error(
            "wrong-value",
            &node.span,
            format!("`{key}` is {}: {expected}", described(node)),
            "it is ignored until it is corrected",
        );
    }

    pub(super) fn is_the_projects(&self) -> bool {
        matches!(self.scope, Scope::Project | Scope::Local)
    }
}

/// Settles what holds. Weaker files first, so that stronger ones overwrite; what a file may not say is ignored
/// and noted in its findings.
pub(super) fn resolve(files: &mut [FileConfig<'_>], trust: TrustState) -> Config {
    let mut config = Config::default();
    let lock = files.iter().find_map(Lock::of);
    files.sort_by_key(|file| std::cmp::Reverse(file.scope));
    for file in files {
        for stated in std::mem::take(&mut file.stated) {
            let Stated { key, span, setting } = stated;
            if file.scope != Scope::Managed {
                if setting.is_for_administrators() {
                    file.findings.warning(
                        "managed-only",
                        &span,
                        format!("`{key}` counts only in the administrator's file; it is ignored"),
                        "remove it",
                    );
                    continue;
                }
                if file.is_the_projects() && setting.is_for_the_whole_machine() {
                    file.findings.warning(
                        "not-in-projects",
                        &span,
                        format!(
                            "`{key}` counts only in the user's and the administrator's file; it is ignored"
                        ),
                        "remove it, or write it into ~/.config/bowline/config.toml",
                    );
                    continue;
                }
                if let Some(lock) = &lock
                    && let Some(why) = lock.holds(&key)
                    && !lock.lets_pass(&setting, &config)
                {
                    file.findings.warning(
                        "locked",
                        &span,
                        format!("`{key}` is ignored: {why}"),
                        "remove it, or ask the administrator of this machine",
                    );
                    continue;
                }
                if file.is_the_projects() && !trust.is_trusted() && !setting.only_tightens(&config)
                {
                    let value = shortened(file.findings.source(&span));
                    file.findings.note(
                        "untrusted",
                        &span,
                        format!(
                            "`{key} = {value}` is ignored: the project's settings are not trusted"
                        ),
                        "look at what they do with `bowline trust`",
                    );
                    continue;
                }
            }
            setting.apply(&mut config);
        }
    }
    config
}

/// What the administrator's file keeps to itself.
#[derive(Debug)]
pub(super) struct Lock {
    file: PathBuf,
    /// Keys and sections; `None` for all, because the file cannot be read, and nobody knows what it would lock.
    keys: Option<Vec<String>>,
}

impl Lock {
    pub(super) fn of(file: &FileConfig<'_>) -> Option<Self> {
        let keys = match file.scope {
            Scope::Managed if file.usable => {
                Some(
                    file.stated
                        .iter()
                        .find_map(|stated| match &stated.setting {
                            Setting::Locked(keys) => Some(keys.clone()),
                            _ => None,
                        })?,
                )
            }
            Scope::Managed => None,
            _ => return None,
        };
        Some(Self {
            file: file.path.to_owned(),
            keys,
        })
    }

    /// What tightens a guard is nobody's loss; of other keys an unreadable file keeps what it may have locked.
    fn lets_pass(&self, setting: &Setting, weaker: &Config) -> bool {
        let concerns_guard = matches!(setting, Setting::Guard(_));
        setting.only_tightens(weaker) && (concerns_guard || self.keys.is_none())
    }

    /// Why a key is locked, if it is.
    pub(super) fn holds(&self, key: &str) -> Option<String> {
        let file = self.file.display();
        let Some(keys) = &self.keys else {
            return Some(format!("{file} cannot be read, and may lock it"));
        };
        keys.iter()
            .any(|locked| {
                key.strip_prefix(locked.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
            .then(|| format!("it is locked by {file}"))
    }
}

fn is_lockable(key: &str) -> bool {
    key == DIALECTS
        || key == RULE
        || LOCKABLE.contains(&key)
        || sections().any(|section| section == key)
        || KEYS.iter().any(|(known, _)| *known == key)
}

fn is_read_with_hooks(key: &str) -> bool {
    key.strip_prefix("defaults.")
        .is_some_and(|name| READ_WITH_HOOKS.contains(&name))
}

fn sections() -> impl Iterator<Item = &'static str> {
    KEYS.iter()
        .filter_map(|(key, _)| Some(key.split_once('.')?.0))
}

fn nearest_key(key: &str) -> Option<&'static str> {
    let known: Vec<_> = KEYS
        .iter()
        .map(|(key, _)| *key)
        .chain(sections())
        .chain([HOOKS, DIALECTS, GUARD, RULE])
        .collect();
    nearest(key, &known)
}

fn entries(node: &Node) -> &[Entry] {
    match &node.value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

/// Both spellings of keys are read: `onFailure` and `on-failure` are `on_failure`.
fn snake_case(key: &str) -> String {
    let mut snake = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        match c {
            '-' => snake.push('_'),
            c if c.is_ascii_uppercase() => {
                if !snake.is_empty() {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
            }
            c => snake.push(c),
        }
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Diagnostic, Severity};

    fn resolve_one(scope: Scope, trust: TrustState, text: &str) -> (Config, Vec<Diagnostic>) {
        let file = FileText {
            path: PathBuf::from("bowline.toml"),
            text: Ok(Some(text.to_owned())),
        };
        let mut configs = [FileConfig::of(&file, scope).unwrap()];
        let config = resolve(&mut configs, trust);
        let [file] = configs;
        (config, file.findings.finish())
    }

    fn read(text: &str) -> (Config, Vec<Diagnostic>) {
        resolve_one(Scope::Global, TrustState::NotNeeded, text)
    }

    #[test]
    fn every_key_is_read_in_both_spellings() {
        let snake = r#"
            [defaults]
            exit_policy = "only_two"
            on_failure = "ask"
            dedupe = "event"
            timeout_secs = 2.5
            [dialects]
            ".claude/settings.json" = "generic"
            [http]
            allow_insecure_hosts = ["box.lan"]
            [prompt]
            provider = "openai"
            base_url = "http://localhost:8080/v1"
            model = "m"
            api_key_env = "MY_KEY"
            max_tokens = 64
            [record]
            prompts = "off"
            inputs = "summary"
            outputs = "full"
            [store]
            keep_days = 7
            max_size_mb = 64
            durability = "power"
            [bridge]
            claude_hooks = true
        "#;
        let camel = snake
            .replace("exit_policy", "exitPolicy")
            .replace("on_failure", "onFailure")
            .replace("timeout_secs", "timeoutSecs")
            .replace("api_key_env", "api-key-env")
            .replace("keep_days", "keepDays")
            .replace("claude_hooks", "claudeHooks");
        let expected = Config {
            defaults: Defaults {
                exit_policy: Some(ExitPolicy::OnlyTwo),
                on_failure: Some(OnFailure::Ask),
                attempts: Attempts::Once,
                dedupe: Some(Dedupe::Event),
                timeout: Some(Duration::from_millis(2500)),
            },
            dialects: [(".claude/settings.json".to_owned(), Dialect::Generic)].into(),
            http: HttpConfig {
                allow_insecure_hosts: vec!["box.lan".to_owned()],
            },
            prompt: PromptConfig {
                provider: Some(ModelProvider::Openai),
                base_url: Some("http://localhost:8080/v1".to_owned()),
                model: Some("m".to_owned()),
                api_key_env: Some("MY_KEY".to_owned()),
                max_tokens: Some(64),
            },
            record: RecordConfig {
                prompts: RecordDetail::Off,
                inputs: RecordDetail::Summary,
                outputs: RecordDetail::Full,
            },
            store: StoreConfig {
                keep_days: 7,
                max_size_mb: 64,
                durability: StoreDurability::Power,
            },
            bridge: BridgeConfig { claude_hooks: true },
            ..Config::default()
        };
        for text in [snake, &camel] {
            let (config, findings) = read(text);
            assert_eq!(config, expected);
            assert!(findings.is_empty(), "{findings:?}");
        }
        let (config, _) = read("on_failure = 'retry'");
        assert_eq!(config.defaults.attempts, Attempts::RetryOnce);
    }

    #[test]
    fn wrong_values_are_errors_and_change_nothing() {
        for text in [
            "prompt = true",
            "defaults.timeout_secs = 0",
            "defaults.timeout_secs = nan",
            "defaults.timeout_secs = 1e300",
            "defaults.timeout_secs = '5'",
            "http.allow_insecure_hosts = 'all'",
            "http.allow_insecure_hosts = [1]",
            "prompt.provider = 'acme'",
            "prompt.base_url = 'ftp://x'",
            "prompt.model = ''",
            "prompt.api_key_env = 'sk-live-0123'",
            "prompt.max_tokens = 0",
            "prompt.max_tokens = 1.5",
            "record = 'off'",
            "record.prompts = 'none'",
            "record.inputs = false",
            "store.keep_days = 0",
            "store.max_size_mb = 0.5",
            "store.max_size_mb = '1 GB'",
            "store.durability = 'disk'",
            "bridge.claude_hooks = 'yes'",
            "dialects = 3",
            "dialects.x = 'french'",
        ] {
            let (config, findings) = read(text);
            assert_eq!(config, Config::default(), "{text}");
            let [finding] = findings.as_slice() else {
                panic!("{text}: {findings:?}");
            };
            assert_eq!(
                (finding.code, finding.severity),
                ("wrong-value", Severity::Error),
                "{text}"
            );
        }
    }

    #[test]
    fn unknown_keys_get_a_suggestion() {
        for (text, suggestion) in [
            ("promt.model = 'x'", Some("prompt")),
            ("prompt.modle = 'x'", Some("prompt.model")),
            ("hook = {}", Some("hooks")),
            ("recrod.prompts = 'off'", Some("record")),
            ("record.promts = 'off'", Some("record.prompts")),
            ("store.max_size = 5", Some("store.max_size_mb")),
            ("xyzzy = 1", None),
        ] {
            let (_, findings) = read(text);
            let [finding] = findings.as_slice() else {
                panic!("{text}: {findings:?}");
            };
            assert_eq!(
                (finding.code, finding.severity),
                ("unknown-key", Severity::Warning)
            );
            let help = finding.help.as_deref().unwrap();
            match suggestion {
                Some(key) => assert!(help.contains(&format!("`{key}`")), "{text}: {help}"),
                None => assert!(!help.contains('`'), "{text}: {help}"),
            }
        }
        let (_, findings) = resolve_one(
            Scope::Managed,
            TrustState::NotNeeded,
            "locked = ['prompts', 'defaults', 'dialects', 'http.allow_insecure_hosts']",
        );
        assert_eq!(findings.len(), 1, "{findings:?}");
    }

    #[test]
    fn keys_for_administrators_count_nowhere_else() {
        for scope in [Scope::Global, Scope::Project, Scope::Local] {
            let (config, findings) = resolve_one(
                scope,
                TrustState::Trusted,
                "allow_managed_hooks_only = true\nlocked = ['prompt']",
            );
            assert_eq!(config, Config::default());
            assert_eq!(findings.len(), 2, "{findings:?}");
        }
    }

    #[test]
    fn without_trust_only_what_tightens_counts() {
        for (text, kept) in [
            ("defaults.on_failure = 'block'", true),
            ("on_failure = 'block'", true),
            ("defaults.on_failure = 'allow'", false),
            ("defaults.on_failure = 'ask'", false),
            ("defaults.on_failure = 'retry'", false),
            ("defaults.exit_policy = 'only_two'", false),
            ("prompt.model = 'x'", false),
            // To keep less hides something, to keep more shows something: neither is a stranger's business.
            ("record.inputs = 'off'", false),
            ("record.outputs = 'summary'", false),
            ("bridge.claude_hooks = true", false),
        ] {
            for scope in [Scope::Project, Scope::Local] {
                let (config, findings) = resolve_one(scope, TrustState::Changed, text);
                assert_eq!(config != Config::default(), kept, "{text}");
                assert_eq!(findings.is_empty(), kept, "{text}: {findings:?}");
            }
        }
    }

    #[test]
    fn a_project_says_nothing_about_the_store_not_even_a_trusted_one() {
        let text = "[store]\nkeep_days = 1\nmax_size_mb = 1\ndurability = 'power'";
        for scope in [Scope::Project, Scope::Local] {
            let (config, findings) = resolve_one(scope, TrustState::Trusted, text);
            assert_eq!(config, Config::default());
            let codes: Vec<_> = findings.iter().map(|it| (it.code, it.severity)).collect();
            assert_eq!(codes, [("not-in-projects", Severity::Warning); 3]);
            let first = &findings[0];
            assert!(first.message.contains("`store.keep_days`"), "{first:?}");
        }
        for scope in [Scope::Global, Scope::Managed] {
            let (config, findings) = resolve_one(scope, TrustState::NotNeeded, text);
            assert_eq!(config.store.keep_days, 1);
            assert!(findings.is_empty(), "{findings:?}");
        }
    }

    #[test]
    fn a_trusted_project_may_record_less_unless_that_is_locked() {
        let project = FileText {
            path: PathBuf::from("bowline.toml"),
            text: Ok(Some("record.prompts = 'off'".to_owned())),
        };
        for (locked, prompts) in [
            ("[]", RecordDetail::Off),
            ("['record']", RecordDetail::Full),
            ("['record.prompts']", RecordDetail::Full),
            ("['record.inputs']", RecordDetail::Off),
        ] {
            let managed = FileText {
                path: PathBuf::from("config.toml"),
                text: Ok(Some(format!("locked = {locked}"))),
            };
            let mut files = [
                FileConfig::of(&managed, Scope::Managed).unwrap(),
                FileConfig::of(&project, Scope::Project).unwrap(),
            ];
            let config = resolve(&mut files, TrustState::Trusted);
            assert_eq!(config.record.prompts, prompts, "{locked}");
        }
    }
}
