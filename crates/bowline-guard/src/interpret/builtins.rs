//! Builtins that change what the shell knows: its directory, variables, aliases, traps.

use std::rc::Rc;

use super::Interpreter;
use super::bounds::{self, MAX_TEXT};
use super::call::ExpandedCommand;
use super::environment::assignment;
use super::failing::set_on_failure;
use super::options;
use super::scope::{Scope, Variable};
use super::value::{Content, Item, Output};
use crate::invocation::{Directory, Value};
use crate::paths::{self, Shape};

impl Interpreter<'_> {
    pub(super) fn builtin(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        match name {
            "cd" | "chdir" | "pushd" => {
                let target = call.args().iter().find(|item| {
                    item.text()
                        .is_none_or(|text| text == "-" || !text.starts_with('-'))
                });
                let directory = self.directory_of(target, scope);
                if self.cannot_enter(&directory, call, scope) {
                    scope.may_stay();
                }
                if name == "pushd" {
                    scope.stack.push(scope.directory.clone());
                }
                scope.enter(directory);
            }
            "popd" => {
                let directory = scope.stack.pop().unwrap_or(Directory::Unknown);
                scope.enter(directory);
            }
            "export" | "declare" | "local" | "readonly" | "typeset" => {
                self.declare(call, scope);
                self.exported(name, call, scope);
            }
            "unset" => {
                for name in call.args().iter().filter_map(Item::text) {
                    scope.variables.remove(name);
                    scope.functions.remove(name);
                }
            }
            "set" => {
                set_on_failure(call, scope);
                let dashes = call
                    .args()
                    .iter()
                    .position(|item| item.text() == Some("--"));
                if let Some(at) = dashes {
                    let rest = call.args().get(at + 1..).unwrap_or_default();
                    scope.positional = Some(Rc::new(rest.iter().map(Item::content).collect()));
                } else if call.args().is_empty() {
                    self.emit_call(call);
                } else {
                    // `set -gx NAME value`, in fish
                    self.emit_own_variable(call, scope);
                }
            }
            "shift" => {
                let count = call
                    .arg(0)
                    .and_then(Item::text)
                    .and_then(|it| it.parse().ok())
                    .unwrap_or(1);
                if let Some(list) = &scope.positional {
                    scope.positional = Some(Rc::new(list.iter().skip(count).cloned().collect()));
                }
            }
            "read" => {
                self.emit_reading(call);
                Self::read(call, scope);
            }
            "printf" if call.arg(0).and_then(Item::text) == Some("-v") => {
                let texts: Vec<&str> = call.args().iter().skip(2).map(Item::marked).collect();
                if let (Some(name), Some((format, rest))) =
                    (call.arg(1).and_then(Item::text), texts.split_first())
                {
                    let text = super::decode::printf(format, rest);
                    let content = self.text_content(text);
                    scope.set(name, content);
                }
            }
            "mapfile" | "readarray" => {
                self.emit_reading(call);
                for callback in options::texts_of(call.args(), &["-C"]) {
                    self.nested(&format!("{callback} 0 line"), scope, None);
                }
                let name = call
                    .args()
                    .iter()
                    .filter_map(Item::text)
                    .rfind(|it| !it.starts_with('-'));
                let lines = match &call.input {
                    Some(input) if input.is_known() => {
                        input.text.lines().take(64).map(Content::known).collect()
                    }
                    Some(input) => vec![Content {
                        value: Value::Unknown,
                        sources: input.sources.clone(),
                    }],
                    None => vec![Content::unknown()],
                };
                scope
                    .variables
                    .insert(name.unwrap_or("MAPFILE").to_owned(), Variable::Many(lines));
            }
            "alias" => {
                for text in call.args().iter().filter_map(Item::text) {
                    if let Some((name, value)) = text.split_once('=') {
                        scope.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
            }
            "unalias" => {
                for name in call.args().iter().filter_map(Item::text) {
                    scope.aliases.remove(name);
                }
            }
            "hash" => {
                if let [flag, program, name, ..] = call.args()
                    && flag.text() == Some("-p")
                    && let Some(name) = name.text()
                {
                    scope
                        .aliases
                        .insert(name.to_owned(), program.marked().to_owned());
                }
            }
            "trap" => {
                let action = call.args().iter().find(|item| item.text() != Some("--"));
                if let Some(action) =
                    action.filter(|item| !matches!(item.text(), Some("-" | "" | "-p" | "-l")))
                {
                    self.trap(action.marked().to_owned(), scope);
                }
            }
            _ => return None,
        }
        Some(Output::nothing())
    }

    /// A text that was made, unless it is too long.
    fn text_content(&mut self, text: String) -> Content {
        if text.len() > MAX_TEXT {
            self.too_long();
            return Content::unknown();
        }
        self.make(text.len());
        Content::of_text(text)
    }

    pub(super) fn directory_of(&mut self, target: Option<&Item>, scope: &Scope) -> Directory {
        let Some(target) = target else {
            return self
                .world
                .home()
                .map_or(Directory::Unknown, |home| Directory::Known(home.to_owned()));
        };
        if target.text() == Some("-") {
            return scope.previous_directory.clone();
        }
        let Directory::Known(cwd) = &scope.directory else {
            return match target.arg.text_or_pattern() {
                Some(text) if text.starts_with(['/', '~', '$']) => {
                    self.resolve_directory(text, "/")
                }
                _ => Directory::Unknown,
            };
        };
        let cwd = cwd.clone();
        match target.arg.text_or_pattern() {
            Some(text) => self.resolve_directory(text, &cwd),
            None => Directory::Unknown,
        }
    }

    fn resolve_directory(&mut self, text: &str, cwd: &str) -> Directory {
        // Each of its folders is looked at.
        if !self.pay((text.len() + cwd.len()) / 8) {
            return Directory::Unknown;
        }
        let world = super::At::directory(cwd, self.world);
        let resolved = paths::resolve(text, &world);
        match resolved.shape {
            Shape::Exact => bounds::directory(resolved.target.unwrap_or(resolved.path)),
            Shape::Pattern | Shape::Unknown(_) => Directory::Unknown,
        }
    }

    /// A variable of the guard's own that is set for all that comes: this is told as a run.
    fn emit_own_variable(&mut self, call: &ExpandedCommand, scope: &Scope) {
        let mut told = call.clone();
        let is_own = |item: &Item| {
            let text = item.marked();
            text.starts_with("BOWLINE") || text.starts_with("HTMLGRAPH_DISABLE")
        };
        for item in told.words.iter_mut().skip(1).filter(|it| is_own(it)) {
            // `BOWLINE=…; export BOWLINE`
            let name = item.marked();
            if let Some(content) = scope.get(name) {
                *item = Item::known(format!("{name}={}", content.marked()));
            }
        }
        if told.args().iter().any(is_own) {
            self.emit_call(&told);
        }
    }

    fn declare(&mut self, call: &ExpandedCommand, scope: &mut Scope) {
        self.emit_own_variable(call, scope);
        for item in call.args() {
            let text = item.marked();
            if text.starts_with('-') || !text.contains('=') {
                if text == "-p" || (text == "-x" && call.args().len() == 1) {
                    self.emit_call(call);
                }
                continue;
            }
            let (name, value) = text.split_once('=').unwrap_or((text, ""));
            let value = match &item.arg.value {
                Value::Known(_) => Value::Known(value.to_owned()),
                Value::Pattern(_) => Value::Pattern(value.to_owned()),
                Value::Partly(_) if value.chars().all(|c| c == super::value::UNKNOWN) => {
                    Value::Unknown
                }
                Value::Partly(_) => Value::Partly(value.to_owned()),
                Value::Unknown => Value::Unknown,
            };
            let content = Content {
                value,
                sources: item.sources.clone(),
            };
            scope.set(name.trim_end_matches('+'), content);
        }
        if call.args().is_empty() {
            self.emit_call(call);
        }
    }

    /// Whatever is started later finds the commands in exported variables.
    fn exported(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        if name == "export" {
            for (variable, value) in call.args().iter().filter_map(assignment) {
                self.variable_command(variable, value, scope);
            }
        }
    }

    /// A builtin that is given a file reads it as any program does.
    fn emit_reading(&mut self, call: &ExpandedCommand) {
        if call.reads_file.is_some() {
            self.emit_call(call);
        }
    }

    /// `read a b`: words of the first line, the last name takes the rest.
    fn read(call: &ExpandedCommand, scope: &mut Scope) {
        let skip = options::first_operand(call.args(), &["-d", "-n", "-N", "-p", "-t", "-u", "-i"]);
        let array = call.args().iter().any(|item| item.text() == Some("-a"));
        let names: Vec<&str> = call
            .args()
            .get(skip..)
            .unwrap_or_default()
            .iter()
            .filter_map(Item::text)
            .collect();
        let names = if names.is_empty() {
            vec!["REPLY"]
        } else {
            names
        };
        let known = call.input.as_ref().filter(|input| input.is_known());
        if let Some(input) = known {
            let line = input.text.lines().next().unwrap_or_default();
            if array {
                let list = line.split_whitespace().map(Content::known).collect();
                scope.variables.insert(
                    names.last().copied().unwrap_or("REPLY").to_owned(),
                    Variable::Many(list),
                );
                return;
            }
            let mut rest = line.trim();
            let last = names.len() - 1;
            for (index, name) in names.iter().enumerate() {
                let (word, after) = if index == last {
                    (rest, "")
                } else {
                    rest.split_once(char::is_whitespace).unwrap_or((rest, ""))
                };
                rest = after.trim_start();
                scope.set(name, Content::known(word));
            }
        } else {
            let sources = call
                .input
                .as_ref()
                .map_or_else(Vec::new, |input| input.sources.clone());
            let partly = call.input.as_ref().filter(|input| input.says_something());
            for name in names {
                let value = match partly {
                    Some(input) => {
                        Value::Partly(input.text.lines().next().unwrap_or_default().to_owned())
                    }
                    None => Value::Unknown,
                };
                scope.set(
                    name,
                    Content {
                        value,
                        sources: sources.clone(),
                    },
                );
            }
        }
    }
}
