-- When somebody last started or resumed an effort. Of a project's active efforts the last one is meant where nobody says which.
-- A later row always has a greater value, also if the clock was set back.
ALTER TABLE efforts ADD COLUMN taken_up_at INTEGER NOT NULL DEFAULT 0;
UPDATE efforts SET taken_up_at = created_at;

DROP INDEX efforts_active;
CREATE INDEX efforts_active ON efforts (project_id, taken_up_at) WHERE lifecycle = 'active';

PRAGMA user_version = 7;
