//! What it would take for the guards to say nothing about a call: the rules that speak, and the narrowest entry of the settings.
//!
//! Nothing is guessed. The call is judged again under what is tried, and only what leaves the guards without a word counts.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline_guard::Strictness;
use bowline_guard::effect::Category;
use bowline_guard::invocation::{Invocation, Stdin, Through, Value};
use bowline_guard::lookalikes;
use bowline_guard::pattern::{CommandPattern, PathPattern};
use bowline_guard::sensitive::{self, SensitivePolicy};
use bowline_guard::tool_call::{ToolCall, Verdict, runs_a_shell};
use serde::{Deserialize, Serialize};

use super::allowed::without;
use super::fields::text_in;
use super::{
    Allowed, CommandGuard, GuardedCall, Guards, LookAlikeGuard, Policy, SensitiveFileGuard,
    ToolGuard,
};

/// A list of the settings that lets something pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AllowKey {
    /// `commands` of `[guard.allow]`.
    #[serde(rename = "guard.allow.commands")]
    Commands,
    /// `allow` of `[guard.sensitive]`.
    #[serde(rename = "guard.sensitive.allow")]
    SensitiveFiles,
}

impl AllowKey {
    /// The names that lead to it.
    pub const fn path(self) -> [&'static str; 3] {
        match self {
            Self::Commands => ["guard", "allow", "commands"],
            Self::SensitiveFiles => ["guard", "sensitive", "allow"],
        }
    }
}

/// What is added to a list of the settings, so that the guards let a call pass from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AllowEntry {
    /// The list.
    pub key: AllowKey,
    /// The patterns, each of which means one thing.
    pub patterns: Vec<String>,
}

/// Why the guards cannot be silenced on a call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSilence {
    /// No rule of the guard asks.
    #[error(
        "no rule of the guard asks this, so that no entry can silence it: change the rule or the hook of your own that asks"
    )]
    NotTheGuard,
    /// Bowline itself is guarded.
    #[error("`{0}` guards Bowline itself, and is asked about every time")]
    Itself(String),
    /// Settings that stand above ask.
    #[error("stricter settings hold for this agent, whatever is allowed: `{0}` would ask again")]
    Stricter(String),
    /// An entry would let more pass than this call.
    #[error("no entry is narrow enough: {0}")]
    TooWide(&'static str),
}

/// The guards and a call, for trying settings out.
#[derive(Debug)]
pub(crate) struct Silence<'call> {
    guards: &'call Guards,
    ctx: &'call HookContext,
    /// What the call does, each with the policy that counts for it.
    parts: Vec<(Cow<'call, HookInput>, Policy)>,
}

impl<'call> Silence<'call> {
    pub(crate) fn on(
        guards: &'call Guards,
        input: &'call HookInput,
        ctx: &'call HookContext,
    ) -> Self {
        let allowed = Allowed::of_event(guards, input, ctx);
        let parts = input.parts().map(|part| {
            let policy = GuardedCall::new(guards, &part, ctx, &allowed).policy;
            let policy = Arc::unwrap_or_clone(policy);
            (part, policy)
        });
        let parts = parts.collect();
        Self { guards, ctx, parts }
    }

    /// The rules that have to be silent, so that the guards are.
    pub(crate) fn rules(&self) -> Result<Vec<String>, NoSilence> {
        let mut rules = Vec::new();
        while let Some(found) = self.verdict(&rules, None) {
            let rule = found.rule.unwrap_or_default();
            if found.category == Some(Category::OwnSettings) {
                return Err(NoSilence::Itself(rule));
            }
            if rules.contains(&rule) {
                return Err(NoSilence::Stricter(rule));
            }
            rules.push(rule);
        }
        if rules.is_empty() {
            return Err(NoSilence::NotTheGuard);
        }
        Ok(rules)
    }

