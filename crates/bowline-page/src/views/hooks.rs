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
            table.cards {
                caption.hidden { "Hooks by name" }
                thead { tr {
                    th scope="col" { "Hook" }
                    th scope="col" { "Last run" }
                    th scope="col" { "Said last" }
                    th.number scope="col" { "Runs" }
                    th.number scope="col" { "Failed" }
                    th.number scope="col" { "Half within" }
                    th.number scope="col" { "99 % within" }
                    th scope="col" { "Last failure" }
                } }
                tbody { @for hook in hooks { tr {
                    td data-label="Hook" { (brief(&hook.name, 80)) }
                    td data-label="Last run" { (ago(hook.last_fired, now)) }
                    td data-label="Said last" { (said(hook.last_decision)) }
                    td.number data-label="Runs" { (hook.fired) }
                    td.number data-label="Failed" { @if hook.failed > 0 { span.state.bad { (hook.failed) } } @else { "0" } }
                    td.number data-label="Half within" { (time(hook.p50)) }
                    td.number data-label="99 % within" { (time(hook.p99)) }
                    td data-label="Last failure" {
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
