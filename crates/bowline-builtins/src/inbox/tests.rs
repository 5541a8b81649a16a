use std::fs;
use std::path::{Path, PathBuf};
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

/// An inbox with a question about a call in a project below a folder, who waits for the answer, and the file in which a permission for
/// good is written.
fn asked_in(root: &Path) -> (Inbox, oneshot::Receiver<Reply>, PathBuf) {
    fs::create_dir(root.join("project")).unwrap();
    let (agent, answered) = oneshot::channel();
    let inbox = Inbox::default();
    inbox.lock().push(Open {
        question: question("abc").0,
        case: lasting::tests::case_in(root, "terraform apply"),
        agent: Some(agent),
    });
    (inbox, answered, root.join("project/bowline.local.toml"))
}

fn always() -> Reply {
    reply(Said::Allow(Extent::Always))
}

fn unknown() -> Result<Question, Unanswerable> {
    Err(Unanswerable::Unknown("abc".to_owned()))
}

#[test]
fn only_the_answer_that_counts_is_written_and_before_the_call_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (inbox, mut answered, file) = asked_in(root.path());
    let mut denied = None;
    let allowed = inbox.answer("abc", always(), || {
        assert!(file.exists());
        assert!(answered.try_recv().is_err());
        assert_eq!(inbox.questions().len(), 1);
        // Somebody else is a moment later.
        denied = Some(inbox.answer("abc", reply(Said::Deny(None)), || ()));
    });
    assert_eq!(allowed.unwrap().id, "abc");
    assert_eq!(denied, Some(unknown()));
    assert_eq!(answered.try_recv(), Ok(always()));
    assert!(inbox.questions().is_empty());
    fs::remove_file(&file).unwrap();
    assert_eq!(inbox.answer("abc", always(), || ()), unknown());
    assert!(!file.exists());
}

#[test]
fn a_permission_that_cannot_be_kept_leaves_the_question() {
    let root = tempfile::tempdir().unwrap();
    let (inbox, mut answered, file) = asked_in(root.path());
    // What nobody trusted would be trusted along with it.
    let untrusted = root.path().join("project/bowline.toml");
    fs::write(&untrusted, "dedupe = true\n").unwrap();
    let refused = inbox.answer("abc", always(), || ());
    assert!(
        matches!(refused, Err(Unanswerable::NotKept(_))),
        "{refused:?}"
    );
    assert!(!file.exists());
    let once = reply(Said::Allow(Extent::Once));
    assert!(inbox.answer("abc", once.clone(), || ()).is_ok());
    assert_eq!(answered.try_recv(), Ok(once));
}

#[test]
fn a_permission_for_a_call_that_has_gone_is_not_written_or_said_to_be() {
    let root = tempfile::tempdir().unwrap();
    let (inbox, answered, file) = asked_in(root.path());
    drop(answered);
    assert_eq!(inbox.answer("abc", always(), || ()), unknown());
    assert!(!file.exists());

    let root = tempfile::tempdir().unwrap();
    let (inbox, answered, file) = asked_in(root.path());
    let late = inbox.answer("abc", always(), || drop(answered));
    assert_eq!(late, Err(Unanswerable::KeptTooLate));
    assert!(file.exists());
    assert!(inbox.questions().is_empty());
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
