//! What would have been stopped where guards only observe.

use bowline_store::{Enforcement, RuleDigest};
use serde_json::json;

use super::section::Section;
use super::{Answers, stopped};
use crate::commands::log;
use crate::ui::{Column, Text};

const COLUMNS: &[Column] = &[
    Column::whole("Rule", 16),
    Column::whole("Times", 5),
    Column::whole("Would", 5),
    Column::rest("The last one"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let observed = answers.digest.decided.iter();
    let observed: Vec<&RuleDigest> = observed
        .filter(|it| it.enforcement == Enforcement::Observed)
        .collect();
    let row = |it: &&RuleDigest| {
        vec![
            stopped::who(it),
            Text::from(it.count.to_string()),
            log::decided(it.decision),
            stopped::what(&it.last).into(),
        ]
    };
    let document = |it: &&RuleDigest| {
        let decision = log::decided(it.decision).content().to_lowercase();
        json!({"rule": it.rule, "decision": decision, "count": it.count, "last": stopped::last(&it.last)})
    };
    Section {
        key: "observed",
        title: "Only observed: what would have been stopped",
        columns: COLUMNS,
        rows: observed.iter().map(row).collect(),
        document: observed.iter().map(document).collect(),
    }
}
