//! What a call may do to files that its words do not name. A person works beside the agent: what changes while the tests run is
//! more likely a person's doing than the tests'.

use bowline_guard::invocation::{Invocation, Value};
use serde::{Deserialize, Serialize};

use super::kept::{is_kept_by_tools, is_manifest};

/// How far a call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    /// It makes and changes nothing but what its words name.
    Nothing,
    /// It leaves new files behind: results, caches, what it builds. Lock files and snapshots are brought up to date by the way.
    NewFiles,
    /// It also writes down what the project needs: a package manager that adds something.
    Manifests,
    /// It may change any file: a script, a formatter, a generator.
    Anything,
}

impl Reach {
    /// Whether a change of a tracked file may be its doing.
    pub(super) fn changes(self, path: &str) -> bool {
        match self {
            Self::Nothing => false,
            Self::NewFiles => is_kept_by_tools(path),
            Self::Manifests => is_kept_by_tools(path) || is_manifest(path),
            Self::Anything => true,
        }
    }
}

/// Programs that only look, or that make and change only what their words name.
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "[", "[[", "ack", "ag", "awk", "basename", "bat", "cat", "cd", "cmp", "command", "comm", "cut", "date", "df", "diff", "dig",
    "dirname", "du", "echo", "egrep", "env", "exa", "export", "eza", "false", "fd", "fgrep", "file", "find", "fold", "free", "gawk",
    "gh", "grep", "groups", "head", "hexdump", "host", "hostname", "id", "jq", "kill", "killall", "less", "ln", "ls", "lsof", "md5sum",
    "mkdir", "more", "nl", "nslookup", "od", "paste", "pgrep", "ping", "pkill", "popd", "printenv", "printf", "ps", "pushd", "pwd",
    "read", "readlink", "realpath", "rg", "rm", "rmdir", "sed", "seq", "set", "sha256sum", "shasum", "sleep", "sort", "ss",
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

/// What of package managers writes down what a project needs.
const ADDING_COMMANDS: &[&str] = &[
    "add",
    "remove",
    "rm",
    "uninstall",
    "un",
    "update",
    "up",
    "upgrade",
    "version",
    "get",
];

/// Parts of a script's name that say that it changes what people write.
const FIXING: &[&str] = &[
    "fix", "fixes", "fmt", "format", "gen", "generate", "codegen", "update", "write",
];

/// Options by which a program that checks changes what it looks at, whatever it is called.
const FIXING_OPTIONS: &[&str] = &[
    "--fix",
    "--write",
    "--in-place",
    "--snapshot-update",
    "--update-snapshot",
    "--update-snapshots",
];

/// Programs that compare with snapshots, or start those that do: `-u` brings the snapshots up to date.
const SNAPSHOTS: &[&str] = &[
    "ava",
    "bun",
    "deno",
    "jest",
    "npm",
    "npx",
    "playwright",
    "pnpm",
    "vitest",
    "yarn",
];

/// How far the runs of a line reach together.
pub(super) fn reach_of(runs: &[Invocation]) -> Reach {
    runs.iter().map(reach).max().unwrap_or(Reach::Nothing)
}

fn reach(run: &Invocation) -> Reach {
    let Some(program) = run.program.as_deref() else {
        return Reach::Anything;
    };
    let words = Words::of(run);
    if words.fix(program) {
        return Reach::Anything;
    }
    match program {
        "git" => git(words.first()),
        "ruff" | "eslint" | "biome" | "black" | "isort" | "prettier" | "rubocop" => {
            formatter(program, &words)
        }
        "python" | "python3" => python(&words),
        "make" | "gmake" | "just" => targets(&words),
        "cargo" | "npm" | "pnpm" | "yarn" | "bun" | "go" | "dotnet" | "poetry" | "uv" | "swift"
        | "deno" | "npx" => commands(program, &words),
        "terraform" | "tofu" if words.first() == "fmt" && !words.has(&["-check"]) => {
            Reach::Anything
        }
        "source" | "." => sourced(words.first()),
        // What they edit is named, and they may leave a copy beside it.
        "sed" | "gsed" if words.has_option("-i") || words.has_option("--in-place") => {
            Reach::NewFiles
        }
        "awk" | "gawk" if words.has(&["inplace"]) => Reach::NewFiles,
        "yq" if words.has_option("-i") || words.has_option("--inplace") => Reach::NewFiles,
        name if LOOKING.contains(&name) => Reach::Nothing,
        name if MAKING.contains(&name) => Reach::NewFiles,
        _ => Reach::Anything,
    }
}

/// The words of a run that are known.
struct Words<'r>(Vec<&'r str>);

impl<'r> Words<'r> {
    fn of(run: &'r Invocation) -> Self {
        let known = run.args.iter().filter_map(|arg| match &arg.value {
            Value::Known(text) => Some(text.as_str()),
            _ => None,
        });
        Self(known.collect())
    }

    /// Those that are no options.
    fn plain(&self) -> impl Iterator<Item = &'r str> {
        self.0.iter().copied().filter(|it| !it.starts_with('-'))
    }

    fn first(&self) -> &'r str {
        self.plain().next().unwrap_or_default()
    }

    fn has(&self, options: &[&str]) -> bool {
        self.0.iter().any(|it| options.contains(it))
    }

    /// Whether an option is given, also with something behind it.
    fn has_option(&self, option: &str) -> bool {
        self.0.iter().any(|it| it.starts_with(option))
    }

    /// Whether options say that a program changes what it else only checks. Those that only look have other meanings for them.
    fn fix(&self, program: &str) -> bool {
        let looks = program == "git" || program == "yq" || LOOKING.contains(&program);
        let snapshots = SNAPSHOTS.contains(&program) && self.has(&["-u", "--update"]);
        !looks && (snapshots || self.has(FIXING_OPTIONS))
    }
}

