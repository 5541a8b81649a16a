//! Where efforts are begun, logged, moved on and finished. The command line, the daemon's requests and the agent's `effort` skill all come
//! here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bowline_continuity::action::{Begun, EffortStart, How, PhaseRequest, TaskSummary, Who};
use bowline_continuity::effort::{Effort, EffortId};
use bowline_continuity::effort_command::EffortCommand;
use bowline_continuity::log_entry::{MAX_ENTRY, log_entry, printable};
use bowline_continuity::note::Note;
use bowline_continuity::session::SessionState;
use bowline_continuity::task::{Task, name_of, task_folder};
use bowline_continuity::{Code, RuleError, briefing, dehydration};
use bowline_guard::secrets::redact;
use bowline_store::{Error, Result, Store};
use chrono::{DateTime, Local, Utc};
use serde::{Deserialize, Serialize};

use super::files;

/// No skill and no mode has a longer name.
const LONGEST_WORD: usize = 100;
/// A note is a line, or a few.
const LONGEST_NOTE: usize = 10_000;

/// Performs what is asked of efforts in one project.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    store: &'a dyn Store,
    project: &'a Path,
    home: Option<&'a Path>,
    /// The effort that is meant, if somebody said which.
    named: Option<EffortId>,
}

impl std::fmt::Debug for Desk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk")
            .field("project", &self.project)
            .finish_non_exhaustive()
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "done")]
pub enum Done {
    /// An effort was begun or taken up again.
    Begun(Begun),
    /// Something was logged.
    Logged {
        /// The effort.
        effort: Effort,
        /// The log.
        file: PathBuf,
        /// Whether the entry was longer than one may be, so that only its beginning was kept.
        #[serde(default)]
        cut: bool,
    },
    /// The phase is this now.
    Phase(Effort),
    /// A note was pinned.
    Noted(Note),
    /// A summary was left for the next session.
    Dehydrated {
        /// The effort.
        effort: Effort,
        /// The session that left it.
        session: Box<SessionState>,
    },
    /// The effort is finished.
    Finished(Effort),
    /// Nothing was changed; this is the effort.
    Shown(Effort),
}

impl<'a> Desk<'a> {
    /// For the efforts of a project. Skills are also looked for in the home folder.
    pub fn new(store: &'a dyn Store, project: &'a Path, home: Option<&'a Path>) -> Self {
        Self {
            store,
            project,
            home,
            named: None,
        }
    }

    /// For this effort, if one was named; else for the one that whoever asks works on.
    pub fn about(self, named: Option<EffortId>) -> Self {
        Self { named, ..self }
    }

    /// Performs a command. A refusal changes nothing.
    pub fn perform(&self, who: &Who, command: &EffortCommand, at: DateTime<Utc>) -> Result<Done> {
        match command {
            EffortCommand::Start { task, skill, mode } => {
                self.start(who, task, skill, mode.as_deref(), at)
            }
            EffortCommand::Resume { task } => {
                let folder = match task.as_deref() {
                    Some(task) => Some(self.task(task)?),
                    None => None,
                };
                let store = self.store.continuity();
                let begun = store.resume_effort(who, None, folder.as_deref(), at)?;
                Ok(Done::Begun(begun))
            }
            EffortCommand::Log { text } => self.log(who, text, at),
            EffortCommand::Phase(request) => {
                let effort = self.active(who)?;
                let store = self.store.continuity();
                let request = PhaseRequest {
                    to: on_one_line(&redacted(&request.to)),
                    proof: request.proof.as_deref().map(redacted),
                    reason: request.reason.as_deref().map(redacted),
                };
                let effort = store.change_phase(effort.id, who, &request, at)?;
                Ok(Done::Phase(effort))
            }
            EffortCommand::Note { text } => {
                let effort = self.meant(who)?.map(|effort| effort.id);
                let note = self.pin(who, effort, text, at)?;
                Ok(Done::Noted(note))
            }
            EffortCommand::Dehydrate { payload } => {
                let effort = self.active(who)?;
                let payload = dehydration::read(&redact(payload))?;
                let store = self.store.continuity();
                let session = store.dehydrate(who, effort.id, &payload, at)?;
                let session = Box::new(session);
                Ok(Done::Dehydrated { effort, session })
            }
            EffortCommand::Finish => {
                let effort = self.active(who)?;
                let effort = self.store.continuity().finish_effort(effort.id, at)?;
                Ok(Done::Finished(effort))
            }
            EffortCommand::Show => Ok(Done::Shown(self.active(who)?)),
        }
    }

