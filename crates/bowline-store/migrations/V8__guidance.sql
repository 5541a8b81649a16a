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

PRAGMA user_version = 8;
