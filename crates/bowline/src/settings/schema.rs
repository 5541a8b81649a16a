//! The JSON schema of Bowline's own files, for editors. It describes the form that the documentation teaches; the
//! reader understands more.
#![expect(
    dead_code,
    clippy::large_enum_variant,
    reason = "these types mirror the file; only their schema is used"
)]

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use bowline_guard::effect::Category;

use crate::event::HookEvent;

/// The JSON schema of `bowline.toml` and its like.
pub fn json_schema() -> Value {
    let mut schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<BowlineFile>()
        .to_value();
    // Editors complete what is listed. Other casings of an event are read too, so they stay valid.
    let events: Map<String, Value> = HookEvent::ALL
        .iter()
        .map(|event| {
            let hooks = json!({ "$ref": "#/definitions/EventHooks" });
            (event.name().to_owned(), hooks)
        })
        .collect();
    if let Some(by_event) = schema.pointer_mut("/definitions/HooksByEvent")
        && let Some(by_event) = by_event.as_object_mut()
    {
        by_event.insert("properties".to_owned(), Value::Object(events));
    }
    let categories: Map<String, Value> = Category::ALL
        .iter()
        .map(|category| {
            let answer = json!({ "$ref": "#/definitions/Answer" });
            (category.name().to_owned(), answer)
        })
        .collect();
    if let Some(Value::Object(by_name)) = schema.pointer_mut("/definitions/Categories") {
        by_name.insert("properties".to_owned(), Value::Object(categories));
        by_name.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
}

/// Settings of Bowline: hooks and how they run.
#[derive(JsonSchema)]
#[schemars(title = "bowline.toml", deny_unknown_fields)]
struct BowlineFile {
    /// The hooks, by event, or a list of named scripts.
    hooks: Option<Hooks>,
    /// Rules of one's own: what is denied, asked about, allowed, explained or rewritten.
    rule: Option<Vec<Rule>>,
    /// For hooks of Bowline's own files that say nothing themselves.
    defaults: Option<Defaults>,
    /// As in `[defaults]`.
    exit_policy: Option<ExitPolicy>,
    /// As in `[defaults]`.
    on_failure: Option<OnFailure>,
    /// As in `[defaults]`.
    dedupe: Option<Dedupe>,
    /// The rules that a file is read by, by its path relative to the project, or to the home with `~/`.
    dialects: Option<BTreeMap<String, Dialect>>,
    /// How strict the guards are, and what they let pass.
    guard: Option<Guard>,
    /// What HTTP hooks may do.
    http: Option<Http>,
    /// The model that prompt hooks ask.
    prompt: Option<Prompt>,
    /// How much is kept of what agents do. Secrets never are.
    record: Option<Record>,
    /// How long it is kept. Counts in the user's and the administrator's file alone.
    store: Option<Store>,
    /// Hooks of other agents.
    bridge: Option<Bridge>,
    /// Keys and sections that only the administrator's file may set. Counts in that file alone.
    locked: Option<Vec<String>>,
    /// Only the administrator's hooks run. Counts in the administrator's file alone.
    allow_managed_hooks_only: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Defaults {
    exit_policy: Option<ExitPolicy>,
    on_failure: Option<OnFailure>,
    dedupe: Option<Dedupe>,
    /// How long a hook may take.
    #[schemars(extend("exclusiveMinimum" = 0))]
    timeout_secs: Option<f64>,
}

/// How exit codes are read: any but 0 blocks, or only 2.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ExitPolicy {
    AnyNonZero,
    OnlyTwo,
}

/// What it comes to where a hook can block.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum OnTimeout {
    Block,
    Ask,
    Allow,
}

/// What a failure comes to where a hook can block; `retry` tries once more.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum OnFailure {
    Block,
    Ask,
    Allow,
    Retry,
}

