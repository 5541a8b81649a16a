//! Shell text to program runs: through variables, wrappers, nested shells, pipes and encodings.
//!
//! The text is followed as a shell would run it, but nothing is run: what a word, a substitution or a pipe would
//! give is worked out where the text itself tells it, and is unknown where only running would tell. All work is
//! counted; when the count ends, the rest is reported as not understood.

mod bounds;
mod builtins;
mod call;
mod carriers;
mod conditions;
mod conventions;
mod copies;
mod decode;
mod each;
mod embedded;
mod emptying;
mod environment;
mod failing;
mod filters;
mod flow;
mod foreign;
mod git;
mod git_settings;
mod hidden;
pub(crate) mod known;
mod language;
mod mounts;
mod options;
mod parameter;
mod patched;
mod powershell;
mod reads;
mod redirect;
mod remote;
mod run;
mod scope;
mod shells;
mod spelling;
mod tools;
mod value;
mod windows;
mod words;
mod wrappers;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::invocation::{Invocation, Links, Reliance};
use crate::paths::World;
use crate::shell::Understanding;
use crate::shell::build::Checked;
use crate::shell::tree::Statement;

use call::ExpandedCommand;
pub(crate) use call::source_of;
pub(crate) use known::harmful;
pub use reads::Reads;
pub(crate) use reads::reads;
pub use scope::At;
pub(crate) use scope::NOWHERE;
use scope::Scope;
pub(crate) use shells::is_shell;
use value::Output;
pub(crate) use value::UNKNOWN;
pub(crate) use wrappers::privileged;
pub(crate) use wrappers::{Carrier, carrier};

/// Steps for one text: words, statements, copies of scopes.
const MAX_STEPS: usize = 24_000;

/// Bytes of shell text that are read for one text, nested ones included.
const MAX_BYTES: usize = 160 * 1024;

/// Words, operators and quotes that are read for one text, nested ones included.
const MAX_WORDS: usize = 14_000;

/// Texts within texts, wrappers within wrappers, functions within functions.
const MAX_NESTING: usize = 16;

const MAX_INVOCATIONS: usize = 200;

/// Programs, arguments and files that are judged for one text.
const MAX_JUDGED: usize = 1_024;

const MAX_PROBLEMS: usize = 16;

/// Scripts that are run and remembered.
const MAX_SCRIPTS: usize = 16;

/// What a shell text would run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interpretation {
    /// The programs, in the order in which they would run, as far as there is one.
    pub invocations: Vec<Invocation>,
    /// How far the text was understood.
    pub understanding: Understanding,
    /// What the text does that is no program's doing.
    pub hazards: Vec<Hazard>,
    /// How much work it was: words, statements, copies of scopes, and every 64 bytes that were read. Bounded, whatever the text.
    pub steps: usize,
    /// Whether the text was followed to its end.
    pub reach: Reach,
    /// Which of the programs need not have run when a later one does.
    pub reliance: Reliance,
    /// The files that are run and that the text has not written itself.
    pub scripts: Vec<ScriptRun>,
}

/// A file that is run: by a shell, by an interpreter, or by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptRun {
    /// The index of the program that runs it.
    pub run: usize,
    /// Its absolute path.
    pub path: String,
}

/// How far a text was followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// To its end.
    Whole,
    /// Until a limit was reached: what comes after it is unknown.
    CutShort,
}

/// Something that a text does by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hazard {
    /// A function that starts itself more than once, or again in the background: the machine stops.
    Multiplies,
}

/// Works out what a shell text would run. Never panics; its work is bounded by the size of the text.
pub fn interpret(text: &str, world: &dyn World) -> Interpretation {
    let mut interpreter = Interpreter::new(world);
    let mut scope = Scope::new(world);
    interpreter.text(&without_marks(text), &mut scope, None, Checked::No);
    interpreter.finish()
}

/// Works out what a run does by the text of the script that it runs. Bounded as [`interpret`].
pub(crate) fn interpret_script(
    run: &Invocation,
    path: &str,
    text: &str,
    world: &dyn World,
) -> Interpretation {
    let mut interpreter = Interpreter::new(world);
    let mut scope = Scope::new(world);
    scope.directory = run.directory.clone();
    scope.through.clone_from(&run.through);
    let script = Output::text(without_marks(text));
    interpreter.files.insert(path.to_owned(), Rc::new(script));
    let call = ExpandedCommand::again(run, &scope);
    interpreter.call(call, &mut scope);
    interpreter.finish()
}

/// The sign for what is not known must not come from outside.
fn without_marks(text: &str) -> Cow<'_, str> {
    if text.contains(value::UNKNOWN) {
        Cow::Owned(text.replace(value::UNKNOWN, "..."))
    } else {
        Cow::Borrowed(text)
    }
}

/// Works out what a PowerShell text would run, cmdlets as the programs that do the same. Bounded as [`interpret`].
pub fn interpret_powershell(text: &str, world: &dyn World) -> Interpretation {
    let mut interpreter = Interpreter::new(world);
    let mut scope = Scope::new(world);
    interpreter.powershell(&without_marks(text), &mut scope, &None);
    interpreter.finish()
}

