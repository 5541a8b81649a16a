//! `cargo xtask bench page`: what the page costs while agents work, with a store of a million calls.

mod readers;
mod scene;
mod visitor;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use lexopt::prelude::*;
use serde_json::json;

use super::figures::Spread;
use super::load::{Load, Pace, Style, Until, report};
use readers::{PAGES, Readers};
use scene::{Scene, View};
use visitor::Visitor;

use super::stage::Stage;
use super::{Bound, COMMAND, Limit, verdict};
use crate::programs::{Network, ProgramSource};
use crate::{Outcome, unexpected};

/// So many events a second, from so many agents.
const RATE: u32 = 500;
const AGENTS: usize = 8;
/// Each view is asked for this often.
const LOOKS: usize = 10;
/// This many events are followed from their decision to the page.
const PROBES: u32 = 50;
const PATIENCE: Duration = Duration::from_secs(10);

const FIRST_PAINT_MS: f64 = 200.0;
const ON_THE_PAGE_MS: f64 = 300.0;
const MEMORY_MB: f64 = 64.0;
/// Two runs of the same programs differ by about as much.
const SLOWER: f64 = 1.05;

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let (mut calls, mut seconds, mut as_json) = (1_000_000_u64, 20.0, false);
    let mut programs = ProgramSource::Source(Network::Online);
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("calls") => calls = arguments.value()?.parse()?,
            Long("seconds") => seconds = arguments.value()?.parse()?,
            Long("json") => as_json = true,
            Long("offline") => programs = ProgramSource::Source(Network::Offline),
            Long("programs") => programs = ProgramSource::Folder(arguments.value()?.into()),
            other => return Err(unexpected(&other)),
        }
    }
    let window = Duration::try_from_secs_f64(seconds)?;
    let bowline = programs.take()?.bowline;
    let stage = Stage::with_settings(&bowline, scene::SETTINGS)?;
    let mut load = Load::new(&stage, &[COMMAND])?;
    eprintln!("{calls} calls are recorded first");
    load.run(32, Style::Persistent, Until::Events(calls * 2))?;
    load.check_all_kept(&stage)?;

    eprintln!("{RATE} events a second, nobody looks on");
    let alone = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
    let page = Visitor::sign_in(&stage, &bowline)?;
    let readers = Readers::start(&page)?;
    eprintln!("the same, with {PAGES} pages open");
    let watched = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
    let again = {
        // Both states once more, in the other order, so that a machine that slows down favours none.
        let watched = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
        readers.pause();
        let alone = load.run_paced(AGENTS, Pace::per_second(RATE), window)?;
        readers.resume(&page)?;
        (alone, watched)
    };
    let latency = |first: &[Duration], second: &[Duration]| Spread::of(&[first, second].concat());
    let alone = latency(&alone.latencies, &again.0.latencies);
    let watched = latency(&watched.latencies, &again.1.latencies);

    let scene = Scene::set(&stage, &page)?;
    eprintln!("the views, while {RATE} events a second are decided");
    let stop = AtomicBool::new(false);
    readers.check()?;
    let (paints, delays, memory) = thread::scope(|scope| -> Result<_> {
        let busy = scope.spawn(|| load.run_paced_until(AGENTS, Pace::per_second(RATE), &stop));
        let measured = (|| {
            let paints = paints(&page, scene.views())?;
            let delays = delays(&stage, &readers)?;
            Ok((paints, delays, stage.memory()?))
        })();
        stop.store(true, Ordering::Release);
        busy.join()
            .map_err(|_| anyhow::anyhow!("the load panicked"))??;
        measured
    })?;
    load.check_all_kept(&stage)?;
    let shown = readers.check()?;

    let slowest = paints.iter().map(|(_, ms)| *ms).fold(0.0, f64::max);
    let latest = delays.iter().copied().fold(0.0, f64::max);
    let mut limits = vec![
        Limit {
            what: "first paint of the slowest view, in ms",
            measured: slowest,
            bound: Bound::AtMost(FIRST_PAINT_MS),
        },
        Limit {
            what: "from a decision to the page at the latest, in ms",
            measured: latest,
            bound: Bound::AtMost(ON_THE_PAGE_MS),
        },
        Limit {
            what: "median of a hook call with pages open, to without",
            measured: watched.median / alone.median,
            bound: Bound::AtMost(SLOWER),
        },
    ];
    limits.extend(memory.map(|measured| Limit {
        what: "memory with ten pages open, in MB",
        measured,
        bound: Bound::AtMost(MEMORY_MB),
    }));
    if as_json {
        let document = json!({
            "calls": calls,
            "views_ms": paints.iter().map(|(view, ms)| json!({"view": view, "slowest_ms": ms})).collect::<Vec<_>>(),
            "hook_us": {"alone": {"median": alone.median, "p99": alone.p99}, "watched": {"median": watched.median, "p99": watched.p99}},
            "on_the_page_ms": delays,
            "memory_mb": memory,
            "limits": limits.iter().map(Limit::json).collect::<Vec<_>>(),
        });
        println!("{document:#}");
    } else {
        for (view, ms) in &paints {
            println!("/{view:<44} {ms:>6.1} ms, the slowest of {LOOKS}");
        }
        println!("the open pages have shown what is new {shown} times");
        println!(
            "hook call: median {:.0} µs, p99 {:.0} µs alone; {:.0} and {:.0} with {PAGES} pages",
            alone.median, alone.p99, watched.median, watched.p99
        );
        for limit in &limits {
            println!("{}", limit.line());
        }
    }
    Ok(verdict(&limits))
}

/// How long each view takes until its last byte, in milliseconds: the slowest time of several.
fn paints<'views>(page: &Visitor, views: &'views [View]) -> Result<Vec<(&'views str, f64)>> {
    let paint = |view: &'views View| {
        let mut slowest: f64 = 0.0;
        for _ in 0..LOOKS {
            let began = Instant::now();
            page.look(&view.link)?;
            slowest = slowest.max(milliseconds(began.elapsed()));
        }
        Ok((&*view.link, slowest))
    };
    views.iter().map(paint).collect()
}

/// How long it takes from the answer to an agent until every page that shows events shows this one, in milliseconds.
fn delays(stage: &Stage, readers: &Readers) -> Result<Vec<f64>> {
    readers.forget();
    (0..PROBES)
        .map(|number| {
            let session = format!("probe-{number}-seen-on-the-page");
            let payload = json!({
                "session_id": session,
                "cwd": stage.project(),
                "hook_event_name": "PreToolUse",
                "tool_name": "Read",
                "tool_input": {"file_path": stage.project().join("README.md")},
                "tool_use_id": format!("toolu_probe_{number}"),
            });
            report(stage, payload.to_string().as_bytes())?;
            let decided = Instant::now();
            let shown = readers.wait_for(&session)?;
            Ok(milliseconds(shown.saturating_duration_since(decided)))
        })
        .collect()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
