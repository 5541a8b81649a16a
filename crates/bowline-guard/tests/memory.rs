//! Judging and redacting are bounded in memory and in counted steps, whatever the text.

#![expect(
    clippy::print_stdout,
    reason = "the most that was taken is worth knowing"
)]

#[path = "long/growing.rs"]
mod growing;
mod long;
#[path = "long/secrets.rs"]
mod secrets;

use allocation_counter::measure;
use bowline_guard::judge::{Judgement, judge, judge_powershell};
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::secrets::redact;
use bowline_guard::tool_call::judge_whole_command;
use long::Kind;

/// As long as a text may be that is judged within the limits.
const SIZE: usize = 64 * 1024;

/// What a text of that size may have allocated at once, in bytes. The limit for users is 64 MB.
const MOST_BYTES: u64 = 24 * 1024 * 1024;

/// What a text of that size may take in counted steps.
const MOST_STEPS: usize = 30_000;

fn world() -> StaticWorld {
    StaticWorld::new("/home/dev/project", "/home/dev")
}

/// The kinds that exceed a limit, and the most that one of them took.
#[derive(Default)]
struct Taken {
    exceeding: Vec<String>,
    most_bytes: (u64, &'static str),
    most_steps: (usize, &'static str),
}

impl Taken {
    fn note(&mut self, name: &'static str, bytes: u64, steps: usize) {
        if bytes > MOST_BYTES || steps > MOST_STEPS {
            self.exceeding
                .push(format!("{name}: {bytes} bytes, {steps} steps"));
        }
        self.most_bytes = self.most_bytes.max((bytes, name));
        self.most_steps = self.most_steps.max((steps, name));
    }

    fn check(self) {
        println!("most: {:?}, {:?}", self.most_bytes, self.most_steps);
        assert!(self.exceeding.is_empty(), "{}", self.exceeding.join("\n"));
    }
}

fn all_shell() -> impl Iterator<Item = &'static Kind> {
    long::KINDS.iter().chain(growing::SHELL)
}

/// Judges a text, and tells the most bytes that were allocated at once.
fn measured(judged: impl FnOnce() -> Judgement) -> (u64, usize) {
    let mut steps = 0;
    let memory = measure(|| steps = judged().steps);
    (memory.bytes_max, steps)
}

#[test]
fn no_shell_text_takes_much() {
    let mut taken = Taken::default();
    for (name, make) in all_shell() {
        let text = make(SIZE);
        let (bytes, steps) = measured(|| {
            let (world, policy) = (world(), GuardPolicy::default());
            let judgement = judge(&text, &world);
            judge_whole_command(&text, &judgement, &world, &policy);
            judgement
        });
        taken.note(name, bytes, steps);
    }
    taken.check();
}

#[test]
fn no_powershell_text_takes_much() {
    let mut taken = Taken::default();
    for (name, make) in growing::POWERSHELL.iter().chain(all_shell()) {
        let text = make(SIZE);
        let (bytes, steps) = measured(|| judge_powershell(&text, &world()));
        taken.note(name, bytes, steps);
    }
    taken.check();
}

#[test]
fn no_text_takes_much_to_redact() {
    let mut taken = Taken::default();
    let texts = all_shell().map(|(name, make)| (*name, make(SIZE)));
    let secrets = secrets::HOSTILE
        .iter()
        .map(|unit| (*unit, unit.repeat(SIZE / unit.len())));
    for (name, text) in texts.chain(secrets) {
        let memory = measure(|| drop(redact(&text)));
        taken.note(name, memory.bytes_max, 0);
    }
    taken.check();
}
