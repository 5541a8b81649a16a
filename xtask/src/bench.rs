//! `cargo xtask bench`: what Bowline costs, against limits.

mod cost;
mod daemon;
mod figures;
mod hook;
pub(crate) mod load;
mod page;
mod programs;
pub(crate) mod stage;

use std::ffi::OsString;

use anyhow::{Context, Result, bail};
use lexopt::prelude::*;

use crate::Outcome;
use crate::programs::{Network, command};

/// What agents run most of the day.
const COMMAND: &str = "cargo test --workspace 2>&1 | tail -20";

/// `--against DIR`: a change may cost this much without being called slower. The same programs differ by as much from run to run.
const SLOWER_LIMIT: f64 = 1.02;

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let what = match arguments.next()? {
        Some(Value(what)) => what.string()?,
        _ => String::new(),
    };
    match what.as_str() {
        "hook" => hook::run(arguments),
        "daemon" => daemon::run(arguments),
        "cost" => cost::run(arguments),
        "page" => page::run(arguments),
        "store" => store(arguments.raw_args()?.collect()),
        _ => bail!("expected `hook`, `daemon`, `page`, `cost` or `store` after `bench`"),
    }
}

fn store(arguments: Vec<OsString>) -> Result<Outcome> {
    let status = command(Network::default())
        .args([
            "bench",
            "--package",
            "bowline-store",
            "--bench",
            "store",
            "--",
        ])
        .args(arguments)
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() {
        Outcome::Fine
    } else {
        Outcome::Missed
    })
}

/// A figure with what it must not pass.
#[derive(Debug, Clone)]
struct Limit {
    what: &'static str,
    measured: f64,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    AtMost(f64),
    AtLeast(f64),
}

impl Limit {
    fn is_met(&self) -> bool {
        match self.bound {
            Bound::AtMost(bound) => self.measured <= bound,
            Bound::AtLeast(bound) => self.measured >= bound,
        }
    }

    fn line(&self) -> String {
        let verdict = if self.is_met() { "ok    " } else { "MISSED" };
        let (word, bound) = match self.bound {
            Bound::AtMost(bound) => ("at most", bound),
            Bound::AtLeast(bound) => ("at least", bound),
        };
        format!(
            "{verdict}  {}: {} ({word} {})",
            self.what,
            short(self.measured),
            short(bound)
        )
    }

    fn json(&self) -> serde_json::Value {
        let (word, bound) = match self.bound {
            Bound::AtMost(bound) => ("at_most", bound),
            Bound::AtLeast(bound) => ("at_least", bound),
        };
        serde_json::json!({"what": self.what, "measured": self.measured, word: bound, "met": self.is_met()})
    }
}

/// A ratio needs its decimals, a rate does not.
fn short(figure: f64) -> String {
    if figure < 100.0 {
        format!("{figure:.2}")
    } else {
        format!("{figure:.0}")
    }
}

/// What comes of a bench with these limits.
fn verdict(limits: &[Limit]) -> Outcome {
    if limits.iter().all(Limit::is_met) {
        Outcome::Fine
    } else {
        Outcome::Missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_met_or_missed() {
        for (measured, bound, met) in [
            (1.4, Bound::AtMost(1.4), true),
            (1.41, Bound::AtMost(1.4), false),
            (f64::NAN, Bound::AtMost(1.4), false),
            (20_000.0, Bound::AtLeast(20_000.0), true),
            (19_999.0, Bound::AtLeast(20_000.0), false),
            (f64::NAN, Bound::AtLeast(1.0), false),
        ] {
            let limit = Limit {
                what: "it",
                measured,
                bound,
            };
            assert_eq!(limit.is_met(), met, "{limit:?}");
        }
    }
}
