//! Database clients and servers: what their statements and commands lose.

mod documents;
mod programs;

use crate::effect::{Effect, Gravity};
use crate::invocation::{Directory, Invocation, Stdin, Through};

use super::Run;
use super::args::{Parsed, Spec, parse, word};
use super::rule::rules;
use super::sql::{self, Backslash, Loss};
use documents::{mongo, redis};
use programs::other;

rules! {
    STATEMENT = Database, "database.statement", "Loses data by a statement of a query language",
        instead "look first with a SELECT over the same rows, inside a transaction that is rolled back";
    DROP = Database, "database.drop", "Drops a database",
        instead "make a copy first, for example with `pg_dump`";
    KEYS = Database, "database.keys", "Deletes keys of a key-value store",
        instead "look first with `redis-cli --scan`";
    QUEUE = Database, "database.queue", "Deletes or empties queues, topics or streams",
        instead "list them first, and let retention delete what is old";
    RESTORE = Database, "database.restore-over", "Drops what is there before restoring",
        instead "restore into a new, empty database beside it";
    GENERATED = Database, "database.generated", "Runs statements that were made on the way, and drop",
        instead "print the statements to a file first, without running them";
    SHELL = Database, "database.shell", "Runs a command of the system through a database client",
        instead "run the command by itself, so that it can be seen";
}

/// Whether a database is one that nobody would miss.
pub(super) fn is_disposable(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.split('?').next().unwrap_or(name).to_ascii_lowercase();
    name == ":memory:"
        || name
            .split(|it: char| !it.is_ascii_alphanumeric())
            .any(|part| {
                let part = part.trim_end_matches(|it: char| it.is_ascii_digit());
                matches!(
                    part,
                    "test"
                        | "tests"
                        | "testing"
                        | "dev"
                        | "development"
                        | "local"
                        | "sandbox"
                        | "scratch"
                        | "tmp"
                        | "temp"
                        | "ci"
                        | "demo"
                        | "playground"
                        | "e2e"
                        | "spec"
                        | "fixture"
                        | "fixtures"
                        | "dummy"
                        | "throwaway"
                )
            })
}

/// Whether a database is in memory, or in a file that the system throws away.
pub(super) fn is_throwaway(name: &str) -> bool {
    let file = ["sqlite:///", "sqlite://", "duckdb:///", "file:"]
        .iter()
        .find_map(|scheme| name.strip_prefix(scheme))
        .unwrap_or(name);
    let file = file.split('?').next().unwrap_or(file);
    let temporary = [
        "/tmp/",
        "/var/tmp/",
        "/dev/shm/",
        "$TMPDIR/",
        "/private/tmp/",
    ]
    .iter()
    .any(|folder| file.starts_with(folder));
    file == ":memory:" || (temporary && !file.contains(".."))
}

/// Whether the database that a client opens is nobody's: in memory, in a temporary folder, or deleted by the line before.
fn is_nobodys(client: &Client, databases: &[&str], invocation: &Invocation) -> bool {
    let [name] = databases else {
        return false;
    };
    let in_temporary_folder = match &invocation.directory {
        Directory::Known(cwd) if !name.starts_with(['/', '$', '~']) => {
            is_throwaway(&format!("{cwd}/{name}"))
        }
        Directory::Known(_) | Directory::Unknown => false,
    };
    client.words == Words::DatabaseThenStatements && (is_throwaway(name) || in_temporary_folder)
}

/// The effects that are left when the line has made what a client deletes: the table, or the file after deleting it.
pub(super) fn without_own(found: &mut Vec<Effect>, run: &Invocation, earlier: &[Invocation]) {
    let Some(file) = file_of(run).filter(|_| found.iter().any(|it| it.rule == STATEMENT.id)) else {
        return;
    };
    let made_anew = earlier.iter().any(|it| {
        matches!(it.program.as_deref(), Some("rm" | "unlink"))
            && it.directory == run.directory
            && it.args.iter().any(|arg| word(arg) == file)
    });
    let made: Vec<String> = earlier
        .iter()
        .filter(|it| file_of(it) == Some(file) && it.directory == run.directory)
        .flat_map(|it| it.args.iter().skip(1))
        .flat_map(|statement| sql::made_by(word(statement)))
        .collect();
    found.retain(|it| {
        let own = made_anew
            || made
                .iter()
                .any(|table| it.what.ends_with(&format!(" {table}")));
        it.rule != STATEMENT.id || !own
    });
}

