-- Which rule a decision follows from. What was decided, or would have been, is found without looking at all events.
ALTER TABLE events ADD COLUMN rule TEXT;
CREATE INDEX events_decided ON events (id) WHERE decision <> 'no_opinion';

-- A call that never ran has a status of its own: we denied it, or a person or the agent refused it. While a call is open,
-- error_message is the question that was asked about it.
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
                         OR status = 'cancelled' OR status = 'denied' OR status = 'refused'),
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
UPDATE traces SET status = 'denied'
    WHERE status = 'cancelled' AND tool_use_id IN (
        SELECT tool_use_id FROM events
        WHERE event = 'PreToolUse' AND decision = 'deny' AND enforcement = 'enforced' AND tool_use_id IS NOT NULL);
CREATE INDEX traces_by_lookup ON traces (lookup);
CREATE INDEX traces_by_trace ON traces (trace_id, started_at);
CREATE INDEX traces_by_chain ON traces (chain_id, started_at);
CREATE INDEX traces_by_tool ON traces (tool, started_at);
CREATE INDEX traces_by_time ON traces (started_at);
CREATE INDEX traces_by_project ON traces (project_id, started_at);
CREATE INDEX traces_open ON traces (chain_id, started_at) WHERE status = 'started';
-- What neither runs nor went well: denied and refused calls, too, which are few.
CREATE INDEX traces_failed ON traces (started_at) WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_failed_by_chain ON traces (chain_id, started_at)
    WHERE status <> 'started' AND status <> 'completed';
CREATE INDEX traces_by_duration ON traces (duration_ms) WHERE duration_ms IS NOT NULL;

PRAGMA user_version = 5;
