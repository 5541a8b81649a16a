//! Names in addresses: the project or the session that a name means, and what is told where it means none.

use std::collections::BTreeSet;

use bowline_daemon::known::{KnownEvents, KnownSessions, UnknownName};
use bowline_daemon::rpc::{Question as _, SessionKey, efforts, events, sessions};
use bowline_store::{Result, Store};

use crate::query::Query;
use crate::text::folder_name;

/// At most this many of the newest sessions and events are looked at for what may be meant.
const SESSIONS: usize = 100;
const EVENTS: usize = 500;

/// Why a name finds nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unmet {
    /// Nothing is recorded under it.
    Unknown(UnknownName),
    /// Several are meant by it.
    Several {
        noun: &'static str,
        name: String,
        meant: Vec<String>,
    },
}

/// Why what an address is about is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Missing {
    /// There is no such view.
    View,
    /// It does not say which one: the noun, and the parameter that would say it.
    Unsaid(&'static str, &'static str),
    /// The name is nobody's.
    Named(Unmet),
    /// A question that waits no more, or never did.
    Gone,
    /// A call that is not recorded yet: the question of this id waits for a person.
    Waits(String),
}

/// What an address is about, by its name.
#[derive(Debug)]
pub(crate) struct Asked {
    noun: &'static str,
    parameter: &'static str,
    name: Option<String>,
}

impl Asked {
    pub(crate) fn of(query: &Query, noun: &'static str, parameter: &'static str) -> Self {
        Self {
            noun,
            parameter,
            name: query.owned(parameter),
        }
    }

    /// The same for what a form is about.
    pub(crate) fn of_form(form: &Query, noun: &'static str, parameter: &'static str) -> Self {
        Self {
            noun,
            parameter,
            name: form.key(parameter),
        }
    }

    /// What a look finds under the name.
    pub(crate) fn find<T>(
        &self,
        look: impl FnOnce(&str) -> Result<Option<T>>,
    ) -> Result<Result<T, Missing>> {
        let Some(name) = &self.name else {
            return Ok(Err(Missing::Unsaid(self.noun, self.parameter)));
        };
        let unknown = || Missing::Named(Unmet::Unknown(UnknownName::alone(self.noun, name)));
        Ok(look(name)?.ok_or_else(unknown))
    }

    /// The same for a session, for which the beginning of its name is enough.
    pub(crate) fn find_session<T>(
        &self,
        store: &dyn Store,
        look: impl Fn(&str) -> Result<Option<T>>,
    ) -> Result<Result<T, Missing>> {
        let found = self.find(&look)?;
        let (Err(Missing::Named(_)), Some(said)) = (&found, &self.name) else {
            return Ok(found);
        };
        match session(store, said)? {
            Ok(name) => Ok(look(&name)?.map_or(found, Ok)),
            Err(unmet) => Ok(Err(Missing::Named(unmet))),
        }
    }
}

/// The names by which a view is filtered.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Names<'a> {
    pub(crate) project: Option<&'a str>,
    pub(crate) session: Option<&'a str>,
    pub(crate) tool: Option<&'a str>,
}

/// A project as it is recorded: by its folder, or by the folder's name where only one is called so.
pub(crate) fn folder(store: &dyn Store, said: Option<&str>) -> Result<Option<String>> {
    let Some(said) = said else {
        return Ok(None);
    };
    if said.starts_with('/') {
        return Ok(Some(said.to_owned()));
    }
    let mut called = called(said, &newest(store)?);
    Ok(match called.len() {
        1 => called.pop_first(),
        _ => Some(said.to_owned()),
    })
}

/// Which of these names nothing is recorded under. It is asked where a view has nothing to show.
pub(crate) fn unmet(store: &dyn Store, names: Names<'_>) -> Result<Vec<Unmet>> {
    let mut unmet = Vec::new();
    if let Some(said) = names.project {
        unmet.extend(unmet_project(store, said)?);
    }
    if let Some(said) = names.session
        && !is_session(store, said)?
    {
        unmet.push(Unmet::Unknown(newest(store)?.no_session(said)));
    }
    if let Some(said) = names.tool {
        let of_tool = events::Last {
            tool: Some(said.to_owned()),
            limit: Some(1),
            ..events::Last::default()
        };
        if of_tool.answer(store)?.is_empty() {
            unmet.extend(last_events(store)?.unknown_tool(said).map(Unmet::Unknown));
        }
    }
    Ok(unmet)
}

fn unmet_project(store: &dyn Store, said: &str) -> Result<Option<Unmet>> {
    let newest = newest(store)?;
    if !said.starts_with('/') {
        let meant = called(said, &newest);
        if meant.len() > 1 {
            return Ok(Some(Unmet::Several {
                noun: "project",
                name: said.to_owned(),
                meant: meant.into_iter().collect(),
            }));
        }
    }
    let folder = folder(store, Some(said))?;
    let of_project = sessions::List {
        project: folder.clone(),
        limit: Some(1),
        ..sessions::List::default()
    };
    let efforts = efforts::Efforts {
        project: folder,
        limit: Some(1),
    };
    let is_known = !of_project.answer(store)?.is_empty() || !efforts.answer(store)?.is_empty();
    Ok((!is_known).then(|| Unmet::Unknown(newest.no_project(said))))
}

