//! Charts as SVG. Colours come from the style sheet, and every number is beside the chart as text, too.

use bowline_store::{Trace, TraceStatus};
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::text::{brief, length, link, milliseconds, short_id};

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) label: String,
    pub(crate) value: f64,
    /// The value for people.
    pub(crate) shown: String,
}

const WIDTH: f64 = 720.0;
/// The values of more bars do not fit beside each other.
const MOST_VALUES: usize = 8;

/// Upright bars, for days.
pub(crate) fn columns(name: &str, bars: &[Bar]) -> Markup {
    const HEIGHT: f64 = 180.0;
    const FOOT: f64 = 26.0;
    let most = greatest(bars);
    #[expect(clippy::cast_precision_loss, reason = "there are few bars")]
    let count = bars.len().max(1) as f64;
    let step = WIDTH / count;
    // As many labels as fit.
    let every = (bars.len() * 80 / 720).max(1);
    let has_values = bars.len() <= MOST_VALUES;
    html! {
        svg.upright viewBox=(format!("0 0 {WIDTH} {}", HEIGHT + FOOT)) role="img" aria-label=(name) {
            line.grid x1="0" x2=(WIDTH) y1=(HEIGHT) y2=(HEIGHT) {}
            @for (at, (x, bar)) in places(step).zip(bars).enumerate() {
                @let height = (HEIGHT - 28.0) * bar.value / most;
                rect.bar x=(round(x + step * 0.1)) y=(round(HEIGHT - height)) width=(round(step * 0.8)) height=(round(height)) {
                    title { (bar.label) ": " (bar.shown) }
                }
                @if has_values {
                    text x=(round(x + step * 0.5)) y=(round(HEIGHT - height - 6.0)) text-anchor="middle" { (bar.shown) }
                }
                @if at % every == 0 {
                    text.faint x=(round(x + step * 0.5)) y=(HEIGHT + 20.0) text-anchor="middle" { (bar.label) }
                }
            }
        }
    }
}

/// Lying bars, for what has names.
pub(crate) fn rows(name: &str, bars: &[Bar]) -> Markup {
    const ROW: f64 = 24.0;
    // They stand beside each other, so that half of a page is what they get.
    const HALF: f64 = 540.0;
    const NAMES: f64 = 210.0;
    const NUMBERS: f64 = 80.0;
    let most = greatest(bars);
    #[expect(clippy::cast_precision_loss, reason = "there are few bars")]
    let height = bars.len() as f64 * ROW;
    html! {
        svg.lying viewBox=(format!("0 0 {HALF} {height}")) role="img" aria-label=(name) {
            @for (y, bar) in places(ROW).zip(bars) {
                @let width = (HALF - NAMES - NUMBERS) * bar.value / most;
                text x="0" y=(y + 16.0) { (brief(&bar.label, 30)) }
                rect.bar x=(NAMES) y=(y + 4.0) width=(round(width)) height=(ROW - 8.0) { title { (bar.label) ": " (bar.shown) } }
                text x=(round(NAMES + width + 6.0)) y=(y + 16.0) { (bar.shown) }
            }
        }
    }
}

fn places(step: f64) -> impl Iterator<Item = f64> {
    (0..).map(move |at: u32| f64::from(at) * step)
}

