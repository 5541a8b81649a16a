//! A sandbox, and what its settings say.

use std::ops::Deref;

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{Action, Locations, Settings, TrustStore, load};
use bowline_testkit::Sandbox;

pub(super) struct Place {
    sandbox: Sandbox,
    pub(super) locations: Locations,
}

impl Deref for Place {
    type Target = Sandbox;

    fn deref(&self) -> &Sandbox {
        &self.sandbox
    }
}

impl Place {
    pub(super) fn new() -> Self {
        let sandbox = Sandbox::new();
        let locations = Locations::under(sandbox.root());
        Self { sandbox, locations }
    }

    pub(super) fn load(&self) -> Settings {
        load(self.project(), &self.locations)
    }

    pub(super) fn manager(&self) -> HookManager {
        let settings = self.load();
        settings.manager(Services::from_settings(&settings, &self.locations))
    }

    pub(super) fn trust(&self) {
        TrustStore::open(&self.locations)
            .unwrap()
            .record(self.project())
            .unwrap();
    }
}

/// Claude Code's form, with one command on `PreToolUse`.
pub(super) fn nested(command: &str) -> String {
    format!(
        r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#
    )
}

/// The user's own file of Bowline, which needs no trust.
pub(super) const USER_FILE: &str = "home/.config/bowline/config.toml";

/// A file of Bowline's own, with one command on `PreToolUse`.
pub(super) fn own(command: &str) -> String {
    format!(
        "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\nhooks = [{{ type = \"command\", command = \"{command}\" }}]\n"
    )
}

pub(super) fn commands(settings: &Settings) -> Vec<String> {
    settings
        .in_force()
        .map(|hook| match &hook.action {
            Action::Command(action) => action.command.clone(),
            other => other.summary(),
        })
        .collect()
}

/// Fires one event at the hooks of the place, in the project's folder.
pub(super) async fn fire(place: &Place, manager: &HookManager, input: HookInput) -> TriggerResult {
    let ctx = HookContext::new("s").with_cwd(place.project());
    manager.trigger(input, &ctx).await
}
