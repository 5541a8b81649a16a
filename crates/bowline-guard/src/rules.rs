//! Every rule that a verdict may name, in one list.

mod examples;

use std::borrow::Cow;

use bowline_agents::Tool;

use crate::Strictness;
use crate::effect::Category;
use crate::families::{self, RuleInfo};
use crate::{judge, lookalikes, sensitive, tool_call};

use examples::TYPICAL;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// What a command would do.
    Effect,
    /// A file that holds secrets.
    SensitiveFile,
    /// Characters that deceive the eye.
    LookAlike,
}

/// One rule of the guard, whatever it looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// Its name as verdicts have it: `git.reset-hard`, `sensitive.ssh-key`.
    pub id: Cow<'static, str>,
    /// What it looks at.
    pub subject: Subject,
    /// The family of what it finds.
    pub category: Category,
    /// What it looks for; several, where several rules share the name.
    pub summary: Cow<'static, str>,
    /// The safer ways that it advises, with commands in backquotes.
    pub instead: Vec<&'static str>,
}

/// What a rule says to a typical call, when no settings say otherwise. Another call may be graver or milder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Typical {
    /// The verdict.
    pub verdict: Strictness,
    /// The call.
    pub example: Example,
}

/// A call that a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Example {
    /// The tool: `Bash`, `Read`, …
    pub tool: &'static str,
    /// Its command, or the path that it is for.
    pub text: &'static str,
}

/// Every rule, each id once: of the families, of texts and calls as a whole, of files, of look-alikes.
pub fn rules() -> Vec<Rule> {
    let mut all: Vec<Rule> = Vec::new();
    let effects = families::rules()
        .chain(judge::RULES)
        .chain(tool_call::RULES);
    for rule in effects.map(of_effect).chain(files()).chain(look_alikes()) {
        match all.iter_mut().find(|known| known.id == rule.id) {
            Some(known) => known.join(rule),
            None => all.push(rule),
        }
    }
    all
}

impl Example {
    /// The field of the tool's input that has the text.
    pub fn field(&self) -> &'static str {
        match Tool::named(self.tool) {
            Tool::Shell | Tool::PowerShell => "command",
            Tool::Grep => "path",
            Tool::Unread => "why",
            _ => "file_path",
        }
    }
}

impl Rule {
    /// What it says to a typical call; `None` where that depends on what is there.
    pub fn typical(&self) -> Option<Typical> {
        let (_, typical) = TYPICAL.iter().find(|(id, _)| *id == self.id)?;
        Some(*typical)
    }

    fn join(&mut self, other: Self) {
        if !self.summary.contains(other.summary.as_ref()) {
            self.summary = format!("{}; {}", self.summary, other.summary).into();
        }
        for advice in other.instead {
            if !self.instead.contains(&advice) {
                self.instead.push(advice);
            }
        }
    }
}

fn of_effect(rule: &RuleInfo) -> Rule {
    Rule {
        id: rule.id.into(),
        subject: Subject::Effect,
        category: rule.category,
        summary: rule.summary.into(),
        instead: rule.instead.into_iter().collect(),
    }
}

fn files() -> impl Iterator<Item = Rule> {
    sensitive::rules().map(|reason| Rule {
        id: format!("sensitive.{}", reason.rule).into(),
        subject: Subject::SensitiveFile,
        category: Category::SecretRead,
        summary: reason.why.into(),
        instead: vec![reason.instead],
    })
}

