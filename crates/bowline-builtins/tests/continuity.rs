//! The hooks of efforts over a real store, without a daemon and without an agent.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bowline::hooks::{Decision, HookContext, HookInput, HookManager, Opinion, Services};
use bowline::settings::{self, Locations};
use bowline_builtins::continuity::{Desk, Live};
use bowline_builtins::machine::Machine;
use bowline_builtins::recorder::make_record;
use bowline_builtins::{Builtins, SharedState, assemble};
use bowline_continuity::action::{EffortStart, MetadataPatch, Who};
use bowline_continuity::effort::EffortId;
use bowline_continuity::effort_command::EffortCommand;
use bowline_store::{Enforcement, Options, SqliteStore, Store};
use chrono::Utc;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with an effort, and its hooks.
struct Project {
    folder: TempDir,
    store: Arc<SqliteStore>,
    manager: HookManager,
    effort: EffortId,
    events: AtomicU32,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let store = Arc::new(store);
        let project = folder.path().to_string_lossy().into_owned();
        let start = EffortStart {
            who: Who {
                folder: project.clone(),
                session: Some("s1".to_owned()),
                ..Who::default()
            },
            task: format!("{project}/.tasks/login"),
            skill: "implement".to_owned(),
            project,
            ..EffortStart::default()
        };
        let begun = store.continuity().start_effort(&start, Utc::now()).unwrap();
        let mut shared = SharedState::new(Machine::from_env());
        let kept: Arc<dyn Store> = Arc::clone(&store) as _;
        shared.live = Arc::new(Live::new(Some(kept)));
        let settings = settings::load(folder.path(), &Locations::under(folder.path()));
        Self {
            manager: assemble(&settings, Services::default(), &shared),
            effort: begun.effort.id,
            store,
            folder,
            events: AtomicU32::new(0),
        }
    }

    fn steer(&self, key: &str, value: Value) {
        let patch = MetadataPatch {
            effort: Some(self.effort),
            keys: vec![(key.to_owned(), value)],
        };
        self.store.continuity().patch_metadata(&patch).unwrap();
    }

    /// Decides an event, and keeps its record.
    async fn trigger(&self, input: HookInput) -> Opinion {
        let cwd: PathBuf = self.folder.path().into();
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:012x}-{number}", Utc::now().timestamp_millis());
        let ctx = HookContext::new("s1").with_cwd(cwd).with_call_id(id);
        let result = self.manager.trigger(input.clone(), &ctx).await;
        let record = make_record(Utc::now(), &input, &ctx, &result, Enforcement::Enforced);
        self.store.submit(record.unwrap(), Box::new(|_| {}));
        self.store.flush().unwrap();
        result.output
    }

    async fn call(&self, command: &str) -> Opinion {
        let input = json!({ "command": command });
        self.trigger(HookInput::pre_tool_use("s1", "Bash", input))
            .await
    }

    async fn called(&self) -> Opinion {
        self.trigger(HookInput::post_tool_use(
            "s1",
            "Bash",
            json!({"stdout": ""}),
        ))
        .await
    }
}

fn denied(opinion: &Opinion) -> Option<&str> {
    let reason = opinion.stop_reason.as_deref();
    reason.filter(|_| opinion.decision() == Decision::Deny)
}

#[tokio::test]
async fn f34_c_an_effort_has_its_own_number_of_calls() {
    let project = Project::new();
    project.steer("blockAfter", json!(2));
    assert_eq!(denied(&project.call("ls").await), None);
    let second = project.call("ls").await;
    assert!(denied(&second).unwrap().contains("2/2"), "{second:?}");
    project.steer("blockAfter", json!(0));
    let third = project.call("ls").await;
    assert!(denied(&third).is_some(), "{third:?}");
    assert_eq!(third.rule.as_deref(), Some("effort.heartbeat"));
}

