//! What a test may need, and looking for it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Programs of coding agents.
const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor-agent", "opencode"];

/// The git that knows SHA-256 repositories.
const GIT: (u32, u32) = (2, 29);

/// The git that knows tables of refs.
const GIT_REFTABLE: (u32, u32) = (2, 45);

/// What is not there, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing(pub(crate) &'static str);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Axe,
    CcSafetyNet,
    Chromium,
    Client,
    Cline,
    Codex,
    Copilot,
    Corpus,
    Droid,
    Fuse,
    Gemini,
    Git,
    GitReftable,
    Grok,
    Kimi,
    Mounts,
    NoAgent,
    NoRoot,
    Node,
    Opencode,
    Python,
    Pytest,
    Qwen,
    Root,
    Terminal,
    Tmux,
}

impl Need {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "axe" => Self::Axe,
            "cc_safety_net" => Self::CcSafetyNet,
            "chromium" => Self::Chromium,
            "client" => Self::Client,
            "cline" => Self::Cline,
            "codex" => Self::Codex,
            "copilot" => Self::Copilot,
            "corpus" => Self::Corpus,
            "droid" => Self::Droid,
            "fuse" => Self::Fuse,
            "gemini" => Self::Gemini,
            "git" => Self::Git,
            "git_reftable" => Self::GitReftable,
            "grok" => Self::Grok,
            "kimi" => Self::Kimi,
            "mounts" => Self::Mounts,
            "no_agent" => Self::NoAgent,
            "no_root" => Self::NoRoot,
            "node" => Self::Node,
            "opencode" => Self::Opencode,
            "python" => Self::Python,
            "pytest" => Self::Pytest,
            "qwen" => Self::Qwen,
            "root" => Self::Root,
            "terminal" => Self::Terminal,
            "tmux" => Self::Tmux,
            _ => return None,
        })
    }

    /// The variable that decides it.
    pub(crate) fn variable(self) -> Option<&'static str> {
        match self {
            Self::Axe => Some("AXE_CORE"),
            Self::CcSafetyNet => Some("CC_SAFETY_NET"),
            Self::Client => Some("CLAUDE_BIN"),
            Self::Cline => Some("CLINE_BIN"),
            Self::Codex => Some("CODEX_BIN"),
            Self::Copilot => Some("COPILOT_BIN"),
            Self::Droid => Some("DROID_BIN"),
            Self::Gemini => Some("GEMINI_BIN"),
            Self::Grok => Some("GROK_BIN"),
            Self::Kimi => Some("KIMI_BIN"),
            Self::Opencode => Some("OPENCODE_BIN"),
            Self::Qwen => Some("QWEN_BIN"),
            Self::Corpus => Some("BOWLINE_SHARED"),
            _ => None,
        }
    }

    /// What of it is not there. Each is looked for once.
    pub(crate) fn missing(self) -> Option<Missing> {
        static KNOWN: Mutex<Vec<(Need, Option<Missing>)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, missing)) = known.iter().find(|(need, _)| *need == self) {
            return *missing;
        }
        let missing = self.look();
        known.push((self, missing));
        missing
    }

    fn look(self) -> Option<Missing> {
        let (there, what) = match self {
            Self::Axe => (names_a_file("AXE_CORE"), "AXE_CORE=path/to/axe.min.js"),
            Self::CcSafetyNet if !names_a_file("CC_SAFETY_NET") => {
                (false, "CC_SAFETY_NET=path/to/cc-safety-net")
            }
            Self::CcSafetyNet => (output("node", &["--version"]).is_some(), "node"),
            Self::Chromium => (has_chromium(), "Chromium"),
            Self::Client if !names_a_file("CLAUDE_BIN") => (false, "CLAUDE_BIN=path/to/claude"),
            Self::Cline if !names_a_file("CLINE_BIN") => (false, "CLINE_BIN=path/to/cline"),
            Self::Codex if !names_a_file("CODEX_BIN") => (false, "CODEX_BIN=path/to/codex"),
            Self::Copilot if !names_a_file("COPILOT_BIN") => (false, "COPILOT_BIN=path/to/copilot"),
            Self::Droid if !names_a_file("DROID_BIN") => (false, "DROID_BIN=path/to/droid"),
            Self::Gemini if !names_a_file("GEMINI_BIN") => (false, "GEMINI_BIN=path/to/gemini"),
            Self::Grok if !names_a_file("GROK_BIN") => (false, "GROK_BIN=path/to/grok"),
            Self::Kimi if !names_a_file("KIMI_BIN") => (false, "KIMI_BIN=path/to/kimi"),
            Self::Opencode if !names_a_file("OPENCODE_BIN") => {
                (false, "OPENCODE_BIN=path/to/opencode")
            }
            Self::Qwen if !names_a_file("QWEN_BIN") => (false, "QWEN_BIN=path/to/qwen"),
            Self::Client
            | Self::Cline
            | Self::Codex
            | Self::Copilot
            | Self::Droid
            | Self::Gemini
            | Self::Grok
            | Self::Kimi
            | Self::Opencode
            | Self::Qwen
            | Self::Python => (output("python3", &["-V"]).is_some(), "python3"),
            Self::Corpus => (
                corpus().is_dir(),
                "the labelled corpora (set BOWLINE_SHARED)",
            ),
            Self::Fuse => (
                can_mount() && can_open("/dev/fuse"),
                "permission to mount with FUSE",
            ),
            Self::Git => (has_git(GIT), "git 2.29"),
            Self::GitReftable => (has_git(GIT_REFTABLE), "git 2.45"),
            Self::Mounts => (can_mount(), "permission to mount"),
            Self::NoAgent => (!is_an_agents(), "to be run by a person, not by an agent"),
            Self::NoRoot => (!is_root(), "another user than root"),
            Self::Node => (has_node(), "node 20 and npm"),
            Self::Pytest => (
                output("python3", &["-m", "pytest", "--version"]).is_some(),
                "pytest",
            ),
            Self::Root => (is_root(), "root"),
            Self::Terminal => (output("script", &["--version"]).is_some(), "`script`"),
            Self::Tmux => (has_tmux(), "tmux 3.0"),
        };
        (!there).then_some(Missing(what))
    }
}

