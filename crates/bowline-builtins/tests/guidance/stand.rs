//! A project with settings of its own, and its hooks.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bowline::hooks::{Decision, HookContext, HookInput, HookManager, Opinion, Services};
use bowline::settings::{self, Locations};
use bowline_builtins::continuity::Live;
use bowline_builtins::guidance::Memory;
use bowline_builtins::machine::Machine;
use bowline_builtins::recorder::make_record;
use bowline_builtins::{SharedState, assemble};
use bowline_store::{Enforcement, Options, SqliteStore, Store};
use chrono::Utc;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project. Its settings are those of the person who works there.
pub(crate) struct Project {
    folder: TempDir,
    store: Arc<SqliteStore>,
    manager: HookManager,
    events: AtomicU32,
}

impl Project {
    /// With these settings.
    pub(crate) fn new(settings: &str) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), settings)
    }

    /// Another process: nothing is in its memory, and the store is opened anew.
    pub(crate) fn restarted(self, settings: &str) -> Self {
        let Self { folder, store, .. } = self;
        store.flush().unwrap();
        drop(store);
        Self::in_folder(folder, settings)
    }

    fn in_folder(folder: TempDir, settings: &str) -> Self {
        let project = folder.path().join("project");
        let config = folder.path().join("home/.config/bowline");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(config.join("config.toml"), settings).unwrap();
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        let store = Arc::new(store);
        let kept: Arc<dyn Store> = Arc::clone(&store) as _;
        let mut shared = SharedState::new(Machine::from_env());
        shared.live = Arc::new(Live::new(Some(Arc::clone(&kept))));
        shared.memory = Arc::new(Memory::new(Some(kept)));
        shared.data_folder = Some(folder.path().join("data"));
        let locations = Locations::under(folder.path());
        let settings = settings::load(&project, &locations);
        let wrong: Vec<_> = settings.diagnostics.iter().collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        Self {
            manager: assemble(&settings, Services::default(), &shared),
            store,
            folder,
            events: AtomicU32::new(0),
        }
    }

    /// The project's folder.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    /// The store.
    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Decides an event, and keeps its record.
    pub(crate) async fn trigger(&self, input: HookInput) -> Opinion {
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:012x}-{number}", Utc::now().timestamp_millis());
        let ctx = HookContext::new(input.session_id.clone())
            .with_cwd(self.path())
            .with_env(environment())
            .with_call_id(id)
            .with_agent("claude-code");
        let input = input.with_field("cwd", self.path().to_string_lossy().into_owned());
        let result = self.manager.trigger(input.clone(), &ctx).await;
        let record = make_record(Utc::now(), &input, &ctx, &result, Enforcement::Enforced);
        if let Some(mut record) = record {
            record.decided.project = Some(self.path().to_string_lossy().into_owned());
            self.store.submit(record, Box::new(|_| {}));
        }
        self.store.flush().unwrap();
        result.output
    }

    /// A tool call that is about to be made.
    pub(crate) async fn before(&self, session: &str, tool: &str, input: Value) -> Opinion {
        self.trigger(HookInput::pre_tool_use(session, tool, input))
            .await
    }

    /// A tool call that was made, with what it gave back.
    pub(crate) async fn after(
        &self,
        session: &str,
        tool: &str,
        input: Value,
        response: Value,
    ) -> Opinion {
        let input = HookInput::post_tool_use(session, tool, response.clone())
            .with_field("tool_input", input)
            .with_field("tool_response", response);
        self.trigger(input).await
    }

    /// A shell command that was run, with what it printed.
    pub(crate) async fn ran(&self, session: &str, command: &str) -> Opinion {
        let input = json!({ "command": command });
        let response = json!({ "stdout": "ok", "stderr": "" });
        self.after(session, "Bash", input, response).await
    }

    /// A sub-agent that ends with a report.
    pub(crate) async fn reported(
        &self,
        session: &str,
        agent: &str,
        id: &str,
        report: &str,
    ) -> Opinion {
        let input = HookInput::subagent_stop(session, id, true, None)
            .with_field("agent_type", agent)
            .with_field("agent_id", id)
            .with_field("stop_hook_active", false)
            .with_field("last_assistant_message", report);
        self.trigger(input).await
    }

    /// The call that ran a sub-agent, with its report.
    pub(crate) async fn delegated(
        &self,
        session: &str,
        agent: &str,
        id: Option<&str>,
        report: &str,
    ) -> Opinion {
        let input = json!({ "subagent_type": agent, "prompt": "do it" });
        let mut response = json!({ "content": [{ "type": "text", "text": report }] });
        if let (Some(id), Some(fields)) = (id, response.as_object_mut()) {
            fields.insert("agentId".to_owned(), id.into());
        }
        self.after(session, "Task", input, response).await
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/"))).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

/// The environment of this process, without what cargo says to tests.
fn environment() -> std::collections::HashMap<String, String> {
    let is_for_all = |name: &str| name == "CARGO_HOME" || !name.starts_with("CARGO");
    std::env::vars()
        .filter(|(name, _)| is_for_all(name))
        .collect()
}

/// Why a call was denied.
pub(crate) fn denied(opinion: &Opinion) -> Option<&str> {
    let reason = opinion.stop_reason.as_deref();
    reason.filter(|_| opinion.decision() == Decision::Deny)
}

/// What the agent is told beside the decision.
pub(crate) fn told(opinion: &Opinion) -> &str {
    opinion.additional_context.as_deref().unwrap_or_default()
}
