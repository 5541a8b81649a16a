//! The tools of MCP servers, and those of agents that nobody knows: what their names and arguments say that they do, told as a command or as
//! a tool of the agent's own.

use bowline_agents::{McpTool, Tool};

use super::ToolFields;

/// At most this many items of a list are looked at, and this many words of a command that is one.
const MAX_ITEMS: usize = 8;
const MAX_WORDS: usize = 16;

/// A longer text is no path.
const LONGEST_PATH: usize = 4096;

/// The names of a list's items.
macro_rules! items {
    ($list:literal: $($at:literal)*) => { [$( concat!($list, "/", $at) ),*] };
}

const ARGS: [&str; MAX_ITEMS] = items!("args": 0 1 2 3 4 5 6 7);
const PATHS: [&str; MAX_ITEMS] = items!("paths": 0 1 2 3 4 5 6 7);
const COMMANDS: [&str; MAX_ITEMS] = items!("commands": 0 1 2 3 4 5 6 7);
const FILES: [[&str; MAX_ITEMS]; 4] = [
    items!("files": 0 1 2 3 4 5 6 7),
    items!("files": "0/path" "1/path" "2/path" "3/path" "4/path" "5/path" "6/path" "7/path"),
    items!("files": "0/file_path" "1/file_path" "2/file_path" "3/file_path" "4/file_path" "5/file_path" "6/file_path" "7/file_path"),
    items!("files": "0/filePath" "1/filePath" "2/filePath" "3/filePath" "4/filePath" "5/filePath" "6/filePath" "7/filePath"),
];
const WORDS: [[&str; MAX_WORDS]; 2] = [
    items!("command": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
    items!("argv": 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15),
];

/// What of the input of a server's tool a guard looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerFields<'input> {
    /// A command for a shell.
    line: Option<&'input str>,
    /// The same as a list of words.
    words: [Option<&'input str>; MAX_WORDS],
    /// A text that is a command only if the tool is one for shells.
    script: Option<&'input str>,
    arguments: [Option<&'input str>; MAX_ITEMS],
    /// Several commands.
    lines: [Option<&'input str>; MAX_ITEMS],
    folder: Option<&'input str>,
    sql: Option<&'input str>,
    paths: [Option<&'input str>; MAX_ITEMS],
    /// The same as a list of objects or texts.
    files: [Option<&'input str>; MAX_ITEMS],
    /// A file, by the names that only servers have for it.
    path: Option<&'input str>,
    /// Names a place that is not on this machine.
    elsewhere: Option<&'input str>,
    mode: Option<&'input str>,
    named: Option<&'input str>,
    force: Option<&'input str>,
}

impl<'input> ServerFields<'input> {
    pub(super) fn from_fields(field: &impl Fn(&str) -> Option<&'input str>) -> Self {
        let any = |names: &[&str]| names.iter().copied().find_map(field);
        // A list that is there has a first item.
        let is_there = |names: &[&str]| names.first().is_some_and(|it| field(it).is_some());
        let words = WORDS.into_iter().find(|names| is_there(names));
        Self {
            words: words.map_or([None; MAX_WORDS], |names| names.map(field)),
            line: any(&[
                "command",
                "cmd",
                "shell_command",
                "commandLine",
                "command_line",
                "commands",
                "input/command",
                "arguments/command",
                "params/command",
                "parameters/command",
            ]),
            lines: COMMANDS.map(field),
            script: any(&["script", "input"]),
            arguments: ARGS.map(field),
            folder: any(&[
                "cwd",
                "workdir",
                "working_directory",
                "workingDirectory",
                "directory",
                "repo_path",
                "repoPath",
            ]),
            sql: any(&["sql", "query", "statement", "sql_query"]),
            paths: PATHS.map(field),
            files: FILES
                .into_iter()
                .find(|names| is_there(names))
                .map_or([None; MAX_ITEMS], |names| names.map(field)),
            path: any(PATH_NAMES),
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

/// What servers call the file that a tool is about, beside the names that agents have for it.
const PATH_NAMES: &[&str] = &[
    "filePath",
    "filepath",
    "relative_path",
    "relativePath",
    "absolute_path",
    "pathInProject",
    "target_file",
    "filename",
    "file",
    "input/path",
    "input/file_path",
    "input/filePath",
    "arguments/path",
    "params/path",
    "parameters/path",
];

/// What a call of a server's tool comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed<'input> {
    /// What this command does.
    Line(String),
    /// What this command does, if it is one: nobody knows the tool.
    PerhapsLine(String),
    /// Reads files.
    Read(Vec<&'input str>),
    /// Looks at names or texts in a folder, as this tool of the agent's own does.
    Look(&'static str, ToolFields<'input>),
    /// Does to these files what this tool of the agent's own does, if they are files at all: nobody knows the tool.
    PerhapsFiles(&'static str, Vec<&'input str>),
    /// Does away with something that others have, too.
    Destroys,
}

/// What a tool's name is made of, in small letters.
struct Name {
    server: Vec<String>,
    tool: Vec<String>,
}

impl Name {
    /// Of a tool of a server, or of one that an agent has made up since: a shell under a new name is one.
    fn of(tool: &str) -> Option<Self> {
        let (server, tool) = match McpTool::named(tool) {
            Some(McpTool { server, tool }) => (server, tool),
            None if Tool::is_known(tool) => return None,
            None => ("", tool),
        };
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
        .or_else(|| looking(&name, fields, files))
        .or_else(|| command(&name, fields))
        .or_else(|| statement(&name, fields))
        .or_else(|| git(&name, fields))
        .or_else(|| destroys(&name).then_some(Deed::Destroys))
        .or_else(|| perhaps_files(&name, fields, files))
}

/// The files that a tool is about, as far as arguments name them.
pub(super) fn files_of<'input>(
    fields: &ServerFields<'input>,
    files: &ToolFields<'input>,
) -> impl Iterator<Item = &'input str> {
    let listed = fields.paths.into_iter().chain(fields.files).flatten();
    files.paths().chain(listed).chain(fields.path)
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
    let paths: Vec<_> = files_of(fields, files).collect();
    (!paths.is_empty()).then_some(Deed::Read(paths))
}

/// Servers for files, as people call them.
const FILE_SERVERS: &[&str] = &[
    "filesystem",
    "fs",
    "file",
    "files",
    "commander",
    "serena",
    "jetbrains",
    "vscode",
    "editor",
];

/// `list_directory`, `search_files`: what the agent's own tools for looking do. Elsewhere a folder may be of anything.
fn looking<'input>(
    name: &Name,
    fields: &ServerFields<'input>,
    files: &ToolFields<'input>,
) -> Option<Deed<'input>> {
    if !name.server_says(FILE_SERVERS) || fields.elsewhere.is_some() {
        return None;
    }
    let lists = name.tool_says(&["list", "tree"]);
    let finds = name.tool_says(&["search", "find"]) && name.tool_says(&["file", "files"]);
    let tool = match (lists, finds) {
        (true, _) => "LS",
        (false, true) => "Glob",
        (false, false) => return None,
    };
    let look = ToolFields {
        path: Some(files_of(fields, files).next()?),
        pattern: files.pattern,
        ..ToolFields::default()
    };
    Some(Deed::Look(tool, look))
}

/// A file in the arguments of a tool that nobody knows.
fn perhaps_files<'input>(
    name: &Name,
    fields: &ServerFields<'input>,
    files: &ToolFields<'input>,
) -> Option<Deed<'input>> {
    const CHANGES: &[&str] = &[
        "write", "update", "set", "edit", "save", "create", "delete", "remove", "move", "rename",
        "replace", "append", "insert", "patch", "put",
    ];
    /// Shows nothing of what is in a file.
    const TELLS: &[&str] = &[
        "info", "stat", "stats", "exists", "list", "tree", "search", "find", "metadata",
    ];
    let is_path = |text: &&str| {
        text.len() <= LONGEST_PATH && !text.contains(['\n', '\0']) && !text.contains("://")
    };
    if fields.elsewhere.is_some() || name.tool_says(TELLS) || name.server_says(LOOKS) {
        return None;
    }
    let tool = if name.tool_says(CHANGES) {
        "Write"
    } else {
        "Read"
    };
    let paths: Vec<_> = files_of(fields, files).filter(is_path).collect();
    (!paths.is_empty()).then_some(Deed::PerhapsFiles(tool, paths))
}

fn command<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    let is_shell = name.says(SHELLS) && !name.tool_says(LOOKS) && !name.server_says(LOOKS);
    let runs = name.tool_says(RUNS) && !name.server_says(LOOKS);
    let script = fields
        .script
        .filter(|_| is_shell && name.says(&["shell", "bash", "terminal", "ssh"]));
    let words: Vec<_> = fields.words.iter().flatten().copied().map(quoted).collect();
    let listed = (!words.is_empty()).then(|| words.join(" "));
    let arguments: Vec<_> = fields.arguments.iter().flatten().copied().collect();
    let said = fields.line.or(script).map(str::to_owned).or(listed);
    let first = match (said, arguments.as_slice()) {
        (None, []) => None,
        // One text with several words is no program's name.
        (None, [line]) => Some((*line).to_owned()),
        (said, arguments) => {
            let arguments = arguments.iter().copied().map(quoted);
            let words: Vec<_> = said.into_iter().chain(arguments).collect();
            Some(words.join(" "))
        }
    };
    let others = fields.lines.iter().flatten().map(|it| (*it).to_owned());
    let lines: Vec<_> = first.into_iter().chain(others).collect();
    if lines.is_empty() {
        return None;
    }
    let mut line = lines.join("\n");
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
    } else if !name.server.is_empty() && name.says(&["docker", "container", "kubectl", "pod"]) {
        line = format!("docker exec container sh -c {}", quoted(&line));
    }
    if is_shell || runs {
        return Some(Deed::Line(line));
    }
    (!name.tool_says(LOOKS) && !name.server_says(LOOKS)).then_some(Deed::PerhapsLine(line))
}

/// A statement for a database.
fn statement<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    // The last word says what is done, and what stands before may be the rest of the server's name.
    let before = name.tool.split_last().map_or(&[][..], |(_, before)| before);
    let is_database = name.server_says(DATABASES)
        || name.tool_says(&["sql"])
        || before.iter().any(|it| DATABASES.contains(&it.as_str()));
    if !is_database || name.tool_says(LOOKS) || name.server_says(LOOKS) {
        return None;
    }
    let sql = fields.sql?;
    Some(Deed::Line(format!("psql -c {}", quoted(sql))))
}

/// `git_reset`, `git_clean` and the like of a server for git.
fn git<'input>(name: &Name, fields: &ServerFields<'input>) -> Option<Deed<'input>> {
    let verb = match name.tool.as_slice() {
        // What stands before may be the rest of the server's name.
        [.., git, verb] if git == "git" => verb.as_str(),
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
    let is_verb = |word: &String| VERBS.contains(&word.as_str());
    let mut words = name.tool.iter().rev();
    let (Some(last), before) = (words.next(), words.next()) else {
        return false;
    };
    // What stands before the verb may be the rest of the server's name.
    let does = before.is_some() && name.tool.first().into_iter().chain(before).any(is_verb);
    matches!(last.as_str(), "flushall" | "flushdb") || (does && THINGS.contains(&last.as_str()))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