/// What counts as the same hook: the same event, matcher and action, or the same event and action.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Dedupe {
    Matcher,
    Event,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum Dialect {
    ClaudeCode,
    Generic,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Guard {
    mode: Option<GuardMode>,
    categories: Option<Categories>,
    allow: Option<Allow>,
    sensitive: Option<Sensitive>,
    /// What happens to a file, a commit or a prompt with a secret in it.
    secrets: Option<SecretWriting>,
    /// In a linked git worktree.
    worktree: Option<GuardLayer>,
    /// For one agent, such as `claude-code`.
    agents: Option<BTreeMap<String, GuardLayer>>,
    /// For one type of sub-agent; only tightens.
    subagents: Option<BTreeMap<String, SubagentLayer>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SubagentLayer {
    mode: Option<GuardMode>,
    categories: Option<Categories>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct GuardLayer {
    mode: Option<GuardMode>,
    categories: Option<Categories>,
    allow: Option<Allow>,
}

/// What becomes of a verdict: it counts, it counts the first time in a session, or it is only told.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
enum GuardMode {
    Enforce,
    OneStrike,
    Observe,
}

/// The verdict of everything that a category finds.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Categories(BTreeMap<String, Answer>);

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Answer {
    Deny,
    Ask,
    Allow,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum SecretWriting {
    Off,
    Ask,
    Deny,
}

/// What is let pass.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Allow {
    /// Rules by their id, such as `git.reset-hard` or `git.*`, or whole categories.
    rules: Option<Vec<String>>,
    /// Paths, as in `.gitignore`.
    paths: Option<Vec<String>>,
    /// Program runs, such as `make clean *`.
    commands: Option<Vec<String>>,
}

/// Files that hold secrets, and files that do not, as in `.gitignore`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sensitive {
    /// These hold secrets, too.
    deny: Option<Vec<String>>,
    /// These do not, whatever they are called.
    allow: Option<Vec<String>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Http {
    /// Hosts, other than this machine, that hooks may post to without TLS.
    allow_insecure_hosts: Option<Vec<String>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Record {
    /// What users write.
    prompts: Option<Detail>,
    /// What tools are called with, and what sub-agents are to do.
    inputs: Option<Detail>,
    /// What tools give back, their errors, and the last messages of sub-agents.
    outputs: Option<Detail>,
}

/// All but secrets; of a text how it begins and of a value its fields and how much is in each; or nothing.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Detail {
    Full,
    Summary,
    Off,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Store {
    /// Older things are removed; 30 if nothing is said.
    #[schemars(range(min = 1))]
    keep_days: Option<u32>,
    /// When more is in use, the oldest things are removed; 1024 if nothing is said.
    #[schemars(range(min = 1))]
    max_size_mb: Option<u32>,
    durability: Option<Durability>,
}

/// What a recorded event survives: the sudden end of Bowline, or of the machine, for which every answer waits for the
/// disk.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Durability {
    Process,
    Power,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Bridge {
    /// Run the hooks in Claude Code's files for agents that do not load them themselves, in projects that the user trusts.
    claude_hooks: Option<bool>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Prompt {
    /// Whose way of asking.
    provider: Option<Provider>,
    /// Where to ask, for other servers than the provider's own.
    #[schemars(regex(pattern = r"^https?://"))]
    base_url: Option<String>,
    /// The model.
    model: Option<String>,
    /// The environment variable that holds the key; never the key itself.
    #[schemars(regex(pattern = r"^[A-Za-z_][A-Za-z0-9_]*$"))]
    api_key_env: Option<String>,
    /// The longest answer.
    #[schemars(range(min = 1))]
    max_tokens: Option<u32>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Provider {
    Anthropic,
    Openai,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Hooks {
    ByEvent(HooksByEvent),
    Scripts(Vec<Hook>),
}

/// Hooks by event.
#[derive(JsonSchema)]
struct HooksByEvent(BTreeMap<String, EventHooks>);

/// A list of groups, hooks and commands, or hooks by name.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum EventHooks {
    List(Vec<Entry>),
    ByName(BTreeMap<String, CommandOrHook>),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Entry {
    Command(String),
    Group(Group),
    Hook(Hook),
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum CommandOrHook {
    Command(String),
    Hook(Hook),
}

/// Hooks that share a matcher.
#[derive(JsonSchema)]
struct Group {
    matcher: Option<Matcher>,
    /// The hooks.
    hooks: Vec<CommandOrHook>,
    /// Whether they run together.
    parallel: Option<bool>,
}

/// Which occurrences of the event: a pattern, or an object of patterns.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Matcher {
    Pattern(String),
    Keys(BTreeMap<String, String>),
}

/// One hook.
#[derive(JsonSchema)]
struct Hook {
    /// `command`, `prompt`, `http`, `agent` or `mcp_tool`; in a list of scripts, the event.
    #[schemars(rename = "type")]
    kind: Option<String>,
    /// The event, in a list of scripts.
    event: Option<String>,
    /// Its name.
    name: Option<String>,
    /// What it is for.
    description: Option<String>,
    /// Shell text, or the program when there are `args`.
    command: Option<String>,
    /// Arguments; present, even empty, means no shell.
    args: Option<Vec<String>>,
    /// As `command`.
    script: Option<String>,
    /// The question to a model, or what an agent is to find out.
    prompt: Option<String>,
    /// The model; else the configured one.
    model: Option<String>,
    /// Where to post the event to.
    url: Option<String>,
    /// Headers; `$NAME` stands for an allowed variable.
    headers: Option<BTreeMap<String, String>>,
    /// The variables that headers may use.
    allowed_env_vars: Option<Vec<String>>,
    /// The MCP server whose tool is called; a plugin's is `plugin:PLUGIN:SERVER`.
    server: Option<String>,
    /// The MCP server's tool.
    tool: Option<String>,
    /// What the tool gets; `${tool_input.command}` and the like stand for fields of the event.
    input: Option<serde_json::Map<String, serde_json::Value>>,
    matcher: Option<Matcher>,
    /// A further condition, such as `Bash(git *)`.
    #[schemars(rename = "if")]
    condition: Option<String>,
    /// How long it may take, in seconds.
    timeout_secs: Option<f64>,
    /// How long it may take, in milliseconds.
    timeout_ms: Option<f64>,
    /// How long it may take: seconds below 1000, else milliseconds.
    timeout: Option<f64>,
    exit_policy: Option<ExitPolicy>,
    on_failure: Option<OnFailure>,
    /// What it comes to when the hook takes too long, if that is something else.
    on_timeout: Option<OnTimeout>,
    dedupe: Option<Dedupe>,
    /// Higher runs first.
    priority: Option<i32>,
    /// Started and not waited for.
    #[schemars(rename = "async")]
    background: Option<bool>,
    /// Runs beside the others and does not decide.
    observer: Option<bool>,
    /// Until it has run successfully once in a session.
    once: Option<bool>,
    /// Runs together with its neighbours.
    parallel: Option<bool>,
    /// Variables on top of the inherited ones.
    env: Option<BTreeMap<String, String>>,
}

/// A rule. All conditions that are given must hold; of a list, any one.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rule {
    /// Its name, unique: small letters, digits, `-` and `.`.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9.-]*$"), length(max = 80))]
    id: String,
    /// The event; else PreToolUse.
    event: Option<TextOrTexts>,
    /// The tool, as in a matcher of hooks: `Bash`, `Edit|Write`.
    tool: Option<TextOrTexts>,
    /// A program run, however it is wrapped: `pip install *`.
    command: Option<TextOrTexts>,
    /// What a command would do: a category such as `delete`, or a rule of the guard such as `git.*`.
    effect: Option<TextOrTexts>,
    /// A file that the tool or the command touches: `migrations/**`.
    path: Option<TextOrTexts>,
    /// A further condition in CEL: `has(tool_input.timeout) && tool_input.timeout > 600000`.
    when: Option<String>,
    /// What the rule says when it applies.
    verdict: Verdict,
    /// With the verdict rewrite: what takes the place of the words that `command` begins with.
    rewrite: Option<String>,
    /// Why, for the model and the person.
    message: Option<String>,
    /// A safer way.
    suggestion: Option<String>,
    /// What the rule must apply to, and what not. Checked whenever the file is loaded.
    examples: Option<Examples>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Verdict {
    Deny,
    Ask,
    Allow,
    Context,
    Rewrite,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum TextOrTexts {
    Text(String),
    Texts(Vec<String>),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Examples {
    /// The rule must apply to these.
    #[schemars(rename = "match")]
    applies: Option<Vec<Example>>,
    /// The rule must not apply to these.
    not_match: Option<Vec<Example>>,
}

/// A command, a file or a prompt, whichever the rule is about; or a call.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Example {
    Text(String),
    Call(ExampleCall),
    Prompt(ExamplePrompt),
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ExampleCall {
    tool: String,
    input: Option<Map<String, Value>>,
}

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ExamplePrompt {
    prompt: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::keys::KEYS;

    #[test]
    fn every_key_that_is_read_is_in_the_schema() {
        let schema = json_schema();
        for (key, _) in KEYS {
            let path = match key.split_once('.') {
                Some((section, key)) => {
                    let definition = section[..1].to_uppercase() + &section[1..];
                    format!("/definitions/{definition}/properties/{key}")
                }
                None => format!("/properties/{key}"),
            };
            assert!(schema.pointer(&path).is_some(), "{path}");
        }
    }

    #[test]
    fn every_key_of_a_rule_is_in_the_schema() {
        let schema = json_schema();
        let properties = schema["definitions"]["Rule"]["properties"]
            .as_object()
            .unwrap();
        let named: Vec<_> = properties.keys().map(String::as_str).collect();
        assert_eq!(named, crate::settings::rule_fields::RULE_KEYS);
    }

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
}