/// The name of the session that is called so, or of the only one whose name begins so.
fn session(store: &dyn Store, said: &str) -> Result<Result<String, Unmet>> {
    let known = newest(store)?;
    let begins = known.sessions.iter().filter(|it| it.starts_with(said));
    let begins: Vec<&String> = begins.collect();
    Ok(match begins.as_slice() {
        _ if known.sessions.contains(said) => Ok(said.to_owned()),
        [only] => Ok((*only).clone()),
        [] => Err(Unmet::Unknown(known.no_session(said))),
        several => Err(Unmet::Several {
            noun: "session",
            name: said.to_owned(),
            meant: several.iter().map(|it| (*it).clone()).collect(),
        }),
    })
}

/// Says that there is no such rule, and that none of this name stopped anything, if that is so.
pub(crate) fn rule(store: &dyn Store, said: &str) -> Result<Option<Unmet>> {
    Ok(last_events(store)?.unknown_rule(said).map(Unmet::Unknown))
}

fn is_session(store: &dyn Store, said: &str) -> Result<bool> {
    let of_session = events::Last {
        session: Some(SessionKey::Name(said.to_owned())),
        limit: Some(1),
        ..events::Last::default()
    };
    Ok(!of_session.answer(store)?.is_empty())
}

/// The projects whose folder has this name.
fn called(name: &str, known: &KnownSessions) -> BTreeSet<String> {
    let known = known.projects.iter();
    known
        .filter(|folder| folder_name(folder) == name)
        .cloned()
        .collect()
}

fn newest(store: &dyn Store) -> Result<KnownSessions> {
    let newest = sessions::List {
        limit: Some(SESSIONS),
        ..KnownSessions::question()
    };
    newest.answer(store).map(KnownSessions::of)
}

fn last_events(store: &dyn Store) -> Result<KnownEvents> {
    let last = events::Last {
        limit: Some(EVENTS),
        ..KnownEvents::question()
    };
    last.answer(store).map(KnownEvents::of)
}

#[cfg(test)]
mod tests {
    use bowline_store::{Change, Options, Record, SqliteStore};
    use chrono::Utc;

    use super::*;

    fn store(folder: &tempfile::TempDir) -> SqliteStore {
        let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
        for (id, session, project) in [
            ("one", "aaa-1", "/home/ada/shop"),
            ("two", "aaa-2", "/home/ada/site"),
            ("three", "bbb-1", "/srv/site"),
        ] {
            let mut record = Record::new(id, Utc::now(), "claude-code", "SessionStart", session);
            record.decided.project = Some(project.to_owned());
            record.decided.tool = Some("Bash".to_owned());
            record.changes = vec![Change::SessionStarted {
                source: None,
                model: None,
                previous: None,
            }];
            store.submit(record, Box::new(|_| {}));
        }
        store.flush().unwrap();
        store
    }

    /// Unknown names with what was probably meant, or those that may be meant.
    fn told(unmet: Vec<Unmet>) -> Vec<(String, Vec<String>)> {
        let told = unmet.into_iter().map(|it| match it {
            Unmet::Unknown(unknown) => (unknown.name, unknown.nearest.into_iter().collect()),
            Unmet::Several { name, meant, .. } => (name, meant),
        });
        told.collect()
    }

    #[test]
    fn a_project_is_known_by_its_folder_or_by_a_name_that_it_alone_has() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        for (said, expected) in [
            ("/home/ada/shop", "/home/ada/shop"),
            ("/nowhere", "/nowhere"),
            ("shop", "/home/ada/shop"),
            ("site", "site"),
            ("nothing", "nothing"),
        ] {
            let found = super::folder(&store, Some(said)).unwrap();
            assert_eq!(found.as_deref(), Some(expected));
        }
        assert_eq!(super::folder(&store, None).unwrap(), None);
    }

    #[test]
    fn names_that_nobody_has_are_told_with_what_may_be_meant() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        let of = |project, session, tool| {
            let names = Names {
                project,
                session,
                tool,
            };
            told(unmet(&store, names).unwrap())
        };
        let near = |name: &str, meant: &[&str]| {
            let meant = meant.iter().map(|it| (*it).to_owned()).collect();
            vec![(name.to_owned(), meant)]
        };
        assert_eq!(of(None, None, None), []);
        assert_eq!(of(Some("/home/ada/shop"), Some("aaa"), Some("bash")), []);
        assert_eq!(of(Some("shop"), None, None), []);
        assert_eq!(
            of(Some("shp"), None, None),
            near("shp", &["/home/ada/shop"])
        );
        assert_eq!(
            of(Some("/nowhere"), None, None),
            near("/nowhere", &[]),
            "nothing is near"
        );
        assert_eq!(
            of(Some("site"), None, None),
            near("site", &["/home/ada/site", "/srv/site"])
        );
        assert_eq!(of(None, Some("aab-1"), None), near("aab-1", &["aaa-1"]));
        assert_eq!(of(None, None, Some("Bsh")), near("Bsh", &["Bash"]));
    }

    #[test]
    fn a_session_is_known_by_the_beginning_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder);
        for (said, expected) in [("aaa-1", Some("aaa-1")), ("b", Some("bbb-1"))] {
            let found = session(&store, said).unwrap().ok();
            assert_eq!(found.as_deref(), expected);
        }
        for (said, meant) in [("aaa", &["aaa-1", "aaa-2"][..]), ("x", &[])] {
            let unmet = session(&store, said).unwrap().unwrap_err();
            assert_eq!(told(vec![unmet]).remove(0).1, meant, "{said}");
        }
    }
}
