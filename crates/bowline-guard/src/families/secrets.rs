//! Live secrets: files that programs read, copy, pack or send, and variables that are printed.

mod filters;
mod flow;
mod more;
mod programs;
mod readers;
mod variables;
mod whole;

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::effect::Effect;
use crate::interpret::At;
use crate::invocation::{Arg, Invocation, Opening, Stdin, Through};
use crate::paths::{World, resolve};
use crate::sensitive::{Access, Sensitivity, classify};

use super::Run;
use super::args::{Parsed, Spec, UNKNOWN, parse, word};
use super::launch::base_name;
use super::rule::rules;
use filters::Lets;
pub(super) use flow::{is_fed_by, without_unseen};
pub(super) use more::unlisted as unlisted_reader;
use programs::{code_host, container_copy, dd, find, git, openssl, request, upload};
use readers::READERS;
pub(super) use variables::names_a_secret;
use variables::{environment, filtered_environment, printed_variable, searched_history};
use whole::whole_places;

rules! {
    READ = SecretRead, "secrets.read", "Reads a file that holds secrets",
        instead "read a template such as `.env.example`, or only the names, and let the program load the values";
    COPY = SecretRead, "secrets.copy", "Copies or packs a file that holds secrets",
        instead "leave the file where it is";
    SEND = SecretSend, "secrets.send", "Sends a file that holds secrets to another machine",
        instead "leave it here, and tell the person which value the other machine needs";
    WHOLE = SecretRead, "secrets.whole-home", "Searches, copies or packs a whole home or machine, the secrets among it",
        instead "name the folder that is needed";
    SEND_WHOLE = SecretSend, "secrets.send-home", "Sends a whole home or machine elsewhere, the secrets among it",
        instead "send only the folder that is needed";
    METADATA = SecretRead, "secrets.cloud-metadata", "Asks the cloud for the credentials of this machine",
        instead "let the tool of the cloud fetch them by itself";
    LOAD = SecretRead, "secrets.load", "Loads a file of secrets into a shell",
        instead "start the program with a loader that passes them on";
    CHANGE = SecretRead, "secrets.change", "Changes a file that holds secrets or logins",
        instead "tell the person which line should change";
    VARIABLE = SecretRead, "secrets.variable", "Prints a variable that holds a secret",
        instead "only check that it is set: `test -n \"$NAME\"`";
    ENVIRONMENT = SecretRead, "secrets.environment", "Prints the whole environment, with the secrets in it",
        instead "print the one variable that is needed, as in `printenv PATH`";
    STAGE = SecretSend, "secrets.stage", "Puts a file that holds secrets under version control",
        instead "add it to `.gitignore`, and commit a template without values";
}

/// At most this many files of one run are looked at, and this many of them as whole trees.
const MAX_FILES: usize = 1024;
const MAX_TREES: usize = 8;

/// What a program does with the files that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Prints,
    Copies,
    Sends,
    Loads,
}

/// Which of its words are files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    All,
    /// The first word is a pattern or a script.
    AfterFirst,
    /// The last word is the target.
    AllButLast,
}

struct Reader {
    names: &'static [&'static str],
    does: Use,
    files: Files,
    /// Options with a value that is no file to read.
    values: &'static [&'static str],
}