#[tokio::test]
async fn f34_a_only_an_entry_that_was_made_lifts_the_block() {
    let project = Project::new();
    project.steer("blockAfter", json!(2));
    project.call("ls").await;
    assert!(denied(&project.call("ls").await).is_some());
    // The command is about to run. Whether it logs anything is not known yet.
    let log = project.call("bowline effort log ''").await;
    assert_eq!(denied(&log), None);
    assert!(denied(&project.call("ls").await).is_some());
    let log = |text: &str| {
        let text = text.to_owned();
        let who = Who {
            folder: project.folder.path().to_string_lossy().into_owned(),
            session: Some("s1".to_owned()),
            ..Who::default()
        };
        let desk = Desk::new(project.store.as_ref(), project.folder.path(), None);
        desk.perform(&who, &EffortCommand::Log { text }, Utc::now())
    };
    log(" ").unwrap_err();
    assert!(denied(&project.call("ls").await).is_some());
    log("Looked at the login").unwrap();
    assert_eq!(denied(&project.call("ls").await), None);
}

#[tokio::test]
async fn f34_b_what_is_not_work_is_not_counted() {
    let project = Project::new();
    for command in [
        "bowline effort show",
        "bowline fleet",
        "cd x && bowline note list",
    ] {
        project.call(command).await;
    }
    project.steer("loading", json!(true));
    project.call("ls").await;
    project.steer("loading", Value::Null);
    let counted = project.call("ls").await;
    assert_eq!(counted.facts["heartbeatCount"], 1);
}

#[tokio::test]
async fn f34_d_rules_of_an_effort_fire_in_order_and_some_block() {
    let project = Project::new();
    let rule = |id: &str, op: &str, value: Value, payload: Value| json!({"ruleId": id, "condition": {"field": "heartbeat_counter", "op": op, "value": value}, "payload": payload});
    project.steer(
        "guards",
        json!([
            rule("second", "gte", json!(2), json!("Mind the time.")),
            rule("odd", "near", json!(1), json!("never")),
            rule("none", "gte", Value::Null, json!("never")),
            rule(
                "third",
                "gte",
                json!(3),
                json!({"text": "Stop here.", "block": true})
            ),
            7
        ]),
    );
    assert_eq!(project.call("ls").await.additional_context, None);
    let second = project.call("ls").await;
    assert_eq!(denied(&second), None);
    assert_eq!(second.additional_context.as_deref(), Some("Mind the time."));
    assert_eq!(second.facts["firedRules"], json!(["second"]));
    let third = project.call("ls").await;
    assert_eq!(denied(&third), Some("Stop here."));
    assert_eq!(third.rule.as_deref(), Some("effort.third"));
    assert_eq!(third.facts["firedRules"], json!(["second", "third"]));
}

#[tokio::test]
async fn f36_a_what_waits_for_the_agent_is_delivered_once_and_in_order() {
    let project = Project::new();
    project.steer("other", json!("stays"));
    project.steer(
        "pendingInjections",
        json!([{"ruleId": "one", "content": "First."}, {"ruleId": "two", "content": "Second."}]),
    );
    let told = project.called().await;
    assert_eq!(
        told.additional_context.as_deref(),
        Some("one: First.\n\ntwo: Second.")
    );
    assert_eq!(project.called().await.additional_context, None);
    let effort = project
        .store
        .continuity()
        .effort(project.effort)
        .unwrap()
        .unwrap();
    assert_eq!(effort.effort.metadata.other["other"], "stays");
}

#[tokio::test]
async fn f32_a_without_an_effort_every_hook_allows() {
    let project = Project::new();
    project
        .store
        .continuity()
        .finish_effort(project.effort, Utc::now())
        .unwrap();
    for _ in 0..20 {
        assert_eq!(project.call("ls").await, Opinion::allow());
    }
}

