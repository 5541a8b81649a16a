-- What guides agents: what hooks remember of a session and of a project.
--
-- States are JSON. There are no foreign keys, as in the other tables.

-- What a hook remembers of the sessions that continue each other.
CREATE TABLE session_memory (
    chain_id INTEGER NOT NULL,
    hook     TEXT NOT NULL,
    state    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (chain_id, hook)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_memory_by_time ON session_memory (at);

-- What a hook remembers of a project.
CREATE TABLE project_memory (
    project_id INTEGER NOT NULL,
    hook       TEXT NOT NULL,
    state      TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, hook)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_memory_by_hook ON session_memory (hook, at);

-- What somebody means to do in a project.
CREATE TABLE work_items (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    title      TEXT NOT NULL,
    status     TEXT NOT NULL CHECK (status = 'todo' OR status = 'in_progress' OR status = 'blocked' OR status = 'done'
                                    OR status = 'cancelled'),
    priority   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at   INTEGER,
    -- The sessions in one of which it was last changed, and the agent's name for it.
    chain_id   INTEGER,
    session    TEXT
) STRICT;
CREATE INDEX work_items_by_project ON work_items (project_id, status, id);
CREATE INDEX work_items_by_chain ON work_items (chain_id);
CREATE INDEX work_items_by_end ON work_items (ended_at);

-- Failures of tools, each once for a project: by the message without what differs from time to time, or by how it begins.
CREATE TABLE failures (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id   INTEGER NOT NULL,
    tool         TEXT NOT NULL,
    signature    INTEGER NOT NULL,
    beginning    INTEGER NOT NULL,
    count        INTEGER NOT NULL,
    first_at     INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    follow_up    TEXT CHECK (follow_up IS NULL OR follow_up = 'open' OR follow_up = 'done'),
    follow_up_at INTEGER,
    -- What put an end to it last, and the sessions in one of which that was.
    fixed_by     TEXT,
    fixed_at     INTEGER,
    fixed_in     INTEGER,
    UNIQUE (project_id, tool, signature)
) STRICT;
CREATE INDEX failures_by_beginning ON failures (project_id, tool, beginning);
CREATE INDEX failures_by_project ON failures (project_id, last_at);
CREATE INDEX failures_by_time ON failures (last_at);
CREATE INDEX failures_by_fix ON failures (fixed_in);

-- Each time that something failed.
CREATE TABLE failed_calls (
    id         INTEGER PRIMARY KEY,
    failure_id INTEGER NOT NULL,
    chain_id   INTEGER NOT NULL,
    session    TEXT NOT NULL,
    message    TEXT,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX failed_calls_by_failure ON failed_calls (failure_id, id);
CREATE INDEX failed_calls_by_chain ON failed_calls (chain_id, id);
CREATE INDEX failed_calls_by_time ON failed_calls (at);

-- What each message of a model used. The id is made of the message's own: however often it is read, a message counts once. Names are
-- in usage_names.
CREATE TABLE usage (
    id             INTEGER PRIMARY KEY,
    at             INTEGER NOT NULL,
    session        INTEGER NOT NULL,
    project        INTEGER NOT NULL,
    subagent       INTEGER,
    model          INTEGER NOT NULL,
    tools          INTEGER,
    -- How long the prompt was: 0, 1, 2.
    band           INTEGER NOT NULL,
    input          INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    cache_write    INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    cache_read     INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_by_time ON usage (at);
CREATE INDEX usage_by_session ON usage (session, at);
CREATE INDEX usage_by_project ON usage (project, at);

-- Sessions, projects, sub-agents, models, and tools (several are separated by commas).
CREATE TABLE usage_names (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (kind, name)
) STRICT;

-- How far each transcript was read for that. The file is known by a number that is made of its path and its identity, so that what was
-- forgotten is not read again, and yet nothing here names it.
CREATE TABLE usage_marks (
    file   INTEGER PRIMARY KEY,
    offset INTEGER NOT NULL
) STRICT;

-- What a person added to a budget: that of a session, an effort or a day.
CREATE TABLE budget_raises (
    budget TEXT NOT NULL,
    name   TEXT NOT NULL,
    nanos  INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (budget, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX budget_raises_by_time ON budget_raises (at);

PRAGMA user_version = 8;
