//! The files of figures, from which goes what is forgotten.

use std::path::{Path, PathBuf};

use bowline_builtins::guidance::metrics::{bounds, kept, replace};
use bowline_daemon::rpc::{metrics, store::Forget};
use bowline_guidance::metrics::{Day, Facts};
use chrono::NaiveDate;

use crate::ask::Records;
use crate::error::Result;
use crate::project;
use crate::ui::Ui;

/// The files of the days that may count something that is about to be forgotten.
#[derive(Debug)]
pub(super) struct Figures {
    data: PathBuf,
    files: Vec<(NaiveDate, PathBuf, Then)>,
    problem: Option<String>,
}

/// What happens to a file when all is forgotten.
#[derive(Debug)]
enum Then {
    Removed,
    /// Written anew if the day's figures are no longer these. What the store has not known for long changes no more.
    Compared(Box<Day>),
}

impl Figures {
    /// To be asked before anything is forgotten.
    pub(super) fn before(
        question: &Forget,
        data: &Path,
        records: &mut Records,
        ui: &Ui,
    ) -> Result<Self> {
        let (kept, problem) = match kept(data) {
            Ok(kept) => (kept, None),
            Err(error) => (Vec::new(), Some(unread(data, &error))),
        };
        let mut files = Vec::new();
        for (day, file) in kept {
            let (from, to) = bounds(day);
            let then = match question {
                Forget::All => Then::Removed,
                Forget::Before(time) if to <= *time => Then::Removed,
                Forget::Before(time) if *time <= from => continue,
                Forget::Before(_) | Forget::Session(_) | Forget::Project(_) => {
                    let question = metrics::Day { day: Some(day) };
                    Then::Compared(Box::new(records.ask(&question, ui)?))
                }
            };
            files.push((day, file, then));
        }
        Ok(Self {
            data: data.to_owned(),
            files,
            problem,
        })
    }

    /// Takes from the files what was forgotten. Says which file may count it still.
    pub(super) fn forget(self, records: &mut Records, ui: &Ui) -> Vec<String> {
        let Self {
            data,
            files,
            problem,
        } = self;
        let failed = files.into_iter().filter_map(|(day, file, then)| {
            let mut now = || {
                let question = metrics::Day { day: Some(day) };
                records.ask(&question, ui).map_err(std::io::Error::other)
            };
            let result = match then {
                Then::Removed => replace(&data, &file, || Ok(None)),
                Then::Compared(before) => match now() {
                    Ok(after) if after == *before => Ok(()),
                    Ok(_) => replace(&data, &file, || {
                        let figures = now()?;
                        let nothing = Day::of(day, &Facts::default());
                        Ok((figures != nothing).then_some(figures))
                    }),
                    Err(error) => Err(error),
                },
            };
            let error = result.err()?;
            Some(format!(
                "{} could not be changed and may count what was forgotten: {error}; remove it",
                project::shown(&file)
            ))
        });
        problem.into_iter().chain(failed).collect()
    }
}

fn unread(data: &Path, error: &std::io::Error) -> String {
    format!(
        "the figures in {} could not be read and may count what was forgotten: {error}; remove them",
        project::shown(&data.join("metrics"))
    )
}