/// The file that a client for databases in files opens.
fn file_of(run: &Invocation) -> Option<&str> {
    let name = run.program.as_deref()?;
    let of_files = CLIENTS
        .iter()
        .any(|it| it.words == Words::DatabaseThenStatements && it.names.contains(&name));
    let first = run.args.iter().map(word).find(|it| !it.starts_with('-'));
    first.filter(|_| of_files)
}

/// Statements that an earlier run of the line wrote to the file which a client now reads.
pub(super) fn runs_written(client: &Invocation, earlier: &[Invocation]) -> Vec<Effect> {
    let is_client = client
        .program
        .as_deref()
        .is_some_and(|name| CLIENTS.iter().any(|it| it.names.contains(&name)));
    if !is_client {
        return Vec::new();
    }
    let words = client.args.iter().map(word);
    let read: Vec<&str> = words
        .map(|it| it.strip_prefix("--file=").unwrap_or(it))
        .map(|it| {
            it.strip_prefix("-f")
                .filter(|it| !it.is_empty())
                .unwrap_or(it)
        })
        .filter(|it| it.contains(['.', '/']))
        .chain(match &client.stdin {
            Stdin::File(file) => Some(word(file)),
            _ => None,
        })
        .collect();
    let writers = earlier.iter().filter(|it| {
        matches!(
            it.program.as_deref(),
            Some("echo" | "printf" | "cat" | "tee")
        ) && it
            .opened
            .iter()
            .any(|opened| read.contains(&word(&opened.file)))
    });
    writers
        .flat_map(|it| {
            let text = match &it.stdin {
                Stdin::Text(text) => text.clone(),
                _ => it.args.iter().map(word).collect::<Vec<_>>().join(" "),
            };
            statement_effects(&text, Backslash::Plain, Worth::Real)
        })
        .collect()
}

/// How a client takes its statements.
struct Client {
    names: &'static [&'static str],
    /// Options whose value is a statement.
    statement: &'static [&'static str],
    /// Options whose value names the database.
    database: &'static [&'static str],
    /// Other options with a value.
    values: &'static [&'static str],
    words: Words,
    backslash: Backslash,
}

/// What the words between the options are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    Database,
    /// The first names the database, the others are statements.
    DatabaseThenStatements,
    Statements,
    /// The first of them is a command that takes a statement.
    AfterCommand,
}

const fn client(names: &'static [&'static str], statement: &'static [&'static str]) -> Client {
    Client {
        names,
        statement,
        database: &["d", "dbname", "database"],
        values: &[
            "h", "host", "p", "port", "U", "u", "user", "username", "f", "file", "v", "o",
        ],
        words: Words::Database,
        backslash: Backslash::Plain,
    }
}

