//! `cargo xtask bench hook`: how long an agent waits for one hook call.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bowline_agents::registration::{Canary, CanaryCall};
use bowline_agents::supported;
use lexopt::prelude::*;
use serde_json::{Value, json};

use super::figures::{Spread, median};
use super::load::traces;
use super::programs::{self, Contender, Payload};
use super::stage::Stage;
use super::{Bound, COMMAND, Limit, SLOWER_LIMIT, verdict};
use crate::programs::{Network, ProgramSource, is_static};
use crate::{Outcome, unexpected};

const MEDIAN_LIMIT: f64 = 1.4;
const TAIL_LIMIT: f64 = 2.5;
const CLIENT: &str = "bowline-hook";
/// The client of the programs that are compared with.
const OTHER_CLIENT: &str = "against";
/// The client of a daemon that has everything switched on.
const GUIDED_CLIENT: &str = "guided";
/// Everything that is off by itself, switched on as far as it lets calls pass.
const EVERYTHING: &str = include_str!("everything.toml");
/// At most this much may all of it add to the median, in microseconds.
const GUIDANCE_LIMIT: f64 = 300.0;
/// The agent that no other may be slower than.
const FIRST_AGENT: &str = "claude-code";
/// If an empty process is at times this much slower, the machine is too busy to measure anything.
const RESTLESS: f64 = 2.0;
/// At most this many runs may be discarded for that.
const DISCARDED: usize = 10;
const WARM_UP: usize = 50;
/// No question is answered with more rows than 10,000.
const CALLS_IN_SESSION: u64 = 5_000;

struct Options {
    rounds: usize,
    runs: usize,
    json: bool,
    programs: ProgramSource,
    /// Programs of another state, to compare with.
    against: Option<ProgramSource>,
    guidance: Guidance,
    agents: Agents,
}

/// Whether a daemon with everything switched on takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guidance {
    Off,
    Compared,
}

/// Whether the client takes part for every agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agents {
    ClaudeCode,
    All,
}

/// Who takes part, in the order of the table.
struct Field<'stage> {
    contenders: Vec<Contender<'stage>>,
    /// So many of the first change places from round to round.
    compared: usize,
}

/// The figures of one run, in the order of the table.
struct Run {
    spreads: Vec<Spread>,
    counts: bool,
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut options = Options {
        rounds: 1_000,
        runs: 5,
        json: false,
        programs: ProgramSource::Source(Network::Online),
        against: None,
        guidance: Guidance::Off,
        agents: Agents::ClaudeCode,
    };
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("rounds") => options.rounds = arguments.value()?.parse()?,
            Long("runs") => options.runs = arguments.value()?.parse()?,
            Long("json") => options.json = true,
            Long("offline") => options.programs = ProgramSource::Source(Network::Offline),
            Long("programs") => options.programs = ProgramSource::Folder(arguments.value()?.into()),
            Long("against") => {
                options.against = Some(ProgramSource::Folder(arguments.value()?.into()));
            }
            Long("agents") => options.agents = Agents::All,
            Long("guided") => options.guidance = Guidance::Compared,
            other => return Err(unexpected(&other)),
        }
    }
    ensure!(
        options.rounds > 0 && options.runs > 0,
        "at least one round and one run are needed"
    );
    let built = options.programs.take()?;
    let stage = Stage::new(&built.bowline)?;
    let against = options.against.map(ProgramSource::take).transpose()?;
    let other_stage = against
        .as_ref()
        .map(|other| Stage::new(&other.bowline))
        .transpose()?;
    let guided_stage = match options.guidance {
        Guidance::Off => None,
        Guidance::Compared => Some(Stage::with_settings(&built.bowline, EVERYTHING)?),
    };
    let (others, missing) = programs::others(&stage)?;
    let mut contenders = vec![
        programs::empty(&stage),
        programs::client(CLIENT, &built.hook, &stage),
    ];
    if let (Some(other), Some(other_stage)) = (&against, &other_stage) {
        contenders.push(programs::client(OTHER_CLIENT, &other.hook, other_stage));
    }
    if let Some(guided) = &guided_stage {
        contenders.push(programs::client(GUIDED_CLIENT, &built.hook, guided));
    }
    if options.agents == Agents::All {
        contenders.extend(programs::agents(&built.hook, &stage));
    }
    let compared = contenders.len();
    contenders.push(programs::shell(&stage));
    contenders.extend(others);
    let field = Field {
        contenders,
        compared,
    };
    let linked = if is_static(&built.hook)? {
        "static"
    } else {
        "dynamic"
    };
    eprintln!(
        "{} rounds a run, {linked} client; programs take turns",
        options.rounds
    );
    for line in &missing {
        eprintln!("{line}");
    }

    let mut calls = Calls::default();
    for _ in 0..WARM_UP {
        round(&field, &mut calls)?;
    }
    let mut runs: Vec<Run> = Vec::new();
    let counting = |runs: &[Run]| runs.iter().filter(|run| run.counts).count();
    while counting(&runs) < options.runs && runs.len() - counting(&runs) < DISCARDED {
        let run = measure(&field, &mut calls, options.rounds)?;
        report_run(&run, runs.len() + 1);
        runs.push(run);
    }
    for stage in [&stage]
        .into_iter()
        .chain(&other_stage)
        .chain(&guided_stage)
    {
        check_all_recorded(stage, &field, calls.made)?;
    }
    let quiet = counting(&runs) > 0;
    let counted: Vec<&Run> = runs.iter().filter(|run| run.counts || !quiet).collect();
    let table = summary(&field.contenders, &counted);
    let limits = limits(&table);
    if options.json {
        let document = json!({
            "rounds": options.rounds,
            "runs": counted.len(),
            "discarded": runs.len() - counting(&runs),
            "client": linked,
            "skipped": missing,
            "programs": table.iter().map(Row::json).collect::<Vec<_>>(),
            "limits": limits.iter().map(Limit::json).collect::<Vec<_>>(),
        });
        println!("{document:#}");
    } else {
        print_table(&table);
        for limit in &limits {
            println!("{}", limit.line());
        }
    }
    if !quiet {
        eprintln!(
            "No run counts: the machine is too restless to measure on. Nothing is proven by this."
        );
        return Ok(Outcome::Missed);
    }
    Ok(verdict(&limits))
}

