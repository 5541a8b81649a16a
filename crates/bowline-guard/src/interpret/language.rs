//! One-liners and scripts of other languages: what they delete, run, overwrite, read and print.
//!
//! Not an interpreter: the calls that matter are found among the tokens, and their arguments are worked out as far
//! as they are written out. Each becomes the program run that does the same.

mod around;
mod callees;
mod calls;
mod deeds;
mod environment;
mod indirect;
mod joining;
mod lexer;
mod loops;
mod moving;
mod names;
mod places;
mod tcl;
mod templates;
mod value;
mod written;

use super::Interpreter;
use super::call::ExpandedCommand;
use super::options::{cluster_text, first_operand, texts_of};
use super::scope::Scope;
use super::value::{Item, Output, UNKNOWN};
use crate::invocation::Through;
use lexer::Family;

impl Interpreter<'_> {
    /// Follows a program text that an interpreter is given; tells what it prints, where that is known.
    pub(super) fn language(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        let args = call.args();
        let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == 'w');
        let (family, options): (Family, &[&str]) = match plain {
            "python" | "pypy" | "ipython" | "sage" | "micropython" | "jython" | "bpython"
            | "ptpython" | "graalpy" => (Family::Python, &["-c"]),
            "node" | "nodejs" | "bun" | "tsx" | "ts-node" | "deno" | "qjs" | "coffee" | "gjs"
            | "zx" | "llrt" | "tjs" | "esno" | "jiti" => (
                Family::JavaScript,
                &["-e", "--eval", "-p", "--print", "-pe", "-c"],
            ),
            "ruby" | "jruby" | "irb" | "mruby" | "truffleruby" | "pry" | "crystal" => {
                (Family::Ruby, &["-e", "eval"])
            }
            "perl" => (Family::Perl, &["-e", "-E"]),
            "php" => (Family::Php, &["-r", "--run"]),
            "lua" | "luajit" | "Rscript" | "groovy" | "elixir" | "julia" | "osascript"
            | "scala" | "jshell" | "swift" | "ghc" => {
                (Family::Other, &["-e", "--eval", "--expr", "-E"])
            }
            "tclsh" | "wish" | "jimsh" => (Family::Tcl, &[]),
            "expect" => (Family::Tcl, &["-c"]),
            "rails" => (Family::Ruby, &["runner", "r"]),
            "rake" => (
                Family::Ruby,
                &["-e", "-E", "--execute", "--execute-continue"],
            ),
            "manage.py" | "django-admin" => (Family::Python, &["-c", "--command"]),
            _ => return None,
        };
        let mut codes = texts_of(args, options);
        // `node -p` prints what the code gives.
        if family == Family::JavaScript
            && args
                .iter()
                .any(|it| matches!(it.text(), Some("-p" | "--print" | "-pe")))
        {
            codes = codes
                .iter()
                .map(|it| format!("console.log({it})"))
                .collect();
        }
        if codes.is_empty() {
            codes.extend(
                options
                    .iter()
                    .filter_map(|it| it.chars().last())
                    .find_map(|letter| match family {
                        Family::Perl | Family::Ruby | Family::Python => cluster_text(args, letter),
                        Family::JavaScript | Family::Php | Family::Tcl | Family::Other => None,
                    }),
            );
        }
        if plain == "deno" && args.first().and_then(Item::text) == Some("eval") {
            codes.extend(
                args.iter()
                    .skip(1)
                    .map(|it| it.marked().to_owned())
                    .find(|it| !it.starts_with('-')),
            );
        }
        let mut sources = Vec::new();
        if codes.is_empty() {
            let at = first_operand(
                args,
                &[
                    "-W",
                    "-X",
                    "-I",
                    "-r",
                    "-d",
                    "-M",
                    "-S",
                    "--require",
                    "--loader",
                    "--import",
                ],
            );
            // `python -m pytest x.py`: a module, and not the file.
            let before = args.get(..at).unwrap_or_default();
            if family == Family::Python && before.iter().any(|it| it.text() == Some("-m")) {
                return None;
            }
            let file = args.get(at);
            let output = match file {
                Some(file) if file.text() != Some("-") && file.text() != Some("/dev/stdin") => {
                    if let Some(feed) = &file.feed {
                        feed.clone()
                    } else {
                        let path = self.absolute(&file.arg, scope)?;
                        let Some(known) = self.files.get(&path) else {
                            self.runs_script(Some(path));
                            return None;
                        };
                        (**known).clone()
                    }
                }
                Some(_) | None => (**call.input.as_ref()?).clone(),
            };
            sources = output.sources;
            codes.push(output.text);
        }
        let mut printed = Output::nothing();
        for code in codes.iter().take(8) {
            if code.len() > 32 * 1024 || !self.pay(1 + code.len() / 16) {
                self.problem("a program text is too long to follow");
                continue;
            }
            let mut inner = self.copy(scope);
            inner.through.clone_from(&call.through);
            inner.through.push(Through::Wrapper(plain.to_owned()));
            inner.directory = call.directory.clone();
            if matches!(plain, "ipython" | "sage") {
                for command in code.lines().filter_map(|it| it.trim().strip_prefix('!')) {
                    self.nested(command.trim_start_matches('!'), &inner, None);
                }
            }
            if family == Family::Tcl {
                self.tcl(code, &mut inner);
            } else if let Some(text) = self.program_text(code, family, &mut inner) {
                self.append(&mut printed, text);
            }
        }
        if !sources.is_empty() {
            return None;
        }
        printed.says_something().then_some(printed)
    }
}
