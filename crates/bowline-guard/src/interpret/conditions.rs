//! What runs only if something else succeeds or fails.

use super::Interpreter;
use super::failing::leaves;
use super::run::Input;
use super::scope::{ErrExit, Scope};
use super::value::Output;
use crate::invocation::Directory;
use crate::paths::{Presence, resolve};
use crate::shell::tree::{Link, Node, Part, Simple, Statement, Success, TreeWord};

/// Programs that do what they are told, as far as a person relies on it. Others may be asked a question.
const DOES_AS_TOLD: &[&str] = &[
    ":", "chmod", "cp", "date", "echo", "export", "ln", "mkdir", "mv", "printf", "pwd", "rm",
    "set", "sleep", "touch", "true", "wait",
];

/// The same of git.
const GIT_DOES_AS_TOLD: &[&str] = &[
    "add", "branch", "commit", "fetch", "log", "stash", "status", "tag",
];

impl Interpreter<'_> {
    /// What has run since `start` need not have when the rest of the text does.
    pub(super) fn doubt(&mut self, start: usize) {
        let end = self.invocations.len();
        self.reliance.limit(start..end, end..usize::MAX);
    }

    /// `a && b || c`.
    pub(super) fn chain(
        &mut self,
        first: &Statement,
        rest: &[(Link, Statement)],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let start = self.invocations.len();
        let mut output = self.statement(first, scope, input.clone());
        let mut sure = self.is_sure(first, scope);
        let mut before = (first, start);
        // Where the parts begin that need not run.
        let mut doubted = Vec::new();
        for (index, (link, statement)) in rest.iter().enumerate() {
            let here = self.invocations.len();
            // No shell ends at a failure before the last link.
            let goes_on =
                index + 1 == rest.len() && scope.err_exit == ErrExit::On && scope.stay.is_some();
            match link {
                // A chain goes on where a person means it to.
                Link::And => {
                    if !sure {
                        doubted.push(here);
                    }
                    if is_negated(before.0) {
                        scope.settle();
                    }
                    let printed = self.statement(statement, scope, input.clone());
                    self.append(&mut output, printed);
                    if is_negated(before.0) {
                        self.reliance
                            .limit(before.1..here, here..self.invocations.len());
                    }
                    sure = sure && self.is_sure(statement, scope);
                }
                Link::Or => {
                    let printed = self.otherwise(statement, scope, input);
                    self.append(&mut output, printed);
                    self.reliance
                        .limit(start..here, here..self.invocations.len());
                    self.doubt(here);
                    if leaves(statement, scope) {
                        // Whoever comes here has seen all before succeed.
                        doubted.clear();
                        sure = true;
                    }
                    sure = sure || self.is_sure(statement, scope);
                }
            }
            before = (statement, here);
            if goes_on {
                scope.settle();
            }
        }
        for start in doubted {
            self.doubt(start);
        }
        output
    }

    /// What runs if something has failed.
    fn otherwise(&mut self, statement: &Statement, scope: &mut Scope, input: &Input) -> Output {
        let mut other = self.copy(scope);
        other.settle();
        let printed = self.statement(statement, &mut other, input.clone());
        match scope.stay.take() {
            None => scope.merge(other),
            Some(_) if leaves(statement, scope) => {}
            // It has failed, so that the other has run.
            Some(_) => *scope = other,
        }
        printed
    }

    /// `if`: the tests and the branches in order.
    pub(super) fn conditional(
        &mut self,
        tests: &[Vec<Statement>],
        branches: &[Vec<Statement>],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let mut output = Output::nothing();
        let mut first = None;
        for (index, test) in tests.iter().enumerate() {
            let start = self.invocations.len();
            let printed = self.sequence(test, scope, input);
            self.append(&mut output, printed);
            if index > 0 {
                self.doubt(start);
            } else {
                let last = test.last();
                first = last.filter(|it| self.is_sure(it, scope)).map(|_| 0);
                if last.is_some_and(is_negated) && !leaves_somewhere(branches, scope) {
                    scope.settle();
                }
            }
        }
        let printed = self.branches(branches, scope, input, first);
        self.append(&mut output, printed);
        if leaves_somewhere(branches, scope) {
            scope.stay = None;
        }
        scope.settle();
        output
    }

    /// Each branch may be the one that runs, unless it is known which.
    pub(super) fn branches(
        &mut self,
        branches: &[Vec<Statement>],
        scope: &mut Scope,
        input: &Input,
        known: Option<usize>,
    ) -> Output {
        let before = self.copy(scope);
        let mut output = Output::nothing();
        for (index, branch) in branches.iter().enumerate() {
            let mut inner = self.copy(&before);
            if index > 0 {
                inner.settle();
            }
            let start = self.invocations.len();
            let printed = self.sequence(branch, &mut inner, input);
            if known != Some(index) {
                self.doubt(start);
            }
            self.append(&mut output, printed);
            if branch.iter().any(|it| leaves(it, scope)) {
                inner.directory = scope.directory.clone();
            }
            scope.merge(inner);
        }
        output
    }

    /// Whether a statement that was just followed succeeds, as far as a person relies on it.
    fn is_sure(&self, statement: &Statement, scope: &Scope) -> bool {
        match &statement.node {
            _ if is_negated(statement) => false,
            Node::Simple(simple) => self.is_done(simple, scope),
            Node::Group(body) | Node::Subshell(body) | Node::Pipeline(body) => {
                body.last().is_some_and(|it| self.is_sure(it, scope))
            }
            Node::Chain { first, rest } => {
                self.is_sure(first, scope) && rest.iter().all(|(_, it)| self.is_sure(it, scope))
            }
            _ => false,
        }
    }

    fn is_done(&self, simple: &Simple, scope: &Scope) -> bool {
        let words: Vec<&str> = simple.words.iter().map(|it| it.source.as_str()).collect();
        match words.as_slice() {
            [] => true,
            ["cd" | "pushd" | "chdir", ..] => scope.stay.is_none(),
            ["[", question, _, "]"] | ["test", question, _] => {
                let path = simple.words.get(2).and_then(plain);
                path.is_some_and(|path| self.is_there(question, &path, scope))
            }
            ["git", verb, ..] => GIT_DOES_AS_TOLD.contains(verb),
            [name, ..] => DOES_AS_TOLD.contains(name),
        }
    }

    /// `[ -f path ]`, where it is known to be so.
    fn is_there(&self, question: &str, path: &str, scope: &Scope) -> bool {
        let Directory::Known(here) = &scope.directory else {
            return false;
        };
        let path = resolve(path, &super::At::directory(here, self.world)).path;
        match (question, self.world.presence(&path)) {
            ("-f" | "-e", Some(Presence::File)) | ("-d" | "-e", Some(Presence::Folder)) => true,
            (_, _) => false,
        }
    }
}

/// A word that is as it is written.
fn plain(word: &TreeWord) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Text(text, _) => Some(text.clone()),
        _ => None,
    };
    word.parts.iter().map(text).collect()
}

fn is_negated(statement: &Statement) -> bool {
    statement.success == Success::Negated
}

fn leaves_somewhere(branches: &[Vec<Statement>], scope: &Scope) -> bool {
    branches.iter().flatten().any(|it| leaves(it, scope))
}
