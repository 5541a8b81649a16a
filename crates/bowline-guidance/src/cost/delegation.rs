//! Watches what an agent does itself although a sub-agent could, and what that costs its context window.
//!
//! All figures are estimates. A violation is a call that should have been handed over. Nothing is denied here: an agent is told four times
//! at most, each time more urgently.

use std::collections::BTreeMap;

use bowline_agents::Tool;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::autonomy::{Autonomy, Breaker};
use super::prediction::{Category, Errand, actual, efficiency, known, predicted, savings, waste};
use crate::text::Text;

const NAMES: &[&str] = &["tool", "tokens", "optimal"];

/// Level 0.
pub const ESTIMATE: Text = Text {
    key: "cost.estimate",
    says: "Estimate: this {tool} call takes about {tokens} tokens of your context window. A sub-agent that does such work leaves about {optimal} there.",
    names: NAMES,
};
/// Level 1.
pub const IMPERATIVE: Text = Text {
    key: "cost.imperative",
    says: "Hand work like this to a sub-agent: as an estimate, {tool} takes {tokens} tokens of your context window, and {optimal} if it is delegated.",
    names: NAMES,
};
/// Level 2.
pub const FINAL: Text = Text {
    key: "cost.final",
    says: "This is the last reminder: delegate calls like this {tool} call (about {tokens} tokens here, {optimal} if delegated). The session's summary counts what you do yourself.",
    names: NAMES,
};
/// Level 3.
pub const BREAKER: Text = Text {
    key: "cost.breaker",
    says: "Four calls like this {tool} call (about {tokens} tokens here, {optimal} if delegated) were made directly. Say in one sentence why, or delegate from now on.",
    names: NAMES,
};

/// So many calls are looked back at.
const LOOKED_BACK: usize = 10;
/// So many explorations in a row are one too many.
const SEQUENCE: usize = 3;
/// So many violations open the breaker.
const BREAKS_AT: u32 = 3;
/// So many are kept one by one; all are counted.
const MAX_KEPT: usize = 50;

/// What was done directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViolationKind {
    /// A search.
    DirectExploration,
    /// A change of files.
    DirectImplementation,
    /// A run of tests.
    DirectTesting,
    /// A change of a repository.
    DirectGit,
    /// One search after another.
    ExplorationSequence,
    /// Anything of that after the last reminder.
    IgnoredWarning,
}

/// One call that should have been handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// When it was made.
    pub at: DateTime<Utc>,
    /// With which tool.
    pub tool: String,
    /// What it is.
    pub kind: ViolationKind,
    /// What it puts into the window: an estimate before the call, the figures of its result after it.
    pub tokens: u64,
    /// What would have been enough.
    pub optimal: u64,
    /// How often the agent had been told before, 3 at most.
    pub level: u8,
    /// Whether the call was made.
    pub made: bool,
}

impl Violation {
    /// The text of its level; none is left after the fourth.
    pub const fn text(&self, number: u32) -> Option<&'static Text> {
        match number {
            1 => Some(&ESTIMATE),
            2 => Some(&IMPERATIVE),
            3 => Some(&FINAL),
            4 => Some(&BREAKER),
            _ => None,
        }
    }
}

/// What tends to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AntiPattern {
    /// Three searches without handing one over.
    ExplorationSequence,
    /// A change that nobody tested within three calls.
    UntestedEdit,
    /// A change of a repository that was not handed over.
    DirectGit,
    /// The same file was read again.
    ReadAgain,
}

/// One call, as far as it matters later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Explore,
    Read(String),
    Edit,
    Git,
    Tests,
    Delegate { tests: bool, git: bool },
    Other,
}