/// What a program prints that succeeds.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output: Output = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

fn names_a_file(variable: &str) -> bool {
    env::var_os(variable).is_some_and(|path| Path::new(&path).is_file())
}

fn can_open(device: &str) -> bool {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).open(device).is_ok()
}

fn corpus() -> PathBuf {
    let shared = env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    shared.join("corpus")
}

fn has_git(at_least: (u32, u32)) -> bool {
    let version = output("git", &["--version"]).unwrap_or_default();
    let mut numbers = version
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .split('.')
        .map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= at_least
}

/// Options of panes came with 3.0.
fn has_tmux() -> bool {
    let version = output("tmux", &["-V"]).unwrap_or_default();
    let major = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let major = major.split('.').next().and_then(|it| it.parse().ok());
    major.is_some_and(|major: u32| major >= 3)
}

/// Its own test runner prints names since then.
fn has_node() -> bool {
    let version = output("node", &["--version"]).unwrap_or_default();
    let major = version.trim_start_matches('v').split('.').next();
    let major = major.and_then(|it| it.parse().ok());
    major.is_some_and(|major: u32| major >= 20) && output("npm", &["--version"]).is_some()
}

/// Under any of its names, as distributions have them.
fn has_chromium() -> bool {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names
        .iter()
        .any(|name| output(name, &["--version"]).is_some())
}

fn is_root() -> bool {
    output("id", &["-u"]).is_some_and(|id| id.trim() == "0")
}

fn can_mount() -> bool {
    let flags = if is_root() { "-m" } else { "-Urm" };
    let place = env::temp_dir().join(format!("bowline-mount-{}", std::process::id()));
    if fs::create_dir_all(&place).is_err() {
        return false;
    }
    let folder = place.to_string_lossy();
    let mounted = output(
        "unshare",
        &[flags, "mount", "-t", "tmpfs", "tmpfs", &folder],
    );
    let _ = fs::remove_dir(&place);
    mounted.is_some()
}

/// Whether an agent is among the processes that led here.
fn is_an_agents() -> bool {
    let mut pid = std::process::id().to_string();
    while let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let program = String::from_utf8_lossy(program);
        if AGENTS.iter().any(|agent| program.ends_with(agent)) {
            return true;
        }
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name
            .split_whitespace()
            .nth(1)
            .unwrap_or("0")
            .clone_into(&mut pid);
    }
    false
}
