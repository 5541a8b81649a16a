//! Calls that do their work through something else: a function that is handed to `map`, a library for git, a request.

use super::around::arguments_at;
use super::calls::{Program, item, target};
use super::deeds::{Deed, deed};
use super::lexer::Token;
use super::value::{Value, arguments, evaluate};
use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::scope::Scope;
use crate::interpret::value::Item;

/// The longest name that is put together, in tokens.
const MAX_MEMBER: usize = 16;

impl Interpreter<'_> {
    /// Follows such a call; `false` if it is none.
    pub(super) fn indirect_call(
        &mut self,
        name: &str,
        before: &str,
        at: usize,
        program: &Program,
        scope: &mut Scope,
    ) -> bool {
        let Some(inside) = arguments_at(&program.tokens, at, program.family) else {
            return false;
        };
        let words = match name {
            "map" | "forEach" | "each" | "for_each" | "array_map" => handed_over(inside, program),
            "delete" | "fetch" | "request" | "Request" | "del" | "DELETE" | "delete_async"
            | "ajax" | "axios" | "got" | "open" => request(name, inside, program),
            "Command" | "spawn" | "spawnSync" | "ProcessBuilder" | "execa" => {
                with_arguments(inside, program)
            }
            _ if before.rsplit('.').next() == Some("git") => git(name, inside, program),
            _ => None,
        };
        let Some(words) = words else {
            return false;
        };
        let call = ExpandedCommand::of(words, scope);
        self.call(call, scope);
        true
    }
}

/// `map(os.remove, paths)`.
fn handed_over(inside: &[Token], program: &Program) -> Option<Vec<Item>> {
    let arguments = arguments(inside);
    let (function, rest) = arguments.split_first()?;
    let Some(Token::Name(name)) = function.last() else {
        return None;
    };
    let before = match function.first() {
        Some(Token::Name(first)) if function.len() > 1 => first.as_str(),
        _ => "",
    };
    if !matches!(
        deed(name, before, program.family),
        Some(Deed::Delete | Deed::DeleteTree)
    ) {
        return None;
    }
    let mut words = vec![Item::known("rm"), Item::known("-rf")];
    let targets = rest.iter().map(|it| evaluate(it, &program.names, 0));
    words.extend(targets.map(|it| target(&it)));
    (words.len() > 2).then_some(words)
}

/// `new Deno.Command("rm", {args: ["-rf", "x"]})`, `Bun.spawn({cmd: ["rm", "x"]})`.
fn with_arguments(inside: &[Token], program: &Program) -> Option<Vec<Item>> {
    let at = inside.iter().position(
        |it| matches!(it, Token::Name(name) if matches!(name.as_str(), "args" | "cmd")),
    )?;
    let rest = inside.get(at + 2..)?;
    let end = rest.iter().position(|it| *it == Token::Symbol(']'))?;
    let Value::List(values) = evaluate(rest.get(..=end)?, &program.names, 0) else {
        return None;
    };
    let first = match inside.first() {
        Some(Token::Text(name)) => Some(Item::known(name.clone())),
        _ => None,
    };
    let words: Vec<Item> = first.into_iter().chain(values.iter().map(item)).collect();
    (words.len() > 1).then_some(words)
}

/// `requests.delete("https://…")`, `fetch("https://…", {method: "DELETE"})`.
fn request(name: &str, inside: &[Token], program: &Program) -> Option<Vec<Item>> {
    let says_delete = inside
        .iter()
        .any(|it| matches!(it, Token::Text(text) if text.eq_ignore_ascii_case("delete")));
    if !says_delete && !matches!(name, "delete" | "del" | "DELETE" | "delete_async") {
        return None;
    }
    let address = inside
        .iter()
        .enumerate()
        .find_map(|(at, token)| match token {
            Token::Text(text) if text.contains("://") => {
                let end = inside
                    .iter()
                    .skip(at)
                    .position(|it| matches!(it, Token::Symbol(',')))
                    .map_or(inside.len(), |it| at + it);
                Some(evaluate(inside.get(at..end)?, &program.names, 0))
            }
            _ => None,
        })?;
    let words = ["curl", "-X", "DELETE"].map(Item::known);
    Some(words.into_iter().chain([item(&address)]).collect())
}

/// `repo.git.reset("--hard")`, `git.clean("f", ["-d"])`.
fn git(name: &str, inside: &[Token], program: &Program) -> Option<Vec<Item>> {
    if !matches!(
        name,
        "reset"
            | "clean"
            | "checkout"
            | "push"
            | "restore"
            | "stash"
            | "branch"
            | "rm"
            | "update_ref"
            | "reflog"
            | "raw"
            | "switch"
            | "worktree"
            | "filter_branch"
            | "execute"
    ) {
        return None;
    }
    let mut words = vec![Item::known("git")];
    if !matches!(name, "raw" | "execute") {
        words.push(Item::known(name.replace('_', "-")));
    }
    for argument in arguments(inside) {
        match evaluate(argument, &program.names, 0) {
            Value::List(values) => words.extend(values.iter().map(item)),
            value => words.push(item(&value)),
        }
    }
    Some(words)
}

/// The name that an index works out to, and where its arguments begin: `process["ex" + "ec"](…)`.
pub(super) fn computed_member(at: usize, program: &Program) -> Option<(String, usize)> {
    let tokens = &program.tokens;
    if at == 0 || tokens.get(at) != Some(&Token::Symbol('[')) {
        return None;
    }
    let near = tokens.get(at..(at + MAX_MEMBER).min(tokens.len()))?;
    let end = at + near.iter().position(|it| *it == Token::Symbol(']'))?;
    if tokens.get(end + 1) != Some(&Token::Symbol('(')) {
        return None;
    }
    match evaluate(tokens.get(at + 1..end)?, &program.names, 0) {
        Value::Text(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            Some((name, end))
        }
        _ => None,
    }
}

/// Libraries whose `sync` deletes: `require("rimraf").sync(…)`.
pub(super) fn deletes_by_sync(tokens: &[Token], at: usize, before: &str) -> bool {
    let library = |name: &str| {
        matches!(
            name,
            "rimraf" | "del" | "trash" | "rimrafSync" | "delete" | "premove"
        )
    };
    if library(before) {
        return true;
    }
    // `require ( "rimraf" ) . sync`
    let text = at.checked_sub(3).and_then(|it| tokens.get(it));
    matches!(text, Some(Token::Text(name)) if library(name))
}
