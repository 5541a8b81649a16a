//! The tools of MCP servers: what their names and arguments say that they do, told as a command or as a tool of the agent's own.

use super::ToolFields;

/// So many items of a list are looked at.
const MAX_ITEMS: usize = 8;

/// What of the input of a server's tool a guard looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerFields<'input> {
    /// A command for a shell.
    line: Option<&'input str>,
    /// A text that is a command only if the tool is one for shells.
    script: Option<&'input str>,
    arguments: [Option<&'input str>; MAX_ITEMS],
    folder: Option<&'input str>,
    sql: Option<&'input str>,
    paths: [Option<&'input str>; MAX_ITEMS],
    /// Names a place that is not on this machine.
    elsewhere: Option<&'input str>,
    mode: Option<&'input str>,
    named: Option<&'input str>,
    force: Option<&'input str>,
}

impl<'input> ServerFields<'input> {
    pub(super) fn from_fields(field: &impl Fn(&str) -> Option<&'input str>) -> Self {
        let any = |names: &[&str]| names.iter().copied().find_map(field);
        let items = |name: &str| std::array::from_fn(|at| field(&format!("{name}/{at}")));
        Self {
            line: any(&[
                "command",
                "cmd",
                "shell_command",
                "commandLine",
                "command_line",
            ]),
            script: any(&["script", "input"]),
            arguments: items("args"),
            folder: any(&[
                "cwd",
                "workdir",
                "working_directory",
                "workingDirectory",
                "repo_path",
                "repoPath",
            ]),
            sql: any(&["sql", "query", "statement", "sql_query"]),
            paths: items("paths"),
            elsewhere: any(&[
                "repo",
                "owner",
                "repository",
                "bucket",
                "host",
                "url",
                "project_id",
            ]),
            mode: any(&["mode", "operation", "action", "subcommand"]),
            named: any(&[
                "branch",
                "branchName",
                "branch_name",
                "branchOrPath",
                "target",
                "commit",
                "stashRef",
            ]),
            force: any(&["force", "hard"]),
        }
    }

    /// Whether what is written comes behind what is there.
    pub(super) fn adds(&self) -> bool {
        self.mode
            .is_some_and(|it| it.eq_ignore_ascii_case("append"))
    }
}

/// What a call of a server's tool comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed<'input> {
    /// What this command does.
    Line(String),
    /// What this command does, if it is one: nobody knows the tool.
    PerhapsLine(String),
    /// Reads files.
    Read(Vec<&'input str>),
    /// Does away with something that others have, too.
    Destroys,
}

/// What a tool's name is made of, in small letters.
struct Name {
    server: Vec<String>,
    tool: Vec<String>,
}

impl Name {
    fn of(tool: &str) -> Option<Self> {
        let (server, tool) = tool.strip_prefix("mcp__")?.rsplit_once("__")?;
        Some(Self {
            server: words(server),
            tool: words(tool),
        })
    }

    fn tool_says(&self, any: &[&str]) -> bool {
        self.tool.iter().any(|it| any.contains(&it.as_str()))
    }

    fn server_says(&self, any: &[&str]) -> bool {
        self.server.iter().any(|it| any.contains(&it.as_str()))
    }

    fn says(&self, any: &[&str]) -> bool {
        self.tool_says(any) || self.server_says(any)
    }
}

/// `executeCommand`, `execute_command` and `execute-command` are the same words.
fn words(name: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && before.is_ascii_lowercase();
        if begins || !c.is_ascii_alphanumeric() {
            found.push(String::new());
        }
        if let Some(word) = found.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        before = c;
    }
    found.retain(|it| !it.is_empty());
    found
}

/// Tools that only look things up, whatever their arguments are called.
const LOOKS: &[&str] = &[
    "search",
    "find",
    "list",
    "get",
    "read",
    "describe",
    "explain",
    "help",
    "docs",
    "doc",
    "lookup",
    "show",
    "resolve",
    "view",
    "suggest",
    "browse",
    "documentation",
    "check",
    "validate",
    "lint",
    "format",
    "parse",
    "wiki",
    "man",
    "complete",
];

const SHELLS: &[&str] = &[
    "shell",
    "bash",
    "zsh",
    "sh",
    "terminal",
    "process",
    "exec",
    "ssh",
    "console",
    "cli",
    "iterm",
    "tmux",
    "commander",
    "command",
    "commands",
    "cmd",
    "subprocess",
];

const RUNS: &[&str] = &["execute", "run", "exec", "spawn", "start"];

const DATABASES: &[&str] = &[
    "postgres",
    "postgresql",
    "pg",
    "supabase",
    "mysql",
    "mariadb",
    "sqlite",
    "sqlite3",
    "neon",
    "mssql",
    "sqlserver",
    "clickhouse",
    "snowflake",
    "bigquery",
    "duckdb",
    "database",
    "databases",
    "db",
    "cockroachdb",
    "planetscale",
    "turso",
    "redshift",
    "dbhub",
    "timescale",
    "oracle",
    "sql",
];

/// Whether a guard has something to say to calls of this tool.
pub(super) fn is_known(tool: &str) -> bool {
    Name::of(tool).is_some()
}

