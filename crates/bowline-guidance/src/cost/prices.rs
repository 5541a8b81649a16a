//! What tokens cost: a dated table of the list prices of Claude's API, and prices that a person sets.
//!
//! A model that nobody gave a price has none: its tokens are counted, and that their price is not known is said.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::usage::{Band, Tokens};

/// When the built-in table was last compared with the published prices.
pub const CHECKED: &str = "2026-10-16";
/// Where the built-in prices are published.
pub const SOURCE: &str = "https://platform.claude.com/docs/en/about-claude/pricing";

/// Dollars, in billionths.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Usd(pub u64);

impl Usd {
    /// In dollars.
    #[expect(
        clippy::cast_precision_loss,
        reason = "amounts are far below 2^52 billionths of a dollar, and are only shown"
    )]
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// A part of it, in percent.
    #[must_use]
    pub fn percent(self, percent: u32) -> Self {
        let part = u128::from(self.0) * u128::from(percent) / 100;
        Self(u64::try_from(part).unwrap_or(u64::MAX))
    }
}

/// As people write it: `$0.42`; with more digits below a cent.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.dollars();
        match self.0 {
            0 => f.write_str("$0.00"),
            1..10_000_000 => write!(f, "${dollars:.4}"),
            _ => write!(f, "${dollars:.2}"),
        }
    }
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::default(), Add::add)
    }
}

/// What a token costs by its kind, in billionths of a dollar; a thousand of them are a dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Sent.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Put into the cache for some minutes.
    pub cache_write: u64,
    /// Put into the cache for an hour.
    pub cache_write_1h: u64,
    /// Taken from the cache.
    pub cache_read: u64,
}

impl Price {
    /// What so many tokens cost.
    pub fn of(&self, tokens: &Tokens) -> Usd {
        let short = tokens.cache_write.saturating_sub(tokens.cache_write_1h);
        let nanos = [
            (tokens.input, self.input),
            (tokens.output, self.output),
            (short, self.cache_write),
            (tokens.cache_write_1h, self.cache_write_1h),
            (tokens.cache_read, self.cache_read),
        ];
        let sum = nanos.iter().fold(0_u64, |sum, (count, price)| {
            sum.saturating_add(count.saturating_mul(*price))
        });
        Usd(sum)
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// The model.
    pub model: &'static str,
    /// The first day on which it holds; `None`: since there is the model.
    pub since: Option<&'static str>,
    /// The prompts for which it holds, from this length on.
    pub from: Band,
    /// The price.
    pub price: Price,
}

/// In thousandths of a dollar for a million tokens.
const fn price(
    input: u64,
    output: u64,
    cache_write: u64,
    cache_write_1h: u64,
    cache_read: u64,
) -> Price {
    Price {
        input,
        output,
        cache_write,
        cache_write_1h,
        cache_read,
    }
}

const fn row(model: &'static str, price: Price) -> Listed {
    Listed {
        model,
        since: None,
        from: Band::Short,
        price,
    }
}

const fn since(since: &'static str, row: Listed) -> Listed {
    Listed {
        since: Some(since),
        ..row
    }
}

const fn from(from: Band, row: Listed) -> Listed {
    Listed { from, ..row }
}

const FABLE: Price = price(10_000, 50_000, 12_500, 20_000, 1_000);
const OPUS: Price = price(5_000, 25_000, 6_250, 10_000, 500);
const OLD_OPUS: Price = price(15_000, 75_000, 18_750, 30_000, 1_500);
const SONNET: Price = price(2_000, 10_000, 2_500, 4_000, 200);
const OLD_SONNET: Price = price(3_000, 15_000, 3_750, 6_000, 300);
const LONG_SONNET: Price = price(6_000, 22_500, 7_500, 12_000, 600);

/// The built-in prices. Of the rows of a model the last one that holds counts.
pub const LISTED: &[Listed] = &[
    row(
        "claude-fable-5-1",
        Price {
            cache_read: 250,
            ..FABLE
        },
    ),
    row(
        "claude-mythos-5-1",
        Price {
            cache_read: 250,
            ..FABLE
        },
    ),
    row("claude-fable-5", FABLE),
    row("claude-mythos-5", FABLE),
    row("claude-opus-5-5", price(4_000, 20_000, 5_000, 8_000, 200)),
    row("claude-opus-5", OPUS),
    row("claude-opus-4-8", OPUS),
    row("claude-opus-4-7", OPUS),
    row("claude-opus-4-6", OPUS),
    row("claude-opus-4-5", OPUS),
    row("claude-opus-4-1", OLD_OPUS),
    row("claude-opus-4-0", OLD_OPUS),
    row("claude-opus-4", OLD_OPUS),
    row("claude-3-opus", OLD_OPUS),
    row("claude-sonnet-5-5", SONNET),
    since(
        "2026-10-07",
        row(
            "claude-sonnet-5-5",
            Price {
                cache_read: 100,
                ..SONNET
            },
        ),
    ),
    row("claude-sonnet-5", SONNET),
    row("claude-sonnet-4-6", OLD_SONNET),
    row("claude-sonnet-4-5", OLD_SONNET),
    from(Band::Long, row("claude-sonnet-4-5", LONG_SONNET)),
    row("claude-sonnet-4-0", OLD_SONNET),
    from(Band::Long, row("claude-sonnet-4-0", LONG_SONNET)),
    row("claude-sonnet-4", OLD_SONNET),
    from(Band::Long, row("claude-sonnet-4", LONG_SONNET)),
    row("claude-3-7-sonnet", OLD_SONNET),
    row("claude-3-5-sonnet", OLD_SONNET),
    row("claude-haiku-5-5", price(100, 500, 125, 200, 10)),
    from(
        Band::Middle,
        row("claude-haiku-5-5", price(500, 2_500, 625, 1_000, 50)),
    ),
    row("claude-haiku-4-5", price(1_000, 5_000, 1_250, 2_000, 100)),
    row("claude-3-5-haiku", price(800, 4_000, 1_000, 1_600, 80)),
    row("claude-3-haiku", price(250, 1_250, 300, 500, 30)),
];

/// The prices in force: those of a person before the built-in ones.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    own: BTreeMap<String, Price>,
}

