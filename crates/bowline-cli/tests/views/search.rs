//! `bowline search`.

use bowline_testkit::until;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::history::History;

fn found(document: &Value) -> Vec<String> {
    let found = document["found"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    found
        .map(|it| format!("{} {}", word(&it["tool_use_id"]), word(&it["kind"])))
        .collect()
}

#[test]
fn words_are_found_in_commands_paths_prompts_and_errors() {
    let history = History::after_work();
    for (line, expected) in [
        ("cargo test", vec!["toolu_test command"]),
        ("force", vec!["toolu_push command"]),
        (
            "parse",
            vec!["toolu_grep command", "toolu_read path", "- prompt"],
        ),
        (
            "parse --kind path,prompt",
            vec!["toolu_read path", "- prompt"],
        ),
        ("parse --limit 1", vec!["toolu_grep command"]),
        ("parse --tool read", vec!["toolu_read path"]),
        ("parse --session s-2", vec![]),
        ("app/parser.rs", vec!["toolu_read path"]),
        ("101 --session last", vec![]),
        ("101 --project .", vec!["toolu_test error"]),
        ("101 --since 1s", vec![]),
        ("denied", vec!["toolu_push error"]),
        ("look around", vec!["toolu_task prompt"]),
    ] {
        let args = ["search"].into_iter().chain(line.split(' '));
        let document = history.json(&args.collect::<Vec<_>>());
        assert_eq!(found(&document), expected, "{line}");
    }
    let option = history.run(&["search", "--json", "--", "--force"]);
    assert_eq!(found(&option.json()), ["toolu_push command"]);
    let document = history.json(&["search", "parser.rs"]);
    let read = &document["found"][0];
    assert_eq!(read["excerpt"], "/srv/app/parser.rs");
    assert_eq!(read["matches"], json!([{"start": 9, "end": 18}]));
    assert_eq!(read["session"], "s-1");
    assert!(document.get("indexed_since").is_none(), "{document}");
}

#[test]
fn the_match_stands_out_and_the_call_can_be_shown() {
    let history = History::after_work();
    history.run(&["search", "cargo", "test"]).expect(
        0,
        &[
            "command  Bash",
            "toolu_test",
            "\n  cargo test run the tests",
        ],
    );
    let mut coloured = history.command(&["--color=always", "search", "car"]);
    let shown = coloured.output().unwrap().stdout;
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.contains("car\u{1b}[0mgo test"), "{shown:?}");
    history.run(&["trace", "show", "toolu_test"]).expect(0, &[]);
}

#[test]
fn what_is_not_found_is_said_with_what_was_searched() {
    let history = History::after_work();
    history.run(&["search", "no", "such\nword"]).expect(
        0,
        &[
            "No command, path, prompt or error has `no such word`.",
            "were searched, with 7 calls.",
        ],
    );
    history
        .run(&["search", "parse", "--kind", "error", "--tool", "Bsh"])
        .expect(
            0,
            &["No error has `parse`. No tool `Bsh` is recorded; did you mean `Bash`?"],
        );
    history
        .run(&["search", "parse", "--kind", "error,path", "--since", "1s"])
        .expect(
            0,
            &["No error or path has `parse`. Ask for more: a longer --since, or no filter."],
        );
    let nothing = History::new();
    nothing
        .run(&["search", "x"])
        .expect(0, &["Nothing is recorded yet."]);
}

#[test]
fn where_no_daemon_indexes_older_records_the_search_says_what_to_do() {
    let history = History::after_work();
    let db = Connection::open(history.data().join("bowline.db")).unwrap();
    db.execute_batch(
        "INSERT INTO search_words (search_words) VALUES ('delete-all');
         INSERT INTO search_backlog (id, below_event) SELECT 1, max(id) FROM events",
    )
    .unwrap();
    drop(db);
    let ran = history.run(&["search", "parse"]);
    ran.expect(0, &["No command, path, prompt or error has `parse`."]);
    ran.expect_stderr(0, &["no daemon indexes", "`bowline daemon start`"]);
    ran.lacks(&["still being indexed", "All records"]);
    let document = history.json(&["search", "parse"]);
    assert!(document["indexed_since"].is_string(), "{document}");

    history.run(&["daemon", "start"]).expect(0, &[]);
    until("the daemon indexes all", || {
        found(&history.json(&["search", "parse"])).len() == 3
    });
}

#[test]
fn a_text_without_words_is_an_error_of_usage() {
    let history = History::after_work();
    for text in ["", " ", "*", "\"", "()"] {
        history
            .run(&["search", text])
            .expect_stderr(2, &["has no letter and no digit"]);
    }
    history.run(&["search"]).expect_stderr(2, &["<TEXT>..."]);
    history
        .run(&["search", "x", "--kind", "output"])
        .expect_stderr(2, &["command, path, prompt, error"]);
    let much = "parser ".repeat(1_400);
    for text in [
        "parser\" OR *",
        "(parser",
        "AND",
        "a:b",
        "'; --x",
        much.as_str(),
    ] {
        history.run(&["search", text]).expect(0, &[]);
    }
}
