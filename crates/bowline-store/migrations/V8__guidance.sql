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

PRAGMA user_version = 8;
