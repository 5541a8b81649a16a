//! What must hold for every input.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use bowline_guard::effect::Gravity;
use bowline_guard::judge::{Judgement, judge, judge_powershell};
use bowline_guard::paths::{self, StaticWorld};
use bowline_guard::policy::GuardPolicy;
use bowline_guard::sensitive::{Access, classify};
use bowline_guard::shell::{self, Understanding};
use bowline_guard::tool_call::judge_whole_command;
use bowline_guard::{lookalikes, secrets};

use crate::inputs::{Numbers, quoted, simple_line};
use crate::limits::MOST_BYTES;

/// More than any text may take: what is followed is counted, and what is read is bounded, too.
const MAX_STEPS: usize = 60_000;

/// Every so many inputs meet the wrappers, and the splitter.
const WRAPPED: u64 = 4;
const SPLIT: u64 = 16;

/// A property that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) what: &'static str,
    pub(crate) input: String,
    pub(crate) details: String,
}

/// Tries one input.
pub(crate) fn check(number: u64, input: &str, numbers: &mut Numbers) -> Option<Finding> {
    let finding = |what, details| {
        Some(Finding {
            what,
            input: input.to_owned(),
            details,
        })
    };
    let mut judged = None;
    let memory = allocation_counter::measure(|| judged = all_of_it(input));
    let Some(judgement) = judged else {
        let shortest = minimised(input, |text| all_of_it(text).is_none());
        return finding("panics", format!("shortest: {shortest:?}"));
    };
    if judgement.steps > MAX_STEPS {
        return finding("takes too many steps", judgement.steps.to_string());
    }
    if memory.bytes_max > MOST_BYTES {
        return finding("takes too much memory", memory.bytes_max.to_string());
    }
    if number.is_multiple_of(WRAPPED)
        && let Some((wrapped, gravity)) = milder(input, &judgement)
        // What is no shell runs nothing, wherever it stands.
        && !bash_rejects(input)
    {
        let was = judgement.verdict.gravity;
        return finding(
            "is milder when wrapped",
            format!("{was:?}, but {gravity:?}: {wrapped:?}"),
        );
    }
    if number.is_multiple_of(SPLIT) {
        let (line, expected) = simple_line(numbers);
        let found = words(&line);
        if found != expected {
            return Some(Finding {
                what: "is split otherwise",
                input: line,
                details: format!("expected {expected:?}, found {found:?}"),
            });
        }
    }
    None
}

fn judgement(input: &str) -> Judgement {
    judge(input, &StaticWorld::new("/home/dev/project", "/home/dev"))
}

/// Everything that judges text; `None` when something panics.
fn all_of_it(input: &str) -> Option<Judgement> {
    let all = || {
        let world = StaticWorld::new("/home/dev/project", "/home/dev");
        let judgement = judgement(input);
        judge_powershell(input, &world);
        let policy = GuardPolicy::default();
        judge_whole_command(input, &judgement, &world, &policy);
        secrets::redact(input);
        lookalikes::find(input);
        lookalikes::escape(input);
        for (word, access) in input.split_whitespace().zip([
            Access::Read,
            Access::Search,
            Access::Glob,
            Access::Write,
        ]) {
            classify(&paths::resolve(word, &world), access, &world);
        }
        judgement
    };
    catch_unwind(AssertUnwindSafe(all)).ok()
}

/// The input with as much taken out as can be while it still fails.
fn minimised(input: &str, fails: impl Fn(&str) -> bool) -> String {
    let mut text: Vec<char> = input.chars().collect();
    let mut size = text.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < text.len() {
            let mut shorter = text.clone();
            shorter.drain(at..(at + size).min(text.len()));
            if fails(&shorter.iter().collect::<String>()) {
                text = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    text.into_iter().collect()
}

/// A wrapper that makes the verdict milder.
fn milder(input: &str, judgement: &Judgement) -> Option<(String, Gravity)> {
    let applies = judgement.understanding == Understanding::Clean
        && judgement.verdict.gravity > Gravity::Harmless
        // A nested shell has other arguments, and its own end.
        && !input.contains(['$', '\0'])
        && !input.trim_start().starts_with('#')
        // It would take in the end of the line that the wrapper adds.
        && !input.ends_with('\\')
        && !input.trim().is_empty();
    let wrapped = [
        format!("bash -c {}", quoted(input)),
        format!("eval {}", quoted(input)),
        format!("(\n{input}\n)"),
        format!("{{\n{input}\n}}"),
        format!("true && {}", input.trim_start()),
    ];
    wrapped
        .into_iter()
        .filter(|_| applies)
        .map(|it| {
            let wrapped = self::judgement(&it);
            (it, wrapped)
        })
        .find(|(_, wrapped)| {
            // What is not understood any more is asked about, at least.
            let enough = match wrapped.understanding {
                Understanding::Clean => judgement.verdict.gravity,
                _ => Gravity::Doubtful,
            };
            wrapped.verdict.gravity < enough
        })
        .map(|(it, wrapped)| (it, wrapped.verdict.gravity))
}

fn words(line: &str) -> Vec<Vec<String>> {
    shell::parse(line)
        .commands
        .into_iter()
        .map(|command| {
            command
                .words
                .into_iter()
                .map(|word| word.literal.unwrap_or(word.source))
                .collect()
        })
        .collect()
}

/// Whether bash finds the syntax wrong. `-n` reads and runs nothing.
fn bash_rejects(input: &str) -> bool {
    Command::new("bash")
        .args(["--norc", "-n", "-c", input])
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.code() == Some(2))
}
