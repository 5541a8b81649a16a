//! What is drawn: a pure function of the state.

use bowline_builtins::inbox::Question;
use bowline_daemon::board::Row;
use bowline_store::RecordedEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::rows::{self, Room};
use super::state::{Link, Screen, Top};
use crate::commands::{log, trace};
use crate::moment;
use crate::ui::full_screen::Paint;
use crate::ui::{Column, List, Text, counted, reveal, style};

/// Fewer columns or lines are of no use.
const FEWEST_COLUMNS: u16 = 60;
const FEWEST_LINES: u16 = 5;
/// From so many lines on, more is told of the chosen session.
const WITH_DETAILS: u16 = 16;
const DETAILS: usize = 5;
/// More of a text that others write is not wrapped at each drawing.
const LONGEST_TEXT: usize = 20_000;

const KEYS: &[(&str, &str)] = &[
    ("↑ ↓, j k", "choose a session, or scroll"),
    ("PgUp PgDn, Home End, g G", "the same in larger steps"),
    (
        "Enter",
        "what followed from the session's last prompt, live",
    ),
    ("a", "answer the question that the session waits with"),
    (
        "d",
        "what was denied in the session; again: in all sessions",
    ),
    ("/", "show only sessions with these words; Esc shows all"),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-Z", "back to the shell; `fg` returns here"),
    ("q, Esc, Ctrl-C", "leave; q and Esc go one step back first"),
];

const DENIALS: &[Column] = &[
    Column::whole("When", 10),
    Column::optional("Session", 8, 5)
        .at_most(8)
        .at_least(8)
        .of_ids(),
    Column::optional("Rule", 20, 8).at_most(28).at_least(16),
    Column::optional("What", 30, 9).at_most(48).at_least(16),
    Column::rest("Why"),
];

/// Draws everything.
pub(super) fn draw(top: &Top, frame: &mut Frame<'_>, paint: Paint) {
    let area = frame.area();
    let width = usize::from(area.width);
    if area.width < FEWEST_COLUMNS || area.height < FEWEST_LINES {
        let words = format!(
            "{}×{} is too small: 60×5 is needed; q leaves",
            area.width, area.height
        );
        put(frame, paint, 0, &Text::from(words).cut(width), Style::new());
        return;
    }
    put(frame, paint, 0, &title(top).cut(width), Style::new());
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    let lines = body(top);
    let chosen = chosen_line(top);
    for (place, (number, line)) in (1..).zip(window(top, &lines)) {
        let style = match chosen {
            Some(chosen) if chosen == number => reversed,
            _ => Style::new(),
        };
        put(frame, paint, place, line, style);
    }
    if let Some(details) = details(top) {
        let from = area.height.saturating_sub(1 + len_u16(details.len()));
        for (place, line) in (from..).zip(&details) {
            put(frame, paint, place, line, Style::new());
        }
    }
    let last = area.height.saturating_sub(1);
    put(frame, paint, last, &footer(top).cut(width), Style::new());
}

/// One line of the screen.
fn put(frame: &mut Frame<'_>, paint: Paint, place: u16, line: &Text, style: Style) {
    let area = frame.area();
    if place >= area.height {
        return;
    }
    let area = Rect {
        y: area.y + place,
        height: 1,
        ..area
    };
    frame.render_widget(paint.line(line).style(style), area);
}

fn title(top: &Top) -> Text {
    let name = Text::styled("bowline top", style::HEADING);
    let name = match &top.screen {
        Screen::Board | Screen::Filter => name,
        Screen::Tree { session, .. } => {
            name.plain(format!(": last prompt of {}", called(top, session)))
        }
        Screen::Denials { of: None, .. } => name.plain(": denied in all sessions, last day"),
        Screen::Denials { of: Some(of), .. } => {
            name.plain(format!(": denied in {}, last day", called(top, of)))
        }
        Screen::Answer { .. } => name.plain(": a question for you"),
        Screen::Keys => name.plain(": keys"),
    };
    let title = match &top.link {
        Link::Asked => name.with("  asking the daemon…", style::FAINT),
        Link::Lost(why) => name.with(format!("  {why}"), style::BAD.bold()),
        Link::Fine => name.text(counts(top)),
    };
    match top.filter.as_str() {
        "" => title,
        filter => title.with(format!("  only: {}", reveal::name(filter)), style::CAUTION),
    }
}

fn counts(top: &Top) -> Text {
    let rows = top.board.iter().flat_map(|board| &board.sessions);
    let waiting = rows
        .clone()
        .filter(|row| row.state.word() == "waiting for you");
    let waiting = waiting.count();
    let text = Text::styled(
        format!("  {}", counted(rows.count(), "session")),
        style::FAINT,
    );
    match waiting {
        0 => text,
        1 => text.with(", 1 waits for you", style::CAUTION.bold()),
        more => text.with(format!(", {more} wait for you"), style::CAUTION.bold()),
    }
}

/// What a session is called.
fn called(top: &Top, session: &str) -> String {
    let mut rows = top.board.iter().flat_map(|board| &board.sessions);
    let row = rows.find(|row| row.session == session);
    let name = row.map_or(session, Row::called);
    Text::from(reveal::name(name)).cut(24).content()
}

