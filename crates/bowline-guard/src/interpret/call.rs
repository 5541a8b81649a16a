//! One command: builtins that change the shell, functions, wrappers, and programs.

use super::bounds::{Size, add_sources};
use super::run::Input;
use super::scope::Scope;
use super::value::{Content, Item, Output, marked};
use super::{Interpreter, embedded, flow, git, options, tools, wrappers};
use crate::invocation::{Arg, Destination, Directory, Invocation, Opened, Stdin, Through, Value};
use crate::paths::glob;

/// A command whose words are expanded.
#[derive(Debug, Clone)]
pub(super) struct ExpandedCommand {
    /// The program's name, then its arguments.
    pub(super) words: Vec<Item>,
    pub(super) environment: Vec<(String, Value)>,
    pub(super) opened: Vec<Opened>,
    /// The programs that tell which files are opened, where that is not known.
    pub(super) listed_by: Vec<String>,
    pub(super) input: Input,
    /// The file that is redirected into it.
    pub(super) reads_file: Option<Arg>,
    pub(super) directory: Directory,
    pub(super) output: Destination,
    pub(super) through: Vec<Through>,
}

impl ExpandedCommand {
    pub(super) fn of(words: Vec<Item>, scope: &Scope) -> Self {
        Self {
            words,
            environment: Vec::new(),
            opened: Vec::new(),
            listed_by: Vec::new(),
            input: None,
            reads_file: None,
            directory: scope.directory.clone(),
            output: scope.output,
            through: scope.through.clone(),
        }
    }

    /// The call that a run came from.
    pub(super) fn again(run: &Invocation, scope: &Scope) -> Self {
        let program = run.program_path.as_deref().or(run.program.as_deref());
        let program = Arg::known(program.unwrap_or_default());
        let words = std::iter::once(&program).chain(&run.args);
        let words = words.map(|arg| Item {
            arg: arg.clone(),
            ..Item::of(Content::unknown())
        });
        let mut call = Self::of(words.collect(), scope);
        call.environment.clone_from(&run.environment);
        call
    }

    /// The same surroundings for the words from `skip` on, run through something.
    pub(super) fn inner(&self, skip: usize, through: Through) -> Self {
        self.with_words(self.words.get(skip..).unwrap_or_default().to_vec(), through)
    }

    pub(super) fn with_words(&self, words: Vec<Item>, through: Through) -> Self {
        let mut inner = self.clone();
        inner.words = words;
        inner.through.push(through);
        inner
    }

    /// The program's name without its folder.
    pub(super) fn program(&self) -> Option<String> {
        let first = self.words.first()?;
        match first.arg.value {
            Value::Unknown if first.sources.is_empty() => {
                tools::named_by(&first.arg.source).map(str::to_owned)
            }
            _ => program_name(&first.arg.value),
        }
    }

    /// The program as written, unless that is a plain name.
    fn program_path(&self) -> Option<String> {
        let arg = &self.words.first()?.arg;
        match &arg.value {
            Value::Known(text) if !text.contains('/') => None,
            Value::Unknown => Some(arg.source.clone()),
            value => Some(marked(value).to_owned()),
        }
    }

    pub(super) fn args(&self) -> &[Item] {
        self.words.get(1..).unwrap_or_default()
    }

    pub(super) fn arg(&self, index: usize) -> Option<&Item> {
        self.args().get(index)
    }

    /// As written, for those who come after it in a pipe.
    pub(super) fn source(&self) -> String {
        let first = self.words.first().map(Item::marked).unwrap_or_default();
        let name = self.program().unwrap_or_else(|| quoted(first));
        joined(name, self.args().iter().map(Item::marked))
    }
}

/// A run as written, as those know it who come after it in a pipe.
pub(crate) fn source_of(run: &Invocation) -> String {
    let name = run.program.clone().unwrap_or_default();
    joined(name, run.args.iter().map(|arg| marked(&arg.value)))
}

fn joined<'a>(name: String, args: impl Iterator<Item = &'a str>) -> String {
    let mut text = name;
    for arg in args {
        text.push(' ');
        push_quoted(&mut text, arg);
    }
    match text.char_indices().nth(2_000) {
        Some((end, _)) if text.len() > 2_000 => text.get(..end).unwrap_or_default().to_owned(),
        _ => text,
    }
}

/// A word as a shell would have to be given it.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    quoted
}

