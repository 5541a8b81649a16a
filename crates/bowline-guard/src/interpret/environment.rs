//! Variables that carry commands: editors and pagers, compilers and runners, options for a program.

use super::Interpreter;
use super::call::{ExpandedCommand, quoted};
use super::carriers::setting;
use super::embedded;
use super::known::{base, deletes};
use super::scope::Scope;
use super::value::{Item, UNKNOWN, marked};
use crate::invocation::Through;

impl Interpreter<'_> {
    /// Follows the commands in the variables that are set for a program: `EDITOR='…' crontab -e`.
    pub(super) fn environment_commands(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) {
        if call.environment.is_empty()
            || matches!(name, "env" | "sudo" | "nohup" | "time" | "command")
        {
            return;
        }
        for (variable, value) in &call.environment {
            self.variable_command(variable, marked(value), scope);
        }
    }

    /// Follows the command that one variable carries, if it carries one.
    pub(super) fn variable_command(&mut self, variable: &str, value: &str, scope: &mut Scope) {
        let text = if embedded::names_a_command(variable) {
            Some(whole(value))
        } else if names_a_tool(variable) {
            setting(variable, value, &[])
        } else {
            options_command(variable, value)
        };
        if let Some(text) = text {
            self.nested_through(variable, &text, scope);
        }
    }

    fn nested_through(&mut self, variable: &str, text: &str, scope: &Scope) {
        let mut inner = self.copy(scope);
        inner.through.push(Through::Wrapper(variable.to_owned()));
        self.nested(text, &inner, None);
    }
}

/// The command of a variable, with what its program adds: `|rm x; cat %s`, or the name of a program alone.
fn whole(value: &str) -> String {
    let value = value.trim_start_matches(['|', '-', '@']);
    let mut words = value.split_whitespace();
    match (words.next(), words.next()) {
        (Some(program), None) if deletes(base(program)) => format!("{value} {UNKNOWN}"),
        _ => value.to_owned(),
    }
}

/// Variables that name a program by what their names end with.
fn names_a_tool(variable: &str) -> bool {
    let upper = variable.to_ascii_uppercase();
    matches!(upper.as_str(), "CC" | "CXX" | "LD" | "AR" | "CPP" | "SHELL")
        || upper.rsplit_once('_').is_some_and(|(_, last)| {
            matches!(
                last,
                "EDITOR"
                    | "PAGER"
                    | "ASKPASS"
                    | "COMMAND"
                    | "CMD"
                    | "RUNNER"
                    | "WRAPPER"
                    | "RSH"
                    | "SSH"
                    | "SHELL"
                    | "HOOK"
                    | "LAUNCHER"
                    | "BROWSER"
                    | "EXEC"
                    | "OPENER"
                    | "VIEWER"
                    | "PROG"
                    | "PROGRAM"
            )
        })
}

/// Variables that hold options for a program, or code for an interpreter.
fn options_command(variable: &str, value: &str) -> Option<String> {
    match variable {
        "MAKEFLAGS" | "GNUMAKEFLAGS" => {
            let (_, rule) = value.split_once("--eval=")?;
            Some(format!("make {}", quoted(&format!("--eval={rule}"))))
        }
        "TAR_OPTIONS" => Some(format!("tar {value}")),
        "GOFLAGS" => Some(format!("go test {value}")),
        "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" => Some(format!("java {value}")),
        "NODE_OPTIONS" => {
            let (_, code) = value.split_once("data:text/javascript,")?;
            Some(format!("node -e {}", quoted(code)))
        }
        "PERL5OPT" => {
            let (_, code) = value.split_once(';')?;
            Some(format!("perl -e {}", quoted(code)))
        }
        "PERL5DB" => Some(format!("perl -e {}", quoted(value))),
        _ if variable.starts_with("BASH_FUNC_") => {
            let body = value.split_once('{')?.1.rsplit_once('}')?.0;
            Some(body.to_owned())
        }
        _ => None,
    }
}

/// What an interpreter that is given a start-up file would be given as code.
pub(super) fn startup_code(variable: &str, text: &str) -> Option<String> {
    match variable {
        "BASH_ENV" | "ENV" => Some(text.to_owned()),
        "PYTHONSTARTUP" => Some(format!("python3 -c {}", quoted(text))),
        _ => None,
    }
}

/// Whether an item is an assignment that a shell exports.
pub(super) fn assignment(item: &Item) -> Option<(&str, &str)> {
    item.marked()
        .split_once('=')
        .filter(|(name, _)| !name.starts_with('-'))
}
