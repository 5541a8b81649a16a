//! Secrets in variables: which names mean one, and what prints them.

use crate::effect::Effect;
use crate::invocation::{Arg, Stdin, Through};
use crate::shell;

use super::filters::{Lets, lets};
use super::{ENVIRONMENT, READ, SEND, VARIABLE};
use crate::families::Run;
use crate::families::args::{Spec, parse, word};

/// Whether a variable or setting is named like a secret.
pub(in crate::families) fn names_a_secret(name: &str) -> bool {
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut previous_small = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() && previous_small {
            spaced.push('_');
        }
        previous_small = character.is_ascii_lowercase();
        spaced.push(character.to_ascii_lowercase());
    }
    let words: Vec<&str> = spaced
        .split(|it: char| !it.is_ascii_alphanumeric())
        .filter(|it| !it.is_empty())
        .collect();
    let Some((last, before)) = words.split_last() else {
        return false;
    };
    let previous = before.last().copied().unwrap_or_default();
    match *last {
        // Where the file is, by which Google's tools find it.
        "credentials" if previous == "application" => false,
        "secret" | "secrets" | "token" | "password" | "passwd" | "passphrase" | "apikey"
        | "credentials" | "credential" | "pat" | "pw" | "jwt" | "privatekey" | "secretkey"
        | "accesskey" | "authtoken" | "mnemonic" => true,
        "pass" | "auth" | "dsn" | "salt" | "cookie" => !before.is_empty(),
        "key" | "keys" => {
            !before.is_empty()
                && !matches!(
                    previous,
                    "public"
                        | "primary"
                        | "foreign"
                        | "sort"
                        | "cache"
                        | "partition"
                        | "host"
                        | "pub"
                        | "publishable"
                        | "hash"
                        | "object"
                        | "bucket"
                )
        }
        "url" | "uri" | "string" => matches!(
            previous,
            "database"
                | "db"
                | "redis"
                | "mongodb"
                | "mongo"
                | "connection"
                | "postgres"
                | "amqp"
                | "webhook"
        ),
        "id" => previous == "key" && before.contains(&"access"),
        _ => false,
    }
}

/// Variables that say where a file with a secret is.
const SECRET_FILES: &[&str] = &[
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AZURE_FEDERATED_TOKEN_FILE",
    "KUBECONFIG",
    "NETRC",
    "PGPASSFILE",
    "SOPS_AGE_KEY_FILE",
    "VAULT_CLIENT_KEY",
];

/// The variable in a run's words that names a file with a secret.
pub(super) fn secret_file(args: &[Arg]) -> Option<&'static str> {
    args.iter().filter(|it| it.text().is_none()).find_map(|it| {
        let name = it.source.trim_matches(['"', '$', '{', '}']);
        SECRET_FILES.iter().copied().find(|known| *known == name)
    })
}

/// The variables that a word spells out, without those that are only tested or counted.
pub(super) fn variables(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('$') {
        if before.ends_with('\\') {
            rest = after;
            continue;
        }
        let braced = after.strip_prefix('{');
        let text = braced.unwrap_or(after);
        let end = text
            .find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
            .unwrap_or(text.len());
        let (name, tail) = text.split_at_checked(end).unwrap_or((text, ""));
        let tested = braced.is_some() && (tail.starts_with(":+") || tail.starts_with('+'));
        if !name.is_empty() && !tested {
            found.push(name);
        }
        rest = after;
    }
    found
}

/// `${NAME:-default}`: the default is known, but it is not what is printed where there is a value.
fn has_default(source: &str) -> bool {
    source.split_once("${").is_some_and(|(_, inside)| {
        let name = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        [":-", "-", ":=", "="].iter().any(|it| name.starts_with(it))
    })
}

pub(super) fn printed_variable(run: Run<'_>) -> Option<Effect> {
    let from_words = run
        .args
        .iter()
        .filter(|it| it.text().is_none() || has_default(&it.source))
        .flat_map(|it| variables(&it.source));
    let fed: Vec<&str> = match &run.invocation.stdin {
        Stdin::Pipe(programs) if matches!(run.name, "tee" | "cat") => programs
            .iter()
            .filter(|it| it.starts_with('$') || it.starts_with("<<<") || it.starts_with("\"$"))
            .flat_map(|it| variables(it))
            .collect(),
        _ => Vec::new(),
    };
    let name = from_words.chain(fed).find(|it| names_a_secret(it));
    match name {
        Some(name) => Some(VARIABLE.grave(format!("prints the secret in ${name}"))),
        None => prints_each(run).then(|| ENVIRONMENT.doubtful("prints every variable")),
    }
}

/// `compgen -v | while read v; do echo "${!v}"; done`
fn prints_each(run: Run<'_>) -> bool {
    if !run.args.iter().any(|it| it.source.contains("${!")) {
        return false;
    }
    run.invocation.through.iter().any(|it| match it {
        Through::EachOf(listing) => matches!(
            listing.split_whitespace().next(),
            Some("compgen" | "env" | "printenv" | "set" | "declare" | "typeset" | "export")
        ),
        _ => false,
    })
}

