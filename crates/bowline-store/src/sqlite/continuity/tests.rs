use bowline_continuity::{Code, RuleError};

use super::agents::Which;
use super::*;
use crate::sqlite::tests::{assert_no_scan, database};
use crate::sqlite::{Options, memory};

#[test]
fn every_question_about_continuity_uses_an_index() {
    let (_folder, db) = database();
    for (name, sql) in [
        ("resolve: project", resolve::project_sql()),
        ("resolve: session", resolve::session_sql()),
        ("resolve: agent", resolve::agent_sql()),
        ("resolve: open session", resolve::open_sql()),
        ("row of a session", resolve::ROW.to_owned()),
        ("effort", rows::effort_sql()),
        ("session of an effort", rows::state_sql()),
        ("efforts", efforts::list_sql(None)),
        ("efforts of a project", efforts::list_sql(Some(1))),
        ("efforts of a task", efforts::of_task_sql()),
        (
            "active effort of a task",
            efforts::ACTIVE_OF_TASK.to_owned(),
        ),
        ("take up an effort", efforts::TAKE_UP.to_owned()),
        ("sessions of an effort", efforts::sessions_sql()),
        ("phases of an effort", efforts::HISTORY.to_owned()),
        ("tasks", tasks::list_sql(None)),
        ("tasks of a project", tasks::list_sql(Some(1))),
        ("task", tasks::one_sql()),
        ("fleet", agents::fleet_sql(None, Which::Open)),
        ("fleet, ended", agents::fleet_sql(None, Which::Ended)),
        (
            "fleet of a project",
            agents::fleet_sql(Some(1), Which::Open),
        ),
        (
            "fleet of a project, ended",
            agents::fleet_sql(Some(1), Which::Ended),
        ),
        ("agent of a session", agents::of_session_sql()),
        ("session that runs", running::SESSION.to_owned()),
        ("its prompt", running::PROMPT.to_owned()),
        ("its open call", running::OPEN.to_owned()),
        ("its last call", running::LAST.to_owned()),
        ("its calls", running::CALLS.to_owned()),
        ("its failures and denials", running::stopped_sql()),
        ("seen", agents::SEEN.to_owned()),
        ("lease", leases::one_sql()),
        ("leases", leases::list_sql()),
        ("old leases", leases::old_sql()),
        ("too many leases", leases::TOO_MANY.to_owned()),
        ("leases of a chain", leases::OF_CHAIN.to_owned()),
        ("chain of a writer", leases::CHAIN.to_owned()),
        ("activity of a chain", leases::HEARD_OF.to_owned()),
        ("notes of a project", notes::OF_PROJECT.to_owned()),
        ("notes of an effort", notes::OF_EFFORT.to_owned()),
        ("note", notes::ONE.to_owned()),
        ("messages", messages::OF_CHAIN.to_owned()),
        ("position in a transcript", messages::POSITION.to_owned()),
        ("skill", skills::ONE.to_owned()),
        ("effort of a session", sessions::EFFORT_OF.to_owned()),
        ("newest session of an effort", sessions::NEWEST.to_owned()),
        ("join", sessions::JOIN.to_owned()),
        ("files of a session", apply::FILES.to_owned()),
        ("hand-over: left", hand_over::LEFT.to_owned()),
        ("hand-over: in the folder", hand_over::IN_FOLDER.to_owned()),
        (
            "hand-over: in the project",
            hand_over::IN_PROJECT.to_owned(),
        ),
        ("hand-over: last prompt", hand_over::LAST_PROMPT.to_owned()),
        ("hand-over: to-dos", hand_over::TODOS.to_owned()),
        ("hand-over: edited files", hand_over::EDITED.to_owned()),
        ("old sessions", forget::OLD_SESSIONS.to_owned()),
        ("stale sessions", "SELECT * FROM stale_sessions".to_owned()),
        (
            "active efforts of a project",
            "SELECT * FROM active_efforts WHERE project_id = ?1".to_owned(),
        ),
    ] {
        assert_no_scan(&db, name, &sql, &[]);
    }
}

fn opened() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(Options::new(folder.path().join("data"))).unwrap();
    (folder, store)
}

#[test]
fn a_refusal_leaves_nothing_behind() {
    let (_folder, store) = opened();
    let before = store.foreign_writes();
    let refused = store.change(|db| {
        let project = memory::project_row(db, "/p", 1)?;
        tasks::make(db, "/p/t", project, None, 1)?;
        Err::<(), _>(RuleError::new(Code::CommandError, "no").into())
    });
    assert!(matches!(refused, Err(Error::Forbidden(rule)) if rule.message == "no"));
    assert_eq!(store.tasks(None, 10).unwrap(), []);
    assert_eq!(store.foreign_writes(), before);
    // The next change is a transaction of its own.
    store.change(|db| memory::project_row(db, "/p", 1)).unwrap();
    assert_eq!(store.tasks(Some("/p"), 10).unwrap(), []);
}

#[test]
fn a_change_that_another_process_holds_up_fails_and_can_be_made_later() {
    let (_folder, store) = opened();
    let other = Connection::open(store.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let change = || store.change(|db| memory::project_row(db, "/p", 1));
    let locked = change().unwrap_err();
    assert!(locked.may_pass(), "{locked}");
    other.execute_batch("ROLLBACK").unwrap();
    change().unwrap();
}

#[test]
fn the_views_show_what_is_active_and_what_is_stale() {
    let (_folder, db) = database();
    db.execute_batch(
        "INSERT INTO projects VALUES (1, '/p', 'p', 0);
         INSERT INTO tasks (folder, project_id, keywords, created_at) VALUES ('/p/t', 1, '[]', 0), ('/p/u', 1, '[]', 0);
         INSERT INTO efforts (id, task, project_id, skill, ordinal, lifecycle, phases, created_at)
             VALUES (1, '/p/t', 1, 's', 1, 'active', '[]', 0), (2, '/p/t', 1, 's', 2, 'finished', '[]', 0);
         INSERT INTO sessions (id, chain_id, agent, name, status, started_at, last_event_at)
             VALUES (1, 1, 'a', 'old', 'active', 0, 0), (2, 2, 'a', 'ended', 'ended', 0, 0), (3, 3, 'a', 'new', 'active', 0, 0);
         INSERT INTO effort_sessions (session_id, effort_id, last_heartbeat_at, created_at)
             VALUES (1, 1, 1, 0), (2, 1, 1, 0), (3, 1, unixepoch() * 1000, 0);",
    )
    .unwrap();
    let texts = |sql: &str| -> Vec<String> {
        let mut select = db.prepare(sql).unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.map(|row| row.unwrap()).collect()
    };
    assert_eq!(texts("SELECT session FROM stale_sessions"), ["old"]);
    assert_eq!(
        texts("SELECT task || ordinal || project FROM active_efforts"),
        ["/p/t1/p"]
    );
    assert_eq!(
        texts("SELECT folder || active || efforts FROM task_summary ORDER BY folder"),
        ["/p/t12", "/p/u00"]
    );
}