impl Step {
    fn of(tool: &str, input: &Value) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        match (known(tool), Category::of(tool)) {
            (Tool::Read, _) => Self::Read(text("file_path").to_owned()),
            (_, Some(Category::Exploration)) => Self::Explore,
            (_, Some(Category::Implementation)) => Self::Edit,
            (_, Some(Category::Shell)) => match Errand::of(text("command")) {
                Errand::GitWrite => Self::Git,
                Errand::Tests => Self::Tests,
                Errand::Other => Self::Other,
            },
            (_, Some(Category::Delegation)) => {
                let asked = format!("{} {}", text("prompt"), text("description")).to_lowercase();
                Self::Delegate {
                    tests: asked.contains("test"),
                    git: ["git", "commit", "copilot"]
                        .iter()
                        .any(|it| asked.contains(it)),
                }
            }
            _ => Self::Other,
        }
    }

    const fn explores(&self) -> bool {
        matches!(self, Self::Explore | Self::Read(_))
    }
}

/// How an agent's session went so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conduct {
    steps: Vec<Step>,
    violations: Vec<Violation>,
    violated: u32,
    calls: u32,
    delegations: u32,
    tokens: u64,
    optimal: u64,
    patterns: BTreeMap<AntiPattern, u32>,
}

impl Conduct {
    /// Takes in a call that is about to be made; a violation, if it is one, and its number in the session.
    pub fn before(
        &mut self,
        tool: &str,
        input: &Value,
        at: DateTime<Utc>,
    ) -> Option<(u32, Violation)> {
        let step = Step::of(tool, input);
        self.note_patterns(&step);
        self.steps.push(step.clone());
        if self.steps.len() > LOOKED_BACK {
            self.steps.remove(0);
        }
        let category = Category::of(tool)?;
        let tokens = predicted(tool, input);
        let kind = match step {
            Step::Explore | Step::Read(_) if self.explored() >= SEQUENCE => {
                ViolationKind::ExplorationSequence
            }
            // What an agent reads it would have to be told anyway.
            Step::Explore if savings(tool, tokens) > 0 => ViolationKind::DirectExploration,
            Step::Edit => ViolationKind::DirectImplementation,
            Step::Git => ViolationKind::DirectGit,
            Step::Tests => ViolationKind::DirectTesting,
            Step::Explore | Step::Read(_) | Step::Delegate { .. } | Step::Other => return None,
        };
        let was_told = self.violated >= BREAKS_AT;
        let violation = Violation {
            at,
            tool: tool.to_owned(),
            kind: if was_told {
                ViolationKind::IgnoredWarning
            } else {
                kind
            },
            tokens,
            optimal: category.optimal(),
            level: u8::try_from(self.violated.min(BREAKS_AT)).unwrap_or(u8::MAX),
            made: false,
        };
        self.violated = self.violated.saturating_add(1);
        self.violations.push(violation.clone());
        if self.violations.len() > MAX_KEPT {
            self.violations.remove(0);
        }
        Some((self.violated, violation))
    }

    /// Takes in what a call gave back.
    pub fn after(&mut self, tool: &str, input: &Value, response: &Value) {
        self.calls = self.calls.saturating_add(1);
        let Some(category) = Category::of(tool) else {
            return;
        };
        let tokens = actual(tool, input, response);
        if category == Category::Delegation {
            self.delegations = self.delegations.saturating_add(1);
            return;
        }
        self.tokens = self.tokens.saturating_add(tokens);
        self.optimal = self.optimal.saturating_add(category.optimal().min(tokens));
        let newest = self.violations.iter_mut().rev();
        if let Some(violation) = newest.into_iter().find(|it| it.tool == tool && !it.made) {
            violation.tokens = tokens;
            violation.made = true;
        }
    }

    /// How many explorations there were since work was last handed over.
    fn explored(&self) -> usize {
        let since = self.steps.iter().rev();
        let since = since.take_while(|step| !matches!(step, Step::Delegate { .. }));
        since.filter(|step| step.explores()).count()
    }

