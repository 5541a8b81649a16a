//! Filters as people write them: the project that a name means, and what is said where a filter finds nothing.

use std::collections::BTreeSet;
use std::path::Path;

use bowline::hooks::HookEvent;
use bowline::settings::main_checkout;
use bowline_agents::near;
use bowline_continuity::{Code, RuleError};
use bowline_daemon::rpc::{SessionKey, events, search, sessions, traces};
use bowline_guard::rules::rules;

use super::trace::project_name;
use crate::ask::Records;
use crate::error::{Error, Result};
use crate::project::{Paths, ProjectNames};
use crate::ui::{Ui, reveal};

/// At most this many sessions and events are looked at for what is known.
const SESSIONS: usize = 1_000;
const EVENTS: usize = 2_000;
/// At most this many known values are named.
const NAMED: usize = 6;

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
    if let Some(told) = unknown_project(project, records, ui)? {
        ui.note(told);
    }
    Ok(())
}

fn unknown_project(
    project: Option<&str>,
    records: &mut Records,
    ui: &Ui,
) -> Result<Option<String>> {
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
    let known = known_sessions(records, ui)?.projects;
    let names = known.iter().map(|it| shown_project(it)).collect();
    let near = name_of_folder(project);
    Ok(Some(advice(
        "project",
        &shown_project(project),
        &near,
        &names,
    )))
}

/// Refuses a session that nothing was recorded of, and names what may be meant.
pub(super) fn check_session(name: &str, records: &mut Records, ui: &Ui) -> Result<()> {
    let question = sessions::Known {
        session: name.to_owned(),
    };
    if records.ask(&question, ui)? {
        return Ok(());
    }
    let known = known_sessions(records, ui)?.sessions;
    let message = advice("session", name, name, &known);
    let refusal = Error::refused(RuleError::new(Code::NotFound, message));
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
            unknown.join(" ")
        })
    }

    fn unknown(&self, records: &mut Records, ui: &Ui) -> Result<Vec<String>> {
        let mut told = Vec::new();
        told.extend(unknown_project(self.project.as_deref(), records, ui)?);
        if let Some(session) = self.session.as_deref() {
            let known = known_sessions(records, ui)?.sessions;
            if !known.iter().any(|it| it.starts_with(session)) {
                told.push(advice("session", session, session, &known));
            }
        }
        if self.tool.is_some() || self.event.is_some() || self.rule.is_some() {
            told.extend(self.unknown_words(&known_events(records, ui)?));
        }
        Ok(told)
    }

    fn unknown_words(&self, known: &KnownEvents) -> Vec<String> {
        let is_in = |names: &BTreeSet<String>, name: &str| {
            names.iter().any(|it| it.eq_ignore_ascii_case(name))
        };
        let mut told = Vec::new();
        let tool = self.tool.as_deref().filter(|it| !is_in(&known.tools, it));
        told.extend(tool.map(|it| advice("tool", it, it, &known.tools)));
        let event = self.event.as_deref().filter(|it| !is_in(&known.events, it));
        told.extend(event.map(|it| match HookEvent::nearest(it) {
            Some(near) if !near.name().eq_ignore_ascii_case(it) => {
                mistyped("event", it, near.name())
            }
            _ => advice("event", it, it, &known.events),
        }));
        let catalogue: BTreeSet<String> = rules().into_iter().map(|it| it.id.to_string()).collect();
        let is_rule = |it: &str| known.rules.contains(it) || catalogue.contains(it);
        let rule = self.rule.as_deref().filter(|it| !is_rule(it));
        told.extend(rule.map(|it| match nearest(it, &catalogue) {
            Some(near) => mistyped("rule", it, &near),
            None => advice("rule", it, it, &known.rules),
        }));
        told
    }
}

fn session_name(session: &SessionKey) -> Option<String> {
    match session {
        SessionKey::Name(name) => Some(name.clone()),
        SessionKey::Row(_) => None,
    }
}

