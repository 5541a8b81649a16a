//! `bowline open`: the page in a browser.

use std::process::{Command, Stdio};

use bowline_daemon::{AskError, Connection, Places};
use clap::ValueEnum as _;
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::control;
use crate::error::{Error, ErrorKind, Result};
use crate::standing;
use crate::ui::{Format, FormatArgs, Ui};

/// Open the page: who works, who waits for you, what was stopped and what it cost
///
/// The daemon serves it on this machine, for you alone, while somebody looks at it. The address works once, within two minutes
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline open
  bowline open inbox
  bowline open --print")]
pub(crate) struct OpenArgs {
    /// The view to begin with
    view: Option<View>,

    /// Print the address instead of starting a browser
    #[arg(long)]
    print: bool,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum View {
    Now,
    Inbox,
    Search,
    Timeline,
    Sessions,
    Costs,
    Guards,
    Hooks,
}

pub(crate) fn run(args: &OpenArgs, ui: &mut Ui) -> Result<Outcome> {
    standing::no_agent()?;
    let places = control::places()?;
    control::start(&places)?;
    let mut address = address(&places)?;
    if let Some(view) = args.view.and_then(|view| view.to_possible_value()) {
        address = format!("{address}&to={}", view.get_name());
    }
    match args.format.format() {
        Format::Json => ui.json(&json!({"address": address}))?,
        Format::Text if args.print => ui.verbatim(&format!("{address}\n")),
        Format::Text => show(&address, ui),
    }
    Ok(Outcome::Clean)
}

/// Starts a browser with this address, or says it.
pub(super) fn show(address: &str, ui: &mut Ui) {
    if browse(address).is_some() {
        ui.line("The page opens in your browser.");
        return;
    }
    ui.line("No browser can be started here. Open this address within two minutes; it works once:");
    ui.verbatim(&format!("{address}\n"));
}

/// An address that works once.
pub(super) fn address(places: &Places) -> Result<String> {
    let asked =
        Connection::open(&places.socket).and_then(|mut daemon| daemon.ask("page.open", Map::new()));
    let answer = asked.map_err(|error| match error {
        AskError::Refused(error) => Error::new(ErrorKind::System, error.to_string())
            .hint("`bowline daemon restart` starts a daemon of this version"),
        error => control::trouble(places, &error),
    })?;
    let address = answer.get("address").and_then(Value::as_str);
    address.map(ToOwned::to_owned).ok_or_else(|| {
        Error::new(ErrorKind::System, "the daemon named no address")
            .hint("`bowline daemon restart` starts a daemon of this version")
    })
}

/// Starts the browser of the desktop; `None` if there is none.
fn browse(address: &str) -> Option<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        let screens = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"];
        let has_screen = |name: &&str| std::env::var_os(name).is_some_and(|it| !it.is_empty());
        screens.into_iter().find(has_screen)?;
        "xdg-open"
    };
    let mut browser = Command::new(program);
    browser
        .arg(address)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let status = browser.status().ok()?;
    status.success().then_some(())
}