    fn note_patterns(&mut self, step: &Step) {
        let mut found = Vec::new();
        if step.explores() && self.explored() + 1 == SEQUENCE {
            found.push(AntiPattern::ExplorationSequence);
        }
        if *step == Step::Git
            && !self
                .steps
                .iter()
                .any(|it| matches!(it, Step::Delegate { git: true, .. }))
        {
            found.push(AntiPattern::DirectGit);
        }
        if matches!(step, Step::Read(path) if !path.is_empty()) && self.steps.contains(step) {
            found.push(AntiPattern::ReadAgain);
        }
        let tested = |it: &Step| matches!(it, Step::Tests | Step::Delegate { tests: true, .. });
        if let Some([Step::Edit, rest @ ..]) = self.steps.last_chunk::<3>().map(|it| &it[..])
            && !rest.iter().any(tested)
            && !tested(step)
        {
            found.push(AntiPattern::UntestedEdit);
        }
        for pattern in found {
            *self.patterns.entry(pattern).or_default() += 1;
        }
    }

    /// The session in a few figures.
    pub fn summary(&self) -> Summary {
        let compliance = 100_u32.saturating_sub(self.violated.saturating_mul(20));
        let breaker = if self.violated >= BREAKS_AT {
            Breaker::Open
        } else {
            Breaker::Closed
        };
        let anti_patterns: u32 = self.patterns.values().sum();
        Summary {
            calls: self.calls,
            delegations: self.delegations,
            violations: self.violated,
            violated: self.violations.clone(),
            level: u8::try_from(self.violated.min(BREAKS_AT)).unwrap_or(u8::MAX),
            compliance,
            breaker,
            tokens: self.tokens,
            waste: waste(self.tokens, self.optimal),
            efficiency: efficiency(self.tokens, self.optimal),
            anti_patterns: self.patterns.clone(),
            autonomy: Autonomy::of(compliance, anti_patterns as usize, breaker),
        }
    }
}