pub(super) fn effects(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let name = base_name(run.name);
    let mut found = Vec::new();
    match name {
        "echo" | "printf" | "print" | "tee" | "cat" | "logger" | "wall" | "say" | "write"
        | "notify-send" => {
            found.extend(printed_variable(run));
        }
        "env" | "printenv" | "set" | "export" | "declare" | "typeset" | "jq" | "compgen"
        | "readonly" => {
            found.extend(environment(name, run));
        }
        "curl" | "wget" | "http" | "https" | "xh" | "httpie" | "curlie" => {
            found.extend(request(name, run, world));
        }
        "git" => found.extend(git(run, world)),
        "openssl" => found.extend(openssl(run, world)),
        "dd" => found.extend(dd(run, world)),
        "docker" | "podman" | "kubectl" | "oc" | "nerdctl" => {
            found.extend(container_copy(run, world));
        }
        "aws" | "gsutil" | "gcloud" | "az" | "s3cmd" | "rclone" | "mc" => {
            found.extend(upload(name, run, world));
        }
        "gh" | "glab" => found.extend(code_host(run, world)),
        "find" | "fd" => found.extend(find(run, world)),
        _ => {}
    }
    if let Some(reader) = READERS.iter().find(|it| it.names.contains(&name)) {
        found.extend(reads(run, reader, world));
    }
    if found.is_empty() {
        found.extend(more::effects(name, run, world));
        found.extend(more::framework_settings(run));
    }
    found.extend(stdin_and_redirections(name, run, world));
    found.extend(filtered_environment(name, run));
    found.extend(searched_history(name, run));
    found.dedup();
    found
}

/// How grave it is to touch `path` in this way.
fn judge(path: &str, access: Access, world: &dyn World) -> Option<(Sensitivity, &'static str)> {
    if path.is_empty() || path == UNKNOWN || path == "-" {
        return None;
    }
    // `host:path`, `container:path` and `@file` name the file after the mark.
    let file = match path.split_once(':') {
        Some((before, after))
            if !before.contains('/') && before.len() > 1 && !after.starts_with("//") =>
        {
            after
        }
        _ => path,
    };
    // `.*` takes every hidden file along, an environment file among them.
    let file = match file.strip_suffix(".*") {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => {
            Cow::Owned(format!("{folder}.env"))
        }
        _ => Cow::Borrowed(file),
    };
    let sensitivity = classify(&resolve(&file, world), access, world);
    sensitivity.reason().map(|reason| (sensitivity, reason.why))
}

fn effect_of(does: Use, path: &str, sensitivity: Sensitivity, why: &str) -> Option<Effect> {
    let (rule, act) = match does {
        Use::Prints => (&READ, "reads"),
        Use::Copies => (&COPY, "copies"),
        Use::Sends => (&SEND, "sends"),
        Use::Loads => (&LOAD, "loads"),
    };
    let what = format!("{act} {path}: {why}");
    let effect = match sensitivity {
        Sensitivity::Secret(_) if does != Use::Loads => rule.grave(what),
        Sensitivity::Secret(_) => rule.doubtful(what),
        Sensitivity::Maybe(_) if does != Use::Loads => rule.doubtful(what),
        Sensitivity::Maybe(_) | Sensitivity::Public => return None,
    };
    // What helps depends on the file: a template for `.env`, but none for a key.
    Some(match sensitivity.reason() {
        Some(reason) if does == Use::Prints => effect.instead(reason.instead),
        _ => effect,
    })
}

fn touches(does: Use, path: &str, access: Access, world: &dyn World) -> Option<Effect> {
    let (sensitivity, why) = judge(path, access, world)?;
    effect_of(does, path, sensitivity, why)
}

