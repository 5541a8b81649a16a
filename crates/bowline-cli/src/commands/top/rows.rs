//! Sessions as they are listed.

use bowline_agents::Tool;
use bowline_daemon::board::{Row, State};
use bowline_store::{Doing, MOST_CALLS, MOST_STOPPED};
use chrono::{DateTime, Utc};

use crate::commands::fleet;
use crate::moment;
use crate::project::{self, ProjectNames};
use crate::ui::{Column, List, Text, reveal, style};

/// More of a name is not shown, also in a pipe; `--json` has all of it.
const LONGEST_NAME: usize = 64;
/// The same for what it does and for its prompt.
const LONGEST_TEXT: usize = 160;

/// More of a text is not looked at: styling it costs time for every character. It is more than is shown, because a secret is known by its
/// whole length.
const LOOKED_AT: usize = 8 * LONGEST_TEXT;

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Fewer columns than a usual terminal has.
    Narrow,
    Usual,
}

const NARROW: &[Column] = &columns(30);
const USUAL: &[Column] = &columns(36);

/// What a session does has at least this width.
const fn columns(state: usize) -> [Column; 9] {
    [
        Column::whole("State", 36)
            .at_most(48)
            .at_least(state)
            .bounded(LONGEST_TEXT),
        Column::optional("Project", 14, 8)
            .at_most(28)
            .at_least(8)
            .bounded(LONGEST_NAME)
            .telling_apart(),
        Column::optional("Agent", 20, 1)
            .at_most(32)
            .at_least(11)
            .bounded(LONGEST_NAME)
            .if_differing(2),
        Column::rest("Prompt").bounded(LONGEST_TEXT),
        Column::optional("Calls", 5, 4),
        Column::optional("Failed", 6, 3),
        Column::optional("Denied", 6, 5),
        Column::optional("Context", 10, 2),
        Column::optional("Cost", 6, 3),
    ]
}

/// Names by which the projects of all these are told apart.
pub(super) fn projects(rows: &[&Row]) -> ProjectNames {
    let mut projects = ProjectNames::default();
    projects.learn(rows.iter().filter_map(|row| row.project.as_deref()));
    projects
}

/// As much of a text as can matter here.
pub(super) fn beginning(text: &str) -> &str {
    let text = text.trim();
    text.get(..text.floor_char_boundary(LOOKED_AT))
        .unwrap_or(text)
}

/// A line for each.
pub(super) fn list(
    rows: &[&Row],
    projects: &mut ProjectNames,
    now: DateTime<Utc>,
    room: Room,
) -> List {
    let mut list = List::new(match room {
        Room::Narrow => NARROW,
        Room::Usual => USUAL,
    });
    for row in rows {
        let place = fleet::place(row.project.as_deref(), row.worktree.as_deref(), projects);
        list.row([
            state(row, now),
            place.into(),
            agent(row),
            reveal::name(beginning(row.prompt.as_deref().unwrap_or_default())).into(),
            number(row.calls, MOST_CALLS, style::FAINT),
            number(row.failed, MOST_STOPPED, style::BAD),
            number(row.denied, MOST_STOPPED, style::CAUTION),
            row.context_usage.map(fleet::context).unwrap_or_default(),
            row.cost
                .map(|cost| cost.to_string().into())
                .unwrap_or_default(),
        ]);
    }
    list
}

/// The program and its model.
pub(super) fn agent(row: &Row) -> Text {
    let agent = Text::styled(reveal::name(&row.agent), style::NAME);
    match &row.model {
        Some(model) => agent.with(format!(" {}", reveal::name(model)), style::FAINT),
        None => agent,
    }
}

/// A number that is of interest if there is something to count; there may be more than the most that is counted.
fn number(count: u64, most: u64, colour: anstyle::Style) -> Text {
    match count {
        0 => Text::styled("-", style::FAINT),
        count if count >= most => Text::styled(format!("{most}+"), colour),
        count => Text::styled(count.to_string(), colour),
    }
}

/// What it does, in a few words: "working 12 s on `cargo test`".
pub(super) fn state(row: &Row, now: DateTime<Utc>) -> Text {
    let (word, colour, rest) = state_words(row, now);
    let rest_colour = match row.state {
        State::Idle | State::Gone => style::FAINT,
        _ => anstyle::Style::new(),
    };
    Text::styled(word, colour).with(rest, rest_colour)
}

/// Its word with its colour, and the rest.
fn state_words(row: &Row, now: DateTime<Utc>) -> (&'static str, anstyle::Style, String) {
    let lasts = moment::lasting(row.since, now);
    let doing = |on: &Option<Doing>| on.as_ref().map(|on| words(on, row.project.as_deref()));
    match &row.state {
        State::WaitingForYou { what } => {
            let what = match row.questions.first() {
                Some(question) => {
                    let doing = Doing::of(&question.tool, Some(&question.input));
                    words(&doing, row.project.as_deref())
                }
                None => reveal::name(&project::relative(beginning(what), row.project.as_deref())),
            };
            (
                "waiting for you:",
                style::CAUTION.bold(),
                format!(" {what}"),
            )
        }
        State::Blocked { on, why } => {
            let what = doing(on).unwrap_or_else(|| reveal::name(beginning(why)));
            ("blocked:", style::BAD.bold(), format!(" {what}"))
        }
        State::Looping { on, times } => {
            let on = doing(on).map(|on| format!(" on {on}")).unwrap_or_default();
            ("looping", style::BAD, format!(" {times}×{on}"))
        }
        State::Working { on } => {
            let on = doing(on).map(|on| format!(" on {on}")).unwrap_or_default();
            ("working", style::GOOD, format!(" {lasts}{on}"))
        }
        State::Idle | State::Gone => (row.state.word(), style::FAINT, format!(" {lasts}")),
    }
}

/// A call: a command as it is, another tool by its name.
fn words(doing: &Doing, project: Option<&str>) -> String {
    let what = doing.what.as_deref();
    let what = what.map(|what| reveal::name(&project::relative(beginning(what), project)));
    let tool = reveal::name(&doing.tool);
    match what {
        Some(command) if Tool::named(&doing.tool).runs_a_shell() => format!("`{command}`"),
        Some(what) => format!("{tool} {what}"),
        None => tool,
    }
}

/// Whether a row has all of these words, anywhere.
pub(super) fn has(row: &Row, words: &str) -> bool {
    if words.trim().is_empty() {
        return true;
    }
    let parts = [
        Some(row.session.as_str()),
        row.name.as_deref(),
        Some(row.agent.as_str()),
        row.model.as_deref(),
        row.project.as_deref(),
        row.worktree.as_deref(),
        row.prompt.as_deref(),
        Some(row.state.word()),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    let (word, _, does) = state_words(row, row.since);
    let text = format!("{} {word}{does}", parts.join(" ")).to_lowercase();
    let words = words.to_lowercase();
    words.split_whitespace().all(|word| text.contains(word))
}
