//! `docs/agents.md` is made from the code: `BOWLINE_UPDATE=1 cargo test -p bowline-agents --test page` writes it anew.

use std::fs;
use std::path::Path;

use bowline_agents::ability::{Heard, Said, heard};
use bowline_agents::{
    Agent, ClaudeHooks, HookEvent, OwnTool, Protocol, Registration, claude_code, supported,
};

const HEAD: &str = "\
# Agents

What each agent can be told, and what becomes of it. This page is made from the code, from what Bowline writes and from how each agent reads
it: `BOWLINE_UPDATE=1 cargo test -p bowline-agents --test page` writes it anew. `bowline doctor` says the same of the agents on your machine.

Bowline speaks to every agent in its own words, and knows one set of words inside: those of Claude Code. A rule for `Bash` is for the shell of
every agent, and `file_path` is the file that a tool is given, whatever an agent calls these. What the agent itself said stays in the trace.

An agent that cannot be told something is never told something milder:

- A question that an agent cannot ask is denied, with the reason and with what a person can do. Where `[approvals]` lets questions wait, it
  waits in the inbox first.
- A changed input that an agent cannot run is denied, with the input that it should be called with.
- Where a hook cannot end the turn (`continue: false`), the call or the prompt is denied, and the model is told to stop.
- What only informs the model or the person is left out where it does not arrive.
";

/// What the limits of an agent say that was written from what it documents or ships.
const UNTRIED: &str = "not tried with the real program";

/// What the columns say, and how it is found out.
const COLUMNS: &[(&str, HookEvent, Said)] = &[
    ("deny a tool call", HookEvent::PreToolUse, Said::Deny),
    ("ask a person first", HookEvent::PreToolUse, Said::Ask),
    (
        "skip its permission prompt",
        HookEvent::PreToolUse,
        Said::Grant,
    ),
    ("change its input", HookEvent::PreToolUse, Said::Rewrite),
    (
        "answer its permission prompt",
        HookEvent::PermissionRequest,
        Said::Grant,
    ),
    ("deny a prompt", HookEvent::UserPromptSubmit, Said::Deny),
    (
        "make it go on when it would stop",
        HookEvent::Stop,
        Said::Deny,
    ),
];

const CONTEXTS: &[(&str, HookEvent, Said)] = &[
    (
        "when a session starts",
        HookEvent::SessionStart,
        Said::Context,
    ),
    ("with a prompt", HookEvent::UserPromptSubmit, Said::Context),
    ("before a tool", HookEvent::PreToolUse, Said::Context),
    ("after a tool", HookEvent::PostToolUse, Said::Context),
];

type Cell<'a> = Box<dyn Fn(&'static Agent) -> String + 'a>;

/// A table with one row for each agent.
fn table(columns: &[(&str, Cell<'_>)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let rows = supported().map(|(agent, _)| {
        let cells: Vec<String> = columns.iter().map(|(_, cell)| cell(agent)).collect();
        format!("| {} | {} |\n", agent.title, cells.join(" | "))
    });
    let rules = "---|".repeat(columns.len());
    let head = format!("\n| agent | {} |\n|---|{rules}\n", names.join(" | "));
    head + &rows.collect::<String>()
}

fn heard_table(columns: &'static [(&'static str, HookEvent, Said)]) -> String {
    let cells = columns.iter().map(|(name, event, said)| {
        let cell = |agent: &Agent| match heard(agent, *event, *said) {
            Heard::NoEvent => "–".to_owned(),
            _ if !has_entry_for(agent, *event) => "no entry".to_owned(),
            heard => heard.word().to_owned(),
        };
        (*name, Box::new(cell) as Cell<'_>)
    });
    table(&cells.collect::<Vec<_>>())
}

fn of_registration<'a>(cell: impl Fn(&Registration) -> String + 'a) -> Cell<'a> {
    Box::new(move |agent| {
        let registration = agent.protocol().and_then(|it| it.registration);
        registration.map_or_else(|| "–".to_owned(), &cell)
    })
}

