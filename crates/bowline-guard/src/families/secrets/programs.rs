//! Programs that take a secret file along in their own way: requests, git, storage, containers.

use crate::effect::Effect;
use crate::paths::World;
use crate::sensitive::{Access, Sensitivity};

use super::variables::{names_a_secret, variables};
use super::{METADATA, SEND, STAGE, Use, judge, touches};
use crate::families::Run;
use crate::families::args::{Spec, parse, word};

pub(super) fn request(name: &str, run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let data = [
        "d",
        "data",
        "data-binary",
        "data-raw",
        "data-urlencode",
        "data-ascii",
        "json",
        "F",
        "form",
        "T",
        "upload-file",
        "post-file",
        "body-file",
        "post-data",
        "body-data",
        "url-query",
        "K",
        "config",
    ];
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "X",
            "request",
            "H",
            "header",
            "d",
            "data",
            "data-raw",
            "data-binary",
            "data-urlencode",
            "data-ascii",
            "json",
            "F",
            "form",
            "T",
            "upload-file",
            "o",
            "output",
            "u",
            "user",
            "A",
            "e",
            "b",
            "c",
            "w",
            "x",
            "m",
            "key",
            "cert",
            "E",
            "cacert",
            "K",
            "config",
            "url",
            "post-file",
            "body-file",
            "url-query",
        ]),
    );
    // `-i` is a file of addresses for wget alone.
    let parsed = if name == "wget" {
        parse(
            run.args,
            &Spec::gnu(&[
                "O",
                "o",
                "P",
                "U",
                "i",
                "input-file",
                "header",
                "post-file",
                "body-file",
                "post-data",
                "body-data",
            ]),
        )
    } else {
        parsed
    };
    let words = match name {
        "curl" | "wget" | "curlie" => Vec::new(),
        _ => parsed.words.clone(),
    };
    let path_options: Vec<&str> = parsed
        .values(&["T", "upload-file", "post-file", "body-file"])
        .collect();
    let addresses = parsed.words.iter().copied().chain(parsed.values(&["url"]));
    for address in addresses {
        if let Some(file) = address.strip_prefix("file://") {
            let file = file.strip_prefix("localhost").unwrap_or(file);
            found.extend(touches(Use::Prints, file, Access::Read, world));
        }
        if is_credentials_of_machine(address) {
            found.push(METADATA.grave(format!("reads the credentials at {address}")));
        }
    }
    let lists: &[&str] = if name == "wget" {
        &["i", "input-file"]
    } else {
        &["K", "config"]
    };
    for file in parsed.values(lists) {
        found.extend(touches(Use::Sends, file, Access::Read, world));
    }
    let headers = parsed
        .values(&["H", "header"])
        .filter(|it| it.starts_with('@'));
    for value in parsed.values(&data).chain(words).chain(headers) {
        // `@file`, `name=@file`, `name=<file`, `name@file`.
        let file = match value.find(['@', '<']) {
            Some(at) => value.get(at + 1..).unwrap_or_default(),
            None if path_options.contains(&value) => value,
            None => continue,
        };
        let file = file.split(';').next().unwrap_or(file);
        found.extend(touches(Use::Sends, file, Access::Read, world));
    }
    // A header may carry a secret to where it belongs; a body or an address should not.
    let mut skip = false;
    for (at, arg) in run.args.iter().enumerate() {
        let text = word(arg);
        let is_header = skip;
        let before = at.checked_sub(1).and_then(|it| run.args.get(it)).map(word);
        let is_body = before.is_some_and(|it| data.contains(&it.trim_start_matches('-')));
        skip = matches!(
            text,
            "-H" | "--header" | "-u" | "--user" | "--oauth2-bearer" | "-b" | "--cookie"
        );
        if arg.text().is_none()
            && !is_header
            && !text.starts_with("-H")
            && !text.starts_with("--header")
            && !text.starts_with("-u")
        {
            let secret = variables(&arg.source)
                .into_iter()
                .find(|it| names_a_secret(it));
            // A body that is nothing but the secret is no request to its service.
            let nothing_else = |name: &str| {
                let bare = arg.source.trim_matches(['"', '\'', '$', '{', '}']);
                bare == name && is_body
            };
            found.extend(secret.map(|it| {
                let what = format!("sends the secret in ${it}");
                if nothing_else(it) {
                    SEND.grave(what)
                } else {
                    SEND.doubtful(what)
                }
            }));
        }
    }
    found
}

/// Where clouds tell a machine its own credentials.
fn is_credentials_of_machine(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, path) = host.split_once('/').unwrap_or((host, ""));
    let known = [
        "169.254.169.254",
        "169.254.170.2",
        "metadata.google.internal",
        "metadata",
        "[fd00:ec2::254]",
        "100.100.100.200",
    ];
    let host = host.strip_suffix(":80").unwrap_or(host);
    known.contains(&host)
        && ["credential", "token", "user-data", "identity", "secret"]
            .iter()
            .any(|it| path.contains(it))
        && !path.ends_with("api/token")
}

