-- In which stretches of ten seconds a session, a tool, a project or an agent has events, so that those are found among all others. The key
-- is the row of the chain or of the project, or the hash of the tool's or the agent's name; a stretch is its time in seconds, divided by ten.
CREATE TABLE event_stretches (
    kind    INTEGER NOT NULL,
    key     INTEGER NOT NULL,
    stretch INTEGER NOT NULL,
    PRIMARY KEY (kind, key, stretch)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_stretches_by_time ON event_stretches (stretch);

-- What is older is not noted: the row of kind 3 has the first stretch that is.
INSERT INTO event_stretches (kind, key, stretch)
    SELECT 3, 0, (max(id) >> 21) / 10000 + 1 FROM events HAVING max(id) IS NOT NULL;

PRAGMA user_version = 12;
