//! Puts the hooks of a project together.

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{Background, Hook, HookManager, Services};
use bowline::settings::{Locations, Settings, Wait};
use bowline_guard::paths::OwnPlaces;

use crate::analyst::Analyst;
use crate::continuity::{self, Live};
use crate::guard::{
    CommandGuard, GuardHook, Guards, LookAlikeGuard, Policies, SecretWritingGuard,
    SensitiveFileGuard, Strikes, ToolGuard, UnreadSettingsGuard, unread_settings,
};
use crate::guidance::{self, Memory};
use crate::inbox::{Door, Inbox, Keeping};
use crate::machine::Machine;
use crate::recorder::{self, Tracing};
use crate::rule::{self, Compiled};
use crate::work::{self, Ledger, Work};

/// What outlives the settings of a project, and is shared by all of them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SharedState {
    /// The machine that we run on.
    pub machine: Arc<Machine>,
    /// The calls that were denied before.
    pub strikes: Arc<Strikes>,
    /// What sessions made.
    pub ledger: Arc<Ledger>,
    /// What is known of sessions and their efforts.
    pub live: Arc<Live>,
    /// What hooks remember of sessions and projects.
    pub memory: Arc<Memory>,
    /// Where files for people are kept, if anywhere.
    pub data_folder: Option<PathBuf>,
    /// The hooks that run in the background.
    pub background: Background,
    /// Where questions wait for a person, if this process stays for long enough.
    pub inbox: Option<Arc<Inbox>>,
}

impl SharedState {
    /// On this machine, with nothing denied and nothing noted yet.
    pub fn new(machine: Machine) -> Self {
        Self {
            machine: Arc::new(machine),
            strikes: Arc::default(),
            ledger: Arc::default(),
            live: Arc::default(),
            memory: Arc::default(),
            data_folder: None,
            background: Background::default(),
            inbox: None,
        }
    }

    /// How questions of a project get into the inbox, if its settings say that they wait there.
    pub fn door(
        &self,
        settings: &Settings,
        guards: &Arc<Guards>,
        locations: &Locations,
    ) -> Option<Arc<Door>> {
        let Wait::For(wait) = settings.config.approvals.wait else {
            return None;
        };
        Some(Arc::new(Door {
            inbox: Arc::clone(self.inbox.as_ref()?),
            wait,
            project: settings.project.clone(),
            fleet: settings.config.fleet,
            live: Arc::clone(&self.live),
            guards: Arc::clone(guards),
            keeping: Arc::new(Keeping::of(settings, locations)),
        }))
    }

    /// The same for judgements that must not wait for a disk: without the files of the machine, and without a store.
    pub fn unseen(&self) -> Self {
        Self {
            background: self.background.clone(),
            ..Self::new(self.machine.unseen())
        }
    }
}

/// The hooks that Bowline adds to a project's own.
#[derive(Debug)]
#[non_exhaustive]
pub struct Builtins {
    /// All of them, also those that are idle here. They run by their priorities; those of one priority in this order.
    pub hooks: Vec<BuiltinHook>,
    /// What the guards among them share.
    pub guards: Arc<Guards>,
    /// The rules of the settings. They run before the others.
    pub rules: Compiled,
}

/// One built-in hook, and its description for people.
#[derive(Clone)]
#[non_exhaustive]
pub struct BuiltinHook {
    /// The hook.
    pub hook: Arc<dyn Hook>,
    /// What it does.
    pub summary: String,
    /// The tools that it is for.
    pub tools: Option<&'static str>,
    /// Why it has nothing to do here. It is listed like the others, and not registered.
    pub idle: Option<&'static str>,
    /// Whether it starts programs when it runs, so that it needs the caller's environment, and time.
    pub starts_programs: bool,
}

impl std::fmt::Debug for BuiltinHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BuiltinHook")
            .field("hook", &self.hook.name())
            .finish_non_exhaustive()
    }
}

impl BuiltinHook {
    fn guard<G: ToolGuard>(guards: &Arc<Guards>) -> Self {
        let hook: GuardHook<G> = GuardHook::new(Arc::clone(guards));
        Self::new(hook, G::TOOLS, G::SUMMARY)
    }

    /// Whether it judges calls.
    pub fn is_guard(&self) -> bool {
        self.hook.name().starts_with("guard:")
    }