fn look_alikes() -> impl Iterator<Item = Rule> {
    lookalikes::Kind::ALL.iter().map(|(kind, summary)| Rule {
        id: kind.rule().into(),
        subject: Subject::LookAlike,
        category: Category::LookAlike,
        summary: (*summary).into(),
        instead: vec![tool_call::REWRITE_NAME],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::effect::Gravity;
    use crate::paths::StaticWorld;
    use crate::policy::GuardPolicy;
    use crate::sensitive::SensitivePolicy;
    use crate::tool_call::{ToolCall, judge_tool_call};

    fn world() -> StaticWorld {
        StaticWorld::new("/home/dev/project", "/home/dev")
    }

    /// Every command that any rule advises passes the guard itself.
    #[test]
    fn all_advice_is_harmless() {
        let mut commands = 0;
        for rule in rules() {
            for advice in &rule.instead {
                for command in advice.split('`').skip(1).step_by(2) {
                    let judgement = judge::judge(command, &world());
                    assert_eq!(
                        judgement.verdict.gravity,
                        Gravity::Harmless,
                        "{}: `{command}`: {:?}",
                        rule.id,
                        judgement.verdict
                    );
                    commands += 1;
                }
            }
        }
        assert!(commands > 40, "{commands} commands");
    }

    /// The rules that say nothing without knowing the machine, the project or all of a long text.
    const DEPENDING: &[&str] = &[
        "code.too-long",
        "files.overwrite-work",
        "files.move-work",
        "files.delete-work",
        "git.stage-loss",
        "git.set-back",
        "git.resolution",
        "git.move-branch",
        "shell.unknown-program",
        "shell.too-many-paths",
        "call.no-command",
        "sensitive.custom-pattern",
    ];

    #[test]
    fn every_rule_has_a_verdict_and_an_example_that_comes_to_it() {
        let mut wrong = Vec::new();
        let all = rules();
        for rule in &all {
            let Some(Typical { verdict, example }) = rule.typical() else {
                assert!(DEPENDING.contains(&rule.id.as_ref()), "{}", rule.id);
                continue;
            };
            let is_given = |name: &str| name == example.field();
            let call = ToolCall::from_fields(|name| is_given(name).then_some(example.text));
            let found = judge_tool_call(example.tool, &call, &world(), &GuardPolicy::default());
            // What passes is named by no verdict.
            let named = found.rule.as_deref() == Some(rule.id.as_ref());
            if found.decision != verdict || !(named || verdict == Strictness::Allow) {
                wrong.push(format!("{}: {example:?}: {found:?}", rule.id));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        for (id, _) in TYPICAL {
            assert!(all.iter().any(|rule| rule.id == *id), "no rule `{id}`");
        }
    }

    /// Whatever a verdict names is in the list, with its category.
    #[test]
    fn every_rule_of_a_verdict_is_listed() {
        let all = rules();
        let mut met = BTreeSet::new();
        let mut check = |id: &str, category: Option<Category>| {
            let rule = all.iter().find(|it| it.id == id);
            assert!(rule.is_some(), "{id} is in no list");
            assert_eq!(rule.map(|it| it.category), category, "{id}");
            met.insert(id.to_owned());
        };
        let tables = [
            ("Bash", include_str!("../tests/data/variants.txt")),
            ("PowerShell", include_str!("../tests/data/powershell.txt")),
        ];
        for (tool, table) in tables {
            for row in table
                .lines()
                .filter(|it| !it.is_empty() && !it.starts_with('#'))
            {
                let command = row
                    .split_once(' ')
                    .map_or(row, |(_, it)| it)
                    .replace('⏎', "\n");
                for (effect, _) in judge::judge(&command, &world()).effects {
                    check(effect.rule, Some(effect.category));
                }
                let call = ToolCall {
                    command: Some(&command),
                    ..ToolCall::default()
                };
                let verdict = judge_tool_call(tool, &call, &world(), &GuardPolicy::default());
                if let Some(id) = &verdict.rule {
                    check(id, verdict.category);
                }
            }
        }
        for row in include_str!("../tests/data/commands.jsonl").lines() {
            let row: serde_json::Value = serde_json::from_str(row).unwrap();
            let command = row["command"].as_str().unwrap_or_default();
            for (effect, _) in judge::judge(command, &world()).effects {
                check(effect.rule, Some(effect.category));
            }
        }
        let (sensitive, _) = SensitivePolicy::parse(["\\.vault$"], Vec::<&str>::new());
        let here = StaticWorld {
            sensitive,
            ..world()
        };
        for (tool, field, value) in [
            ("Read", "file_path", ".env"),
            ("Read", "file_path", "prod-credentials.json"),
            ("Read", "file_path", "team.vault"),
            ("Grep", "path", "/home/dev"),
            ("Read", "file_path", "src/m\u{430}in.rs"),
            ("Read", "file_path", "src/\u{202e}x.rs"),
            ("Write", "file_path", ".claude/settings.json"),
            ("Bash", "", ""),
            ("Bash", "command", ":(){ :|:& };:"),
            ("Bash", "command", "$X -rf /"),
            ("Bash", "command", "rm -rf \"/srv"),
            ("Bash", "command", "l\u{455} src"),
        ] {
            let call = ToolCall::from_fields(|name| (name == field).then_some(value));
            let verdict = judge_tool_call(tool, &call, &here, &GuardPolicy::default());
            assert!(verdict.rule.is_some(), "{tool} {value}");
            check(
                verdict.rule.as_deref().unwrap_or_default(),
                verdict.category,
            );
        }
        for id in [
            "call.no-command",
            "shell.multiplies",
            "shell.unverified",
            "sensitive.custom-pattern",
            "sensitive.named-secret",
            "sensitive.search-everything",
        ] {
            assert!(met.contains(id), "{id} was not met: {met:?}");
        }
        assert!(met.len() > 100, "{} rules were met", met.len());
    }
}
