//! Answers to questions.

use std::path::Path;

use bowline_builtins::inbox::{Extent, Person, Preview, Question, Reply, Said, SettingsChange};
use bowline_daemon::approvals::{ANSWER, AnswerRequest, PREVIEW, PreviewRequest, arguments};
use serde::Serialize;

use super::shown::{show, show_one};
use super::{AllowArgs, DenyArgs, Unasked, Waiting, ask, none, read, waiting};
use crate::Outcome;
use crate::error::{Error, Result};
use crate::moment;
use crate::project::Paths;
use crate::standing;
use crate::ui::{Format, Paragraph, Text, Ui, YesOrNo, counted, reveal, style};

#[derive(Debug, Serialize)]
struct Report<'a> {
    /// Absent if nothing was answered.
    answered: Option<&'a Question>,
    said: &'a Said,
    /// What was written, or would be.
    preview: Option<&'a Preview>,
}

#[derive(Debug, Serialize)]
struct Several<'a> {
    answered: Option<&'a Question>,
    #[serde(flatten)]
    waiting: &'a Waiting,
}

pub(super) fn allow(args: &AllowArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    standing::person()?;
    let Some(question) = meant(args.id.as_deref(), "allow", format, ui)? else {
        return Ok(Outcome::Findings);
    };
    let extent = args.extent();
    let preview = match extent {
        Extent::Once => None,
        Extent::Session | Extent::Always => Some(preview(&question, extent)?),
    };
    let said = Said::Allow(extent);
    if format == Format::Text {
        show_one(&question, moment::now(), ui);
        if let Some(preview) = &preview {
            ui.blank();
            ui.paragraphs(described(preview));
        }
    }
    let consent = match (&preview, args.yes, format) {
        (None, _, _) | (_, true, _) => YesOrNo::Yes,
        (Some(_), false, Format::Json) => YesOrNo::No,
        (Some(_), false, Format::Text) => ui.ask("Allow this?")?,
    };
    let answered = match consent {
        YesOrNo::Yes => Some(answer(&question, said.clone())?),
        YesOrNo::No => None,
    };
    match format {
        Format::Json => ui.json(&Report {
            answered: answered.as_ref(),
            said: &said,
            preview: preview.as_ref(),
        })?,
        Format::Text => ui.line(match answered {
            Some(_) => Text::styled("Allowed.", style::GOOD).plain(afterwards(extent)),
            None => Text::from("Not answered; the question still waits."),
        }),
    }
    Ok(match consent {
        YesOrNo::Yes => Outcome::Clean,
        YesOrNo::No => Outcome::Findings,
    })
}

pub(super) fn deny(args: &DenyArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    standing::person()?;
    let Some(question) = meant(args.id.as_deref(), "deny", format, ui)? else {
        return Ok(Outcome::Findings);
    };
    let said = Said::Deny(args.message.clone());
    let answered = answer(&question, said.clone())?;
    match format {
        Format::Json => ui.json(&Report {
            answered: Some(&answered),
            said: &said,
            preview: None,
        })?,
        Format::Text => {
            show_one(&answered, moment::now(), ui);
            ui.line(Text::styled("Denied.", style::BAD).plain(" The model is told."));
        }
    }
    Ok(Outcome::Clean)
}

fn afterwards(extent: Extent) -> &'static str {
    match extent {
        Extent::Once => " This call runs.",
        Extent::Session => {
            " This call runs, and the guard says nothing to it in the rest of its session. `bowline allow --list` shows the entry."
        }
        Extent::Always => " This call runs, and the guard says nothing to such a call any more.",
    }
}

