//! Where words are in commands, paths, prompts and errors.

use bowline_daemon::rpc::{Question as _, search};
use bowline_store::{Findings, Result, Store, TextKind, is_searchable};
use chrono::{DateTime, Utc};

use super::costs::Period;
use super::known::{self, Names, Unmet};
use crate::query::Query;

/// Records on one page.
pub(crate) const MOST: usize = 100;

/// What is searched for, and where.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) text: Option<String>,
    pub(crate) project: Option<String>,
    pub(crate) tool: Option<String>,
    pub(crate) since: Option<Period>,
    pub(crate) kind: Option<TextKind>,
}

impl Wanted {
    /// What cannot be understood does not filter.
    pub(crate) fn of(query: &Query) -> Self {
        let kind = query.get("kind");
        Self {
            text: query.owned("q"),
            project: query.owned("project"),
            tool: query.owned("tool"),
            since: query.get("since").and_then(Period::named),
            kind: kind.and_then(|word| TextKind::ALL.into_iter().find(|it| it.word() == word)),
        }
    }

    fn names(&self) -> Names<'_> {
        Names {
            project: self.project.as_deref(),
            session: None,
            tool: self.tool.as_deref(),
        }
    }

    /// As an address has it, with another name in the place of one.
    pub(crate) fn with<'a>(&'a self, noun: &str, name: &'a str) -> Vec<(&'static str, &'a str)> {
        let or_own = |of: &str, own: &'a Option<String>| {
            let own = own.as_deref().unwrap_or_default();
            if noun == of { name } else { own }
        };
        vec![
            ("q", self.text.as_deref().unwrap_or_default()),
            ("kind", self.kind.map_or("", TextKind::word)),
            ("since", self.since.map_or("", Period::word)),
            ("tool", or_own("tool", &self.tool)),
            ("project", or_own("project", &self.project)),
        ]
    }
}

/// What a search has to say.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    /// Nothing was asked for yet.
    Unasked,
    /// There is no letter and no digit in it.
    NoWords,
    Found(Findings),
    /// It is searched for under names that nothing is recorded under.
    Unmet(Vec<Unmet>),
}

pub(crate) fn find(store: &dyn Store, wanted: &Wanted, now: DateTime<Utc>) -> Result<Answer> {
    let Some(text) = &wanted.text else {
        return Ok(Answer::Unasked);
    };
    if !is_searchable(text) {
        return Ok(Answer::NoWords);
    }
    let find = search::Find {
        text: text.clone(),
        kinds: wanted.kind.into_iter().collect(),
        session: None,
        tool: wanted.tool.clone(),
        project: known::folder(store, wanted.project.as_deref())?,
        since: wanted.since.and_then(|period| period.since(now)),
        limit: Some(MOST),
    };
    let found = find.answer(store)?;
    if found.found.is_empty() {
        let unmet = known::unmet(store, wanted.names())?;
        if !unmet.is_empty() {
            return Ok(Answer::Unmet(unmet));
        }
    }
    Ok(Answer::Found(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_understood_does_not_filter() {
        for (query, expected) in [
            ("", Wanted::default()),
            ("q=+&kind=&since=", Wanted::default()),
            ("kind=everything&since=never", Wanted::default()),
            (
                "q=a+b&kind=path&since=7d&tool=Bash&project=%2Fp",
                Wanted {
                    text: Some("a b".to_owned()),
                    project: Some("/p".to_owned()),
                    tool: Some("Bash".to_owned()),
                    since: Some(Period::Week),
                    kind: Some(TextKind::Path),
                },
            ),
        ] {
            let wanted = Wanted::of(&Query::parse(query.as_bytes()));
            assert_eq!(wanted, expected, "{query}");
        }
    }
}
