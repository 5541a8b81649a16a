//! Completions, schema, help.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;

use bowline_testkit::Sandbox;

#[test]
fn completions_are_printed_for_each_shell() {
    let sandbox = Sandbox::with_repository();
    for shell in ["bash", "zsh", "fish"] {
        sandbox
            .run(&["completions", shell])
            .expect(0, &["bowline", "events", "trust"]);
    }
}

#[test]
fn the_version_names_the_commit() {
    let mut git = std::process::Command::new("git");
    git.args(["rev-parse", "--short=7", "HEAD"])
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let commit = git.output().ok().filter(|it| it.status.success());
    // In an archive of the sources there is none.
    let commit = commit.map_or_else(String::new, |it| {
        format!(" ({})", String::from_utf8(it.stdout).unwrap().trim())
    });
    let version = env!("CARGO_PKG_VERSION");
    for option in ["--version", "-V"] {
        let ran = Sandbox::with_repository().run(&[option]);
        assert_eq!(ran.stdout, format!("bowline {version}{commit}\n"));
    }
}

/// Answers one request with this text.
fn serve(text: &'static str) -> String {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/latest.json", server.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut request = [0; 1024];
        let _ = stream.read(&mut request);
        let length = text.len();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{text}");
        stream.write_all(answer.as_bytes()).unwrap();
    });
    address
}

#[test]
fn an_update_is_looked_for_at_an_address() {
    let sandbox = Sandbox::with_repository();
    let newer = serve(r#"{"version": "99.0.0", "page": "https://example.org/99"}"#);
    sandbox
        .run(&["update", "--check", &newer])
        .expect(1, &["Bowline 99.0.0 is there", "https://example.org/99"]);
    let same = serve(concat!(
        r#"{"version": ""#,
        env!("CARGO_PKG_VERSION"),
        r#""}"#
    ));
    sandbox
        .run(&["update", "--check", &same])
        .expect(0, &["up to date"]);
    for (address, why) in [
        (serve("<html>"), "does not describe a release"),
        ("http://127.0.0.1:1/x".to_owned(), "cannot be read"),
        ("https://127.0.0.1:1/x".to_owned(), "cannot be read"),
        ("http://".to_owned(), "is no address"),
    ] {
        sandbox
            .run(&["update", "--check", &address])
            .expect_stderr(2, &[why]);
    }
}

#[test]
fn the_schema_that_is_printed_is_the_checked_in_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bowline.schema.json");
    let schema = Sandbox::with_repository().run(&["schema"]).stdout;
    assert!(fs::read_to_string(&file).unwrap() == schema);
}

#[test]
fn help_tells_the_exit_codes_and_gives_examples() {
    let sandbox = Sandbox::with_repository();
    sandbox.run(&["--help"]).expect(
        0,
        &["Examples:", "bowline init", "Exit codes:", "could not run"],
    );
    for command in [
        "events",
        "check",
        "hooks",
        "test",
        "trust",
        "schema",
        "completions",
    ] {
        sandbox
            .run(&[command, "--help"])
            .expect(0, &["Example", &format!("  bowline {command}")]);
    }
}

#[test]
fn shells_are_told_the_events() {
    let sandbox = Sandbox::with_repository();
    for shell in ["bash", "zsh", "fish"] {
        sandbox
            .run(&["completions", shell])
            .expect(0, &["PreToolUse", "PostModelSwitch"]);
    }
    sandbox
        .run(&["test", "--help"])
        .expect(0, &["Usage"])
        .lacks(&["PostModelSwitch"]);
}

#[test]
fn what_was_typed_is_quoted_without_what_terminals_obey() {
    let sandbox = Sandbox::new();
    for args in [
        &["effort", "\u{1b}[31mx\u{7}"][..],
        &["\u{1b}[31mx\u{7}"],
        &["log", "--since=\u{1b}[31mx\u{7}"],
        &["log", "--\u{1b}[31mx\u{7}", "\u{202e}"],
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = sandbox.run(&[args, json].concat());
            ran.expect_stderr(2, &["␛[31mx␇"]);
            ran.lacks(&["\u{1b}", "\u{7}", "\u{202e}"]);
        }
    }
}
