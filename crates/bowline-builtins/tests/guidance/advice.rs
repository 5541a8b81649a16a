//! What all advice has in common.

use crate::stand::{Project, told};

const ON: &str = "[advice]\nreflection = true\n";

#[tokio::test]
async fn advice_is_off_unless_it_is_switched_on() {
    let project = Project::new("");
    assert_eq!(told(&project.ran("s1", "uv run pytest").await), "");
}

#[tokio::test]
async fn f26_a_a_run_of_code_is_worth_a_thought() {
    let project = Project::new(ON);
    let long = format!("uv run pytest {}", "tests/test_everything.py ".repeat(5));
    let said = project.ran("s1", &long).await;
    let preview = told(&said).split('`').nth(1).unwrap();
    assert!(preview.starts_with("uv run pytest tests/"), "{preview}");
    assert_eq!(preview.chars().count(), 60);
    assert_eq!(told(&project.ran("s1", "git log -- x.py").await), "");
    assert_eq!(told(&project.ran("s1", "cat a.py").await), "");
}

#[tokio::test]
async fn a_text_is_said_once_a_session_unless_it_changes_and_also_after_a_restart() {
    let mut project = Project::new(ON);
    assert_ne!(told(&project.ran("s1", "uv run pytest").await), "");
    assert_eq!(told(&project.ran("s1", "uv run pytest").await), "");
    project = project.restarted(ON);
    assert_eq!(told(&project.ran("s1", "uv run pytest").await), "");
    assert_ne!(told(&project.ran("s1", "uv run pytest -q").await), "");
    assert_ne!(told(&project.ran("s2", "uv run pytest").await), "");
}

#[tokio::test]
async fn a_person_replaces_a_text_or_switches_it_off() {
    let own =
        "[advice]\nreflection = true\ntexts = { 'reflection.after-run' = 'Well, {command}?' }\n";
    let project = Project::new(own);
    assert_eq!(told(&project.ran("s1", "pytest").await), "Well, pytest?");
    let off = "[advice]\nreflection = true\ntexts = { 'reflection.after-run' = 'off' }\n";
    let project = Project::new(off);
    assert_eq!(told(&project.ran("s1", "pytest").await), "");
}

#[tokio::test]
async fn what_does_not_fit_into_the_room_of_an_event_is_said_later() {
    let small = "[advice]\nreflection = true\nbudget_chars = 10\n";
    let mut project = Project::new(small);
    assert_eq!(told(&project.ran("s1", "pytest").await), "");
    project = project.restarted(ON);
    assert_ne!(told(&project.ran("s1", "pytest").await), "");
}
