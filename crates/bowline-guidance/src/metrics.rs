//! Figures of a day, and of several, from what the store has of them.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

/// What happened in some time, as far as figures need it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Decided events, oldest first.
    pub events: Vec<EventFact>,
    /// Tool calls, oldest first.
    pub calls: Vec<CallFact>,
    /// Work that was handed to sub-agents, oldest first.
    pub delegations: Vec<DelegationFact>,
    /// Prompts.
    pub prompts: Vec<String>,
}

/// One decided event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventFact {
    /// When it was reported.
    pub at: DateTime<Utc>,
    /// Its name.
    pub event: String,
    /// The rule from which a denial follows.
    pub denied_by: Option<String>,
    /// How long deciding took, in milliseconds.
    pub took_ms: f64,
    /// Whether tests were asked for.
    pub tested: bool,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFact {
    /// When it began.
    pub at: DateTime<Utc>,
    /// The tool.
    pub tool: String,
    /// How it went.
    pub result: CallResult,
    /// How long it took, in milliseconds.
    pub took_ms: Option<i64>,
}

/// How a call or a sub-agent did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallResult {
    /// Well, or it has not ended.
    Fine,
    /// It failed.
    Failed,
    /// It never ran.
    NotRun,
}

/// Work that was handed to a sub-agent.
#[derive(Debug, Clone, PartialEq)]
pub struct DelegationFact {
    /// When it began.
    pub at: DateTime<Utc>,
    /// The sub-agent.
    pub agent: String,
    /// How it went.
    pub result: CallResult,
    /// How long it took, in milliseconds.
    pub took_ms: Option<i64>,
}

/// The figures of one day, in the form that document 003 gives them. What nobody measured is empty or null.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Day {
    /// The day, in UTC.
    pub date: String,
    /// What the three hypotheses are judged by.
    pub research_metrics: Research,
    /// What was done.
    pub performance_metrics: Performance,
    /// How well it went.
    pub system_health: Health,
}

/// What the three hypotheses are judged by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Research {
    /// Loading context just in time.
    pub jit_hypothesis: JustInTime,
    /// One hub instead of agents that talk to each other.
    pub hub_spoke_hypothesis: HubAndSpoke,
    /// Tests before handoffs.
    pub tdd_hypothesis: TestsFirst,
}

/// Loading context just in time. Times are in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JustInTime {
    /// How long deciding took at the start of sessions.
    pub context_load_times: Vec<f64>,
    /// Not measured.
    pub memory_usage: Vec<f64>,
    /// How long deciding took at the start of sub-agents.
    pub agent_spawn_times: Vec<f64>,
}

/// One hub instead of agents that talk to each other.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HubAndSpoke {
    /// The part of handoffs whose target is known.
    pub routing_accuracy: Option<f64>,
    /// How long deciding took at the end of sub-agents, in milliseconds.
    pub coordination_overhead: Vec<f64>,
    /// Lines of prompts that name two agents.
    pub peer_communication_violations: usize,
}

/// Tests before handoffs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TestsFirst {
    /// The part of sub-agents that did not fail and were not sent back by tests.
    pub handoff_success_rate: Option<f64>,
    /// How often tests or a build failed.
    pub integration_defects: usize,
    /// Not measured.
    pub test_coverage: Option<f64>,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Performance {
    /// Tool calls that ran.
    pub tool_executions: usize,
    /// Handoffs that were followed.
    pub agent_handoffs: usize,
    /// What was denied, but for handoffs and tests.
    pub directive_violations: usize,
    /// How often tests were asked for.
    pub quality_gates: usize,
}

/// How well it went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// The seconds from the first to the last event.
    pub uptime: i64,
    /// The part of tool calls that failed.
    pub error_rate: Option<f64>,
    /// How long tool calls took, in milliseconds.
    pub response_times: Vec<f64>,
}

/// At most so many single values are listed, the last ones.
const MAX_VALUES: usize = 1_000;

