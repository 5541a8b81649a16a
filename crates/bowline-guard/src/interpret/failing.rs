//! Commands that fail, and what the shell does then.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::scope::{ErrExit, Scope};
use super::value::Item;
use crate::invocation::{Directory, Invocation, Through};
use crate::paths::{Presence, is_within, resolve};
use crate::shell::tree::{Link, Node, Simple, Statement};

/// Programs that make no folders.
const MAKES_NO_FOLDER: &[&str] = &[
    ":", "[", "basename", "cat", "chmod", "chown", "cut", "date", "df", "diff", "dirname", "du",
    "echo", "egrep", "env", "export", "false", "fgrep", "file", "grep", "head", "id", "jq", "kill",
    "ls", "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rg", "rm", "rmdir", "sleep",
    "sort", "stat", "tail", "tee", "test", "touch", "tr", "tree", "true", "type", "uname", "uniq",
    "wc", "which", "whoami", "{",
];

/// What git does without making a folder.
const GIT_MAKES_NO_FOLDER: &[&str] = &[
    "add",
    "blame",
    "branch",
    "clean",
    "commit",
    "config",
    "diff",
    "fetch",
    "grep",
    "log",
    "ls-files",
    "push",
    "remote",
    "rev-parse",
    "rm",
    "show",
    "status",
    "tag",
];

impl Interpreter<'_> {
    /// Whether it is known that the shell cannot go there.
    pub(super) fn cannot_enter(
        &mut self,
        to: &Directory,
        call: &ExpandedCommand,
        scope: &Scope,
    ) -> bool {
        let (Directory::Known(here), Directory::Known(there)) = (&scope.directory, to) else {
            return false;
        };
        let elsewhere = call.through.iter().chain(&scope.through).any(|it| {
            matches!(
                it,
                Through::Remote(_) | Through::Container | Through::NewContainer
            )
        });
        // The shell may look for it in other folders, too.
        if elsewhere || scope.get("CDPATH").is_some() || !self.pay(1 + self.invocations.len() / 8) {
            return false;
        }
        // Where not even this folder is, the command is meant for another place.
        self.world.presence(here) == Some(Presence::Folder)
            && matches!(
                self.world.presence(there),
                Some(Presence::Missing | Presence::File)
            )
            && !self.invocations.iter().any(|run| self.may_make(run, there))
    }

    /// Whether a run may make a folder, or one around it.
    fn may_make(&self, run: &Invocation, folder: &str) -> bool {
        let texts = || run.args.iter().map(|arg| arg.text());
        match run.program.as_deref() {
            Some(name) if MAKES_NO_FOLDER.contains(&name) => false,
            Some("git") => !matches!(
                texts().next().flatten(),
                Some(verb) if GIT_MAKES_NO_FOLDER.contains(&verb)
            ),
            Some("mkdir") => {
                let here = super::At::run(run, 0, self.world);
                texts().any(|text| {
                    text.is_none_or(|text| {
                        !text.starts_with('-') && is_within(&resolve(text, &here).path, folder)
                    })
                })
            }
            _ => true,
        }
    }
}

/// Whether nothing comes after a statement.
pub(super) fn leaves(statement: &Statement, scope: &Scope) -> bool {
    match &statement.node {
        Node::Simple(simple) => match first_word(simple) {
            Some("exit" | "return" | "break" | "continue" | "exec" | "logout") => true,
            Some(name) => scope
                .functions
                .get(name)
                .is_some_and(|body| match &body.node {
                    Node::Group(body) => body.iter().any(is_end),
                    _ => false,
                }),
            None => false,
        },
        Node::Group(body) => body.iter().any(|it| leaves(it, scope)),
        Node::Chain { first, rest } => {
            let mut rest = rest.iter();
            leaves(first, scope) || rest.any(|(link, it)| *link == Link::And && leaves(it, scope))
        }
        _ => false,
    }
}

/// Whether a statement of a function ends the shell.
fn is_end(statement: &Statement) -> bool {
    matches!(&statement.node, Node::Simple(simple) if first_word(simple) == Some("exit"))
}

fn first_word(simple: &Simple) -> Option<&str> {
    simple.words.first().map(|word| word.source.as_str())
}

/// `set -e`, `set -o errexit`, `set +e`; `bash -e` has the same options.
pub(super) fn set_on_failure(call: &ExpandedCommand, scope: &mut Scope) {
    let mut texts = call.args().iter().map_while(Item::text);
    while let Some(text) = texts.next() {
        let err_exit = match text.chars().next() {
            Some('-') => ErrExit::On,
            Some('+') => ErrExit::Off,
            _ => return,
        };
        let named = text.ends_with('o') && texts.next() == Some("errexit");
        if named || (text.contains('e') && !text.starts_with("--")) {
            scope.err_exit = err_exit;
        }
    }
}