pub(in crate::interpret) struct Interpreter<'w> {
    world: &'w dyn World,
    steps_left: usize,
    /// What was paid for, and what was read.
    steps: usize,
    reach: Reach,
    bytes: usize,
    words_left: usize,
    judged_left: usize,
    /// What may still be made or copied, in bytes of text.
    texts_left: usize,
    nesting: usize,
    /// The functions and aliases that are being followed; an alias has no body.
    calls: Vec<(String, Option<Rc<Statement>>)>,
    /// How many statements around have `2>&1`.
    errors_joined: usize,
    /// What the text itself has written to files, by absolute path.
    files: BTreeMap<String, Rc<Output>>,
    /// The symbolic links that the text itself has made.
    links: Links,
    /// Programs that the text has given another name, by absolute path.
    copies: BTreeMap<String, String>,
    /// What is run when the text ends, with what was known when that was said.
    traps: Vec<(String, Scope)>,
    invocations: Vec<Invocation>,
    reliance: Reliance,
    scripts: Vec<ScriptRun>,
    problems: Vec<String>,
    failure: Option<String>,
    hazards: Vec<Hazard>,
}

impl<'w> Interpreter<'w> {
    fn new(world: &'w dyn World) -> Self {
        Self {
            world,
            steps_left: MAX_STEPS,
            steps: 0,
            reach: Reach::Whole,
            bytes: MAX_BYTES,
            words_left: MAX_WORDS,
            judged_left: MAX_JUDGED,
            texts_left: bounds::MAX_MADE,
            nesting: 0,
            calls: Vec::new(),
            errors_joined: 0,
            files: BTreeMap::new(),
            links: Links::default(),
            copies: BTreeMap::new(),
            traps: Vec::new(),
            invocations: Vec::new(),
            reliance: Reliance::default(),
            scripts: Vec::new(),
            problems: Vec::new(),
            failure: None,
            hazards: Vec::new(),
        }
    }

    /// Pays for steps; `false` when none are left.
    fn pay(&mut self, steps: usize) -> bool {
        if let Some(left) = self.steps_left.checked_sub(steps) {
            self.steps_left = left;
            self.steps += steps;
            true
        } else {
            self.cut_short("following all of it would take too many steps");
            false
        }
    }

    /// Notes that something comes which is not followed.
    fn cut_short(&mut self, why: &str) {
        self.reach = Reach::CutShort;
        self.problem(why);
    }

    /// Goes one level deeper; `false` when it is too deep. Every success needs a [`Self::leave`].
    fn enter(&mut self) -> bool {
        if self.nesting >= MAX_NESTING {
            self.problem("commands are nested too deep to follow");
            return false;
        }
        self.nesting += 1;
        true
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    fn problem(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn add_hazard(&mut self, hazard: Hazard) {
        if !self.hazards.contains(&hazard) {
            self.hazards.push(hazard);
        }
    }

    fn emit(&mut self, invocation: Invocation) {
        if self.repeats(&invocation) && !counts(&invocation) {
            return;
        }
        // Each reading of the links is judged, and what is there without them.
        let times = 1 + invocation.links.readings();
        let words = times * (1 + invocation.args.len() + invocation.opened.len());
        match self.judged_left.checked_sub(words) {
            Some(left) if self.invocations.len() < MAX_INVOCATIONS => {
                self.judged_left = left;
                self.learn_links(&invocation);
                self.invocations.push(invocation);
            }
            _ => {
                self.cut_short("more programs are run than can be judged");
                // None of the rest would be judged.
                self.steps_left = 0;
            }
        }
    }

    /// Notes that the last run is one of a file, if nobody knows here what is in it.
    fn runs_script(&mut self, path: Option<String>) {
        if self.scripts.len() < MAX_SCRIPTS
            && let Some(path) = path
            && let Some(run) = self.invocations.len().checked_sub(1)
        {
            self.scripts.push(ScriptRun { run, path });
        }
    }

    /// Whether the last two runs were the same as this one. Once is kept: each may be read by another.
    fn repeats(&self, invocation: &Invocation) -> bool {
        let mut last = self.invocations.iter().rev().take(2);
        last.len() == 2 && last.all(|it| it == invocation)
    }

    fn learn_links(&mut self, invocation: &Invocation) {
        for reading in 0..invocation.links.readings().max(1) {
            let here = At::run(invocation, reading, self.world);
            if self.links.learn(invocation, &here).is_err() {
                self.cut_short("more links are made than are followed");
            }
        }
    }

    fn finish(self) -> Interpretation {
        Interpretation {
            invocations: self.invocations,
            understanding: match (self.failure, self.problems) {
                (Some(reason), _) => Understanding::Failed { reason },
                (None, problems) if problems.is_empty() => Understanding::Clean,
                (None, problems) => Understanding::Partial { problems },
            },
            hazards: self.hazards,
            steps: self.steps,
            reach: self.reach,
            reliance: self.reliance,
            scripts: self.scripts,
        }
    }
}

/// Whether it matters how often a program is run: the second `git stash drop` drops another stash.
fn counts(invocation: &Invocation) -> bool {
    invocation.program.as_deref() == Some("git")
        && invocation.args.iter().any(|it| it.text() == Some("stash"))
}

#[cfg(test)]
mod tests;
