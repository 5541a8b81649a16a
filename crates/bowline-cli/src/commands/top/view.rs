//! What is drawn: a pure function of the state.

mod denial;
mod lists;
mod question;

use bowline_builtins::inbox::Extent;
use bowline_daemon::board::Row;
use bowline_store::Findings;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::denials;
use super::rows::{self, Room};
use super::state::{Link, Place, Screen, Seen, Step, Top};
use crate::commands::{approvals, trace};
use crate::moment;
use crate::ui::full_screen::Paint;
use crate::ui::{Paragraph, Text, counted, reveal, style};

/// Fewer columns or lines are of no use.
const FEWEST_COLUMNS: u16 = 60;
const FEWEST_LINES: u16 = 5;
/// From so many lines on, more is told of the chosen session.
const WITH_DETAILS: u16 = 16;
const DETAILS: usize = 5;

const KEYS: &[(&str, &str)] = &[
    ("↑ ↓, j k", "choose a row, or scroll"),
    ("PgUp PgDn, Home End, g G", "the same in larger steps"),
    (
        "Enter",
        "what followed from the session's last prompt, live",
    ),
    ("a", "answer the question that the session waits with"),
    ("  y", "  allow this call once"),
    ("  s", "  allow it for the rest of its session; shown first"),
    ("  f", "  allow it for good; the change is shown first"),
    ("  n", "  deny it, with a message to the model"),
    (
        "d",
        "what was denied in the session; again: in all sessions",
    ),
    ("  Enter, a", "  the denial in full; how to let it pass"),
    ("/", "only sessions with these words; Esc shows all"),
    (
        "  Enter",
        "  also commands, paths, prompts and errors with them",
    ),
    (
        "  Enter, t",
        "  a record in full; what followed from its prompt",
    ),
    ("Ctrl-L", "draw everything anew"),
    ("Ctrl-Z", "back to the shell; `fg` returns here"),
    ("q, Esc, Ctrl-C", "leave; q and Esc go one step back first"),
];