const CLIENTS: &[Client] = &[
    Client {
        values: &[
            "h", "host", "p", "port", "U", "username", "f", "file", "v", "o", "P", "F", "R", "L",
        ],
        ..client(
            &[
                "psql",
                "pgcli",
                "usql",
                "cockroach",
                "vsql",
                "gsql",
                "ysqlsh",
            ],
            &["c", "command", "e", "execute", "s", "cmd"],
        )
    },
    Client {
        database: &["D", "database"],
        // `-p` and `-u` may be glued to their value, and `-p` alone asks.
        values: &[
            "h",
            "host",
            "P",
            "port",
            "u",
            "user",
            "S",
            "socket",
            "defaults-file",
        ],
        backslash: Backslash::Escapes,
        ..client(
            &["mysql", "mariadb", "mycli", "mysqlsh", "tidb"],
            &["e", "execute", "init-command", "sql"],
        )
    },
    Client {
        words: Words::DatabaseThenStatements,
        ..client(
            &[
                "sqlite3",
                "sqlite",
                "litecli",
                "libsql",
                "sqlcipher",
                "duckdb",
            ],
            &["cmd"],
        )
    },
    client(
        &["clickhouse-client", "clickhouse", "clickhouse-local", "chc"],
        &["q", "query"],
    ),
    client(
        &["cqlsh", "hive", "beeline", "spark-sql"],
        &["e", "execute"],
    ),
    client(&["sqlcmd", "osql", "isql", "bteq"], &["Q", "q"]),
    client(
        &["impala-shell", "snowsql", "bsqlodbc", "kinit-sql"],
        &["q", "query"],
    ),
    client(&["trino", "presto", "influx", "influx3"], &["execute", "e"]),
    client(&["sqlplus", "sql", "surreal"], &["c"]),
    Client {
        words: Words::AfterCommand,
        ..client(
            &[
                "bq",
                "turso",
                "snow",
                "planetscale",
                "pscale",
                "xata",
                "neonctl",
            ],
            &["q", "query", "command"],
        )
    },
    Client {
        words: Words::Statements,
        ..client(
            &["cypher-shell", "dolt", "ksql", "osqueryi", "db2"],
            &["q", "query", "execute", "e"],
        )
    },
];

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    if run.name == "bq" && parse(run.args, &Spec::gnu(&[])).is_dry_run() {
        return Vec::new();
    }
    if let Some(client) = CLIENTS
        .iter()
        .find(|client| client.names.contains(&run.name))
    {
        return client_effects(run, client);
    }
    match run.name {
        "mongosh" | "mongo" => mongo(run),
        "redis-cli" | "valkey-cli" | "keydb-cli" | "dragonfly-cli" => redis(run),
        _ => {
            let mut found = sql_options(run);
            found.extend(other(run));
            found
        }
    }
}

/// Statements in an option of a tool that is no client: `aws rds-data … --sql 'DROP TABLE x'`.
fn sql_options(run: Run<'_>) -> Vec<Effect> {
    let mut before = "";
    let mut found = Vec::new();
    if run.args.len() < 2 {
        return found;
    }
    for text in run.args.iter().map(word) {
        let (option, value) = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, value),
            _ => (before, text),
        };
        before = text;
        let takes = matches!(
            option,
            "--sql"
                | "--query-string"
                | "--statement"
                | "--sql-statement"
                | "--ddl"
                | "--statements"
                | "--sql-text"
        );
        if takes && value.contains(' ') {
            found.extend(statement_effects(value, Backslash::Plain, Worth::Real));
        }
    }
    found
}

fn client_effects(run: Run<'_>, client: &'static Client) -> Vec<Effect> {
    let values: Vec<&'static str> = [client.statement, client.database, client.values].concat();
    let parsed = parse_with(run, &values);
    let mut texts: Vec<&str> = parsed.values(client.statement).collect();
    let mut databases: Vec<&str> = parsed.values(client.database).collect();
    let words = parsed.words.as_slice();
    match client.words {
        Words::Database => databases.extend(words),
        Words::DatabaseThenStatements => {
            databases.extend(words.first());
            texts.extend(parsed.from(1));
        }
        Words::Statements => texts.extend(words),
        Words::AfterCommand => texts.extend(parsed.from(1)),
    }
    if let Stdin::Text(text) = &run.invocation.stdin {
        texts.push(text);
    }
    // What is attached is another database.
    let attaches = |text: &&str| {
        let lower = text.to_ascii_lowercase();
        lower.contains("attach") || lower.trim_start().starts_with(".open")
    };
    let attaches = texts.iter().any(attaches);
    if is_nobodys(client, &databases, run.invocation) && !attaches {
        return texts.iter().filter_map(|it| client_command(it)).collect();
    }
    let disposable = !attaches && databases.iter().any(|name| is_disposable(name));
    let mut found: Vec<Effect> = texts
        .iter()
        .flat_map(|text| statement_effects(text, client.backslash, disposable_or(disposable)))
        .collect();
    found.extend(generated(run, disposable_or(disposable)));
    found.extend(other(run));
    found
}

/// Whether the database at hand is one that nobody would miss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    Real,
    Disposable,
}

