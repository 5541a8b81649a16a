-- A list of more than two words (`status IN (…)`) makes SQLite build a small table at every insert and update, for each
-- check and each partial index: a third of what writing a call costs. The same conditions, spelt out.

CREATE TABLE new_sessions (
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
    trace_id       TEXT,
    spawned_by     INTEGER
) STRICT;
INSERT INTO new_sessions SELECT * FROM sessions;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_by_name ON sessions (name, subagent, id);
CREATE INDEX sessions_by_chain ON sessions (chain_id, id);
CREATE INDEX sessions_by_time ON sessions (last_event_at);
CREATE INDEX sessions_by_project ON sessions (project_id, last_event_at);

CREATE TABLE new_traces (
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
                  CHECK (status = 'started' OR status = 'completed' OR status = 'failed' OR status = 'timeout'
                         OR status = 'cancelled'),
    started_at    INTEGER NOT NULL,
    ended_at      INTEGER,
    duration_ms   INTEGER,
    created_at    INTEGER NOT NULL,
    error_message TEXT,
    tool_input    TEXT,
    tool_output   TEXT
) STRICT;
INSERT INTO new_traces SELECT * FROM traces;
DROP TABLE traces;
ALTER TABLE new_traces RENAME TO traces;
CREATE INDEX traces_by_lookup ON traces (lookup);
CREATE INDEX traces_by_trace ON traces (trace_id, started_at);
CREATE INDEX traces_by_chain ON traces (chain_id, started_at);
CREATE INDEX traces_by_tool ON traces (tool, started_at);
CREATE INDEX traces_by_time ON traces (started_at);
CREATE INDEX traces_by_project ON traces (project_id, started_at);
CREATE INDEX traces_open ON traces (chain_id, started_at) WHERE status = 'started';
CREATE INDEX traces_failed ON traces (started_at) WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_failed_by_chain ON traces (chain_id, started_at)
    WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_by_duration ON traces (duration_ms) WHERE duration_ms IS NOT NULL;

PRAGMA user_version = 3;