pub(super) fn environment(name: &str, run: Run<'_>) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&["u", "unset", "C", "chdir", "S", "arg", "f"]),
    );
    if parsed.has(&["help", "version"]) {
        return None;
    }
    let whole = ENVIRONMENT.doubtful("prints the whole environment");
    match name {
        "printenv" => match parsed.words.iter().find(|it| names_a_secret(it)) {
            Some(secret) => Some(VARIABLE.grave(format!("prints the secret in ${secret}"))),
            None => parsed.words.is_empty().then_some(whole),
        },
        "env" => parsed
            .words
            .iter()
            .all(|it| it.contains('='))
            .then_some(whole)
            .filter(|_| !parsed.has(&["i", "ignore-environment"])),
        "set" => run.args.is_empty().then_some(whole),
        "export" | "readonly" => (run.args.is_empty()
            || (parsed.has(&["p"]) && parsed.words.is_empty()))
        .then_some(whole),
        "declare" | "typeset" => {
            let secret = parsed
                .words
                .iter()
                .find(|it| names_a_secret(it))
                .filter(|_| parsed.has(&["p"]));
            match secret {
                Some(secret) => Some(VARIABLE.grave(format!("prints the secret in ${secret}"))),
                None => (parsed.words.is_empty()
                    && (parsed.has(&["p", "x"]) || run.args.is_empty()))
                .then_some(whole),
            }
        }
        // `jq -n env` and `jq -n '$ENV'`.
        _ => {
            let filter = parsed.at(0);
            let secret = filter
                .split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
                .any(names_a_secret);
            let reads = filter == "env"
                || filter == "$ENV"
                || filter.starts_with("env.")
                || filter.starts_with("$ENV.")
                || filter.starts_with("env|")
                || filter.starts_with("env |");
            let part = filter.contains('.') && !secret;
            (name == "jq" && reads && !part)
                .then(|| ENVIRONMENT.grave("prints the environment with the secrets in it"))
        }
    }
}

/// Whether a pattern looks for secrets in the environment.
fn wants_secrets(pattern: &str) -> bool {
    let lower = pattern.to_ascii_lowercase();
    [
        "secret",
        "token",
        "pass",
        "key",
        "aws",
        "cred",
        "api",
        "auth",
        "private",
        "azure",
        "stripe",
        "github",
        "database_url",
        "pwd_",
    ]
    .iter()
    .any(|want| lower.contains(want))
}

/// Whether a search in the environment is for variables by their names, and for none that holds a secret: `grep ^PATH=`.
pub(super) fn picks_harmless_variables(name: &str, args: &[&str]) -> bool {
    let Some(pattern) = args.iter().find(|it| !it.starts_with('-')) else {
        return false;
    };
    let inverted = args.iter().any(|it| {
        *it == "--invert-match"
            || (it.starts_with('-') && !it.starts_with("--") && it.contains('v'))
    });
    let mut words = pattern
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|it| !it.is_empty())
        .peekable();
    let named = words.peek().is_some() && words.all(|it| it.len() > 2);
    let plain = !pattern.contains(['[', '\\', '.', '*', '?', '…']);
    matches!(name, "grep" | "egrep" | "fgrep" | "rg")
        && named
        && plain
        && !inverted
        && !wants_secrets(pattern)
}

/// `history | grep TOKEN`
pub(super) fn searched_history(name: &str, run: Run<'_>) -> Option<Effect> {
    let Stdin::Pipe(programs) = &run.invocation.stdin else {
        return None;
    };
    if !matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "awk" | "sed") {
        return None;
    }
    let is_history = |it: &String| matches!(it.split_whitespace().next(), Some("history" | "fc"));
    let wanted = [
        "secret",
        "token",
        "passw",
        "credential",
        "api_key",
        "apikey",
    ];
    let wants = run.args.iter().any(|it| {
        let lower = word(it).to_ascii_lowercase();
        wanted.iter().any(|want| lower.contains(want))
    });
    (wants && programs.iter().any(is_history))
        .then(|| READ.doubtful("searches the shell's history for secrets"))
}

/// `env | grep SECRET`, and the environment sent elsewhere.
pub(super) fn filtered_environment(name: &str, run: Run<'_>) -> Option<Effect> {
    let Stdin::Pipe(programs) = &run.invocation.stdin else {
        return None;
    };
    let dumps = programs.iter().any(|it| {
        let mut words = it.split_whitespace();
        let first = words.clone().next().unwrap_or_default();
        let last = words.next_back().unwrap_or_default();
        matches!(last, "env" | "printenv" | "set")
            || (first == "export" && last == "-p")
            || it.contains("/environ")
    });
    if !dumps {
        return None;
    }
    // Names that another program has left of it are no secrets.
    let only_names = programs.iter().any(|it| {
        let line = shell::parse(it);
        let words: Option<Vec<&str>> = line.commands.first().map(|it| {
            it.words
                .iter()
                .filter_map(|word| word.literal.as_deref())
                .collect()
        });
        words.is_some_and(|it| match it.split_first() {
            Some((name, args)) => lets(name, args) != Lets::Everything,
            None => false,
        })
    });
    let given: Vec<&str> = run.args.iter().map(word).collect();
    if only_names || lets(name, &given) != Lets::Everything {
        return None;
    }
    if matches!(
        name,
        "curl"
            | "wget"
            | "nc"
            | "ncat"
            | "netcat"
            | "telnet"
            | "socat"
            | "mail"
            | "ssh"
            | "http"
            | "xh"
            | "pastebinit"
            | "gh"
    ) {
        return Some(SEND.grave("sends the whole environment to another machine"));
    }
    let searches = matches!(
        name,
        "grep" | "egrep" | "fgrep" | "rg" | "awk" | "sed" | "ag" | "ugrep"
    );
    let wants = run.args.iter().any(|it| wants_secrets(word(it)));
    (searches && wants).then(|| ENVIRONMENT.grave("prints the secrets of the environment"))
}
