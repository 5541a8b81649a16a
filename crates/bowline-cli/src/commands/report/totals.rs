//! How much there was of everything.

use bowline::hooks::Decision;
use bowline_store::{Digest, Enforcement, TraceStatus};
use serde_json::json;

use super::Answers;
use super::section::Section;
use crate::ui::{Column, Text, style};

const COLUMNS: &[Column] = &[Column::whole("What", 20), Column::rest("How many")];

pub(super) fn section(answers: &Answers) -> Section {
    let digest = &answers.digest;
    let calls: u64 = digest.calls.iter().map(|it| it.count).sum();
    let is_ok = |status| status == TraceStatus::Completed;
    let ok = digest.calls.iter().filter(|it| is_ok(it.status));
    let (ok, failed): (u64, _) = (ok.map(|it| it.count).sum(), digest.failed);
    let (denied, asked) = (
        decided(digest, Decision::Deny),
        decided(digest, Decision::Ask),
    );
    let observed = observed(digest);
    let rows = [
        ("Sessions", digest.sessions, String::new()),
        ("Events", digest.events, String::new()),
        (
            "Tool calls",
            calls,
            format!(
                " ({ok} ok, {failed} failed, {} other)",
                calls.saturating_sub(ok + failed)
            ),
        ),
        ("Denied", denied, String::new()),
        ("Asked", asked, String::new()),
        ("Only observed", observed, String::new()),
    ];
    let row = |(what, count, more): (&'static str, u64, String)| {
        let count = Text::from(count.to_string()).with(more, style::FAINT);
        vec![Text::from(what), count]
    };
    Section {
        key: "totals",
        title: "In all",
        columns: COLUMNS,
        rows: rows.into_iter().map(row).collect(),
        document: json!({
            "sessions": digest.sessions,
            "events": digest.events,
            "calls": calls,
            "ok": ok,
            "failed": failed,
            "denied": denied,
            "asked": asked,
            "observed": observed,
        }),
    }
}

fn decided(digest: &Digest, wanted: Decision) -> u64 {
    let rules = digest
        .decided
        .iter()
        .filter(|it| it.decision == wanted && it.enforcement != Enforcement::Observed);
    rules.map(|it| it.count).sum()
}

fn observed(digest: &Digest) -> u64 {
    let rules = digest.decided.iter();
    let rules = rules.filter(|it| it.enforcement == Enforcement::Observed);
    rules.map(|it| it.count).sum()
}
