use std::sync::Arc;

use serde_json::json;

use super::*;

fn question(id: &str) -> (Question, Case) {
    let question = Question {
        id: id.to_owned(),
        asked_at: Utc::now(),
        until: Utc::now(),
        cut_short: None,
        agent: "claude-code".to_owned(),
        session: "s1".to_owned(),
        project: "/p".to_owned(),
        subagent: None,
        tool: "Bash".to_owned(),
        input: json!({"command": "terraform apply"}),
        tool_use_id: None,
        reason: None,
        rule: None,
    };
    (question, lasting::tests::case("terraform apply"))
}

fn reply(said: Said) -> Reply {
    let by = Person {
        name: "ada".to_owned(),
        place: "a test".to_owned(),
    };
    Reply { said, by }
}

/// Lets questions wait, and gives them back when all are listed.
async fn waiting(inbox: &Arc<Inbox>, ids: &[&str]) -> Vec<tokio::task::JoinHandle<Option<Reply>>> {
    let mut changes = inbox.changes();
    let tasks = ids.iter().map(|id| {
        let (inbox, (question, case)) = (Arc::clone(inbox), question(id));
        tokio::spawn(async move { inbox.wait(question, case, Duration::from_mins(2)).await })
    });
    let tasks = tasks.collect();
    while inbox.questions().len() < ids.len() {
        changes.changed().await.unwrap();
    }
    tasks
}

#[tokio::test(start_paused = true)]
async fn the_first_answer_counts() {
    let inbox = Arc::new(Inbox::default());
    let mut tasks = waiting(&inbox, &["aab", "abc"]).await;
    let several = inbox.answer("a", reply(Said::Deny(None)), || ());
    assert_eq!(several, Err(Unanswerable::Several("a".to_owned())));
    for unknown in ["", "x", "aabc"] {
        let found = inbox.answer(unknown, reply(Said::Deny(None)), || ());
        assert_eq!(found, Err(Unanswerable::Unknown(unknown.to_owned())));
    }
    let allowed = reply(Said::Allow(Extent::Once));
    let answered = inbox.answer("aa", allowed.clone(), || ()).unwrap();
    assert_eq!(answered.id, "aab");
    let late = inbox.answer("aab", reply(Said::Deny(None)), || ());
    assert!(late.is_err());
    assert_eq!(tasks.remove(0).await.unwrap(), Some(allowed));
    assert_eq!(inbox.questions().len(), 1);
}

/// A question about a call in a project below a folder, and the file in which a permission for good is written.
fn lasting_question(id: &str, root: &std::path::Path) -> (Question, Case, std::path::PathBuf) {
    std::fs::create_dir(root.join("project")).unwrap();
    let case = lasting::tests::case_in(root, "terraform apply");
    (
        question(id).0,
        case,
        root.join("project/bowline.local.toml"),
    )
}

#[tokio::test(start_paused = true)]
async fn only_the_answer_that_counts_is_written_and_before_the_call_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (question, case, file) = lasting_question("abc", root.path());
    let inbox = Arc::new(Inbox::default());
    let always = || reply(Said::Allow(Extent::Always));
    let task = tokio::spawn({
        let inbox = Arc::clone(&inbox);
        async move { inbox.wait(question, case, Duration::from_mins(2)).await }
    });
    while inbox.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    let mut denied = None;
    let answered = inbox.answer("abc", always(), || {
        assert!(file.exists());
        assert!(!task.is_finished());
        assert_eq!(inbox.questions().len(), 1);
        // Somebody else is a moment later.
        denied = Some(inbox.answer("abc", reply(Said::Deny(None)), || ()));
    });
    assert_eq!(answered.unwrap().id, "abc");
    assert_eq!(denied, Some(Err(Unanswerable::Unknown("abc".to_owned()))));
    assert_eq!(task.await.unwrap(), Some(always()));
    std::fs::remove_file(&file).unwrap();
    // Whoever is late writes nothing.
    assert!(inbox.answer("abc", always(), || ()).is_err());
    assert!(!file.exists());
}

