//! What is shown of a judgement: without secrets, and as one document for programs.

use std::borrow::Cow;

use bowline::settings::GuardMode;
use bowline_guard::Strictness;
use bowline_guard::effect::Category;
use bowline_guard::invocation::{
    Arg, Directory, Invocation, Opening, Stdin, Through, Value as Known,
};
use bowline_guard::judge::Judgement;
use bowline_guard::lookalikes::escape;
use bowline_guard::policy::Counted;
use bowline_guard::secrets::{redact, scan};
use bowline_guard::shell::Understanding;
use bowline_guard::tool_call::Verdict;
use serde::Serialize;
use serde_json::{Map, Value};

use super::hooks::{AfterTheGuards, OwnHook};
use super::own::OwnRule;

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Report {
    pub(super) tool: String,
    /// The command, or the input of another tool as JSON.
    pub(super) input: String,
    pub(in crate::commands) verdict: ShownVerdict,
    /// The session that it was judged for; absent if none.
    pub(super) session: Option<String>,
    /// What becomes of the verdict.
    pub(super) mode: GuardMode,
    /// How far a command was understood; absent for other tools.
    pub(super) understanding: Option<Understood>,
    pub(super) programs: Vec<Program>,
    /// Effects of the text itself, not of a program.
    pub(super) effects: Vec<EffectView>,
    /// What the person's own rules say; the strictest word counts, theirs or the guard's.
    pub(super) own_rules: Vec<OwnRule>,
    /// Bowline's own hooks for the call, and why some do not run.
    pub(super) hooks: Vec<OwnHook>,
    /// What comes of all of it: `allow`, `ask` or `deny`.
    pub(super) outcome: &'static str,
    #[serde(skip)]
    decision: Strictness,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct ShownVerdict {
    pub(in crate::commands) decision: &'static str,
    pub(in crate::commands) rule: Option<String>,
    pub(super) category: Option<&'static str>,
    pub(super) reason: Option<String>,
    pub(super) instead: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Understood {
    /// `clean`, `partial` or `failed`.
    pub(super) state: &'static str,
    pub(super) problems: Vec<String>,
}

/// One program that would run.
#[derive(Debug, Serialize)]
pub(super) struct Program {
    /// Absent when it cannot be known.
    pub(super) name: Option<String>,
    pub(super) args: Vec<ArgView>,
    /// Through what it is run, outermost first.
    pub(super) through: Vec<String>,
    /// Absent when it cannot be known.
    pub(super) directory: Option<String>,
    /// Whether that is another place than where the command starts.
    pub(super) moved: bool,
    pub(super) stdin: Option<String>,
    /// The files that the shell opens for it.
    pub(super) files: Vec<FileView>,
    /// The names of the variables that are set only for it.
    pub(super) variables: Vec<String>,
    pub(super) effects: Vec<EffectView>,
}

#[derive(Debug, Serialize)]
pub(super) struct ArgView {
    /// As written.
    pub(super) source: String,
    /// What is known about it; absent if nothing is.
    pub(super) value: Option<String>,
    /// `exact`, `pattern`, `partly` or `unknown`.
    pub(super) known: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct FileView {
    pub(super) how: &'static str,
    pub(super) file: String,
}

#[derive(Debug, Serialize)]
pub(super) struct EffectView {
    pub(super) decision: &'static str,
    /// What it would be without the settings, where that differs.
    pub(super) without_settings: Option<&'static str>,
    pub(super) category: &'static str,
    pub(super) rule: &'static str,
    pub(super) what: String,
    /// What the decision rests on beside the text: what would be lost, or why nothing would.
    pub(super) because: Option<String>,
    pub(super) instead: Option<String>,
    #[serde(skip)]
    pub(super) style: anstyle::Style,
}

impl Report {
    pub(super) fn of_command(
        tool: &str,
        command: &str,
        cwd: &str,
        judgement: &Judgement,
        counted: &[Counted<'_>],
        verdict: Verdict,
        mode: GuardMode,
    ) -> Self {
        let mut programs: Vec<Program> = judgement
            .invocations
            .iter()
            .map(|invocation| Program::new(invocation, cwd))
            .collect();
        let mut effects = Vec::new();
        for counted in counted {
            let program = counted.run.and_then(|run| programs.get_mut(run));
            program
                .map_or(&mut effects, |program| &mut program.effects)
                .push(EffectView::from(counted));
        }
        Self {
            tool: presentable(tool),
            input: presentable(command),
            decision: verdict.decision,
            own_rules: Vec::new(),
            hooks: Vec::new(),
            outcome: verdict.decision.name(),
            verdict: verdict.into(),
            session: None,
            understanding: Some(Understood::from(&judgement.understanding)),
            programs,
            effects,
            mode,
        }
    }

    pub(super) fn of_call(
        tool: &str,
        input: &Map<String, Value>,
        verdict: Verdict,
        mode: GuardMode,
    ) -> Self {
        Self {
            tool: presentable(tool),
            input: presentable(&Value::Object(input.clone()).to_string()),
            decision: verdict.decision,
            own_rules: Vec::new(),
            hooks: Vec::new(),
            outcome: verdict.decision.name(),
            verdict: verdict.into(),
            session: None,
            understanding: None,
            programs: Vec::new(),
            effects: Vec::new(),
            mode,
        }
    }

    /// What comes of the guard's verdict and of the person's own rules.
    pub(in crate::commands) fn decision(&self) -> Strictness {
        self.decision
    }

    /// Whether the call goes on after rules and guards.
    pub(super) fn after_the_guards(&self) -> AfterTheGuards {
        let by_rule = (self.own_rules.iter()).any(|it| it.strictness == Strictness::Deny);
        let by_guard =
            self.verdict.strictness() == Strictness::Deny && self.mode != GuardMode::Observe;
        if by_rule || by_guard {
            AfterTheGuards::Denied
        } else {
            AfterTheGuards::GoesOn
        }
    }

    pub(super) fn add_rules(&mut self, rules: Vec<OwnRule>) {
        let strictest = rules.iter().map(|it| it.strictness).max();
        self.decision = strictest.map_or(self.decision, |it| it.max(self.decision));
        self.outcome = self.decision.name();
        self.own_rules = rules;
    }
}

impl ShownVerdict {
    /// The guard's own word.
    pub(super) fn strictness(&self) -> Strictness {
        match self.decision {
            "deny" => Strictness::Deny,
            "ask" => Strictness::Ask,
            _ => Strictness::Allow,
        }
    }
}

impl From<Verdict> for ShownVerdict {
    fn from(verdict: Verdict) -> Self {
        Self {
            decision: verdict.decision.name(),
            rule: verdict.rule,
            category: verdict.category.map(Category::name),
            reason: verdict.reason,
            instead: verdict.instead,
        }
    }
}

impl From<&Understanding> for Understood {
    fn from(understanding: &Understanding) -> Self {
        let (state, problems) = match understanding {
            Understanding::Clean => ("clean", Vec::new()),
            Understanding::Partial { problems } => ("partial", problems.clone()),
            Understanding::Failed { reason } => ("failed", vec![reason.clone()]),
            _ => ("failed", Vec::new()),
        };
        Self {
            state,
            problems: problems.iter().map(|it| presentable(it)).collect(),
        }
    }
}

impl From<&Counted<'_>> for EffectView {
    fn from(counted: &Counted<'_>) -> Self {
        let Counted {
            effect, decision, ..
        } = counted;
        let by_itself = Strictness::from(effect.gravity);
        Self {
            decision: decision.name(),
            without_settings: (by_itself != *decision).then(|| by_itself.name()),
            category: effect.category.name(),
            rule: effect.rule,
            what: presentable(&effect.what),
            because: effect.because.as_deref().map(presentable),
            instead: effect.instead.as_deref().map(presentable),
            style: crate::commands::guard::style_of(*decision),
        }
    }
}

impl Program {
    fn new(invocation: &Invocation, cwd: &str) -> Self {
        let directory = match &invocation.directory {
            Directory::Known(directory) => Some(presentable(directory)),
            _ => None,
        };
        Self {
            name: invocation.program.as_deref().map(presentable),
            args: arguments(invocation),
            through: invocation.through.iter().map(through).collect(),
            moved: directory.as_deref() != Some(cwd),
            directory,
            stdin: stdin(&invocation.stdin),
            files: invocation
                .opened
                .iter()
                .map(|opened| FileView {
                    how: opening(opened.how),
                    file: presentable(&opened.file.source),
                })
                .collect(),
            variables: invocation
                .environment
                .iter()
                .map(|(name, _)| presentable(name))
                .collect(),
            effects: Vec::new(),
        }
    }

    /// The program with its arguments, on one line.
    pub(super) fn line(&self) -> String {
        let name = self.name.as_deref().unwrap_or("(unknown program)");
        std::iter::once(name)
            .chain(self.args.iter().map(|arg| arg.source.as_str()))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The arguments without secrets, including those that only an option reveals (`-u name:password`).
fn arguments(invocation: &Invocation) -> Vec<ArgView> {
    let mut line = invocation.program.clone().unwrap_or_default();
    let mut ranges = Vec::with_capacity(invocation.args.len());
    for arg in &invocation.args {
        line.push(' ');
        let start = line.len();
        line.push_str(&arg.source);
        ranges.push(start..line.len());
    }
    let secrets = scan(&line);
    let args = invocation.args.iter().zip(ranges);
    args.map(|(arg, range)| {
        let (known, value) = known(arg);
        let hidden = secrets
            .iter()
            .find(|found| found.span.start < range.end && range.start < found.span.end)
            .map(|found| format!("[REDACTED:{}]", found.rule));
        ArgView {
            source: hidden.clone().unwrap_or_else(|| presentable(&arg.source)),
            value: hidden.or_else(|| value.map(presentable)),
            known,
        }
    })
    .collect()
}

fn known(arg: &Arg) -> (&'static str, Option<&str>) {
    match &arg.value {
        Known::Known(text) => ("exact", Some(text)),
        Known::Pattern(text) => ("pattern", Some(text)),
        Known::Partly(text) => ("partly", Some(text)),
        _ => ("unknown", None),
    }
}

fn through(through: &Through) -> String {
    match through {
        Through::Privilege => "as another user".to_owned(),
        Through::Remote(host) => format!("on {}", presentable(host)),
        Through::Container => "in a container".to_owned(),
        Through::NewContainer => "in a new container".to_owned(),
        Through::EachOf(items) => format!("for each of {}", presentable(items)),
        Through::Wrapper(name) => format!("through {}", presentable(name)),
        _ => "through something else".to_owned(),
    }
}

fn stdin(stdin: &Stdin) -> Option<String> {
    Some(match stdin {
        Stdin::None => return None,
        Stdin::Text(text) => format!("the text {:?}", first_line(&presentable(text))),
        Stdin::File(file) => presentable(&file.source),
        Stdin::Pipe(programs) => format!("the output of {}", presentable(&programs.join(" | "))),
        _ => "something else".to_owned(),
    })
}

fn first_line(text: &str) -> Cow<'_, str> {
    match text.split_once('\n') {
        Some((first, rest)) if !rest.is_empty() => Cow::Owned(format!("{first}…")),
        Some((first, _)) => Cow::Borrowed(first),
        None => Cow::Borrowed(text),
    }
}

fn opening(how: Opening) -> &'static str {
    match how {
        Opening::Overwrite => "overwrites",
        Opening::Append => "appends to",
        Opening::Read => "reads",
        _ => "opens",
    }
}

fn presentable(text: &str) -> String {
    escape(&redact(text))
}

#[cfg(test)]
mod tests {
    use bowline_guard::secrets::expand;

    use super::*;

    #[test]
    fn what_is_presented_holds_no_secret() {
        let token = expand("ghp_{a36}");
        assert!(!presentable(&token).contains(&token));
        let given = stdin(&Stdin::Text(format!("{token}\nmore"))).unwrap_or_default();
        assert!(!given.contains(&token), "{given}");
    }
}
