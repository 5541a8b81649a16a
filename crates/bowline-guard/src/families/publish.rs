//! Publishing: what goes out to others, and what is withdrawn from them.

use crate::effect::Effect;

use super::Run;
use super::args::{Parsed, Spec, listed, parse};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    PUBLISH = Remote, "publish.release", "Publishes a package or release",
        instead "see first what would go out with `npm pack --dry-run` or `cargo package --list`";
    WITHDRAW = Remote, "publish.withdraw", "Withdraws what others may depend on",
        instead "publish a corrected version, and mark the old one: that is the person's decision";
    REPOSITORY = Remote, "publish.hosted-repository", "Deletes or exposes a hosted repository",
        instead "look at it first with `gh repo view`";
    HOSTED = Remote, "publish.hosted-object", "Deletes or changes something on a code host",
        instead "look at it first, for example with `gh api` without a method";
    GLOBAL = System, "publish.global-uninstall", "Removes a tool that the machine depends on",
        instead "leave the tool, and install the version that is needed in the project";
}

#[rustfmt::skip]
pub(super) static ROWS: Table = Table::new(&[
    Row::grave(&["npm", "pnpm", "yarn", "bun"], "unpublish", &WITHDRAW, "withdraws {} from the registry"),
    Row::grave(&["yarn"], "npm unpublish", &WITHDRAW, "withdraws {} from the registry"),
    Row::doubtful(&["npm", "pnpm", "yarn", "bun"], "publish", &PUBLISH, "publishes this package"),
    Row::doubtful(&["yarn"], "npm publish", &PUBLISH, "publishes this package"),
    Row::doubtful(&["npm", "pnpm"], "deprecate|undeprecate", &WITHDRAW, "marks {} as deprecated"),
    Row::doubtful(&["npm", "pnpm"], "owner|access|team rm|remove|revoke|destroy|grant|set|public|add", &HOSTED, "changes who may publish: {}"),
    Row::doubtful(&["npm", "pnpm", "yarn"], "dist-tag|token|hook rm|remove|revoke|delete|add", &HOSTED, "changes {} in the registry"),
    Row::doubtful(&["lerna", "nx", "changeset", "changesets", "semantic-release", "release-it", "np", "beachball", "release-please", "multi-semantic-release", "auto", "standard-version-publish"], "publish|release|shipit", &PUBLISH, "publishes packages"),
    Row::doubtful(&["semantic-release", "release-it", "np", "multi-semantic-release"], "", &PUBLISH, "publishes packages"),
    Row::doubtful(&["nx"], "release", &PUBLISH, "publishes packages"),
    Row::fine(&["cargo"], "publish|release").with(&["n"]),
    Row::doubtful(&["cargo"], "publish", &PUBLISH, "publishes this crate for good"),
    Row::doubtful(&["cargo"], "release", &PUBLISH, "publishes this crate").with(&["execute", "x"]),
    Row::doubtful(&["cargo"], "yank", &WITHDRAW, "takes the yank of {} back").with(&["undo"]),
    Row::grave(&["cargo"], "yank", &WITHDRAW, "withdraws {} from the registry"),
    Row::doubtful(&["cargo"], "owner", &HOSTED, "changes who may publish").with(&["remove", "r", "add", "a"]),
    Row::grave(&["gem"], "yank", &WITHDRAW, "withdraws {} from the registry"),
    Row::doubtful(&["gem"], "push|owner", &PUBLISH, "publishes {}"),
    Row::doubtful(&["rake"], "release", &PUBLISH, "publishes this gem"),
    Row::doubtful(&["twine"], "upload", &PUBLISH, "publishes {}"),
    Row::doubtful(&["uv", "poetry", "flit", "hatch", "pdm", "maturin", "rye"], "publish|upload", &PUBLISH, "publishes this package"),
    Row::doubtful(&["setup.py"], "upload|register", &PUBLISH, "publishes this package"),
    Row::doubtful(&["setup.py"], "sdist|bdist_wheel upload", &PUBLISH, "publishes this package"),
    Row::doubtful(&["mvn", "mvnw", "mvnd"], "deploy|release:perform|nexus-staging:release", &PUBLISH, "publishes this artefact"),
    Row::doubtful(&["mvn", "mvnw", "mvnd"], "clean|verify|package deploy|release:perform", &PUBLISH, "publishes this artefact"),
    Row::doubtful(&["gradle", "gradlew"], "publish|publishToMavenCentral|uploadArchives|publishPlugins|bintrayUpload|publishAllPublicationsToMavenCentral", &PUBLISH, "publishes this artefact"),
    Row::doubtful(&["sbt"], "publish|publishSigned|release|ci-release", &PUBLISH, "publishes this artefact"),
    Row::grave(&["nuget"], "delete", &WITHDRAW, "withdraws {} from the registry"),
    Row::doubtful(&["nuget"], "push", &PUBLISH, "publishes {}"),
    Row::grave(&["dotnet"], "nuget delete", &WITHDRAW, "withdraws {} from the registry"),
    Row::doubtful(&["dotnet"], "nuget push", &PUBLISH, "publishes {}"),
    Row::grave(&["vsce", "ovsx"], "unpublish|delete-publisher", &WITHDRAW, "withdraws the extension {}"),
    Row::doubtful(&["vsce", "ovsx"], "publish", &PUBLISH, "publishes the extension"),
    Row::grave(&["mix"], "hex.publish", &WITHDRAW, "takes a published version back").with(&["revert"]),
    Row::doubtful(&["mix"], "hex.publish|hex.retire|hex.owner", &PUBLISH, "publishes this package"),
    Row::doubtful(&["dart", "flutter"], "pub publish", &PUBLISH, "publishes this package"),
    Row::grave(&["pod"], "trunk delete|deprecate", &WITHDRAW, "withdraws the pod {}"),
    Row::doubtful(&["pod"], "trunk push", &PUBLISH, "publishes the pod {}"),
    Row::doubtful(&["jsr", "deno"], "publish", &PUBLISH, "publishes this package"),
    Row::doubtful(&["stack", "cabal"], "upload", &PUBLISH, "publishes this package"),
    Row::doubtful(&["docker", "podman", "nerdctl"], "push", &PUBLISH, "publishes the image {}"),
    Row::doubtful(&["docker", "podman", "nerdctl"], "image|manifest|compose push", &PUBLISH, "publishes the image {}"),
    Row::doubtful(&["helm"], "push", &PUBLISH, "publishes the chart {}"),
    Row::doubtful(&["goreleaser"], "release", &PUBLISH, "publishes a release"),
    Row::doubtful(&["conan", "luarocks", "opam-publish", "snapcraft", "anaconda", "spack", "charmcraft"], "upload|release|push|close", &PUBLISH, "publishes {}"),
    // Without a remote it is the cache of this machine.
    Row::grave(&["conan"], "remove", &WITHDRAW, "deletes {} from the registry").with(&["r", "remote"]),
    Row::fine(&["conan"], "remove"),
    Row::grave(&["anaconda", "cloudsmith", "jf", "jfrog"], "remove|delete", &WITHDRAW, "deletes {} from the registry"),
    Row::grave(&["jf", "jfrog"], "rt delete|del|build-discard", &WITHDRAW, "deletes {} from the registry"),
    Row::doubtful(&["fastlane"], "release|deliver|supply|upload_to_app_store|upload_to_play_store|pilot", &PUBLISH, "publishes the application"),
    Row::doubtful(&["eas"], "submit", &PUBLISH, "publishes the application"),
    Row::doubtful(&["clasp"], "deploy", &PUBLISH, "publishes the script"),
    Row::grave(&["huggingface-cli", "hf"], "repo|repo-files delete", &REPOSITORY, "deletes the repository {}"),
]);

