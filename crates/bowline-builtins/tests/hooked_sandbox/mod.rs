//! A sandbox with the hooks of its settings.

use std::ops::Deref;
use std::path::Path;

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{self, AllowanceStore, Locations, Settings, TrustStore, Wish};
use bowline_builtins::machine::Machine;
use bowline_builtins::{Builtins, SharedState, assemble};
use bowline_testkit::Sandbox;

pub(crate) struct HookedSandbox {
    sandbox: Sandbox,
    shared: SharedState,
}

impl Deref for HookedSandbox {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl HookedSandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::with_project("home/project");
        let shared = SharedState::new(Machine::new(Some(sandbox.home()), Vec::new()));
        Self { sandbox, shared }
    }

    fn locations(&self) -> Locations {
        Locations::under(self.root())
    }

    /// Writes the user's settings.
    pub(crate) fn user(self, text: &str) -> Self {
        self.write("home/.config/bowline/config.toml", text);
        self
    }

    /// Writes the project's settings, which nobody has trusted.
    pub(crate) fn untrusted(self, text: &str) -> Self {
        self.write_in_project("bowline.toml", text);
        self
    }

    /// Trusts the project's files as they are.
    pub(crate) fn trust(&self) {
        let mut store = TrustStore::open(&self.locations()).unwrap();
        store.record(self.project()).unwrap();
    }

    /// Lets something pass, as `bowline allow` does.
    pub(crate) fn allow(&self, wish: Wish) {
        let mut store = AllowanceStore::open(&self.locations());
        store.add(wish).unwrap();
    }

    /// Writes the administrator's settings.
    pub(crate) fn managed(self, text: &str) -> Self {
        self.write("etc/bowline/config.toml", text);
        self
    }

    pub(crate) fn settings(&self) -> Settings {
        settings::load(self.project(), &self.locations())
    }

    pub(crate) fn manager(&self) -> HookManager {
        assemble(&self.settings(), Services::default(), &self.shared)
    }

    pub(crate) fn builtins(&self) -> Builtins {
        Builtins::new(&self.settings(), &self.shared)
    }

    /// Fires an event of an agent that works in another folder.
    pub(crate) async fn fire_in(&self, folder: &Path, input: HookInput) -> TriggerResult {
        let settings = settings::load(folder, &self.locations());
        let manager = assemble(&settings, Services::default(), &self.shared);
        let context = HookContext::new("s1").with_cwd(folder);
        manager.trigger(input, &context).await
    }

    pub(crate) fn context(&self) -> HookContext {
        HookContext::new("s1").with_cwd(self.project())
    }

    pub(crate) async fn fire(&self, input: HookInput) -> TriggerResult {
        self.manager().trigger(input, &self.context()).await
    }

    pub(crate) async fn fire_as(&self, agent: &str, input: HookInput) -> TriggerResult {
        let context = self.context().with_agent(agent);
        self.manager().trigger(input, &context).await
    }
}
