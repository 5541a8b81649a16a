//! How often drift is remarked on in recorded sessions, in which every call was made for what the person had asked.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::stand::{Project, told};
use crate::suggestions::begin;

/// The calls of recorded sessions of four agents, each with the prompt that it was made for.
const CALLS: &str = include_str!("data/recorded_calls.jsonl");

/// Each session works in an effort that is named after its prompt.
#[tokio::test]
async fn f29_b_no_call_of_a_recorded_session_counts_as_drift() {
    for skill in ["implement", "fix-bug", "chore", "epic"] {
        let project = Project::new("[advice]\ndrift = true\n");
        let (mut begun, mut told_of) = (BTreeSet::new(), Vec::new());
        let calls = CALLS
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        for call in calls {
            let text = |key: &str| call[key].as_str().unwrap();
            let (session, prompt) = (text("session"), text("prompt"));
            if begun.insert(session.to_owned()) {
                let task = format!("{} {}", prompt.trim_matches(['.', '/']), begun.len());
                begin(&project, session, &task, skill).await;
            }
            let response = serde_json::json!({});
            let input = call["input"].clone();
            let said = project.after(session, text("tool"), input, response).await;
            if !told(&said).is_empty() {
                told_of.push(format!("{prompt} -> {}", call["input"]));
            }
        }
        assert!(told_of.is_empty(), "{skill}:\n{}", told_of.join("\n"));
    }
}
