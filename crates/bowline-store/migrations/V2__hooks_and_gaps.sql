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

PRAGMA user_version = 2;
