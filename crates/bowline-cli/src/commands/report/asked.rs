//! What people were asked about, by rule, and what they answered.

use bowline::hooks::Decision;
use bowline_store::{Enforcement, RuleDigest};
use serde_json::json;

use super::section::Section;
use super::{Answers, stopped};
use crate::ui::{Column, Text, style};

const COLUMNS: &[Column] = &[
    Column::whole("Rule", 16),
    Column::whole("Times", 5),
    Column::whole("Ran", 3),
    Column::whole("Refused", 7),
    Column::whole("Unknown", 7),
    Column::rest("The last one"),
];

pub(super) fn section(answers: &Answers) -> Section {
    let asked = answers.digest.decided.iter();
    let asked: Vec<&RuleDigest> = asked
        .filter(|it| it.decision == Decision::Ask && it.enforcement != Enforcement::Observed)
        .collect();
    let row = |it: &&RuleDigest| {
        let number = |count: u64| match count {
            0 => Text::styled("-", style::FAINT),
            count => count.to_string().into(),
        };
        vec![
            stopped::who(it),
            Text::styled(it.count.to_string(), style::CAUTION),
            number(it.answers.ran),
            number(it.answers.refused),
            number(it.answers.unknown),
            stopped::what(&it.last).into(),
        ]
    };
    let document = |it: &&RuleDigest| {
        json!({
            "rule": it.rule,
            "count": it.count,
            "ran": it.answers.ran,
            "refused": it.answers.refused,
            "unknown": it.answers.unknown,
            "last": stopped::last(&it.last),
        })
    };
    Section {
        key: "asked",
        title: "Asked about, and what became of it",
        columns: COLUMNS,
        rows: asked.iter().map(row).collect(),
        document: asked.iter().map(document).collect(),
    }
}
