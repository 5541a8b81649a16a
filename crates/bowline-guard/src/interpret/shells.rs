//! Shells within the shell: `bash -c`, `eval`, `source`, scripts from pipes and files.

use std::rc::Rc;

use super::Interpreter;
use super::bounds::{Size, add_sources};
use super::call::ExpandedCommand;
use super::failing::set_on_failure;
use super::reads::{Reads, reads};
use super::redirect::descriptor_output;
use super::scope::{ErrExit, Marks, Scope};
use super::value::{Content, Item, Output};
use crate::invocation::{Through, Value};
use crate::shell::build::Checked;

pub(crate) fn is_shell(name: &str) -> bool {
    matches!(
        name,
        "bash"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "ksh93"
            | "mksh"
            | "ash"
            | "fish"
            | "rbash"
            | "yash"
            | "csh"
            | "tcsh"
            | "elvish"
            | "nu"
            | "xonsh"
            | "osh"
    )
}

impl Interpreter<'_> {
    /// Follows a shell, `eval` or `source`; `None` if it is none of them.
    pub(super) fn shell(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        match name {
            "eval" => Some(self.eval(call, scope)),
            "source" | "." => Some(self.source(call, scope)),
            "cmd" | "cmd.exe" => {
                self.emit_call(call);
                super::windows::follow(self, call, scope);
                Some(Output::unknown(vec![call.source()]))
            }
            "powershell" | "powershell.exe" | "pwsh" | "pwsh.exe" => {
                Some(super::windows::follow_powershell(self, call, scope))
            }
            name if is_shell(name) => Some(self.run_shell(name, call, scope)),
            _ if self.written_script(call, scope).is_some() => Some(self.run_file(call, 0, scope)),
            _ => None,
        }
    }

    /// A program that the text itself has written: `./x.sh`.
    fn written_script(&mut self, call: &ExpandedCommand, scope: &Scope) -> Option<()> {
        let first = call.words.first()?;
        if !first.marked().contains('/') {
            return None;
        }
        let path = self.absolute(&first.arg, scope)?;
        self.files.contains_key(&path).then_some(())
    }

    fn run_shell(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let args: Vec<_> = call.args().iter().map(Item::text).collect();
        match reads(name, &args) {
            Reads::Nothing => {
                self.emit_call(call);
                Output::nothing()
            }
            Reads::Text(at) => {
                let Some(item) = call.arg(at) else {
                    return Output::nothing();
                };
                let rest = call.args().get(at + 1..).unwrap_or_default();
                // `$0` comes first.
                let positional = rest.iter().skip(1).map(Item::content).collect();
                let item = item.clone();
                let zeroth = rest.first().map(Item::content);
                self.shell_text(
                    &format!("{name} -c"),
                    &item,
                    (zeroth, positional),
                    call,
                    scope,
                )
            }
            Reads::StandardInput(at) => {
                let rest = call.args().get(at..).unwrap_or_default();
                let positional: Vec<_> = rest.iter().map(Item::content).collect();
                self.standard_input(call, positional, scope)
            }
            Reads::File(at) => self.run_file(call, at + 1, scope),
        }
    }

    /// Follows a text that is given as an argument.
    fn shell_text(
        &mut self,
        through: &str,
        item: &Item,
        (zeroth, positional): (Option<Content>, Vec<Content>),
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Output {
        let opens = !call.opened.is_empty();
        let unknown = !item.sources.is_empty() || matches!(item.arg.value, Value::Unknown);
        if opens || unknown {
            self.emit_fed(call, &item.sources);
        }
        if matches!(item.arg.value, Value::Unknown) {
            return Output::unknown(vec![call.source()]);
        }
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(Through::Wrapper(through.to_owned()));
        inner.directory = call.directory.clone();
        inherit(call, &mut inner);
        inner.err_exit = ErrExit::Off;
        set_on_failure(call, &mut inner);
        inner.zeroth = zeroth;
        inner.positional = Some(Rc::new(positional));
        let text = item.marked().to_owned();
        self.nested(&text, &inner, call.input.clone())
    }

    /// A shell that gets its text from programs whose output is not known.
    fn emit_fed(&mut self, call: &ExpandedCommand, sources: &[String]) {
        let mut fed = call.clone();
        if fed.input.is_none() && !sources.is_empty() {
            fed.input = Some(Rc::new(Output::unknown(sources.to_vec())));
        }
        self.emit_call(&fed);
    }

    /// A shell that reads its standard input.
    pub(super) fn standard_input_script(
        &mut self,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Output {
        self.standard_input(call, Vec::new(), scope)
    }

    fn standard_input(
        &mut self,
        call: &ExpandedCommand,
        positional: Vec<Content>,
        scope: &mut Scope,
    ) -> Output {
        let Some(input) = call.input.clone() else {
            self.emit_call(call);
            return Output::nothing();
        };
        self.fed_script(&input, call, (None, positional), scope)
    }

    fn fed_script(
        &mut self,
        input: &Output,
        call: &ExpandedCommand,
        (zeroth, positional): (Option<Content>, Vec<Content>),
        scope: &mut Scope,
    ) -> Output {
        if !input.sources.is_empty() || !call.opened.is_empty() || input.is_hidden() {
            let mut fed = call.clone();
            fed.input = Some(Rc::new(if input.sources.is_empty() {
                input.clone()
            } else {
                Output::unknown(input.sources.clone())
            }));
            self.emit_call(&fed);
        }
        if !input.says_something() {
            return Output::unknown(vec![call.source()]);
        }
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(Through::Wrapper(format!(
            "{} (input)",
            call.program().unwrap_or_default()
        )));
        if !input.sources.is_empty() {
            // What is unknown in the text comes from them.
            let named = self.named(&input.sources);
            inner.through.push(Through::EachOf(named));
        }
        inner.directory = call.directory.clone();
        inherit(call, &mut inner);
        if let Some(zeroth) = zeroth {
            inner.set("BASH_SOURCE", zeroth.clone());
            inner.zeroth = Some(zeroth);
        }
        inner.positional = Some(Rc::new(positional));
        self.nested(&input.text, &inner, None)
    }

    /// A script in a file: known if the text has written it, or if it is a `<( )`.
    fn run_file(&mut self, call: &ExpandedCommand, at: usize, scope: &mut Scope) -> Output {
        let Some(item) = call.words.get(at).cloned() else {
            return Output::nothing();
        };
        let rest: Vec<_> = call.words.iter().skip(at + 1).map(Item::content).collect();
        if matches!(
            item.text(),
            Some("/dev/stdin" | "-" | "/proc/self/fd/0" | "/dev/fd/0")
        ) {
            return self.standard_input(call, rest, scope);
        }
        let fed = item.feed.clone();
        let through_descriptor = || descriptor_output(item.text()?, scope);
        let output = if let Some(feed) = fed.or_else(through_descriptor) {
            feed
        } else {
            let path = self.absolute(&item.arg, scope);
            let known = path.as_ref().and_then(|path| self.files.get(path));
            let Some(output) = known else {
                self.emit_call(call);
                self.runs_script(path);
                return Output::unknown(vec![call.source()]);
            };
            (**output).clone()
        };
        if !self.make(output.size()) {
            return Output::nothing();
        }
        let mut call = call.clone();
        let mut zeroth = None;
        if item.feed.is_none() {
            zeroth = Some(item.content());
            // The file is only the way in which the text came.
            let shell = call.program().filter(|name| is_shell(name));
            call.words = vec![Item::known(shell.unwrap_or_else(|| "bash".to_owned()))];
        }
        let call = &call;
        // `#!/usr/bin/env python3`: not a shell's text.
        let interpreter = output
            .text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("#!"));
        if let Some(line) = interpreter
            && !line.contains("sh")
        {
            let name = line
                .rsplit(['/', ' '])
                .next()
                .unwrap_or_default()
                .to_owned();
            let program = call.with_words(
                vec![Item::known(name), item],
                Through::Wrapper("file".to_owned()),
            );
            return self.call(program, scope);
        }
        self.fed_script(&output, call, (zeroth, rest), scope)
    }

    fn eval(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let args = call.args();
        let text = args.iter().map(Item::marked).collect::<Vec<_>>().join(" ");
        let mut sources = Vec::new();
        for item in args {
            add_sources(&mut sources, &item.sources);
        }
        let nothing_known = args
            .iter()
            .all(|item| matches!(item.arg.value, Value::Unknown));
        if !sources.is_empty() || nothing_known {
            self.emit_fed(call, &sources);
        }
        if nothing_known {
            return Output::unknown(vec![call.source()]);
        }
        // `eval` runs in this very shell.
        let marks = std::mem::replace(&mut scope.marks, Marks::Unknown);
        scope.through.push(Through::Wrapper("eval".to_owned()));
        let output = self.text(&text, scope, call.input.clone(), Checked::No);
        scope.through.pop();
        scope.marks = marks;
        output
    }

    fn source(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let Some(file) = call.arg(0).cloned() else {
            return Output::nothing();
        };
        let path = self.absolute(&file.arg, scope);
        let output = if let Some(feed) = &file.feed {
            feed.clone()
        } else if matches!(
            file.text(),
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
        ) {
            call.input
                .as_ref()
                .map_or_else(Output::nothing, |input| (**input).clone())
        } else if let Some(output) = file.text().and_then(|path| descriptor_output(path, scope)) {
            output
        } else if let Some(known) = path.as_ref().and_then(|path| self.files.get(path)) {
            (**known).clone()
        } else {
            self.emit_call(call);
            self.runs_script(path);
            return Output::nothing();
        };
        if !self.make(output.size()) {
            return Output::nothing();
        }
        if !output.sources.is_empty() || output.is_hidden() {
            let mut fed = call.clone();
            fed.input = Some(Rc::new(Output::unknown(output.sources.clone())));
            self.emit_call(&fed);
        }
        if !output.says_something() {
            return Output::nothing();
        }
        let marks = std::mem::replace(&mut scope.marks, Marks::Unknown);
        scope.through.push(Through::Wrapper("source".to_owned()));
        let printed = self.text(&output.text, scope, None, Checked::No);
        scope.through.pop();
        scope.marks = marks;
        printed
    }
}

/// Variables that are set for a shell alone.
fn inherit(call: &ExpandedCommand, scope: &mut Scope) {
    for (name, value) in &call.environment {
        let content = Content {
            value: value.clone(),
            sources: Vec::new(),
        };
        scope.set(name, content);
    }
}
