//! Compiles the rules of the settings, and checks their examples.

use std::sync::Arc;

use bowline::settings::{
    Diagnostic, ExampleCall, Expected, FilePosition, LoadedRule, RuleDefinition, RuleStatus,
    Settings, Severity, Written,
};
use bowline_guard::Strictness;
use bowline_guard::judge::judge;
use bowline_guard::pattern::{BadPattern, CommandPattern, PathPattern, RulePattern};
use bowline_guard::policy::GuardPolicy;
use bowline_guard::tool_call::judge_command;

use super::apply::{Applies, Conditions, Doubt, Quantity};
use super::condition::Condition;
use super::examples;
use super::hook::RuleHook;
use super::rewrite::Rewrite;
use crate::Analyst;

/// The rules that are in force, and what is wrong with any of them.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Compiled {
    /// One hook for each rule in force, in their order.
    pub hooks: Vec<Arc<RuleHook>>,
    /// Every rule, and whether it counts: one that loosens does not if anything about it is wrong.
    pub rules: Vec<LoadedRule>,
    /// What is wrong with the conditions and examples, on top of what reading them found.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the rules of a project.
pub fn compile(settings: &Settings, analyst: &Arc<Analyst>) -> Compiled {
    compile_rules(&settings.rules, analyst)
}

/// Compiles these rules. Those that are not in force are only checked.
pub fn compile_rules(rules: &[LoadedRule], analyst: &Arc<Analyst>) -> Compiled {
    let mut compiled = Compiled::default();
    for rule in rules {
        let mut compiler = Compiler {
            rule: &rule.definition,
            diagnostics: Vec::new(),
            fault: rule.definition.fault.clone(),
        };
        let hook = compiler.hook(analyst);
        compiler.examples(&hook);
        compiler.suggestion(&hook, analyst);
        compiler.name();
        let Compiler {
            diagnostics, fault, ..
        } = compiler;
        compiled.diagnostics.extend(diagnostics);
        let mut rule = rule.clone();
        if rule.status == RuleStatus::InForce {
            match fault {
                Some(by) if !rule.definition.verdict.tightens() => {
                    rule.status = RuleStatus::Disabled { by };
                }
                _ => compiled.hooks.push(Arc::new(hook)),
            }
        }
        compiled.rules.push(rule);
    }
    compiled
}

/// A pattern for effects that the guard can find.
fn known_effect(text: &str) -> Result<RulePattern, BadPattern> {
    let pattern = RulePattern::parse(text)?;
    let known = bowline_guard::rules::rules();
    if known.iter().any(|it| pattern.matches(it.category, &it.id)) {
        return Ok(pattern);
    }
    Err(BadPattern {
        problem: format!("the guard has no category and no rule `{text}`"),
    })
}

/// How `command` is read. What is allowed or rewritten is said of programs; what is stopped, also of how they are run.
fn command_pattern(rule: &RuleDefinition) -> fn(&str) -> Result<CommandPattern, BadPattern> {
    match Quantity::from(rule.verdict) {
        Quantity::Any if rule.rewrite.is_none() => CommandPattern::parse,
        _ => CommandPattern::of_program,
    }
}

struct Compiler<'r> {
    rule: &'r RuleDefinition,
    diagnostics: Vec<Diagnostic>,
    /// The first thing that is wrong.
    fault: Option<String>,
}

