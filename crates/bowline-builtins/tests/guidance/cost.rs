//! What agents cost: counted, held within budgets, estimated.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use bowline::hooks::{HookInput, Opinion};
use bowline_guidance::cost::budget::BudgetOf;
use bowline_guidance::cost::prices::Usd;
use bowline_guidance::cost::report::By;
use bowline_store::{MemoryOf, SpentFilter, SpentOn};
use chrono::Utc;
use serde_json::{Value, json};

use crate::stand::{Project, denied, told};

/// Lets the hooks go on that run in the background. Says no when that took too long.
async fn waited(times: u32) -> bool {
    tokio::task::yield_now().await;
    std::thread::sleep(Duration::from_millis(5));
    times < 6_000
}

async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    for times in 0.. {
        if is_so() {
            return;
        }
        assert!(waited(times).await, "it never happens that {what}");
    }
}

/// One message as Claude Code writes it: so many tokens of output, 25 dollars a million.
fn message(id: &str, session: &str, output: u64) -> String {
    let at = Utc::now().to_rfc3339();
    let line = json!({
        "type": "assistant", "isSidechain": false, "sessionId": session, "cwd": "/", "uuid": id, "timestamp": at,
        "message": {"id": id, "model": "claude-opus-4-8", "content": [{"type": "tool_use", "name": "Bash", "input": {}}],
            "usage": {"input_tokens": 0, "output_tokens": output}},
    });
    format!("{line}\n")
}

/// A session's transcript, in which so many tokens of output were used.
fn transcript(project: &Project, session: &str, output: u64) -> PathBuf {
    let name = format!("transcripts/{session}.jsonl");
    project.write(&name, &message(&format!("m-{session}"), session, output));
    project.path().join(name)
}

