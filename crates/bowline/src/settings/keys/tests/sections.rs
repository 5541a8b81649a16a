use std::path::PathBuf;
use std::time::Duration;

use super::super::*;
use super::load;
use crate::dialect::Dialect;
use crate::hook::{Attempts, OnFailure};
use crate::settings::files::FileText;
use crate::settings::hooks::model::{Dedupe, ExitPolicy};
use crate::settings::keys::sections::*;
use crate::settings::trust::store::TrustState;
use crate::settings::{Diagnostic, Scope, Severity};

fn resolve_one(scope: Scope, trust: TrustState, text: &str) -> (Config, Vec<Diagnostic>) {
    load(&[(scope, text)], trust)
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
        [effort]
        block_after = 5
        overflow_percent = 80
        on_auto_compaction = "end"
        [handover]
        detail = "full"
        max_tokens = 1000
        [leases]
        mode = "ask"
        expires_secs = 60
        [fleet]
        notify = true
        [approvals]
        wait = "2m"
        [advice]
        budget_chars = 500
        reflection = true
        debugging = true
        intent = true
        drift = true
        tool_patterns = true
        [advice.texts]
        "reflection.after-run" = "off"
        [orchestrator]
        mode = "strict"
        explorations = 5
        breaker = 4
        decay_secs = 120
        programs = ["gh"]
        [work]
        items = "require"
        active_file = ".beads/active"
        active_command = "bd list"
        save_results = true
        [errors]
        memory = true
        follow_up_after = 5
        [loops]
        mode = "stop"
        warn_after = 2
        stop_after = 4
        [handoff]
        detect = true
        hub = "conductor"
        [tests]
        gate = "stop"
        test = "make check"
        build = "make"
        test_timeout_secs = 5
        build_timeout_secs = 6
        marker = "READY"
        validator = "judge"
        phases = true
        [behaviour]
        files = ["INDEX.md"]
        recovery = true
        [subagents]
        registry = ["painter"]
        strict = true
        context = true
        [metrics]
        daily = true
        [docs]
        reminder = true
        modules = ["modules"]
        [cost]
        track = true
        max_usd_session = 5
        max_usd_effort = 20.5
        max_usd_day = 50
        warn_percent = 70
        predict = true
        prices = { local = { input = 0.5, output = 2, cache_write = 0.6, cache_write_1h = 1, cache_read = 0.05 } }
    "#;
    let camel = snake
        .replace("exit_policy", "exitPolicy")
        .replace("on_failure", "onFailure")
        .replace("timeout_secs", "timeoutSecs")
        .replace("api_key_env", "api-key-env")
        .replace("keep_days", "keepDays")
        .replace("claude_hooks", "claudeHooks")
        .replace("block_after", "blockAfter")
        .replace("on_auto_compaction", "on-auto-compaction");
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
        effort: EffortConfig {
            block_after: 5,
            overflow_percent: 80,
            on_auto_compaction: OnAutoCompaction::End,
        },
        handover: HandoverConfig {
            detail: HandoverDetail::Full,
            max_tokens: 1000,
        },
        leases: LeaseConfig {
            mode: LeaseMode::Ask,
            expires: Duration::from_secs(60),
        },
        fleet: FleetConfig { notify: true },
        approvals: ApprovalConfig {
            wait: Wait::For(Duration::from_mins(2)),
        },
        advice: AdviceConfig {
            budget_chars: 500,
            texts: [("reflection.after-run".to_owned(), "off".to_owned())].into(),
            reflection: true,
            debugging: true,
            intent: true,
            drift: true,
            tool_patterns: true,
        },
        orchestrator: OrchestratorConfig {
            mode: OrchestratorMode::Strict,
            explorations: 5,
            breaker: 4,
            decay: Duration::from_secs(120),
            programs: vec!["gh".to_owned()],
        },
        work: WorkConfig {
            items: WorkItems::Require,
            active_file: Some(".beads/active".to_owned()),
            active_command: Some("bd list".to_owned()),
            save_results: true,
        },
        errors: ErrorConfig {
            memory: true,
            follow_up_after: 5,
        },
        loops: LoopConfig {
            mode: LoopMode::Stop,
            warn_after: 2,
            stop_after: 4,
        },
        handoff: HandoffConfig {
            detect: true,
            hub: "conductor".to_owned(),
        },
        tests: TestConfig {
            gate: TestGate::Stop,
            test: Some("make check".to_owned()),
            build: Some("make".to_owned()),
            test_timeout: Duration::from_secs(5),
            build_timeout: Duration::from_secs(6),
            marker: "READY".to_owned(),
            validator: "judge".to_owned(),
            phases: true,
        },
        behaviour: BehaviourConfig {
            files: vec!["INDEX.md".to_owned()],
            recovery: true,
        },
        subagents: SubagentConfig {
            registry: vec!["painter".to_owned()],
            strict: true,
            context: true,
        },
        metrics: MetricsConfig { daily: true },
        docs: DocsConfig {
            reminder: true,
            modules: vec!["modules".to_owned()],
        },
        cost: CostConfig {
            track: true,
            max_usd_session: Some(Dollars(5_000_000_000)),
            max_usd_effort: Some(Dollars(20_500_000_000)),
            max_usd_day: Some(Dollars(50_000_000_000)),
            warn_percent: 70,
            predict: true,
            prices: [(
                "local".to_owned(),
                ModelPrice {
                    input: Some(Dollars(500_000_000)),
                    output: Some(Dollars(2_000_000_000)),
                    cache_write: Some(Dollars(600_000_000)),
                    cache_write_1h: Some(Dollars(1_000_000_000)),
                    cache_read: Some(Dollars(50_000_000)),
                },
            )]
            .into(),
        },
        ..Config::default()
    };
    let written: toml::Table = snake.parse().unwrap();
    for section in FILE.keys {
        // `[guard]` has tests of its own.
        let (Kind::Table(table), true) = (section.kind, section.name != "guard") else {
            continue;
        };
        for key in table.names() {
            let value = written.get(section.name).and_then(|it| it.get(key));
            assert!(value.is_some(), "`{}.{key}` is missing above", section.name);
        }
    }
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
        "effort.block_after = 0",
        "effort.overflow_percent = 0",
        "effort.overflow_percent = 101",
        "effort.on_auto_compaction = 'kill'",
        "handover.detail = 'some'",
        "handover.max_tokens = '2k'",
        "leases.mode = true",
        "approvals.wait = true",
        "approvals.wait = 'long'",
        "approvals.wait = '0m'",
        "approvals.wait = '2h'",
        "approvals.wait = '+2m'",
        "loops.mode = 'loud'",
        "errors.memory = 3",
        "leases.expires_secs = -1",
        "cost.max_usd_day = -1",
        "cost.max_usd_day = '$5'",
        "cost.warn_percent = 101",
        "cost.prices.local.input = 'much'",
        "fleet.notify = 'desktop'",
        "orchestrator.mode = 'hard'",
        "orchestrator.explorations = 0",
        "orchestrator.breaker = '3'",
        "orchestrator.decay_secs = -1",
        "orchestrator.programs = 'gh'",
        "work.items = true",
        "work.active_file = ''",
        "work.active_command = ['bd']",
        "work.save_results = 'advise'",
        "handoff.hub = ''",
        "tests.gate = 'always'",
        "tests.test_timeout_secs = 0",
        "behaviour.files = 'INDEX.md'",
        "subagents.registry = 'all'",
        "metrics.daily = 'yes'",
        "docs.modules = [1]",
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
        ("effort.block_after = 1", false),
        ("effort.on_auto_compaction = 'end'", false),
        ("handover.detail = 'full'", false),
        ("leases.mode = 'deny'", true),
        ("loops.mode = 'stop'", true),
        ("loops.stop_after = 100", false),
        ("errors.memory = true", false),
        ("cost.max_usd_session = 1", true),
        ("cost.track = true", false),
        ("cost.prices.local.input = 0", false),
        ("fleet.notify = true", false),
        ("orchestrator.mode = 'strict'", true),
        ("orchestrator.breaker = 1", false),
        ("orchestrator.programs = ['make']", false),
        ("work.items = 'require'", true),
        // It would be read, or run.
        ("work.active_file = '/etc/passwd'", false),
        ("work.active_command = 'make'", false),
        ("work.save_results = true", false),
        // A stranger's project does not make Bowline run anything.
        ("tests.gate = 'stop'", false),
        ("tests.test = 'true'", false),
        ("tests.build = 'true'", false),
        ("behaviour.files = ['x']", false),
        ("subagents.registry = ['x']", false),
        ("subagents.strict = true", true),
        ("handoff.detect = true", false),
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