impl Prices {
    /// With these in the place of built-in ones.
    pub fn with_own(own: BTreeMap<String, Price>) -> Self {
        Self { own }
    }

    /// The prices that a person set.
    pub fn own(&self) -> impl Iterator<Item = (&str, &Price)> {
        self.own
            .iter()
            .map(|(model, price)| (model.as_str(), price))
    }

    /// The price of a model on a day, for prompts of this length; `None`: it is not known.
    pub fn find(&self, model: &str, day: NaiveDate, band: Band) -> Option<&Price> {
        let plain = plain(model);
        let own = || self.own.iter().find(|(name, _)| is(name, plain));
        if let Some(price) = self.own.get(model) {
            return Some(price);
        }
        if let Some((_, price)) = own() {
            return Some(price);
        }
        let holds = |row: &&Listed| {
            let begun = |since: &str| since.parse().is_ok_and(|since: NaiveDate| since <= day);
            is(row.model, plain) && row.from <= band && row.since.is_none_or(begun)
        };
        LISTED.iter().rfind(holds).map(|row| &row.price)
    }

    /// What tokens of a model cost.
    pub fn cost(&self, model: &str, day: NaiveDate, band: Band, tokens: &Tokens) -> Option<Usd> {
        Some(self.find(model, day, band)?.of(tokens))
    }
}

/// A model's own name, without whose service it is, how large its window is, and its version there:
/// `us.anthropic.claude-opus-4-8-v1:0` and `claude-opus-4-8[1m]` are `claude-opus-4-8`.
fn plain(model: &str) -> &str {
    let model = model.rsplit('/').next().unwrap_or(model);
    let model = model
        .find("claude-")
        .map_or(model, |at| model.get(at..).unwrap_or(model));
    let end = model.find(['[', '@', ':']).unwrap_or(model.len());
    let model = model.get(..end).unwrap_or(model);
    ["-v1", "-v2", "-latest"]
        .iter()
        .find_map(|suffix| model.strip_suffix(suffix))
        .unwrap_or(model)
}