fn greatest(bars: &[Bar]) -> f64 {
    let most = bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
    if most > 0.0 { most } else { 1.0 }
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

/// Tool calls over time, the calls of each sub-agent in a lane of their own. Calls of one lane that overlap are below each other.
pub(crate) fn waterfall(calls: &[Trace], now: DateTime<Utc>) -> Markup {
    const ROW: f64 = 20.0;
    const WIDE: f64 = 1200.0;
    const NAMES: f64 = 180.0;
    let begin = calls
        .iter()
        .map(|call| call.started_at)
        .min()
        .unwrap_or(now);
    let end = calls
        .iter()
        .map(|call| ended(call, now))
        .max()
        .unwrap_or(now);
    let all = milliseconds_between(begin, end).max(1.0);
    let x = |time| NAMES + (WIDE - NAMES) * milliseconds_between(begin, time) / all;
    let lanes = lanes(calls, now);
    let rows: usize = lanes.iter().map(|lane| lane.rows.len()).sum();
    #[expect(clippy::cast_precision_loss, reason = "there are few rows")]
    let height = (rows as f64 + 1.0) * ROW;
    let tops: Vec<usize> = lanes
        .iter()
        .scan(0, |top, lane| {
            let here = *top;
            *top += lane.rows.len();
            Some(here)
        })
        .collect();
    let name = format!("{} calls in {}", calls.len(), length(end - begin));
    html! {
        div.scroll tabindex="0" role="region" aria-label="Calls over time" {
            svg viewBox=(format!("0 0 {WIDE} {height}")) width=(WIDE) height=(height) role="group" aria-label=(name) {
                @for (lane, top) in lanes.iter().zip(tops) {
                    @for (at, (y, row)) in places(ROW).skip(top).zip(&lane.rows).enumerate() {
                        @if at == 0 {
                            line.grid x1="0" x2=(WIDE) y1=(y) y2=(y) {}
                            text x="0" y=(y + 14.0) { (brief(&lane.name, 24)) }
                        }
                        @for call in row {
                            (call_bar(call, y, ROW, x(call.started_at), x(ended(call, now))))
                        }
                    }
                }
                text.faint x=(NAMES) y=(height - 4.0) { "0 s" }
                text.faint x=(WIDE) y=(height - 4.0) text-anchor="end" { (milliseconds((end - begin).num_milliseconds())) }
            }
        }
    }
}

fn call_bar(call: &Trace, y: f64, row: f64, from: f64, to: f64) -> Markup {
    let what = brief(&bowline_daemon::rpc::traces::told(call.input.as_ref()), 120);
    let took = call.duration_ms.map(milliseconds).unwrap_or_default();
    let name = format!(
        "{} {what}: {} {took}",
        brief(&call.tool, 40),
        call.status.shown()
    );
    html! {
        a href=(link("call", &[("id", &call.tool_use_id)])) aria-label=(name) {
            rect class=(format!("bar {}", class_of(call.status))) x=(round(from)) y=(y + 3.0)
                width=(round((to - from).max(3.0))) height=(row - 6.0) { title { (name) } }
        }
    }
}

/// The colour of a status.
pub(crate) const fn class_of(status: TraceStatus) -> &'static str {
    match status {
        TraceStatus::Completed => "good",
        TraceStatus::Failed | TraceStatus::Timeout => "bad",
        TraceStatus::Denied | TraceStatus::Refused | TraceStatus::Cancelled => "attention",
        _ => "faint",
    }
}

fn ended(call: &Trace, now: DateTime<Utc>) -> DateTime<Utc> {
    let is_open = call.status == TraceStatus::Started;
    call.ended_at
        .unwrap_or(if is_open { now } else { call.started_at })
}

fn milliseconds_between(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is only drawn")]
    let milliseconds = (to - from).num_milliseconds() as f64;
    milliseconds.max(0.0)
}

/// The calls of one agent or sub-agent.
struct Lane<'a> {
    name: String,
    rows: Vec<Vec<&'a Trace>>,
}

/// One lane for each, in the order in which they began.
fn lanes(calls: &[Trace], now: DateTime<Utc>) -> Vec<Lane<'_>> {
    let mut lanes: Vec<(Option<&str>, Lane<'_>)> = Vec::new();
    for call in calls {
        let agent = call.subagent.as_deref();
        if !lanes.iter().any(|(of, _)| *of == agent) {
            let name = agent.map_or_else(
                || "main".to_owned(),
                |id| format!("sub-agent {}", short_id(id)),
            );
            let rows = Vec::new();
            lanes.push((agent, Lane { name, rows }));
        }
        let Some((_, lane)) = lanes.iter_mut().find(|(of, _)| *of == agent) else {
            continue;
        };
        let fits = |row: &&mut Vec<&Trace>| {
            row.last()
                .is_none_or(|last| ended(last, now) <= call.started_at)
        };
        match lane.rows.iter_mut().find(fits) {
            Some(row) => row.push(call),
            None => lane.rows.push(vec![call]),
        }
    }
    lanes.into_iter().map(|(_, lane)| lane).collect()
}
