-- What lets work outlive a context window: tasks, efforts, what their sessions leave for each other, and the fleet.
--
-- Lists are JSON. There are no foreign keys: each would need one more index, and one writer sets all of them.

-- A task is a folder and never ends.
CREATE TABLE tasks (
    folder       TEXT PRIMARY KEY,
    project_id   INTEGER NOT NULL,
    title        TEXT,
    description  TEXT,
    keywords     TEXT NOT NULL,
    -- The number of its last effort. No number is used twice, also if an old effort was removed.
    last_ordinal INTEGER NOT NULL DEFAULT 0,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_project ON tasks (project_id, created_at);
CREATE INDEX tasks_by_time ON tasks (created_at);

-- The number of an effort is never used again: copies in memory name it.
CREATE TABLE efforts (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    task        TEXT NOT NULL,
    project_id  INTEGER NOT NULL,
    skill       TEXT NOT NULL,
    mode        TEXT,
    ordinal     INTEGER NOT NULL,
    lifecycle   TEXT NOT NULL CHECK (lifecycle = 'active' OR lifecycle = 'finished'),
    phase       TEXT,
    phases      TEXT NOT NULL,
    directives  TEXT NOT NULL DEFAULT '[]',
    directories TEXT NOT NULL DEFAULT '[]',
    metadata    TEXT NOT NULL DEFAULT '{}',
    created_at  INTEGER NOT NULL,
    finished_at INTEGER,
    UNIQUE (task, ordinal)
) STRICT;
CREATE INDEX efforts_by_project ON efforts (project_id, id);
CREATE INDEX efforts_active ON efforts (project_id, id) WHERE lifecycle = 'active';
CREATE INDEX efforts_finished ON efforts (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE phase_history (
    id        INTEGER PRIMARY KEY,
    effort_id INTEGER NOT NULL,
    phase     TEXT NOT NULL,
    proof     TEXT,
    reason    TEXT,
    at        INTEGER NOT NULL
) STRICT;
CREATE INDEX phase_history_by_effort ON phase_history (effort_id, id);

-- The part of a session that belongs to an effort. Sub-agents have rows of their own.
CREATE TABLE effort_sessions (
    session_id        INTEGER PRIMARY KEY,
    effort_id         INTEGER NOT NULL,
    previous_id       INTEGER,
    heartbeat         INTEGER NOT NULL DEFAULT 0,
    last_heartbeat_at INTEGER NOT NULL,
    context_usage     REAL,
    loaded_files      TEXT NOT NULL DEFAULT '[]',
    preloaded_files   TEXT NOT NULL DEFAULT '[]',
    -- What it left for the next session, and the call that got it.
    dehydrated        TEXT,
    claimed_by        TEXT,
    transcript_path   TEXT,
    created_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX effort_sessions_by_effort ON effort_sessions (effort_id, session_id);
CREATE INDEX effort_sessions_left ON effort_sessions (effort_id, session_id) WHERE dehydrated IS NOT NULL;

-- How far each transcript was read.
CREATE TABLE transcripts (
    path     TEXT PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX transcripts_by_chain ON transcripts (chain_id);
CREATE INDEX transcripts_by_time ON transcripts (at);

CREATE TABLE messages (
    id         INTEGER PRIMARY KEY,
    chain_id   INTEGER NOT NULL,
    session_id INTEGER NOT NULL,
    role       TEXT NOT NULL,
    content    TEXT NOT NULL,
    tool       TEXT,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_by_chain ON messages (chain_id, id);
CREATE INDEX messages_by_time ON messages (at);

-- One row for each agent of the fleet. One that was bound to an effort before it reported anything has no session yet.
CREATE TABLE agents (
    id            TEXT PRIMARY KEY,
    label         TEXT,
    agent         TEXT NOT NULL,
    session_id    INTEGER,
    chain_id      INTEGER,
    project_id    INTEGER,
    folder        TEXT,
    effort_id     INTEGER,
    status        TEXT NOT NULL CHECK (status = 'done' OR status = 'checked' OR status = 'working' OR status = 'attention'
                                       OR status = 'error'),
    since         INTEGER NOT NULL,
    waiting_for   TEXT,
    context_usage REAL,
    pid           INTEGER,
    pid_started   INTEGER,
    ended_at      INTEGER,
    end_reason    TEXT
) STRICT;
CREATE INDEX agents_by_session ON agents (session_id);
CREATE INDEX agents_by_end ON agents (ended_at);
CREATE INDEX agents_by_project ON agents (project_id, ended_at);
CREATE INDEX agents_by_folder ON agents (project_id, folder, session_id);
CREATE INDEX agents_waiting ON agents (id) WHERE status = 'attention';

CREATE TABLE notes (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    effort_id  INTEGER,
    -- The sessions in one of which it was pinned.
    chain_id   INTEGER,
    text       TEXT NOT NULL,
    at         INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_by_project ON notes (project_id, effort_id, id);
CREATE INDEX notes_by_effort ON notes (effort_id, id);
CREATE INDEX notes_by_chain ON notes (chain_id);

-- The to-do list of a chain, as it was last written.
CREATE TABLE todos (
    chain_id INTEGER PRIMARY KEY,
    content  TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX todos_by_time ON todos (at);

-- The files that were edited last in a chain; the later, the greater the id.
CREATE TABLE edited_files (
    id       INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    path     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    UNIQUE (chain_id, path)
) STRICT;
CREATE INDEX edited_files_by_chain ON edited_files (chain_id, id);
CREATE INDEX edited_files_by_time ON edited_files (at);

-- Who writes which file; the file by its path without links, the chain by the name of its first session.
CREATE TABLE leases (
    path       TEXT PRIMARY KEY,
    chain      TEXT NOT NULL,
    session    TEXT NOT NULL,
    label      TEXT NOT NULL,
    folder     TEXT NOT NULL,
    doing      TEXT NOT NULL,
    taken_at   INTEGER NOT NULL,
    renewed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX leases_by_chain ON leases (chain);
CREATE INDEX leases_by_time ON leases (renewed_at);

-- Skills as they were last read from their files.
CREATE TABLE skills (
    project_id INTEGER NOT NULL,
    name       TEXT NOT NULL,
    content    TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

CREATE VIEW active_efforts AS
    SELECT e.*, p.path AS project FROM efforts e INDEXED BY efforts_active LEFT JOIN projects p ON p.id = e.project_id
    WHERE e.lifecycle = 'active';

CREATE VIEW task_summary AS
    SELECT t.*, p.path AS project,
        EXISTS (SELECT 1 FROM efforts e WHERE e.task = t.folder AND e.lifecycle = 'active') AS active,
        (SELECT count(*) FROM efforts e WHERE e.task = t.folder) AS efforts
    FROM tasks t LEFT JOIN projects p ON p.id = t.project_id;

CREATE VIEW fleet_status AS
    SELECT a.id, a.label, a.agent, a.session_id, s.name AS session, a.project_id, p.path AS project, a.folder, e.task, e.id AS effort,
        e.ordinal, e.skill, e.phase, es.heartbeat, a.status, a.since, s.last_event_at,
        coalesce(a.context_usage, es.context_usage) AS context_usage, t.tool AS last_tool, t.tool_input AS last_input,
        a.waiting_for, a.pid, a.pid_started, a.ended_at, a.end_reason
    FROM agents a
    JOIN sessions s ON s.id = a.session_id
    LEFT JOIN projects p ON p.id = a.project_id
    LEFT JOIN effort_sessions es ON es.session_id = a.session_id
    LEFT JOIN efforts e ON e.id = coalesce(a.effort_id, es.effort_id) AND e.lifecycle = 'active'
    LEFT JOIN traces t ON t.id = (SELECT l.id FROM traces l INDEXED BY traces_by_chain WHERE l.chain_id = a.chain_id
        ORDER BY l.started_at DESC LIMIT 1);

-- Open sessions of active efforts without a sign of life for five minutes.
CREATE VIEW stale_sessions AS
    SELECT es.session_id, s.name AS session, es.effort_id, e.task, es.heartbeat, es.last_heartbeat_at
    FROM efforts e INDEXED BY efforts_active
    JOIN effort_sessions es ON es.effort_id = e.id
    JOIN sessions s ON s.id = es.session_id
    WHERE e.lifecycle = 'active' AND e.project_id >= 0 AND s.status <> 'ended'
        AND es.last_heartbeat_at < CAST(unixepoch('subsec') * 1000 AS INTEGER) - 300000;

PRAGMA user_version = 6;
