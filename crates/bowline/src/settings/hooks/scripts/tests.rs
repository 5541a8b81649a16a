use super::*;
use crate::settings::load;

struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let bench = Self { root };
        for (name, mode) in [
            ("project/.claude/hooks/good.sh", 0o755),
            ("project/.claude/hooks/plain.sh", 0o644),
            ("project/a b.py", 0o644),
            ("home/bin/mine.sh", 0o755),
        ] {
            let path = bench.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(name)
    }

    /// The hooks of a file of Claude Code with this handler on PreToolUse.
    fn hooks(&self, handler: &serde_json::Value) -> Vec<HookDefinition> {
        let file = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
        let text = serde_json::to_string_pretty(&file).unwrap();
        fs::write(self.path("project/.claude/settings.json"), text).unwrap();
        let settings = load(&self.path("project"), &self.locations());
        let hooks = settings.hooks.into_iter();
        hooks.map(|hook| hook.definition).collect()
    }

    fn locations(&self) -> Locations {
        Locations::under(&self.root.path().canonicalize().unwrap())
    }

    fn findings(&self, handler: &serde_json::Value) -> Vec<Diagnostic> {
        let hooks = self.hooks(handler);
        script_findings(&hooks, &self.path("project"), &self.locations())
    }
}

fn shell(command: &str) -> serde_json::Value {
    serde_json::json!({"type": "command", "command": command})
}

#[test]
fn scripts_that_cannot_be_started_are_found() {
    let bench = Bench::new();
    for (command, expected) in [
        ("./nope.sh", Some("script-missing")),
        (
            "$CLAUDE_PROJECT_DIR/.claude/hooks/nope.sh",
            Some("script-missing"),
        ),
        (
            "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/nope.sh -v",
            Some("script-missing"),
        ),
        (
            "python3 \"$CLAUDE_PROJECT_DIR\"/nope.py",
            Some("script-missing"),
        ),
        ("bash .claude/hooks/nope.sh", Some("script-missing")),
        ("jq .x | ~/bin/nope.sh", Some("script-missing")),
        ("uv run nope.py", Some("script-missing")),
        (".claude/hooks/plain.sh", Some("script-not-executable")),
        (".claude/hooks/good.sh", None),
        ("bash .claude/hooks/plain.sh", None),
        ("python3 'a b.py'", None),
        ("~/bin/mine.sh && $HOME/bin/mine.sh", None),
        ("cd .claude && hooks/good.sh", None),
        ("[ -x ./nope.sh ] && ./nope.sh", None),
        ("[[ -f ./nope.sh ]] && ./nope.sh", None),
        ("$OTHER/nope.sh", None),
        ("prettier --write nope.js", None),
        ("python3 -m json.tool", None),
        ("bash -c 'echo a/b'", None),
        ("echo ./nope.sh", None),
    ] {
        let found = bench.findings(&shell(command));
        let codes: Vec<&str> = found.iter().map(|it| it.code).collect();
        assert_eq!(codes, expected.into_iter().collect::<Vec<_>>(), "{command}");
    }
    let exec = serde_json::json!({
        "type": "command", "command": "${CLAUDE_PROJECT_DIR}/nope.sh", "args": ["x"],
    });
    let found = bench.findings(&exec);
    let finding = found.first().unwrap();
    assert_eq!(
        (finding.code, finding.severity),
        ("script-missing", Severity::Warning)
    );
    let text = fs::read_to_string(finding.file.as_ref().unwrap()).unwrap();
    assert_eq!(text.get(finding.span.clone()), Some("nope.sh"));
    assert!(
        text.lines()
            .nth(finding.line - 1)
            .unwrap()
            .contains("nope.sh")
    );
}

#[test]
fn what_comes_of_it_is_told_where_it_is_known() {
    let bench = Bench::new();
    for (command, expected) in [
        ("./nope.sh -v", "the hook fails, and does nothing"),
        ("cd x && ./nope.sh", "if the exit code is 2"),
        ("python3 nope.py", "if the exit code is 2"),
        ("jq .x | ./nope.sh", "if the exit code is 2"),
    ] {
        let found = bench.findings(&shell(command));
        let message = &found.first().unwrap().message;
        assert!(message.contains(expected), "{command}: {message}");
    }
}

#[test]
fn the_scripts_inside_the_project_are_listed() {
    let bench = Bench::new();
    for (command, expected) in [
        ("./nope.sh; ./nope.sh", vec!["nope.sh"]),
        ("~/bin/mine.sh | python3 'a b.py'", vec!["a b.py"]),
        ("sub/../b.sh && sh ./a.sh", vec!["a.sh", "b.sh"]),
        ("[ -x ./a.sh ] && ./a.sh", vec!["a.sh"]),
        ("../outside.sh", vec![]),
        ("make", vec![]),
    ] {
        let hooks = bench.hooks(&shell(command));
        let project = bench.path("project");
        let found = scripts(&hooks, &project, &bench.locations());
        let expected: Vec<PathBuf> = expected.iter().map(|it| project.join(it)).collect();
        assert_eq!(found, expected, "{command}");
    }
}
