//! The names of cmdlets and their parameters.

use super::path_item;
use super::reader::block;
use crate::interpret::Interpreter;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item};
use crate::invocation::Value;

/// The cmdlet behind a name or an alias.
#[rustfmt::skip]
pub(super) fn canonical(name: &str) -> &str {
    match name {
        "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => "remove-item",
        "gci" | "ls" | "dir" => "get-childitem",
        "gc" | "cat" | "type" | "import-csv" | "import-clixml" | "format-hex" | "get-filehash-content" => "get-content",
        "sls" => "select-string",
        "sc" | "out-file" | "export-csv" | "export-clixml" => "set-content",
        "ac" => "add-content",
        "tee" => "tee-object",
        "clc" | "clear-item" => "clear-content",
        "cp" | "copy" | "cpi" => "copy-item",
        "mv" | "move" | "mi" | "ren" | "rni" | "rename-item" => "move-item",
        "gi" | "get-itemproperty" | "gp" | "get-itempropertyvalue" | "get-variable" => "get-item",
        "echo" | "write" | "write-host" | "write-information" | "write-warning" | "write-verbose" | "write-error" | "set-clipboard" => "write-output",
        "iex" => "invoke-expression",
        "iwr" | "irm" | "invoke-restmethod" | "start-bitstransfer" => "invoke-webrequest",
        "icm" | "start-job" | "measure-command" | "start-threadjob" => "invoke-command",
        "saps" | "start" => "start-process",
        "spps" | "kill" => "stop-process",
        "gps" | "ps" => "get-process",
        "spsv" | "restart-service" | "suspend-service" | "remove-service" | "set-service" => "stop-service",
        "sl" | "cd" | "chdir" => "set-location",
        "pushd" => "push-location",
        "popd" => "pop-location",
        "?" | "where" => "where-object",
        "%" => "foreach-object",
        "ni" => "new-item",
        "sal" | "nal" | "new-alias" => "set-alias",
        "out-host" | "out-string" | "out-default" | "sort-object" | "sort" | "select-object" | "select" | "format-table" | "ft"
        | "format-list" | "fl" | "convertto-json" | "convertto-csv" | "tee-host" | "measure-object" | "get-unique" => "pass",
        other => other,
    }
}

/// Whether a cmdlet is followed by what it means; others are programs by their name.
#[rustfmt::skip]
pub(super) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "remove-item" | "get-childitem" | "clear-content" | "set-content" | "add-content" | "tee-object" | "new-item"
            | "copy-item" | "move-item" | "get-content" | "select-string" | "get-item" | "write-output"
            | "invoke-expression" | "invoke-webrequest" | "invoke-command" | "foreach-object" | "where-object" | "pass"
            | "out-null" | "start-process" | "stop-process" | "get-process" | "stop-service" | "set-location"
            | "push-location" | "pop-location" | "compress-archive" | "invoke-sqlcmd" | "set-alias" | "test-path"
            | "resolve-path" | "join-path" | "split-path" | "get-date" | "get-help" | "get-command" | "start-sleep"
    )
}

/// Parameters without a value.
#[rustfmt::skip]
const SWITCHES: &[&str] = &[
    "append", "asbytestream", "asjob", "asplaintext", "caseinsensitive", "confirm", "directory", "file", "force", "hidden",
    "nonewline", "noclobber", "nonewwindow", "passthru", "quiet", "raw", "readonly", "recurse", "rf", "fr", "simplematch",
    "skipcertificatecheck", "system", "usebasicparsing", "verbose", "wait", "whatif", "allmatches", "notypeinformation",
];

/// A cmdlet's arguments.
#[derive(Debug, Default)]
pub(super) struct Bound {
    pub(super) named: Vec<(String, Item)>,
    pub(super) switches: Vec<String>,
    pub(super) words: Vec<Item>,
    pub(super) blocks: Vec<String>,
}

impl Bound {
    pub(super) fn has(&self, name: &str) -> bool {
        self.switches
            .iter()
            .any(|given| name.starts_with(given.as_str()))
    }

    /// The value of the first of these parameters that is given; names may be shortened.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Item> {
        self.named
            .iter()
            .find(|(given, _)| names.iter().any(|name| name.starts_with(given.as_str())))
            .map(|(_, item)| item)
    }

    /// The value of a parameter, or the word in its place.
    pub(super) fn value_or_word(&self, names: &[&str], at: usize) -> Option<&Item> {
        self.value(names).or_else(|| self.words.get(at))
    }

    /// The paths that are given by name and by place.
    pub(super) fn paths(&self) -> Vec<Item> {
        let named = self.value(&["path", "literalpath", "lp", "pspath", "filepath"]);
        let all = named.into_iter().chain(&self.words);
        let limit = self.value(&["filter", "include"]).map(Item::marked);
        all.map(|item| match limit {
            Some(limit) => {
                let folder = item.marked().trim_end_matches(['/', '\\', '*']);
                pattern(&format!("{folder}/{limit}"))
            }
            None => path_item(item),
        })
        .collect()
    }
}

fn pattern(text: &str) -> Item {
    path_item(&Item::of(Content {
        value: Value::Pattern(text.to_owned()),
        sources: Vec::new(),
    }))
}

impl Interpreter<'_> {
    /// Reads a cmdlet's arguments.
    pub(super) fn bind(&mut self, name: &str, rest: &[String], scope: &mut Scope) -> Bound {
        let mut bound = Bound::default();
        let mut rest = rest.iter().peekable();
        while let Some(word) = rest.next() {
            if let Some(body) = block(word) {
                bound.blocks.push(body.to_owned());
                continue;
            }
            let parameter = word
                .strip_prefix('-')
                .filter(|it| it.starts_with(|c: char| c.is_ascii_alphabetic()));
            let Some(parameter) = parameter else {
                bound.words.push(self.ps_item(word, scope));
                continue;
            };
            let (given, joined) = parameter
                .split_once(':')
                .map_or((parameter, None), |(a, b)| (a, Some(b)));
            let given = given.to_ascii_lowercase();
            if let Some(value) = joined {
                let item = self.ps_item(value, scope);
                if item.marked() != "false" {
                    bound.switches.push(given.clone());
                }
                bound.named.push((given, item));
                continue;
            }
            let lists = name == "get-childitem" && "name".starts_with(given.as_str());
            let is_switch = lists || SWITCHES.iter().any(|it| it.starts_with(given.as_str()));
            let takes = !is_switch && rest.peek().is_some_and(|next| !next.starts_with('-'));
            if takes && let Some(value) = rest.next() {
                if let Some(body) = block(value) {
                    bound.blocks.push(body.to_owned());
                } else {
                    let item = self.ps_item(value, scope);
                    bound.named.push((given, item));
                }
            } else {
                bound.switches.push(given);
            }
        }
        bound
    }
}
