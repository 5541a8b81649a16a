//! Who reports an event.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use bowline::hooks::{HookContext, HookInput};
use bowline_continuity::action::Who;
use bowline_continuity::fleet::Process;

use crate::recorder::subagent_of;

/// Finds the agent's process. It is asked only where the process matters, because the system has to be asked.
type FindProcess = Box<dyn Fn() -> Option<Process> + Send + Sync>;

/// What the program that triggers an event knows about the process that reports it. It is put into the event's context.
#[derive(Default)]
pub struct Caller {
    agent_id: OnceLock<String>,
    process: OnceLock<FindProcess>,
    found: OnceLock<Option<Process>>,
    waits: OnceLock<Duration>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("agent_id", &self.agent_id)
            .finish_non_exhaustive()
    }
}

/// The name that means that an agent has none of its own.
const UNNAMED: &str = "default";

impl Caller {
    /// Says which name the agent has in its fleet (`AGENT_ID`).
    pub fn set_agent_id(ctx: &HookContext, id: impl Into<String>) {
        let id = id.into();
        if !id.is_empty() && id != UNNAMED {
            // The first one counts.
            let _ = ctx.extensions().get::<Self>().agent_id.set(id);
        }
    }

    /// Says how the agent's process is found.
    pub fn set_process(
        ctx: &HookContext,
        find: impl Fn() -> Option<Process> + Send + Sync + 'static,
    ) {
        let _ = ctx.extensions().get::<Self>().process.set(Box::new(find));
    }

    /// Says how long the agent waits for its answer.
    pub fn set_waits(ctx: &HookContext, waits: Duration) {
        let _ = ctx.extensions().get::<Self>().waits.set(waits);
    }

    pub(crate) fn waits(ctx: &HookContext) -> Option<Duration> {
        ctx.extensions().get::<Self>().waits.get().copied()
    }

    pub(super) fn agent_id(ctx: &HookContext) -> Option<String> {
        ctx.extensions().get::<Self>().agent_id.get().cloned()
    }

    /// The agent's process, as it was when somebody first asked: later the hook, from which it is found, may be gone.
    pub(crate) fn process(ctx: &HookContext) -> Option<Process> {
        let caller = ctx.extensions().get::<Self>();
        let find = || caller.process.get().and_then(|find| find());
        *caller.found.get_or_init(find)
    }
}

/// Who reports an event of a project.
pub(super) fn who(input: &HookInput, ctx: &HookContext, project: &Path) -> Who {
    let folder = input.cwd().map_or(project, Path::new);
    Who {
        folder: folder.to_string_lossy().into_owned(),
        project: Some(project.to_string_lossy().into_owned()),
        agent_id: Caller::agent_id(ctx),
        session: Some(input.session_id.clone()).filter(|it| !it.is_empty()),
        subagent: subagent_of(input).map(|subagent| subagent.id),
    }
}

/// The agent itself, also where one of its sub-agents reports.
pub(super) fn host(mut who: Who) -> Who {
    who.subagent = None;
    who
}
