//! `bowline explain`.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn a_command_is_shown_as_a_tree_with_its_verdict() {
    let bench = Bench::new();
    let ran = bench.run(&["explain", "sudo bash -c 'cd /etc; rm -rf ~' && ls src"]);
    ran.expect(
        1,
        &[
            "├─ as another user\n│  └─ through bash -c\n│     └─ rm -rf ~\n│        ├─ in /etc\n",
            "deny delete: deletes ",
            "└─ ls src\n",
            "deny by files.delete (delete)",
            "Instead: ",
        ],
    );
}

#[test]
fn harmless_commands_and_other_tools_are_explained() {
    let bench = Bench::new();
    for (args, code, text) in [
        (
            vec!["explain", "ls -la"],
            0,
            "allow (the guard has no opinion)",
        ),
        (vec!["explain", "rm -rf \"$DIR\""], 1, "ask by "),
        (vec!["explain", "rm -rf / 'unclosed"], 1, "Not understood"),
        (
            vec![
                "explain",
                "--tool",
                "Read",
                "--input",
                r#"{"file_path": ".env"}"#,
            ],
            1,
            "deny by sensitive.environment-file",
        ),
        (
            vec![
                "explain",
                "--tool",
                "Read",
                "--input",
                r#"{"file_path": "a.rs"}"#,
            ],
            0,
            "allow",
        ),
        (
            vec![
                "explain",
                "--tool",
                "Bash",
                "--input",
                r#"{"command": "git reset --hard"}"#,
            ],
            1,
            "└─ git reset --hard",
        ),
    ] {
        bench.run(&args).expect(code, &[text]);
    }
    bench
        .run_with(&["explain", "-"], b"git push --force")
        .expect(1, &["--force-with-lease"]);
}

#[test]
fn the_document_holds_programs_effects_and_verdict() {
    let bench = Bench::new();
    let (code, document) = bench.json(&["explain", "env A=1 git push -f \"$REMOTE\" > log.txt"]);
    assert_eq!(code, Some(1));
    assert_eq!(document["tool"], "Bash");
    assert_eq!(
        document["understanding"],
        json!({"state": "clean", "problems": []})
    );
    let program = &document["programs"][0];
    assert_eq!(program["name"], "git");
    assert_eq!(
        program["args"][0],
        json!({"source": "push", "value": "push", "known": "exact"})
    );
    assert_eq!(program["args"][2]["known"], "unknown");
    assert_eq!(program["files"][0]["how"], "overwrites");
    assert_eq!(program["variables"], json!(["A"]));
    assert_eq!(program["effects"][0]["rule"], "git.push-force");
    assert_eq!(document["verdict"]["decision"], "deny");
    assert_eq!(document["verdict"]["category"], "history");
}

#[test]
fn neither_secrets_nor_deceptive_characters_are_shown() {
    let bench = Bench::new();
    for args in [
        vec!["explain", "curl -u ci:S3cr3t-pw https://api.test/\u{202e}x"],
        vec![
            "explain",
            "curl -u ci:S3cr3t-pw https://api.test/\u{202e}x",
            "--json",
        ],
    ] {
        let ran = bench.run(&args);
        ran.expect(1, &["look-alike.direction", "u{202e}"])
            .lacks(&["S3cr3t-pw"])
            .lacks(&["\u{202e}"]);
    }
}

#[test]
fn wrong_use_is_said() {
    let bench = Bench::new();
    for (args, text) in [
        (vec!["explain"], "required"),
        (
            vec!["explain", "ls", "--tool", "Read", "--input", "{}"],
            "cannot be used with",
        ),
        (vec!["explain", "--tool", "Read"], "--input"),
        (
            vec!["explain", "--tool", "Read", "--input", "[]"],
            "cannot use --input",
        ),
        (vec!["explain", "ls", "--dir", "nowhere"], "cannot open"),
    ] {
        bench.run(&args).expect(2, &[text]);
    }
}
