//! Nothing that a hook prints may break us.

use super::*;

fn any_answer() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "allow",
        "approve",
        "block",
        "deny",
        "ask",
        "defer",
        "grant",
        "fail",
        "warn",
        "accept",
        "PreToolUse",
        "Stop",
        "PermissionRequest",
    ])
    .prop_map(Value::from);
    let leaf = prop_oneof![
        word,
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "continue",
        "continue_execution",
        "decision",
        "action",
        "reason",
        "message",
        "error",
        "hookSpecificOutput",
        "hookEventName",
        "permissionDecision",
        "updatedInput",
        "behavior",
        "modifiedInput",
        "systemMessage",
        "additionalContext",
        "watchPaths",
        "async",
        "x",
    ]);
    let value = leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
            )),
        ]
    });
    prop_oneof![
        4 => value.prop_map(|value| value.to_string()),
        1 => "[\\{\\}\\[\\]\",:a \n\u{1b}é]{0,24}",
        1 => ".{0,24}",
    ]
}

proptest! {
    #[test]
    fn any_answer_is_read_and_answered(
        stdout in any_answer(),
        stderr in ".{0,16}",
        code in prop::sample::select(vec![0, 1, 2, 126, 127, 255, -1]),
        event in prop::sample::select(HookEvent::ALL),
        cut in any::<bool>(),
    ) {
        let raw = RawOutput { stdout_cut: cut, ..raw(code, stdout, &stderr) };
        for dialect in [Dialect::ClaudeCode, Dialect::Generic] {
            for policy in [ExitPolicy::AnyNonZero, ExitPolicy::OnlyTwo] {
                let _ = dialect.read_body(HOOK, event, &raw.stdout, Completeness::Whole);
                let Ok(output) = dialect.read_output(HOOK, event, &raw, policy) else {
                    continue;
                };
                if code == 2 && event == HookEvent::PreToolUse && !raw.stdout.contains("async") {
                    prop_assert_eq!(output.decision(), Decision::Deny);
                }
                for (to, protocol) in [(Dialect::ClaudeCode, CLAUDE_CODE), (Dialect::Generic, GENERIC)] {
                    let reply = protocol.encode(&Reported::of(event), &output);
                    let back = to.read_output(
                        HOOK,
                        event,
                        &RawOutput {
                            exit: Exit::Code(reply.exit.into()),
                            stdout: reply.stdout,
                            stderr: reply.stderr,
                            ..RawOutput::default()
                        },
                        ExitPolicy::OnlyTwo,
                    );
                    prop_assert!(back.is_ok(), "{} {:?}", to, output);
                }
            }
        }
    }
}