fn formatter(program: &str, words: &Words<'_>) -> Reach {
    match words.first() {
        "check" | "lint" => Reach::NewFiles,
        _ if program == "eslint" || words.has(&["--check", "--diff"]) => Reach::NewFiles,
        _ => Reach::Anything,
    }
}

fn python(words: &Words<'_>) -> Reach {
    match words.0.as_slice() {
        ["-m", module, ..] if MAKING.contains(module) || *module == "unittest" => Reach::NewFiles,
        ["-m", "json.tool" | "venv" | "pip" | "http.server", ..] | ["--version" | "-V"] => {
            Reach::NewFiles
        }
        _ => Reach::Anything,
    }
}

/// `make -j 4 lint test`: each of the targets counts.
fn targets(words: &Words<'_>) -> Reach {
    let is_target = |it: &&str| !it.contains('=') && !it.chars().all(|it| it.is_ascii_digit());
    let mut named = words.plain().filter(is_target);
    if named.all(only_makes) {
        Reach::NewFiles
    } else {
        Reach::Anything
    }
}

/// `npm run lint`, `uv run pytest`: what is run counts.
fn commands(program: &str, words: &Words<'_>) -> Reach {
    let first = words.first();
    let further = words.plain().nth(1);
    let started = match first {
        "run" | "exec" if program != "cargo" && program != "go" => further.unwrap_or(first),
        other if adds(program, (other, further)) => return Reach::Manifests,
        other => other,
    };
    if started.is_empty() || only_makes(started) {
        Reach::NewFiles
    } else {
        Reach::Anything
    }
}

/// Whether a package manager writes down what the project needs; `npm install` alone only does as it is told there.
fn adds(program: &str, command: (&str, Option<&str>)) -> bool {
    match (program, command) {
        ("npx" | "swift", _) => false,
        ("npm" | "pnpm" | "yarn" | "bun", ("install" | "i", Some(_)) | ("audit", Some("fix")))
        | ("npm" | "pnpm", ("pkg", Some("set" | "delete" | "fix")))
        | ("go", ("mod", Some("tidy" | "edit"))) => true,
        (_, (command, _)) => ADDING_COMMANDS.contains(&command),
    }
}

/// Whether a command, a target or a script leaves alone what people write, by its name.
fn only_makes(name: &str) -> bool {
    let by_prefix = ["test", "build", "lint", "check"].iter().any(|it| {
        let rest = name.strip_prefix(it);
        rest.is_some_and(|rest| rest.starts_with([':', '-']))
    });
    let fixes = name.split([':', '-', '_']).any(|it| FIXING.contains(&it));
    !fixes && (by_prefix || MAKING_COMMANDS.contains(&name) || MAKING.contains(&name))
}

/// A script that the shell itself reads is one like others, unless it only sets variables.
fn sourced(path: &str) -> Reach {
    let name = path.rsplit('/').next().unwrap_or(path);
    let parts = ["activate", "complet", "env", "profile", "setup"];
    let sets = parts.iter().any(|it| name.contains(it))
        || name.ends_with("rc")
        || matches!(name, "nvm.sh" | "conda.sh");
    if sets {
        Reach::Nothing
    } else {
        Reach::Anything
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

#[cfg(test)]
mod tests {
    use bowline_guard::interpret::interpret;
    use bowline_guard::paths::StaticWorld;

    use super::*;

    #[test]
    fn programs_reach_as_far_as_they_do() {
        use Reach::{Anything, Manifests, NewFiles, Nothing};
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
            ("npm test 2>&1 | sort -u", NewFiles),
            ("pytest 2>&1 | grep -w FAILED", NewFiles),
            ("git push -u origin main", Nothing),
            ("rg -uu foo | head; diff -u a b; wc -w README.md", Nothing),
            ("npm test -w packages/a", NewFiles),
            ("npx jest -u", Anything),
            ("npm test -- -u", Anything),
            ("npm run lint:fix", Anything),
            ("npm run build:prod", NewFiles),
            ("make build fmt", Anything),
            ("make -j 4 CC=gcc build test", NewFiles),
            ("terraform fmt -recursive", Anything),
            ("terraform fmt -check", NewFiles),
            ("terraform plan", NewFiles),
            (". ./gen.sh", Anything),
            (". .venv/bin/activate && pytest", NewFiles),
            ("sed -i.bak s/x/y/ a.py", NewFiles),
            ("sed -n 1,5p a.py", Nothing),
            ("npm install", NewFiles),
            ("npm install lodash", Manifests),
            ("npm version patch", Manifests),
            ("cargo add serde", Manifests),
            ("cargo install ripgrep", NewFiles),
            ("uv add httpx", Manifests),
            ("poetry add httpx", Manifests),
            ("go get example.com/x", Manifests),
            ("go mod tidy", Manifests),
            ("cargo build", NewFiles),
        ] {
            let runs = interpret(line, &StaticWorld::new("/p", "/home/dev")).invocations;
            assert_eq!(reach_of(&runs), expected, "{line}");
        }
    }

    #[test]
    fn what_tools_keep_is_changed_only_by_those_that_keep_it() {
        assert!(Reach::NewFiles.changes("/p/Cargo.lock"));
        assert!(!Reach::NewFiles.changes("/p/package.json"));
        assert!(Reach::Manifests.changes("/p/web/package.json"));
        assert!(!Reach::Manifests.changes("/p/src/main.py"));
        assert!(!Reach::Nothing.changes("/p/Cargo.lock"));
    }
}
