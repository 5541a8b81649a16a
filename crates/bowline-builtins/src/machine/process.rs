//! Which process an agent is, and whether it still runs. Only Linux says so; on other systems sessions end when their agents report it.

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
/// At most this many of them stand between a hook and its agent.
const MOST_SHELLS: usize = 6;
/// More processes than this above one have no meaning.
const LONGEST_LINEAGE: usize = 64;

/// The agent that started a process, if the system says so.
pub fn agent_of(hook: u32) -> Option<Process> {
    let mut parent = Stat::read(hook)?.parent;
    for _ in 0..MOST_SHELLS {
        let stat = Stat::read(parent)?;
        if !SHELLS.contains(&stat.name.as_str()) {
            return Some(Process {
                id: parent,
                started: stat.started,
            });
        }
        parent = stat.parent;
    }
    None
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
        Self::parse(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
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
    }
}
