//! Prices sums of tokens, and puts them into lines for people.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::prices::{Prices, Usd};
use super::usage::{Band, Tokens};

/// What costs are added up by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The day, where the reader is.
    #[default]
    Day,
    /// The model.
    Model,
    /// The session.
    Session,
    /// The effort that the session was last in.
    Effort,
    /// The tools that the message calls, in equal parts.
    Tool,
    /// The session's own agent, or the kind of its sub-agents.
    Agent,
    /// The project.
    Project,
}

/// What messages that have these in common used together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// What they are added up by; empty where they have none of it. Several tools are separated by commas.
    pub key: String,
    /// The model.
    pub model: String,
    /// The day, in UTC, because prices change then.
    pub day: NaiveDate,
    /// How long their prompts were.
    pub band: Band,
    /// How many messages.
    pub messages: u64,
    /// What they used.
    pub tokens: Tokens,
}

/// One line of a report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What it is about.
    pub key: String,
    /// How many messages. A message that calls several tools counts for each of them.
    pub messages: u64,
    /// What they used.
    pub tokens: Tokens,
    /// What that costs, as far as the prices are known.
    pub cost: Usd,
    /// The part of `tokens` whose price is not known.
    pub unpriced: Tokens,
}

/// A report.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Its lines: days by time, everything else the dearest first.
    pub lines: Vec<Line>,
    /// The models whose prices are not known.
    pub unpriced_models: Vec<String>,
    /// How many messages there are.
    pub messages: u64,
    /// The tokens of all.
    pub tokens: Tokens,
    /// The cost of all, as far as the prices are known.
    pub cost: Usd,
}

/// What sums cost, as far as their prices are known.
pub fn cost(spent: &[Spent], prices: &Prices) -> Usd {
    let costs = spent
        .iter()
        .filter_map(|it| prices.cost(&it.model, it.day, it.band, &it.tokens));
    costs.sum()
}

/// Prices sums.
pub fn report(by: By, spent: &[Spent], prices: &Prices) -> Report {
    let mut report = Report::default();
    let mut lines: BTreeMap<&str, Line> = BTreeMap::new();
    for it in spent {
        let price = prices.find(&it.model, it.day, it.band);
        report.messages += it.messages;
        report.tokens += it.tokens;
        if let Some(price) = price {
            report.cost += price.of(&it.tokens);
        } else if !report.unpriced_models.contains(&it.model) {
            report.unpriced_models.push(it.model.clone());
        }
        let keys: Vec<&str> = match by {
            By::Tool => it.key.split(',').collect(),
            _ => vec![&it.key],
        };
        for (number, key) in (0..).zip(&keys) {
            let tokens = it.tokens.part(number, keys.len() as u64);
            let line = lines.entry(key).or_default();
            line.messages += it.messages;
            line.tokens += tokens;
            match price {
                Some(price) => line.cost += price.of(&tokens),
                None => line.unpriced += tokens,
            }
        }
    }
    report.unpriced_models.sort_unstable();
    let lines = lines.into_iter().map(|(key, line)| Line {
        key: key.to_owned(),
        ..line
    });
    report.lines = lines.collect();
    if by != By::Day {
        report
            .lines
            .sort_by_key(|it| std::cmp::Reverse((it.cost, it.tokens.total())));
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(key: &str, model: &str, input: u64) -> Spent {
        Spent {
            key: key.to_owned(),
            model: model.to_owned(),
            day: "2026-11-15".parse().unwrap(),
            band: Band::Short,
            messages: 1,
            tokens: Tokens {
                input,
                ..Tokens::default()
            },
        }
    }

    #[test]
    fn what_has_no_price_is_counted_and_named() {
        let all = [
            spent("b", "claude-opus-4-8", 1_000_000),
            spent("a", "local", 5),
            spent("a", "claude-opus-4-8", 2_000_000),
        ];
        let report = report(By::Session, &all, &Prices::default());
        let keys: Vec<_> = report.lines.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(keys, ["a", "b"]);
        let line = &report.lines[0];
        assert_eq!((line.tokens.input, line.unpriced.input), (2_000_005, 5));
        assert_eq!((line.messages, line.cost), (2, Usd(10_000_000_000)));
        assert_eq!(
            (report.tokens.input, report.cost),
            (3_000_005, Usd(15_000_000_000))
        );
        assert_eq!(report.unpriced_models, ["local"]);
        assert_eq!(cost(&all, &Prices::default()), report.cost);
    }

    #[test]
    fn a_message_that_calls_several_tools_is_divided() {
        let all = [
            spent("Bash,Read", "claude-opus-4-8", 7),
            spent("", "claude-opus-4-8", 2),
            spent("Read", "claude-opus-4-8", 1),
        ];
        let report = report(By::Tool, &all, &Prices::default());
        let lines: Vec<_> = report
            .lines
            .iter()
            .map(|it| (it.key.as_str(), it.tokens.input))
            .collect();
        assert_eq!(lines, [("Bash", 4), ("Read", 4), ("", 2)]);
        assert_eq!(report.tokens.input, 10);
    }

    #[test]
    fn days_are_in_order() {
        let days = ["2026-11-14", "2026-11-15"].map(|it| spent(it, "claude-opus-4-8", 1));
        let report = report(By::Day, &days, &Prices::default());
        assert_eq!(report.lines[0].key, "2026-11-14");
    }
}
