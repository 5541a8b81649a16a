//! Variants of the ideas behind the label policy, and everyday look-alikes of them.
#![expect(clippy::unwrap_used, reason = "a broken row must fail the test")]

use bowline_guard::effect::Category;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use bowline_guard::policy::GuardPolicy;
use bowline_guard::tool_call::{ToolCall, Verdict, judge_tool_call};

fn decision(tool: &str, command: &str) -> Verdict {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let call = ToolCall {
        command: Some(command),
        ..ToolCall::default()
    };
    judge_tool_call(tool, &call, &world, &GuardPolicy::default())
}

/// Checks rows of a verdict and a command; reports all that differ at once.
fn check(tool: &str, table: &str) {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for row in table
        .lines()
        .filter(|it| !it.is_empty() && !it.starts_with('#'))
    {
        let (expected, command) = row.split_once(' ').unwrap();
        let command = command.replace('⏎', "\n");
        let verdict = decision(tool, &command);
        if verdict.decision.name() != expected {
            wrong.push(format!(
                "{command}\n    {}, expected {expected}: {}",
                verdict.decision,
                verdict.message().unwrap_or_default()
            ));
        }
        rows += 1;
    }
    assert!(rows > 50, "{rows} rows");
    assert!(
        wrong.is_empty(),
        "{} of {rows}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn shell_variants() {
    check("Bash", include_str!("data/variants.txt"));
}

#[test]
fn everyday_lines() {
    check("Bash", include_str!("data/everyday.txt"));
}

#[test]
fn a_long_quoted_document_is_only_text() {
    let line = "print(f'{x}', (1, [2]), `y`, ${z}, $((1 + 2))) # rm -rf /\n";
    let written = format!("cat > gen.py <<'EOF'\n{}EOF\n", line.repeat(900));
    let run = format!("bash <<'EOF'\n{}EOF\n", line.repeat(900));
    assert_eq!(decision("Bash", &written).decision.name(), "allow");
    assert_ne!(decision("Bash", &run).decision.name(), "allow");
}

/// No allow-list for files lets these pass: each is also about the guard itself.
#[test]
fn what_touches_the_guard_itself_is_marked() {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    for command in [
        "cargo bowline trust --yes",
        "cargo run -p bowline-cli -- trust --yes",
        "tar xf x.tar .claude/settings.json",
        "unzip -o x.zip .claude/settings.json",
        "awk '{print > \"bowline.toml\"}' x",
        "echo '{}' > .claude/*.json",
        "git stash push bowline.toml",
        "ln -sf /bin/true ~/.cargo/bin/bowline",
        "rm ~/.cargo/bin/bowline",
        "claude config set -g hooks '{}'",
        "find .claude -type f -delete",
        "rm -rf ~/.config",
        "mv ~/.config ~/x",
        "rm ~/.config/bowline/config.toml",
    ] {
        let marked = judge(command, &world)
            .effects
            .iter()
            .any(|(effect, _)| effect.category == Category::OwnSettings);
        assert!(marked, "{command}");
    }
}

#[test]
fn powershell_variants() {
    check("PowerShell", include_str!("data/powershell.txt"));
}

#[test]
fn strange_powershell_is_survived() {
    let pieces = [
        "",
        "$",
        "${",
        "$(",
        "@'",
        "@\"",
        "'",
        "\"",
        "`",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "|",
        "&",
        ";",
        ">",
        ">>",
        "2>&1",
        "*>",
        "<#",
        "#>",
        "#",
        "-",
        "--",
        "–",
        "=",
        "+=",
        ".",
        "::",
        "%",
        "?",
        "iex",
        "if",
        "foreach",
        "$_",
        "$x",
        "$x.y(",
        "[a]::b(",
        "é",
        "\u{0}",
        "…",
        "Remove-Item",
        "-Path:",
    ];
    for first in pieces {
        for second in pieces {
            for text in [
                format!("{first}{second}"),
                format!("{first} {second} x"),
                format!("x {first}\n{second}"),
            ] {
                let _ = decision("PowerShell", &text);
            }
        }
    }
    for piece in [
        "(",
        "{",
        "$(",
        "@(",
        "& {",
        "iex '",
        "$x = $x + $x;",
        "a | ",
        "if (1) {",
        "\"$(",
        "`",
    ] {
        let _ = decision("PowerShell", &piece.repeat(20_000));
        let _ = decision(
            "PowerShell",
            &format!("{}Remove-Item ~", piece.repeat(2_000)),
        );
    }
}
