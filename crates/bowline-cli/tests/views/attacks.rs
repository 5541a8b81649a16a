//! Records that want to deceive their reader, and stores that cannot be read.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::json;

use super::history::History;

#[test]
fn nothing_recorded_moves_the_cursor_or_hides() {
    let history = History::new();
    let id = "an id\u{1b}[2Jwith spaces";
    let input = json!({
        "command": "ls\u{1b}]0;owned\u{7}\nrm\u{202e}x",
        "key\u{1b}[31m": "日本語".repeat(400),
        "long": "x".repeat(9_000),
    });
    history.record(vec![
        history.start("s\n1", id, "Ba\u{1b}[31msh\u{200b}", 0, &input),
        history.end(
            "s\n1",
            id,
            "Ba\u{1b}[31msh\u{200b}",
            10,
            Some("\u{1b}[2K\rfine\u{9b}31m"),
        ),
    ]);
    for width in [60, 200] {
        for args in [
            &["trace", "list"][..],
            &["trace", "show", id],
            &["trace", "show", "an id"],
            &["trace", "tree", id],
            &["trace", "stats"],
            &["trace", "errors"],
            &["session", "list"],
            &["session", "show", "s\n1"],
            &["log"],
            &["search", "ls"],
            &["search", "fine"],
        ] {
            let ran = history.run_at(width, args);
            ran.expect(0, &[]).fits(width);
            ran.lacks(&["\u{1b}", "\u{7}", "\r", "\u{202e}", "\u{200b}", "\u{9b}"]);
        }
    }
    history
        .run(&["trace", "list"])
        .expect(0, &["Ba␛[31msh<U+200B>", "an id␛[2Jwith s"]);
    let document = history.json(&["trace", "list"]);
    assert_eq!(
        document["traces"][0]["tool_use_id"], id,
        "programs get it as it is"
    );
}

#[test]
fn what_looks_like_a_secret_is_not_shown() {
    let history = History::new();
    let token = bowline_guard::secrets::expand("ghp_{a36}");
    let input = json!({"command": format!("curl -H 'Authorization: Bearer {token}' x")});
    history.record(vec![
        history.start("s", "id-1", "Bash", 0, &input),
        history.end("s", "id-1", "Bash", 10, Some(&format!("bad token {token}"))),
    ]);
    for args in [
        &["trace", "list"][..],
        &["trace", "list", "--json"],
        &["trace", "show", "id-1"],
        &["trace", "tree", "id-1"],
        &["session", "show", "s"],
        &["search", "bearer"],
        // The match is a part of the secret.
        &["search", "ghp"],
        &["search", "ghp", "--json"],
    ] {
        history.run(args).expect(0, &["REDACTED"]).lacks(&[&token]);
    }
}

#[test]
fn deep_inputs_are_listed_as_deep_as_they_are_kept() {
    let history = History::new();
    let nested = |depth| json!({"x": (0..depth).fold(json!("bottom"), |inner, _| json!([inner]))});
    history.record(vec![
        history.start("s", "deep", "Bash", 0, &nested(40)),
        history.start("s", "deeper", "Bash", 1, &nested(120)),
    ]);
    history
        .run(&["trace", "show", "deep"])
        .expect(0, &["bottom"]);
    history
        .run(&["trace", "show", "deeper"])
        .expect(0, &["deeper"]);
    history.json(&["trace", "list"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let history = History::after_work();
    for args in [
        &["trace", "list"][..],
        &["log"],
        &["session", "show", "s-1"],
    ] {
        let mut child = history
            .command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut errors = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        assert!(child.wait().unwrap().success(), "{errors}");
        assert!(
            !errors.contains("panicked") && !errors.contains("error:"),
            "{errors}"
        );
    }
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let history = History::after_work();
    let database = history.data().join("bowline.db");
    // Bytes 60 to 63 of the header are SQLite's `user_version`.
    let mut file = fs::OpenOptions::new().write(true).open(&database).unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&99_u32.to_be_bytes()).unwrap();
    drop(file);
    let before = fs::read(&database).unwrap();
    for args in [
        &["trace", "list"][..],
        &["store", "forget", "--all", "--yes"],
    ] {
        history
            .run(args)
            .expect_stderr(2, &["schema version 99", "update Bowline"]);
    }
    assert_eq!(fs::read(&database).unwrap(), before);
    assert_eq!(history.json(&["log"])["error"]["kind"], "records");
}

#[test]
fn a_store_that_cannot_be_read_is_told() {
    let history = History::after_work();
    // For a superuser nothing is unreadable, but a folder is no database.
    let database = history.data().join("bowline.db");
    for left in ["bowline.db-wal", "bowline.db-shm"] {
        let _ = fs::remove_file(history.data().join(left));
    }
    fs::remove_file(&database).unwrap();
    fs::create_dir(&database).unwrap();
    fs::set_permissions(&database, fs::Permissions::from_mode(0o700)).unwrap();
    for args in [&["trace", "list"][..], &["log"], &["store", "size"]] {
        history.run(args).expect_stderr(2, &["error:"]);
    }
    let history = History::new();
    fs::create_dir_all(history.data().parent().unwrap()).unwrap();
    fs::write(history.data(), "a file where the folder should be").unwrap();
    history
        .run(&["trace", "list"])
        .expect_stderr(2, &["error:"]);
}

#[test]
fn a_socket_that_cannot_be_is_told() {
    let history = History::after_work();
    let output = history
        .command(&["trace", "list"])
        .env("BOWLINE_SOCKET", "relative.sock")
        .output()
        .unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(errors.contains("give an absolute path"), "{errors}");
}
