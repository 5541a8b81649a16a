//! Whether a rule applies to an event.

use bowline::hooks::{HookInput, Match, Matcher};
use bowline::settings::{MeantTool, RuleVerdict};
use bowline_guard::effect::Category;
use bowline_guard::paths::ResolvedPath;
use bowline_guard::pattern::{CommandPattern, PathPattern, RulePattern};
use bowline_guard::shell::Understanding;
use bowline_guard::tool_call::runs_a_shell;

use super::condition::{Condition, ConditionInput, Unsettled};
use super::subject::{ShellTools, Subject, Touched};
use super::{doubt, files, grant};

/// The conditions of a rule, compiled.
#[derive(Debug)]
pub(super) struct Conditions {
    pub(super) quantity: Quantity,
    pub(super) tools: Vec<Matcher>,
    /// Tools that may be meant as well: a rule that stops asks about them.
    pub(super) meant_tools: Vec<MeantTool>,
    pub(super) commands: Vec<CommandPattern>,
    pub(super) effects: Vec<RulePattern>,
    pub(super) paths: Vec<PathPattern>,
    pub(super) when: Option<Condition>,
    pub(super) doubt: Doubt,
    /// The problem of a condition that cannot be evaluated.
    pub(super) fault: Option<String>,
}

/// How much of an event a rule has to speak of. To stop a line, one bad part of it is enough; to allow it,
/// every part has to be meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Any,
    Every,
}

impl From<RuleVerdict> for Quantity {
    fn from(verdict: RuleVerdict) -> Self {
        match verdict {
            RuleVerdict::Allow => Self::Every,
            _ => Self::Any,
        }
    }
}

/// What a rule does if it is unknown whether it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Its conditions do not hold.
    IsNo,
    /// A person is asked.
    Asks,
}

impl From<RuleVerdict> for Doubt {
    fn from(verdict: RuleVerdict) -> Self {
        if verdict.tightens() {
            Self::Asks
        } else {
            Self::IsNo
        }
    }
}

/// Whether a rule applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Applies {
    Yes,
    /// It does not, and why.
    No(String),
    /// It is unknown, and why.
    Unknown(String),
}

impl Conditions {
    /// Whether the event's tool, or whatever else a matcher is compared with, is one of the rule's: all that can be
    /// told without looking into the call.
    pub(super) fn fits(&self, input: &HookInput) -> Match {
        let mut refused = None;
        for tool in &self.tools {
            match tool.matches(input) {
                Match::No(why) => refused = refused.or(Some(why)),
                _ => return Match::Yes,
            }
        }
        if let Some(why) = refused {
            return match self.doubtful_tool(input) {
                Some(_) => Match::Yes,
                None => Match::No(why),
            };
        }
        match input.tool_name() {
            Some(tool)
                if !self.commands.is_empty() && self.tools.is_empty() && !runs_a_shell(tool) =>
            {
                Match::No(format!("`command` is for shells, and {tool} is none"))
            }
            _ => Match::Yes,
        }
    }

    /// Why the event's tool is only perhaps one of the rule's.
    fn doubtful_tool(&self, input: &HookInput) -> Option<&str> {
        let fits = |tool: &Matcher| tool.matches(input) == Match::Yes;
        if self.doubt == Doubt::IsNo || self.tools.iter().any(fits) {
            return None;
        }
        let meant = self.meant_tools.iter().find(|it| fits(&it.matcher));
        meant.map(|it| it.why.as_str())
    }

    pub(super) fn shell_tools(&self) -> ShellTools {
        if self.tools.is_empty() {
            ShellTools::Known
        } else {
            ShellTools::Named
        }
    }

    /// Whether all conditions hold.
    pub(super) fn apply(&self, subject: &Subject<'_>) -> Applies {
        if let Match::No(why) = self.fits(subject.input) {
            return Applies::No(why);
        }
        let command = self.command(subject);
        if let Applies::No(_) = command {
            return command;
        }
        let refusal = self.refusal(subject);
        if subject.is_exhausted() && (refusal.is_some() || self.quantity == Quantity::Every) {
            return Applies::Unknown("it names more files than can be looked at".to_owned());
        }
        if let Some(why) = refusal {
            return match command {
                Applies::Unknown(_) => command,
                _ if self.may_be_overlooked(subject) => Applies::Unknown(
                    "the command is not understood as a whole; write it simpler".to_owned(),
                ),
                _ => Applies::No(why.to_owned()),
            };
        }
        let fault = self.fault.as_deref();
        if let Some(fault) = fault.or_else(|| self.doubtful_tool(subject.input)) {
            return Applies::Unknown(fault.to_owned());
        }
        match (self.when(subject), command) {
            (Applies::Yes, command) => command,
            (when, _) => when,
        }
    }

