use super::agents::Which;
use super::*;
use crate::sqlite::tests::{assert_no_scan, database};

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
        ("seen", agents::SEEN.to_owned()),
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
