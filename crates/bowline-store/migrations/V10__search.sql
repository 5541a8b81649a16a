-- What the search looks through: commands, paths, prompts and errors.
--
-- A row has the number of its event, so that the newest is found first, and goes when the event goes. The index keeps no text: what is shown
-- comes from the tables. Words are cut in Rust, at everything that is no letter and no digit; the tokenizer only splits at blanks. The
-- column `scope` has the numbers by which a search is narrowed down, so that the index alone answers.
CREATE VIRTUAL TABLE search_words USING fts5 (
    scope, command, path, prompt, error,
    -- The row of the tool call.
    call UNINDEXED,
    content = '', contentless_delete = 1, contentless_unindexed = 1, tokenize = 'ascii'
);

-- The words of the index, each time that it has them, in their order.
CREATE VIRTUAL TABLE search_vocabulary USING fts5vocab (search_words, instance);

-- Events below this number were there before the index, and are added to it little by little, newest first. There is at most one row.
CREATE TABLE search_backlog (
    id           INTEGER PRIMARY KEY CHECK (id = 1),
    below_event  INTEGER NOT NULL
) STRICT;
INSERT INTO search_backlog (id, below_event) SELECT 1, max(id) + 1 FROM events HAVING max(id) IS NOT NULL;

PRAGMA user_version = 10;
