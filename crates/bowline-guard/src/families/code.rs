//! Code that stands on the command line of an interpreter: calls that lose data, read secrets or run
//! what the network sends.

mod consoles;

use crate::effect::{Effect, Gravity};
use crate::invocation::Stdin;
use crate::paths::{World, resolve};
use crate::sensitive::{Access, Sensitivity, classify};

use super::Run;
use super::args::word;
use super::database::{Worth, is_throwaway, statement_effects};
use super::launch::base_name;
use super::rule::rules;
use super::sql::{Backslash, is_statement};

rules! {
    DATABASE = Database, "code.database", "Code that drops or empties a database",
        instead "look first with a query that only counts";
    FETCHED = FetchedCode, "code.fetched", "Code that runs what the network sends",
        instead "download it to a file, and read it first";
    REMOTE_SHELL = FetchedCode, "code.remote-shell", "Code that gives another machine a shell here",
        instead "tell the person what should be done from the other machine";
    SECRET_FILE = SecretRead, "code.secret-file", "Code that reads a file that holds secrets",
        instead "read a template such as `.env.example`";
    SETTINGS = SecretRead, "code.settings", "Code that prints secrets of an application's settings",
        instead "only check that the setting is there";
    SENDS = SecretSend, "code.sends-secret", "Code that sends a secret to another machine",
        instead "leave it here, and tell the person which value the other machine needs";
    TOO_LONG = Unverified, "code.too-long", "Code on a command line that is too long to look at",
        instead "write it to a file in the project, where it can be read before it is run";
}

/// Longer code is not looked at to its end.
const MAX_CODE: usize = 16 * 1024;

/// The code that a run is given, if it is given any.
fn code_of<'run>(run: Run<'run>) -> Vec<&'run str> {
    let after = |options: &[&str]| -> Vec<&'run str> {
        let mut found = Vec::new();
        let mut args = run.args.iter().map(word);
        while let Some(arg) = args.next() {
            // `-ne`, `-lpe`: the last letter of a cluster takes the code, but `-MModule` has none.
            let letters = arg.strip_prefix('-').unwrap_or_default();
            let cluster = (2..=4).contains(&letters.len())
                && letters.chars().all(|it| it.is_ascii_lowercase())
                && options
                    .iter()
                    .any(|it| it.len() == 2 && letters.ends_with(it.trim_start_matches('-')));
            if options.contains(&arg) || cluster {
                found.extend(args.next());
            } else if let Some((name, value)) = arg.split_once('=')
                && options.contains(&name)
            {
                found.push(value);
            }
        }
        found
    };
    let mut found = match base_name(run.name) {
        "python" => after(&["-c"]),
        "perl" => after(&["-e", "-E"]),
        "ruby" => after(&["-e"]),
        "node" | "deno" | "bun" | "tsx" | "ts-node" => {
            let mut code = after(&["-e", "--eval", "-p", "--print", "-pe"]);
            if run.args.first().map(word) == Some("eval") {
                code.extend(run.args.get(1).map(word));
            }
            code
        }
        "php" => after(&["-r"]),
        "groovy" | "lua" | "Rscript" | "scala" | "jshell" | "elixir" | "iex" | "julia"
        | "swift" => after(&["-e", "--eval", "-E"]),
        "emacs" => after(&["--eval", "-eval"]),
        "rails" if matches!(run.args.first().map(word), Some("console" | "c")) => Vec::new(),
        "rails" | "gitlab-rails" if matches!(run.args.first().map(word), Some("runner" | "r")) => {
            run.args.iter().skip(1).map(word).collect()
        }
        "artisan" if run.args.first().map(word) == Some("tinker") => after(&["--execute"]),
        "manage.py" | "django-admin"
            if matches!(run.args.first().map(word), Some("shell" | "shell_plus")) =>
        {
            after(&["-c", "--command"])
        }
        "flask" if run.args.first().map(word) == Some("shell") => Vec::new(),
        "drush"
            if matches!(
                run.args.first().map(word),
                Some("php:eval" | "ev" | "php-eval" | "eval")
            ) =>
        {
            run.args.iter().skip(1).map(word).collect()
        }
        "wp" if matches!(run.args.first().map(word), Some("eval")) => {
            run.args.iter().skip(1).map(word).collect()
        }
        "mix" if run.args.first().map(word) == Some("run") => after(&["-e", "--eval"]),
        _ => return Vec::new(),
    };
    let shell = matches!(
        base_name(run.name),
        "python"
            | "perl"
            | "ruby"
            | "node"
            | "php"
            | "rails"
            | "artisan"
            | "manage.py"
            | "flask"
            | "deno"
            | "bun"
            | "drush"
            | "lua"
            | "iex"
    );
    if let Stdin::Text(text) = &run.invocation.stdin
        && found.is_empty()
        && shell
    {
        found.push(text);
    }
    found
}