fn footer(top: &Top) -> Text {
    if let Some(notice) = &top.notice {
        return Text::styled(notice, style::CAUTION);
    }
    let keys = match &top.screen {
        Screen::Board => "enter tree  a answer  d denials  / filter  ? keys  q quit",
        Screen::Filter => {
            let typed = reveal::name(&top.filter);
            return Text::styled("/", style::HEADING).plain(format!("{typed}_"));
        }
        Screen::Tree { .. } => "↑ ↓ scroll  end follow  esc back",
        Screen::Denials { of: Some(_), .. } => "↑ ↓ choose  a allow  d of all sessions  esc back",
        Screen::Denials { of: None, .. } => "↑ ↓ choose  a allow  d of one session  esc back",
        Screen::Answer { message: None, .. } => {
            "y allow this call once  n deny  ↑ ↓ scroll  esc back"
        }
        Screen::Answer {
            message: Some(message),
            ..
        } => {
            // Its end is where somebody types.
            let room = usize::from(top.columns).saturating_sub(50).max(20);
            let skipped = message.chars().count().saturating_sub(room);
            let shown: String = message.chars().skip(skipped).collect();
            return Text::styled("Deny, and tell the model: ", style::HEADING)
                .plain(format!("{}_", reveal::name(&shown)))
                .with("  enter deny  esc back", style::FAINT);
        }
        Screen::Keys => "esc back",
    };
    Text::styled(keys, style::FAINT)
}

/// What is between the first line and the last: a heading that stays, if there is one, and the rest.
fn body(top: &Top) -> Vec<Text> {
    let width = usize::from(top.columns);
    match &top.screen {
        Screen::Board | Screen::Filter => board(top, width),
        Screen::Tree { tree: None, .. } | Screen::Denials { events: None, .. } => {
            vec![Text::styled("asking the daemon…", style::FAINT)]
        }
        Screen::Tree {
            tree: Some(tree), ..
        } => cut(trace::drawn_tree(tree).lines(width), width),
        Screen::Denials {
            events: Some(events),
            ..
        } => denials(top, events, width),
        Screen::Answer { question, .. } => cut(asked(top, question, width), width),
        Screen::Keys => KEYS
            .iter()
            .map(|(keys, what)| {
                Text::styled(format!("  {keys:<26}"), style::NAME)
                    .plain(*what)
                    .cut(width)
            })
            .collect(),
    }
}

/// How many lines the text has that is scrolled.
pub(super) fn body_length(top: &Top) -> usize {
    body(top).len()
}

fn cut(lines: Vec<Text>, width: usize) -> Vec<Text> {
    lines.into_iter().map(|line| line.cut(width)).collect()
}

fn board(top: &Top, width: usize) -> Vec<Text> {
    let rows = top.rows();
    if rows.is_empty() {
        let words = match (&top.board, top.filter.is_empty()) {
            (None, _) => "",
            (Some(_), true) => super::NOBODY,
            (Some(_), false) => "No session has these words. Esc shows all.",
        };
        let mut lines = vec![Text::new()];
        lines.extend(Text::from(words).wrap(width));
        return lines;
    }
    let room = match width {
        0..80 => Room::Narrow,
        _ => Room::Usual,
    };
    let list = rows::list(&rows, top.now, room);
    marked(list.lines(Some(width.saturating_sub(2))), top.chosen())
}

/// Lines of a list, headings first; the chosen one has a mark, because not everybody sees colours.
fn marked(lines: Vec<Text>, chosen: usize) -> Vec<Text> {
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(number, line)| {
            let mark = if number == chosen + 1 { "> " } else { "  " };
            Text::from(mark).text(line)
        })
        .collect()
}

/// More about the chosen session, where there is room for it.
fn details(top: &Top) -> Option<Vec<Text>> {
    if top.lines < WITH_DETAILS || !matches!(top.screen, Screen::Board | Screen::Filter) {
        return None;
    }
    let width = usize::from(top.columns);
    let row = top.row()?;
    let mut lines = vec![Text::styled("─".repeat(width), style::FAINT)];
    let mut head = Text::styled(reveal::name(row.called()), style::HEADING)
        .plain("  ")
        .text(rows::agent(row))
        .plain("  ")
        .text(rows::state(row, top.now));
    if let Some(why) = row.questions.first().and_then(|it| it.reason.as_deref()) {
        head = head.with(format!("  {}", reveal::name(why)), style::FAINT);
    }
    let prompt = row.prompt.as_deref().unwrap_or_default().trim();
    lines.extend(head.wrap(width).into_iter().take(2));
    lines.extend(Text::styled(prompt, style::FAINT).wrap(width));
    lines.truncate(DETAILS);
    lines.resize_with(DETAILS, Text::new);
    Some(cut(lines, width))
}

