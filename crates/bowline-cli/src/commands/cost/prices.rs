//! `bowline cost prices`: what a million tokens cost.

use bowline_builtins::guidance::cost;
use bowline_guidance::cost::prices::{CHECKED, LISTED, Price, SOURCE};
use bowline_guidance::cost::usage::Band;
use serde::Serialize;

use crate::Outcome;
use crate::error::Result;
use crate::project;
use crate::ui::{Column, Format, FormatArgs, List, Text, Ui, reveal, style};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline cost prices
  bowline cost prices --json

Set your own in ~/.config/bowline/config.toml, in dollars for a million tokens:
  [cost.prices.\"claude-opus-5-5\"]
  input = 4
  output = 20")]
pub(super) struct PricesArgs {
    #[command(flatten)]
    pub(super) format: FormatArgs,
}

#[derive(Debug, Serialize)]
struct Document {
    /// When the built-in prices were last compared with the published ones.
    checked: &'static str,
    published_at: &'static str,
    prices: Vec<Row>,
}

/// In dollars for a million tokens.
#[derive(Debug, Serialize)]
struct Row {
    model: String,
    /// The first day; null: since there is the model.
    since: Option<&'static str>,
    /// Prompts with more tokens than this.
    prompts_over: u64,
    input: f64,
    output: f64,
    cache_write: f64,
    cache_write_1h: f64,
    cache_read: f64,
    source: &'static str,
}

impl Row {
    fn new(model: &str, price: &Price, source: &'static str) -> Self {
        Self {
            model: model.to_owned(),
            since: None,
            prompts_over: 0,
            input: dollars(price.input),
            output: dollars(price.output),
            cache_write: dollars(price.cache_write),
            cache_write_1h: dollars(price.cache_write_1h),
            cache_read: dollars(price.cache_read),
            source,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "prices are far below 2^52, and are only shown"
)]
fn dollars(thousandths: u64) -> f64 {
    thousandths as f64 / 1_000.0
}

const COLUMNS: &[Column] = &[
    Column::rest("Model"),
    Column::optional("Since", 10, 2),
    Column::optional("Prompts over", 12, 3),
    Column::whole("  Input", 7),
    Column::whole(" Output", 7),
    Column::optional("  Write", 7, 5),
    Column::optional("Write 1h", 8, 1),
    Column::optional("   Read", 7, 4),
    Column::whole("Source", 8),
];

pub(super) fn run(args: &PricesArgs, ui: &mut Ui) -> Result<Outcome> {
    let settings = project::load(&project::folder(None)?);
    let own = cost::prices(&settings.config.cost);
    let own = own
        .own()
        .map(|(model, price)| Row::new(model, price, "own"));
    let mut prices: Vec<Row> = own.collect();
    prices.extend(LISTED.iter().map(|listed| Row {
        since: listed.since,
        prompts_over: match listed.from {
            Band::Short => 0,
            Band::Middle => 100_000,
            Band::Long => 200_000,
        },
        ..Row::new(listed.model, &listed.price, "built-in")
    }));
    let document = Document {
        checked: CHECKED,
        published_at: SOURCE,
        prices,
    };
    match args.format.format() {
        Format::Json => ui.json(&document)?,
        Format::Text => {
            let mut list = List::new(COLUMNS);
            for row in &document.prices {
                list.row(cells(row));
            }
            ui.list(&list);
            ui.blank();
            ui.line(format!(
                "Dollars for a million tokens. Built-in prices were compared on {CHECKED} with {SOURCE}; your own in `[cost.prices]` come before them.",
            ));
        }
    }
    Ok(Outcome::Clean)
}

fn cells(row: &Row) -> [Text; 9] {
    let price = |amount: f64, width: usize| {
        let digits = if (amount * 100.0).fract().abs() < 1e-9 {
            2
        } else {
            3
        };
        Text::from(format!("{amount:>width$.digits$}"))
    };
    let over = match row.prompts_over {
        0 => String::new(),
        tokens => format!("{}k", tokens / 1_000),
    };
    [
        Text::styled(reveal::name(&row.model), style::NAME),
        row.since.unwrap_or_default().into(),
        over.into(),
        price(row.input, 7),
        price(row.output, 7),
        price(row.cache_write, 7),
        price(row.cache_write_1h, 8),
        price(row.cache_read, 7),
        row.source.into(),
    ]
}