/// A session in a few figures. Tokens are estimates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// How many calls were made.
    pub calls: u32,
    /// How many of them handed work over.
    pub delegations: u32,
    /// How many should have been handed over.
    pub violations: u32,
    /// The last of these.
    pub violated: Vec<Violation>,
    /// How urgently the agent was told, from 0 to 3.
    pub level: u8,
    /// 100 less 20 for each violation, never below 0.
    pub compliance: u32,
    /// Whether there were three violations or more.
    pub breaker: Breaker,
    /// What calls that can be handed over put into the window.
    pub tokens: u64,
    /// What of that was not needed.
    pub waste: u64,
    /// What was needed of it, in percent.
    pub efficiency: u64,
    /// What tends to go wrong, and how often it did.
    pub anti_patterns: BTreeMap<AntiPattern, u32>,
    /// How much the agent may do on its own next time.
    pub autonomy: Autonomy,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn before(conduct: &mut Conduct, tool: &str, input: Value) -> Option<(u32, Violation)> {
        conduct.before(tool, &input, DateTime::UNIX_EPOCH)
    }

    fn bash(command: &str) -> (&'static str, Value) {
        ("Bash", json!({ "command": command }))
    }

    #[test]
    fn f28_e_every_kind_of_violation_is_recognised() {
        let read = |path: &str| ("Read", json!({ "file_path": path }));
        for (calls, expected) in [
            (
                vec![("Grep", json!({"pattern": "x"}))],
                Some(ViolationKind::DirectExploration),
            ),
            (
                vec![("Edit", json!({}))],
                Some(ViolationKind::DirectImplementation),
            ),
            (vec![bash("cargo test")], Some(ViolationKind::DirectTesting)),
            (
                vec![bash("git commit -m x")],
                Some(ViolationKind::DirectGit),
            ),
            (
                vec![read("/a"), read("/b"), read("/c")],
                Some(ViolationKind::ExplorationSequence),
            ),
            (vec![read("/a"), read("/b")], None),
            (
                vec![read("/a"), read("/b"), ("Task", json!({})), read("/c")],
                None,
            ),
            (vec![bash("ls")], None),
            (vec![("Task", json!({}))], None),
            (vec![("AskUserQuestion", json!({}))], None),
            (
                vec![("Edit", json!({})); 4],
                Some(ViolationKind::IgnoredWarning),
            ),
        ] {
            let mut conduct = Conduct::default();
            let mut last = None;
            for (tool, input) in calls.clone() {
                last = before(&mut conduct, tool, input);
            }
            assert_eq!(last.map(|(_, it)| it.kind), expected, "{calls:?}");
        }
    }

    #[test]
    fn f28_e_the_level_rises_with_each_violation_up_to_three() {
        let mut conduct = Conduct::default();
        let mut levels = Vec::new();
        let mut texts = Vec::new();
        for _ in 0..6 {
            let (number, violation) = before(&mut conduct, "Edit", json!({})).unwrap();
            levels.push(violation.level);
            texts.push(violation.text(number).map(|it| it.key));
        }
        assert_eq!(levels, [0, 1, 2, 3, 3, 3]);
        let expected = [
            "cost.estimate",
            "cost.imperative",
            "cost.final",
            "cost.breaker",
        ];
        assert_eq!(texts[..4], expected.map(Some));
        assert_eq!(texts[4..], [None, None]);
        assert_eq!(conduct.summary().violations, 6);
    }

    #[test]
    fn f28_e_compliance_is_one_less_a_fifth_for_each_violation() {
        for (violations, compliance, breaker) in [
            (0, 100, Breaker::Closed),
            (1, 80, Breaker::Closed),
            (2, 60, Breaker::Closed),
            (3, 40, Breaker::Open),
            (5, 0, Breaker::Open),
            (7, 0, Breaker::Open),
        ] {
            let mut conduct = Conduct::default();
            for _ in 0..violations {
                before(&mut conduct, "Edit", json!({}));
            }
            let summary = conduct.summary();
            assert_eq!((summary.compliance, summary.breaker), (compliance, breaker));
        }
    }

    #[test]
    fn f28_d_the_summary_of_a_session_has_its_efficiency_and_no_negative_waste() {
        let mut conduct = Conduct::default();
        let input = json!({"file_path": "/a"});
        before(&mut conduct, "Read", input.clone());
        conduct.after("Read", &input, &json!("a\nb\nc"));
        let summary = conduct.summary();
        assert_eq!(
            (summary.tokens, summary.waste, summary.efficiency),
            (12, 0, 100)
        );
        before(&mut conduct, "Grep", json!({}));
        conduct.after("Grep", &json!({}), &json!({"tokens": 2000}));
        let summary = conduct.summary();
        assert_eq!(
            (summary.tokens, summary.waste, summary.efficiency),
            (2012, 1500, 25)
        );
        let grep = &summary.violated[0];
        assert_eq!((grep.tokens, grep.made), (2000, true));
    }

    #[test]
    fn anti_patterns_are_counted() {
        let read = |path: &str| ("Read", json!({ "file_path": path }));
        let edit = ("Edit", json!({}));
        let task = |prompt: &str| ("Task", json!({ "prompt": prompt }));
        for (calls, expected) in [
            (vec![read("/a"), read("/b")], vec![]),
            (
                vec![read("/a"), read("/a")],
                vec![(AntiPattern::ReadAgain, 1)],
            ),
            (
                vec![read("/a"), read("/b"), read("/c"), read("/d")],
                vec![(AntiPattern::ExplorationSequence, 1)],
            ),
            (
                vec![edit.clone(), bash("ls"), bash("ls"), bash("ls")],
                vec![(AntiPattern::UntestedEdit, 1)],
            ),
            (
                vec![edit.clone(), bash("ls"), task("Run the tests"), bash("ls")],
                vec![],
            ),
            (
                vec![edit, bash("ls"), bash("ls"), bash("cargo test")],
                vec![],
            ),
            (vec![bash("git push")], vec![(AntiPattern::DirectGit, 1)]),
            (vec![task("commit it"), bash("git push")], vec![]),
        ] {
            let mut conduct = Conduct::default();
            for (tool, input) in calls.clone() {
                before(&mut conduct, tool, input);
            }
            let found: Vec<_> = conduct.summary().anti_patterns.into_iter().collect();
            assert_eq!(found, expected, "{calls:?}");
        }
    }
}
