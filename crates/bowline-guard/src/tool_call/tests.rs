use super::*;
use crate::paths::StaticWorld;

fn verdict(tool: &str, fields: &[(&str, &str)]) -> Verdict {
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
    use Strictness::{Allow, Ask, Deny};
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
            "Edit",
            vec![
                ("file_path", ".vscode/settings.json"),
                ("old_string", "a"),
                ("new_string", r#""chat.hookFilesLocations": {}"#),
                ("content", "b"),
            ],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "MultiEdit",
            vec![
                ("file_path", ".vscode/settings.json"),
                ("edits/0/new_string", "a"),
                ("edits/1/new_string", r#""chat.useHooks": false"#),
            ],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Write",
            vec![
                ("file_path", "/home/dev/.config/Code/User/settings.json"),
                ("content", r#"{"chat\u002ehooks": 1}"#),
            ],
            Ask,
            Some(Category::OwnSettings),
        ),
        (
            "Write",
            vec![
                ("file_path", ".vscode/settings.json"),
                ("content", r#"{"editor.tabSize": 2}"#),
            ],
            Allow,
            None,
        ),
        (
            "Write",
            vec![("file_path", ".vscode/settings.json")],
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
            Deny,
            Some(Category::Delete),
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
fn a_change_of_a_file_that_is_not_named_is_asked_about() {
    for (tool, fields, expected) in [
        ("Write", &[][..], Some("call.unread")),
        ("Write", &[("content", "x")], Some("call.unread")),
        ("Write", &[("file_path/0", "a")], Some("call.unread")),
        (
            "Write",
            &[("file_path/0", "a"), ("path", "b")],
            Some("call.unread"),
        ),
        ("NotebookEdit", &[], Some("call.unread")),
        ("Delete", &[], Some("call.unread")),
        ("Move", &[("source", "a")], Some("call.unread")),
        ("Write", &[("file_path", "a")], None),
        ("Write", &[("path", "a")], None),
        ("NotebookEdit", &[("notebook_path", "a")], None),
        ("Read", &[], None),
        ("mcp__drive__delete_file", &[("id", "a")], None),
    ] {
        let found = verdict(tool, fields);
        assert_eq!(found.rule.as_deref(), expected, "{tool} {fields:?}");
    }
}

#[test]
fn commands_and_files_are_found_wherever_a_server_has_them() {
    use Strictness::{Allow, Ask, Deny};
    for (tool, fields, decision) in [
        (
            "mcp__shell__run",
            &[("commands/0", "ls"), ("commands/1", "rm -rf ~")][..],
            Deny,
        ),
        ("runner", &[("commands/0", "rm -rf ~")], Ask),
        ("runner", &[("commands", "rm -rf ~")], Ask),
        (
            "mcp__shell__run",
            &[("command", "ls"), ("commands/0", "rm -rf ~")],
            Deny,
        ),
        ("mcp__x__go", &[("input/command", "rm -rf ~")], Ask),
        ("mcp__x__go", &[("args/0", "rm -rf ~")], Ask),
        (
            "mcp__x__go",
            &[("args/0", "rm"), ("args/1", "-rf"), ("args/2", "/")],
            Ask,
        ),
        ("mcp__x__go", &[("args/0", "install")], Allow),
        (
            "mcp__x__send",
            &[("files/0/path", "/home/dev/.ssh/id_rsa")],
            Ask,
        ),
        ("mcp__x__send", &[("files/0", "/home/dev/.ssh/id_rsa")], Ask),
        (
            "mcp__x__send",
            &[("input/path", "/home/dev/.ssh/id_rsa")],
            Ask,
        ),
        ("mcp__x__send", &[("files/0/path", "src/main.rs")], Allow),
        (
            "mcp__fs__delete_file",
            &[("paths/0", "/tmp/x"), ("paths/1", "/home/dev")],
            Deny,
        ),
        (
            "mcp__my__server_delete_file",
            &[("path", "/home/dev")],
            Deny,
        ),
        ("mcp__my__server_drop_database", &[("name", "x")], Ask),
        ("mcp__my__server_list_databases", &[("name", "x")], Allow),
        (
            "mcp__my__postgres_query",
            &[("sql", "DROP DATABASE prod")],
            Deny,
        ),
        ("mcp__my__postgres_query", &[("sql", "SELECT 1")], Allow),
    ] {
        let found = verdict(tool, fields);
        assert_eq!(found.decision, decision, "{tool} {fields:?}: {found:?}");
    }
}

#[test]
fn an_edit_names_what_goes_unless_a_text_is_empty() {
    for (tool, fields, expected) in [
        ("Edit", &[("old_string", "a")][..], true),
        ("Edit", &[("old_string", "")], false),
        ("Edit", &[], false),
        ("MultiEdit", &[("edits/0/old_string", "a")], true),
        (
            "MultiEdit",
            &[("edits/0/old_string", "a"), ("edits/1/old_string", "")],
            false,
        ),
        (
            "MultiEdit",
            &[("edits/0/old_string", "a"), ("edits/1/new_string", "b")],
            false,
        ),
        (
            "MultiEdit",
            &[("old_string", "a"), ("edits/0/old_string", "")],
            false,
        ),
        ("MultiEdit", &[("edits/1/old_string", "a")], false),
        ("Write", &[("old_string", "a")], false),
    ] {
        let field = |name: &str| fields.iter().find(|it| it.0 == name).map(|it| it.1);
        let call = ToolCall::from_fields(field);
        assert_eq!(call.names_what_goes(tool), expected, "{tool} {fields:?}");
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

#[test]
fn the_tools_of_servers_are_judged_by_what_their_names_say() {
    use Strictness::{Allow, Ask, Deny};
    for (tool, fields, decision) in [
        (
            "mcp__shell__execute_command",
            vec![("command", "rm -rf ~")],
            Deny,
        ),
        (
            "mcp__desktop-commander__start_process",
            vec![("command", "rm -rf ~")],
            Deny,
        ),
        (
            "mcp__server__runCommand",
            vec![("cmd", "git reset --hard")],
            Deny,
        ),
        ("mcp__terminal__run", vec![("script", "rm -rf ~")], Deny),
        (
            "mcp__shell__exec",
            vec![
                ("command", "rm"),
                ("args/0", "-rf"),
                ("args/1", "/home/dev"),
            ],
            Deny,
        ),
        (
            "mcp__shell__exec",
            vec![("command", "rm -rf ."), ("cwd", "/home/dev")],
            Deny,
        ),
        (
            "mcp__shell__execute_command",
            vec![("command", "cargo test")],
            Allow,
        ),
        ("mcp__acme__do_it", vec![("command", "rm -rf ~")], Ask),
        (
            "mcp__acme__do_it",
            vec![("command", "open the door")],
            Allow,
        ),
        (
            "mcp__docs__get_command_help",
            vec![("command", "rm -rf ~")],
            Allow,
        ),
        (
            "mcp__context7__search",
            vec![("query", "DROP TABLE users")],
            Allow,
        ),
        (
            "mcp__brave__web_search",
            vec![("query", "rm -rf / what does it do")],
            Allow,
        ),
        (
            "mcp__puppeteer__puppeteer_evaluate",
            vec![("script", "rm -rf ~")],
            Allow,
        ),
        ("mcp__filesystem__read_file", vec![("path", ".env")], Deny),
        (
            "mcp__filesystem__read_text_file",
            vec![("path", "src/main.rs")],
            Allow,
        ),
        (
            "mcp__filesystem__read_multiple_files",
            vec![("paths/0", "a.rs"), ("paths/1", ".env")],
            Deny,
        ),
        (
            "mcp__github__get_file_contents",
            vec![("path", ".env"), ("repo", "shop")],
            Allow,
        ),
        (
            "mcp__postgres__query",
            vec![("sql", "DROP TABLE users")],
            Deny,
        ),
        (
            "mcp__supabase__execute_sql",
            vec![("query", "TRUNCATE carts")],
            Deny,
        ),
        (
            "mcp__postgres__query",
            vec![("sql", "SELECT * FROM users")],
            Allow,
        ),
        (
            "mcp__supabase__search_docs",
            vec![("query", "drop table users")],
            Allow,
        ),
        ("mcp__git__git_reset", vec![("mode", "hard")], Deny),
        ("mcp__git__git_reset", vec![("repo_path", ".")], Allow),
        ("mcp__git__git_clean", vec![], Deny),
        ("mcp__git__git_push", vec![("force", "true")], Deny),
        ("mcp__git__git_status", vec![("repo_path", ".")], Allow),
        (
            "mcp__github__delete_repository",
            vec![("repo", "shop")],
            Ask,
        ),
        ("mcp__k8s__delete_namespace", vec![("name", "prod")], Ask),
        ("mcp__redis__flushall", vec![], Ask),
        ("mcp__shop__delete_order", vec![("id", "7")], Allow),
        ("mcp__github__get_repository", vec![("repo", "shop")], Allow),
    ] {
        assert_eq!(
            verdict(tool, &fields).decision,
            decision,
            "{tool} {fields:?}"
        );
    }
}

/// Servers in common use: what they do is what the agent's own tool does.
/// An agent may rename its shell: that switches nothing off.
#[test]
fn a_tool_that_nobody_knows_is_judged_by_what_its_name_and_arguments_say() {
    use Strictness::{Allow, Ask, Deny};
    for (tool, fields, expected) in [
        ("run_in_terminal", vec![("command", "rm -rf ~")], Deny),
        ("runInTerminal", vec![("command", "rm -rf ~")], Deny),
        ("exec_command", vec![("cmd", "rm -rf ~")], Deny),
        ("Execute", vec![("command", "rm -rf ~")], Deny),
        (
            "container.exec",
            vec![
                ("command/0", "rm"),
                ("command/1", "-rf"),
                ("command/2", "/home/dev"),
            ],
            Deny,
        ),
        ("bash ", vec![("command", "rm -rf ~")], Deny),
        ("do_it", vec![("command", "rm -rf ~")], Ask),
        ("do_it", vec![("command", "make")], Allow),
        (
            "create_file",
            vec![("filePath", ".claude/settings.json")],
            Ask,
        ),
        ("read_file", vec![("filePath", ".env")], Deny),
        ("think", vec![("text", "rm -rf ~")], Allow),
        ("TodoWrite", vec![("command", "rm -rf ~")], Allow),
        ("Skill", vec![("command", "rm -rf ~")], Allow),
    ] {
        assert_eq!(
            verdict(tool, &fields).decision,
            expected,
            "{tool} {fields:?}"
        );
    }
}

#[test]
fn a_server_in_common_use_is_judged_like_the_agents_own_tool() {
    let ssh = "/home/dev/.ssh";
    let rm = |list: &'static [&'static str; 3]| {
        let words = ["rm", "-rf", "/home/dev"];
        list.iter().copied().zip(words).collect::<Vec<_>>()
    };
    for (tool, fields, native, same) in [
        (
            "mcp__shell__shell_execute",
            rm(&["command/0", "command/1", "command/2"]),
            "Bash",
            vec![("command", "rm -rf /home/dev")],
        ),
        (
            "mcp__commands__run_process",
            rm(&["argv/0", "argv/1", "argv/2"]),
            "Bash",
            vec![("command", "rm -rf /home/dev")],
        ),
        (
            "mcp__commands__run_process",
            vec![("command_line", "git reset --hard")],
            "Bash",
            vec![("command", "git reset --hard")],
        ),
        (
            "mcp__serena__execute_shell_command",
            vec![("command", "rm -rf ~")],
            "Bash",
            vec![("command", "rm -rf ~")],
        ),
        (
            "mcp__filesystem__read_media_file",
            vec![("path", "/home/dev/.ssh/id_rsa")],
            "Read",
            vec![("file_path", "/home/dev/.ssh/id_rsa")],
        ),
        (
            "mcp__serena__read_file",
            vec![("relative_path", ".env")],
            "Read",
            vec![("file_path", ".env")],
        ),
        (
            "mcp__vscode__read_file",
            vec![("filePath", ".env")],
            "Read",
            vec![("file_path", ".env")],
        ),
        (
            "mcp__filesystem__list_directory",
            vec![("path", ssh)],
            "LS",
            vec![("path", ssh)],
        ),
        (
            "mcp__filesystem__directory_tree",
            vec![("path", "src")],
            "LS",
            vec![("path", "src")],
        ),
        (
            "mcp__filesystem__search_files",
            vec![("path", ssh), ("pattern", "*")],
            "Glob",
            vec![("path", ssh), ("pattern", "*")],
        ),
        (
            "mcp__filesystem__search_files",
            vec![("path", "src"), ("pattern", "*.rs")],
            "Glob",
            vec![("path", "src"), ("pattern", "*.rs")],
        ),
        (
            "mcp__filesystem__write_file",
            vec![("path", ".claude/settings.json"), ("content", "{}")],
            "Write",
            vec![("file_path", ".claude/settings.json"), ("content", "{}")],
        ),
        (
            "mcp__filesystem__edit_file",
            vec![("path", ".claude/settings.json")],
            "Edit",
            vec![("file_path", ".claude/settings.json")],
        ),
        (
            "mcp__desktop-commander__edit_block",
            vec![("file_path", ".claude/settings.json")],
            "Edit",
            vec![("file_path", ".claude/settings.json")],
        ),
        (
            "mcp__serena__create_text_file",
            vec![("relative_path", ".claude/settings.json")],
            "Write",
            vec![("file_path", ".claude/settings.json")],
        ),
        (
            "mcp__filesystem__write_file",
            vec![("path", "src/main.rs")],
            "Write",
            vec![("file_path", "src/main.rs")],
        ),
        (
            "mcp__git__git_reset",
            vec![("mode", "hard"), ("repo_path", "/home/dev/project")],
            "Bash",
            vec![("command", "git -C /home/dev/project reset --hard")],
        ),
        (
            "mcp__git__git_checkout",
            vec![("branch_name", "main")],
            "Bash",
            vec![("command", "git checkout main")],
        ),
    ] {
        let (server, native) = (verdict(tool, &fields), verdict(native, &same));
        assert_eq!(
            (server.decision, server.category),
            (native.decision, native.category),
            "{tool} {fields:?}"
        );
    }
}

/// Of a server that nobody knows, arguments are all there is to go by: that may ask, and never denies.
#[test]
fn what_arguments_alone_say_is_at_most_a_question() {
    use Strictness::{Allow, Ask};
    for (fields, decision) in [
        (vec![("command", "rm -rf ~")], Ask),
        (vec![("cmd", "git push --force origin main")], Ask),
        (vec![("path", ".env")], Ask),
        (vec![("file_path", "/home/dev/.ssh/id_rsa")], Ask),
        (vec![("filePath", "/home/dev/.aws/credentials")], Ask),
        (vec![("relative_path", ".env")], Ask),
        (vec![("paths/0", "a.rs"), ("paths/1", ".env")], Ask),
        (vec![("path", "src/main.rs")], Allow),
        (vec![("path", "/api/v1/orders")], Allow),
        // A file of somewhere else, and a text that only speaks of one.
        (vec![("path", ".env"), ("repo", "shop")], Allow),
        (vec![("file", "please leave\nthe .env alone")], Allow),
    ] {
        for tool in ["mcp__acme__frobnicate", "mcp__acme__get_thing"] {
            let found = verdict(tool, &fields).decision;
            let is_command = fields.iter().any(|(name, _)| name.starts_with('c'));
            if !is_command || tool.ends_with("frobnicate") {
                assert_eq!(found, decision, "{tool} {fields:?}");
            }
            assert!(found <= Ask, "{tool} {fields:?}");
        }
    }
    for (tool, decision) in [
        ("mcp__acme__update_config", Ask),
        ("mcp__acme__frobnicate", Allow),
    ] {
        let found = verdict(tool, &[("path", ".claude/settings.json")]);
        assert_eq!(found.decision, decision, "{tool}");
    }
    // What only tells of a file shows nothing of it.
    let told = verdict("mcp__filesystem__get_file_info", &[("path", ".env")]);
    assert_eq!(told.decision, Allow);
}

/// Agents run `apply_patch` in a shell, too, most of all with a here-document.
#[test]
fn a_patch_that_a_shell_applies_is_judged_file_by_file() {
    let patch = |body: &str| format!("*** Begin Patch\n{body}\n*** End Patch\n");
    let here = |body: &str| format!("apply_patch <<'EOF'\n{}EOF\n", patch(body));
    let argument = |body: &str| format!("cd src && apply_patch '{}'", patch(body));
    for (body, rule, decision) in [
        ("*** Add File: a.rs\n+1", None, Strictness::Allow),
        (
            "*** Add File: a.rs\n+1\n*** Add File: .env\n+KEY=1",
            Some("secrets.change"),
            Strictness::Ask,
        ),
        (
            "*** Update File: a.rs\n*** Move to: .env\n@@\n-1\n+2",
            Some("secrets.change"),
            Strictness::Ask,
        ),
        (
            "*** Add File: ../.claude/settings.json\n+{}",
            Some("self.settings"),
            Strictness::Ask,
        ),
        (
            "*** Delete File: /etc/passwd",
            Some("files.delete"),
            Strictness::Deny,
        ),
        (
            "*** Delete File: -rf",
            Some("files.delete"),
            Strictness::Ask,
        ),
        (
            "*** Frobnicate: a.rs\n*** Add File: .env\n+KEY=1",
            Some("secrets.change"),
            Strictness::Ask,
        ),
        (
            "*** Frobnicate: a.rs",
            Some("shell.unverified"),
            Strictness::Ask,
        ),
    ] {
        for command in [
            here(body),
            argument(body),
            format!("printf '%s' '{}' | apply_patch", patch(body)),
        ] {
            let verdict = verdict("Bash", &[("command", &command)]);
            assert_eq!(
                (verdict.decision, verdict.rule.as_deref()),
                (decision, rule),
                "{command}: {verdict:?}"
            );
        }
    }
    // As with `patch`, what a file holds is not known.
    for command in ["apply_patch < change.patch", "apply_patch --help"] {
        let verdict = verdict("Bash", &[("command", command)]);
        assert_eq!(
            verdict.decision,
            Strictness::Allow,
            "{command}: {verdict:?}"
        );
    }
}
