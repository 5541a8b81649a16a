//! Requests that delete: databases, indexes and hosted things behind an interface of http.

mod stores;

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, parse};
use super::database::{Worth, statement_effects};
use super::fetched_code::is_local;
use super::publish;
use super::rule::rules;
use super::sql::Backslash;

rules! {
    STORE = Database, "http.delete-store", "Deletes an index, a database or a queue by a request",
        instead "look at it first with a GET";
    REQUEST = Remote, "http.delete-request", "Asks another machine to delete something",
        instead "look at it first with a GET";
}

const SPEC: Spec = Spec::gnu(&[
    "X",
    "request",
    "H",
    "header",
    "d",
    "data",
    "data-raw",
    "data-binary",
    "data-urlencode",
    "json",
    "o",
    "output",
    "u",
    "user",
    "F",
    "form",
    "A",
    "e",
    "b",
    "c",
    "w",
    "x",
    "m",
    "max-time",
    "method",
    "url",
    "T",
    "cacert",
    "cert",
    "key",
    "E",
    "retry",
    "connect-timeout",
    "body-data",
    "post-data",
    "K",
    "config",
    "proxy",
    "unix-socket",
    "abstract-unix-socket",
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    match run.name {
        "curl" | "wget" | "http" | "https" | "xh" | "xhs" | "httpie" | "curlie" => {}
        _ => return Vec::new(),
    }
    let parsed = parse(run.args, &SPEC);
    let Some(url) = url_of(run.name, &parsed) else {
        return Vec::new();
    };
    let target = Target::new(url);
    let method = method_of(run.name, &parsed);
    let body = parsed
        .values(&[
            "d",
            "data",
            "data-raw",
            "data-binary",
            "data-urlencode",
            "json",
            "body-data",
            "post-data",
        ])
        .collect::<Vec<_>>()
        .join(" ");
    let mut found: Vec<Effect> = Vec::new();
    if parsed
        .value(&["unix-socket", "abstract-unix-socket"])
        .is_some_and(|it| it.contains("docker") || it.contains("podman"))
    {
        return stores::container_engine(target.path, &method, url)
            .into_iter()
            .collect();
    }
    if target.path.contains("_delete_by_query") {
        let all = body.contains("match_all") || body.is_empty();
        let what = format!("deletes documents by {url}");
        found.push(if all {
            STORE.grave(what)
        } else {
            STORE.doubtful(what)
        });
    } else if method == "DELETE" {
        found.extend(delete(&target, url));
    } else if matches!(target.port, "8123" | "8086" | "4000") || target.path.contains("_sql") {
        let query = target.query.replace(['+', '%'], " ");
        for text in [body.as_str(), query.as_str()] {
            let text = text
                .strip_prefix("q=")
                .or_else(|| text.strip_prefix("query="))
                .unwrap_or(text);
            found.extend(statement_effects(text, Backslash::Plain, Worth::Real));
        }
    }
    if found.is_empty() && method != "DELETE" {
        found.extend(stores::deletes_otherwise(&target, &method, &body, url));
    }
    found
}

fn url_of<'arg>(program: &str, parsed: &Parsed<'arg>) -> Option<&'arg str> {
    let methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"];
    parsed.value(&["url"]).or_else(|| {
        let mut words = parsed.words.iter().copied();
        words.find(|it| {
            program.starts_with("curl")
                || program == "wget"
                || !methods.contains(&it.to_ascii_uppercase().as_str())
        })
    })
}

fn method_of(program: &str, parsed: &Parsed<'_>) -> String {
    let given = match program {
        "curl" | "curlie" => parsed.value(&["X", "request"]),
        "wget" => parsed.value(&["method"]),
        _ => parsed.words.first().copied(),
    };
    given
        .unwrap_or_default()
        .trim_start_matches('=')
        .to_ascii_uppercase()
}

struct Target<'url> {
    host: &'url str,
    port: &'url str,
    path: &'url str,
    query: &'url str,
}

impl<'url> Target<'url> {
    fn new(url: &'url str) -> Self {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = authority.rsplit('@').next().unwrap_or(authority);
        let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        Self {
            host,
            port,
            path,
            query,
        }
    }
}

fn delete(target: &Target<'_>, url: &str) -> Option<Effect> {
    let parts: Vec<&str> = target.path.split('/').filter(|it| !it.is_empty()).collect();
    let what = format!("deletes {url}");
    if !matches!(target.port, "9200" | "9201" | "5984")
        && let Some(found) = stores::deletes(target, &parts, &what)
    {
        return Some(found);
    }
    match target.port {
        "9200" | "9201" => Some(stores::deletes_index(&parts, &what)),
        "5984" => Some(if parts.len() <= 1 {
            STORE.grave(what)
        } else {
            STORE.doubtful(what)
        }),
        "8500" | "8200" | "2379" if target.path.contains("kv") || target.port == "8200" => {
            Some(if target.query.contains("recurse") {
                STORE.grave(what)
            } else {
                STORE.doubtful(what)
            })
        }
        _ if is_local(target.host) || target.host.is_empty() => None,
        _ if is_code_host(target) => Some(publish::deletes_path(target.path)),
        _ => Some(stores::deletes_remote(&parts, &what)),
    }
}

fn is_code_host(target: &Target<'_>) -> bool {
    [
        "github",
        "gitlab",
        "bitbucket",
        "gitea",
        "codeberg",
        "forgejo",
        "azure.com",
        "npmjs",
    ]
    .iter()
    .any(|it| target.host.contains(it))
        || target.path.contains("api/v4/projects/")
        || target.path.contains("api/v1/repos/")
}
