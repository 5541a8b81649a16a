//! `[cost]`.

use std::collections::BTreeMap;

use crate::settings::keys::describe::{Key, Kind, Map, Table, Unknown, Who, any_name};
use crate::settings::keys::sections::Config;
use crate::settings::keys::slot::{
    At, KeyPath, Put,
    Tightens::{Never, When},
};
use crate::settings::keys::value::{Percent, Value};
use crate::settings::syntax::node::{self, Node};

/// `[cost]`: what agents may cost.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct CostConfig {
    /// Whether what agents use is counted while they work.
    pub track: bool,
    /// The budget of a session.
    pub max_usd_session: Option<Dollars>,
    /// The budget of an effort.
    pub max_usd_effort: Option<Dollars>,
    /// The budget of a day, for all sessions together.
    pub max_usd_day: Option<Dollars>,
    /// An agent is warned when this part of a budget is used.
    pub warn_percent: u32,
    /// Whether an agent is told what calls cost that a sub-agent could make.
    pub predict: bool,
    /// Prices in the place of Bowline's own, by model.
    pub prices: BTreeMap<String, ModelPrice>,
}

impl Default for CostConfig {
    fn default() -> Self {
        Self {
            track: false,
            max_usd_session: None,
            max_usd_effort: None,
            max_usd_day: None,
            warn_percent: 80,
            predict: false,
            prices: BTreeMap::new(),
        }
    }
}

/// An amount of dollars, in billionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub u64);

impl serde::Serialize for Dollars {
    #[expect(
        clippy::cast_precision_loss,
        reason = "amounts are far below 2^52 billionths of a dollar, and are only shown"
    )]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1e9)
    }
}

impl Value for Dollars {
    const KIND: Kind = Kind::Number;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is checked before"
    )]
    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let dollars = match &node.value {
            node::Value::Number(digits) => digits.parse::<f64>().ok(),
            _ => None,
        };
        // A billion is more than anybody spends.
        let dollars = dollars.filter(|it| (0.0..=1e9).contains(it));
        if dollars.is_none() {
            at.wrong(node, "expected an amount of dollars, 0 or more");
        }
        Some(Self((dollars? * 1e9).round() as u64))
    }
}

/// What a million tokens cost, by their kind. What is not given costs what Bowline's table says, else as much as input.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ModelPrice {
    /// What is sent.
    pub input: Option<Dollars>,
    /// What the model writes.
    pub output: Option<Dollars>,
    /// What is put into the cache for some minutes.
    pub cache_write: Option<Dollars>,
    /// What is put into the cache for an hour.
    pub cache_write_1h: Option<Dollars>,
    /// What is taken from the cache.
    pub cache_read: Option<Dollars>,
}

pub(super) static TABLE: Table = Table {
    name: "Cost",
    about: "Costs are not counted while agents work unless `track`, a budget or `predict` is set. `bowline cost` reads the transcripts in any case.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "track",
            "What agents use is counted from their transcripts while they work.",
            &Put(|config, _, on: bool| config.cost.track = on, Never),
        ),
        Key::setting(
            "max_usd_session",
            "The budget of a session in dollars, with its sub-agents. When it is used up, tool calls and prompts are denied.",
            &Put(
                |config, _, most: Dollars| config.cost.max_usd_session = Some(most),
                When("what is not more", |most, weaker| {
                    is_not_more(*most, weaker.cost.max_usd_session)
                }),
            ),
        )
        .default("none"),
        Key::setting(
            "max_usd_effort",
            "The budget of an effort in dollars, with all its sessions.",
            &Put(
                |config, _, most: Dollars| config.cost.max_usd_effort = Some(most),
                When("what is not more", |most, weaker| {
                    is_not_more(*most, weaker.cost.max_usd_effort)
                }),
            ),
        )
        .default("none"),
        Key::setting(
            "max_usd_day",
            "The budget of a day in dollars, for all sessions on this machine.",
            &Put(
                |config, _, most: Dollars| config.cost.max_usd_day = Some(most),
                When("what is not more", |most, weaker| {
                    is_not_more(*most, weaker.cost.max_usd_day)
                }),
            ),
        )
        .default("none"),
        Key::setting(
            "warn_percent",
            "An agent is warned once when this part of a budget is used.",
            &Put(
                |config, _, part: Percent| config.cost.warn_percent = part.0,
                Never,
            ),
        ),
        Key::setting(
            "predict",
            "An agent is told, as an estimate, what calls take of its context window that a sub-agent could make. Four times a session at most.",
            &Put(|config, _, on: bool| config.cost.predict = on, Never),
        ),
        Key::new(
            "prices",
            "What a million tokens of a model cost in dollars, in the place of Bowline's own table.",
            Kind::Map(&PRICES),
        ),
    ],
};

fn is_not_more(most: Dollars, weaker: Option<Dollars>) -> bool {
    weaker.is_none_or(|weaker| most <= weaker)
}

static PRICES: Map = Map {
    name: None,
    about: "",
    key: "MODEL",
    names: any_name,
    others: Unknown::Fine,
    of: Kind::Table(&PRICE),
};

static PRICE: Table = Table {
    name: "Price",
    about: "What is not given costs what Bowline's table says for the model, else as much as `input`.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "input",
            "Tokens that are sent.",
            &Put(
                |config, path, it| price(config, path).input = Some(it),
                Never,
            ),
        )
        .by(Who::User)
        .default("none"),
        Key::setting(
            "output",
            "Tokens that the model writes.",
            &Put(
                |config, path, it| price(config, path).output = Some(it),
                Never,
            ),
        )
        .by(Who::User)
        .default("none"),
        Key::setting(
            "cache_write",
            "Tokens that are put into the cache for some minutes.",
            &Put(
                |config, path, it| price(config, path).cache_write = Some(it),
                Never,
            ),
        )
        .by(Who::User)
        .default("none"),
        Key::setting(
            "cache_write_1h",
            "Tokens that are put into the cache for an hour.",
            &Put(
                |config, path, it| price(config, path).cache_write_1h = Some(it),
                Never,
            ),
        )
        .by(Who::User)
        .default("none"),
        Key::setting(
            "cache_read",
            "Tokens that are taken from the cache.",
            &Put(
                |config, path, it| price(config, path).cache_read = Some(it),
                Never,
            ),
        )
        .by(Who::User)
        .default("none"),
    ],
};

/// The price that a path is about.
fn price<'a>(config: &'a mut Config, path: &KeyPath) -> &'a mut ModelPrice {
    let model = match path.names() {
        [_, _, model, ..] => model.clone(),
        _ => String::new(),
    };
    config.cost.prices.entry(model).or_default()
}