/// Whether `bowline init` makes an entry for an event, by one of its names. An agent that it makes none for reports by itself.
fn has_entry_for(agent: &Agent, event: HookEvent) -> bool {
    let mut names = agent.events.iter().filter(|(_, it)| *it == event);
    names.any(|(name, _)| has_entry(agent, event, name))
}

fn has_entry(agent: &Agent, event: HookEvent, name: &str) -> bool {
    let registration = agent.protocol().and_then(|it| it.registration);
    registration.is_none_or(|it| it.registers((name, event), it.client.oldest))
}

/// The oldest version that is known, and whether it was tried.
fn version(agent: &Agent) -> Option<String> {
    let protocol = agent.protocol()?;
    let oldest = protocol.registration?.client.oldest;
    let is_untried = protocol.limits.iter().any(|it| it.contains(UNTRIED));
    Some(if is_untried {
        format!("{oldest} ({UNTRIED})")
    } else {
        oldest.to_string()
    })
}

fn settings(registration: &Registration) -> String {
    let (folder, files) = (&registration.folder, &registration.files);
    let user = format!("`~/{}/{}`", folder.in_home, files.user);
    match files.project {
        Some(project) => format!("{user}, `{project}`"),
        None => user,
    }
}

/// What the agent calls an event; nothing where it has none.
fn own_names(agent: &Agent, event: HookEvent) -> String {
    let names = agent.events.iter().filter(|(_, it)| *it == event);
    let names: Vec<&str> = names.map(|(name, _)| *name).collect();
    let shown = |name: &str| match names.as_slice() {
        [only] if *only == event.name() => "✔".to_owned(),
        _ => format!("`{name}`"),
    };
    let cells = names.iter().map(|name| {
        if has_entry(agent, event, name) {
            shown(name)
        } else {
            format!("({})", shown(name))
        }
    });
    cells.collect::<Vec<_>>().join(", ")
}

/// Events that others than Claude Code have: `bowline events` has all.
fn events() -> String {
    let has_own_words = |agent: &&Agent| !["claude-code", "generic"].contains(&agent.name);
    let agents: Vec<&Agent> = supported()
        .map(|(agent, _)| agent)
        .filter(has_own_words)
        .collect();
    let titles: Vec<&str> = agents.iter().map(|it| it.title).collect();
    let rules = "---|".repeat(agents.len());
    let head = format!("\n| event | {} |\n|---|{rules}\n", titles.join(" | "));
    let rows = HookEvent::ALL.iter().filter_map(|event| {
        let cells: Vec<String> = agents.iter().map(|it| own_names(it, *event)).collect();
        let is_known = cells.iter().any(|cell| !cell.is_empty());
        is_known.then(|| format!("| {} | {} |\n", event.name(), cells.join(" | ")))
    });
    head + &rows.collect::<String>()
}

fn tools(protocol: &Protocol) -> String {
    // A name that differs only in its case is no other name.
    let is_other =
        |tool: &&OwnTool| !tool.fields.is_empty() || !tool.name.eq_ignore_ascii_case(tool.is);
    let named = protocol.tools.iter().filter(is_other).map(|tool| {
        let fields = tool.fields.iter();
        let fields: Vec<String> = fields
            .map(|(own, is)| format!("`{own}` is `{is}`"))
            .collect();
        let fields = match fields.as_slice() {
            [] => String::new(),
            fields => format!(" ({})", fields.join(", ")),
        };
        if tool.name == tool.is {
            format!("`{}`{fields}", tool.name)
        } else {
            format!("`{}` is `{}`{fields}", tool.name, tool.is)
        }
    });
    let named: Vec<String> = named.collect();
    match named.as_slice() {
        [] => String::new(),
        named => format!("\nIts tools: {}.\n", named.join("; ")),
    }
}

