use super::*;
use crate::paths::StaticWorld;

fn verdict(tool: &str, fields: &[(&str, &str)]) -> CallVerdict {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let call = ToolCall::from_fields(|name| {
        fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, value)| *value)
    });
    judge_tool_call(tool, &call, &world, &GuardPolicy::default())
}

#[test]
fn each_tool_is_judged_by_what_it_does() {
    use CallDecision::{Allow, Ask, Deny};
    for (tool, fields, decision, category) in [
        ("Bash", vec![("command", "ls -la")], Allow, None),
        (
            "Bash",
            vec![("command", "rm -rf ~")],
            Deny,
            Some(Category::Delete),
        ),
        (
            "PowerShell",
            vec![("command", "rm -rf ~")],
            Deny,
            Some(Category::Delete),
        ),
        (
            "Bash",
            vec![("command", "l\u{455} src")],
            Ask,
            Some(Category::LookAlike),
        ),
        (
            "Bash",
            vec![("command", "r\u{200b}m x; rm -rf ~")],
            Deny,
            Some(Category::Delete),
        ),
        ("Bash", vec![], Ask, Some(Category::Unverified)),
        ("Read", vec![("file_path", "src/main.rs")], Allow, None),
        (
            "Read",
            vec![("file_path", ".env")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "Read",
            vec![("file_path", "src/m\u{430}in.rs")],
            Ask,
            Some(Category::LookAlike),
        ),
        (
            "Edit",
            vec![("file_path", "src/\u{202e}sr.rs")],
            Ask,
            Some(Category::LookAlike),
        ),
        (
            "Glob",
            vec![("pattern", "s\u{200b}rc/*.rs")],
            Ask,
            Some(Category::LookAlike),
        ),
        (
            "Grep",
            vec![("pattern", "s\u{200b}rc"), ("path", "src")],
            Allow,
            None,
        ),
        (
            "Grep",
            vec![("pattern", "x"), ("path", "/home/dev/.ssh")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "NotebookEdit",
            vec![("notebook_path", "a.ipynb")],
            Allow,
            None,
        ),
        (
            "NotebookEdit",
            vec![
                ("file_path", "docs/x"),
                ("notebook_path", ".claude/settings.json"),
            ],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Write",
            vec![("file_path", "docs/x"), ("path", ".claude/settings.json")],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Write",
            vec![("file_path", "/home/dev/.cargo/bin/bowline-hook")],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Edit",
            vec![
                ("file_path", "/home/dev/.zshrc"),
                ("new_string", "export BOWLINE=off"),
            ],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Write",
            vec![
                ("file_path", "docs/switch.md"),
                ("content", "export BOWLINE=off"),
            ],
            Allow,
            None,
        ),
        (
            "Read",
            vec![("file_path", "docs/x"), ("path", ".env")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "Grep",
            vec![("path", "src"), ("notebook_path", "/home/dev/.ssh")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "Glob",
            vec![
                ("pattern", "*"),
                ("path", "src"),
                ("file_path", "/home/dev/.ssh"),
            ],
            Ask,
            Some(Category::SecretRead),
        ),
        ("WebFetch", vec![("command", "rm -rf ~")], Allow, None),
        (
            "bash",
            vec![("command", "rm -rf ~")],
            Deny,
            Some(Category::Delete),
        ),
        ("SHELL", vec![], Ask, Some(Category::Unverified)),
        (
            "powershell",
            vec![("command", "Remove-Item -Recurse -Force ~")],
            Deny,
            Some(Category::Delete),
        ),
        (
            "read",
            vec![("file_path", ".env")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "write",
            vec![("file_path", ".claude/settings.json")],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "glob",
            vec![("pattern", "s\u{200b}rc/*.rs")],
            Ask,
            Some(Category::LookAlike),
        ),
        (
            "grep",
            vec![("pattern", "x"), ("path", "/home/dev/.ssh")],
            Deny,
            Some(Category::SecretRead),
        ),
        (
            "mcp__shell__bash",
            vec![("command", "rm -rf ~")],
            Allow,
            None,
        ),
    ] {
        let verdict = verdict(tool, &fields);
        assert_eq!(
            (verdict.decision, verdict.category),
            (decision, category),
            "{tool} {fields:?}"
        );
    }
}

#[test]
fn a_verdict_tells_what_why_and_how_instead() {
    let denied = verdict("Read", &[("file_path", ".env")]);
    let message = denied.message().unwrap();
    assert!(
        message.starts_with("Read of `.env`: environment files hold"),
        "{message}"
    );
    assert!(
        message.contains(". Instead: read the template"),
        "{message}"
    );
    assert_eq!(denied.rule.as_deref(), Some("sensitive.environment-file"));
    assert_eq!(verdict("Bash", &[("command", "ls")]).message(), None);
}

#[test]
fn reasons_carry_no_secrets_and_nothing_that_deceives() {
    let token = crate::secrets::expand("ghp_{a36}");
    let command = format!("rm -rf /srv/\u{202e}x {token}");
    let message = verdict("Bash", &[("command", &command)]).message().unwrap();
    assert!(
        message.contains("[REDACTED:") && !message.contains(&token),
        "{message}"
    );
    assert!(
        message.contains("\\u{202e}") && !message.contains('\u{202e}'),
        "{message}"
    );
    let long = format!("rm -rf / {}", "x".repeat(100_000));
    assert!(
        verdict("Bash", &[("command", &long)])
            .message()
            .unwrap()
            .len()
            < 1_000
    );
}
