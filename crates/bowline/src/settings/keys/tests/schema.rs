use crate::settings::keys::json_schema;

#[test]
fn files_are_valid_or_not() {
    let schema = json_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for (text, valid) in [
        ("", true),
        (
            "hooks.PreToolUse = ['x', { command = 'y', timeout_secs = 2 }]",
            true,
        ),
        (
            "[[hooks.PreToolUse]]\nmatcher = 'Bash'\nhooks = [{ type = 'command', command = 'x' }]",
            true,
        ),
        (
            "[hooks.pre_tool_use.guard]\ncommand = 'x'\non_failure = 'block'",
            true,
        ),
        ("[[hooks]]\nname = 'n'\ntype = 'Stop'\nscript = 'x'", true),
        ("[defaults]\non_failure = 'block'\ntimeout_secs = 1.5", true),
        ("[dialects]\n'.claude/settings.json' = 'generic'", true),
        ("[prompt]\nprovider = 'openai'\napi_key_env = 'KEY'", true),
        (
            "[guard]\nmode = 'one-strike'\ncategories.fetched-code = 'ask'",
            true,
        ),
        ("[guard.allow]\ncommands = ['make clean *']", true),
        ("[guard.agents.codex]\nmode = 'observe'", true),
        ("[guard]\ncategories.deletes = 'ask'", false),
        ("[guard]\nmode = 'lax'", false),
        ("[prompt]\napi_key_env = 'sk-live'", false),
        ("[defaults]\ntimeout_secs = 0", false),
        ("[defaults]\non_failure = 'maybe'", false),
        ("[prompts]\nmodel = 'm'", false),
        (
            "[record]\nprompts = 'off'\ninputs = 'summary'\noutputs = 'full'",
            true,
        ),
        ("[record]\nprompts = 'some'", false),
        (
            "[store]\nkeep_days = 7\nmax_size_mb = 64\ndurability = 'power'",
            true,
        ),
        ("[store]\nkeep_days = 0", false),
        ("[bridge]\nclaude_hooks = true", true),
        (
            "[[rule]]\nid = 'a-1'\nverdict = 'deny'\ncommand = ['x *', 'y']\n\
             examples.match = ['x 1', { tool = 'Write', input = { file_path = 'x' } }, { prompt = 'p' }]",
            true,
        ),
        ("[[rule]]\nid = 'a'", false),
        ("[[rule]]\nid = 'A'\nverdict = 'deny'", false),
        ("[[rule]]\nid = 'a'\nverdict = 'maybe'", false),
        ("[[rule]]\nid = 'a'\nverdict = 'deny'\ncomand = 'x'", false),
        ("hooks = 'x'", false),
        ("hooks.PreToolUse = 3", false),
    ] {
        let file: toml::Value = toml::from_str(text).unwrap();
        let file = serde_json::to_value(file).unwrap();
        assert_eq!(validator.is_valid(&file), valid, "{text}");
    }
}
