//! The statements for a filter of tool calls.

use rusqlite::Connection;
use rusqlite::types::Value as Sql;

use super::super::millis;
use super::super::stretches::{self, Whose, Within};
use super::{ENDED_BADLY, Query, Scope, errors, limit, project, scopes, tool};
use crate::error::Result;
use crate::status::TraceStatus;
use crate::trace::{StatusFilter, TraceFilter};

/// The statements for a filter; none if nothing can be like that.
pub(super) fn find_queries(
    db: &Connection,
    filter: &TraceFilter<'_>,
    columns: &str,
    joins: &str,
) -> Result<Vec<Query>> {
    let project = match filter.project.map(|path| project(db, path)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let tool = match filter.tool.map(|name| tool(db, name)).transpose()? {
        Some(None) => return Ok(Vec::new()),
        known => known.flatten(),
    };
    let filter = &TraceFilter {
        tool: tool.as_deref(),
        ..filter.clone()
    };
    let query =
        |scope, within: Within<'_>| find_query(filter, scope, project, within, columns, joins);
    if let Some(session) = filter.session {
        let scopes = scopes(db, session)?.into_iter();
        return Ok(scopes
            .map(|scope| query(Some(scope), Within::Everything))
            .collect());
    }
    // Calls that are open or failed are few.
    let Some(agent) = filter.agent.filter(|_| Among::of(filter) == Among::All) else {
        return Ok(vec![query(None, Within::Everything)]);
    };
    // A call has the time of the event that it began with.
    let mut whose = vec![Whose::agent(agent)];
    whose.extend(filter.tool.map(Whose::tool));
    whose.extend(project.map(Whose::Project));
    let since = stretches::noted_since(db)?;
    let noted = query(
        None,
        Within::Stretches {
            whose: &whose,
            since: since.unwrap_or(0),
        },
    );
    let older = since.map(|stretch| query(None, Within::Before(stretch)));
    Ok([noted].into_iter().chain(older).collect())
}

/// Among which calls a filter looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Among {
    All,
    /// Those that neither run nor succeeded.
    Failing,
    /// Those that run.
    Open,
}

impl Among {
    fn of(filter: &TraceFilter<'_>) -> Self {
        match filter.status {
            Some(StatusFilter::Is(TraceStatus::Started)) => Self::Open,
            Some(status) if !status.contains(TraceStatus::Completed) => Self::Failing,
            _ => Self::All,
        }
    }
}

/// The statement for a filter, by the index that leaves least.
pub(in crate::sqlite) fn find_query(
    filter: &TraceFilter<'_>,
    scope: Option<Scope>,
    project: Option<i64>,
    within: Within<'_>,
    columns: &str,
    joins: &str,
) -> Query {
    let mut conditions: Vec<String> = Vec::new();
    let mut values = Vec::new();
    let first = filter.since.map_or(i64::MIN, millis);
    let mut end = filter.before.map(millis);
    if let Within::Before(stretch) = within {
        let before = stretch.saturating_mul(stretches::LENGTH);
        end = Some(end.map_or(before, |end| end.min(before)));
    }
    if let Within::Stretches { whose, since } = within {
        let stretch = |time: i64| time.div_euclid(stretches::LENGTH);
        let newest = end.map_or(i64::MAX, stretch);
        let (of_stretches, bounds) =
            stretches::conditions(whose, stretch(first).max(since), newest);
        conditions.extend(of_stretches);
        values.extend(bounds.into_iter().map(Sql::Integer));
        let length = stretches::LENGTH;
        conditions.push(format!("t.started_at >= x.stretch * {length}"));
        conditions.push(format!("t.started_at < (x.stretch + 1) * {length}"));
    }
    let mut require = |condition: &'static str, value: Sql| {
        conditions.push(condition.to_owned());
        values.push(value);
    };
    if let Some(scope) = scope {
        require("t.chain_id = ?", Sql::Integer(scope.chain));
        if let Some(only) = scope.only {
            require("t.started_at >= ?", Sql::Integer(only.from));
            require("t.started_at <= ?", Sql::Integer(only.to));
            require("t.session_id = ?", Sql::Integer(only.row));
        }
    }
    if let Some(tool) = filter.tool {
        require("t.tool = ?", Sql::Text(tool.to_owned()));
    }
    if let Some(project) = project {
        require("t.project_id = ?", Sql::Integer(project));
    }
    // Always there, so that the indexes by time alone are entered and not walked from an end.
    require("t.started_at >= ?", Sql::Integer(first));
    if let Some(end) = end {
        require("t.started_at < ?", Sql::Integer(end));
    }
    if let Some(agent) = filter.agent {
        require(
            "(SELECT agent FROM sessions WHERE id = t.session_id) = ?",
            Sql::Text(agent.to_owned()),
        );
    }
    let among = Among::of(filter);
    let (open, failing) = (among == Among::Open, among == Among::Failing);
    if let Some(StatusFilter::Is(status)) = filter.status
        && !open
    {
        require("t.status = ?", Sql::Text(status.as_str().to_owned()));
    }
    if failing {
        conditions.push(ENDED_BADLY.to_owned());
    }
    match filter.status {
        Some(StatusFilter::AnyError) => conditions.push(errors()),
        Some(several @ StatusFilter::AnyOf(_)) => conditions.push(one_of(several)),
        _ => {}
    }
    if open {
        conditions.push("t.status = 'started'".to_owned());
    }
    let index = match (scope, failing, open) {
        (Some(_), true, _) => "traces_failed_by_chain",
        (None, true, _) => "traces_failed",
        (_, _, true) => "traces_open",
        (Some(_), ..) => "traces_by_chain",
        _ if within.is_of_stretches() => "traces_by_time",
        (None, ..) if filter.tool.is_some() => "traces_by_tool",
        (None, ..) if project.is_some() => "traces_by_project",
        (None, ..) => "traces_by_time",
    };
    let conditions = conditions.join(" AND ");
    values.push(limit(filter.limit));
    let (before, order) = if within.is_of_stretches() {
        (stretches::TABLE, "x.stretch DESC, ")
    } else {
        ("", "")
    };
    Query {
        sql: format!(
            "SELECT {columns} FROM {before}traces t INDEXED BY {index} {joins}
             WHERE {conditions} ORDER BY {order}t.started_at DESC, t.id DESC LIMIT ?"
        ),
        values,
    }
}

fn one_of(several: StatusFilter) -> String {
    let words: Vec<String> = several
        .statuses()
        .map(|status| format!("'{}'", status.as_str()))
        .collect();
    format!("t.status IN ({})", words.join(", "))
}
