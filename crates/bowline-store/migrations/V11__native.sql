-- What the agent itself calls a tool and its input, where Bowline has other words for them: an object with `tool` and `input`.
ALTER TABLE traces ADD COLUMN native TEXT;

PRAGMA user_version = 11;