impl Day {
    /// The figures of a day.
    pub fn of(date: NaiveDate, facts: &Facts) -> Self {
        let by = |prefix: &str| {
            denials(facts)
                .filter(|rule| rule.starts_with(prefix))
                .count()
        };
        let (handoffs, unknown) = (by("handoff."), by("handoff.unknown"));
        let (sent_back, phases) = (by("tests."), by("checkpoint."));
        let denied = denials(facts).count();
        let ran = facts
            .calls
            .iter()
            .filter(|it| it.result != CallResult::NotRun);
        let executions = ran.clone().count();
        let failed = ran.filter(|it| it.result == CallResult::Failed).count();
        let ended = facts
            .events
            .iter()
            .filter(|it| it.event == "SubagentStop")
            .count();
        let delegations = facts.delegations.iter();
        let failures = delegations
            .filter(|it| it.result == CallResult::Failed)
            .count();
        let times = |event: &str| {
            let events = facts.events.iter().filter(|it| it.event == event);
            last(events.map(|it| it.took_ms).collect())
        };
        let span = facts.events.last().zip(facts.events.first());
        let prompts = facts.prompts.iter();
        Self {
            date: date.to_string(),
            research_metrics: Research {
                jit_hypothesis: JustInTime {
                    context_load_times: times("SessionStart"),
                    memory_usage: Vec::new(),
                    agent_spawn_times: times("SubagentStart"),
                },
                hub_spoke_hypothesis: HubAndSpoke {
                    routing_accuracy: part(handoffs - unknown, handoffs),
                    coordination_overhead: times("SubagentStop"),
                    peer_communication_violations: prompts.map(|it| peer_violations(it)).sum(),
                },
                tdd_hypothesis: TestsFirst {
                    handoff_success_rate: part(ended.saturating_sub(sent_back + failures), ended),
                    integration_defects: by("tests.failed") + by("tests.build"),
                    test_coverage: None,
                },
            },
            performance_metrics: Performance {
                tool_executions: executions,
                agent_handoffs: handoffs - unknown,
                directive_violations: denied - handoffs - sent_back - phases,
                quality_gates: facts.events.iter().filter(|it| it.tested).count(),
            },
            system_health: Health {
                uptime: span.map_or(0, |(last, first)| (last.at - first.at).num_seconds()),
                error_rate: part(failed, executions),
                response_times: last(facts.calls.iter().filter_map(took).collect()),
            },
        }
    }
}

fn denials(facts: &Facts) -> impl Iterator<Item = &str> {
    facts.events.iter().filter_map(|it| it.denied_by.as_deref())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times of calls are far below 2^52 milliseconds"
)]
fn took(call: &CallFact) -> Option<f64> {
    call.took_ms.map(|took| took as f64)
}

fn last(mut values: Vec<f64>) -> Vec<f64> {
    let more = values.len().saturating_sub(MAX_VALUES);
    values.drain(..more);
    values
}

/// A part of a whole; nothing if there is no whole.
#[expect(clippy::cast_precision_loss, reason = "nobody counts up to 2^52")]
fn part(some: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| some as f64 / all as f64)
}

/// How many lines of a text name two agents, which should talk through the hub.
pub fn peer_violations(text: &str) -> usize {
    let lines = text.lines().filter(|line| {
        let words = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        let mut agents: Vec<String> = words
            .map(str::to_lowercase)
            .filter(|word| {
                word.strip_suffix("-agent")
                    .is_some_and(|name| !name.is_empty())
            })
            .collect();
        agents.sort_unstable();
        agents.dedup();
        agents.len() >= 2
    });
    lines.count()
}

/// How sure one can be of figures from so many samples.
pub const fn confidence(samples: usize) -> f64 {
    match samples {
        0..30 => 0.50,
        30..100 => 0.70,
        100..500 => 0.85,
        500..1_000 => 0.90,
        _ => 0.95,
    }
}

/// Figures by tool, by sub-agent and by day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// By tool, most used first.
    pub tools: Vec<Line>,
    /// By sub-agent, most used first.
    pub agents: Vec<Line>,
    /// By day, the calls of each; oldest first.
    pub days: Vec<Line>,
}

/// The figures of one tool, sub-agent or day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Whose they are.
    pub name: String,
    /// How many there are.
    pub samples: usize,
    /// How many failed.
    pub failed: usize,
    /// How long one takes on average, in milliseconds.
    pub mean_ms: Option<f64>,
    /// How sure one can be of that.
    pub confidence: f64,
}

