//! The processes that a hook's process has started, so that all of them can be ended together.
//!
//! The process group covers nearly everything. On Linux, what left the group (`setsid`, daemons that forked
//! twice) is found too: by its parents, and by a mark that every process of the run inherits, in its environment and, for those that
//! clear that, in a limit.

use std::hash::{BuildHasher, RandomState};
use std::io;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::process::{Child, Command};

/// The variable that carries the mark.
const VARIABLE: &str = "BOWLINE_HOOK_RUN";

/// How long a process may take to clean up once it is asked to exit. The client gives 1.5 s, and waits for them; nobody waits
/// so long here for a hook that is over its time.
const GRACE: Duration = Duration::from_millis(300);
const PAUSE: Duration = Duration::from_millis(5);

/// Processes may be born while others are being stopped: each round looks for those of the round before. A
/// fork bomb must not hold us for ever.
const ROUNDS: usize = 16;

/// A process of the run: its id alone may be another's later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pid: Pid,
    started: u64,
}

/// One run's processes.
#[derive(Debug)]
pub(super) struct Lineage {
    mark: u64,
}

impl Lineage {
    /// Starts a command with a mark of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
        // Every `RandomState` has keys of its own. The largest number of all would be no limit.
        let mark = RandomState::new().hash_one(VARIABLE) >> 1;
        command.env(VARIABLE, format!("{mark:016x}"));
        #[cfg(target_os = "linux")]
        let child = linux::limited(mark, || command.spawn())?;
        #[cfg(not(target_os = "linux"))]
        let child = command.spawn()?;
        Ok((child, Self { mark }))
    }

    /// Asks the leader's group and everything else that it has started to end, and gives them a moment to put things in order.
    /// Blocks for that long at most.
    ///
    /// A process whose parent exits meanwhile may not be found again, so the known processes are signalled now.
    pub(super) fn ask_to_end(&self, leader: Pid) -> Vec<Member> {
        // All are signalled before the first continues, for the same reason as below.
        let known = self.stop(leader, &[]);
        for signal in [Signal::TERM, Signal::CONT] {
            let _ = kill_process_group(leader, signal);
            for member in &known {
                let _ = kill_process(member.pid, signal);
            }
        }
        let asked = Instant::now();
        while asked.elapsed() < GRACE && self.may_live(leader, &known) {
            std::thread::sleep(PAUSE);
        }
        known
    }

    #[cfg(target_os = "linux")]
    fn may_live(&self, leader: Pid, known: &[Member]) -> bool {
        !self.members(leader, known).is_empty()
    }

    /// If that is unknown, they get the whole time.
    #[cfg(not(target_os = "linux"))]
    fn may_live(&self, _leader: Pid, _known: &[Member]) -> bool {
        true
    }

    /// Ends the leader's group and everything else that it has started. The leader must not have been reaped
    /// yet: its id could be another process's by then.
    ///
    /// All of them are stopped before the first is ended. Otherwise a shell that outlives its child by a moment
    /// would take its end for an answer and go on to the next command.
    pub(super) fn end(&self, leader: Pid, known: &[Member]) {
        let members = self.stop(leader, known);
        // Errors mean that a process is gone already, or is not ours to end (setuid programs).
        let _ = kill_process_group(leader, Signal::KILL);
        for member in members {
            let _ = kill_process(member.pid, Signal::KILL);
        }
    }

    fn stop(&self, leader: Pid, known: &[Member]) -> Vec<Member> {
        let mut stopped = Vec::new();
        for _ in 0..ROUNDS {
            let _ = kill_process_group(leader, Signal::STOP);
            let mut fresh = self.members(leader, known);
            fresh.retain(|member| !stopped.contains(member));
            if fresh.is_empty() {
                break;
            }
            for member in &fresh {
                let _ = kill_process(member.pid, Signal::STOP);
            }
            stopped.extend(fresh);
        }
        stopped
    }

    /// Every living process of the run that the system lets us see, those known before included; parents before children.
    #[cfg(target_os = "linux")]
    fn members(&self, leader: Pid, known: &[Member]) -> Vec<Member> {
        linux::members(leader, self.mark, known)
    }

    /// Other systems have no such view: the group is all that we know.
    #[cfg(not(target_os = "linux"))]
    fn members(&self, leader: Pid, known: &[Member]) -> Vec<Member> {
        let _ = (leader, known, &self.mark);
        Vec::new()
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs;
    use std::sync::{Mutex, PoisonError};

    use rustix::process::{Pid, Resource, Rlimit, getpid, getrlimit, setrlimit};

    use super::{Member, VARIABLE};

    /// The system has kept this limit for decades, hands it on to children, and limits nothing by it.
    const CARRIER: Resource = Resource::Locks;
    const CARRIER_NAME: &str = "Max file locks";

    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Stat {
        pub(super) pid: i32,
        pub(super) state: char,
        pub(super) parent: i32,
        pub(super) group: i32,
        pub(super) started: u64,
    }

    /// One at a time: a limit is the whole process's.
    static TURN: Mutex<()> = Mutex::new(());

    /// Does this while the mark is in our own limit, from which children inherit it. Later would be too late for what a child starts at once.
    pub(super) fn limited<T>(mark: u64, start: impl FnOnce() -> T) -> T {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let own = getrlimit(CARRIER);
        let marked = Rlimit {
            current: Some(mark),
            ..own
        };
        // Where that is not allowed there is one mark less.
        let _ = setrlimit(CARRIER, marked);
        let started = start();
        let _ = setrlimit(CARRIER, own);
        started
    }

    pub(super) fn members(leader: Pid, mark: u64, known: &[Member]) -> Vec<Member> {
        let variable = format!("{VARIABLE}={mark:016x}");
        let leader = leader.as_raw_nonzero().get();
        let Some(oldest) = stat(leader).map(|stat| stat.started) else {
            return Vec::new();
        };
        // A descendant is never older than its ancestor: this leaves a handful of candidates.
        let mut candidates: Vec<Stat> = all()
            .filter(|stat| stat.started >= oldest && !matches!(stat.state, 'Z' | 'X'))
            .collect();

        // Parents before children; only a wrap of the ids within one clock tick would confuse this.
        candidates.sort_unstable_by_key(|stat| (stat.started, stat.pid));

        let is_known = |stat: &Stat| {
            let is_it = |member: &Member| {
                member.started == stat.started && member.pid.as_raw_nonzero().get() == stat.pid
            };
            known.iter().any(is_it)
        };
        let others = others(&candidates, leader);
        let mut members: HashSet<i32> = candidates
            .iter()
            .filter(|stat| {
                stat.pid == leader
                    || stat.group == leader
                    || is_known(stat)
                    || carries(stat.pid, variable.as_bytes())
                    || (!others.contains(&stat.pid) && is_limited(stat.pid, mark))
            })
            .map(|stat| stat.pid)
            .collect();
        candidates.retain(|stat| {
            let related = members.contains(&stat.pid) || members.contains(&stat.parent);
            if related {
                members.insert(stat.pid);
            }
            related
        });
        candidates
            .into_iter()
            .filter_map(|stat| {
                let pid = Pid::from_raw(stat.pid)?;
                let started = stat.started;
                Some(Member { pid, started })
            })
            .collect()
    }

    /// What this process has started beside the leader: if that was just then, it has the mark in its limit as well.
    fn others(candidates: &[Stat], leader: i32) -> HashSet<i32> {
        let own = getpid().as_raw_nonzero().get();
        let mut others = HashSet::new();
        for stat in candidates.iter().filter(|stat| stat.pid != leader) {
            if stat.parent == own || others.contains(&stat.parent) {
                others.insert(stat.pid);
            }
        }
        others
    }

    fn all() -> impl Iterator<Item = Stat> {
        fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| stat(entry.ok()?.file_name().to_str()?.parse().ok()?))
    }

    fn stat(pid: i32) -> Option<Stat> {
        // The program's name in it may be any bytes.
        let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
        parse(pid, &String::from_utf8_lossy(&text))
    }

    /// Reads `pid (name) state parent group …`; the name may itself contain blanks and brackets.
    pub(super) fn parse(pid: i32, text: &str) -> Option<Stat> {
        let (_, rest) = text.rsplit_once(')')?;
        let mut fields = rest.split_ascii_whitespace();
        Some(Stat {
            pid,
            state: fields.next()?.chars().next()?,
            parent: fields.next()?.parse().ok()?,
            group: fields.next()?.parse().ok()?,
            started: fields.nth(16)?.parse().ok()?,
        })
    }

    /// Whether the process was given the mark. Those of other users cannot be read, and are not ours.
    fn carries(pid: i32, mark: &[u8]) -> bool {
        fs::read(format!("/proc/{pid}/environ")).is_ok_and(|environment| {
            environment
                .split(|byte| *byte == 0)
                .any(|entry| entry == mark)
        })
    }

    /// Whether the process has inherited the mark in its limit.
    fn is_limited(pid: i32, mark: u64) -> bool {
        fs::read_to_string(format!("/proc/{pid}/limits"))
            .is_ok_and(|limits| soft(&limits) == Some(mark))
    }

    /// Reads `Max file locks  SOFT  HARD  locks`, a line of many.
    pub(super) fn soft(limits: &str) -> Option<u64> {
        let line = limits
            .lines()
            .find_map(|line| line.strip_prefix(CARRIER_NAME))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::{Stat, parse, soft};

    #[test]
    fn stat_lines() {
        let tail = "S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 99 100";
        for name in ["sh", "a b", "x) R 1 1 (", "\u{FFFD}"] {
            assert_eq!(
                parse(5, &format!("5 ({name}) {tail}\n")),
                Some(Stat {
                    pid: 5,
                    state: 'S',
                    parent: 7,
                    group: 8,
                    started: 4711,
                }),
                "{name}"
            );
        }
        for broken in ["", "5 (sh", "5 (sh) S", "5 (sh) S x y z", "5 (sh) S 1 2 3"] {
            assert_eq!(parse(5, broken), None, "{broken:?}");
        }
    }

    #[test]
    fn lines_of_limits() {
        for (line, expected) in [
            (
                "Max file locks            4711                 unlimited            locks",
                Some(4711),
            ),
            (
                "Max file locks            unlimited            unlimited            locks",
                None,
            ),
            (
                "Max file size             4711                 unlimited            bytes",
                None,
            ),
        ] {
            let text = format!(
                "Limit    Soft Limit    Hard Limit    Units\n{line}\nMax nice priority   0   0\n"
            );
            assert_eq!(soft(&text), expected, "{line}");
        }
    }
}