fn reads(run: Run<'_>, reader: &Reader, world: &dyn World) -> Vec<Effect> {
    let parsed = parse_words(run.args, reader.values);
    // `tar -C folder -c …` packs what lies in that folder.
    let folder = packed_folder(run, world);
    let there = folder.as_deref().map(|it| At::directory(it, world));
    let world: &dyn World = match &there {
        Some(there) => there,
        None => world,
    };
    let words: Vec<&str> = match reader.files {
        // What follows an option may be a file all the same: `od -c .env`.
        Files::All if reader.does == Use::Prints => {
            let values = parsed.option_values().filter(|it| it.contains(['.', '/']));
            parsed.words.iter().copied().chain(values).collect()
        }
        Files::All => parsed.words.clone(),
        Files::AfterFirst if parsed.has(&["e", "regexp", "f", "file", "expression", "files"]) => {
            parsed.words.clone()
        }
        // Without a filter of its own, the one word is the file.
        Files::AfterFirst
            if matches!(run.name, "jq" | "yq" | "xq" | "tomlq" | "dasel" | "gron")
                && matches!(parsed.words.as_slice(), [file] if !file.contains([' ', '(', '|'])) =>
        {
            parsed.words.clone()
        }
        Files::AfterFirst => parsed.from(1).to_vec(),
        Files::AllButLast if parsed.has(&["t", "target-directory"]) || parsed.words.len() < 2 => {
            parsed.words.clone()
        }
        Files::AllButLast => {
            let count = parsed.words.len().saturating_sub(1);
            parsed.words.iter().take(count).copied().collect()
        }
    };
    let name = base_name(run.name);
    let in_place =
        matches!(name, "sed" | "gsed" | "perl" | "yq" | "sd") && parsed.has(&["i", "in-place"]);
    // Of those that only print files, one goes into folders.
    let takes_folders = name == "diff" || reader.does != Use::Prints || reader.files != Files::All;
    let recursive = (takes_folders && parsed.has(&["r", "R", "a", "recursive", "archive"]))
        || matches!(
            name,
            "tar" | "gtar" | "bsdtar" | "rg" | "ag" | "ack" | "7z" | "7za" | "ditto"
        )
        || reader.does == Use::Sends;
    let access = match (in_place, recursive) {
        (true, _) => Access::Edit,
        (false, true) => Access::Search,
        (false, false) => Access::Read,
    };
    // A recursive search without a place is one through the current directory.
    let searches = reader.does == Use::Prints && reader.files == Files::AfterFirst;
    let words = if searches
        && access == Access::Search
        && words.is_empty()
        && run.invocation.stdin == Stdin::None
    {
        vec!["."]
    } else {
        words
    };
    let narrow = parsed.has(&["include", "g", "glob", "iglob", "t", "type"]);
    let target = parsed.words.last().copied().unwrap_or_default();
    let sends = matches!(name, "scp" | "rsync" | "sftp" | "pscp" | "rcp") && target.contains(':');
    let mut found: Vec<Effect> = Vec::new();
    let quiet = matches!(name, "grep" | "rg" | "egrep" | "ggrep" | "cmp" | "diff")
        && parsed.has(&[
            "q",
            "quiet",
            "l",
            "c",
            "count",
            "files-with-matches",
            "silent",
        ]);
    // Names without values are no secrets, nor is a count.
    let given: Vec<&str> = run.args.iter().map(word).collect();
    let lets = filters::lets(name, &given);
    let quiet = quiet || lets == Lets::Nothing;
    if recursive && !quiet {
        let does = if sends { Use::Sends } else { reader.does };
        if !narrow {
            found.extend(whole_places(does, &words, run.invocation, world));
        }
        // The names that a search is limited to.
        let names = parsed.values(&["include", "g", "glob", "iglob"]);
        found.extend(
            names
                .filter(|it| reader.does == Use::Prints && !it.starts_with('!'))
                .filter_map(|it| touches(Use::Prints, it, Access::Read, world)),
        );
    }
    if words.len() > MAX_FILES && !quiet {
        found.push(READ.doubtful("takes more files than can be looked at here"));
    }
    for (at, path) in words.iter().take(MAX_FILES).enumerate().filter(|_| !quiet) {
        let access = match access {
            Access::Search if at >= MAX_TREES => Access::Read,
            other => other,
        };
        let Some((sensitivity, why)) = judge(path, access, world) else {
            continue;
        };
        if lets == Lets::Names && !in_place && flow::holds_named_values(&sensitivity) {
            continue;
        }
        if in_place {
            found.push(change(path, sensitivity, why));
            continue;
        }
        let does = if sends { Use::Sends } else { reader.does };
        // A copy beside the file that is as well protected only needs a person's nod.
        let kept = reader.does == Use::Copies
            && !sends
            && reader.files == Files::AllButLast
            && target.starts_with(*path)
            && matches!(
                judge(target, Access::Read, world),
                Some((Sensitivity::Secret(_), _))
            );
        match effect_of(does, path, sensitivity, why) {
            Some(_) if kept => {
                found.push(COPY.doubtful(format!("copies {path} to {target}: {why}")));
            }
            other => found.extend(other),
        }
    }
    if !quiet && lets == Lets::Everything {
        found.extend(variables::secret_file(run.args).map(|it| {
            READ.grave(format!(
                "reads the file that ${it} names, which holds a secret"
            ))
        }));
    }
    if found.is_empty() && !quiet {
        found.extend(each_of(run.invocation, reader.does, world));
    }
    found
}

