//! `bowline rules`.

use std::collections::HashSet;

use serde_json::json;

use bowline_testkit::Sandbox;

#[test]
fn every_rule_is_listed_once_and_can_be_shown() {
    let sandbox = Sandbox::with_repository();
    let (code, list) = sandbox.code_and_json(&["rules", "list"]);
    assert_eq!(code, Some(0));
    let rules = list["rules"].as_array().unwrap();
    let ids: HashSet<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), rules.len());
    for kind in ["effect", "sensitive-file", "secret", "look-alike"] {
        assert!(rules.iter().any(|rule| rule["kind"] == kind), "{kind}");
    }
    sandbox.run(&["rules", "show", "git.push-force"]).expect(
        0,
        &[
            "git.push-force (effect)",
            "Category: history",
            "--force-with-lease",
        ],
    );
    sandbox
        .run(&["rules", "show", "jwt"])
        .expect(0, &["Finds a secret in"]);
    sandbox
        .run(&["rules", "list", "--kind", "look-alike"])
        .expect(0, &["look-alike.invisible"])
        .lacks(&["jwt"]);
    sandbox
        .run(&["rules", "show", "push-force"])
        .expect_stderr(2, &["there is no rule", "did you mean git.push-force"]);
}

#[test]
fn rules_tell_what_they_say_an_example_and_a_way() {
    let sandbox = Sandbox::with_repository();
    sandbox.run(&["rules", "show", "git.push-force"]).expect(
        0,
        &[
            "Says: deny",
            "Example: git push --force",
            "`bowline allow git.push-force`",
        ],
    );
    sandbox
        .run(&["rules", "show", "sensitive.environment-file"])
        .expect(0, &["Says: deny", "Example: Read .env"]);
    sandbox
        .run(&["rules", "show", "files.delete-work"])
        .expect(0, &["by what would be lost"])
        .lacks(&["Example:"]);
    sandbox
        .run(&["rules", "show", "self.settings"])
        .expect(0, &["Says: ask"])
        .lacks(&["To allow:"]);
    sandbox
        .run(&["rules", "list", "--kind", "effect"])
        .expect(0, &["Says", "git push --force", "`bowline allow RULE`"]);

    let (_, list) = sandbox.code_and_json(&["rules", "list"]);
    for rule in list["rules"].as_array().unwrap() {
        let verdict = rule["default_verdict"].as_str().unwrap();
        assert!(
            matches!(verdict, "deny" | "ask" | "allow" | "depends" | "redact"),
            "{rule}"
        );
        let has_example = matches!(verdict, "deny" | "ask" | "allow");
        assert_eq!(rule["example"].is_string(), has_example, "{rule}");
    }
}

/// Whatever rule a verdict names, a person can look it up.
#[test]
fn the_rules_of_verdicts_are_listed() {
    let sandbox = Sandbox::with_repository();
    for (tool, input) in [
        ("Bash", json!({"command": "rm -rf ~"})),
        ("Bash", json!({"command": ":(){ :|:& };:"})),
        ("Bash", json!({"command": "rm -rf / 'unclosed"})),
        ("Bash", json!({"command": "$X -rf /"})),
        ("Bash", json!({"command": "l\u{455}"})),
        ("Bash", json!({})),
        ("Read", json!({"file_path": "/home/dev/.ssh/id_rsa"})),
        ("Grep", json!({"pattern": "x", "path": "/"})),
        ("Write", json!({"file_path": "bowline.toml"})),
    ] {
        let (_, document) =
            sandbox.code_and_json(&["explain", "--tool", tool, "--input", &input.to_string()]);
        let rule = document["verdict"]["rule"]
            .as_str()
            .unwrap_or_else(|| panic!("{tool} {input}"));
        sandbox.run(&["rules", "show", rule]).expect(0, &[rule]);
    }
}

#[test]
fn examples_and_advice_hold() {
    Sandbox::with_repository().run(&["rules", "test"]).expect(
        0,
        &[
            "examples of",
            "commands that rules advise: all as they should be",
        ],
    );
}

#[test]
fn cases_of_ones_own_are_run() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project(
        "cases.jsonl",
        concat!(
            "{\"command\": \"git push --force\", \"verdict\": \"deny\", \"id\": \"mine\"}\n\n",
            "{\"tool\": \"Read\", \"tool_input\": {\"file_path\": \".env\"}, \"verdict\": \"deny\"}\n",
            "{\"command\": \"rm -rf /srv/app/target\", \"verdict\": \"allow\", \"cwd\": \"/srv/app\"}\n",
        ),
    );
    sandbox
        .run(&["rules", "test", "cases.jsonl"])
        .expect(0, &["3 cases: all as they should be"]);

    sandbox.write_in_project(
        "wrong.jsonl",
        "\n{\"command\": \"git push --force\", \"verdict\": \"allow\"}\n",
    );
    sandbox.run(&["rules", "test", "wrong.jsonl"]).expect(
        1,
        &[
            "line 2: git push --force",
            "expected allow, found deny by guard:commands",
            "1 came out differently",
        ],
    );
    let (code, report) = sandbox.code_and_json(&["rules", "test", "wrong.jsonl"]);
    assert_eq!(code, Some(1));
    assert_eq!(report["cases"]["mismatches"][0]["line"], 2);

    sandbox.write_in_project("bad.jsonl", "{\"verdict\": \"deny\"}\n");
    sandbox
        .run(&["rules", "test", "bad.jsonl"])
        .expect_stderr(2, &["bad.jsonl:1: not a case", "neither"]);
    sandbox
        .run(&["rules", "test", "missing.jsonl"])
        .expect_stderr(2, &["cannot read"]);
}

#[test]
fn help_gives_examples() {
    let sandbox = Sandbox::with_repository();
    for args in [
        &["eval"][..],
        &["redact"],
        &["explain"],
        &["rules"],
        &["rules", "list"],
        &["rules", "show"],
        &["rules", "test"],
    ] {
        let example = format!("  bowline {}", args.join(" "));
        sandbox
            .run(&[args, &["--help"]].concat())
            .expect(0, &["Example", &example]);
    }
}
