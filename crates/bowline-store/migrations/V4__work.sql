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

PRAGMA user_version = 4;
