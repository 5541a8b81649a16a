//! What a call may do to files that its words do not name. A person works beside the agent: what changes while the tests run is
//! more likely a person's doing than the tests'.

use bowline_guard::invocation::{Invocation, Value};
use serde::{Deserialize, Serialize};

/// How far a call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    /// It makes and changes nothing but what its words name.
    Nothing,
    /// It leaves new files behind: results, caches, what it builds.
    NewFiles,
    /// It may change any file: a script, a formatter, a generator.
    Anything,
}

/// Programs that only look, or that make and change only what their words name.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "[", "[[", "ack", "ag", "awk", "basename", "bat", "cat", "cd", "cmp", "command", "comm", "cut", "date", "df", "diff", "dig",
    "dirname", "du", "echo", "egrep", "env", "exa", "export", "eza", "false", "fd", "fgrep", "file", "find", "fold", "free", "gawk",
    "gh", "grep", "groups", "head", "hexdump", "host", "hostname", "id", "jq", "kill", "killall", "less", "ln", "ls", "lsof", "md5sum",
    "mkdir", "more", "nl", "nslookup", "od", "paste", "pgrep", "ping", "pkill", "popd", "printenv", "printf", "ps", "pushd", "pwd",
    "read", "readlink", "realpath", "rg", "rm", "rmdir", "sed", "seq", "set", "sha256sum", "shasum", "sleep", "sort", "source", "ss",
    "stat", "strings", "tac", "tail", "tee", "test", "time", "timeout", "top", "touch", "tr", "tree", "true", "tput", "type", "uname",
    "uniq", "unset", "uptime", "wait", "watch", "wc", "which", "whoami", "xargs", "xxd", "yq", ":",
];

/// Programs that build, test, check, fetch or serve: they leave new files, and leave alone what people write.
#[rustfmt::skip]
const MAKING: &[&str] = &[
    "aws", "az", "bazel", "buck2", "bunzip2", "bzip2", "c++", "cc", "clang", "clang++", "cmake", "cp", "ctest", "curl", "docker", "docker-compose", "flake8",
    "g++", "gcc", "gcloud", "gradle", "gradlew", "gunzip", "gzip", "helm", "install", "java", "javac", "jest", "kubectl", "ld", "meson", "mocha",
    "mongosh", "mv", "mvn", "mvnw", "mypy", "mysql", "ninja", "nmake", "phpunit", "pip", "pip3", "pipx", "playwright", "podman",
    "psql", "py.test", "pylint", "pyright", "pytest", "redis-cli", "rspec", "rsync", "rustc", "scp", "sqlite3", "ssh", "swiftc", "tar",
    "terraform", "tox", "nox", "tsc", "unxz", "unzip", "uvicorn", "vitest", "wget", "xz",
    "zip", "zstd",
];

/// What of programs with commands of their own only makes, by the first word.
#[rustfmt::skip]
const MAKING_COMMANDS: &[&str] = &[
    "add", "all", "audit", "bench", "build", "check", "ci", "clippy", "compile", "coverage", "dev", "doc", "help", "i", "info", "install",
    "lint", "list", "metadata", "nextest", "outdated", "ps", "run", "serve", "start", "sync", "test", "tests", "tree", "typecheck",
    "unittest", "verify", "version", "vet", "watch",
];

/// How far the runs of a line reach together.
pub(super) fn reach_of(runs: &[Invocation]) -> Reach {
    runs.iter().map(reach).max().unwrap_or(Reach::Nothing)
}