    /// Whether it may look at files when it runs.
    pub fn looks_at_files(&self) -> bool {
        ![recorder::NAME, unread_settings::NAME].contains(&self.hook.name())
    }

    /// A hook that is not for certain tools alone.
    pub(crate) fn of_all_tools(hook: impl Hook + 'static, summary: &str) -> Self {
        Self {
            hook: Arc::new(hook),
            summary: summary.to_owned(),
            tools: None,
            idle: None,
            starts_programs: false,
        }
    }

    /// The same, as one that starts programs.
    pub(crate) fn with_programs(self) -> Self {
        Self {
            starts_programs: true,
            ..self
        }
    }

    /// A hook that is for these tools.
    pub(crate) fn new(hook: impl Hook + 'static, tools: &'static str, summary: &str) -> Self {
        Self {
            hook: Arc::new(hook),
            summary: summary.to_owned(),
            tools: Some(tools),
            idle: None,
            starts_programs: false,
        }
    }
}

impl Builtins {
    /// Our hooks for a project with these settings.
    pub fn new(settings: &Settings, shared: &SharedState) -> Self {
        Self::of_caller(settings, shared, OwnPlaces::default())
    }

    /// The same, for callers whose environment puts our own files there ([`own_places`](crate::own_places)).
    pub fn of_caller(settings: &Settings, shared: &SharedState, own_places: OwnPlaces) -> Self {
        let analyst = Analyst::new(
            Arc::clone(&shared.machine),
            settings.project.clone(),
            settings.sensitive_policy(),
        );
        let analyst = analyst
            .with_ledger(Arc::clone(&shared.ledger))
            .with_own_places(own_places);
        let analyst = Arc::new(analyst);
        let guards = Guards::new(
            Arc::clone(&analyst),
            Policies::new(settings.config.guard.clone()),
            Arc::clone(&shared.strikes),
        );
        let guards = Arc::new(guards.with_allowances(settings.allowances.clone()));
        let mut hooks = vec![
            BuiltinHook::guard::<CommandGuard>(&guards),
            BuiltinHook::guard::<SensitiveFileGuard>(&guards),
            BuiltinHook::guard::<LookAlikeGuard>(&guards),
        ];
        let on_secret = settings.config.guard.secrets.strictness();
        hooks.extend(on_secret.map(|on_secret| {
            BuiltinHook::new(
                SecretWritingGuard::new(Arc::clone(&guards), on_secret),
                "shell and file tools, prompts",
                "stops secrets on their way into files, commits and prompts",
            )
        }));
        let unread = UnreadSettingsGuard::new(settings);
        hooks.extend(unread.map(|it| BuiltinHook::of_all_tools(it, unread_settings::SUMMARY)));
        // Where nothing can be seen, nothing can be followed.
        if !shared.machine.is_unseen() {
            let ledger = Arc::clone(&shared.ledger);
            let work = Work::new(ledger, Arc::clone(&analyst), settings.config.record.inputs);
            hooks.push(BuiltinHook::of_all_tools(work, work::SUMMARY));
            hooks.extend(continuity::hooks(settings, shared, &analyst));
            hooks.extend(guidance::hooks(settings, shared, &analyst));
        }
        let tracing = Tracing::new(settings.config.record);
        hooks.push(BuiltinHook::of_all_tools(tracing, recorder::SUMMARY));
        let rules = rule::compile(settings, &analyst);
        Self {
            hooks,
            guards,
            rules,
        }
    }

    /// The hooks that have something to do here.
    pub fn running(&self) -> impl Iterator<Item = &BuiltinHook> {
        self.hooks.iter().filter(|builtin| builtin.idle.is_none())
    }

    /// Adds them to a manager.
    pub fn register_into(&self, manager: &mut HookManager) {
        for rule in &self.rules.hooks {
            let rule: Arc<dyn Hook> = Arc::clone(rule) as _;
            manager.register_arc(rule);
        }
        for builtin in self.running() {
            manager.register_arc(Arc::clone(&builtin.hook));
        }
    }
}

/// The manager of a project: the hooks of its settings, its rules, then ours.
pub fn assemble(settings: &Settings, services: Services, shared: &SharedState) -> HookManager {
    let mut manager = settings
        .manager(services)
        .with_background(shared.background.clone());
    Builtins::new(settings, shared).register_into(&mut manager);
    manager
}