#[derive(Debug)]
struct KnownSessions {
    projects: BTreeSet<String>,
    sessions: BTreeSet<String>,
}

fn known_sessions(records: &mut Records, ui: &Ui) -> Result<KnownSessions> {
    let newest = sessions::List {
        limit: Some(SESSIONS),
        ..sessions::List::default()
    };
    let found = records.ask(&newest, ui)?;
    let mut known = KnownSessions {
        projects: BTreeSet::new(),
        sessions: BTreeSet::new(),
    };
    for session in found {
        known.projects.extend(session.newest.project);
        known.sessions.insert(session.newest.session);
    }
    Ok(known)
}

#[derive(Debug, Default)]
struct KnownEvents {
    tools: BTreeSet<String>,
    events: BTreeSet<String>,
    rules: BTreeSet<String>,
}

fn known_events(records: &mut Records, ui: &Ui) -> Result<KnownEvents> {
    let newest = events::Last {
        limit: Some(EVENTS),
        ..events::Last::default()
    };
    let mut known = KnownEvents::default();
    for event in records.ask(&newest, ui)? {
        known.tools.extend(event.decided.tool);
        known.events.insert(event.decided.event);
        known.rules.extend(event.decided.rule);
    }
    Ok(known)
}

fn shown_project(folder: &str) -> String {
    Paths::of(Path::new("")).show_absolute(Path::new(folder))
}

fn name_of_folder(folder: &str) -> String {
    let name = Path::new(folder).file_name();
    name.map_or_else(|| folder.to_owned(), |it| it.to_string_lossy().into_owned())
}

/// Says that a name is unknown; `near` is the part to compare.
fn advice(noun: &str, name: &str, near: &str, known: &BTreeSet<String>) -> String {
    if let Some(nearest) = nearest(near, known) {
        return mistyped(noun, name, &nearest);
    }
    let shown: Vec<String> = known
        .iter()
        .take(NAMED)
        .map(|it| format!("`{}`", reveal::name(it)))
        .collect();
    let more = if known.len() > NAMED {
        " and others"
    } else {
        ""
    };
    let name = reveal::name(name);
    match shown.as_slice() {
        [] => format!("No {noun} is recorded."),
        _ => format!(
            "No {noun} `{name}` is recorded; there are {}{more}.",
            shown.join(", ")
        ),
    }
}

fn mistyped(noun: &str, name: &str, nearest: &str) -> String {
    let (name, nearest) = (reveal::name(name), reveal::name(nearest));
    format!("No {noun} `{name}` is recorded; did you mean `{nearest}`?")
}

/// The known name that was probably meant. Of a path its last folder is compared.
fn nearest(name: &str, known: &BTreeSet<String>) -> Option<String> {
    let folders: Vec<String> = known.iter().map(|it| name_of_folder(it)).collect();
    let nearest = near::nearest(name, folders.iter().map(String::as_str))?;
    let mut known = known.iter().zip(&folders);
    let (it, _) = known.find(|(_, folder)| *folder == nearest)?;
    Some(it.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_meant_and_else_a_few_are_named() {
        let known: BTreeSet<String> = ["Bash", "Read", "Grep"].map(str::to_owned).into();
        for (name, expected) in [
            ("Bsh", "No tool `Bsh` is recorded; did you mean `Bash`?"),
            (
                "WebSearch",
                "No tool `WebSearch` is recorded; there are `Bash`, `Grep`, `Read`.",
            ),
        ] {
            assert_eq!(advice("tool", name, name, &known), expected);
        }
        assert_eq!(
            advice("tool", "x", "x", &BTreeSet::new()),
            "No tool is recorded."
        );
        let folders: BTreeSet<String> = ["/home/a/shop".to_owned()].into();
        assert_eq!(nearest("shp", &folders).as_deref(), Some("/home/a/shop"));
    }
}