pub(super) fn effects(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    for code in code_of(run) {
        if code.len() > MAX_CODE {
            found.push(TOO_LONG.doubtful("runs code that is too long to look at"));
        }
        let end = code.floor_char_boundary(MAX_CODE);
        found.extend(judge(code.get(..end).unwrap_or_default(), world));
    }
    found
}

fn judge(code: &str, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let literals = literals(code);
    let bare = without_literals(code);
    if !uses_throwaway_database(code) {
        found.extend(database(&bare, &literals));
    }
    found.extend(consoles::judge(&bare, &literals));
    let has = |calls: &[&str]| calls.iter().any(|it| bare.contains(it));
    let network = has(&[
        "urlopen",
        "requests.",
        "urllib",
        "http.get",
        "https.get",
        "fetch(",
        "Net::HTTP",
        "LWP::",
        "open-uri",
        "URI.open",
        "httpx.",
        "axios",
        "curl_exec",
        "IO::Socket",
        "TCPSocket",
        "socket.",
        "fsockopen",
        "net.connect",
        "URI(",
        "get(",
    ]) && (has(&["socket", "Socket", "fsockopen", "net."])
        || literals.iter().any(|it| it.contains("://")))
        || literals.iter().any(|it| {
            matches!(
                it.as_str(),
                "http" | "https" | "net" | "node:https" | "node:http"
            )
        })
        || (bare.contains("file_get_contents") && literals.iter().any(|it| it.starts_with("http")));
    let runs = has(&[
        "exec(",
        "eval(",
        "eval ",
        "eval get",
        "Function(",
        "instance_eval",
        "execfile",
        "compile(",
        ".then(eval)",
    ]);
    let starts = has(&[
        "subprocess",
        "pty.",
        "popen",
        "system(",
        "spawn(",
        "exec(",
        "child_process",
        "dup2",
        "IO.popen",
        "proc_open",
        "shell_exec",
        "backtick",
    ]) || literals.iter().any(|it| {
        matches!(
            it.as_str(),
            "child_process" | "node:child_process" | "/bin/sh" | "/bin/bash" | "sh" | "bash"
        )
    });
    let socket = has(&[
        "socket.socket",
        "socket(",
        "TCPSocket",
        "fsockopen",
        "net.connect",
        "net.Socket",
        "IO::Socket",
        "createConnection",
        "s.connect",
        "/inet/tcp",
    ]);
    if socket && starts {
        found.push(REMOTE_SHELL.grave("gives another machine a shell here"));
    } else if network && runs {
        found.push(FETCHED.grave("runs what the network sends"));
    }
    let shows = network
        || has(&[
            "print",
            "puts",
            "echo",
            "console.",
            "write",
            "p ",
            "say",
            "dump",
            "inspect",
            "log",
            "curl",
            "send",
            "copy",
            "upload",
            "zip",
            "system",
            "subprocess",
            "exec",
        ]);
    found.extend(secrets(&bare, &literals, network, world));
    // What is read and not shown stays with the program.
    if !shows {
        found.retain(|it| it.rule != SECRET_FILE.id || it.gravity == Gravity::Grave);
        for effect in found.iter_mut().filter(|it| it.rule == SECRET_FILE.id) {
            effect.gravity = Gravity::Doubtful;
        }
    }
    found
}

/// Whether every database that code opens is in memory or in a temporary folder.
fn uses_throwaway_database(code: &str) -> bool {
    let opens = |text: &str| {
        ["connect(", "Database(", "DatabaseSync(", "create_engine("]
            .iter()
            .any(|it| text.ends_with(it))
    };
    let pieces = pieces(code);
    let count = pieces
        .iter()
        .filter(|(_, kind)| *kind == Piece::Bare)
        .map(|(text, _)| text.matches("connect(").count() + text.matches("Database(").count())
        .sum::<usize>();
    let opened: Vec<&str> = pieces
        .windows(2)
        .filter_map(|pair| match pair {
            [(before, Piece::Bare), (name, Piece::Quoted)] if opens(before.trim_end()) => {
                Some(name.as_str())
            }
            _ => None,
        })
        .collect();
    // What is attached is another database.
    let attaches = code.to_ascii_lowercase().contains("attach");
    !opened.is_empty()
        && opened.len() >= count
        && opened.iter().all(|name| is_throwaway(name))
        && !attaches
}