fn packed_folder(run: Run<'_>, world: &dyn World) -> Option<String> {
    if !matches!(base_name(run.name), "tar" | "gtar" | "bsdtar") {
        return None;
    }
    let words = || run.args.iter().map(word);
    let packs = words().enumerate().any(|(at, it)| {
        let letters = it.strip_prefix('-').unwrap_or(it);
        let cluster = at == 0 || (it.starts_with('-') && !it.starts_with("--"));
        it == "--create" || (cluster && letters.contains('c'))
    });
    let after = |names: &[&str]| {
        let at = words().position(|it| names.contains(&it))?;
        words().nth(at + 1)
    };
    let given = after(&["-C", "--directory", "--cd"])
        .or_else(|| words().find_map(|it| it.strip_prefix("--directory=")));
    let folder = given.filter(|it| packs && *it != UNKNOWN)?;
    Some(resolve(folder, world).path)
}

/// Words and options, where single letters of these names take a value.
fn parse_words<'arg>(args: &'arg [Arg], values: &'static [&'static str]) -> Parsed<'arg> {
    let mut parsed = parse(args, &Spec::gnu(values));
    // What follows `-x` is left out of an archive.
    if let Some(at) = args
        .iter()
        .position(|it| matches!(word(it), "-x" | "--exclude" | "-xr!"))
    {
        let excluded: BTreeSet<&str> = args.iter().skip(at).map(word).collect();
        parsed.words.retain(|it| !excluded.contains(it));
    }
    parsed
}

fn change(path: &str, sensitivity: Sensitivity, why: &str) -> Effect {
    let what = format!("changes {path}: {why}");
    match sensitivity {
        Sensitivity::Secret(_) => CHANGE.grave(what),
        Sensitivity::Maybe(_) | Sensitivity::Public => CHANGE.doubtful(what),
    }
}

/// Files that another program finds by name: `find . -name .env -exec cat {} +`.
fn each_of(invocation: &Invocation, does: Use, world: &dyn World) -> Option<Effect> {
    let source = invocation.through.iter().find_map(|it| match it {
        Through::EachOf(text) => Some(text),
        _ => None,
    })?;
    let lister = source.split_whitespace().next().unwrap_or_default();
    let finds = matches!(
        lister,
        "find" | "fd" | "fdfind" | "locate" | "ls" | "git" | "rg" | "grep" | "echo" | "printf"
    );
    if lister == "ls" && may_list_secrets(source) {
        let what = format!("reads what `{source}` names, files with secrets among it");
        return Some(READ.doubtful(what));
    }
    finds
        .then(|| {
            source
                .split_whitespace()
                .map(|it| {
                    it.trim_matches(['"', '\'', '\\', '^', '$'])
                        .trim_start_matches('\\')
                })
                .filter(|it| !it.starts_with('-') && it.len() > 2)
                .find_map(|it| touches(does, it, Access::Read, world))
        })
        .flatten()
}

/// `ls -a | grep env`: names of hidden files that hold secrets have the text in them.
fn may_list_secrets(listing: &str) -> bool {
    const HIDDEN: &[&str] = &[
        ".env",
        ".netrc",
        ".npmrc",
        ".pgpass",
        ".pypirc",
        ".git-credentials",
    ];
    let Some((lister, filter)) = listing.split_once(" | grep ") else {
        return false;
    };
    let shows_hidden = lister.split_whitespace().any(|it| {
        it == "--all" || (it.starts_with('-') && !it.starts_with("--") && it.contains(['a', 'A']))
    });
    let mut words = filter.split_whitespace();
    let pattern = words.find(|it| !it.starts_with('-')).unwrap_or_default();
    let mut texts = pattern
        .split('|')
        .map(|it| it.trim_matches(['"', '\'', '\\', '^', '$', '.']));
    shows_hidden && texts.any(|text| text.len() > 2 && HIDDEN.iter().any(|it| it.contains(text)))
}

