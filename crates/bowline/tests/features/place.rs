//! A project, a home and an administrator's folder of a test's own.

use std::fs;
use std::path::PathBuf;

use bowline::hooks::{HookContext, HookInput, HookManager, Services, TriggerResult};
use bowline::settings::{Action, Locations, Settings, TrustStore, load};

/// Removed with everything in it at the end of the test.
pub(super) struct Place {
    root: tempfile::TempDir,
    pub(super) locations: Locations,
}

impl Place {
    pub(super) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        let locations = Locations::under(root.path());
        Self { root, locations }
    }

    pub(super) fn path(&self, file: &str) -> PathBuf {
        self.root.path().join(file)
    }

    pub(super) fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// How many lines a file has; none if it does not exist.
    pub(super) fn lines(&self, file: &str) -> usize {
        fs::read_to_string(self.path(file)).map_or(0, |text| text.lines().count())
    }

    pub(super) fn load(&self) -> Settings {
        load(&self.path("project"), &self.locations)
    }

    pub(super) fn manager(&self) -> HookManager {
        let settings = self.load();
        settings.manager(Services::from_settings(&settings, &self.locations))
    }

    pub(super) fn trust(&self) {
        TrustStore::open(&self.locations)
            .unwrap()
            .record(&self.path("project"))
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
    let ctx = HookContext::new("s").with_cwd(place.path("project"));
    manager.trigger(input, &ctx).await
}
