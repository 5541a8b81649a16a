//! The colours: the terminal's own sixteen, so that they fit every theme.

use anstyle::{AnsiColor, RgbColor, Style};
use bowline_continuity::fleet::{AgentStatus, colours};

pub(crate) const PLAIN: Style = Style::new();
pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const CAUTION: Style = AnsiColor::Yellow.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What was searched for.
pub(crate) const MATCH: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const FRAME: Style = AnsiColor::BrightBlue.on_default().bold();

/// The colour of an agent's status: the same as in tmux where the terminal has all colours, else the nearest of the sixteen.
pub(crate) fn of_status(status: AgentStatus) -> Style {
    let all =
        std::env::var("COLORTERM").is_ok_and(|it| matches!(it.as_str(), "truecolor" | "24bit"));
    match rgb(colours(status).foreground).filter(|_| all) {
        Some(colour) => Style::new().fg_color(Some(colour.into())),
        None => match status {
            AgentStatus::Error => BAD,
            AgentStatus::Attention => AnsiColor::BrightGreen.on_default().bold(),
            AgentStatus::Working => AnsiColor::Blue.on_default(),
            AgentStatus::Checked => GOOD.dimmed(),
            AgentStatus::Done => FAINT,
        },
    }
}

/// `#70e0a0`.
fn rgb(text: &str) -> Option<RgbColor> {
    let number = u32::from_str_radix(text.strip_prefix('#')?, 16).ok()?;
    let [_, red, green, blue] = number.to_be_bytes();
    Some(RgbColor(red, green, blue))
}
