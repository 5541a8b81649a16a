//! Tcl and Expect, whose programs are made of words: `exec rm …`, `file delete …`, `spawn …`.

use std::collections::BTreeMap;

use super::UNKNOWN;
use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item};

/// Scripts within scripts: bodies in braces, substitutions in brackets.
const MAX_SCRIPTS: usize = 64;

/// The longest value that is kept: a script may double it again and again.
const MAX_VALUE: usize = 256;

/// One script, split.
#[derive(Debug, Default)]
struct Script {
    commands: Vec<Vec<String>>,
    /// What stands in braces and brackets: a script of its own, or a text that looks like none.
    inner: Vec<String>,
}

impl Interpreter<'_> {
    /// Finds the commands of a Tcl script that run programs or change files.
    pub(super) fn tcl(&mut self, code: &str, scope: &mut Scope) {
        let mut variables = BTreeMap::new();
        let mut scripts = vec![code.to_owned()];
        let mut read = 0;
        while let Some(text) = scripts.get(read).cloned() {
            read += 1;
            if !self.pay(1 + text.len() / 8) {
                return;
            }
            let script = split(&text, &mut variables);
            for words in script.commands {
                self.tcl_command(&words, scope);
            }
            for inner in script.inner {
                if scripts.len() >= MAX_SCRIPTS {
                    self.problem("a Tcl script is nested more than is followed");
                    return;
                }
                scripts.push(inner);
            }
        }
    }

    fn tcl_command(&mut self, words: &[String], scope: &mut Scope) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["exec" | "spawn", rest @ ..] => {
                let skip = rest.iter().take_while(|it| it.starts_with('-')).count();
                self.tcl_run(rest.get(skip..).unwrap_or_default(), scope);
            }
            ["system", rest @ ..] => {
                self.nested(&rest.join(" "), scope, None);
            }
            ["file", "delete", rest @ ..] => {
                let paths = rest.iter().filter(|it| !matches!(**it, "-force" | "--"));
                let words: Vec<&str> = ["rm", "-rf"].iter().chain(paths).copied().collect();
                self.tcl_run(&words, scope);
            }
            ["file", "rename", rest @ ..] => {
                let words: Vec<&str> = ["mv"].iter().chain(rest).copied().collect();
                self.tcl_run(&words, scope);
            }
            ["open", target, ..] => match target.strip_prefix('|') {
                Some(command) => {
                    self.nested(command, scope, None);
                }
                None => self.tcl_run(&["cat", target], scope),
            },
            _ => {}
        }
    }

    fn tcl_run(&mut self, words: &[&str], scope: &mut Scope) {
        let words: Vec<Item> = words
            .iter()
            .map(|it| Item::of(Content::of_text((*it).to_owned())))
            .collect();
        let call = ExpandedCommand::of(words, scope);
        self.call(call, scope);
    }
}

/// Splits a script into commands and words.
fn split(text: &str, variables: &mut BTreeMap<String, String>) -> Script {
    let mut script = Script::default();
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => {
                let next = rest.chars().next().unwrap_or_default();
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
                if next != '\n' {
                    word.get_or_insert_default().push(next);
                }
            }
            '"' if quoted || word.is_none() => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '[' => {
                let (inside, after) = enclosed(rest, '[', ']');
                script.inner.push(inside.to_owned());
                rest = after;
                word.get_or_insert_default().push(UNKNOWN);
            }
            '$' => {
                let end = rest
                    .find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'))
                    .unwrap_or(rest.len());
                let (name, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                rest = after;
                let unknown = UNKNOWN.to_string();
                let value = variables.get(name).unwrap_or(&unknown);
                word.get_or_insert_default().push_str(value);
            }
            c if quoted => word.get_or_insert_default().push(c),
            '{' if word.is_none() => {
                let (inside, after) = enclosed(rest, '{', '}');
                script.inner.push(inside.to_owned());
                rest = after;
                word = Some(inside.to_owned());
            }
            '#' if words.is_empty() && word.is_none() => {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
            }
            ';' | '\n' => {
                words.extend(word.take());
                if let [set, name, value] = words.as_slice()
                    && set == "set"
                    && value.len() <= MAX_VALUE
                {
                    variables.insert(name.clone(), value.clone());
                }
                script.commands.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    script.commands.push(words);
    script
}

/// The text up to the mark that closes, and what follows it.
fn enclosed(text: &str, open: char, close: char) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        if c == close {
            if depth == 0 {
                let after = text.get(at + c.len_utf8()..).unwrap_or_default();
                return (text.get(..at).unwrap_or_default(), after);
            }
            depth -= 1;
        } else if c == open {
            depth += 1;
        }
    }
    (text, "")
}