fn measure(field: &Field<'_>, calls: &mut Calls, rounds: usize) -> Result<Run> {
    let mut times = vec![Vec::with_capacity(rounds); field.contenders.len()];
    for _ in 0..rounds {
        for (times, took) in times.iter_mut().zip(round(field, calls)?) {
            times.push(took);
        }
    }
    let spreads: Vec<Spread> = times.iter().map(|times| Spread::of(times)).collect();
    let counts = spreads
        .first()
        .is_some_and(|empty| empty.tail() <= RESTLESS);
    Ok(Run { spreads, counts })
}

/// Starts each once. Those that are compared change places from round to round, so that none of them always follows
/// whatever cools the caches most.
fn round(field: &Field<'_>, calls: &mut Calls) -> Result<Vec<Duration>> {
    let contenders = &field.contenders;
    let mut order: Vec<usize> = (0..contenders.len()).collect();
    if let Some(compared) = order.get_mut(..field.compared) {
        let places = compared.len().max(1);
        compared.rotate_left(usize::try_from(calls.made)? % places);
    }
    calls.made += 1;
    let mut took = vec![Duration::ZERO; contenders.len()];
    for index in order {
        if let (Some(contender), Some(slot)) = (contenders.get(index), took.get_mut(index)) {
            *slot = time(contender, &calls.payload(contender))?;
        }
    }
    Ok(took)
}

fn time(contender: &Contender<'_>, payload: &[u8]) -> Result<Duration> {
    let mut command = Command::new(&contender.program);
    command.args(&contender.arguments);
    contender.stage.surround(&mut command);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", contender.program.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // Those that read nothing may have ended already.
        let _ = stdin.write_all(payload);
    }
    let status = child.wait()?;
    let took = began.elapsed();
    ensure!(status.success(), "{}: {status}", contender.name);
    Ok(took)
}

/// The payloads: each is another call of the same session.
#[derive(Debug, Default)]
struct Calls {
    made: u64,
}

impl Calls {
    /// The current one, as this contender is told of it.
    fn payload(&self, contender: &Contender<'_>) -> Vec<u8> {
        let payload = match contender.payload {
            Payload::ClaudeCode => self.as_claude_code(&contender.stage.project()).to_string(),
            Payload::Canary(canary) => self.as_canary(canary, contender),
        };
        format!("{payload}\n").into_bytes()
    }

    /// The ids in it are those of `bowline doctor`; here each call has its own.
    fn as_canary(&self, canary: &Canary, contender: &Contender<'_>) -> String {
        let payload = (canary.payload)(&CanaryCall {
            session: &session(contender.name, self.made / CALLS_IN_SESSION),
            folder: &contender.stage.project().display().to_string(),
            command: COMMAND,
        });
        let own = |separator| format!("bowline{separator}{:024}", self.made);
        payload
            .to_string()
            .replace("bowline_doctor", &own('_'))
            .replace("bowline-doctor", &own('-'))
    }

    fn as_claude_code(&self, project: &Path) -> Value {
        json!({
            "session_id": session(CLIENT, self.made / CALLS_IN_SESSION),
            "transcript_path": "/home/ann/.claude/projects/shop/4d9f36a2.jsonl",
            "cwd": project,
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {
                "command": COMMAND,
                "description": "Run the tests"
            },
            "tool_use_id": format!("toolu_{:024}", self.made),
        })
    }
}