#[tokio::test]
async fn without_a_store_the_hooks_are_listed_and_do_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings::load(folder.path(), &Locations::under(folder.path()));
    let shared = SharedState::new(Machine::from_env());
    let builtins = Builtins::new(&settings, &shared);
    let idle: Vec<&str> = (builtins.hooks.iter())
        .filter(|builtin| builtin.idle.is_some())
        .map(|builtin| builtin.hook.name())
        .collect();
    assert_eq!(
        idle,
        [
            "handover",
            "effort-skill",
            "effort",
            "effort-delivery",
            "effort-line",
            "effort-end",
            "life",
            "fleet"
        ]
    );
    let manager = assemble(&settings, Services::default(), &shared);
    let ctx = HookContext::new("s1").with_cwd(folder.path());
    let skill = json!({"skill": "effort", "args": "start login implement"});
    for input in [
        HookInput::session_start("s1"),
        HookInput::pre_tool_use("s1", "Skill", skill),
        HookInput::pre_tool_use("s1", "Bash", json!({"command": "ls"})),
    ] {
        let preview = manager.preview(&input);
        assert!(preview.iter().all(|(name, _)| !idle.contains(&&**name)));
        let result = manager.trigger(input, &ctx).await;
        assert_eq!(result.output, Opinion::allow());
    }
    assert!(!folder.path().join(".tasks").exists());
}

#[tokio::test]
async fn a_new_session_is_told_by_which_name_it_is_asked_for() {
    let project = Project::new();
    let told = project.trigger(HookInput::session_start("s1")).await;
    assert_eq!(told.facts["found"], true);
    assert_eq!(told.facts["sessionId"], "s1");
    let told = project
        .trigger(HookInput::user_prompt_submit("s1", "go"))
        .await;
    assert_eq!(told.facts["sessionId"], "s1");
}

#[tokio::test]
async fn a_skill_that_cannot_be_used_is_refused_with_its_file_and_line() {
    let project = Project::new();
    let skills = project.folder.path().join(".claude/skills");
    let file = |name: &str| {
        let file = skills.join(name).join("SKILL.md");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    };
    fs::write(file("latin"), b"---\nname: caf\xe9\n---\n").unwrap();
    fs::write(file("open"), "---\nname: open\n").unwrap();
    fs::write(file("odd"), "---\nname: odd\nno key\n---\n").unwrap();
    fs::write(file("json"), "```json\n{\n```\n").unwrap();
    fs::write(file("large"), " ".repeat(1024 * 1024 + 1)).unwrap();
    fs::create_dir_all(file("folder")).unwrap();
    symlink("SKILL.md", file("unreadable")).unwrap();
    for (skill, code, expected) in [
        ("latin", "PARSE_ERROR", &["line 2", "UTF-8"][..]),
        ("open", "PARSE_ERROR", &["line 1", "a second line `---`"]),
        (
            "odd",
            "PARSE_ERROR",
            &["`no key` on line 3", "`key: value`"],
        ),
        ("json", "PARSE_ERROR", &["line 2"]),
        (
            "large",
            "PARSE_ERROR",
            &["1048577 bytes", "1048576 at most"],
        ),
        ("folder", "FS_NOT_FOUND", &["no regular file"]),
        ("unreadable", "FS_NOT_FOUND", &["cannot be read"]),
    ] {
        let desk = Desk::new(project.store.as_ref(), project.folder.path(), None);
        let start = EffortCommand::Start {
            task: "other".to_owned(),
            skill: skill.to_owned(),
            mode: None,
        };
        let refused = desk.perform(&Who::default(), &start, Utc::now());
        let bowline_store::Error::Forbidden(refused) = refused.unwrap_err() else {
            panic!("{skill} is refused");
        };
        assert_eq!(refused.code.as_str(), code, "{refused}");
        let path = format!(".claude/skills/{skill}/SKILL.md");
        for text in expected.iter().chain([&path.as_str()]) {
            assert!(refused.message.contains(text), "{text}: {refused}");
        }
        // As an agent asks for it.
        let asked = json!({"skill": "effort", "args": format!("start other {skill}")});
        let answer = project
            .trigger(HookInput::pre_tool_use("s1", "Skill", asked))
            .await;
        assert!(denied(&answer).unwrap().contains(&path), "{answer:?}");
    }
    let efforts = project.store.continuity().efforts(None, 9).unwrap();
    assert_eq!(efforts.len(), 1, "nothing was begun");
}
