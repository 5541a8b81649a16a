-- A database of schema version 1, as it was made then, with one of each kind of row.

CREATE TABLE refinery_schema_history (
    version INT4 PRIMARY KEY,
    name VARCHAR(255),
    applied_on VARCHAR(255),
    checksum VARCHAR(255)
);
INSERT INTO refinery_schema_history VALUES (1, 'records', '2026-01-01T00:00:00Z', '11125560326746788244');

CREATE TABLE projects (
    id         INTEGER PRIMARY KEY,
    path       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

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
    status         TEXT NOT NULL CHECK (status IN ('created', 'active', 'ended')),
    source         TEXT,
    model          TEXT,
    started_at     INTEGER NOT NULL,
    last_event_at  INTEGER NOT NULL,
    ended_at       INTEGER,
    end_reason     TEXT,
    events         INTEGER NOT NULL DEFAULT 0,
    trace_id       TEXT,
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
    hooks       TEXT NOT NULL
) STRICT;

CREATE TABLE traces (
    id            INTEGER PRIMARY KEY,
    tool_use_id   TEXT NOT NULL,
    lookup        INTEGER NOT NULL,
    trace_id      TEXT NOT NULL,
    chain_id      INTEGER NOT NULL,
    session_id    INTEGER NOT NULL,
    project_id    INTEGER,
    subagent      TEXT,
    parent_id     INTEGER,
    tool          TEXT NOT NULL,
    digest        INTEGER,
    status        TEXT NOT NULL DEFAULT 'started'
                  CHECK (status IN ('started', 'completed', 'failed', 'timeout', 'cancelled')),
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    duration_ms   INTEGER,
    created_at    INTEGER NOT NULL,
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
CREATE INDEX traces_open ON traces (chain_id, started_at) WHERE status = 'started';
CREATE INDEX traces_failed ON traces (started_at) WHERE status IN ('failed', 'timeout', 'cancelled');
CREATE INDEX traces_failed_by_chain ON traces (chain_id, started_at)
    WHERE status IN ('failed', 'timeout', 'cancelled');
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

PRAGMA application_id = 1112495948;
PRAGMA user_version = 1;
INSERT INTO projects VALUES (1, '/old', 'old', 1700000000000);
INSERT INTO sessions (id, chain_id, agent, name, project_id, status, started_at, last_event_at, events)
    VALUES (1, 1, 'claude-code', 'old session', 1, 'active', 1700000000000, 1700000001500, 2);
INSERT INTO events VALUES (3565158400000000001, 'old event', 1700000000000, 'claude-code', 'PreToolUse', 1, 1, 1, NULL, 'Bash',
    'toolu_old', 'no_opinion', NULL, 'enforced', 300, '[]');
INSERT INTO traces (id, tool_use_id, lookup, trace_id, chain_id, session_id, project_id, tool, status, started_at, ended_at,
        duration_ms, created_at)
    VALUES (1, 'toolu_old', 46569283491, 'toolu_old', 1, 1, 1, 'Bash', 'completed', 1700000000000, 1700000001500, 1500, 1700000000000);
INSERT INTO events VALUES (3565158400000000002, 'old denial', 1700000000001, 'claude-code', 'PreToolUse', 1, 1, 1, NULL, 'Bash',
    'toolu_denied', 'deny', 'too wide', 'enforced', 300, '[]');
INSERT INTO traces (id, tool_use_id, lookup, trace_id, chain_id, session_id, project_id, tool, status, started_at, ended_at,
        created_at, error_message)
    VALUES (2, 'toolu_denied', 0, 'toolu_denied', 1, 1, 1, 'Bash', 'cancelled', 1700000000001, 1700000000001, 1700000000001, 'too wide'),
           (3, 'toolu_esc', 0, 'toolu_esc', 1, 1, 1, 'Bash', 'cancelled', 1700000000002, 1700000000003, 1700000000002, 'stopped');
