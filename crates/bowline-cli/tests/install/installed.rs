//! A sandbox with Bowline's programs in a folder of it, as an installer leaves them.

use std::fs;
use std::path::{Path, PathBuf};

use bowline_testkit::{Ran, Sandbox, bowline, put, script};

/// Denies what is destructive, and notes how it was started.
pub(super) const HONEST: &str = r#"#!/bin/sh
payload=$(cat)
echo "$* scope=$BOWLINE_SCOPE tracking=$BOWLINE_DISABLE_TRACKING" >> "$HOME/hook.log"
case $payload in
*'rm -rf'*) echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}' ;;
esac
"#;

/// Lets everything pass.
pub(super) const BLIND: &str = "#!/bin/sh\ncat >/dev/null\n";

/// With a `bowline-hook` that works.
pub(super) fn installed() -> Sandbox {
    let sandbox = without_hook();
    sandbox.put_hook(HONEST);
    sandbox
}

pub(super) fn without_hook() -> Sandbox {
    let mut sandbox = Sandbox::with_repository();
    let programs = sandbox.folder("bin");
    put(bowline(), programs.join("bowline"));
    sandbox.set_programs(programs);
    // Without the clients of this machine.
    sandbox.set("PATH", "/usr/bin:/bin");
    sandbox
}

pub(super) trait Installed {
    fn user_settings(&self) -> PathBuf;

    /// Puts a program in the place of `bowline-hook`.
    fn put_hook(&self, text: &str);

    /// Puts a Claude Code of this version on the path of [`Self::run_with_client`].
    fn put_client(&self, version: &str);

    /// Runs `bowline` where the client of [`Self::put_client`] is on the path.
    fn run_with_client(&self, args: &[&str]) -> Ran;

    /// The copies of a settings file in Bowline's folder, the oldest first.
    fn copies(&self, file: &Path) -> Vec<PathBuf>;
}

impl Installed for Sandbox {
    fn user_settings(&self) -> PathBuf {
        self.path("home/.claude/settings.json")
    }

    fn put_hook(&self, text: &str) {
        script(self.path("bin/bowline-hook"), text);
    }

    fn put_client(&self, version: &str) {
        self.folder("client");
        script(
            self.path("client/claude"),
            &format!("#!/bin/sh\n[ \"$*\" = --version ] && echo '{version} (Claude Code)'\n"),
        );
    }

    fn run_with_client(&self, args: &[&str]) -> Ran {
        let path = format!("{}:/usr/bin:/bin", self.path("client").display());
        Ran::of(self.command(args).env("PATH", path))
    }

    fn copies(&self, file: &Path) -> Vec<PathBuf> {
        let folder = self.data().join("backups");
        let folder = folder.join(file.strip_prefix("/").unwrap());
        let mut copies: Vec<_> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.file_name().unwrap().to_str().unwrap().contains('T'))
            .collect();
        copies.sort();
        copies
    }
}