/// Whether a plain name is of this model, with or without a date. Nothing else may follow: `claude-opus-4-9` is no `claude-opus-4`.
fn is(model: &str, plain: &str) -> bool {
    let date = |rest: &str| rest.len() == 9 && rest.chars().skip(1).all(|it| it.is_ascii_digit());
    plain
        .strip_prefix(model)
        .is_some_and(|rest| rest.is_empty() || (rest.starts_with('-') && date(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn a_model_has_the_price_of_its_name() {
        let prices = Prices::default();
        for (model, expected) in [
            ("claude-opus-4-8", Some(5_000)),
            ("claude-opus-4-8[1m]", Some(5_000)),
            ("us.anthropic.claude-opus-4-8-v1:0", Some(5_000)),
            ("anthropic/claude-haiku-4-5", Some(1_000)),
            ("claude-haiku-4-5@20251001", Some(1_000)),
            ("claude-haiku-4-5-20251001", Some(1_000)),
            ("claude-opus-4-20250514", Some(15_000)),
            ("claude-3-5-haiku-latest", Some(800)),
            ("claude-opus-4-9", None),
            ("claude-opus-4-8-fast", None),
            ("gpt-6-sol", None),
            ("", None),
        ] {
            let found = prices.find(model, day("2026-11-15"), Band::Short);
            assert_eq!(found.map(|price| price.input), expected, "{model}");
        }
    }

    #[test]
    fn a_price_holds_from_its_day_and_for_its_prompts() {
        let prices = Prices::default();
        let find = |model, on, band| *prices.find(model, day(on), band).unwrap();
        for (on, expected) in [("2026-10-06", 200), ("2026-10-07", 100)] {
            let price = find("claude-sonnet-5-5", on, Band::Short);
            assert_eq!(price.cache_read, expected, "{on}");
        }
        for (model, band, expected) in [
            ("claude-haiku-5-5", Band::Short, 100),
            ("claude-haiku-5-5", Band::Middle, 500),
            ("claude-haiku-5-5", Band::Long, 500),
            ("claude-sonnet-4-5", Band::Middle, 3_000),
            ("claude-sonnet-4-5", Band::Long, 6_000),
            ("claude-sonnet-4-6", Band::Long, 3_000),
        ] {
            let price = find(model, "2026-11-15", band);
            assert_eq!(price.input, expected, "{model} {band:?}");
        }
    }

    #[test]
    fn a_person_sets_prices() {
        let own = price(1, 2, 3, 4, 5);
        let names = ["claude-opus-4-8", "local-model", "claude-opus-4-8-fast"];
        let prices = Prices::with_own(names.map(|it| (it.to_owned(), own)).into());
        for model in [
            "claude-opus-4-8",
            "claude-opus-4-8[1m]",
            "local-model",
            "claude-opus-4-8-fast",
        ] {
            let found = prices.find(model, day("2026-11-15"), Band::Long);
            assert_eq!(found, Some(&own), "{model}");
        }
    }

    #[test]
    fn tokens_cost_by_their_kind() {
        let tokens = Tokens {
            input: 1_000_000,
            output: 1_000_000,
            cache_write: 3_000_000,
            cache_write_1h: 1_000_000,
            cache_read: 10_000_000,
        };
        // $5 + $25 + 2 × $6.25 + $10 + 10 × $0.50
        assert_eq!(OPUS.of(&tokens), Usd(57_500_000_000));
        assert_eq!(OPUS.of(&tokens).to_string(), "$57.50");
        for (amount, expected) in [
            (Usd(0), "$0.00"),
            (Usd(10_000_000), "$0.01"),
            (Usd(4_200_000), "$0.0042"),
            (Usd(1_234_567_890_000), "$1234.57"),
        ] {
            assert_eq!(amount.to_string(), expected);
        }
    }

    #[test]
    fn every_day_of_the_table_is_a_day() {
        let days = LISTED.iter().filter_map(|row| row.since);
        for text in days.chain([CHECKED]) {
            assert!(text.parse::<NaiveDate>().is_ok(), "{text}");
        }
    }
}