/// Draws everything.
pub(super) fn draw(top: &Top, frame: &mut Frame<'_>, paint: Paint) {
    let area = frame.area();
    let width = usize::from(area.width);
    if is_too_small(area.width, area.height) {
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
    let chosen = chosen_row(top).map(|row| row - first_row(top) + 1);
    for (number, (place, line)) in (1..).zip(window(top, &lines)).enumerate() {
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

/// Whether nothing but that can be shown.
const fn is_too_small(columns: u16, lines: u16) -> bool {
    columns < FEWEST_COLUMNS || lines < FEWEST_LINES
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
        Screen::Tree { session, group, .. } => {
            let is_last = |row: &&Row| row.group.as_ref() == Some(group);
            let which = match rows(top).find(is_last) {
                Some(_) => "the last prompt",
                None => "a prompt",
            };
            name.plain(format!(": {which} of {}", called(top, session)))
        }
        Screen::Denials { of: None, .. } => name.plain(": denied in all sessions, last day"),
        Screen::Denials { of: Some(of), .. } => {
            name.plain(format!(": denied in {}, last day", called(top, of)))
        }
        Screen::Denial { event, .. } => name.plain(format!(
            ": denied in {}",
            called(top, &event.decided.session)
        )),
        Screen::Found { words, .. } => name.plain(format!(": found for {}", reveal::name(words))),
        Screen::Call { call: None, .. } => name.plain(": a call"),
        Screen::Call {
            call: Some(call), ..
        } => name.plain(format!(": a call of {}", called(top, &call.trace.session))),
        Screen::Answer { .. } => name.plain(": a question for you"),
        Screen::Keys(_) => name.plain(": keys"),
    };
    let title = match &top.link {
        Link::Asked => name.with("  asking the daemon…", style::FAINT),
        Link::Lost(why) => name.with(format!("  {why}"), style::BAD.bold()),
        Link::Fine => match &top.screen {
            Screen::Found {
                findings: Some(findings),
                ..
            } => name.text(found_counts(findings)),
            _ => name.text(counts(top)),
        },
    };
    match (&top.screen, top.filter.as_str()) {
        (Screen::Board | Screen::Filter, filter) if !filter.is_empty() => {
            title.with(format!("  only: {}", reveal::name(filter)), style::CAUTION)
        }
        _ => title,
    }
}

/// How many records were found, and where it was not looked.
fn found_counts(findings: &Findings) -> Text {
    let count = match findings.found.len() {
        super::MOST_FOUND => format!("  the newest {}", super::MOST_FOUND),
        count => format!("  {}", counted(count, "record")),
    };
    let text = Text::styled(count, style::FAINT);
    match findings.indexed_since {
        Some(since) => text.with(
            format!(
                "; those from before {} are still being indexed",
                moment::full(since)
            ),
            style::CAUTION,
        ),
        None => text,
    }
}

/// All sessions, also those that are not listed.
fn rows(top: &Top) -> impl Iterator<Item = &Row> {
    top.board.iter().flat_map(|board| &board.sessions)
}

fn counts(top: &Top) -> Text {
    let waiting = rows(top).filter(|row| row.state.word() == "waiting for you");
    let waiting = waiting.count();
    let text = Text::styled(
        format!("  {}", counted(rows(top).count(), "session")),
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
    let row = rows(top).find(|row| row.session == session);
    let name = row.map_or(session, Row::called);
    Text::from(reveal::name(name)).cut(24).content()
}

fn footer(top: &Top) -> Text {
    if let Some(notice) = &top.notice {
        return Text::styled(&notice.text, style::CAUTION);
    }
    let keys = match &top.screen {
        Screen::Board => "enter tree  a answer  d denials  / search  ? keys  q quit",
        Screen::Filter => {
            return typed(
                "/",
                &top.filter,
                "enter looks in all calls  esc all sessions",
                top,
            );
        }
        Screen::Tree { .. } => "↑ ↓ scroll  end follow  esc back",
        Screen::Denials { of: Some(_), .. } => {
            "↑ ↓  enter open  a how to allow  d all sessions  esc back"
        }
        Screen::Denials { of: None, .. } => {
            "↑ ↓  enter open  a how to allow  d one session  esc back"
        }
        Screen::Found { .. } => {
            "↑ ↓ choose  enter open  / other words  esc sessions with these words"
        }
        Screen::Call { .. } => "t all that followed from its prompt  ↑ ↓ scroll  esc back",
        Screen::Answer { step, seen, .. } => match step {
            Step::Choose if *seen < Seen::Question => {
                return below(top).with(", then y s f allow  n deny  esc back", style::FAINT);
            }
            Step::Choose => {
                "y allow once  s for its session  f for good  n deny  ↑ ↓ scroll  esc back"
            }
            Step::Tell(message) => {
                return typed(
                    "Deny, and tell the model: ",
                    message,
                    "enter deny  esc back",
                    top,
                );
            }
            Step::Confirm(_, None) => "asking the daemon what would be written…",
            Step::Confirm(_, Some(Err(_))) => "↑ ↓ scroll  esc back",
            Step::Confirm(_, Some(Ok(_))) if *seen < Seen::Preview => {
                return below(top).with(", then y writes this  n not", style::FAINT);
            }
            Step::Confirm(Extent::Always, Some(Ok(_))) => {
                "Allow for good?  y writes this  n not  ↑ ↓ scroll"
            }
            Step::Confirm(_, Some(Ok(_))) => {
                "Allow for its session?  y writes this  n not  ↑ ↓ scroll"
            }
        },
        Screen::Denial { .. } | Screen::Keys(_) => "↑ ↓ scroll  esc back",
    };
    let keys = Text::styled(keys, style::FAINT);
    match &top.screen {
        Screen::Answer { .. } if lines_below(top) > 0 => below(top).plain("  ").text(keys),
        _ => keys,
    }
}

/// That there is more to read.
fn below(top: &Top) -> Text {
    let more = counted(lines_below(top), "more line");
    Text::styled(format!("{more} ↓"), style::CAUTION)
}

/// What somebody types, and what can be done with it. Its end is where they type.
fn typed(lead: &str, text: &str, keys: &str, top: &Top) -> Text {
    let taken = lead.chars().count() + keys.chars().count() + 3;
    let room = usize::from(top.columns).saturating_sub(taken).max(20);
    let skipped = text.chars().count().saturating_sub(room);
    let shown: String = text.chars().skip(skipped).collect();
    Text::styled(lead, style::HEADING)
        .plain(format!("{}_", reveal::name(&shown)))
        .with(format!("  {keys}"), style::FAINT)
}

/// What is between the first line and the last: a heading that stays, if there is one, and the rest.
fn body(top: &Top) -> Vec<Text> {
    let width = usize::from(top.columns);
    match &top.screen {
        Screen::Board | Screen::Filter => board(top, width),
        Screen::Tree { tree: None, .. }
        | Screen::Denials { events: None, .. }
        | Screen::Found { findings: None, .. }
        | Screen::Call { call: None, .. } => {
            vec![Text::styled("asking the daemon…", style::FAINT)]
        }
        Screen::Tree {
            tree: Some(tree), ..
        } => cut(trace::drawn_tree(tree).lines(width), width),
        Screen::Denials {
            events: Some(events),
            chosen,
            ..
        } => lists::denials(top, events, *chosen, width),
        Screen::Denial { event, .. } => {
            let way = denials::way(event, &top.rights.silence);
            broken(denial::whole(event, way, top.now), width)
        }
        Screen::Found {
            words,
            findings: Some(findings),
            chosen,
        } => lists::found(top, (words, findings), *chosen, width),
        Screen::Call {
            call: Some(call), ..
        } => broken(trace::shown_call(&call.trace, &call.events), width),
        Screen::Answer { question, step, .. } => {
            let mut all = question::asked(question, top.now);
            if let Step::Confirm(_, Some(preview)) = step {
                all.push(Paragraph::blank());
                match preview {
                    Ok(preview) => all.extend(approvals::described(preview)),
                    Err(why) => all.push(Paragraph::plain(Text::styled(why, style::CAUTION))),
                }
            }
            broken(all, width)
        }
        Screen::Keys(_) => KEYS
            .iter()
            .map(|(keys, what)| {
                Text::styled(format!("  {keys:<26}"), style::NAME)
                    .plain(*what)
                    .cut(width)
            })
            .collect(),
    }
}

/// Lines of which none is longer: here nothing goes on in the terminal's next line, and all of it must be seen.
fn broken(paragraphs: Vec<Paragraph>, width: usize) -> Vec<Text> {
    let paragraphs = paragraphs.iter();
    paragraphs.flat_map(|it| it.broken(width)).collect()
}

/// How many lines the text has that is scrolled.
pub(super) fn body_length(top: &Top) -> usize {
    body(top).len()
}

/// How many of them are below those that are on the screen.
pub(super) fn lines_below(top: &Top) -> usize {
    let length = body_length(top);
    if is_too_small(top.columns, top.lines) {
        return length;
    }
    let last = length.saturating_sub(room(top));
    scrolled(top).map_or(0, |place| last - place.at(last))
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
    let mut projects = rows::projects(&rows);
    let from = first_row(top);
    let shown: Vec<&Row> = (rows.into_iter().skip(from))
        .take(rows_shown(top))
        .collect();
    let list = rows::list(&shown, &mut projects, top.now, room);
    marked(
        list.lines(Some(width.saturating_sub(2))),
        top.chosen() - from,
    )
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
    let row = top.row().filter(|_| has_details(top))?;
    let width = usize::from(top.columns);
    let mut lines = vec![Text::styled("─".repeat(width), style::FAINT)];
    let mut head = Text::styled(reveal::name(row.called()), style::HEADING)
        .plain("  ")
        .text(rows::agent(row))
        .plain("  ")
        .text(rows::state(row, top.now));
    if let Some(why) = row.questions.first().and_then(|it| it.reason.as_deref()) {
        let why = reveal::name(rows::beginning(why));
        head = head.with(format!("  {why}"), style::FAINT);
    }
    let prompt = rows::beginning(row.prompt.as_deref().unwrap_or_default());
    lines.extend(head.wrap(width).into_iter().take(2));
    lines.extend(Text::styled(prompt, style::FAINT).wrap(width));
    lines.truncate(DETAILS);
    lines.resize_with(DETAILS, Text::new);
    Some(cut(lines, width))
}

fn has_details(top: &Top) -> bool {
    let is_board = matches!(top.screen, Screen::Board | Screen::Filter);
    is_board && top.lines >= WITH_DETAILS && top.row().is_some()
}

/// The lines of the body that are shown. Of a list there are no others.
fn window<'a>(top: &Top, lines: &'a [Text]) -> impl Iterator<Item = &'a Text> {
    let room = room(top);
    let last = lines.len().saturating_sub(room);
    let from = scrolled(top).map_or(0, |place| place.at(last));
    lines.iter().skip(from).take(room)
}

/// How far the text is scrolled; nothing for a list.
fn scrolled(top: &Top) -> Option<Place> {
    match &top.screen {
        Screen::Tree { place, .. }
        | Screen::Denial { place, .. }
        | Screen::Call { place, .. }
        | Screen::Answer { place, .. }
        | Screen::Keys(place) => Some(*place),
        Screen::Board | Screen::Filter | Screen::Denials { .. } | Screen::Found { .. } => None,
    }
}

/// How many lines there are between the first and the last, without details.
pub(super) fn room(top: &Top) -> usize {
    let details = if has_details(top) { DETAILS } else { 0 };
    usize::from(top.lines).saturating_sub(2 + details)
}

/// How many rows of a list are shown.
pub(super) fn rows_shown(top: &Top) -> usize {
    room(top).saturating_sub(1)
}

/// The first row of the list that is shown: the chosen one is always among them.
fn first_row(top: &Top) -> usize {
    let chosen = chosen_row(top).unwrap_or(0);
    (chosen + 1).saturating_sub(rows_shown(top)).min(chosen)
}

/// The row of the list that is chosen.
fn chosen_row(top: &Top) -> Option<usize> {
    match &top.screen {
        Screen::Board | Screen::Filter if !top.rows().is_empty() => Some(top.chosen()),
        Screen::Denials {
            events: Some(events),
            chosen,
            ..
        } if !events.is_empty() => Some(*chosen),
        Screen::Found {
            findings: Some(findings),
            chosen,
            ..
        } if !findings.found.is_empty() => Some(*chosen),
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
