//! Sessions with what they did, and the efforts that outlive them.

use bowline_continuity::action::EffortDetails;
use bowline_continuity::effort::{Effort, EffortId};
use bowline_continuity::note::Note;
use bowline_daemon::rpc::{Question as _, SessionKey, efforts, sessions};
use bowline_store::{Result, SessionDetails, SessionSummary, Store};

use super::known::{self, Names, Unmet};

/// Rows in one list.
pub(crate) const MOST: usize = 100;

/// Sessions and efforts, the newest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Overview {
    pub(crate) project: Option<String>,
    pub(crate) sessions: Vec<SessionSummary>,
    pub(crate) efforts: Vec<Effort>,
    /// Why there are none, if that is because of the project's name.
    pub(crate) unmet: Vec<Unmet>,
}

pub(crate) fn read(store: &dyn Store, said: Option<String>) -> Result<Overview> {
    let project = known::folder(store, said.as_deref())?;
    let sessions = sessions::List {
        project: project.clone(),
        limit: Some(MOST),
        ..sessions::List::default()
    };
    let efforts = efforts::Efforts {
        project: project.clone(),
        limit: Some(MOST),
    };
    let (sessions, efforts) = (sessions.answer(store)?, efforts.answer(store)?);
    let unmet = if sessions.is_empty() && efforts.is_empty() {
        let project = said.as_deref();
        known::unmet(
            store,
            Names {
                project,
                ..Names::default()
            },
        )?
    } else {
        Vec::new()
    };
    Ok(Overview {
        project,
        sessions,
        efforts,
        unmet,
    })
}

/// One session with those that it continues.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OneSession {
    pub(crate) name: String,
    pub(crate) details: SessionDetails,
    pub(crate) effort: Option<Effort>,
    /// What is pinned to its project or its effort.
    pub(crate) notes: Vec<Note>,
    /// Whether a list has only its newest rows.
    pub(crate) is_cut: bool,
}

/// Leaves the newest rows of a list that begins with the oldest. Says whether others went.
fn cut<T>(rows: &mut Vec<T>) -> bool {
    let excess = rows.len().saturating_sub(MOST);
    rows.drain(..excess);
    excess > 0
}

pub(crate) fn session(store: &dyn Store, name: &str) -> Result<Option<OneSession>> {
    let session = SessionKey::Name(name.to_owned());
    let Some(mut details) = (sessions::Get { session }).answer(store)? else {
        return Ok(None);
    };
    let effort = store.costs().effort_of_session(name)?;
    let effort = match effort {
        Some(effort) => store.continuity().effort(effort)?.map(|it| it.effort),
        None => None,
    };
    let project = details.sessions.iter().find_map(|it| it.project.as_deref());
    let notes = match project {
        Some(project) => {
            let effort = effort.as_ref().map(|it| it.id);
            store.continuity().notes(project, effort)?
        }
        None => Vec::new(),
    };
    let is_cut = [
        cut(&mut details.prompts),
        cut(&mut details.sessions),
        cut(&mut details.delegations),
    ];
    Ok(Some(OneSession {
        is_cut: is_cut.contains(&true),
        name: name.to_owned(),
        effort,
        notes,
        details,
    }))
}

pub(crate) fn effort(store: &dyn Store, number: i64) -> Result<Option<EffortDetails>> {
    store.continuity().effort(EffortId(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_leave_their_newest_rows() {
        for (count, first, is_cut) in [
            (0, None, false),
            (MOST, Some(0), false),
            (MOST + 2, Some(2), true),
        ] {
            let mut rows: Vec<usize> = (0..count).collect();
            assert_eq!(cut(&mut rows), is_cut);
            assert_eq!(rows.first().copied(), first);
            assert_eq!(rows.len(), count.min(MOST));
        }
    }
}
