use bowline::hooks::{HookEvent, HookInput};
use bowline_guard::effect::{Category, Effect, Gravity};
use serde_json::json;

use super::*;

fn bash(input: serde_json::Value) -> HookInput {
    HookInput::pre_tool_use("ci-7", "Bash", input)
}

fn evaluate(text: &str, input: &HookInput) -> Result<bool, Unsettled> {
    let condition = Condition::parse(text).unwrap_or_else(|bad| panic!("{text}: {bad:?}"));
    let effect = Effect::new(
        Category::Delete,
        Gravity::Grave,
        "files.delete",
        "deletes x",
    );
    condition.holds(&ConditionInput {
        input,
        agent: Some("codex"),
        command: input.command(),
        cwd: "/home/dev/project/sub",
        project: "/home/dev/project",
        effects: &[&effect],
    })
}

#[test]
fn every_variable_and_function_has_a_value() {
    let call = bash(json!({
        "command": "rm -rf x", "timeout": 700_000, "list": ["a", "b"], "ratio": 0.5,
        "large": u64::MAX, "nothing": null, "nested": {"deep": [1, {"x": true}]},
    }));
    for text in [
        "event == 'PreToolUse' && tool == 'Bash'",
        "tool_input.timeout > 600000",
        "command.startsWith('rm ') && command.endsWith('x') && command.contains('-rf')",
        "prompt == '' && path == '' && agent == 'codex' && agent_id == '' && agent_type == ''",
        "cwd == '/home/dev/project/sub' && cwd.startsWith(project)",
        "session_id.startsWith('ci-')",
        "effects.exists(e, e.category == 'delete' && e.gravity == 'grave' && e.rule == 'files.delete')",
        "effects.all(e, e.what.contains('deletes'))",
        "command.matches('^rm +-[a-z]*f') && !matches(command, 'force')",
        "glob(cwd, '/home/*/project/**') && !cwd.glob('/home/*')",
        "has(tool_input.timeout) && !has(tool_input.other)",
        "'b' in tool_input.list && size(tool_input.list) == 2",
        "tool_input.list.filter(x, x != 'a') == ['b'] && tool_input.list.exists_one(x, x == 'a')",
        "tool_input.ratio < 1.0 && tool_input.large > 5 && tool_input.nothing == null",
        "tool_input.nested.deep[1].x",
        "tool_input['timeout'] == 700000",
        "string(tool_input.timeout) + 'ms' == '700000ms'",
        "(tool == 'Bash' ? 1 : 2) == 1",
    ] {
        assert_eq!(evaluate(text, &call), Ok(true), "{text}");
    }
    let prompt = HookInput::user_prompt_submit("s", "deploy it");
    assert_eq!(
        evaluate("prompt.contains('deploy') && tool == ''", &prompt),
        Ok(true)
    );
    let stop = HookInput::for_event("s", HookEvent::Stop);
    assert_eq!(evaluate("!has(tool_input.x)", &stop), Ok(true));
}

#[test]
fn every_payload_field_can_be_asked_for() {
    for event in HookEvent::ALL {
        let fields = HookEvent::COMMON_FIELDS.iter();
        for name in fields.chain(event.payload_fields()) {
            let condition = Condition::parse(&format!("{name} == {name}")).expect(name);
            assert_eq!(condition.fields_of_others(&[*event]), [""; 0], "{name}");
        }
    }
    let stop = HookInput::for_event("s", HookEvent::Stop);
    let sent_on = stop.clone().with_field("stop_hook_active", true);
    let done = HookInput::for_event("s", HookEvent::PostToolUse)
        .with_field("tool_response", json!({"exit": 3}))
        .with_field("duration_ms", 70)
        .with_field("made_up", "x")
        .with_field("permission_mode", "plan");
    for (text, input, expected) in [
        ("stop_hook_active", &stop, false),
        ("!stop_hook_active", &stop, true),
        ("stop_hook_active", &sent_on, true),
        ("payload.stop_hook_active", &sent_on, true),
        ("has(payload.stop_hook_active)", &stop, false),
        (
            "background_tasks == [] && last_assistant_message == ''",
            &stop,
            true,
        ),
        ("tool_response.exit == 3 && duration_ms > 60", &done, true),
        (
            "permission_mode == 'plan' && payload.made_up == 'x'",
            &done,
            true,
        ),
        (
            "hook_event_name == event && cwd.endsWith('/sub')",
            &done,
            true,
        ),
        ("has(payload.duration_ms) && duration_ms > 60", &stop, false),
    ] {
        assert_eq!(evaluate(text, input), Ok(expected), "{text}");
    }
    assert!(matches!(
        evaluate("duration_ms > 60", &stop),
        Err(Unsettled::Missing(_))
    ));
    let condition = Condition::parse("stop_hook_active && tool == ''").unwrap();
    assert_eq!(
        condition.fields_of_others(&[HookEvent::PreToolUse]),
        ["stop_hook_active"]
    );
}