fn push_quoted(line: &mut String, text: &str) {
    #[rustfmt::skip]
    let plain = |c: char| {
        matches!(c, 'a'..='z' | 'A'..='Z' | '0'..='9'
            | '-' | '_' | '.' | '/' | '=' | ':' | ',' | '+' | '@' | '%' | '~' | '*' | '?' | '[' | ']' | '{' | '}' | '$' | '…')
            || c.is_alphanumeric()
    };
    if !text.is_empty() && text.chars().all(plain) {
        line.push_str(text);
    } else {
        line.push('\'');
        line.push_str(&text.replace('\'', "'\\''"));
        line.push('\'');
    }
}

/// Programs that a wildcard in a program's place may hide.
const HIDDEN_BY_WILDCARDS: &[&str] = &[
    "rm", "rmdir", "unlink", "shred", "dd", "mv", "git", "mkfs", "find", "chmod", "chown",
    "truncate", "bash", "sh", "cat", "curl", "wget", "python3", "perl", "kubectl", "docker",
    "shutdown", "reboot", "env", "sudo", "tee", "cp", "crontab", "killall", "base64",
];

fn program_name(value: &Value) -> Option<String> {
    let base = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    match value {
        Value::Known(text) => Some(base(text)).filter(|name| !name.is_empty()),
        Value::Pattern(text) => {
            let name = base(text);
            // The commonest program has a name that looks like a wildcard, and is none.
            if name == "[" {
                return Some(name);
            }
            if !glob::has_wildcard(&name) {
                return Some(name).filter(|name| !name.contains('$') && !name.is_empty());
            }
            let hidden = HIDDEN_BY_WILDCARDS
                .iter()
                .find(|program| glob::meet(&name, program, 0).is_some());
            hidden.map(|program| (*program).to_owned())
        }
        // `$TOOLS/rm` is rm, wherever it lies.
        Value::Partly(text) => {
            let name = text.rsplit_once('/').map(|(_, name)| name)?;
            let known = !name.is_empty() && !name.contains(super::value::UNKNOWN);
            known.then(|| name.to_owned())
        }
        Value::Unknown => None,
    }
}

