//! Asks git what a commit would record, without running anything that the repository names.
//!
//! Only the index, the objects and lists of names are asked for. Comparing with the work tree would run the filters of
//! the repository's settings (`filter.*.clean`), even for a mere `ls-files --modified`: see [`super::files`] instead.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::runtime::Handle;

use super::files::{self, Known};

/// At most this many bytes of a change are scanned.
pub(super) const MAX_BYTES: usize = 4 * 1024 * 1024;
/// A list of names may be longer: about 250 bytes for each file that git knows.
const MAX_LIST: usize = 64 * 1024 * 1024;

/// Options that keep programs of the repository's choice from running, and the output in one form.
const SETTINGS: &[&str] = &[
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.quotePath=false",
];
const STAGED: &[&str] = &[
    "diff",
    "--cached",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-renames",
    "--ignore-submodules",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-U0",
    "--",
];
/// Every path of the repository, wherever git is started in it.
const EVERYTHING: &str = ":/";
/// Variables that lead git to another repository, index or configuration.
pub(super) const LEADING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_NAMESPACE",
];

/// Which of the files that git does not know yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum New {
    /// Those that no rule ignores.
    NotIgnored,
    /// All of them.
    Every,
}

/// A repository that a command would commit to.
#[derive(Debug)]
pub(super) struct Repository<'env> {
    /// Where its files are.
    pub(super) root: PathBuf,
    /// Its index.
    pub(super) index: PathBuf,
    folder: PathBuf,
    env: &'env HashMap<String, String>,
}

/// What git printed.
#[derive(Debug, Default)]
pub(super) struct Printed {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

impl<'env> Repository<'env> {
    /// The repository that a folder lies in; `None` where git sees none.
    pub(super) async fn around(
        folder: &Path,
        env: &'env HashMap<String, String>,
    ) -> Option<Repository<'env>> {
        let args = ["rev-parse", "--show-toplevel", "--git-path", "index"];
        let printed = run(folder, env, &args, MAX_BYTES).await?;
        let mut lines = printed.bytes.split(|byte| *byte == b'\n');
        let (root, index) = (lines.next()?, lines.next()?);
        // Names that hold line ends are not worth a guess.
        if lines.next() != Some(b"") || lines.next().is_some() {
            return None;
        }
        Some(Self {
            root: Path::new(OsStr::from_bytes(root)).to_owned(),
            index: folder.join(OsStr::from_bytes(index)),
            folder: folder.to_owned(),
            env,
        })
    }

    /// What is staged of these paths, or of all without any, against the last commit.
    pub(super) async fn staged(&self, paths: &[String]) -> Option<Printed> {
        self.of_paths(STAGED, paths, MAX_BYTES).await
    }

    /// The files that git knows, as it last saw them, and whether these are all.
    pub(super) async fn known(&self, paths: &[String]) -> Option<(Vec<Known>, bool)> {
        let args = ["ls-files", "--full-name", "--debug", "-z", "--"];
        let printed = self.of_paths(&args, paths, MAX_LIST).await?;
        let mut rest = printed.bytes.as_slice();
        let mut files = Vec::new();
        while !rest.is_empty() {
            match Known::parse(rest) {
                Some((file, after)) => {
                    files.push(file);
                    rest = after;
                }
                // The last one may be cut.
                None if printed.is_cut => break,
                None => return None,
            }
        }
        Some((files, !printed.is_cut))
    }

    /// The names of the files that git does not know yet, and whether these are all.
    pub(super) async fn new_files(
        &self,
        paths: &[String],
        which: New,
    ) -> Option<(Vec<PathBuf>, bool)> {
        let mut args = vec!["ls-files", "--full-name", "--others", "-z"];
        if which == New::NotIgnored {
            args.push("--exclude-standard");
        }
        args.push("--");
        let printed = self.of_paths(&args, paths, MAX_LIST).await?;
        let mut names: Vec<&[u8]> = printed.bytes.split(|byte| *byte == 0).collect();
        // What comes after the last end is nothing, or a name that was cut.
        names.pop();
        let names = names
            .into_iter()
            .map(|name| OsString::from_vec(name.to_vec()).into());
        Some((names.collect(), !printed.is_cut))
    }

    /// A file as the last commit has it; nothing where it has none.
    pub(super) async fn committed(&self, name: &Path) -> String {
        let mut object = OsString::from("HEAD:");
        object.push(name);
        let args = [OsStr::new("cat-file"), OsStr::new("blob"), &object];
        let printed = run(&self.folder, self.env, &args, MAX_BYTES).await;
        String::from_utf8_lossy(&printed.unwrap_or_default().bytes).into_owned()
    }

    async fn of_paths(&self, args: &[&str], paths: &[String], most: usize) -> Option<Printed> {
        let mut args = args.to_vec();
        if paths.is_empty() {
            args.push(EVERYTHING);
        }
        args.extend(paths.iter().map(String::as_str));
        run(&self.folder, self.env, &args, most).await
    }
}

/// What an alias of git stands for, where it is one.
pub(super) async fn alias(
    name: &str,
    folder: &Path,
    env: &HashMap<String, String>,
) -> Option<String> {
    let key = format!("alias.{name}");
    let printed = run(folder, env, &["config", "--get", &key], MAX_BYTES).await?;
    Some(String::from_utf8_lossy(&printed.bytes).into_owned())
}

/// Runs git and gives what it prints; `None` where it fails.
async fn run(
    folder: &Path,
    env: &HashMap<String, String>,
    args: &[impl AsRef<OsStr>],
    most: usize,
) -> Option<Printed> {
    let mut command = Command::new("git");
    command.envs(env);
    // Neither this process's variables nor the agent's lead git elsewhere or hand it settings.
    let own = std::env::vars_os().map(|(name, _)| name);
    let names = own.chain(env.keys().map(OsString::from));
    for name in names.filter(|name| name.as_bytes().starts_with(b"GIT_")) {
        command.env_remove(name);
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // Objects that are missing would be fetched by programs that the repository names.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("LC_ALL", "C")
        .args(SETTINGS)
        .args(args)
        .current_dir(folder);
    // In a folder that hangs this may never come back.
    let mut git = files::apart(|| Running::start(command)).await.ok()??;
    let mut output = git.0.as_mut()?.stdout.take()?.take(widened(most) + 1);
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).await.ok()?;
    let is_cut = bytes.len() > most;
    bytes.truncate(most);
    // A process that prints more is killed when it is dropped; its status means nothing.
    if !is_cut && !git.wait().await?.success() {
        return None;
    }
    Some(Printed { bytes, is_cut })
}

fn widened(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX - 1)
}

/// A git that runs, in a process group of its own. Dropping it ends the whole group.
#[derive(Debug)]
struct Running(Option<Child>);

impl Running {
    fn start(mut command: Command) -> Option<Self> {
        let child = command
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        child.ok().map(|child| Self(Some(child)))
    }

    async fn wait(&mut self) -> Option<ExitStatus> {
        self.0.as_mut()?.wait().await.ok()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(mut child) = self.0.take() else {
            return;
        };
        // There is an id until the exit status has been fetched; later it could be another's.
        let Some(leader) = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?)) else {
            return;
        };
        // An error means that all of them are gone.
        let _ = kill_process_group(leader, Signal::KILL);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { child.wait().await });
        }
    }
}