    /// Pins a note to the project, or to an effort of it.
    pub fn pin(
        &self,
        who: &Who,
        effort: Option<EffortId>,
        text: &str,
        at: DateTime<Utc>,
    ) -> Result<Note> {
        files::check_project(self.project, self.home)?;
        let text = printable(&redact(text.trim()));
        if text.chars().count() > LONGEST_NOTE {
            let message = format!(
                "The note has more than {LONGEST_NOTE} characters. Write it into a file, and pin a line that names the file."
            );
            return Err(RuleError::new(Code::CommandError, message).into());
        }
        if text.is_empty() {
            let message =
                "The note is empty. Say what must not be forgotten: `bowline note add \"…\"`.";
            return Err(RuleError::new(Code::CommandError, message).into());
        }
        let project = self.project.to_string_lossy();
        let store = self.store.continuity();
        store.add_note(who, &project, effort, &text, at)
    }

    /// The folder of a task, by its name or by the folder itself.
    pub fn task(&self, name: &str) -> Result<String, RuleError> {
        let project = self.project.to_string_lossy();
        let path = Path::new(name);
        if path.is_absolute() && path.starts_with(self.project) {
            return task_folder(&project, name_of(name));
        }
        let name = name.strip_prefix(".tasks/").unwrap_or(name);
        task_folder(&project, name.trim_end_matches('/'))
    }

    /// A refusal must change nothing, so the folder is made before the store knows of it.
    fn make_folder(&self, folder: &str) -> Result<(), RuleError> {
        files::check_project(self.project, self.home)?;
        files::make_task_folder(self.project, Path::new(folder))
    }