/// Who runs the hooks of Claude Code's files.
fn claude_hooks() -> String {
    let run_by = |wanted: ClaudeHooks| {
        let agents = supported().filter(|(_, it)| it.claude_hooks == wanted);
        let titles: Vec<&str> = agents.map(|(agent, _)| agent.title).collect();
        titles.join(", ")
    };
    format!(
        "
## Hooks for Claude Code under other agents

With `[bridge] claude_hooks = true` in your own settings, the hooks of `.claude/settings.json`, of plugins, of skills and of sub-agents run under
agents that do not load them: {}. They get what Claude Code would have sent, with its names of tools and fields, and their answers reach the agent
in its own words. A patch of several files is several calls for them, each of one file. A project's hooks run once you have seen them: `bowline trust`.

A skill's hooks run from its first use that the agent reports as a call of a tool.

These load Claude Code's hooks themselves, so that Bowline does not run them: {}.
",
        run_by(ClaudeHooks::Bridge),
        run_by(ClaudeHooks::Agent)
    )
}

/// Claude Code has no words that would have to be told.
fn of_claude_code() -> String {
    let registration = &claude_code::REGISTRATION;
    let replacing: Vec<&str> = registration.replacing.iter().map(|it| it.name()).collect();
    format!(
        "
## Claude Code

- Its words for events, tools and fields are Bowline's own. `bowline events` lists its events, of which the table above shows those that others have, too.
- `bowline init` makes no entry for events on which a hook takes the place of what Claude Code does: `{}`.
- It waits {} seconds for a hook where a question may wait or tests may run, and {} elsewhere, as the entries say.
",
        replacing.join("`, `"),
        registration.long_timeout,
        registration.timeout,
    )
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "\n## Which there are\n";
    page += &table(&[
        ("name", Box::new(|agent| format!("`{}`", agent.name))),
        ("settings", of_registration(settings)),
        (
            "from version",
            Box::new(|agent| version(agent).unwrap_or_else(|| "–".to_owned())),
        ),
    ]);
    page += "\n`bowline init` starts each agent that is here with `--version` to learn which it is, also with `--dry-run`; Copilot unpacks itself (235 MB) when it is started \
             for the first time. `--client-version` says it instead.\n";
    page += "\n## What hooks can do\n\n*denied instead*: the call does not run, and the model is told why. *–*: the agent does not report the event. *no entry*: it could, \
         and `bowline init` makes no entry for the event.\n";
    page += &heard_table(COLUMNS);
    page += "\n## Where text reaches the model\n";
    page += &heard_table(CONTEXTS);
    page += &claude_hooks();
    page += "\n## Events\n\nOn the left are Claude Code's names, which are Bowline's. *✔*: the agent calls it so, too. In parentheses: `bowline init` makes no entry for it.\n";
    page += &events();
    page += &of_claude_code();
    let sections = supported().filter_map(|(agent, protocol)| {
        let limits = protocol.limits.iter().map(|limit| format!("- {limit}\n"));
        let (limits, tools) = (limits.collect::<String>(), tools(protocol));
        let has_any = !limits.is_empty() || !tools.is_empty();
        let (first, rest) = agent.title.split_at(1);
        let title = first.to_ascii_uppercase() + rest;
        has_any.then(|| format!("\n## {title}\n\n{limits}{tools}"))
    });
    page += &sections.collect::<String>();
    page.replace("\n\n\n", "\n\n")
}

#[test]
fn the_checked_in_page_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    let generated = page();
    if std::env::var_os("BOWLINE_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&file, &generated).expect("the page can be written");
    }
    let checked_in = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        checked_in == generated,
        "docs/agents.md is out of date: run this test with BOWLINE_UPDATE=1"
    );
}

#[test]
fn the_page_about_costs_names_where_transcripts_are() {
    let page = include_str!("../../../docs/cost.md");
    for (agent, protocol) in supported() {
        let Some(registration) = protocol
            .registration
            .filter(|it| !it.transcripts.is_empty())
        else {
            continue;
        };
        let folders = registration.transcript_folders(|_| None, Some(Path::new("~")));
        let folders: Vec<String> = folders.map(|it| format!("`{}`", it.display())).collect();
        let variable = registration.folder.variable;
        let variable = variable.map_or_else(String::new, |it| format!("`{it}` "));
        let row = format!("| {} | {} | {variable}|\n", agent.title, folders.join(", "));
        assert!(page.contains(&row), "docs/cost.md lacks this row: {row}");
    }
}
