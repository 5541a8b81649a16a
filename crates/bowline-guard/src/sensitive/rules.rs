//! What is secret, as tables: the first rule that matches a path decides.
//!
//! A pattern is a path's tail: `name`, `directory/name`, or `directory/**` for a directory and all
//! below it. `~/` ties it to a home, `/` to the root. Only `*` is special; all is lower case.

mod cloud;
mod keys;
mod machine;
mod people;
mod project;
mod tools;

use super::Level;

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// What reading the content discloses.
    pub(super) read: Level,
    /// What changing the content means.
    pub(super) change: Level,
    pub(super) templates: Templates,
    pub(super) patterns: &'static [&'static str],
    pub(super) why: &'static str,
    pub(super) instead: &'static str,
}

/// Whether a name that says `example`, `sample` or the like is free of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Templates {
    Pass,
    Count,
}

/// All rules in the order in which they are tried: exceptions stand before what they except.
pub(super) fn all() -> impl Iterator<Item = &'static Rule> {
    [
        keys::RULES,
        machine::RULES,
        cloud::RULES,
        tools::RULES,
        people::RULES,
        project::RULES,
    ]
    .into_iter()
    .flatten()
}

/// Directories that say nothing about their content: naming one is not naming a secret.
#[rustfmt::skip]
pub(super) const COMMON_DIRECTORIES: &[&str] = &[
    "proc", "etc", "var", "run", "dev", "usr", "share", "lib", "local", ".local", ".config",
    "config", "library", "application support", "appdata", "roaming", "sites", "default", "app",
    "main", "self", "root", "home", "conf", "db", "ssl", "data", "containers", "group containers",
    "host", "user", "settings",
];

/// Rules about programs that keep a profile of their own. Their folders have names that projects use, too.
pub(super) const PROFILE_RULES: &[&str] = &["browser-store", "browser-history"];

/// Where programs keep profiles.
#[rustfmt::skip]
pub(super) const PROFILE_PLACES: &[&str] = &[
    ".config", "library", "appdata", "application support", "application data", "snap", ".var",
    ".mozilla", "user data",
];

/// Directories of tools that hold a secret among much else: listing one is not looking for it,
/// reading all of it is.
#[rustfmt::skip]
pub(super) const BUSY_DIRECTORIES: &[&str] = &[
    ".claude", ".codex", ".cursor", ".gemini", ".docker", ".cargo", ".m2", ".gradle", ".composer",
    ".bundle", ".gem", ".mozilla", "firefox", ".continue", ".aider", ".vscode", ".terraform.d",
    ".ethereum", ".bitcoin", "google-chrome", "chromium", "composer", "configstore", "git", "pip",
    "rclone", "fish", "op", "hub", "helm", ".electrum", "credentials", "keystore", "ssh",
    "kubernetes", "github-copilot", "netlify", ".netlify", ".fly", ".railway", "heroku", "docker",
    ".databricks", ".minikube", ".sdkman", "opencode", "amp", "goose", ".qwen", ".aws-sam",
];
