//! Programs that the text itself copies or links under another name: `cp /bin/rm x && ./x -rf y`.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::known::{base, could_harm};
use super::scope::Scope;
use super::value::{Item, marked};
use crate::invocation::{Arg, Value};

/// At most this many copies are remembered.
const MAX_COPIES: usize = 16;

impl Interpreter<'_> {
    /// Remembers a program that gets another name.
    pub(super) fn learn_copy(&mut self, name: &str, call: &ExpandedCommand, scope: &Scope) {
        if !matches!(
            name,
            "cp" | "ln" | "install" | "rsync" | "mv" | "dd" | "gcp" | "ditto" | "cat"
        ) {
            return;
        }
        let Some((from, to)) = copied(name, call) else {
            return;
        };
        let program = base(from.trim()).to_owned();
        if !could_harm(&program) || !is_program_path(from.trim()) || self.copies.len() >= MAX_COPIES
        {
            return;
        }
        if let Some(path) = self.absolute(&to, scope) {
            // Into a folder it keeps its name.
            self.copies.insert(
                format!("{}/{program}", path.trim_end_matches('/')),
                program.clone(),
            );
            self.copies.insert(path, program);
        }
    }

    /// The program that a name stands for, if the text has given it that name.
    pub(super) fn copied_program(&self, call: &ExpandedCommand, scope: &Scope) -> Option<String> {
        if self.copies.is_empty() {
            return None;
        }
        let first = call.words.first()?;
        if first.marked().contains('/') {
            let path = self.absolute(&first.arg, scope)?;
            return self.copies.get(&path).cloned();
        }
        // By name, where the search path was changed.
        let searched = call.environment.iter().any(|(name, _)| name == "PATH")
            || scope.variables.contains_key("PATH");
        let name = first.text().filter(|_| searched)?;
        let same = |path: &str| base(path) == name;
        self.copies
            .iter()
            .find(|(path, _)| same(path))
            .map(|(_, program)| program.clone())
    }

    /// Runs a copy as the program that it is.
    pub(super) fn as_original(
        &mut self,
        call: &ExpandedCommand,
        scope: &Scope,
    ) -> Option<ExpandedCommand> {
        let program = self.copied_program(call, scope)?;
        let mut original = call.clone();
        if let Some(first) = original.words.first_mut() {
            if base(first.marked()) == program {
                return None;
            }
            *first = Item::known(program);
        }
        Some(original)
    }
}

/// Programs lie in a folder for programs, or are found by `which`.
fn is_program_path(path: &str) -> bool {
    path.contains("bin/") || !path.contains('/')
}

/// What is copied, and where to.
fn copied(name: &str, call: &ExpandedCommand) -> Option<(String, Arg)> {
    let args = call.args();
    if name == "dd" {
        let value = |prefix: &str| args.iter().find_map(|it| it.marked().strip_prefix(prefix));
        return Some((value("if=")?.to_owned(), Arg::known(value("of=")?)));
    }
    let mut operands = args.iter().filter(|it| !it.marked().starts_with('-'));
    let from = operands.next()?;
    let to = match name {
        "cat" => call.opened.first().map(|it| it.file.clone())?,
        _ => operands.next_back()?.arg.clone(),
    };
    let from = match &from.arg.value {
        // `$(which rm)`
        Value::Known(text) => text.clone(),
        other => marked(other).to_owned(),
    };
    Some((from, to))
}
