//! What agents cost: counted from their transcripts while they work, held within budgets, and estimated before a call.

mod budget;
mod conduct;
mod spending;
mod track;
pub mod transcripts;

use std::collections::BTreeMap;

use bowline::settings::{CostConfig, Dollars, ModelPrice};
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::{Price, Prices, Usd};
use bowline_guidance::cost::usage::Band;
use chrono::Utc;

pub(super) use budget::Budget;
pub(super) use conduct::ConductHook;
pub use conduct::NAME as CONDUCT;
pub(super) use spending::Spending;
pub use spending::{Projects, today};
pub(super) use track::Track;

/// The prices in force with these settings.
pub fn prices(config: &CostConfig) -> Prices {
    let listed = Prices::default();
    let today = Utc::now().date_naive();
    let own = config.prices.iter().map(|(model, price)| {
        let listed = listed.find(model, today, Band::Short);
        (model.clone(), with_own(price, listed))
    });
    Prices::with_own(own.collect::<BTreeMap<_, _>>())
}

/// What a person did not say is as listed, else as dear as input.
fn with_own(own: &ModelPrice, listed: Option<&Price>) -> Price {
    let input = own.input.map(per_token);
    let input = input.or(listed.map(|it| it.input)).unwrap_or(0);
    let or =
        |own: Option<Dollars>, listed: Option<u64>| own.map(per_token).or(listed).unwrap_or(input);
    Price {
        input,
        output: or(own.output, listed.map(|it| it.output)),
        cache_write: or(own.cache_write, listed.map(|it| it.cache_write)),
        cache_write_1h: or(own.cache_write_1h, listed.map(|it| it.cache_write_1h)),
        cache_read: or(own.cache_read, listed.map(|it| it.cache_read)),
    }
}

/// Of dollars for a million tokens.
const fn per_token(dollars: Dollars) -> u64 {
    dollars.0 / 1_000_000
}

/// The budget that the settings give.
pub fn limit(config: &CostConfig, of: BudgetOf) -> Option<Usd> {
    let dollars = match of {
        BudgetOf::Session => config.max_usd_session,
        BudgetOf::Effort => config.max_usd_effort,
        BudgetOf::Day => config.max_usd_day,
    };
    dollars.map(|it| Usd(it.0))
}

/// Whether there is any budget.
fn is_limited(config: &CostConfig) -> bool {
    BudgetOf::ALL.iter().any(|of| limit(config, *of).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_does_not_say_is_as_listed() {
        let own = |text: &str| -> ModelPrice {
            let mut price = ModelPrice::default();
            for word in text.split_whitespace() {
                let (key, dollars) = word.split_once('=').unwrap();
                let dollars = Some(Dollars(dollars.parse::<u64>().unwrap() * 1_000_000_000));
                match key {
                    "input" => price.input = dollars,
                    _ => price.output = dollars,
                }
            }
            price
        };
        let mut config = CostConfig::default();
        config.prices = [
            ("claude-opus-4-8".to_owned(), own("output=1")),
            ("local".to_owned(), own("input=2 output=3")),
        ]
        .into();
        let prices = prices(&config);
        let today = Utc::now().date_naive();
        let found = |model| *prices.find(model, today, Band::Short).unwrap();
        let opus = found("claude-opus-4-8");
        assert_eq!(
            (opus.input, opus.output, opus.cache_read),
            (5_000, 1_000, 500)
        );
        let local = found("local");
        assert_eq!(
            (local.input, local.output, local.cache_read),
            (2_000, 3_000, 2_000)
        );
    }
}
