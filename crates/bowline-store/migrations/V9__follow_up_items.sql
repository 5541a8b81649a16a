-- The follow-up of a failure is a work item.
ALTER TABLE failures ADD COLUMN work_item INTEGER;

-- It goes with its failure, unless somebody has begun with it.
CREATE TRIGGER failures_follow_up AFTER DELETE ON failures WHEN OLD.work_item IS NOT NULL BEGIN
    DELETE FROM work_items WHERE id = OLD.work_item AND status = 'todo';
END;

PRAGMA user_version = 9;
