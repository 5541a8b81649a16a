//! *Hooks*: which hooks live, and how long they take.

use std::time::Duration;

use bowline_store::HookFigures;
use chrono::{DateTime, Utc};
use maud::{Markup, html};

use super::parts::said;
use crate::text::{ago, brief, shown};

pub(crate) fn view(hooks: &[HookFigures], now: DateTime<Utc>) -> Markup {
    html! {
        h1 { "Hooks" }
        @if hooks.is_empty() {
            p { "No hook has run yet. " code { "bowline doctor" } " tells whether your agent asks Bowline." }
        } @else {
            p.summary { "The times are of the last 256 runs of each hook." }
            table.cards role="table" {
                caption.hidden { "Hooks by name" }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { "Hook" }
                    th role="columnheader" scope="col" { "Last run" }
                    th role="columnheader" scope="col" { "Said last" }
                    th.number role="columnheader" scope="col" { "Runs" }
                    th.number role="columnheader" scope="col" { "Failed" }
                    th.number role="columnheader" scope="col" { "Half within" }
                    th.number role="columnheader" scope="col" { "99 % within" }
                    th role="columnheader" scope="col" { "Last failure" }
                } }
                tbody role="rowgroup" { @for hook in hooks { tr role="row" {
                    td role="cell" data-label="Hook" { (brief(&hook.name, 80)) }
                    td role="cell" data-label="Last run" { (ago(hook.last_fired, now)) }
                    td role="cell" data-label="Said last" { (said(hook.last_decision)) }
                    td.number role="cell" data-label="Runs" { (hook.fired) }
                    td.number role="cell" data-label="Failed" { @if hook.failed > 0 { span.state.bad { (hook.failed) } } @else { "0" } }
                    td.number role="cell" data-label="Half within" { (time(hook.p50)) }
                    td.number role="cell" data-label="99 % within" { (time(hook.p99)) }
                    td role="cell" data-label="Last failure" {
                        @if let Some((at, failure)) = &hook.last_failure { (ago(*at, now)) ": " (shown(failure)) }
                    }
                } } }
            }
        }
    }
}

fn time(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}
