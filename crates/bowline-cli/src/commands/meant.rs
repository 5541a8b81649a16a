//! Filters as people write them: the project that a name means, and what is said where a filter finds nothing.

use std::path::Path;

use bowline::settings::main_checkout;
use bowline_agents::AGENTS;
use bowline_agents::near::nearest;
use bowline_continuity::{Code, RuleError};
use bowline_daemon::known::{KnownEvents, KnownSessions, UnknownName};
use bowline_daemon::rpc::{SessionKey, events, search, sessions, traces};

use super::trace::project_name;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::project::{Paths, ProjectNames};
use crate::ui::{Ui, reveal};

/// An agent that Bowline knows. Under any other name nothing would be found, without a word.
pub(super) fn agent(name: &str) -> Result<String, String> {
    if AGENTS.iter().any(|agent| agent.name == name) {
        return Ok(name.to_owned());
    }
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    Err(match nearest(name, names.iter().copied()) {
        Some(near) => format!("no agent is called so; did you mean `{near}`?"),
        None => format!(
            "no agent is called so; expected one of {}",
            names.join(", ")
        ),
    })
}

/// A project as it is recorded: by a folder, else by its name in lists. One that is gone is known by the path that it had.
pub(super) fn project(folder: &Path, records: &mut Records, ui: &Ui) -> Result<String> {
    if folder.is_dir() {
        return project_name(folder);
    }
    let known = known_sessions(records, ui)?;
    let mut names = ProjectNames::default();
    names.learn(known.projects.iter().map(String::as_str));
    match names.called(&folder.to_string_lossy()).as_slice() {
        [] => project_name(folder),
        [only] => Ok((*only).to_owned()),
        several => {
            let paths = Paths::of(Path::new(""));
            let shown = several.iter().map(|it| paths.show_absolute(Path::new(it)));
            let name = reveal::name(&folder.to_string_lossy());
            let message = format!("{} projects are called `{name}`", several.len());
            let shown = shown.collect::<Vec<_>>().join(", ");
            Err(Error::input(message).hint(format!("name the folder: {shown}")))
        }
    }
}

/// Says beside an empty answer that nothing was ever recorded of a project, and which one may be meant.
pub(super) fn note_unknown_project(
    project: Option<&str>,
    records: &mut Records,
    ui: &Ui,
) -> Result<()> {
    let project = project.filter(|_| !records.is_nothing());
    if let Some(unknown) = unknown_project(project, records, ui)? {
        ui.note(told(&unknown));
    }
    Ok(())
}

fn unknown_project(
    project: Option<&str>,
    records: &mut Records,
    ui: &Ui,
) -> Result<Option<UnknownName>> {
    let Some(project) = project else {
        return Ok(None);
    };
    let of_project = sessions::List {
        project: Some(project.to_owned()),
        limit: Some(1),
        ..sessions::List::default()
    };
    if !records.ask(&of_project, ui)?.is_empty() {
        return Ok(None);
    }
    let known = known_sessions(records, ui)?;
    Ok(Some(known.no_project(project)))
}

/// Refuses a session that nothing was recorded of, and names what may be meant.
pub(super) fn check_session(name: &str, records: &mut Records, ui: &Ui) -> Result<()> {
    let question = sessions::Known {
        session: name.to_owned(),
    };
    if records.ask(&question, ui)? {
        return Ok(());
    }
    let unknown = known_sessions(records, ui)?.no_session(name);
    let refusal = Error::refused(RuleError::new(Code::NotFound, told(&unknown)));
    Err(refusal.hint("`bowline session list` shows the sessions of agents"))
}

/// The same for what worktrees share: it is recorded for their main checkout.
pub(super) fn main_project(folder: &Path, records: &mut Records, ui: &Ui) -> Result<String> {
    let project = project(folder, records, ui)?;
    Ok(of_main_checkout(project))
}

/// The main checkout of a project, which is its own unless it is a linked worktree.
pub(super) fn of_main_checkout(project: String) -> String {
    match main_checkout(Path::new(&project)) {
        Some(main) => main.to_string_lossy().into_owned(),
        None => project,
    }
}