/// Every call was answered by the daemon, and every one is kept.
fn check_all_recorded(stage: &Stage, field: &Field<'_>, made: u64) -> Result<()> {
    let clients = field.contenders.iter().filter(|it| {
        std::ptr::eq(it.stage, stage) && it.arguments.iter().any(|it| it == "--on-failure")
    });
    let mut expected = 0;
    for client in clients {
        let name = match client.payload {
            Payload::ClaudeCode => CLIENT,
            Payload::Canary(_) => client.name,
        };
        let mut kept = 0;
        for number in 0..=made / CALLS_IN_SESSION {
            kept += traces(stage, &session(name, number), "started")?;
        }
        let of = client.name;
        ensure!(
            kept == made,
            "{of}: {kept} of {made} calls are in the store"
        );
        expected += made;
    }
    let status = stage.ask("daemon.status", Value::Null)?;
    let answered = status
        .get("events")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    ensure!(
        answered == expected,
        "the daemon has answered {answered} of {expected} calls; the others were decided without it"
    );
    Ok(())
}

fn session(name: &str, number: u64) -> String {
    format!("{name}-4d9f36a2-1c07-4b60-9d7e-{number:012}")
}

/// One line of the table.
struct Row {
    name: &'static str,
    spread: Spread,
    tail: f64,
    ratio: f64,
}

impl Row {
    fn json(&self) -> Value {
        json!({
            "name": self.name,
            "median_us": self.spread.median,
            "p99_us": self.spread.p99,
            "p99_to_median": self.tail,
            "ratio_to_true": self.ratio,
        })
    }
}

/// The median of all runs, figure by figure.
fn summary(contenders: &[Contender<'_>], runs: &[&Run]) -> Vec<Row> {
    let of = |index: usize, figure: &dyn Fn(Spread, Spread) -> f64| {
        median(runs.iter().filter_map(|run| {
            let empty = run.spreads.first()?;
            Some(figure(*run.spreads.get(index)?, *empty))
        }))
    };
    let row = |(index, contender): (usize, &Contender<'_>)| Row {
        name: contender.name,
        spread: Spread {
            median: of(index, &|own, _| own.median),
            p99: of(index, &|own, _| own.p99),
        },
        tail: of(index, &|own, _| own.tail()),
        ratio: of(index, &|own, empty| own.median / empty.median),
    };
    contenders.iter().enumerate().map(row).collect()
}

fn limits(table: &[Row]) -> Vec<Limit> {
    let named = |name: &str| table.iter().find(|row| row.name == name);
    let client = named(CLIENT);
    let figure = |figure: &dyn Fn(&Row) -> f64| client.map_or(f64::NAN, figure);
    let mut limits = vec![
        Limit {
            what: "median of bowline-hook to that of /bin/true",
            measured: figure(&|row| row.ratio),
            bound: Bound::AtMost(MEDIAN_LIMIT),
        },
        Limit {
            what: "p99 of bowline-hook to its own median",
            measured: figure(&|row| row.tail),
            bound: Bound::AtMost(TAIL_LIMIT),
        },
    ];
    limits.extend(named(OTHER_CLIENT).map(|other| Limit {
        what: "median of bowline-hook to that of the programs compared with",
        measured: figure(&|row| row.spread.median / other.spread.median),
        bound: Bound::AtMost(SLOWER_LIMIT),
    }));
    if let Some(first) = named(FIRST_AGENT) {
        let agents = table
            .iter()
            .filter(|row| supported().any(|(agent, _)| agent.name == row.name));
        limits.push(Limit {
            what: "median of the slowest agent to that of Claude Code",
            measured: agents
                .map(|row| row.spread.median / first.spread.median)
                .fold(0.0, f64::max),
            bound: Bound::AtMost(SLOWER_LIMIT),
        });
    }
    limits.extend(named(GUIDED_CLIENT).map(|guided| Limit {
        what: "what everything switched on adds to the median, in µs",
        measured: figure(&|row| guided.spread.median - row.spread.median),
        bound: Bound::AtMost(GUIDANCE_LIMIT),
    }));
    limits
}

fn report_run(run: &Run, number: usize) {
    let [empty, client, ..] = run.spreads.as_slice() else {
        return;
    };
    eprintln!(
        "run {number}: {:.2} times /bin/true, p99 {:.2} times the median{}",
        client.median / empty.median,
        client.tail(),
        if run.counts {
            String::new()
        } else {
            format!(
                " (not counted: the machine is restless, /bin/true has a p99 of {:.1} times its median)",
                empty.tail()
            )
        }
    );
}

fn print_table(table: &[Row]) {
    println!(
        "{:<14}{:>12}{:>12}{:>12}{:>16}",
        "", "median µs", "p99 µs", "p99/median", "to /bin/true"
    );
    for row in table {
        println!(
            "{:<14}{:>12.0}{:>12.0}{:>12.2}{:>15.2}×",
            row.name, row.spread.median, row.spread.p99, row.tail, row.ratio
        );
    }
}
