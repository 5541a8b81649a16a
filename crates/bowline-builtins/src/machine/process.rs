//! Which process an agent is, and whether it still runs. Only Linux says so; on other systems sessions end when their agents report it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use bowline_continuity::fleet::Process;

/// Programs that start hooks for an agent but are not agents.
const SHELLS: [&str; 10] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "env",
    "timeout",
    "bowline",
    "bowline-hook",
];
/// At most this many of them stand between a hook and its agent, beside the hook.
const MOST_SHELLS: usize = 6;
/// What a process is called that stands for a program in a `bowline run`: it has it judged, runs it, and waits for its end.
pub const STAND_IN: &str = "bowline-standin";
/// What the process of `bowline run` itself is called. It stands for the program that it runs.
pub const RUN: &str = "bowline-run";
/// More processes than this above one have no meaning.
const LONGEST_LINEAGE: usize = 64;

/// The agent that a process reports for, if the system says so: the one that started the hook, or the process itself where an agent
/// reports without one.
pub fn agent_of(reporter: u32) -> Option<Process> {
    let mut id = reporter;
    for _ in 0..=MOST_SHELLS {
        let stat = Stat::read(id)?;
        if stat.name == STAND_IN {
            return run_above(id);
        }
        if !SHELLS.contains(&stat.name.as_str()) {
            let started = stat.started;
            return Some(Process { id, started });
        }
        id = stat.parent;
    }
    None
}

/// The run that a stand-in belongs to.
fn run_above(stand_in: u32) -> Option<Process> {
    lineage(stand_in).into_iter().find_map(|id| {
        let stat = Stat::read(id).filter(|it| it.name == RUN)?;
        let started = stat.started;
        Some(Process { id, started })
    })
}

/// Gives this process a name, which others see. Where the system has none, nothing happens.
pub fn be_called(name: &str) {
    let _ = fs::write("/proc/self/comm", name);
}

/// The name of a process, if the system says so.
pub fn name(process: u32) -> Option<String> {
    Some(Stat::read(process)?.name)
}

/// The file that a process runs, if the system says so.
pub fn program(process: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/exe")).ok()
}

/// Whether a process runs the same file as this one.
pub fn is_ours(process: u32) -> bool {
    let identity = |of: &str| {
        let file = fs::metadata(format!("/proc/{of}/exe")).ok()?;
        Some((file.dev(), file.ino()))
    };
    let own = identity("self");
    own.is_some() && own == identity(&process.to_string())
}

/// A process, the one that started it, and so on. Empty where the system does not say it.
pub fn lineage(process: u32) -> Vec<u32> {
    let next = |id: &u32| Some(Stat::read(*id)?.parent).filter(|parent| *parent > 0);
    let first = Stat::read(process).map(|_| process);
    let line = std::iter::successors(first, next);
    line.take(LONGEST_LINEAGE).collect()
}

/// This process, if the system says so.
pub fn this() -> Option<Process> {
    let id = std::process::id();
    let started = Stat::read(id)?.started;
    Some(Process { id, started })
}

/// Whether a process still runs.
pub fn runs(process: Process) -> bool {
    Stat::read(process.id).is_some_and(|stat| stat.started == process.started && stat.state != "Z")
}

/// What the system says about a process.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    state: String,
    parent: u32,
    started: u64,
}

impl Stat {
    fn read(process: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// The name is in parentheses and may itself contain some.
    fn parse(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once('(')?;
        let (name, rest) = rest.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Self {
            name: name.to_owned(),
            state: (*fields.first()?).to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_its_name() {
        let fields = "S 42 1 1 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987 1 1";
        for name in ["node", "a b", "x) S 1 (y"] {
            let stat = Stat::parse(&format!("7 ({name}) {fields}\n")).unwrap();
            assert_eq!(
                (stat.name.as_str(), stat.parent, stat.started),
                (name, 42, 987)
            );
        }
        for rubbish in ["", "7", "7 (x", "7 (x) S", "7 (x) S y"] {
            assert_eq!(Stat::parse(rubbish), None, "{rubbish}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_runs_and_has_a_parent() {
        let own = std::process::id();
        let stat = Stat::read(own).unwrap();
        let (id, started) = (own, stat.started);
        assert!(runs(Process { id, started }));
        assert!(!runs(Process {
            id,
            started: started + 1
        }));
        assert_eq!(lineage(own).get(..2), Some(&[own, stat.parent][..]));
        assert!(lineage(u32::MAX).is_empty());
        // It is no hook that somebody started, so that it reports for itself.
        assert_eq!(agent_of(own), this());
    }
}
