//! Lets an agent's work count as done only if the project's tests and its build pass.
//!
//! The project's own commands run as a child process with the caller's environment, and end with it. The exit status decides. What a
//! project holds is tested once: the result is kept by its content, and the agent is sent back once for it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bowline::hooks::{
    EnvBase, ExecutionResult, Hook, HookContext, HookEvent, HookInput, Match, Opinion, RunPolicy,
    ScriptExecutor,
};
use bowline::settings::{TestConfig, TestGate};
use bowline_guard::secrets::redact;
use bowline_guidance::checkpoint;
use bowline_guidance::project_tests::{Commands, Root, tests_of_project};
use bowline_guidance::test_output::Runner;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::report::{self, Report, Sent};
use super::testing::Sign;
use super::{Ground, tree};
use crate::assemble::BuiltinHook;

const NAME: &str = "tests";
const SUMMARY: &str =
    "runs the project's tests and its build before an agent's work counts as done";
/// Before the other hooks that send agents somewhere.
const PRIORITY: i32 = 30;

/// So many results are kept for a project, and so many of what a session was told.
const MAX_KEPT: usize = 32;
/// So many names of failed tests are told.
const MAX_NAMES: usize = 5;
/// A larger manifest is not read.
const MAX_MANIFEST: u64 = 1 << 20;
/// Looking at the project's files takes no longer than this. After that its content counts as unknown.
const LOOK_WITHIN: Duration = Duration::from_secs(5);
/// What the hook itself may take beside the commands.
const MARGIN: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(super) struct TestHook {
    ground: Arc<Ground>,
    events: Vec<HookEvent>,
    /// One run at a time. Whoever has waited finds the result.
    running: Mutex<()>,
}

/// How a project did, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "how")]
enum Verdict {
    Passed,
    TestsFail {
        command: String,
        names: Vec<String>,
        count: Option<usize>,
        excerpt: String,
    },
    BuildFails {
        command: String,
        excerpt: String,
    },
    TooLong {
        command: String,
        seconds: u64,
    },
    /// It says nothing about the project.
    CannotRun {
        command: String,
        code: i32,
    },
}

/// The results of a project, the last ones last.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Results {
    results: Vec<Tested>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Tested {
    /// What was tested, and how.
    what: String,
    verdict: Verdict,
}

/// What a session was sent back for.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    what: Vec<String>,
}

impl TestHook {
    pub(super) fn builtin(ground: &Arc<Ground>) -> Option<BuiltinHook> {
        let events = match ground.config.tests.gate {
            TestGate::Handoff => report::EVENTS.to_vec(),
            TestGate::Stop => [report::EVENTS, &[HookEvent::Stop]].concat(),
            _ => return None,
        };
        let hook = Self {
            ground: Arc::clone(ground),
            events,
            running: Mutex::default(),
        };
        Some(BuiltinHook::of_all_tools(hook, SUMMARY).with_programs())
    }

    fn config(&self) -> &TestConfig {
        &self.ground.config.tests
    }

    /// Whether a report says that work is done which has to be tested.
    fn is_ready(&self, report: &Report) -> Match {
        let config = self.config();
        if report.agent == config.validator {
            return Match::No("the agent validates itself".to_owned());
        }
        if report.text.contains(&config.marker) {
            return Match::Yes;
        }
        Match::No(format!("the report does not contain {}", config.marker))
    }

    /// What shows that the project works: what the settings say, else what its files do.
    async fn commands(&self) -> Option<Commands> {
        let config = self.config();
        if let Some(test) = &config.test {
            return Some(Commands {
                test: test.clone(),
                build: config.build.clone(),
                runner: Runner::of_command(test),
            });
        }
        let project = self.ground.project.clone();
        let mut found = aside(move || found_in(&project)).await.flatten()?;
        if config.build.is_some() {
            found.build.clone_from(&config.build);
        }
        Some(found)
    }

    /// A name for what is tested, and how; `None` if the project's content is not known.
    async fn what(&self, commands: &Commands) -> Option<String> {
        let (machine, project) = (
            Arc::clone(&self.ground.machine),
            self.ground.project.clone(),
        );
        let content = aside(move || tree::content_name(&machine, &project))
            .await
            .flatten()?;
        let build = commands.build.as_deref().unwrap_or_default();
        Some(format!("{content}\n{}\n{build}", commands.test))
    }