impl Report {
    /// The figures of some time.
    pub fn of(facts: &Facts) -> Self {
        let ran = || {
            facts
                .calls
                .iter()
                .filter(|it| it.result != CallResult::NotRun)
        };
        let mut tools = lines(ran().map(|it| (it.tool.clone(), it.result, it.took_ms)));
        let agents = facts.delegations.iter();
        let mut agents = lines(agents.map(|it| (it.agent.clone(), it.result, it.took_ms)));
        let day = |it: &CallFact| it.at.date_naive().to_string();
        let days = lines(ran().map(|it| (day(it), it.result, it.took_ms)));
        // Sorting keeps the order of names among equals.
        tools.sort_by_key(|line| std::cmp::Reverse(line.samples));
        agents.sort_by_key(|line| std::cmp::Reverse(line.samples));
        Self {
            tools,
            agents,
            days,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "times and counts are far below 2^52"
)]
fn lines(samples: impl Iterator<Item = (String, CallResult, Option<i64>)>) -> Vec<Line> {
    let mut all: BTreeMap<String, (usize, usize, Vec<i64>)> = BTreeMap::new();
    for (name, result, took) in samples {
        let (count, failed, times) = all.entry(name).or_default();
        *count += 1;
        *failed += usize::from(result == CallResult::Failed);
        times.extend(took);
    }
    let lines = all
        .into_iter()
        .map(|(name, (samples, failed, times))| Line {
            name,
            samples,
            failed,
            mean_ms: (!times.is_empty())
                .then(|| times.iter().sum::<i64>() as f64 / times.len() as f64),
            confidence: confidence(samples),
        });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn event(second: i64, event: &str, denied_by: Option<&str>) -> EventFact {
        EventFact {
            at: DateTime::UNIX_EPOCH + TimeDelta::seconds(second),
            event: event.to_owned(),
            denied_by: denied_by.map(str::to_owned),
            took_ms: 2.0,
            tested: denied_by.is_some_and(|rule| rule.starts_with("tests.")),
        }
    }

    fn call(tool: &str, result: CallResult) -> CallFact {
        CallFact {
            at: DateTime::UNIX_EPOCH,
            tool: tool.to_owned(),
            result,
            took_ms: Some(10),
        }
    }

    fn facts() -> Facts {
        Facts {
            events: vec![
                event(0, "SessionStart", None),
                event(1, "PreToolUse", Some("files.rm-recursive")),
                event(2, "SubagentStart", None),
                event(3, "SubagentStop", Some("handoff.next")),
                event(4, "SubagentStop", Some("handoff.unknown")),
                event(5, "SubagentStop", Some("tests.failed")),
                event(60, "SubagentStop", None),
            ],
            calls: vec![
                call("Bash", CallResult::Fine),
                call("Bash", CallResult::Failed),
                call("Bash", CallResult::NotRun),
                call("Read", CallResult::Fine),
            ],
            delegations: vec![DelegationFact {
                at: DateTime::UNIX_EPOCH,
                agent: "painter".to_owned(),
                result: CallResult::Fine,
                took_ms: Some(30),
            }],
            prompts: vec!["ask a-agent and b-agent\nthen c-agent".to_owned()],
        }
    }

    #[test]
    fn f46_a_a_day_has_the_figures_of_the_document() {
        let date = NaiveDate::from_ymd_opt(2026, 1, 31).unwrap();
        let day = serde_json::to_value(Day::of(date, &facts())).unwrap();
        for (pointer, expected) in [
            ("/date", serde_json::json!("2026-01-31")),
            (
                "/research_metrics/jit_hypothesis/context_load_times",
                serde_json::json!([2.0]),
            ),
            (
                "/research_metrics/jit_hypothesis/memory_usage",
                serde_json::json!([]),
            ),
            (
                "/research_metrics/jit_hypothesis/agent_spawn_times",
                serde_json::json!([2.0]),
            ),
            (
                "/research_metrics/hub_spoke_hypothesis/routing_accuracy",
                serde_json::json!(0.5),
            ),
            (
                "/research_metrics/hub_spoke_hypothesis/peer_communication_violations",
                serde_json::json!(1),
            ),
            (
                "/research_metrics/tdd_hypothesis/handoff_success_rate",
                serde_json::json!(0.75),
            ),
            (
                "/research_metrics/tdd_hypothesis/integration_defects",
                serde_json::json!(1),
            ),
            (
                "/research_metrics/tdd_hypothesis/test_coverage",
                serde_json::json!(null),
            ),
            ("/performance_metrics/tool_executions", serde_json::json!(3)),
            ("/performance_metrics/agent_handoffs", serde_json::json!(1)),
            (
                "/performance_metrics/directive_violations",
                serde_json::json!(1),
            ),
            ("/performance_metrics/quality_gates", serde_json::json!(1)),
            ("/system_health/uptime", serde_json::json!(60)),
            ("/system_health/error_rate", serde_json::json!(1.0 / 3.0)),
        ] {
            assert_eq!(day.pointer(pointer), Some(&expected), "{pointer}");
        }
        let nothing = Day::of(date, &Facts::default());
        assert_eq!(nothing.system_health.error_rate, None);
    }

    #[test]
    fn f46_b_a_line_that_names_two_agents_is_a_violation() {
        for (text, expected) in [
            ("ask the unit-testing-agent and the research-agent", 1),
            ("a-agent -> B-AGENT\nc-agent\nb-agent, c-agent", 2),
            ("a-agent and again a-agent", 0),
            ("agent and sub-agents", 0),
            ("-agent x-agent", 0),
        ] {
            assert_eq!(peer_violations(text), expected, "{text}");
        }
    }

    #[test]
    fn f46_c_a_report_has_samples_and_confidence() {
        for (samples, expected) in [
            (0, 0.5),
            (29, 0.5),
            (30, 0.7),
            (100, 0.85),
            (500, 0.9),
            (1_000, 0.95),
        ] {
            assert!(
                (confidence(samples) - expected).abs() < f64::EPSILON,
                "{samples}"
            );
        }
        let report = Report::of(&facts());
        let [bash, read] = report.tools.as_slice() else {
            panic!("{report:?}");
        };
        assert_eq!(
            (bash.name.as_str(), bash.samples, bash.failed),
            ("Bash", 2, 1)
        );
        assert_eq!((read.samples, read.mean_ms), (1, Some(10.0)));
        assert_eq!(report.agents.len(), 1);
        assert_eq!(report.days.first().map(|it| it.samples), Some(3));
    }
}
