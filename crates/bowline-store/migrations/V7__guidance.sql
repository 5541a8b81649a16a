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