    /// Makes a task with its folder. One that exists stays as it is.
    pub fn new_task(
        &self,
        name: &str,
        title: Option<&str>,
        description: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<TaskSummary> {
        let folder = self.task(name)?;
        self.make_folder(&folder)?;
        let task = Task {
            folder,
            project: self.project.to_string_lossy().into_owned(),
            title: Some(redacted(title.unwrap_or(name))),
            description: description.map(redacted),
            keywords: Vec::new(),
            created_at: at,
        };
        self.store.continuity().new_task(&task)
    }

    fn start(
        &self,
        who: &Who,
        task: &str,
        skill: &str,
        mode: Option<&str>,
        at: DateTime<Utc>,
    ) -> Result<Done> {
        let project = self.project.to_string_lossy().into_owned();
        let folder = self.task(task)?;
        check_word("skill", skill)?;
        mode.map_or(Ok(()), |mode| check_word("mode", mode))?;
        let found = files::find_skill(self.project, self.home, skill)?;
        self.make_folder(&folder)?;
        if let Some(found) = &found {
            let store = self.store.continuity();
            store.keep_skill(&project, found, at)?;
        }
        let start = EffortStart {
            who: who.clone(),
            task: folder,
            title: Some(redacted(task)),
            skill: skill.to_owned(),
            mode: mode.map(str::to_owned),
            phases: found.map(|skill| skill.phases).unwrap_or_default(),
            project,
        };
        let begun = self.store.continuity().start_effort(&start, at)?;
        Ok(Done::Begun(begun))
    }

    fn log(&self, who: &Who, text: &str, at: DateTime<Utc>) -> Result<Done> {
        let effort = self.active(who)?;
        effort.may_change()?;
        let time = at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S");
        let entry = log_entry(&redact(text), &time.to_string())?;
        // The file first: a log that was not written must not count as one.
        let file = files::append_log(self.project, &effort, &entry)?;
        self.store.continuity().logged(effort.id, who, at)?;
        let cut = text.len() > MAX_ENTRY;
        Ok(Done::Logged { effort, file, cut })
    }

    /// The effort that was named, else the one of whoever asks. One that was named may be finished.
    fn meant(&self, who: &Who) -> Result<Option<Effort>> {
        let store = self.store.continuity();
        let Some(named) = self.named else {
            return Ok(store.resolve(who)?.effort);
        };
        let found = store.effort(named)?.ok_or_else(|| named.unknown())?;
        if Path::new(&found.effort.project) == self.project {
            return Ok(Some(found.effort));
        }
        let message = format!(
            "Effort {} is {} of another project. Run the command in {}.",
            named.0,
            found.effort.label(),
            found.effort.project
        );
        Err(RuleError::new(Code::NotFound, message).into())
    }

    fn active(&self, who: &Who) -> Result<Effort> {
        let none = || {
            let message = format!(
                "No effort is active in {}. Begin one: `bowline effort start TASK SKILL`.",
                self.project.display()
            );
            Error::from(RuleError::new(Code::NoActiveEffort, message))
        };
        self.meant(who)?.ok_or_else(none)
    }
}

/// The name of a log has the skill in it, so it is short and plain.
fn check_word(what: &str, word: &str) -> Result<(), RuleError> {
    let fits = (1..=LONGEST_WORD).contains(&word.chars().count());
    let is_plain = |c: char| !c.is_control() && !matches!(c, '/' | '\\');
    if fits && word.chars().all(is_plain) {
        return Ok(());
    }
    let message = format!(
        "The {what} is empty, has more than {LONGEST_WORD} characters, a slash, or characters that cannot be shown. Use its short name."
    );
    Err(RuleError::new(Code::CommandError, message))
}

/// Without secrets, and without what would steer a terminal.
fn redacted(text: &str) -> String {
    printable(&redact(text))
}

fn on_one_line(text: &str) -> String {
    text.split(['\n', '\t']).collect::<Vec<_>>().join(" ")
}

impl Done {
    /// What an agent is told about it, in Markdown.
    pub fn to_markdown(&self) -> String {
        match self {
            Self::Begun(begun) => begun_text(begun),
            Self::Logged {
                effort,
                file,
                cut: true,
            } => format!(
                "{}: logged in `{}`, but only the first {MAX_ENTRY} bytes. Log the rest in parts.",
                effort.label(),
                file.display()
            ),
            Self::Logged { effort, file, .. } => {
                format!("Logged for {} in `{}`.", effort.label(), file.display())
            }
            Self::Phase(effort) => format!(
                "{} is in phase **{}** now.",
                effort.label(),
                effort.phase.as_deref().unwrap_or("none")
            ),
            Self::Noted(note) => {
                format!(
                    "Pinned to {} as note {}: {}",
                    note.pinned_to(),
                    note.id,
                    note.text
                )
            }
            Self::Dehydrated { effort, .. } => format!(
                "Your summary is kept. The next session of {} begins with it, once. End your turn now.",
                effort.label()
            ),
            Self::Finished(effort) => format!("{} is finished.", effort.label()),
            Self::Shown(effort) => effort_text(effort),
        }
    }
}

fn begun_text(begun: &Begun) -> String {
    let word = match begun.how {
        How::Started => "Started",
        How::Resumed => "Resumed",
    };
    let mut text = format!("{word}: {}", effort_text(&begun.effort));
    if let Some(left) = &begun.left {
        let _ = write!(text, "\n\n{}", briefing::of_left(left));
    }
    text
}

fn effort_text(effort: &Effort) -> String {
    let mut text = format!("**{}**\n", effort.label());
    let log = Path::new(&effort.task).join(effort.log_file());
    let _ = writeln!(text, "- task folder: `{}`", effort.task);
    let _ = writeln!(text, "- log: `{}`", log.display());
    let phase = effort.phase.as_deref().unwrap_or("none yet");
    let _ = writeln!(text, "- phase: {phase}");
    if !effort.phases.is_empty() {
        let _ = writeln!(text, "- phases: {}", effort.phases.join(" → "));
    }
    text.push_str(
        "\nLog what you do and find: `bowline effort log \"…\"`. Change the phase: `bowline effort phase \"…\"`.",
    );
    text
}