/// What the shell opens for a program.
fn stdin_and_redirections(name: &str, run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let metadata = matches!(
        name,
        "wc" | "test"
            | "["
            | "[["
            | "md5sum"
            | "sha1sum"
            | "sha256sum"
            | "sha512sum"
            | "shasum"
            | "cksum"
            | "file"
            | "stat"
            | "ssh-add"
            | "true"
            | ":"
            | "cd"
    ) || takes_secret(run);
    let given: Vec<&str> = run.args.iter().map(word).collect();
    let lets = filters::lets(name, &given);
    let metadata = metadata || lets == Lets::Nothing;
    let sends = matches!(
        name,
        "nc" | "ncat"
            | "netcat"
            | "telnet"
            | "curl"
            | "wget"
            | "ssh"
            | "socat"
            | "mail"
            | "ftp"
            | "http"
            | "xh"
    );
    let does = if sends { Use::Sends } else { Use::Prints };
    if sends && let Stdin::Pipe(programs) = &run.invocation.stdin {
        found.extend(whole::piped(programs, run.invocation, world));
    }
    if matches!(run.name, "gh" | "glab")
        && takes_secret(run)
        && let Stdin::File(file) = &run.invocation.stdin
    {
        found.extend(touches(Use::Loads, word(file), Access::Read, world));
    }
    let only_names = |file: &Arg| {
        let found = judge(word(file), Access::Read, world);
        lets == Lets::Names && found.is_some_and(|(it, _)| flow::holds_named_values(&it))
    };
    if let Stdin::File(file) = &run.invocation.stdin
        && !metadata
        && !only_names(file)
    {
        found.extend(touches(does, word(file), Access::Read, world));
    }
    for opened in &run.invocation.opened {
        match opened.how {
            Opening::Read if metadata || only_names(&opened.file) => {}
            Opening::Read => found.extend(touches(does, word(&opened.file), Access::Read, world)),
            Opening::Overwrite | Opening::Append => {
                if let Some((sensitivity, why)) = judge(word(&opened.file), Access::Write, world) {
                    found.push(change(word(&opened.file), sensitivity, why));
                }
            }
        }
    }
    if name == "tee" || name == "sponge" {
        let parsed = parse(run.args, &Spec::gnu(&[]));
        for path in parsed.words.iter().take(MAX_FILES) {
            if let Some((sensitivity, why)) = judge(path, Access::Write, world) {
                found.push(change(path, sensitivity, why));
            }
        }
    }
    found
}

/// Whether a program takes a secret on its standard input and keeps it to itself.
fn takes_secret(run: Run<'_>) -> bool {
    let has = |wanted: &[&str]| run.args.iter().map(word).any(|it| wanted.contains(&it));
    match run.name {
        "docker" | "podman" | "helm" | "nerdctl" | "crane" | "skopeo" | "oras" | "buildah"
        | "cosign" | "argocd" => {
            has(&["--password-stdin", "login"]) || (has(&["secret"]) && has(&["create"]))
        }
        "gh" | "glab" => has(&["--with-token", "--stdin"]) || has(&["secret"]) && has(&["set"]),
        "fly" | "flyctl" | "wrangler" | "vercel" | "netlify" | "supabase" | "heroku"
        | "kubeseal" | "firebase" => {
            has(&[
                "secret",
                "secrets",
                "env",
                "import",
                "put",
                "set",
                "secret:put",
            ]) || run.name == "kubeseal"
        }
        "kubectl" => has(&["create", "apply"]),
        "npm" | "pulumi" | "vault" | "op" | "pass" | "chpasswd" | "sops" | "age" | "gpg"
        | "cryptsetup" | "sudo" | "wc" | "sha256sum" | "md5sum" | "shasum" | "base64-check"
        | "test" | "ssh-add" | "doppler" | "ansible-vault" => true,
        _ => false,
    }
}