fn denials(top: &Top, events: &[RecordedEvent], width: usize) -> Vec<Text> {
    if events.is_empty() {
        let none = "Nothing was denied within the last day.";
        return vec![Text::new(), Text::from(none).cut(width)];
    }
    let mut list = List::new(DENIALS);
    for event in events {
        let decided = &event.decided;
        let what = trace::about(event.input.as_ref(), decided.project.as_deref());
        let why = decided.reason.as_deref().unwrap_or_default();
        list.row([
            Text::styled(moment::when(decided.time, top.now), style::FAINT),
            reveal::name(&decided.session).into(),
            Text::styled(
                reveal::name(decided.rule.as_deref().unwrap_or_default()),
                style::NAME,
            ),
            trace::one_line(&what).into(),
            Text::styled(trace::one_line(why), style::FAINT),
        ]);
    }
    let chosen = match &top.screen {
        Screen::Denials { chosen, .. } => *chosen,
        _ => 0,
    };
    marked(list.lines(Some(width.saturating_sub(2))), chosen)
}

/// By what `bowline allow` finds a call.
pub(super) fn id_of(event: &RecordedEvent) -> String {
    reveal::argument(log::id(event))
}

/// Everything that a person has to know to answer.
fn asked(top: &Top, question: &Question, width: usize) -> Vec<Text> {
    let project = Some(question.project.as_str());
    let what = trace::about(Some(&question.input), project);
    let what: String = what.chars().take(LONGEST_TEXT).collect();
    let left = (question.until - top.now).num_seconds().max(0);
    let waits = format!(
        "since {}; the agent asks itself in {left} s",
        moment::lasting(question.asked_at, top.now)
    );
    let agent = match &question.subagent {
        Some(subagent) => format!("{}, sub-agent {subagent}", question.agent),
        None => question.agent.clone(),
    };
    let label = |name: &str| Text::styled(format!("  {name:<9}"), style::HEADING);
    let mut lines = vec![Text::new()];
    for (name, text) in [
        (
            "Tool",
            Text::styled(reveal::name(&question.tool), style::NAME),
        ),
        ("What", Text::styled(reveal::code(&what), style::HEADING)),
        (
            "Why",
            Text::from(question.reason.as_deref().unwrap_or_default()),
        ),
        (
            "Rule",
            reveal::name(question.rule.as_deref().unwrap_or_default()).into(),
        ),
        ("Project", reveal::name(&question.project).into()),
        ("Agent", reveal::name(&agent).into()),
        ("Waits", waits.into()),
    ] {
        if text.is_empty() {
            continue;
        }
        let indent = label("").length();
        let mut lead = Some(label(name));
        for line in broken(&text, width.saturating_sub(indent).max(20)) {
            let lead = lead.take().unwrap_or_else(|| " ".repeat(indent).into());
            lines.push(lead.text(line));
        }
    }
    lines
}

/// A text in lines of which none is longer: here nothing goes on in the terminal's next line, and all of it must be seen.
fn broken(text: &Text, width: usize) -> Vec<Text> {
    let mut lines = Vec::new();
    for line in text.wrap(width) {
        lines.extend(line.pieces(width));
    }
    lines
}

/// The lines of the body that are shown, each with its number.
fn window<'a>(top: &Top, lines: &'a [Text]) -> Vec<(usize, &'a Text)> {
    let room = room(top);
    let numbered = || lines.iter().enumerate();
    match &top.screen {
        Screen::Tree { place, .. } | Screen::Answer { place, .. } => {
            let from = place.at(lines.len().saturating_sub(room));
            numbered().skip(from).take(room).collect()
        }
        Screen::Keys => numbered().take(room).collect(),
        Screen::Board | Screen::Filter | Screen::Denials { .. } => {
            let from = first_row(top);
            let rows = numbered().skip(1 + from).take(room.saturating_sub(1));
            numbered().take(1).chain(rows).collect()
        }
    }
}

/// How many lines there are between the first and the last, without details.
pub(super) fn room(top: &Top) -> usize {
    let details = details(top).map_or(0, |lines| lines.len());
    usize::from(top.lines).saturating_sub(2 + details)
}

/// How many rows of a list are shown.
pub(super) fn rows_shown(top: &Top) -> usize {
    room(top).saturating_sub(1)
}

/// The first row of the list that is shown: the chosen one is always among them.
fn first_row(top: &Top) -> usize {
    let chosen = chosen_line(top).unwrap_or(1);
    chosen.saturating_sub(rows_shown(top))
}

/// The line of the body that is chosen; the first is the heading.
fn chosen_line(top: &Top) -> Option<usize> {
    match &top.screen {
        Screen::Board | Screen::Filter if !top.rows().is_empty() => Some(top.chosen() + 1),
        Screen::Denials {
            events: Some(events),
            chosen,
            ..
        } if !events.is_empty() => Some(chosen + 1),
        _ => None,
    }
}

/// The row of the board on a line of the screen.
pub(super) fn row_at(top: &Top, line: u16) -> Option<usize> {
    // The title and the headings are above.
    let place = usize::from(line).checked_sub(2)?;
    let is_row = place < rows_shown(top);
    let place = first_row(top) + place;
    (is_row && place < top.rows().len()).then_some(place)
}

fn len_u16(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}