fn reach(run: &Invocation) -> Reach {
    let Some(program) = run.program.as_deref() else {
        return Reach::Anything;
    };
    let words: Vec<&str> = run
        .args
        .iter()
        .filter_map(|arg| match &arg.value {
            Value::Known(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let plain = |it: &&&str| !it.starts_with('-');
    let first = words.iter().find(plain).copied().unwrap_or_default();
    let has = |options: &[&str]| words.iter().any(|it| options.contains(it));
    if has(&[
        "--fix",
        "--write",
        "-w",
        "--in-place",
        "-u",
        "--update",
        "--snapshot-update",
    ]) {
        return Reach::Anything;
    }
    match program {
        "git" => git(first),
        "ruff" | "eslint" | "biome" | "black" | "isort" | "prettier" | "rubocop" => match first {
            "check" | "lint" => Reach::NewFiles,
            _ if program == "eslint" || has(&["--check", "--diff"]) => Reach::NewFiles,
            _ => Reach::Anything,
        },
        "python" | "python3" => match words.as_slice() {
            ["-m", module, ..] if MAKING.contains(module) || *module == "unittest" => {
                Reach::NewFiles
            }
            ["-m", "json.tool" | "venv" | "pip" | "http.server", ..] | ["--version" | "-V"] => {
                Reach::NewFiles
            }
            _ => Reach::Anything,
        },
        "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "go" | "make" | "gmake" | "just" | "dotnet"
        | "poetry" | "uv" | "swift" | "deno" | "npx" => {
            // `npm run lint`, `uv run pytest`: what is run counts.
            let started = match first {
                "run" | "exec" if program != "cargo" && program != "go" => {
                    words.iter().filter(plain).nth(1).copied().unwrap_or(first)
                }
                other => other,
            };
            let makes = started.is_empty()
                || MAKING_COMMANDS.contains(&started)
                || MAKING.contains(&started)
                || ["test", "build", "lint", "check"].iter().any(|it| {
                    started
                        .strip_prefix(it)
                        .is_some_and(|rest| rest.starts_with([':', '-']))
                });
            if makes {
                Reach::NewFiles
            } else {
                Reach::Anything
            }
        }
        name if LOOKING.contains(&name) => Reach::Nothing,
        name if MAKING.contains(&name) => Reach::NewFiles,
        _ => Reach::Anything,
    }
}

/// Most of git leaves the files of the work tree alone.
fn git(command: &str) -> Reach {
    match command {
        "am" | "apply" | "checkout" | "cherry-pick" | "clone" | "merge" | "mv" | "pull"
        | "rebase" | "reset" | "restore" | "revert" | "rm" | "stash" | "submodule" | "switch"
        | "worktree" => Reach::Anything,
        "init" => Reach::NewFiles,
        _ => Reach::Nothing,
    }
}

/// Tracked files that builds and tests bring up to date by themselves.
pub(super) fn is_kept_by_tools(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("lock" | "snap" | "tsbuildinfo"))
        || matches!(
            name,
            "package-lock.json" | "pnpm-lock.yaml" | "npm-shrinkwrap.json" | "go.sum" | "go.mod"
        )
        || path.contains("/__snapshots__/")
}

#[cfg(test)]
mod tests {
    use bowline_guard::interpret::interpret;
    use bowline_guard::paths::StaticWorld;

    use super::*;

    #[test]
    fn programs_reach_as_far_as_they_do() {
        use Reach::{Anything, NewFiles, Nothing};
        for (line, expected) in [
            ("ls -la && cat a | grep b", Nothing),
            ("git status && git log --oneline", Nothing),
            ("git commit -qm x", Nothing),
            ("git init demo", NewFiles),
            ("gzip -k a.md", NewFiles),
            ("sleep 5", Nothing),
            ("cargo test --workspace 2>&1 | tail -20", NewFiles),
            ("pytest -q tests", NewFiles),
            ("python3 -m pytest", NewFiles),
            ("npm test", NewFiles),
            ("npm run build", NewFiles),
            ("npm run lint:js", NewFiles),
            ("make", NewFiles),
            ("docker compose up -d", NewFiles),
            ("ruff check .", NewFiles),
            ("ruff check --fix .", Anything),
            ("ruff format .", Anything),
            ("cargo fmt", Anything),
            ("npm run format", Anything),
            ("make generate", Anything),
            ("python3 fmt.py", Anything),
            ("./scripts/gen.sh", Anything),
            ("git stash pop", Anything),
            ("cargo test && python3 fix.py", Anything),
        ] {
            let runs = interpret(line, &StaticWorld::new("/p", "/home/dev")).invocations;
            assert_eq!(reach_of(&runs), expected, "{line}");
        }
    }
}