#[test]
fn what_is_missing_is_told_from_what_makes_no_sense() {
    let call = bash(json!({"command": "ls", "timeout": "long", "list": []}));
    for (text, missing) in [
        ("tool_input.other == 1", true),
        ("tool_input.list[0] == 1", true),
        ("tool_input.timeout > 5", false),
        ("tool_input.command.field == 1", false),
        ("tool_input.timeout", false),
        ("1 / size(tool_input.list) == 1", false),
        ("size(tool_input.list) / 0 > 1", false),
    ] {
        match evaluate(text, &call) {
            Err(Unsettled::Missing(_)) => assert!(missing, "{text}"),
            Err(Unsettled::Failed(why)) => assert!(!missing, "{text}: {why}"),
            Ok(value) => panic!("{text}: {value}"),
        }
    }
    // What does not decide is not asked.
    assert_eq!(
        evaluate("tool == 'Bash' || tool_input.other > 1", &call),
        Ok(true)
    );
}

#[test]
fn mistakes_are_found_at_load_with_their_place() {
    for (text, part, problem) in [
        ("tool == ", "", "cannot be read"),
        ("tool == 'é' && && x", "&&", "cannot be read"),
        ("toool == 'Bash'", "toool", "knows no `toool`"),
        ("command.matches('(a')", "'(a'", "cannot be used"),
        ("glob(path, '[a')", "'[a'", "cannot be used"),
        ("command.matches(tool)", "(", "written out"),
        ("command.lower() == 'x'", "(", "knows no `lower()`"),
        ("tool_input.map(x, x + x) == []", "", "no `map()`"),
        ("env.HOME == 'x'", "env", "knows no `env`"),
        ("command.matches()", "(", "written out"),
        ("command.matches('a', 'b')", "(", "takes a text"),
        (
            "[1].exists(x, [1].exists(y, [1].exists(z, z == 1)))",
            "",
            "loops",
        ),
        ("['a'].exists(x, x + x == 'aa')", "+", "`+`"),
        ("1+1+1+1+1+1+1+1+1+1 == 10", "+", "`+`"),
    ] {
        let bad = Condition::parse(text).expect_err(text);
        assert!(bad.problem.contains(problem), "{text}: {bad:?}");
        let found = text
            .get(bad.part.clone())
            .unwrap_or_else(|| panic!("{text}: {bad:?}"));
        assert!(
            found.contains(part) || part.starts_with(found),
            "{text}: {found:?}"
        );
        assert!(!bad.help.is_empty());
    }
}

#[test]
fn hostile_expressions_are_refused_without_harm() {
    // As small as the stacks that events are judged on.
    let run = || {
        for (open, inner, close) in [
            ("(", "true", ")"),
            ("[", "1", "]"),
            ("{1:", "1", "}"),
            ("!", "true", ""),
            ("-", "1", ""),
            ("", "tool_input", ".a"),
            ("", "tool_input", "[0]"),
            ("size(", "1", ")"),
            ("1+", "1", ""),
            ("1<", "1", ""),
            ("true&&", "true", ""),
            ("true?1:", "1", ""),
            ("[1].all(x,", "true", ")"),
        ] {
            for times in [5, 17, 19, 30, 100, 300, 2_000] {
                let text = format!("{}{inner}{}", open.repeat(times), close.repeat(times));
                let read = Condition::parse(&text);
                assert!(times < 300 || read.is_err(), "{text}");
                if let Ok(condition) = read {
                    let input = bash(json!({}));
                    let facts = ConditionInput {
                        input: &input,
                        agent: None,
                        command: None,
                        cwd: "/",
                        project: "/",
                        effects: &[],
                    };
                    let _ = condition.holds(&facts);
                }
            }
        }
        for text in [
            "", "\0", "\u{feff}", "'", "\"\\", "`a`", "a.`b-c`", "1u1", "0x", "'''", "T{a:1}", "//",
        ] {
            let _ = Condition::parse(text);
        }
    };
    std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(run)
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn large_events_are_not_gone_through() {
    let many: Vec<String> = (0..3_000).map(|n| n.to_string()).collect();
    let call = bash(json!({"command": "ls", "list": many}));
    let twice = "tool_input.list.exists(a, tool_input.list.exists(b, a == b + ''))";
    assert!(Condition::parse(twice).is_err());
    let twice = "tool_input.list.exists(a, tool_input.list.exists(b, a != a && b != b))";
    assert!(matches!(evaluate(twice, &call), Err(Unsettled::Failed(_))));
    assert_eq!(
        evaluate("tool_input.list.exists(a, a == '2999')", &call),
        Ok(true)
    );
    let huge = bash(json!({"command": "x".repeat(2_000_000)}));
    assert!(matches!(
        evaluate("command.contains('y')", &huge),
        Err(Unsettled::Failed(_))
    ));
    assert_eq!(evaluate("tool == 'Bash'", &huge), Ok(true));
}

#[test]
fn a_misspelt_name_is_guessed() {
    for (text, help) in [
        ("comand == ''", "did you mean `command`?"),
        ("toolInput.x == 1", "did you mean `tool_input`?"),
        ("command.startswith('x')", "did you mean `startsWith`?"),
        ("has(tool_inputs.x)", "did you mean `tool_input`?"),
        ("whatever == 1", "it knows event, tool"),
    ] {
        let bad = Condition::parse(text).expect_err(text);
        assert!(bad.help.starts_with(help), "{text}: {}", bad.help);
    }
}