fn append(file: &std::path::Path, text: &str) {
    let mut file = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn about(input: HookInput, transcript: &std::path::Path) -> HookInput {
    let path = transcript.to_string_lossy().into_owned();
    input.with_field("transcript_path", path)
}

async fn call(project: &Project, session: &str, transcript: &std::path::Path) -> Opinion {
    let input = HookInput::pre_tool_use(session, "Bash", json!({"command": "ls"}));
    project.trigger(about(input, transcript)).await
}

async fn called(project: &Project, session: &str, transcript: &std::path::Path) {
    let input = HookInput::post_tool_use(session, "Bash", json!({}));
    let input = input.with_field("tool_response", json!({"stdout": ""}));
    project.trigger(about(input, transcript)).await;
}

/// The tokens that a session used, as the store knows it.
fn used(project: &Project, session: &str) -> u64 {
    let filter = SpentFilter {
        by: By::Session,
        on: Some(SpentOn::Session(session.to_owned())),
        since: None,
    };
    let spent = project.store().costs().spent(&filter).unwrap();
    spent.iter().map(|it| it.tokens.total()).sum()
}

#[tokio::test]
async fn what_an_agent_uses_is_counted_while_it_works() {
    let project = Project::new("[cost]\ntrack = true\n");
    let file = transcript(&project, "s1", 40);
    called(&project, "s1", &file).await;
    eventually("it is counted", || used(&project, "s1") == 40).await;
    // Only what is new is added, and sub-agents count for their session.
    project.write(
        "transcripts/s1/subagents/agent-a.jsonl",
        &message("m-sub", "s1", 7),
    );
    called(&project, "s1", &file).await;
    eventually("sub-agents are counted, too", || used(&project, "s1") == 47).await;
    called(&project, "s1", &file).await;
    assert_eq!(used(&project, "s1"), 47);
}

#[tokio::test]
async fn nothing_is_counted_unless_it_is_switched_on() {
    let project = Project::new("");
    let file = transcript(&project, "s1", 40);
    called(&project, "s1", &file).await;
    assert_eq!(told(&call(&project, "s1", &file).await), "");
    assert_eq!(used(&project, "s1"), 0);
}

#[tokio::test]
async fn a_budget_warns_once_and_then_denies_with_ways_out() {
    let project = Project::new("[cost]\nmax_usd_session = 1\n");
    // 30,000 tokens are 75 cents.
    let file = transcript(&project, "s1", 30_000);
    assert_eq!(told(&call(&project, "s1", &file).await), "");
    append(&file, &message("m2", "s1", 4_000));
    called(&project, "s1", &file).await;
    eventually("it is counted", || used(&project, "s1") == 34_000).await;
    let warned = until_told(&project, "s1", &file).await;
    assert!(
        warned.contains("80 % of the budget for this session ($1.00)"),
        "{warned}"
    );
    assert_eq!(told(&call(&project, "s1", &file).await), "");
    let other = transcript(&project, "s2", 1);
    assert_eq!(told(&call(&project, "s2", &other).await), "");

    append(&file, &message("m3", "s1", 6_000));
    called(&project, "s1", &file).await;
    eventually("it is counted", || used(&project, "s1") == 40_000).await;
    let mut opinion = call(&project, "s1", &file).await;
    for times in 0.. {
        if denied(&opinion).is_some() {
            break;
        }
        assert!(waited(times).await, "it is never denied");
        opinion = call(&project, "s1", &file).await;
    }
    assert_eq!(opinion.rule.as_deref(), Some("cost.session"));
    let reason = denied(&opinion).unwrap();
    for part in [
        "$1.00 of $1.00",
        "`bowline cost allow session`",
        "`max_usd_session`",
        "end the session",
    ] {
        assert!(reason.contains(part), "{reason}");
    }
    // Prompts cost as well. Other sessions go on.
    let prompt = about(HookInput::user_prompt_submit("s1", "go on"), &file);
    assert!(denied(&project.trigger(prompt).await).is_some());
    assert_eq!(denied(&call(&project, "s2", &other).await), None);

    // A person adds to it.
    let costs = project.store().costs();
    costs
        .raise_budget(BudgetOf::Session, "s1", Usd(1_000_000_000), Utc::now())
        .unwrap();
    assert_eq!(denied(&call(&project, "s1", &file).await), None);
}

/// What is counted in the background is known to one of the next calls.
async fn until_told(project: &Project, session: &str, file: &std::path::Path) -> String {
    for times in 0.. {
        let opinion = call(project, session, file).await;
        assert_eq!(denied(&opinion), None);
        if !told(&opinion).is_empty() {
            return told(&opinion).to_owned();
        }
        assert!(waited(times).await, "nothing is ever said");
    }
    String::new()
}

#[tokio::test]
async fn the_budget_of_a_day_is_for_all_sessions() {
    let project = Project::new("[cost]\nmax_usd_day = 1\n");
    let one = transcript(&project, "s1", 30_000);
    assert_eq!(denied(&call(&project, "s1", &one).await), None);
    let two = transcript(&project, "s2", 30_000);
    let opinion = call(&project, "s2", &two).await;
    assert_eq!(opinion.rule.as_deref(), Some("cost.day"));
}

#[tokio::test]
async fn a_person_sets_prices_and_a_model_without_a_price_uses_up_no_budget() {
    let project =
        Project::new("[cost]\nmax_usd_session = 1\n[cost.prices.claude-opus-4-8]\noutput = 100\n");
    let file = transcript(&project, "s1", 10_000);
    assert!(denied(&call(&project, "s1", &file).await).is_some());
    let text = message("m-s2", "s2", 10_000_000).replace("claude-opus-4-8", "local");
    project.write("transcripts/s2.jsonl", &text);
    let file = project.path().join("transcripts/s2.jsonl");
    assert_eq!(denied(&call(&project, "s2", &file).await), None);
    assert_eq!(used(&project, "s2"), 10_000_000);
}

const PREDICT: &str = "[cost]\npredict = true\n";

async fn edit(project: &Project) -> String {
    let input = json!({"file_path": "/a", "old_string": "a", "new_string": "b"});
    let opinion = project.before("s1", "Edit", input.clone()).await;
    project.after("s1", "Edit", input, json!({})).await;
    told(&opinion).to_owned()
}

#[tokio::test]
async fn f28_e_an_agent_is_told_four_times_what_it_should_delegate_also_after_a_restart() {
    let mut project = Project::new(PREDICT);
    let mut said = vec![edit(&project).await, edit(&project).await];
    project = project.restarted(PREDICT);
    for _ in 0..4 {
        said.push(edit(&project).await);
    }
    assert!(
        said[0].starts_with("Estimate: this Edit call takes about 4000 tokens"),
        "{said:?}"
    );
    assert!(said[0].contains("800"), "{said:?}");
    assert!(said[2].starts_with("This is the last reminder"), "{said:?}");
    assert!(said[..4].iter().all(|it| !it.is_empty()), "{said:?}");
    assert_eq!(said[4..], ["", ""]);
}

#[tokio::test]
async fn f28_g_stop_sums_the_session_up_and_keeps_that() {
    let project = Project::new(PREDICT);
    for _ in 0..2 {
        edit(&project).await;
    }
    let stop = || project.trigger(HookInput::stop("s1"));
    let opinion = stop().await;
    let said = opinion.system_message.as_deref().unwrap();
    assert!(
        said.contains("2 calls, 0 delegated, 2 that should have been (60 % compliance)"),
        "{said}"
    );
    assert!(said.contains("Autonomy: collaborator"), "{said}");
    let summary = &opinion.facts["costSummary"];
    assert_eq!(summary["violations"], 2);
    assert_eq!(summary["waste"], 6400);
    let kept = |store: &dyn bowline_store::Store| {
        let kept = store.remembered(MemoryOf::Session, "s1", "cost-delegation");
        kept.unwrap().unwrap_or_default()
    };
    assert_eq!(&kept(project.store())["summary"], summary);
    // It is said again only when it has changed.
    assert_eq!(stop().await.system_message, None);
}

#[tokio::test]
async fn f28_e_sub_agents_and_whoever_delegates_violate_nothing() {
    let project = Project::new(PREDICT);
    let task = project
        .before("s1", "Task", json!({"prompt": "look"}))
        .await;
    assert_eq!(told(&task), "");
    let input = HookInput::pre_tool_use("s1", "Edit", json!({"file_path": "/a"}));
    let input = input
        .with_field("agent_id", "a1")
        .with_field("agent_type", "coder");
    assert_eq!(told(&project.trigger(input).await), "");
    let opinion = project.trigger(HookInput::stop("s1")).await;
    let violations = opinion.facts.get("costSummary").map(|it| &it["violations"]);
    assert_eq!(violations, Some(&Value::from(0)));
}
