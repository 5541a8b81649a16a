//! Answers to questions.

use std::path::Path;

use bowline_builtins::inbox::{Extent, Person, Preview, Question, Reply, Said, SettingsChange};
use bowline_daemon::approvals::{ANSWER, AnswerRequest, PREVIEW, PreviewRequest};
use serde::Serialize;
use serde_json::{Map, Value};

use super::shown::{show, show_one};
use super::{AllowArgs, DenyArgs, Unasked, ask, questions, read};
use crate::Outcome;
use crate::error::{Error, Result};
use crate::moment;
use crate::project::Paths;
use crate::standing;
use crate::ui::{Format, Text, Ui, YesOrNo, counted, reveal, style};

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
    questions: &'a [Question],
}

pub(super) fn allow(args: &AllowArgs, format: Format, ui: &mut Ui) -> Result<Outcome> {
    standing::person()?;
    let Some(question) = meant(args.id.as_deref(), format, ui)? else {
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
            describe(preview, ui);
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
    let Some(question) = meant(args.id.as_deref(), format, ui)? else {
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

/// The question that is meant. Where several wait and none is named, they are listed.
fn meant(id: Option<&str>, format: Format, ui: &mut Ui) -> Result<Option<Question>> {
    let waiting = questions()?;
    let Some(id) = id else {
        return match <[Question; 1]>::try_from(waiting) {
            Ok([only]) => Ok(Some(only)),
            Err(waiting) => {
                none_meant(&waiting, format, ui)?;
                Ok(None)
            }
        };
    };
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

fn none_meant(waiting: &[Question], format: Format, ui: &mut Ui) -> Result<()> {
    match format {
        Format::Json => ui.json(&Several {
            answered: None,
            questions: waiting,
        })?,
        Format::Text if waiting.is_empty() => ui.line("No question waits."),
        Format::Text => {
            show(waiting, moment::now(), ui);
            ui.blank();
            let count = counted(waiting.len(), "question");
            ui.line(format!(
                "{count} wait; say which one is meant: `bowline approvals allow ID`."
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
    let arguments = match serde_json::to_value(request) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    match ask(command, arguments) {
        Ok(answer) => read(answer),
        Err(Unasked::NoDaemon) => Err(gone(&question.id)),
        Err(Unasked::Failed(error)) => Err(error),
    }
}

/// What is written beside the answer.
fn describe(preview: &Preview, ui: &mut Ui) {
    match &preview.change {
        Some(change) => describe_change(change, ui),
        None => ui.line(format!(
            "In the rest of this session, {} nothing to exactly this call.",
            match &preview.rules[..] {
                [rule] => format!("`{rule}` says"),
                rules => format!("`{}` say", rules.join("`, `")),
            }
        )),
    }
    ui.line(
        "The guard is only silenced; nothing is granted, and whatever else is found still counts.",
    );
}

fn describe_change(change: &SettingsChange, ui: &mut Ui) {
    let file = Paths::of(Path::new("")).show_absolute(&change.file);
    if change.lines.added.is_empty() {
        return ui.line(format!("{file} has the entry already."));
    }
    ui.line(Text::styled(
        format!("{file}:{}", change.lines.line),
        style::NAME,
    ));
    for line in &change.lines.removed {
        let colour = style::BAD;
        ui.marked(&Text::styled("- ", colour), &Text::styled(line, colour));
    }
    for line in &change.lines.added {
        let colour = style::GOOD;
        ui.marked(&Text::styled("+ ", colour), &Text::styled(line, colour));
    }
}
