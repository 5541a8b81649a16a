//! `cargo xtask bench daemon`: how many events are decided and committed in a second, and what that takes in memory.

use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::Result;
use lexopt::prelude::*;
use serde_json::{Value, json};

use super::figures::{Spread, median};
use super::load::{Load, Measured, Style, Until};
use super::stage::Stage;
use super::{Bound, COMMAND, Limit, SLOWER_LIMIT, verdict};
use crate::programs::{Network, ProgramSource, Programs};
use crate::{Outcome, unexpected};

const RATE_LIMIT: f64 = 20_000.0;
const IDLE_LIMIT: f64 = 16.0;
const MEMORY_LIMIT: f64 = 64.0;
/// The limit is for this many.
const CONNECTIONS: usize = 32;
const GROWTH: [usize; 5] = [1, 4, CONNECTIONS, 128, 256];
const WARM_UP: u64 = 500;

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let (mut events, mut seconds, mut as_json) = (1_000_000_u64, 5.0, false);
    let mut growth = GROWTH.to_vec();
    let mut programs = ProgramSource::Source(Network::Online);
    let mut against = None;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("events") => events = arguments.value()?.parse()?,
            Long("seconds") => seconds = arguments.value()?.parse()?,
            Long("connections") => growth = vec![arguments.value()?.parse()?],
            Long("json") => as_json = true,
            Long("offline") => programs = ProgramSource::Source(Network::Offline),
            Long("programs") => programs = ProgramSource::Folder(arguments.value()?.into()),
            Long("against") => against = Some(ProgramSource::Folder(arguments.value()?.into())),
            other => return Err(unexpected(&other)),
        }
    }
    let window = Until::Elapsed(Duration::try_from_secs_f64(seconds)?);
    let built = programs.take()?;
    let (stage, mut load) = warm(built)?;
    // With its project loaded, and nothing to do.
    let idle = stage.memory()?;
    let mut other = against.map(|from| warm(from.take()?)).transpose()?;

    let cores = available_parallelism().map_or(1, usize::from);
    eprintln!(
        "{cores} cores, shared with the load; store in {}",
        stage.folder().display()
    );
    let (mut rows, mut other_rows) = (Vec::new(), Vec::new());
    for (connections, style) in growth
        .iter()
        .map(|connections| (*connections, Style::Persistent))
        .chain([(CONNECTIONS, Style::Fresh)])
    {
        let row = Row::of(connections, style, &load.run(connections, style, window)?);
        eprintln!("{}", row.line());
        rows.push(row);
        if let Some((_, load)) = &mut other {
            let row = Row::of(connections, style, &load.run(connections, style, window)?);
            eprintln!("{}, compared with", row.line());
            other_rows.push(row);
        }
    }
    if let Some(rest) = events.checked_sub(load.answered()).filter(|rest| *rest > 0) {
        eprintln!("{rest} more events, to see what stays in memory");
        load.run(CONNECTIONS, Style::Persistent, Until::Events(rest))?;
    }
    let full = stage.memory()?;
    load.check_all_kept(&stage)?;
    let answered = load.answered();

    let mut limits = limits(&rows, idle, full);
    if let Some((stage, load)) = &other {
        load.check_all_kept(stage)?;
        limits.push(Limit {
            what: "events a second, compared with, to ours",
            measured: faster(&rows, &other_rows),
            bound: Bound::AtMost(SLOWER_LIMIT),
        });
    }
    if as_json {
        let document = json!({
            "cores": cores,
            "rates": rows.iter().map(Row::json).collect::<Vec<_>>(),
            "compared_with": other_rows.iter().map(Row::json).collect::<Vec<_>>(),
            "memory_mb": {"idle": idle, "after": full},
            "events": answered,
            "limits": limits.iter().map(Limit::json).collect::<Vec<_>>(),
        });
        println!("{document:#}");
    } else {
        println!("all {answered} events that were answered are in the store");
        for limit in &limits {
            println!("{}", limit.line());
        }
        if full.is_none() {
            println!("memory: this system does not tell");
        }
    }
    Ok(verdict(&limits))
}

/// A daemon that has its project loaded, and the load for it.
fn warm(programs: Programs) -> Result<(Stage, Load)> {
    let stage = Stage::new(&programs.bowline)?;
    let mut load = Load::new(&stage, &[COMMAND])?;
    load.run(1, Style::Persistent, Until::Events(WARM_UP))?;
    Ok((stage, load))
}

/// How much faster the other programs are, in the middle of all rows.
fn faster(rows: &[Row], others: &[Row]) -> f64 {
    median(
        rows.iter()
            .zip(others)
            .map(|(own, other)| other.rate / own.rate),
    )
}

fn limits(rows: &[Row], idle: Option<f64>, full: Option<f64>) -> Vec<Limit> {
    let rate = rows
        .iter()
        .find(|row| row.connections == CONNECTIONS && row.style == Style::Persistent)
        .map_or(f64::NAN, |row| row.rate);
    let mut limits = vec![Limit {
        what: "events a second over 32 connections",
        measured: rate,
        bound: Bound::AtLeast(RATE_LIMIT),
    }];
    for (what, memory, limit) in [
        ("memory when idle, in MB", idle, IDLE_LIMIT),
        ("memory after all events, in MB", full, MEMORY_LIMIT),
    ] {
        limits.extend(memory.map(|measured| Limit {
            what,
            measured,
            bound: Bound::AtMost(limit),
        }));
    }
    limits
}

/// One line of the table.
#[derive(Debug)]
struct Row {
    connections: usize,
    style: Style,
    rate: f64,
    latency: Spread,
}

impl Row {
    fn of(connections: usize, style: Style, measured: &Measured) -> Self {
        Self {
            connections,
            style,
            rate: measured.per_second(),
            latency: Spread::of(&measured.latencies),
        }
    }

    fn line(&self) -> String {
        let style = match self.style {
            Style::Persistent => "",
            Style::Fresh => ", a new one for every event",
        };
        format!(
            "{:>4} connections: {:>7.0} events/s, median {:>6.0} µs, p99 {:>7.0} µs{style}",
            self.connections, self.rate, self.latency.median, self.latency.p99
        )
    }

    fn json(&self) -> Value {
        json!({
            "connections": self.connections,
            "fresh": self.style == Style::Fresh,
            "events_per_second": self.rate,
            "median_us": self.latency.median,
            "p99_us": self.latency.p99,
        })
    }
}