    async fn verdict(
        &self,
        what: Option<&String>,
        commands: &Commands,
        ctx: &HookContext,
    ) -> bowline::Result<Verdict> {
        let project = self.ground.project.to_string_lossy();
        let memory = &self.ground.memory;
        let known = what.and_then(|what| {
            memory.of_project(NAME, &project, ctx, |known: &mut Results| {
                let known = known.results.iter().find(|it| it.what == *what);
                known.map(|it| it.verdict.clone())
            })
        });
        if let Some(known) = known {
            return Ok(known);
        }
        let verdict = self.run(commands, ctx).await?;
        // How long something takes, and whether a program is there, says nothing about the content.
        let is_lasting = !matches!(verdict, Verdict::TooLong { .. } | Verdict::CannotRun { .. });
        if let Some(what) = what.filter(|_| is_lasting) {
            let verdict = verdict.clone();
            memory.of_project(NAME, &project, ctx, |known: &mut Results| {
                if known.results.len() >= MAX_KEPT {
                    known.results.remove(0);
                }
                let what = what.clone();
                known.results.push(Tested { what, verdict });
            });
        }
        Ok(verdict)
    }

    async fn run(&self, commands: &Commands, ctx: &HookContext) -> bowline::Result<Verdict> {
        let config = self.config();
        let sign = Sign::new(
            self.ground.data_folder.as_deref(),
            &ctx.session_id,
            &self.ground.project,
            1 + usize::from(commands.build.is_some()),
        );
        let ended = self
            .execute(&commands.test, config.test_timeout, &sign, ctx)
            .await?;
        if let Some(verdict) = without_result(&commands.test, config.test_timeout, &ended) {
            return Ok(verdict);
        }
        if ended.exit_code != 0 {
            let failures = commands.runner.failures(&printed(&ended));
            return Ok(Verdict::TestsFail {
                command: commands.test.clone(),
                names: failures
                    .names
                    .iter()
                    .map(|it| redact(it).into_owned())
                    .collect(),
                count: failures.count,
                excerpt: redact(&failures.excerpt).into_owned(),
            });
        }
        let Some(build) = &commands.build else {
            return Ok(Verdict::Passed);
        };
        let ended = self
            .execute(build, config.build_timeout, &sign, ctx)
            .await?;
        if let Some(verdict) = without_result(build, config.build_timeout, &ended) {
            return Ok(verdict);
        }
        if ended.exit_code == 0 {
            return Ok(Verdict::Passed);
        }
        let failures = Runner::of_command(build).failures(&printed(&ended));
        Ok(Verdict::BuildFails {
            command: build.clone(),
            excerpt: redact(&failures.excerpt).into_owned(),
        })
    }

    async fn execute(
        &self,
        command: &str,
        timeout: Duration,
        sign: &Sign,
        ctx: &HookContext,
    ) -> bowline::Result<ExecutionResult> {
        sign.begins(command, timeout);
        ScriptExecutor::new()
            .timeout(timeout)
            .cwd(&self.ground.project)
            .environment(EnvBase::Context)
            .execute_watched(command, ctx.env.clone(), &|printed| sign.printed(printed))
            .await
    }

    /// What the agent is told about a verdict, and the rule that it follows from.
    fn text(&self, verdict: &Verdict) -> Option<(String, &'static str)> {
        let advice = &self.ground.advice;
        match verdict {
            Verdict::Passed | Verdict::CannotRun { .. } => None,
            Verdict::TestsFail {
                command,
                names,
                count,
                excerpt,
            } => {
                let count = match count {
                    Some(1) => "1 test fails".to_owned(),
                    Some(count) => format!("{count} tests fail"),
                    None => "The tests fail".to_owned(),
                };
                let values = [
                    ("count", count.as_str()),
                    ("command", command),
                    ("names", &listed(names)),
                    ("output", excerpt),
                ];
                let text = advice.render(&checkpoint::TESTS_FAIL, &values)?;
                Some((text, "tests.failed"))
            }
            Verdict::BuildFails { command, excerpt } => {
                let values = [("command", command.as_str()), ("output", excerpt)];
                let text = advice.render(&checkpoint::BUILD_FAILS, &values)?;
                Some((text, "tests.build"))
            }
            Verdict::TooLong { command, seconds } => {
                let seconds = seconds.to_string();
                let values = [("command", command.as_str()), ("seconds", &seconds)];
                let text = advice.render(&checkpoint::TOO_LONG, &values)?;
                Some((text, "tests.time"))
            }
        }
    }