pub(super) fn git(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "C",
            "c",
            "git-dir",
            "work-tree",
            "n",
            "format",
            "o",
            "output",
            "m",
        ]),
    );
    let command = parsed.at(0);
    let words = parsed.from(1);
    let names_only = parsed.has(&[
        "stat",
        "name-only",
        "name-status",
        "oneline",
        "quiet",
        "q",
        "numstat",
        "shortstat",
        "summary",
        "exit-code",
        "l",
        "check",
    ]);
    match command {
        "show" | "cat-file" | "diff" | "blame" | "annotate" | "archive" | "grep" | "difftool"
        | "hash-object" => {
            let skip = usize::from(command == "grep");
            words
                .iter()
                .skip(skip)
                .filter(|_| !names_only)
                .filter_map(|it| {
                    let path = it.rsplit_once(':').map_or(*it, |(_, path)| path);
                    touches(Use::Prints, path, Access::Read, world)
                })
                .collect()
        }
        "log" if parsed.has(&["p", "patch", "u"]) => words
            .iter()
            .filter_map(|it| touches(Use::Prints, it, Access::Read, world))
            .collect(),
        "add" | "stage" if !parsed.is_dry_run() && !parsed.has(&["n"]) => words
            .iter()
            .filter_map(|it| match judge(it, Access::Read, world)? {
                (Sensitivity::Secret(_), why) => {
                    let what = format!("puts {it} under version control: {why}");
                    Some(if parsed.has(&["f", "force"]) {
                        STAGE.grave(what)
                    } else {
                        STAGE.doubtful(what)
                    })
                }
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn openssl(run: Run<'_>, world: &dyn World) -> Option<Effect> {
    let parsed = parse(
        run.args,
        &Spec::long(&[
            "in", "inkey", "out", "key", "passin", "passout", "CAfile", "cert",
        ]),
    );
    let prints = matches!(
        parsed.at(0),
        "base64"
            | "enc"
            | "pkcs12"
            | "pkcs8"
            | "rsa"
            | "ec"
            | "dsa"
            | "pkey"
            | "asn1parse"
            | "zlib"
    );
    let public = parsed.has(&["pubout", "pubin", "check", "modulus"])
        || (parsed.has(&["noout"]) && !parsed.has(&["text"]))
        || parsed.has(&["nokeys"]);
    if !prints || public {
        return None;
    }
    touches(Use::Prints, parsed.value(&["in"])?, Access::Read, world)
}

pub(super) fn dd(run: Run<'_>, world: &dyn World) -> Option<Effect> {
    let input = run
        .args
        .iter()
        .find_map(|it| word(it).strip_prefix("if="))?;
    touches(Use::Copies, input, Access::Read, world)
}

pub(super) fn container_copy(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&["n", "namespace", "c", "container", "context", "H"]),
    );
    let at = match (parsed.at(0), parsed.at(1)) {
        ("cp", _) => 1,
        ("compose" | "container", "cp") => 2,
        _ => return Vec::new(),
    };
    parsed
        .words
        .get(at)
        .into_iter()
        .filter_map(|it| touches(Use::Copies, it, Access::Read, world))
        .collect()
}

/// Storage that takes files along.
pub(super) fn upload(name: &str, run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "profile",
            "region",
            "f",
            "file",
            "container-name",
            "n",
            "name",
            "account-name",
            "b",
            "bucket",
            "key",
        ]),
    );
    let uploads = match name {
        "aws" => parsed.begins("s3 cp|mv|sync"),
        "gsutil" | "s3cmd" | "rclone" | "mc" => {
            parsed.begins("cp|mv|rsync|put|sync|copy|copyto|mirror|move|pipe")
        }
        "gcloud" => parsed.begins("storage cp|mv|rsync") || parsed.begins("compute scp"),
        "az" => parsed.begins("storage blob|file|fs upload|upload-batch"),
        _ => false,
    };
    if !uploads {
        return Vec::new();
    }
    parsed
        .from(1)
        .iter()
        .copied()
        .chain(parsed.values(&["f", "file"]))
        .filter_map(|it| touches(Use::Sends, it, Access::Read, world))
        .collect()
}

/// Code hosts take files along, too. A title or a body is a text, whatever it names.
pub(super) fn code_host(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    const TEXTS: Spec = Spec::gnu(&[
        "t",
        "title",
        "b",
        "body",
        "n",
        "notes",
        "d",
        "desc",
        "description",
        "m",
        "message",
        "l",
        "label",
        "a",
        "assignee",
        "r",
        "reviewer",
        "R",
        "repo",
        "B",
        "base",
        "H",
        "head",
        "F",
        "body-file",
        "notes-file",
        "target",
        "f",
        "filename",
        "T",
        "template",
        "p",
        "project",
    ]);
    const REQUEST: Spec = Spec::gnu(&[
        "F",
        "field",
        "f",
        "raw-field",
        "H",
        "header",
        "X",
        "method",
        "q",
        "jq",
        "t",
        "template",
        "input",
        "hostname",
        "cache",
        "p",
        "preview",
    ]);
    let parsed = parse(run.args, &TEXTS);
    let request = parse(run.args, &REQUEST);
    let files: Vec<&str> = if parsed.begins("gist|snippet create") {
        parsed.from(2).to_vec()
    } else if parsed.begins("release create|upload") {
        let assets = parsed.from(3).iter().copied();
        let notes = parsed.values(&["F", "notes-file"]);
        assets
            .map(|it| it.split('#').next().unwrap_or(it))
            .chain(notes)
            .collect()
    } else if request.begins("api") {
        let fields = request.values(&["F", "field"]);
        let read = fields.filter_map(|it| it.split_once("=@").map(|(_, file)| file));
        read.chain(request.values(&["input"])).collect()
    } else {
        parsed.values(&["F", "body-file"]).collect()
    };
    files
        .into_iter()
        .filter_map(|it| touches(Use::Sends, it, Access::Read, world))
        .collect()
}

/// A search that prints what it finds by content is the engine's; one that starts in a place of
/// secrets lists them.
pub(super) fn find(run: Run<'_>, world: &dyn World) -> Option<Effect> {
    let prints = run
        .args
        .iter()
        .map(word)
        .any(|it| it == "-fprint" || it == "-fls");
    let start = run.args.first().map(word).filter(|_| prints)?;
    touches(Use::Copies, start, Access::Search, world)
}
