//! `bowline search`: where words are in commands, paths, prompts and errors.

use std::path::PathBuf;

use bowline_daemon::rpc::{search, store};
use bowline_store::{Findings, Found, Part, TextKind, is_searchable};
use chrono::{DateTime, Utc};
use clap::ValueEnum;

use super::meant::{self, Wanted};
use super::trace::{limit, session_key};
use crate::Outcome;
use crate::ask::{NOTHING_YET, Records};
use crate::error::{Error, Result};
use crate::moment::{self, parse_time};
use crate::project::ProjectNames;
use crate::ui::{Format, FormatArgs, Text, Ui, counted, reveal, style};

/// Search the commands, paths, prompts and errors of agents, newest first
///
/// Every word has to be there, in any order and in any casing. A word of three characters or more also finds longer words that begin with it. Letters
/// and digits count, everything else is a gap: `src/main.rs` finds these three words next to each other. Of a record the first 2 KB are searched,
/// and of what you type 32 words
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  bowline search cargo test
  bowline search src/main.rs --kind path --project .
  bowline search E0308 --kind error --since 1w
  bowline search push --tool Bash --session last --json
  bowline search -- --force

`bowline trace show ID` shows everything about a call that was found,
`bowline session show ID` what followed from a prompt")]
pub(crate) struct SearchArgs {
    /// The words
    #[arg(required = true, value_name = "TEXT")]
    text: Vec<String>,

    /// Only in texts of this kind; several with commas
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    kind: Vec<Kind>,

    /// Only in this project, by its folder or its name; `.` is the current one
    #[arg(long, value_name = "PROJECT")]
    project: Option<PathBuf>,

    /// Only since then: 10m, 2h, 1w, yesterday, 2026-11-15 or a local time such as 10:30
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    since: Option<DateTime<Utc>>,

    /// Only in calls of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,

    /// Only in this session, by the agent's name for it or its beginning; `last` is the newest
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,

    /// Show at most N entries (maximum 10000)
    #[arg(long, value_name = "N", value_parser = limit, default_value = "50")]
    limit: u16,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// Of what was searched for, so many words and characters are repeated: more words do not count.
const MOST_WORDS: usize = 32;
const LONGEST: usize = 500;

/// The kind of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// What calls run or look for
    Command,
    /// Files and addresses that calls name
    Path,
    /// What you, or an agent that delegates, ask for
    Prompt,
    /// What went wrong in calls, or why they never ran
    Error,
}

impl From<Kind> for TextKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Command => Self::Command,
            Kind::Path => Self::Path,
            Kind::Prompt => Self::Prompt,
            Kind::Error => Self::Error,
        }
    }
}

pub(crate) fn run(args: &SearchArgs, ui: &mut Ui) -> Result<Outcome> {
    let text = args.text.join(" ");
    if !is_searchable(&text) {
        let shown = reveal::name(&repeated(&text));
        let message = format!("`{shown}` has no letter and no digit; nothing else is searched for");
        return Err(Error::usage(message).hint("`bowline search cargo test` is an example"));
    }
    let mut records = Records::open(ui)?;
    let session = args.session.clone();
    let question = search::Find {
        text,
        kinds: args.kind.iter().map(|kind| (*kind).into()).collect(),
        session: session
            .map(|name| session_key(name, &mut records, ui))
            .transpose()?,
        tool: args.tool.clone(),
        project: (args.project.as_deref())
            .map(|folder| meant::project(folder, &mut records, ui))
            .transpose()?,
        since: args.since,
        limit: Some(usize::from(args.limit)),
    };
    let findings = records.ask(&question, ui)?;
    if let Some(since) = findings.indexed_since {
        let since = moment::full(since);
        ui.note(if records.has_daemon() {
            format!("records from before {since} are still being indexed and were not searched")
        } else {
            format!(
                "records from before {since} were not searched: no daemon indexes them; `bowline daemon start` starts one that does"
            )
        });
    }
    match args.format.format() {
        Format::Json => ui.json(&findings)?,
        Format::Text if records.is_nothing() => ui.line(NOTHING_YET),
        Format::Text if findings.found.is_empty() => {
            let nothing = nothing(&question, findings.indexed_since, &mut records, ui)?;
            ui.line(nothing);
        }
        Format::Text => show(&findings, ui),
    }
    Ok(Outcome::Clean)
}

/// The text if nothing was found: what was searched, and how to find more.
fn nothing(
    question: &search::Find,
    indexed_since: Option<DateTime<Utc>>,
    records: &mut Records,
    ui: &Ui,
) -> Result<String> {
    let kinds = match question.kinds.as_slice() {
        [] => &TextKind::ALL[..],
        kinds => kinds,
    };
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.word()).collect();
    let kinds = match kinds.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => kinds.concat(),
    };
    let nothing = format!(
        "No {kinds} has `{}`.",
        reveal::name(&repeated(&question.text))
    );
    let unfiltered = search::Find {
        text: question.text.clone(),
        limit: question.limit,
        ..search::Find::default()
    };
    if *question != unfiltered {
        let advice = Wanted::of_search(question).advice(records, ui)?;
        return Ok(format!("{nothing} {advice}"));
    }
    // Where not all is indexed, a note says since when.
    if indexed_since.is_some() {
        return Ok(nothing);
    }
    let size = records.ask(&store::Size {}, ui)?;
    let since = size
        .since
        .map(|since| format!(" since {}", moment::minute(since)));
    Ok(format!(
        "{nothing} All records{} were searched, with {}.",
        since.unwrap_or_default(),
        counted(size.calls, "call")
    ))
}