    /// Whether the session is told this for the first time. Work of unknown content is known by the run that made it.
    fn is_first(
        &self,
        what: Option<String>,
        report: Option<&Report>,
        input: &HookInput,
        ctx: &HookContext,
    ) -> bool {
        let run = || {
            let id = report.and_then(|report| report.id.clone());
            format!("run {}", id.unwrap_or_default())
        };
        let what = what.unwrap_or_else(run);
        let memory = &self.ground.memory;
        memory.of_session(NAME, input, ctx, |told: &mut Told| {
            if told.what.contains(&what) {
                return false;
            }
            if told.what.len() >= MAX_KEPT {
                told.what.remove(0);
            }
            told.what.push(what);
            true
        })
    }
}

/// Does something that may take long where it holds up nobody; `None` if it takes too long.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let work = tokio::task::spawn_blocking(work);
    tokio::time::timeout(LOOK_WITHIN, work).await.ok()?.ok()
}

fn found_in(project: &Path) -> Option<Commands> {
    let has = |name: &str| project.join(name).exists();
    let read = |name: &str| {
        let path = project.join(name);
        let metadata = std::fs::metadata(&path).ok()?;
        let is_small = metadata.is_file() && metadata.len() <= MAX_MANIFEST;
        is_small
            .then(|| std::fs::read_to_string(path).ok())
            .flatten()
    };
    let (has, read) = (&has, &read);
    tests_of_project(&Root { has, read })
}

/// What it means that a command did not come to its end. A shell exits with 126 or 127 if it cannot start a program.
fn without_result(command: &str, limit: Duration, ended: &ExecutionResult) -> Option<Verdict> {
    let command = command.to_owned();
    if ended.timed_out {
        let seconds = limit.as_secs();
        return Some(Verdict::TooLong { command, seconds });
    }
    let code = ended.exit_code;
    matches!(code, 126 | 127).then_some(Verdict::CannotRun { command, code })
}

fn printed(ended: &ExecutionResult) -> String {
    format!("{}\n{}", ended.stdout, ended.stderr)
}

/// The first names, and how many more there are.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let first: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    let more = match names.len().saturating_sub(MAX_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(": {}{more}", first.join(", "))
}

#[async_trait]
impl Hook for TestHook {
    fn name(&self) -> &str {
        NAME
    }

    fn events(&self) -> &[HookEvent] {
        &self.events
    }

    fn priority(&self) -> i32 {
        PRIORITY
    }

    fn timeout(&self) -> Duration {
        let config = self.config();
        config.test_timeout + config.build_timeout + MARGIN
    }

    fn policy(&self) -> RunPolicy {
        RunPolicy::fail_open().whole()
    }

    fn matches(&self, input: &HookInput) -> Match {
        if input.event_type() == HookEvent::Stop {
            if input.stop_hook_active() {
                return Match::No("the agent was sent on already".to_owned());
            }
            return Match::Yes;
        }
        if let no @ Match::No(_) = report::may_come_with(input) {
            return no;
        }
        // A report that stands only in a file is read later, where that holds up nobody.
        if report::is_in_a_file(input) {
            return Match::Yes;
        }
        match Report::of(input) {
            Some(report) => self.is_ready(&report),
            None => Match::No("there is no report".to_owned()),
        }
    }

    async fn opinion(&self, input: &HookInput, ctx: &HookContext) -> bowline::Result<Opinion> {
        let report = Report::of(input);
        let ends = input.event_type() == HookEvent::Stop;
        let is_ready = |report: &Report| self.is_ready(report) == Match::Yes;
        if !ends && !report.as_ref().is_some_and(is_ready) {
            return Ok(Opinion::allow());
        }
        let Some(commands) = self.commands().await else {
            let missing = "no test command was found: set `test` in `[tests]`";
            return Ok(Opinion::allow().warning(missing));
        };
        let _turn = self.running.lock().await;
        let what = self.what(&commands).await;
        let verdict = self.verdict(what.as_ref(), &commands, ctx).await?;
        if let Verdict::CannotRun { command, code } = &verdict {
            let text =
                format!("`{command}` cannot be run (exit code {code}), so nothing was tested");
            return Ok(Opinion::allow().warning(text));
        }
        let Some((text, rule)) = self.text(&verdict) else {
            return Ok(Opinion::allow());
        };
        if self.is_first(what, report.as_ref(), input, ctx) {
            Sent::of(ctx).set();
            return Ok(Opinion::block(text).by_rule(rule));
        }
        let first_line = text.lines().next().unwrap_or_default();
        let again = format!("Bowline: the agent was told before and ends now. {first_line}");
        Ok(Opinion::allow().system_message(again))
    }
}
