//! Runs git to see what a commit would record. Nothing is written, and no pager, file monitor, external diff or text
//! conversion is run that the repository may name.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// Of a change so many bytes are looked at.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Options that keep programs of the repository's choice from running, and the output in one form.
const SETTINGS: &[&str] = &[
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
];
const DIFF: &[&str] = &[
    "diff",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U0",
];
/// Variables that lead git elsewhere; only the agent's and the command's own count.
const LEADING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
];

/// A repository as a command would see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    pub(super) folder: PathBuf,
    /// `--git-dir=…`, `--work-tree=…`.
    pub(super) options: Vec<String>,
    /// `GIT_DIR` and the like.
    pub(super) environment: Vec<(String, String)>,
}

/// What git printed.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) text: String,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

impl Repository {
    /// The difference that `what` asks for, limited to these paths; `None` when git cannot tell.
    pub(super) async fn diff(
        &self,
        what: &[&str],
        paths: &[String],
        env: &HashMap<String, String>,
    ) -> Option<Printed> {
        let paths = paths.iter().map(String::as_str);
        let args: Vec<&str> = DIFF
            .iter()
            .chain(what)
            .copied()
            .chain(std::iter::once("--"))
            .chain(paths)
            .collect();
        self.run(&args, env).await
    }

    /// The files that git does not know yet and does not ignore, limited to these paths, and whether these are all.
    pub(super) async fn untracked(
        &self,
        paths: &[String],
        env: &HashMap<String, String>,
    ) -> Option<(Vec<PathBuf>, bool)> {
        let mut args = vec!["ls-files", "--others", "--exclude-standard", "-z", "--"];
        args.extend(paths.iter().map(String::as_str));
        let printed = self.run(&args, env).await?;
        let mut names: Vec<&str> = printed.text.split('\0').collect();
        // What comes after the last end is nothing, or a name that was cut.
        names.pop();
        let folder: &Path = &self.folder;
        let files = names.into_iter().map(|name| folder.join(name)).collect();
        Some((files, !printed.is_cut))
    }

    async fn run(&self, args: &[&str], env: &HashMap<String, String>) -> Option<Printed> {
        let mut command = Command::new("git");
        for name in LEADING {
            command.env_remove(name);
        }
        let mut child = command
            .envs(env)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C")
            .args(SETTINGS)
            .args(&self.options)
            .args(args)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .ok()?;
        let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        let mut output = child.stdout.take()?.take(most + 1);
        output.read_to_end(&mut bytes).await.ok()?;
        let is_cut = bytes.len() > MAX_BYTES;
        bytes.truncate(MAX_BYTES);
        // One that prints more is killed when it is dropped; its status tells nothing.
        if !is_cut && !child.wait().await.ok()?.success() {
            return None;
        }
        Some(Printed {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            is_cut,
        })
    }
}