impl Compiler<'_> {
    fn hook(&mut self, analyst: &Arc<Analyst>) -> RuleHook {
        let rule = self.rule;
        let commands = self.patterns(&rule.commands, "command", command_pattern(rule));
        let effects = self.patterns(&rule.effects, "effect", known_effect);
        let paths = self.patterns(&rule.paths, "path", PathPattern::parse);
        let when = self.when();
        let rewrite = self.rewrite(&commands, analyst);
        let conditions = Conditions {
            quantity: Quantity::from(rule.verdict),
            tools: rule.tools.clone(),
            meant_tools: rule.meant_tools.clone(),
            commands,
            effects,
            paths,
            when,
            doubt: Doubt::from(rule.verdict),
            fault: self.fault.clone(),
        };
        RuleHook::new(rule.clone(), conditions, rewrite, Arc::clone(analyst))
    }

    fn patterns<T>(
        &mut self,
        written: &[Written],
        key: &str,
        parse: fn(&str) -> Result<T, BadPattern>,
    ) -> Vec<T> {
        let mut patterns = Vec::with_capacity(written.len());
        for one in written {
            match parse(&one.text) {
                Ok(pattern) => patterns.push(pattern),
                Err(bad) => self.broken(
                    "invalid-pattern",
                    &one.position,
                    format!("`{key}` cannot be used: {bad}"),
                    match key {
                        "command" => "write it like `pip install *`",
                        "path" => "write it like `migrations/**`, `~/scratch` or `/srv/cache/*`",
                        _ => "write it like `delete` or `git.*`; `bowline rules list` lists them",
                    }
                    .to_owned(),
                ),
            }
        }
        // What a list with a mistake does not match, it might have matched without.
        if patterns.len() < written.len() {
            patterns.clear();
        }
        patterns
    }

    fn when(&mut self) -> Option<Condition> {
        let written = self.rule.when.as_ref()?;
        match Condition::parse(&written.text) {
            Ok(condition) => {
                self.fields_of_others(&condition, &written.position);
                Some(condition)
            }
            Err(bad) => {
                let position = written.part(bad.part);
                self.broken("invalid-condition", &position, bad.problem, bad.help);
                None
            }
        }
    }

    /// A field that no event of the rule has is always empty: another event is meant, or another field.
    fn fields_of_others(&mut self, condition: &Condition, position: &FilePosition) {
        let events: Vec<&str> = self.rule.events.iter().map(|it| it.name()).collect();
        for field in condition.fields_of_others(&self.rule.events) {
            self.diagnostics.push(self.rule.finding(
                Severity::Warning,
                "absent-field",
                position,
                format!(
                    "`when` asks for `{field}`, which {} never has",
                    events.join(" or ")
                ),
                "`bowline events --json` tells which event has which fields",
            ));
        }
    }

    fn rewrite(&mut self, commands: &[CommandPattern], analyst: &Analyst) -> Option<Rewrite> {
        let written = self.rule.rewrite.as_ref()?;
        let world = analyst.world(&analyst.project());
        match Rewrite::new(commands, &written.text, &world) {
            Ok(rewrite) => Some(rewrite),
            Err(bad) => {
                self.broken(
                    "invalid-rewrite",
                    &written.position,
                    format!("`rewrite` cannot be used: {bad}"),
                    "write the words that take the place of those that `command` begins with, such as `uv pip install`"
                        .to_owned(),
                );
                None
            }
        }
    }

    fn examples(&mut self, hook: &RuleHook) {
        if self.fault.is_some() {
            // They would only say again that the rule is broken.
            return;
        }
        for example in &self.rule.examples {
            let shown = examples::shown(&example.call);
            let Some(input) = examples::event_of(&example.call, self.rule) else {
                self.failed(
                    &example.position,
                    format!("the example `{shown}` is nothing that this rule could be about"),
                    "write a whole call: `{ tool = \"…\", input = { … } }` or `{ prompt = \"…\" }`",
                );
                continue;
            };
            let id = &self.rule.id;
            let found = match (hook.applies(&input), example.expected) {
                (Applies::Yes, Expected::Match) | (Applies::No(_), Expected::NoMatch) => continue,
                (Applies::Yes, Expected::NoMatch) => {
                    format!("rule `{id}` applies to `{shown}`, and must not")
                }
                (Applies::No(why), Expected::Match) => {
                    format!("rule `{id}` does not apply to `{shown}`, and must: {why}")
                }
                (Applies::Unknown(why), _) => {
                    format!("rule `{id}` cannot be evaluated on `{shown}`: {why}")
                }
            };
            self.failed(&example.position, found, "correct the rule or the example");
        }
    }

    fn failed(&mut self, position: &FilePosition, message: String, help: &str) {
        let standing = if self.rule.verdict.tightens() {
            "the rule stays in force"
        } else {
            "the rule is not in force until then"
        };
        self.broken(
            "failed-example",
            position,
            message,
            format!("{help}; {standing}"),
        );
    }

    /// Advice that is stopped itself leads in a circle.
    fn suggestion(&mut self, hook: &RuleHook, analyst: &Analyst) {
        let Some(suggestion) = &self.rule.suggestion else {
            return;
        };
        if !self.rule.verdict.tightens() {
            return;
        }
        let quoted: Vec<&str> = suggestion.text.split('`').skip(1).step_by(2).collect();
        let commands = if quoted.is_empty() {
            vec![suggestion.text.as_str()]
        } else {
            quoted
        };
        let world = analyst.world(&analyst.project());
        let policy = GuardPolicy::default();
        for command in commands {
            let judgement = judge(command, &world);
            let verdict = judge_command(&judgement, &world, &policy);
            let itself = || {
                let call = ExampleCall::Text(command.to_owned());
                let about_commands = !self.rule.commands.is_empty();
                about_commands
                    && examples::event_of(&call, self.rule)
                        .is_some_and(|input| hook.applies(&input) == Applies::Yes)
            };
            let by = match verdict.rule {
                Some(rule) if verdict.decision == Strictness::Deny => {
                    format!("`{rule}` of the guard denies")
                }
                _ if itself() => "the rule itself stops".to_owned(),
                _ => continue,
            };
            self.diagnostics.push(self.rule.finding(
                Severity::Warning,
                "stopped-suggestion",
                &suggestion.position,
                format!(
                    "rule `{}` suggests what {by}: {}",
                    self.rule.id,
                    super::subject::quoted(command)
                ),
                "suggest something that may be done",
            ));
        }
    }

    /// Verdicts, records and `bowline allow` go by the name alone.
    fn name(&mut self) {
        let id = &self.rule.id;
        // The guard's names have a family before the dot; most others need no look at its list.
        let is_the_guards = id.contains('.')
            && bowline_guard::rules::rules()
                .iter()
                .any(|it| it.id == id.as_str());
        if is_the_guards {
            self.diagnostics.push(self.rule.finding(
                Severity::Warning,
                "guard-rule-id",
                &self.rule.origin.position,
                format!("a rule of the guard is called `{id}`, too: a verdict does not tell which of them it is from"),
                format!("give it a name of its own, such as `my-{}`", id.replace('.', "-")),
            ));
        }
    }

    fn broken(
        &mut self,
        code: &'static str,
        position: &FilePosition,
        message: String,
        help: String,
    ) {
        self.fault.get_or_insert_with(|| message.clone());
        self.diagnostics.push(
            self.rule
                .finding(Severity::Error, code, position, message, help),
        );
    }
}