fn database(bare: &str, literals: &[String]) -> Vec<Effect> {
    let calls = [
        "drop_all(",
        "drop_database(",
        ".dropDatabase(",
        "dropDatabase(",
        ".delete_all",
        ".destroy_all",
        "::truncate(",
        ".flushall(",
        ".flushdb(",
        "flushAll(",
        "flushDb(",
        "deleteMany({})",
        "deleteMany()",
        "delete_many({})",
        ".drop()",
        "drop_collection(",
        "dropCollection(",
        "Schema::drop",
        "dropIfExists(",
        "dropAllTables",
        "objects.all().delete()",
        "truncate_all",
        "drop_table",
        "purge_database",
        "sync({force:true",
        "sync({ force: true",
        "synchronize(true",
        "::query()->delete()",
        "->truncate(",
    ];
    if calls.iter().any(|it| bare.contains(it)) {
        return vec![DATABASE.grave("drops or empties a database")];
    }
    let mild = [
        ".delete(",
        ".destroy",
        "deleteMany(",
        "delete_many(",
        "->delete()",
        "update_all",
    ];
    let models = bare.contains("objects.")
        || bare.contains(".where(")
        || bare.contains("::where(")
        || bare.contains("deleteMany")
        || bare.contains("delete_many");
    let runs_sql = [
        "execute",
        "query(",
        "exec(",
        "query!(",
        "unprepared",
        "raw(",
        "statement(",
        "run(",
        "prepare(",
        "executescript",
        "cursor",
        "dbh->do",
        "->do(",
    ]
    .iter()
    .any(|it| bare.contains(it));
    let mut found = Vec::new();
    if runs_sql {
        for literal in literals.iter().filter(|it| is_statement(it)) {
            found.extend(statement_effects(literal, Backslash::Escapes, Worth::Real));
        }
    }
    if found.is_empty() && models && mild.iter().any(|it| bare.contains(it)) {
        found.push(DATABASE.doubtful("deletes or changes rows"));
    }
    found
}

fn secrets(bare: &str, literals: &[String], network: bool, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let reads = [
        "open",
        "read",
        "File",
        "file",
        "Path",
        "slurp",
        "cat",
        "load_dotenv",
        "copy",
        "source",
        "IO.",
        "parse",
        "require",
        "include",
        "fs.",
        "dotenv",
    ]
    .iter()
    .any(|it| bare.contains(it));
    if reads {
        for literal in literals
            .iter()
            .filter(|it| it.len() < 300 && !it.contains(' ') && !it.contains("://"))
        {
            let path =
                if bare.contains("home()") || bare.contains("homedir()") || bare.contains("ENV") {
                    home_path(literal)
                } else {
                    literal.clone()
                };
            match classify(&resolve(&path, world), Access::Read, world) {
                Sensitivity::Secret(reason) => {
                    let what = format!("{literal}: {}", reason.why);
                    found.push(if network {
                        SENDS.grave(format!("sends {what}"))
                    } else {
                        SECRET_FILE.grave(format!("reads {what}"))
                    });
                }
                Sensitivity::Maybe(reason) => {
                    found.push(SECRET_FILE.doubtful(format!("reads {literal}: {}", reason.why)));
                }
                Sensitivity::Public => {}
            }
        }
    }
    found
}

/// A path that the code joins to the home.
fn home_path(literal: &str) -> String {
    if literal.starts_with(['/', '~']) {
        literal.to_owned()
    } else {
        format!("~/{}", literal.trim_start_matches('/'))
    }
}

/// The texts in quotes.
fn literals(code: &str) -> Vec<String> {
    pieces(code)
        .into_iter()
        .filter_map(|(text, kind)| (kind == Piece::Quoted).then_some(text))
        .collect()
}

/// The code with nothing between its quotes.
fn without_literals(code: &str) -> String {
    pieces(code)
        .into_iter()
        .map(|(text, kind)| {
            if kind == Piece::Quoted {
                String::from("\"\"")
            } else {
                text
            }
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Bare,
    Quoted,
}

fn pieces(code: &str) -> Vec<(String, Piece)> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut open: Option<char> = None;
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        match open {
            Some(quote) if character == quote => {
                found.push((std::mem::take(&mut current), Piece::Quoted));
                open = None;
            }
            Some(_) if character == '\\' => current.extend(characters.next()),
            None if matches!(character, '"' | '\'' | '`') => {
                found.push((std::mem::take(&mut current), Piece::Bare));
                open = Some(character);
            }
            Some(_) | None => current.push(character),
        }
    }
    let kind = if open.is_some() {
        Piece::Quoted
    } else {
        Piece::Bare
    };
    found.push((current, kind));
    found
}