/// What was searched for, as far as it counts and is read.
fn repeated(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS + 1).collect();
    let counting = words.get(..MOST_WORDS).unwrap_or(&words).join(" ");
    let shown: String = counting.chars().take(LONGEST).collect();
    if words.len() > MOST_WORDS || shown.len() < counting.len() {
        return format!("{shown} …");
    }
    shown
}

/// Two lines for each: where it is, and what it says.
fn show(findings: &Findings, ui: &mut Ui) {
    let now = moment::now();
    let mut projects = ProjectNames::default();
    projects.learn(findings.found.iter().filter_map(|it| it.project.as_deref()));
    for found in &findings.found {
        let when = format!("{:<9}  ", moment::when(found.time, now));
        let mut place = Text::styled(format!("{:<7}", found.kind.word()), style::HEADING);
        for (part, colour) in [
            (found.tool.as_deref().unwrap_or_default(), style::NAME),
            (projects.of(found.project.as_deref()), style::FAINT),
            (id(found), style::FAINT),
        ] {
            if !part.is_empty() {
                place = place.plain("  ").with(reveal::name(part), colour);
            }
        }
        ui.labelled(Text::styled(when, style::FAINT), &place);
        ui.labelled(Text::from("  "), &excerpt(found));
    }
}

/// By what `bowline trace show` finds the call, else the session of a prompt.
fn id(found: &Found) -> &str {
    found.tool_use_id.as_deref().unwrap_or(&found.session)
}

/// A path in the project without the project's folder, unless that was searched for.
fn within_project(found: &Found) -> Found {
    let mut shown = found.clone();
    let project = found.project.as_deref().unwrap_or_default();
    let inside = (found.kind == TextKind::Path)
        .then(|| found.excerpt.strip_prefix(project)?.strip_prefix('/'))
        .flatten();
    let folder = project.chars().count() + 1;
    let is_searched_for = found.matches.iter().any(|it| it.start < folder);
    if let Some(inside) = inside.filter(|_| !is_searched_for && !project.is_empty()) {
        inside.clone_into(&mut shown.excerpt);
        for it in &mut shown.matches {
            it.start -= folder;
            it.end = it.end.saturating_sub(folder);
        }
    }
    shown
}

/// The part of a text in which words were found; these stand out.
pub(super) fn excerpt(found: &Found) -> Text {
    let parts = within_project(found).parts();
    Text::of_parts(parts.iter().map(|part| match part {
        Part::Match(text) => (text.as_str(), style::MATCH),
        Part::Other(text) => (text.as_str(), style::PLAIN),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_do_not_count_are_not_repeated() {
        let many: Vec<String> = (1..=5_000).map(|word| format!("w{word}")).collect();
        let shown = repeated(&many.join(" "));
        assert!(shown.ends_with(" w32 …"), "{shown}");
        for text in ["cargo test", &many[..32].join(" ")] {
            assert_eq!(repeated(text), text);
        }
        let long = repeated(&"é".repeat(9_000));
        assert_eq!(long.chars().count(), LONGEST + 2);
    }

    #[test]
    fn a_path_is_shown_from_its_project_on_unless_the_project_was_searched_for() {
        for (kind, excerpt, (start, end), expected, marked) in [
            (TextKind::Path, "/p/ä/src/a.rs", (9, 13), "src/a.rs", "a.rs"),
            (
                TextKind::Path,
                "/p/ä/src/a.rs",
                (1, 2),
                "/p/ä/src/a.rs",
                "p",
            ),
            (
                TextKind::Path,
                "/p/äb/src/a.rs",
                (10, 14),
                "/p/äb/src/a.rs",
                "a.rs",
            ),
            (TextKind::Command, "/p/ä/run", (5, 8), "/p/ä/run", "run"),
        ] {
            let found: Found = serde_json::from_value(serde_json::json!({
                "kind": kind, "time": "2026-11-15T10:30:00Z", "agent": "a", "session": "s", "project": "/p/ä",
                "tool": null, "tool_use_id": null, "event_id": "e", "excerpt": excerpt,
                "matches": [{"start": start, "end": end}],
            }))
            .unwrap();
            let shown = within_project(&found);
            assert_eq!(shown.excerpt, expected);
            let parts = shown.parts();
            assert!(parts.contains(&Part::Match(marked.into())), "{parts:?}");
        }
    }
}
