//! Commands that run although no word of theirs becomes an argument: in subscripts, in the operands of `${ }`, and in
//! texts that a builtin expands once more.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::parameter::{Kind, Reference};
use super::scope::Scope;
use super::value::Item;
use crate::invocation::Value;
use crate::shell::hidden::{may_run_commands, substitutions};
use crate::shell::tree::{Part, Quoting};

impl Interpreter<'_> {
    /// Follows everything that is substituted in a text.
    pub(super) fn run_substitutions(&mut self, text: &str, quoting: Quoting, scope: &mut Scope) {
        if !may_run_commands(text) || !self.pay(1 + text.len() / 64) {
            return;
        }
        for part in substitutions(text, quoting) {
            match part {
                Part::Commands(inside, _) | Part::ReadsFrom(inside) | Part::WritesTo(inside) => {
                    self.shown_substitution(&inside, scope);
                }
                Part::Arithmetic(inside) => {
                    if self.enter() {
                        self.run_substitutions(&inside, Quoting::Quoted, scope);
                        self.leave();
                    }
                }
                Part::Text(..) | Part::Parameter(..) | Part::Opaque(_) => {}
            }
        }
    }

    /// `${x@P}` expands the value as a prompt.
    pub(super) fn run_prompt(&mut self, reference: &Reference, scope: &mut Scope) {
        let is_prompt = reference.kind == Kind::Plain
            && reference
                .operator
                .as_ref()
                .is_some_and(|operator| operator.symbol == "@" && operator.operand == "P");
        if is_prompt && let Some(text) = known(&reference.name, scope) {
            self.run_substitutions(&text, Quoting::Quoted, scope);
        }
    }

    /// Variables in an expression are expressions themselves.
    pub(super) fn run_expression(&mut self, expression: &str, scope: &mut Scope) {
        let names = expression.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
        for name in names.filter(|name| !name.is_empty()) {
            if let Some(text) = known(name, scope) {
                self.run_subscript(&text, scope);
            }
        }
    }

    /// `a[$(…)]` where a name or a number is expected: the subscript is expanded.
    pub(super) fn run_subscript(&mut self, text: &str, scope: &mut Scope) {
        if let Some((_, subscript)) = text.split_once('[') {
            self.run_substitutions(subscript, Quoting::Quoted, scope);
        }
    }

    /// The arguments of builtins that are names or numbers.
    pub(super) fn run_subscripts(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        let args = call.args();
        let evaluated: &[Item] = match name {
            "let" | "declare" | "typeset" | "local" | "readonly" | "export" | "read"
            | "mapfile" | "readarray" | "unset" | "wait" => args,
            "test" | "[" if args.iter().filter_map(Item::text).any(takes_numbers) => args,
            "printf" if args.first().and_then(Item::text) == Some("-v") => {
                args.get(1..2).unwrap_or_default()
            }
            _ => return,
        };
        for item in evaluated {
            if may_run_commands(item.marked()) {
                let text = item.marked().to_owned();
                self.run_subscript(&text, scope);
            }
        }
    }
}

fn takes_numbers(text: &str) -> bool {
    matches!(
        text,
        "-v" | "-R" | "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"
    )
}

/// The value of a variable, if it is known and may run something.
fn known(name: &str, scope: &Scope) -> Option<String> {
    match &scope.get(name)?.value {
        Value::Known(text) if may_run_commands(text) => Some(text.clone()),
        Value::Known(_) | Value::Pattern(_) | Value::Partly(_) | Value::Unknown => None,
    }
}