#[tokio::test(start_paused = true)]
async fn a_permission_whose_call_has_gone_is_not_written_and_one_that_cannot_be_kept_leaves_the_question()
 {
    let root = tempfile::tempdir().unwrap();
    let (question, case, file) = lasting_question("abc", root.path());
    let inbox = Arc::new(Inbox::default());
    let always = || reply(Said::Allow(Extent::Always));
    let task = tokio::spawn({
        let inbox = Arc::clone(&inbox);
        async move { inbox.wait(question, case, Duration::from_mins(2)).await }
    });
    while inbox.questions().is_empty() {
        tokio::task::yield_now().await;
    }
    // What nobody trusted would be trusted along with it.
    let untrusted = root.path().join("project/bowline.toml");
    std::fs::write(&untrusted, "dedupe = true\n").unwrap();
    let refused = inbox.answer("abc", always(), || ());
    assert!(
        matches!(refused, Err(Unanswerable::NotKept(_))),
        "{refused:?}"
    );
    assert_eq!(inbox.questions().len(), 1);
    std::fs::remove_file(&untrusted).unwrap();
    // The agent goes while the permission is written.
    let late = inbox.answer("abc", always(), || task.abort());
    let gone = task.await;
    assert!(
        late.is_ok() || late == Err(Unanswerable::KeptTooLate),
        "{gone:?}"
    );
    std::fs::remove_file(&file).unwrap();
    assert!(inbox.answer("abc", always(), || ()).is_err());
    assert!(!file.exists());
}

#[tokio::test(start_paused = true)]
async fn an_inbox_that_closes_sends_questions_back() {
    let inbox = Arc::new(Inbox::default());
    let mut tasks = waiting(&inbox, &["abc"]).await;
    inbox.close();
    assert_eq!(tasks.remove(0).await.unwrap(), None);
    assert!(inbox.questions().is_empty());
    let (question, case) = question("late");
    let late = inbox.wait(question, case, Duration::from_mins(2));
    assert_eq!(late.await, None);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_for_an_agent_that_is_gone() {
    let inbox = Arc::new(Inbox::default());
    let mut tasks = waiting(&inbox, &["abc"]).await;
    inbox.abandon("claude-code", "s2");
    inbox.abandon("codex", "s1");
    assert_eq!(inbox.questions().len(), 1);
    inbox.abandon("claude-code", "s1");
    assert_eq!(tasks.remove(0).await.unwrap(), None);
    assert!(inbox.questions().is_empty());
}

#[tokio::test(start_paused = true)]
async fn no_more_than_so_many_wait_and_each_once() {
    let inbox = Arc::new(Inbox::default());
    let ids: Vec<String> = (0..MOST).map(|number| format!("q{number}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let tasks = waiting(&inbox, &ids[1..]).await;
    for id in ["q1", "q2"] {
        let (question, case) = question(id);
        let again = inbox.wait(question, case, Duration::from_mins(2));
        assert_eq!(again.await, None, "{id} waits already");
    }
    let first = tokio::spawn({
        let (inbox, (question, case)) = (Arc::clone(&inbox), question("q0"));
        async move { inbox.wait(question, case, Duration::from_mins(2)).await }
    });
    while inbox.questions().len() < MOST {
        tokio::task::yield_now().await;
    }
    let (question, case) = question("more");
    let more = inbox.wait(question, case, Duration::from_mins(2));
    assert_eq!(more.await, None, "there is no room");
    inbox.close();
    assert_eq!(first.await.unwrap(), None);
    assert_eq!(tasks.len(), MOST - 1);
}

#[tokio::test(start_paused = true)]
async fn a_question_leaves_with_its_time_and_with_its_agent() {
    let inbox = Arc::new(Inbox::default());
    let mut tasks = waiting(&inbox, &["late", "gone"]).await;
    let gone = tasks.remove(1);
    gone.abort();
    assert!(gone.await.unwrap_err().is_cancelled());
    assert_eq!(inbox.questions().len(), 1);
    tokio::time::advance(Duration::from_mins(3)).await;
    assert_eq!(tasks.remove(0).await.unwrap(), None);
    assert!(inbox.questions().is_empty());
}