    /// The first condition on what is done that does not hold, for people.
    fn refusal(&self, subject: &Subject<'_>) -> Option<&'static str> {
        if self.quantity == Quantity::Every && self.looks_inside() && !is_plain(subject) {
            return Some("there is more in the command than plain programs and words");
        }
        if !self.effects.is_empty() && !self.effect_holds(subject) {
            return Some("nothing that it does matches `effect`");
        }
        if !self.paths.is_empty() && !self.path_holds(subject) {
            return Some("no file matches `path`");
        }
        None
    }

    /// Whether a file of the rule could be in the part of a command that is not understood.
    fn may_be_overlooked(&self, subject: &Subject<'_>) -> bool {
        let (Some(command), Some(judgement)) = (subject.command, subject.judgement()) else {
            return false;
        };
        let mut paths = self.paths.iter();
        self.doubt == Doubt::Asks
            && judgement.understanding != Understanding::Clean
            && paths.any(|path| !self.commands.is_empty() || doubt::mentions_path(command, path))
    }

    /// Whether a condition speaks of what a command does, not only of the call.
    fn looks_inside(&self) -> bool {
        !(self.commands.is_empty() && self.effects.is_empty() && self.paths.is_empty())
    }

    fn command(&self, subject: &Subject<'_>) -> Applies {
        if self.commands.is_empty() {
            return Applies::Yes;
        }
        let no = || Applies::No("no program run matches `command`".to_owned());
        let (Some(command), Some(judgement)) = (subject.command, subject.judgement()) else {
            return no();
        };
        let runs = subject.runs();
        let any = |meant: &dyn Fn(&CommandPattern) -> bool| self.commands.iter().any(meant);
        let holds = match self.quantity {
            Quantity::Any => runs.iter().any(|run| any(&|it| it.matches(run))),
            Quantity::Every => runs.iter().all(|run| any(&|it| it.covers(run))),
        };
        if holds {
            return Applies::Yes;
        }
        let could = || {
            let mut patterns = self.commands.iter();
            patterns.find_map(|it| doubt::could_run(it, command, judgement, runs))
        };
        match self.doubt {
            Doubt::Asks => could().map_or_else(no, Applies::Unknown),
            Doubt::IsNo => no(),
        }
    }

    fn effect_holds(&self, subject: &Subject<'_>) -> bool {
        let found = subject.found();
        let meant = |(category, rule): &(Category, String)| {
            self.effects
                .iter()
                .any(|pattern| pattern.matches(*category, rule))
        };
        let every = || !found.is_empty() && found.iter().all(meant);
        match (self.quantity, subject.judgement()) {
            (Quantity::Any, _) => found.iter().any(meant),
            (Quantity::Every, None) => every(),
            // What nothing is known of is not allowed beside what is meant.
            (Quantity::Every, Some(judgement)) => {
                let known = |run: usize| judgement.effects.iter().any(|(_, of)| *of == Some(run));
                every() && (0..judgement.invocations.len()).all(known)
            }
        }
    }

    fn path_holds(&self, subject: &Subject<'_>) -> bool {
        let meant = |touched: &Touched| match touched {
            Touched::Path(path) => self.names(path, subject),
            Touched::Unknown => false,
        };
        let Some(judgement) = subject.judgement() else {
            let named = files::named(subject.input, subject.world(), self.quantity);
            return match self.quantity {
                Quantity::Any => named.iter().any(meant),
                Quantity::Every => !named.is_empty() && named.iter().all(meant),
            };
        };
        let touched: Vec<Touched> = subject
            .runs()
            .iter()
            .flat_map(|run| {
                let pattern = self.commands.iter().find(|pattern| pattern.matches(run));
                let skip = pattern.map_or(0, |pattern| pattern.fixed_words().saturating_sub(1));
                subject.touched(run, skip)
            })
            .collect();
        match self.quantity {
            Quantity::Any => {
                let world = subject.world();
                let by_effect = judgement.effects.iter().any(|(effect, _)| {
                    effect
                        .paths
                        .iter()
                        .any(|path| self.paths.iter().any(|it| it.matches(path, world)))
                });
                by_effect || touched.iter().any(meant)
            }
            // An unknown program may do anything with the files that it is given.
            Quantity::Every => {
                let names_programs = !self.commands.is_empty() || !self.effects.is_empty();
                names_programs && !touched.is_empty() && touched.iter().all(meant)
            }
        }
    }

    /// Whether a path is one of the rule's: any of its spellings for a rule that stops, all for one that allows.
    fn names(&self, path: &ResolvedPath, subject: &Subject<'_>) -> bool {
        let world = subject.world();
        let named = |path: &str| self.paths.iter().any(|it| it.matches(path, world));
        match self.quantity {
            // Touching a folder touches what is in it.
            Quantity::Any => path
                .spellings()
                .any(|it| named(it) || named(&format!("{}/*", it.trim_end_matches('/')))),
            Quantity::Every => path.spellings().all(named),
        }
    }

    fn when(&self, subject: &Subject<'_>) -> Applies {
        let Some(when) = &self.when else {
            return Applies::Yes;
        };
        let effects = subject.effects();
        let project = subject.analyst.project();
        let facts = ConditionInput {
            input: subject.input,
            agent: subject.agent.as_deref(),
            command: subject.command,
            cwd: &subject.cwd,
            project: &project,
            effects: &effects,
        };
        match when.holds(&facts) {
            Ok(true) => Applies::Yes,
            Ok(false) => Applies::No("`when` is false".to_owned()),
            // To leave a field out must not be a way around a rule.
            Err(Unsettled::Missing(what)) if self.doubt == Doubt::Asks => Applies::Unknown(what),
            Err(Unsettled::Missing(what)) => Applies::No(format!("`when` is false: {what}")),
            Err(Unsettled::Failed(why)) => Applies::Unknown(why),
        }
    }
}

/// Whether all that an event would run is in plain sight.
fn is_plain(subject: &Subject<'_>) -> bool {
    match (subject.command, subject.judgement()) {
        (Some(command), Some(judgement)) => grant::is_plain_line(command, judgement),
        _ => true,
    }
}
