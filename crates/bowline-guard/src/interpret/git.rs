//! Settings of git that come with a call or from the repository: aliases, and variables that stand for `-c`.

use super::Interpreter;
use super::call::{ExpandedCommand, quoted};
use super::options::first_operand;
use super::scope::Scope;
use super::value::{Item, Output, marked};
use crate::invocation::{Directory, Through};
use crate::paths::{is_within, resolve_literal};

/// Settings that are taken from the environment.
const MAX_SETTINGS: usize = 16;

/// Global options that take the next word.
const WITH_VALUE: &[&str] = &[
    "-c",
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// What git knows by itself: no alias can have these names.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "add", "am", "annotate", "apply", "archimport", "archive", "backfill", "bisect", "blame", "branch", "bugreport", "bundle",
    "cat-file", "check-attr", "check-ignore", "check-mailmap", "check-ref-format", "checkout", "checkout-index", "cherry",
    "cherry-pick", "citool", "clean", "clone", "column", "commit", "commit-graph", "commit-tree", "config", "count-objects",
    "credential", "credential-cache", "credential-store", "cvsexportcommit", "cvsimport", "cvsserver", "daemon", "describe",
    "diagnose", "diff", "diff-files", "diff-index", "diff-pairs", "diff-tree", "difftool", "fast-export", "fast-import", "fetch",
    "fetch-pack", "filter-branch", "fmt-merge-msg", "for-each-ref", "for-each-repo", "format-patch", "fsck", "fsck-objects", "gc",
    "get-tar-commit-id", "grep", "gui", "hash-object", "help", "history", "hook", "http-backend", "http-fetch", "http-push",
    "imap-send", "index-pack", "init", "init-db", "instaweb", "interpret-trailers", "last-modified", "log", "ls-files",
    "ls-remote", "ls-tree", "mailinfo", "mailsplit", "maintenance", "merge", "merge-base", "merge-file", "merge-index",
    "merge-octopus", "merge-one-file", "merge-ours", "merge-recursive", "merge-resolve", "merge-subtree", "merge-tree",
    "mergetool", "mktag", "mktree", "multi-pack-index", "mv", "name-rev", "notes", "p4", "pack-objects", "pack-redundant",
    "pack-refs", "patch-id", "prune", "prune-packed", "pull", "push", "quiltimport", "range-diff", "read-tree", "rebase",
    "receive-pack", "reflog", "refs", "remote", "repack", "replace", "replay", "repo", "request-pull", "rerere", "reset",
    "restore", "rev-list", "rev-parse", "revert", "rm", "send-email", "send-pack", "shell", "shortlog", "show", "show-branch",
    "show-index", "show-ref", "sparse-checkout", "stage", "stash", "status", "stripspace", "submodule", "svn", "switch",
    "symbolic-ref", "tag", "unpack-file", "unpack-objects", "update-index", "update-ref", "update-server-info",
    "upload-archive", "upload-pack", "var", "verify-commit", "verify-pack", "verify-tag", "version", "whatchanged", "worktree",
    "write-tree",
];

/// The same call with the settings of its environment as options: `GIT_CONFIG_COUNT=1 … git x` is `git -c … x`.
pub(super) fn with_settings(call: &ExpandedCommand, scope: &Scope) -> Option<ExpandedCommand> {
    let variable = |name: &str| -> Option<String> {
        let own = call.environment.iter().find(|(it, _)| it == name);
        let own = own.map(|(_, value)| marked(value).to_owned());
        own.or_else(|| Some(scope.get(name)?.marked().to_owned()))
    };
    let mut settings: Vec<String> = Vec::new();
    let count = variable("GIT_CONFIG_COUNT").and_then(|it| it.trim().parse::<usize>().ok());
    for at in 0..count.unwrap_or(0).min(MAX_SETTINGS) {
        if let (Some(key), Some(value)) = (
            variable(&format!("GIT_CONFIG_KEY_{at}")),
            variable(&format!("GIT_CONFIG_VALUE_{at}")),
        ) {
            settings.push(format!("{key}={value}"));
        }
    }
    if let Some(parameters) = variable("GIT_CONFIG_PARAMETERS") {
        let plain = parameters.replace("'='", "=");
        let each = plain.split("' '").take(MAX_SETTINGS);
        settings.extend(each.map(|it| it.trim_matches('\'').to_owned()));
    }
    for option in call.args().iter().map(Item::marked) {
        if let Some((key, name)) = option
            .strip_prefix("--config-env=")
            .and_then(|it| it.rsplit_once('='))
        {
            settings.extend(variable(name).map(|value| format!("{key}={value}")));
        }
    }
    if settings.is_empty() {
        return None;
    }
    let mut words = call.words.get(..1).unwrap_or_default().to_vec();
    for setting in settings {
        words.extend([Item::known("-c"), Item::known(setting)]);
    }
    words.extend(call.args().iter().cloned());
    Some(ExpandedCommand {
        words,
        ..call.clone()
    })
}

impl Interpreter<'_> {
    /// Follows an alias that the repository or the user has: `git boom`.
    pub(super) fn git_alias(
        &mut self,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        let args = call.args();
        let at = first_operand(args, WITH_VALUE);
        let name = args.get(at)?.text()?;
        if COMMANDS.contains(&name) {
            return None;
        }
        let Directory::Known(directory) = &call.directory else {
            return None;
        };
        let directory = self.moved_by_options(args.get(..at).unwrap_or_default(), directory);
        let alias = self.world.git_alias(&directory, name)?;
        let called = format!("git {name}");
        if self.calls.iter().any(|(it, _)| *it == called) {
            return None;
        }
        self.emit_call(call);
        let rest = args.get(at + 1..).unwrap_or_default();
        let rest = rest.iter().map(|it| quoted(it.marked()));
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(Through::Wrapper(called.clone()));
        let text = if let Some(shell) = alias.strip_prefix('!') {
            // It runs at the top of the work tree.
            let root = self.world.project_root();
            inner.directory = Directory::Known(if is_within(&directory, root) {
                root.to_owned()
            } else {
                directory
            });
            words(std::iter::once(shell.to_owned()).chain(rest))
        } else {
            inner.directory = call.directory.clone();
            let globals = args.get(..at).unwrap_or_default();
            let globals = globals.iter().map(|it| quoted(it.marked()));
            let begin = std::iter::once("git".to_owned()).chain(globals);
            words(begin.chain([alias]).chain(rest))
        };
        self.calls.push((called, None));
        let output = self.nested(&text, &inner, call.input.clone());
        self.calls.pop();
        Some(output)
    }

    /// Where git works after its `-C` options.
    fn moved_by_options(&self, options: &[Item], directory: &str) -> String {
        let mut directory = directory.to_owned();
        let values = options.iter().skip(1);
        for (option, value) in options.iter().zip(values) {
            if option.text() == Some("-C")
                && let Some(folder) = value.text()
            {
                let here = super::At::directory(&directory, self.world);
                directory = resolve_literal(folder, &here).path;
            }
        }
        directory
    }
}

fn words(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