fn disposable_or(disposable: bool) -> Worth {
    if disposable {
        Worth::Disposable
    } else {
        Worth::Real
    }
}

/// Reads the arguments with a list of options that is put together at run time. Single-dash words
/// such as sqlite's `-cmd` are options of their own.
fn parse_with<'run>(run: Run<'run>, values: &[&'static str]) -> Parsed<'run> {
    let mut parsed = Parsed::default();
    let mut args = run.args.iter().map(word);
    while let Some(text) = args.next() {
        let name = text.trim_start_matches('-');
        let dashes = text.len() - name.len();
        let (long, value) = match name.split_once('=') {
            Some((long, value)) if dashes == 2 => (long, Some(value)),
            _ => (name, None),
        };
        match dashes {
            0 => parsed.words.push(text),
            _ if value.is_some() => parsed.push(long, value),
            _ if values.contains(&long) => parsed.push(long, args.next()),
            1 => {
                // A cluster such as `-Atc`, or a value glued to its letter.
                let option = name.char_indices().find_map(|(at, letter)| {
                    let end = at + letter.len_utf8();
                    let short = name.get(at..end)?;
                    values.contains(&short).then_some((short, name.get(end..)?))
                });
                match option {
                    Some((short, "")) => parsed.push(short, args.next()),
                    Some((short, glued)) => parsed.push(short, Some(glued)),
                    None => parsed.push(long, None),
                }
            }
            _ => parsed.push(long, None),
        }
    }
    parsed
}

/// What statements lose, in a database of this worth.
pub(super) fn statement_effects(text: &str, backslash: Backslash, worth: Worth) -> Vec<Effect> {
    if let Some(effect) = client_command(text) {
        return vec![effect];
    }
    let lower = text.to_ascii_lowercase();
    // Graph queries: MATCH … DETACH DELETE.
    if lower.contains("match") && lower.contains("delete") && !lower.contains("delete from") {
        let narrow = lower.contains("where") || lower.contains(':') || lower.contains('{');
        let what = "deletes nodes of the graph";
        return vec![if narrow {
            STATEMENT.doubtful(what)
        } else {
            STATEMENT.grave(what)
        }];
    }
    sql::findings(text, backslash)
        .into_iter()
        .map(|finding| {
            let real = worth == Worth::Real && !is_disposable(&finding.object);
            match finding.loss {
                Loss::Whole if real => STATEMENT.grave(finding.what),
                Loss::Whole | Loss::Part => STATEMENT.doubtful(finding.what),
            }
        })
        .collect()
}

/// Commands of the client itself: `\! rm`, `.shell rm`, `.system rm`.
fn client_command(text: &str) -> Option<Effect> {
    let command = text.trim_start();
    let shell = ["\\!", ".shell ", ".system ", "system "]
        .iter()
        .find_map(|start| command.strip_prefix(start))?;
    Some(SHELL.doubtful(format!(
        "runs `{}` through the database client",
        shell.trim()
    )))
}

/// Statements that another program makes: what it is asked for tells what they do.
fn generated(run: Run<'_>, worth: Worth) -> Option<Effect> {
    let Stdin::Pipe(programs) = &run.invocation.stdin else {
        let each = run.invocation.through.iter().find_map(|it| match it {
            Through::EachOf(source) => Some(source),
            _ => None,
        })?;
        return makes_drops(each).then(|| generated_effect(worth));
    };
    programs
        .iter()
        .any(|it| makes_drops(it))
        .then(|| generated_effect(worth))
}

fn generated_effect(worth: Worth) -> Effect {
    let gravity = match worth {
        Worth::Real => Gravity::Grave,
        Worth::Disposable => Gravity::Doubtful,
    };
    GENERATED.effect(gravity, "runs generated statements that drop or delete")
}

fn makes_drops(program: &str) -> bool {
    let lower = program.to_ascii_lowercase();
    let mut words = lower.split(|it: char| !(it.is_ascii_alphanumeric() || it == '-' || it == '_'));
    words.any(|it| {
        matches!(
            it,
            "drop" | "truncate" | "sqlflush" | "sqlclear" | "delete" | "flushall" | "flushdb"
        )
    })
}
