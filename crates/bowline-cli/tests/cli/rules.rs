//! Rules of one's own, as each command shows them.

use bowline_testkit::Sandbox;

const RULES: &str = r#"[[rule]]
id = "uv-not-pip"
command = "pip install *"
verdict = "rewrite"
rewrite = "uv pip install"
message = "this project uses uv"
[rule.examples]
match = ["pip install requests"]
not_match = ["uv pip install requests"]

[[rule]]
id = "migrations"
tool = "Edit|Write"
path = "migrations/**"
verdict = "deny"
suggestion = "add a new migration"
[rule.examples]
match = ["migrations/1.sql"]
"#;

#[test]
fn rules_are_listed_shown_and_tested() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project("bowline.toml", RULES);
    sandbox.run(&["rules", "list", "--kind", "own"]).expect(
        0,
        &[
            "uv-not-pip",
            "not trusted: run `bowline trust`",
            "bowline.toml:11 (project)",
            "2 rules",
        ],
    );
    let (_, list) = sandbox.code_and_json(&["rules", "list"]);
    assert_eq!(list["rules"][0]["id"], "uv-not-pip");
    assert_eq!(list["rules"][0]["kind"], "own");
    assert_eq!(list["rules"][0]["status"], "untrusted");
    assert_eq!(list["rules"][1]["status"], "in_force");
    sandbox.run(&["rules", "show", "migrations"]).expect(
        0,
        &[
            "migrations (own)",
            "bowline.toml:11 (project)",
            "deny when tool is `Edit|Write`, and path is `migrations/**`",
            "Path: migrations/**",
            "Instead: add a new migration",
            "Must apply to",
            "migrations/1.sql",
        ],
    );
    sandbox.run(&["rules", "test"]).expect(
        0,
        &["3 examples of 2 rules of your own: all as they should be"],
    );

    sandbox.write_in_project(
        "bowline.toml",
        RULES.replace("\"pip install requests\"", "\"pip list\""),
    );
    sandbox.run(&["rules", "test"]).expect(
        1,
        &[
            "bowline.toml:8: rule `uv-not-pip` does not apply to `pip list`, and must",
            "1 came out differently",
        ],
    );
}

#[test]
fn findings_of_rules_are_shown_in_their_source() {
    let sandbox = Sandbox::with_repository();
    let text = RULES
        .replace("\"migrations/1.sql\"", "\"src/main.rs\"")
        .replace("tool = \"Edit|Write\"", "when = 'tool_imput.x == 1'");
    sandbox.write_in_project("bowline.toml", &text);
    for args in [&["check"][..], &["check", "bowline.toml"]] {
        sandbox.run(args).expect(
            1,
            &[
                "invalid-condition",
                "knows no `tool_imput`",
                "bowline.toml:13:9",
                "^^^^^^^^^^",
                "2 rules: 1 error, 0 warnings",
            ],
        );
    }
    sandbox.write_in_project("bowline.toml", RULES);
    sandbox
        .run(&["check"])
        .expect(0, &["2 rules: no errors, no warnings, 1 note"]);
    sandbox.run(&["hooks"]).expect(
        0,
        &[
            "rule:uv-not-pip",
            "rule:migrations",
            "not trusted",
            "bowline.toml:11",
        ],
    );
}

#[test]
fn trust_shows_what_rules_would_do_and_lets_them() {
    let sandbox = Sandbox::with_repository();
    sandbox.write_in_project("bowline.toml", RULES);
    sandbox.run(&["trust", "--yes"]).expect(
        0,
        &[
            "would decide by these rules",
            "PreToolUse uv-not-pip (bowline.toml:1)",
            "rewrite to `uv pip install` when command is `pip install *`",
            "says this project uses uv",
        ],
    );
    let input = r#"{"command": "pip install x"}"#;
    sandbox
        .run(&["test", "PreToolUse", "--tool", "Bash", "--input", input])
        .expect(0, &["rule:uv-not-pip", "uv pip install x"]);
}