/// The question that is meant. Where several wait and none is named, they are listed. What is said then names the command's own verb.
fn meant(
    id: Option<&str>,
    verb: &'static str,
    format: Format,
    ui: &mut Ui,
) -> Result<Option<Question>> {
    let waiting = waiting()?;
    let Some(id) = id else {
        if let [only] = &waiting.questions[..] {
            return Ok(Some(only.clone()));
        }
        none_meant(&waiting, verb, format, ui)?;
        return Ok(None);
    };
    let waiting = waiting.questions;
    let begins = |it: &&Question| !id.is_empty() && it.id.starts_with(id);
    let whole = waiting.iter().find(|it| it.id == id);
    let fitting: Vec<&Question> = match whole {
        Some(whole) => vec![whole],
        None => waiting.iter().filter(begins).collect(),
    };
    match fitting[..] {
        [one] => Ok(Some(one.clone())),
        [] => Err(gone(id)),
        _ => Err(Error::input(format!(
            "{} questions have an id that begins with `{}`",
            fitting.len(),
            reveal::name(id)
        ))
        .hint("give more of it")),
    }
}

fn none_meant(waiting: &Waiting, verb: &'static str, format: Format, ui: &mut Ui) -> Result<()> {
    match format {
        Format::Json => ui.json(&Several {
            answered: None,
            waiting,
        })?,
        Format::Text if waiting.questions.is_empty() => none(waiting.inbox, ui),
        Format::Text => {
            show(&waiting.questions, moment::now(), ui);
            ui.blank();
            let count = counted(waiting.questions.len(), "question");
            ui.line(format!(
                "{count} wait; say which one is meant: `bowline approvals {verb} ID`."
            ));
        }
    }
    Ok(())
}

fn gone(id: &str) -> Error {
    Error::input(format!(
        "no question `{}` waits: it was answered, its time is over, or its agent ended",
        reveal::name(id)
    ))
    .hint("`bowline approvals` lists those that wait")
}

fn preview(question: &Question, extent: Extent) -> Result<Preview> {
    let request = PreviewRequest {
        id: question.id.clone(),
        extent,
    };
    ask_about(question, PREVIEW, &request)
}

fn answer(question: &Question, said: Said) -> Result<Question> {
    let request = AnswerRequest {
        id: question.id.clone(),
        reply: Reply {
            said,
            by: Person::default(),
        },
    };
    ask_about(question, ANSWER, &request)
}

fn ask_about<T: serde::de::DeserializeOwned>(
    question: &Question,
    command: &str,
    request: &impl Serialize,
) -> Result<T> {
    match ask(command, arguments(request)) {
        Ok(answer) => read(answer),
        Err(Unasked::NoDaemon) => Err(gone(&question.id)),
        Err(Unasked::Failed(error)) => Err(error),
    }
}

/// What is written beside the answer.
pub(in crate::commands) fn described(preview: &Preview) -> Vec<Paragraph> {
    let mut described = match &preview.change {
        Some(change) => described_change(change),
        None => vec![Paragraph::plain(format!(
            "In the rest of this session, {} nothing to exactly this call.",
            match &preview.rules[..] {
                [rule] => format!("`{rule}` says"),
                rules => format!("`{}` say", rules.join("`, `")),
            }
        ))],
    };
    described.push(Paragraph::plain(
        "The guard is only silenced; nothing is granted, and whatever else is found still counts.",
    ));
    described
}

fn described_change(change: &SettingsChange) -> Vec<Paragraph> {
    let file = Paths::of(Path::new("")).show_absolute(&change.file);
    if change.lines.added.is_empty() {
        return vec![Paragraph::plain(format!("{file} has the entry already."))];
    }
    let place = Text::styled(format!("{file}:{}", change.lines.line), style::NAME);
    let marked = |mark: &'static str, colour| {
        move |line: &String| {
            Paragraph::marked(Text::styled(mark, colour), Text::styled(line, colour))
        }
    };
    let removed = change.lines.removed.iter().map(marked("- ", style::BAD));
    let added = change.lines.added.iter().map(marked("+ ", style::GOOD));
    let place = [Paragraph::plain(place)].into_iter();
    place.chain(removed).chain(added).collect()
}