    /// The narrowest entry of the settings under which the guards say nothing.
    pub(crate) fn entry(&self) -> Result<AllowEntry, NoSilence> {
        self.rules()?;
        let mut entry: Option<AllowEntry> = None;
        for (part, policy) in &self.parts {
            if self.verdict_on(part, policy.clone(), None).is_none() {
                continue;
            }
            let Some(of_part) = self.entry_of(part, policy)? else {
                continue;
            };
            match &mut entry {
                None => entry = Some(of_part),
                Some(entry) if entry.key == of_part.key => {
                    let new = of_part.patterns.into_iter();
                    let new = new.filter(|it| !entry.patterns.contains(it));
                    let new: Vec<_> = new.collect();
                    entry.patterns.extend(new);
                }
                Some(_) => return Err(NoSilence::TooWide(TWO_LISTS)),
            }
        }
        let entry = entry.ok_or(NoSilence::TooWide(NO_LIST))?;
        match self.verdict(&[], Some(&entry)) {
            None => Ok(entry),
            Some(_) => Err(NoSilence::TooWide(STILL_ASKED)),
        }
    }

    /// The narrowest entry for one part of the call, if one can be for it.
    fn entry_of(&self, part: &HookInput, policy: &Policy) -> Result<Option<AllowEntry>, NoSilence> {
        let call = self.call(part, policy.clone());
        let Some(judgement) = &call.judgement else {
            return self.sensitive_file(&call);
        };
        let counted = policy.guard.effects(judgement, &call.world);
        let asked = counted.iter().filter(|it| it.decision > Strictness::Allow);
        let runs = asked.map(|it| it.run.and_then(|run| judgement.invocations.get(run)));
        let mut patterns = Vec::new();
        for run in runs {
            let pattern = exact_pattern(run.ok_or(NoSilence::TooWide(NO_RUN))?)?;
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Ok((!patterns.is_empty()).then_some(AllowEntry {
            key: AllowKey::Commands,
            patterns,
        }))
    }

    /// The file that holds secrets by its name, and that a tool would touch.
    fn sensitive_file(&self, call: &GuardedCall<'_>) -> Result<Option<AllowEntry>, NoSilence> {
        let Some(found) = sensitive::judge_tool(call.tool, &call.fields.files, &call.world) else {
            return Ok(None);
        };
        let project = self.guards.analyst().project_folder();
        let patterns: Option<Vec<String>> = (found.paths.iter())
            .map(|path| exact_path(path, project))
            .collect();
        match patterns {
            Some(patterns) if !patterns.is_empty() => Ok(Some(AllowEntry {
                key: AllowKey::SensitiveFiles,
                patterns,
            })),
            _ => Err(NoSilence::TooWide(NO_ONE_FILE)),
        }
    }

    /// What the guards still say without the voices of these rules, and with an entry; `None` if they let the call pass.
    fn verdict(&self, silent: &[String], entry: Option<&AllowEntry>) -> Option<Verdict> {
        let mut sensitive = self.guards.analyst().sensitive().clone();
        let mut commands = Vec::new();
        if let Some(entry) = entry {
            for pattern in &entry.patterns {
                match entry.key {
                    AllowKey::Commands => commands.extend(CommandPattern::of_program(pattern)),
                    AllowKey::SensitiveFiles => {
                        sensitive.allow_paths.extend(PathPattern::parse(pattern));
                    }
                }
            }
        }
        let verdicts = self.parts.iter().filter_map(|(part, policy)| {
            let silence = |policy, rule: &String| without(policy, rule);
            let mut policy = silent.iter().fold(policy.clone(), silence);
            policy.guard.allow.commands.extend(commands.iter().cloned());
            self.verdict_on(part, policy, entry.is_some().then_some(&sensitive))
        });
        verdicts.reduce(Verdict::or_stricter)
    }

    /// What the guards say of a part; `None` if they let it pass.
    fn verdict_on(
        &self,
        part: &HookInput,
        policy: Policy,
        sensitive: Option<&SensitivePolicy>,
    ) -> Option<Verdict> {
        let mut call = self.call(part, policy);
        if let Some(sensitive) = sensitive {
            call.world = call.world.with_sensitive(sensitive);
        }
        let verdicts = [
            said::<CommandGuard>(&call),
            said::<SensitiveFileGuard>(&call),
            said::<LookAlikeGuard>(&call),
        ];
        let strictest = verdicts.into_iter().flatten().reduce(Verdict::or_stricter);
        strictest.filter(|it| it.decision > Strictness::Allow)
    }

    fn call<'part>(&'part self, part: &'part HookInput, policy: Policy) -> GuardedCall<'part> {
        let tool = part.tool_name().unwrap_or_default();
        let input = part.tool_input();
        let fields = ToolCall::from_fields(|name| text_in(|it| input?.get(it), name));
        let command = fields.command.filter(|_| runs_a_shell(tool));
        let analyst = self.guards.analyst();
        GuardedCall {
            tool,
            fields,
            world: analyst.world_of(part, self.ctx),
            policy: Arc::new(policy),
            command,
            judgement: command.map(|it| analyst.judge(it, part, self.ctx)),
        }
    }
}

const NO_RUN: &str = "the question is about the whole line, not about one program that it runs";
const NO_LIST: &str =
    "what is asked about is neither a program run nor a file that may hold secrets";
const TWO_LISTS: &str = "its parts would need entries in two lists";
const STILL_ASKED: &str = "an entry for exactly this call would not answer the question";
const NO_ONE_FILE: &str = "the files cannot be named one by one";
const NOT_ALONE: &str = "what the program does depends on what it reads or where it runs";
const NOT_LITERAL: &str =
    "a word of the command is not known before it runs, or stands for several";
const NOT_PLAIN: &str = "the command cannot be written word by word in a pattern";

fn said<G: ToolGuard>(call: &GuardedCall<'_>) -> Option<Verdict> {
    G::concerns(call.tool).then(|| G::judge(call).verdict)
}

/// A pattern that means this program run and no other.
fn exact_pattern(run: &Invocation) -> Result<String, NoSilence> {
    let is_as_written =
        |through: &Through| matches!(through, Through::Privilege | Through::Wrapper(_));
    if run.stdin != Stdin::None || !run.through.iter().all(is_as_written) {
        return Err(NoSilence::TooWide(NOT_ALONE));
    }
    let program = run.program_path.as_ref().or(run.program.as_ref());
    let mut words = vec![program.ok_or(NoSilence::TooWide(NOT_LITERAL))?.as_str()];
    for arg in &run.args {
        match &arg.value {
            Value::Known(text) => words.push(text),
            _ => return Err(NoSilence::TooWide(NOT_LITERAL)),
        }
    }
    if run.through.contains(&Through::Privilege) {
        words.insert(0, "sudo");
    }
    if !words.iter().all(|word| is_plain(word)) {
        return Err(NoSilence::TooWide(NOT_PLAIN));
    }
    let pattern = words.join(" ");
    match CommandPattern::of_program(&pattern) {
        Ok(read) if read.covers(run) => Ok(pattern),
        _ => Err(NoSilence::TooWide(NOT_PLAIN)),
    }
}

/// A pattern that means this file and no other.
fn exact_path(path: &str, project: &Path) -> Option<String> {
    let below = Path::new(path).strip_prefix(project).ok();
    // A name alone would mean files of that name everywhere in the project.
    let below = below.and_then(Path::to_str).filter(|it| it.contains('/'));
    let pattern = below.unwrap_or(path);
    let is_exact = path.starts_with('/') && is_plain(path) && !path.contains('?');
    (is_exact && PathPattern::parse(pattern).is_ok()).then(|| pattern.to_owned())
}

/// Whether a word means itself in a pattern, and looks like what it is.
fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.contains('*')
        && !word.contains(char::is_whitespace)
        && !word.contains(char::is_control)
        && lookalikes::find(word).is_none()
}

#[cfg(test)]
mod tests;
