//! `bowline explain`.

use serde_json::json;

use bowline_testkit::Sandbox;

#[test]
fn a_command_is_shown_as_a_tree_with_its_verdict() {
    let sandbox = Sandbox::with_repository();
    let ran = sandbox.run(&["explain", "sudo bash -c 'cd /etc; rm -rf ~' && ls src"]);
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
fn own_rules_count_and_a_way_is_shown() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        "bowline.toml",
        "[[rule]]\nid = 'no-deploy'\ncommand = 'make deploy'\nverdict = 'deny'\nmessage = 'ask Ada'\n",
    );
    sandbox.run(&["explain", "make", "deploy"]).expect(
        1,
        &[
            "deny by your rule no-deploy (bowline.toml:1)",
            "ask Ada",
            "To allow: change your rule no-deploy in bowline.toml:1",
        ],
    );
    sandbox.run(&["explain", "make test"]).expect(0, &["allow"]);
    sandbox
        .run(&["explain", "git push --force"])
        .expect(1, &["To allow: `bowline allow git.push-force --once`"]);
    sandbox
        .run(&["explain", "bowline uninstall"])
        .lacks(&["To allow"]);
    let (code, document) = sandbox.code_and_json(&["explain", "make deploy && ls"]);
    assert_eq!((code, &document["outcome"]), (Some(1), &json!("deny")));
    assert_eq!(document["own_rules"][0]["id"], "no-deploy");
    assert_eq!(document["verdict"]["decision"], "allow");
}

#[test]
fn the_rest_of_the_line_is_the_command() {
    let sandbox = Sandbox::with_repository();
    for (args, input) in [
        (&["--json", "ls", "-la"][..], "ls -la"),
        (&["--json", "ls", "--json"], "ls --json"),
        (
            &["--json", "git", "commit", "-m", "it's done"],
            r"git commit -m 'it'\''s done'",
        ),
        (&["ls -la", "--json"], "ls -la"),
        (
            &["--agent", "codex", "ls -la", "--session", "none", "--json"],
            "ls -la",
        ),
    ] {
        let ran = sandbox.run(&[&["explain"], args].concat());
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(document["input"], input, "{args:?}");
    }
    sandbox
        .run(&["explain", "ls -la", "--nonsense"])
        .expect_stderr(2, &["--nonsense"]);
    for (agent, told) in [
        ("codx", "did you mean `codex`?"),
        ("nope", "expected one of"),
    ] {
        let before = sandbox.run(&["explain", "--agent", agent, "ls"]);
        before.expect_stderr(2, &[agent, told]);
        let after = sandbox.run(&["explain", "ls -la", "--agent", agent]);
        after.expect_stderr(2, &[agent, told]);
    }
}

#[test]
fn harmless_commands_and_other_tools_are_explained() {
    let sandbox = Sandbox::with_repository();
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
        sandbox.run(&args).expect(code, &[text]);
    }
    sandbox
        .run_with(&["explain", "-"], b"git push --force")
        .expect(1, &["--force-with-lease"]);
}

#[test]
fn the_document_holds_programs_effects_and_verdict() {
    let sandbox = Sandbox::with_repository();
    let (code, document) =
        sandbox.code_and_json(&["explain", "env A=1 git push -f \"$REMOTE\" > log.txt"]);
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
    let sandbox = Sandbox::with_repository();
    for args in [
        vec!["explain", "curl -u ci:S3cr3t-pw https://api.test/\u{202e}x"],
        vec![
            "explain",
            "curl -u ci:S3cr3t-pw https://api.test/\u{202e}x",
            "--json",
        ],
    ] {
        let ran = sandbox.run(&args);
        ran.expect(1, &["look-alike.direction", "u{202e}"])
            .lacks(&["S3cr3t-pw"])
            .lacks(&["\u{202e}"]);
    }
}

#[test]
fn wrong_use_is_said() {
    let sandbox = Sandbox::with_repository();
    for (args, text) in [
        (vec!["explain"], "required"),
        (
            vec!["explain", "--tool", "Read", "--input", "{}", "ls"],
            "cannot be used with",
        ),
        (vec!["explain", "--tool", "Read"], "--input"),
        (
            vec!["explain", "--tool", "Read", "--input", "[]"],
            "cannot use --input",
        ),
        (vec!["explain", "--dir", "nowhere", "ls"], "cannot open"),
    ] {
        sandbox.run(&args).expect_stderr(2, &[text]);
    }
}