/// What a call comes to, if that can be told by the names.
pub(super) fn deed<'input>(
    tool: &str,
    fields: &ServerFields<'input>,
    files: &ToolFields<'input>,
) -> Option<Deed<'input>> {
    let name = Name::of(tool)?;
    reading(&name, fields, files)
        .or_else(|| command(&name, fields))
        .or_else(|| statement(&name, fields))
        .or_else(|| git(&name, fields))
        .or_else(|| destroys(&name).then_some(Deed::Destroys))
}

/// `read_file`, `read_multiple_files`: what the agent's own tool for reading does.
fn reading<'input>(
    name: &Name,
    fields: &ServerFields<'input>,
    files: &ToolFields<'input>,
) -> Option<Deed<'input>> {
    let reads = name.tool_says(&["read", "view", "cat", "head", "tail", "open"])
        || name.tool_says(&["get"]) && name.tool_says(&["contents", "content"]);
    let is_file = name.tool_says(&["file", "files"]);
    if !reads || !is_file || fields.elsewhere.is_some() {
        return None;
    }
    let paths: Vec<_> = files
        .paths()
        .chain(fields.paths.into_iter().flatten())
        .collect();
    (!paths.is_empty()).then_some(Deed::Read(paths))
}

fn command<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    let is_shell = name.says(SHELLS) && !name.tool_says(LOOKS) && !name.server_says(LOOKS);
    let runs = name.tool_says(RUNS) && !name.server_says(LOOKS);
    let script = fields
        .script
        .filter(|_| is_shell && name.says(&["shell", "bash", "terminal", "ssh"]));
    let line = fields.line.or(script)?;
    let mut line = line.to_owned();
    for argument in fields.arguments.into_iter().flatten() {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    if let Some(folder) = fields.folder {
        line = format!("cd -- {} && {line}", quoted(folder));
    }
    // What happens on another machine costs nothing here.
    if name.says(&["ssh"]) {
        line = format!(
            "ssh {} {}",
            quoted(fields.elsewhere.unwrap_or("host")),
            quoted(&line)
        );
    } else if name.says(&["docker", "container", "kubectl", "pod"]) {
        line = format!("docker exec container sh -c {}", quoted(&line));
    }
    if is_shell || runs {
        return Some(Deed::Line(line));
    }
    (!name.tool_says(LOOKS) && !name.server_says(LOOKS)).then_some(Deed::PerhapsLine(line))
}

/// A statement for a database.
fn statement<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    let is_database = name.server_says(DATABASES) || name.tool_says(&["sql"]);
    if !is_database || name.tool_says(LOOKS) || name.server_says(LOOKS) {
        return None;
    }
    let sql = fields.sql?;
    Some(Deed::Line(format!("psql -c {}", quoted(sql))))
}

/// `git_reset`, `git_clean` and the like of a server for git.
fn git<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    let verb = match name.tool.as_slice() {
        [git, verb] if git == "git" => verb.as_str(),
        [verb] if name.server_says(&["git"]) => verb.as_str(),
        _ => return None,
    };
    let mode = fields.mode.unwrap_or_default();
    let force = fields.force == Some("true");
    let named = fields.named.map(quoted).unwrap_or_default();
    let options = match (verb, mode) {
        ("reset", "hard" | "merge" | "keep") => format!("reset --{mode} {named}"),
        ("reset", _) if force => format!("reset --hard {named}"),
        ("clean", _) => "clean -fd".to_owned(),
        ("checkout" | "switch", _) if force => format!("checkout -f {named}"),
        ("checkout", _) => format!("checkout {named}"),
        ("branch", "delete") if force => format!("branch -D {named}"),
        ("branch", "delete") => format!("branch -d {named}"),
        ("stash", "drop" | "clear") => format!("stash {mode} {named}"),
        ("push", _) if force => "push --force".to_owned(),
        ("worktree", "remove") if force => "worktree remove --force \"$worktree\"".to_owned(),
        _ => return None,
    };
    let folder = fields.folder.map(|it| format!("-C {} ", quoted(it)));
    Some(Deed::Line(format!(
        "git {}{options}",
        folder.unwrap_or_default()
    )))
}

/// `delete_repository`, `drop_database`, `flushall`.
fn destroys(name: &Name) -> bool {
    const VERBS: &[&str] = &[
        "delete",
        "drop",
        "destroy",
        "purge",
        "wipe",
        "terminate",
        "truncate",
        "remove",
    ];
    const THINGS: &[&str] = &[
        "repository",
        "repo",
        "database",
        "namespace",
        "project",
        "cluster",
        "bucket",
        "table",
        "collection",
        "instance",
        "stack",
        "volume",
        "organization",
        "org",
        "server",
        "vm",
        "schema",
        "workspace",
        "keyspace",
        "deployment",
        "topic",
        "queue",
        "vault",
    ];
    let Some((first, rest)) = name.tool.split_first() else {
        return false;
    };
    matches!(first.as_str(), "flushall" | "flushdb")
        || VERBS.contains(&first.as_str())
            && rest.last().is_some_and(|it| THINGS.contains(&it.as_str()))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
