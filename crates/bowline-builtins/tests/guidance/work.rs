//! Work items: what a change of files is for.

use bowline::hooks::Opinion;
use bowline_guidance::work::{NewItem, Priority, WorkItem, WorkKind, WorkStatus};
use chrono::Utc;
use serde_json::json;

use crate::stand::{Project, denied, told};

const REQUIRE: &str = "[work]\nitems = 'require'\n";

async fn edit(project: &Project, session: &str) -> Opinion {
    let file = project.path().join("a.rs");
    let input = json!({"file_path": file, "old_string": "a", "new_string": "b"});
    project.before(session, "Edit", input).await
}

async fn bash(project: &Project, command: &str) -> Opinion {
    let input = json!({ "command": command });
    project.before("s1", "Bash", input).await
}

fn add(project: &Project, status: WorkStatus) -> WorkItem {
    let item = NewItem {
        title: "Fix the login".to_owned(),
        kind: WorkKind::Bug,
        priority: Priority::Medium,
        status,
    };
    let folder = project.path().to_string_lossy().into_owned();
    let work = project.store().work();
    work.add_item(&folder, None, &item, Utc::now()).unwrap()
}

#[tokio::test]
async fn f24_a_what_bowline_keeps_is_written_by_nobody_else() {
    // The guard sees to it, whatever the settings of work items are.
    let project = Project::new("");
    let kept = ".local/share/bowline/bowline.db";
    let home = std::env::home_dir().unwrap();
    let write = json!({"file_path": home.join(kept), "content": "x"});
    for opinion in [
        project.before("s1", "Write", write).await,
        bash(&project, &format!("echo x > ~/{kept}")).await,
        bash(&project, &format!("sed -i s/a/b/ ~/{kept}")).await,
    ] {
        assert_ne!(denied(&opinion), None, "{opinion:?}");
        assert_eq!(opinion.rule.as_deref(), Some("self.state"));
    }
}

#[tokio::test]
async fn f24_b_without_an_active_item_an_edit_is_denied_with_the_command_to_run() {
    let mut project = Project::new(REQUIRE);
    let opinion = edit(&project, "s1").await;
    let reason = denied(&opinion).unwrap();
    for part in [
        "CREATE_WORK_ITEM",
        "bowline work add",
        "--start",
        "bowline work start",
    ] {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert_eq!(opinion.rule.as_deref(), Some("work.item-required"));
    assert_ne!(denied(&bash(&project, "sed -i s/a/b/ a.rs").await), None);
    for command in [
        "ls",
        "cargo test",
        "bowline work add x --start",
        "echo x > /tmp/x",
    ] {
        assert_eq!(denied(&bash(&project, command).await), None, "{command}");
    }

    let item = add(&project, WorkStatus::Todo);
    assert_ne!(
        denied(&edit(&project, "s1").await),
        None,
        "nobody has begun"
    );
    let folder = project.path().to_string_lossy().into_owned();
    let change = |project: &Project, status| {
        let work = project.store().work();
        work.change_item(&folder, None, item.id, status, Utc::now())
            .unwrap();
    };
    change(&project, WorkStatus::InProgress);
    assert_eq!(denied(&edit(&project, "s1").await), None);
    project = project.restarted(REQUIRE);
    assert_eq!(denied(&edit(&project, "s2").await), None);
    change(&project, WorkStatus::Done);
    assert_ne!(denied(&edit(&project, "s1").await), None);
}

#[tokio::test]
async fn f24_b_where_it_is_not_required_it_is_advised_once() {
    let project = Project::new("[work]\nitems = 'advise'\n");
    let first = edit(&project, "s1").await;
    assert_eq!(denied(&first), None);
    assert!(told(&first).contains("bowline work add"), "{first:?}");
    assert_eq!(told(&edit(&project, "s1").await), "");
    add(&project, WorkStatus::InProgress);
    assert_eq!(told(&edit(&project, "s2").await), "");
    let off = Project::new("");
    assert_eq!(told(&edit(&off, "s1").await), "");
}

#[tokio::test]
async fn f24_b_another_tracker_names_the_item_in_a_file() {
    let project = Project::new("[work]\nitems = 'require'\nactive_file = '.beads/active'\n");
    let opinion = edit(&project, "s1").await;
    let reason = denied(&opinion).unwrap();
    assert!(reason.contains("CREATE_WORK_ITEM"), "{reason}");
    assert!(reason.contains(".beads/active"), "{reason}");
    project.write(".beads/active", "bd-7 Fix the login\n");
    assert_eq!(denied(&edit(&project, "s1").await), None);
    project.write(".beads/active", "");
    assert_ne!(denied(&edit(&project, "s1").await), None);
}

#[tokio::test]
async fn f24_b_another_tracker_is_asked_by_a_command() {
    let project = Project::new(
        "[work]\nitems = 'require'\nactive_command = 'test -f on && echo ENG-1 || true'\n",
    );
    assert_ne!(denied(&edit(&project, "s1").await), None);
    project.write("on", "");
    assert_eq!(denied(&edit(&project, "s1").await), None);
}

#[tokio::test]
async fn a_tracker_that_fails_stops_nobody() {
    let project = Project::new("[work]\nitems = 'require'\nactive_command = 'exit 3'\n");
    let opinion = edit(&project, "s1").await;
    assert_eq!(denied(&opinion), None);
    assert!(
        opinion.warnings.iter().any(|it| it.contains("exit 3")),
        "{opinion:?}"
    );
}