/// The values of a filter that may be misspelt.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    project: Option<String>,
    session: Option<String>,
    tool: Option<String>,
    event: Option<String>,
    rule: Option<String>,
}

impl Wanted {
    pub(super) fn of_calls(filter: &traces::Filter) -> Self {
        Self {
            project: filter.project.clone(),
            session: filter.session.as_ref().and_then(session_name),
            tool: filter.tool.clone(),
            ..Self::default()
        }
    }

    pub(super) fn of_events(question: &events::Last) -> Self {
        Self {
            project: question.project.clone(),
            session: question.session.as_ref().and_then(session_name),
            tool: question.tool.clone(),
            event: question.event.clone(),
            rule: question.rule.clone(),
        }
    }

    pub(super) fn of_sessions(question: &sessions::List) -> Self {
        Self {
            project: question.project.clone(),
            ..Self::default()
        }
    }

    /// For programs, whose answer has no text: says beside it that the project is unknown.
    pub(super) fn note_unknown_project(&self, records: &mut Records, ui: &Ui) -> Result<()> {
        note_unknown_project(self.project.as_deref(), records, ui)
    }

    pub(super) fn of_search(question: &search::Find) -> Self {
        Self {
            project: question.project.clone(),
            session: question.session.as_ref().and_then(session_name),
            tool: question.tool.clone(),
            ..Self::default()
        }
    }

    /// The text if nothing matches.
    pub(super) fn nothing(&self, what: &str, records: &mut Records, ui: &Ui) -> Result<String> {
        let advice = self.advice(records, ui)?;
        Ok(format!("No {what} is like that. {advice}"))
    }

    /// The unknown values, else how to widen the filter.
    pub(super) fn advice(&self, records: &mut Records, ui: &Ui) -> Result<String> {
        let unknown = self.unknown(records, ui)?;
        Ok(if unknown.is_empty() {
            "Ask for more: a longer --since, or no filter.".to_owned()
        } else {
            unknown.iter().map(told).collect::<Vec<_>>().join(" ")
        })
    }

    fn unknown(&self, records: &mut Records, ui: &Ui) -> Result<Vec<UnknownName>> {
        let mut unknown = Vec::new();
        unknown.extend(unknown_project(self.project.as_deref(), records, ui)?);
        if let Some(session) = self.session.as_deref() {
            let known = known_sessions(records, ui)?;
            if !known.has_session(session) {
                unknown.push(known.no_session(session));
            }
        }
        if self.tool.is_some() || self.event.is_some() || self.rule.is_some() {
            let known = KnownEvents::of(records.ask(&KnownEvents::question(), ui)?);
            unknown.extend((self.tool.as_deref()).and_then(|it| known.unknown_tool(it)));
            unknown.extend((self.event.as_deref()).and_then(|it| known.unknown_event(it)));
            unknown.extend((self.rule.as_deref()).and_then(|it| known.unknown_rule(it)));
        }
        Ok(unknown)
    }
}

fn session_name(session: &SessionKey) -> Option<String> {
    match session {
        SessionKey::Name(name) => Some(name.clone()),
        SessionKey::Row(_) => None,
    }
}

fn known_sessions(records: &mut Records, ui: &Ui) -> Result<KnownSessions> {
    let newest = records.ask(&KnownSessions::question(), ui)?;
    Ok(KnownSessions::of(newest))
}

/// Says that a name is unknown, and what may be meant.
fn told(unknown: &UnknownName) -> String {
    let noun = unknown.noun;
    let shown = |name: &str| match noun {
        "project" => reveal::name(&Paths::of(Path::new("")).show_absolute(Path::new(name))),
        _ => reveal::name(name),
    };
    let name = shown(&unknown.name);
    if let Some(nearest) = &unknown.nearest {
        let nearest = shown(nearest);
        return format!("No {noun} `{name}` is recorded; did you mean `{nearest}`?");
    }
    let known: Vec<String> = (unknown.known.iter())
        .map(|it| format!("`{}`", shown(it)))
        .collect();
    let others = if unknown.has_others {
        " and others"
    } else {
        ""
    };
    match known.join(", ") {
        known if known.is_empty() => format!("No {noun} is recorded."),
        known => format!("No {noun} `{name}` is recorded; there are {known}{others}."),
    }
}
