//! What was denied, by rule.

use bowline::hooks::Decision;
use bowline_store::Enforcement;
use serde_json::json;

use super::section::Section;
use super::{Answers, stopped};
use crate::ui::{Column, Text, style};

const COLUMNS: &[Column] = &[
    Column::whole("Rule", 16),
    Column::whole("Times", 5),
    Column::optional("Last", 9, 1),
    Column::rest("The last one"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let denied = answers.digest.decided.iter();
    let denied: Vec<_> = denied
        .filter(|it| it.decision == Decision::Deny && it.enforcement != Enforcement::Observed)
        .collect();
    let row = |it: &&bowline_store::RuleDigest| {
        let when = answers.when(it.last.decided.time);
        vec![
            stopped::who(it),
            Text::styled(it.count.to_string(), style::BAD),
            Text::styled(when, style::FAINT),
            stopped::what(&it.last).into(),
        ]
    };
    Section {
        key: "denied",
        title: "Denied",
        columns: COLUMNS,
        rows: denied.iter().map(row).collect(),
        document: denied
            .iter()
            .map(|it| json!({"rule": it.rule, "enforcement": it.enforcement, "count": it.count, "last": stopped::last(&it.last)}))
            .collect(),
    }
}
