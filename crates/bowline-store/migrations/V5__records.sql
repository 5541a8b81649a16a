-- Times are milliseconds since 1970, UTC. Migrations are only ever added; each sets user_version to its own number.
--
-- The first four versions were never released. A list of more than two words (`status IN (…)`) makes SQLite build a small
-- table at every insert and update, for each check and each partial index, which is a third of what writing a call costs:
-- such conditions are spelt out.

CREATE TABLE projects (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- One row for each context window, and one for each sub-agent. A chain is everything under one first session: what
-- continues it and the sub-agents that work in it.
CREATE TABLE sessions (
    id             INTEGER PRIMARY KEY,
    chain_id       INTEGER NOT NULL,
    agent          TEXT NOT NULL,
    name           TEXT NOT NULL,
    project_id     INTEGER REFERENCES projects (id),
    previous_id    INTEGER,
    parent_id      INTEGER,
    subagent       TEXT,
    subagent_kind  TEXT,
    status         TEXT NOT NULL CHECK (status = 'active' OR status = 'created' OR status = 'ended'),
    source         TEXT,
    model          TEXT,
    started_at     INTEGER NOT NULL,
    last_event_at  INTEGER NOT NULL,
    ended_at       INTEGER,
    end_reason     TEXT,
    events         INTEGER NOT NULL DEFAULT 0,
    -- The group of tool calls that are made now: that of the last prompt, or of the call that delegated.
    trace_id       TEXT,
    -- The call that delegated to this sub-agent.
    spawned_by     INTEGER
) STRICT;
CREATE INDEX sessions_by_name ON sessions (name, subagent, id);
CREATE INDEX sessions_by_chain ON sessions (chain_id, id);
CREATE INDEX sessions_by_time ON sessions (last_event_at);
CREATE INDEX sessions_by_project ON sessions (project_id, last_event_at);

CREATE TABLE prompts (
    id         INTEGER PRIMARY KEY,
    chain_id   INTEGER NOT NULL,
    session_id INTEGER NOT NULL,
    trace_id   TEXT NOT NULL,
    at         INTEGER NOT NULL,
    text       TEXT
) STRICT;
CREATE INDEX prompts_by_chain ON prompts (chain_id, at);
CREATE INDEX prompts_by_trace ON prompts (trace_id);
CREATE INDEX prompts_by_time ON prompts (at);

-- Every decided event. The id is made of the time and the event's id, which makes it unique, ordered by time and cheap.
CREATE TABLE events (
    id          INTEGER PRIMARY KEY,
    event_id    TEXT NOT NULL,
    at          INTEGER NOT NULL,
    agent       TEXT NOT NULL,
    event       TEXT NOT NULL,
    project_id  INTEGER,
    chain_id    INTEGER,
    session_id  INTEGER,
    subagent    TEXT,
    tool        TEXT,
    tool_use_id TEXT,
    decision    TEXT NOT NULL,
    reason      TEXT,
    enforcement TEXT NOT NULL,
    duration_us INTEGER NOT NULL,
    hooks       TEXT NOT NULL,
    -- The rule that the decision follows from.
    rule        TEXT
) STRICT;
-- What was decided, or would have been, is found without looking at all events.
CREATE INDEX events_decided ON events (id) WHERE decision <> 'no_opinion';

-- One row for each tool call. There are no foreign keys here: each would need one more index on the busiest table, and
-- one writer sets all of them.
CREATE TABLE traces (
    id            INTEGER PRIMARY KEY,
    tool_use_id   TEXT NOT NULL,
    -- Some bits of the row's number and some of the hash of tool_use_id: finds a call by its id, and new rows go to a
    -- small part of the index.
    lookup        INTEGER NOT NULL,
    trace_id      TEXT NOT NULL,
    chain_id      INTEGER NOT NULL,
    session_id    INTEGER NOT NULL,
    project_id    INTEGER,
    subagent      TEXT,
    parent_id     INTEGER,
    tool          TEXT NOT NULL,
    digest        INTEGER,
    -- A call that never ran has a status of its own: we denied it, or a person or the agent refused it.
    status        TEXT NOT NULL DEFAULT 'started'
                  CHECK (status = 'started' OR status = 'completed' OR status = 'failed' OR status = 'timeout'
                         OR status = 'cancelled' OR status = 'denied' OR status = 'refused'),
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    duration_ms   INTEGER,
    created_at    INTEGER NOT NULL,
    -- While a call is open, the question that was asked about it.
    error_message TEXT,
    tool_input    TEXT,
    tool_output   TEXT
) STRICT;
CREATE INDEX traces_by_lookup ON traces (lookup);
CREATE INDEX traces_by_trace ON traces (trace_id, started_at);
CREATE INDEX traces_by_chain ON traces (chain_id, started_at);
CREATE INDEX traces_by_tool ON traces (tool, started_at);
CREATE INDEX traces_by_time ON traces (started_at);
CREATE INDEX traces_by_project ON traces (project_id, started_at);
-- By status: what is open, and what neither runs nor went well. What went well is found by the others.
CREATE INDEX traces_open ON traces (chain_id, started_at) WHERE status = 'started';
CREATE INDEX traces_failed ON traces (started_at) WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_failed_by_chain ON traces (chain_id, started_at)
    WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_by_duration ON traces (duration_ms) WHERE duration_ms IS NOT NULL;

CREATE TABLE delegations (
    id           INTEGER PRIMARY KEY,
    chain_id     INTEGER NOT NULL,
    session_id   INTEGER NOT NULL,
    trace_row    INTEGER,
    from_agent   TEXT NOT NULL,
    to_agent     TEXT NOT NULL,
    subagent     TEXT,
    description  TEXT,
    status       TEXT NOT NULL CHECK (status IN ('started', 'completed', 'failed', 'cancelled')),
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    last_message TEXT
) STRICT;
CREATE INDEX delegations_by_chain ON delegations (chain_id, id);
CREATE INDEX delegations_open ON delegations (trace_row) WHERE status = 'started';
CREATE INDEX delegations_by_time ON delegations (started_at);

-- What is known of each hook's life.
CREATE TABLE hooks (
    name           TEXT PRIMARY KEY,
    fired          INTEGER NOT NULL,
    failed         INTEGER NOT NULL,
    last_fired_at  INTEGER NOT NULL,
    last_decision  TEXT NOT NULL,
    last_failed_at INTEGER,
    last_failure   TEXT,
    -- The last durations in microseconds, four bytes each, little-endian; a ring.
    durations      BLOB NOT NULL
) STRICT;

-- What is known to be missing.
CREATE TABLE gaps (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    cause   TEXT NOT NULL,
    records INTEGER NOT NULL,
    message TEXT NOT NULL
) STRICT;

-- What tool calls did to files and repositories, as far as ownership follows from it. Few calls have a row.
CREATE TABLE work (
    id          INTEGER PRIMARY KEY,
    chain_id    INTEGER NOT NULL,
    tool_use_id TEXT NOT NULL,
    at          INTEGER NOT NULL,
    content     TEXT NOT NULL
) STRICT;
CREATE INDEX work_by_chain ON work (chain_id, id);
CREATE INDEX work_by_time ON work (at);

PRAGMA application_id = 1112495948;
PRAGMA user_version = 5;