impl Interpreter<'_> {
    /// Follows one command and tells what it prints.
    pub(super) fn call(&mut self, call: ExpandedCommand, scope: &mut Scope) -> Output {
        if call.words.is_empty() || !self.pay(1 + call.words.len() / 8) || !self.make(call.size()) {
            return Output::nothing();
        }
        if !self.enter() {
            self.emit_call(&call);
            return Output::unknown(Vec::new());
        }
        let output = self.dispatch(&call, scope);
        self.leave();
        output
    }

    fn dispatch(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let Some(name) = call.program() else {
            return self.unknown_program(call, scope);
        };
        let first = call.words.first().and_then(Item::text).unwrap_or_default();
        if !first.contains('/') {
            if let Some(alias) = scope.aliases.get(first).cloned()
                && !self
                    .calls
                    .iter()
                    .any(|(name, body)| name == first && body.is_none())
            {
                self.calls.push((first.to_owned(), None));
                let output = self.alias(&alias, call, scope);
                self.calls.pop();
                return output;
            }
            if let Some(body) = scope.functions.get(first).cloned() {
                return self.function(first, &body, call.args(), scope, call.input.clone());
            }
        }
        if let Some(plain) = call.without_capitals() {
            // Where there is no such program, nothing happens: what it would print or change in the shell is not believed.
            self.dispatch(&plain, &mut scope.clone());
            return Output::unknown(vec![call.source()]);
        }
        if let Some(original) = self.as_original(call, scope) {
            return self.call(original, scope);
        }
        if options::asks_for_help(&name, call.args()) {
            self.emit_call(call);
            return Output::unknown(vec![call.source()]);
        }
        self.run_subscripts(&name, call, scope);
        if let Some(output) = self.builtin(&name, call, scope) {
            return output;
        }
        self.environment_commands(&name, call, scope);
        if let Some(output) = wrappers::unwrap(self, &name, call, scope) {
            return output;
        }
        if let Some(output) = self.shell(&name, call, scope) {
            return output;
        }
        if let Some(output) = self.remote(&name, call, scope) {
            return output;
        }
        if let Some(output) = self.each_of(&name, call, scope) {
            return output;
        }
        let is_git = matches!(name.as_str(), "git" | "hub");
        let settled = is_git.then(|| git::with_settings(call, scope)).flatten();
        let call = settled.as_ref().unwrap_or(call);
        if is_git && let Some(output) = self.git_alias(call, scope) {
            return output;
        }
        self.emit_call(call);
        if first.contains('/') {
            let program = call.words.first().map(|it| &it.arg);
            let path = program.and_then(|it| self.absolute(it, scope));
            self.runs_script(path);
        }
        embedded::follow(self, &name, call, scope);
        self.patched(&name, call, scope);
        let printed = self.language(&name, call, scope);
        self.downloads(&name, call, scope);
        self.carried(&name, call, scope);
        self.emptied(&name, call, scope);
        self.learn_copy(&name, call, scope);
        self.conventional(&name, call, scope);
        self.copied_text(&name, call, scope);
        if let Some(printed) = printed {
            return printed;
        }
        flow::output_of(self, &name, call, scope)
    }

    /// `$CMD …`: what follows may be a command of its own, as after `$SUDO`.
    fn unknown_program(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        self.emit_call(call);
        if call
            .arg(0)
            .and_then(Item::text)
            .is_some_and(|next| !next.starts_with('-'))
        {
            let inner = call.inner(
                1,
                Through::Wrapper(
                    call.words
                        .first()
                        .map_or_else(String::new, |w| w.arg.source.clone()),
                ),
            );
            self.call(inner, scope);
        }
        Output::unknown(vec![call.source()])
    }

    fn alias(&mut self, alias: &str, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let rest = call.args().iter().map(|item| quoted(item.marked()));
        let text = std::iter::once(alias.to_owned())
            .chain(rest)
            .collect::<Vec<_>>()
            .join(" ");
        self.nested(&text, scope, call.input.clone())
    }

    /// Reports the command as a program run.
    pub(super) fn emit_call(&mut self, call: &ExpandedCommand) {
        let mut through = call.through.clone();
        let mut sources = Vec::new();
        // The name of a program that is not known comes from somewhere, too.
        let first = usize::from(call.program().is_some());
        for item in call.words.get(first..).unwrap_or_default() {
            if matches!(item.arg.value, Value::Unknown | Value::Partly(_)) && item.feed.is_none() {
                add_sources(&mut sources, &item.sources);
            }
        }
        if sources.is_empty() {
            sources.clone_from(&call.listed_by);
        }
        if !sources.is_empty() && !through.iter().any(|it| matches!(it, Through::EachOf(_))) {
            through.push(Through::EachOf(self.named(&sources)));
        }
        let stdin = match (&call.input, &call.reads_file) {
            (Some(input), Some(_)) if input.is_known() => input.to_stdin(),
            (_, Some(file)) => Stdin::File(file.clone()),
            (Some(input), None) => input.to_stdin(),
            (None, None) => call
                .args()
                .iter()
                .find_map(|item| item.feed.as_ref())
                .map_or(Stdin::None, Output::to_stdin),
        };
        let read = match &stdin {
            Stdin::Text(text) => text.len(),
            Stdin::Pipe(sources) => sources.size(),
            Stdin::File(_) | Stdin::None => 0,
        };
        if !self.make(call.size() + read) {
            return;
        }
        self.emit(Invocation {
            program: call.program(),
            program_path: call.program_path(),
            args: call.args().iter().map(|item| item.arg.clone()).collect(),
            environment: call.environment.clone(),
            directory: call.directory.clone(),
            stdin,
            opened: call.opened.clone(),
            output: call.output,
            through,
            links: self.links.clone(),
        });
    }

    /// Files that a download makes are known to be fetched.
    fn downloads(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        if !matches!(name, "curl" | "wget" | "aria2c" | "http" | "fetch") {
            return;
        }
        let args = call.args();
        let mut target = options::value_of(
            args,
            &["-o", "-O", "--output", "--output-document", "--out"],
        )
        .map(|item| item.arg.clone());
        let remote_name = args.iter().filter_map(Item::text).any(|it| {
            it == "--remote-name"
                || (it.starts_with('-') && !it.starts_with("--") && it.contains('O'))
        });
        if (name == "curl" && remote_name) || (name == "wget" && target.is_none()) {
            let url = args
                .iter()
                .filter_map(Item::text)
                .rfind(|it| it.contains("://") || (it.contains('.') && it.contains('/')));
            target = url.and_then(|url| url.rsplit('/').next()).map(Arg::known);
        }
        if let Some(target) = target.filter(|it| it.text() != Some("-")) {
            let output = Output::unknown(vec![call.source()]);
            self.written(&target, &output, scope);
        }
    }
}