const SPEC: Spec = Spec::gnu(&[
    "prefix",
    "registry",
    "tag",
    "w",
    "workspace",
    "C",
    "dir",
    "cwd",
    "filter",
    "F",
    "manifest-path",
    "p",
    "package",
    "token",
    "version",
    "vers",
    "v",
    "otp",
    "access",
    "repository",
    "index",
    "k",
    "s",
    "source",
    "api-key",
    "f",
    "settings",
    "pom",
    "P",
    "config",
    "c",
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "gh" => gh(run),
        "glab" => glab(run),
        "npm" | "pnpm" | "yarn" if removes_itself(run) => Some(GLOBAL.doubtful(format!(
            "removes {} from the machine",
            listed(&parse(run.args, &SPEC).words)
        ))),
        name if ROWS.knows(name) => {
            let parsed = parse(run.args, &SPEC);
            // npm goes on when it does not know an option.
            let tries = match name {
                "npm" | "pnpm" | "yarn" | "bun" => parsed.is_on(&["dry-run"]),
                _ => parsed.is_dry_run(),
            };
            let looks = tries || parsed.is_on(&["snapshot", "d", "skip-publish"]);
            if looks && run.name != "mvn" {
                None
            } else {
                ROWS.first(run, &parsed)
            }
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// Taking away a global tool that others build on.
fn removes_itself(run: Run<'_>) -> bool {
    let parsed = parse(run.args, &SPEC);
    parsed.begins("uninstall|remove|rm|un|r|unlink")
        && parsed.has(&["g", "global"])
        && parsed
            .from(1)
            .iter()
            .any(|it| matches!(*it, "npm" | "yarn" | "pnpm" | "corepack" | "node" | "n"))
}

const GH: Spec = Spec::gnu(&[
    "R",
    "repo",
    "X",
    "method",
    "f",
    "F",
    "raw-field",
    "field",
    "H",
    "header",
    "input",
    "q",
    "jq",
    "t",
    "template",
    "json",
    "title",
    "notes",
    "n",
    "F-file",
    "visibility",
    "hostname",
    "org",
    "o",
    "env",
    "e",
]);

fn gh(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &GH);
    let (object, verb) = (parsed.at(0), parsed.at(1));
    let named = listed(parsed.from(2));
    match (object, verb) {
        ("api", _) => api(&parsed),
        ("repo", "delete") => {
            Some(REPOSITORY.grave(format!("deletes the hosted repository {named}")))
        }
        ("repo", "archive" | "rename" | "unarchive") => {
            Some(REPOSITORY.doubtful(format!("changes the hosted repository: {verb} {named}")))
        }
        ("repo", "edit") if parsed.has(&["visibility", "default-branch"]) => {
            Some(REPOSITORY.doubtful("changes who can see the hosted repository"))
        }
        ("repo", "sync") if parsed.has(&["force"]) => {
            Some(REPOSITORY.doubtful("overwrites a branch of the hosted repository"))
        }
        ("release", "delete") => Some(WITHDRAW.grave(format!("deletes the release {named}"))),
        ("release", "delete-asset") => {
            Some(WITHDRAW.grave(format!("deletes a file of the release {named}")))
        }
        ("release", "upload") if parsed.has(&["clobber"]) => {
            Some(WITHDRAW.doubtful(format!("replaces files of the release {named}")))
        }
        ("release", "create" | "edit") if !parsed.is_on(&["draft", "d"]) => {
            Some(PUBLISH.doubtful(format!("publishes the release {named}")))
        }
        (
            "secret" | "variable" | "run" | "cache" | "gist" | "issue" | "label" | "ssh-key"
            | "gpg-key" | "project" | "codespace" | "ruleset" | "workflow" | "deploy-key",
            "delete" | "remove" | "disable",
        ) => Some(HOSTED.doubtful(format!("deletes the {object} {named}"))),
        ("pr", "merge" | "close") if parsed.is_on(&["d", "delete-branch"]) => {
            Some(HOSTED.doubtful(format!("deletes the branch of pull request {named}")))
        }
        ("pr", "merge") if parsed.has(&["admin"]) => {
            Some(HOSTED.doubtful("merges past the branch's protection"))
        }
        _ => None,
    }
}

fn glab(run: Run<'_>) -> Option<Effect> {
    let parsed = parse(run.args, &GH);
    let named = listed(parsed.from(2));
    match (parsed.at(0), parsed.at(1)) {
        ("api", _) => api(&parsed),
        ("repo" | "project", "delete") => {
            Some(REPOSITORY.grave(format!("deletes the hosted project {named}")))
        }
        ("repo" | "project", "archive" | "transfer") => {
            Some(REPOSITORY.doubtful(format!("changes the hosted project {named}")))
        }
        ("release", "delete") => Some(WITHDRAW.grave(format!("deletes the release {named}"))),
        ("release", "create") => Some(PUBLISH.doubtful(format!("publishes the release {named}"))),
        ("mr", "merge") if parsed.is_on(&["d", "remove-source-branch"]) => {
            Some(HOSTED.doubtful(format!("deletes the branch of merge request {named}")))
        }
        (object, "delete" | "remove") => {
            Some(HOSTED.doubtful(format!("deletes the {object} {named}")))
        }
        _ => None,
    }
}

/// Calls of a code host's programming interface.
fn api(parsed: &Parsed<'_>) -> Option<Effect> {
    let path = parsed.at(1);
    let method = parsed
        .value(&["X", "method"])
        .unwrap_or_default()
        .to_ascii_uppercase();
    if path == "graphql" {
        let query = parsed
            .values(&["f", "F", "raw-field", "field"])
            .collect::<Vec<_>>()
            .join(" ");
        let lower = query.to_ascii_lowercase();
        return (lower.contains("mutation")
            && (lower.contains("delete") || lower.contains("archive")))
        .then(|| HOSTED.doubtful("deletes something on the code host"));
    }
    (method == "DELETE").then(|| deletes_path(path))
}

/// What a DELETE on a path of a code host's interface means.
pub(super) fn deletes_path(path: &str) -> Effect {
    let what = format!("deletes {path} on the code host");
    let path = path.split('?').next().unwrap_or(path);
    let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let is_whole = match parts.iter().position(|it| {
        matches!(
            *it,
            "repos" | "projects" | "repositories" | "orgs" | "groups" | "packages"
        )
    }) {
        Some(at) => {
            let kind = parts.get(at).copied().unwrap_or_default();
            let after = parts.len() - at - 1;
            match kind {
                "repos" | "repositories" => {
                    after == 2 || (parts.get(at.wrapping_sub(2)) == Some(&"projects") && after == 1)
                }
                "projects" | "orgs" | "groups" => {
                    after == 1 || (parts.get(at + 2) == Some(&"repos") && after == 3)
                }
                _ => true,
            }
        }
        None => false,
    };
    let release = parts
        .iter()
        .any(|it| matches!(*it, "releases" | "packages"));
    let main_ref = path.ends_with("heads/main") || path.ends_with("heads/master");
    if is_whole {
        REPOSITORY.grave(what)
    } else if release || main_ref {
        WITHDRAW.grave(what)
    } else {
        HOSTED.doubtful(what)
    }
}
