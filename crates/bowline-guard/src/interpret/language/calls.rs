//! The calls that matter in a program text.

use std::collections::BTreeMap;

use super::UNKNOWN;
use super::around::{aliases, arguments_at, before_name, bindings, is_keyword, receiver};
use super::callees::{Callee, call_of};
use super::deeds::{Deed, deed};
use super::environment::{Shown, What, shown};
use super::indirect::{computed_member, deletes_by_sync};
use super::lexer::{Family, Lexed, Token, lex};
use super::names::Names;
use super::places::without_hidden;
use super::value::{Value, arguments, closing, evaluate};
use super::written::{
    could_be_path, deletes_a_path, no_arguments, texts_written, with_home, written_path,
};
use crate::interpret::Interpreter;
use crate::interpret::call::ExpandedCommand;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item, Output};
use crate::invocation::{Arg, Destination, Opened, Opening, Value as ShellValue};

/// What is put into a file that is opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    Nothing,
    Something,
}

/// A program text, read.
pub(super) struct Program {
    pub(super) tokens: Vec<Token>,
    pub(super) names: Names,
    /// Functions that go by another name here.
    aliases: BTreeMap<String, String>,
    pub(super) family: Family,
    /// Whether something in it writes to files that it opens, and what.
    writes: bool,
    written: String,
    /// Where what it reads goes.
    reads_to: Destination,
}

impl Program {
    fn read(lexed: Lexed, family: Family) -> Self {
        let tokens = &lexed.tokens;
        let any = |wanted: fn(&str) -> bool| {
            tokens
                .iter()
                .any(|it| matches!(it, Token::Name(name) if wanted(name)))
        };
        let writes = any(|name| {
            name.starts_with("write")
                || matches!(name, "dump" | "print" | "puts" | "fwrite" | "copyfileobj")
        });
        let shows = (0..tokens.len()).any(|at| match tokens.get(at) {
            Some(Token::Name(name)) => matches!(
                call_of(name, &before_name(tokens, at)),
                Callee::Prints | Callee::Sends
            ),
            Some(Token::Shell(_)) => true,
            _ => false,
        });
        let reads_to = if shows {
            Destination::Shown
        } else {
            Destination::Captured
        };
        let names = bindings(&lexed, family);
        let written = if writes {
            texts_written(tokens, &names)
        } else {
            String::new()
        };
        Self {
            reads_to,
            written,
            names,
            aliases: aliases(tokens, family),
            family,
            writes,
            tokens: lexed.tokens,
        }
    }
}

impl Interpreter<'_> {
    /// Finds the calls of a program text, and follows what they do. Gives what it prints.
    pub(super) fn program_text(
        &mut self,
        code: &str,
        family: Family,
        scope: &mut Scope,
    ) -> Option<Output> {
        let Some(left) = self.bytes.checked_sub(code.len()) else {
            self.cut_short("the text holds more code than is read");
            return None;
        };
        if !self.enter() {
            return None;
        }
        self.bytes = left;
        let lexed = lex(&with_home(code), family);
        self.environment(&lexed, family, scope);
        let program = Program::read(lexed, family);
        let mut printed = Output::nothing();
        let mut at = 0;
        while let Some(token) = program.tokens.get(at) {
            if self.steps_left == 0 {
                break;
            }
            match token {
                Token::Shell(text) => {
                    let text = text.clone();
                    self.nested(&text, scope, None);
                }
                Token::Name(name) => {
                    let (name, at) = called(name, at, &program);
                    self.named_call(&name, at, &program, scope, &mut printed);
                }
                // `fs["rmSync"](…)`
                Token::Symbol('[') => {
                    if let Some((name, end)) = computed_member(at, &program) {
                        self.named_call(&name, end, &program, scope, &mut printed);
                    }
                }
                Token::Text(_) | Token::Number(_) | Token::Symbol(_) | Token::Newline => {}
            }
            at += 1;
        }
        if program.names.is_spent() {
            self.too_long();
        }
        self.leave();
        Some(printed)
    }

    /// Follows the call of a name, in the folder that it is made in.
    fn named_call(
        &mut self,
        name: &str,
        at: usize,
        program: &Program,
        scope: &mut Scope,
        printed: &mut Output,
    ) {
        let before = before_name(&program.tokens, at);
        if self.moves(name, &before, at, program, scope) {
            return;
        }
        let outer = scope.directory.clone();
        if let Some(folder) = self.folder_of_run(name, &before, at, program, scope) {
            scope.directory = folder;
        }
        self.call_here(name, &before, at, program, scope, printed);
        scope.directory = outer;
    }

    /// Follows the call of a name, if it is one that matters.
    fn call_here(
        &mut self,
        name: &str,
        before: &str,
        at: usize,
        program: &Program,
        scope: &mut Scope,
        printed: &mut Output,
    ) {
        let Program {
            tokens,
            names,
            family,
            ..
        } = program;
        let family = *family;
        if self.indirect_call(name, before, at, program, scope) {
            return;
        }
        let sync = name == "sync" && deletes_by_sync(tokens, at, before);
        let deed = if sync {
            Some(Deed::DeleteTree)
        } else {
            deed(name, before, family)
        };
        let Some(deed) = deed else {
            return;
        };
        let Some(inside) = arguments_at(tokens, at, family).or_else(|| no_arguments(deed, before))
        else {
            return;
        };
        if !self.pay(1 + inside.len() / 4) {
            // The next would be as much.
            self.steps_left = 0;
            return;
        }
        let mut values: Vec<Value> = arguments(inside)
            .into_iter()
            .filter(|it| !is_keyword(it))
            .map(|it| evaluate(it, names, 0))
            .collect();
        // `Path("x").unlink()`: the receiver is what it is done to.
        let on_receiver = matches!(
            deed,
            Deed::Delete | Deed::DeleteTree | Deed::Read | Deed::Write
        ) && (values.is_empty() || matches!(name, "write_text" | "write_bytes"));
        if on_receiver {
            values = match receiver(tokens, at, names) {
                Some(receiver) => vec![receiver],
                None if name == "unlink" && deletes_a_path(tokens, before) => vec![Value::Unknown],
                None => return,
            };
        }
        // `Path("x").rename("y")`, but not `text().replace("x", "y")`.
        if deed == Deed::Move && before.ends_with(')') && family == Family::Python {
            let [to] = values.as_slice() else {
                return;
            };
            let Some(from @ Value::Text(_)) = receiver(tokens, at, names) else {
                return;
            };
            values = vec![from, to.clone()];
        }
        match deed {
            Deed::DeleteTree | Deed::Delete => {
                // `set.delete(1)`: what is no path is no file.
                if name == "delete" && !on_receiver && !values.iter().any(could_be_path) {
                    return;
                }
                // Unknown: a name that says nothing, such as a method of the text's own.
                let flags = if deed == Deed::DeleteTree {
                    "-rf"
                } else {
                    "-f"
                };
                // shelljs takes the options of `rm`.
                let targets: Vec<Value> = values
                    .into_iter()
                    .filter(|it| !matches!(it, Value::Text(text) if text.starts_with('-')))
                    .take(if family == Family::JavaScript { 1 } else { 16 })
                    .collect();
                let targets: Vec<Value> = match targets.as_slice() {
                    [Value::List(items)] => items.clone(),
                    _ => targets,
                };
                if !targets.is_empty() {
                    let mut words = vec![Item::known("rm"), Item::known(flags)];
                    words.extend(targets.iter().map(target));
                    self.emit_words(words, scope);
                }
            }
            Deed::Run => match values.first() {
                Some(Value::List(words)) => self.run_words(words, scope),
                Some(Value::Text(text)) => {
                    let rest = values.get(1..).unwrap_or_default();
                    // Perl and Ruby take the words of a command as a list of arguments.
                    if matches!(family, Family::Perl | Family::Ruby)
                        && matches!(rest.first(), Some(Value::Text(_)))
                    {
                        self.run_words(&values, scope);
                    } else {
                        self.nested(&without_hidden(text), scope, None);
                    }
                }
                Some(Value::Unknown) | None => {}
            },
            Deed::RunWords => {
                let mut words = Vec::new();
                if name.starts_with("spawnl") || name.starts_with("spawnv") {
                    // Whether to wait for it.
                    values = values.split_off(1.min(values.len()));
                }
                for (index, value) in values.iter().enumerate() {
                    match value {
                        // The list that `execvp` takes begins with the name once more.
                        Value::List(items)
                            if (name.starts_with("exec") || name.starts_with("spawnv"))
                                && name != "execFile"
                                && name != "execFileSync"
                                && !name.starts_with("execa")
                                && index > 0 =>
                        {
                            words.extend(items.iter().skip(1).cloned());
                        }
                        Value::List(items) => words.extend(items.iter().cloned()),
                        other => words.push(other.clone()),
                    }
                }
                if matches!(name, "execl" | "execlp" | "spawnl" | "spawnlp") && words.len() > 1 {
                    words.remove(1);
                }
                match words.as_slice() {
                    [Value::Text(text)] if text.contains(' ') => {
                        self.nested(&without_hidden(text), scope, None);
                    }
                    _ => self.run_words(&words, scope),
                }
            }
            Deed::Open => {
                let (path, rest) = values.split_first().unwrap_or((&Value::Unknown, &[]));
                for path in alternatives(path) {
                    let values: Vec<Value> = [path].iter().chain(rest).cloned().collect();
                    if let Some(path) = written_path(&values, family) {
                        self.keeps(&path, &program.written, scope);
                    }
                    self.open(&values, program, scope);
                }
            }
            Deed::Write => {
                for path in values.first().map(alternatives).unwrap_or_default() {
                    self.opened(&path, Opening::Overwrite, Contents::Something, scope);
                    if let Some(Value::Text(text)) = values.get(1) {
                        self.keeps(&path, text, scope);
                    }
                }
            }
            Deed::Rewrite => {
                let in_place =
                    |it: &Token| matches!(it, Token::Name(word) if word.starts_with("inplace"));
                if inside.iter().any(in_place) {
                    let path = values.first().cloned().unwrap_or(Value::Unknown);
                    for path in alternatives(&path) {
                        self.opened(&path, Opening::Overwrite, Contents::Something, scope);
                    }
                }
            }
            Deed::Read => {
                for path in values.first().map(alternatives).unwrap_or_default() {
                    self.reading(&path, program, scope);
                }
            }
            Deed::Move | Deed::Copy => {
                if let [from, to, ..] = values.as_slice() {
                    let (program, from) = match deed {
                        Deed::Move => ("mv", target(from)),
                        _ => ("cp", item(from)),
                    };
                    self.emit_words(vec![Item::known(program), from, target(to)], scope);
                }
            }
            Deed::Link => {
                if let [target, name, ..] = values.as_slice() {
                    let words = vec![
                        Item::known("ln"),
                        Item::known("-s"),
                        item(target),
                        item(name),
                    ];
                    self.emit_words(words, scope);
                }
            }
            Deed::Apply => {
                if let [Value::Text(function), rest @ ..] = values.as_slice() {
                    let deletes = matches!(function.as_str(), "unlink" | "rmdir");
                    let words = if deletes {
                        vec![Item::known("rm"), Item::known("-rf")]
                    } else {
                        Vec::new()
                    };
                    let runs = matches!(
                        function.as_str(),
                        "system" | "exec" | "shell_exec" | "passthru"
                    );
                    if deletes {
                        self.emit_words(
                            words.into_iter().chain(rest.iter().map(target)).collect(),
                            scope,
                        );
                    } else if runs {
                        for value in rest {
                            self.nested(&without_hidden(&value.text()), scope, None);
                        }
                    }
                }
            }
            Deed::Print => {
                let text = values.iter().map(Value::text).collect::<Vec<_>>().join(" ");
                let text = without_hidden(&text);
                self.append(printed, Output::text(text + "\n"));
            }
            Deed::Evaluate => self.evaluated(inside, &values, family, scope),
        }
    }

    /// `exec(urlopen("http://…").read())`: code that is fetched.
    fn evaluated(&mut self, inside: &[Token], values: &[Value], family: Family, scope: &mut Scope) {
        let url = inside.iter().find_map(|token| match token {
            Token::Text(text) if text.contains("://") => Some(text.clone()),
            _ => None,
        });
        if let Some(url) = url {
            let mut call = ExpandedCommand::of(vec![Item::known("bash")], scope);
            call.input = Some(std::rc::Rc::new(Output::unknown(vec![format!(
                "curl {url}"
            )])));
            self.emit_call(&call);
            return;
        }
        if let Some(Value::Text(code)) = values.first() {
            let code = code.clone();
            self.program_text(&code, family, scope);
        }
    }

    fn open(&mut self, values: &[Value], program: &Program, scope: &mut Scope) {
        // Perl: open(my $f, '>', path).
        let (path, mode) = match (program.family, values) {
            (Family::Perl, [_, Value::Text(text)]) => {
                let mode = if text.starts_with('>') { ">" } else { "<" };
                if text.ends_with('|') || text.starts_with('|') {
                    let text = text.trim_matches('|').to_owned();
                    let input = Some(std::rc::Rc::new(Output::text(program.written.as_str())));
                    self.nested(&text, scope, input.filter(|it| it.says_something()));
                    return;
                }
                let path = Value::Text(text.trim_start_matches(['<', '>', ' ']).to_owned());
                return self.open_as(&path, mode, program, scope);
            }
            (Family::Perl, [_, Value::Text(mode), path, ..])
            | (_, [path, Value::Text(mode), ..]) => (path, mode.clone()),
            (_, [path, ..]) => (path, "r".to_owned()),
            (_, []) => return,
        };
        self.open_as(path, &mode, program, scope);
    }

    fn open_as(&mut self, path: &Value, mode: &str, program: &Program, scope: &mut Scope) {
        let contents = if program.writes {
            Contents::Something
        } else {
            Contents::Nothing
        };
        if mode.starts_with(['w', 'x', '>']) && !mode.starts_with(">>") {
            self.opened(path, Opening::Overwrite, contents, scope);
        } else if mode.starts_with('a') || mode.starts_with(">>") {
            self.opened(path, Opening::Append, contents, scope);
        } else {
            self.reading(path, program, scope);
        }
    }

    /// Reads a file. Without anything that prints or sends, the text keeps it to itself.
    fn reading(&mut self, path: &Value, program: &Program, scope: &mut Scope) {
        let outer = scope.output;
        if outer == Destination::Shown {
            scope.output = program.reads_to;
        }
        self.emit_words(vec![Item::known("cat"), item(path)], scope);
        scope.output = outer;
    }

    fn opened(&mut self, path: &Value, how: Opening, contents: Contents, scope: &mut Scope) {
        let Item { arg, .. } = target(path);
        let words = match contents {
            Contents::Nothing => vec![Item::known(":")],
            Contents::Something => vec![Item::known("printf"), Item::of(Content::unknown())],
        };
        let mut call = ExpandedCommand::of(words, scope);
        call.opened.push(Opened { how, file: arg });
        self.emit_call(&call);
    }

    fn run_words(&mut self, words: &[Value], scope: &mut Scope) {
        let words: Vec<Item> = words.iter().map(item).collect();
        if words.first().is_some_and(|it| it.text().is_some()) {
            self.emit_words(words, scope);
        }
    }

    fn emit_words(&mut self, words: Vec<Item>, scope: &mut Scope) {
        let call = ExpandedCommand::of(words, scope);
        self.call(call, scope);
    }

    /// What a program text shows of the environment, as programs that show the same.
    fn environment(&mut self, lexed: &Lexed, family: Family, scope: &mut Scope) {
        for shown in shown(lexed, family) {
            let words = match &shown {
                Shown::Printed(What::One(name)) => vec![Item::known("printenv"), Item::known(name)],
                Shown::Printed(What::Whole) => vec![Item::known("printenv")],
                Shown::Sent(What::One(name)) => {
                    vec![Item::known("curl"), Item::known("--data"), variable(name)]
                }
                Shown::Addressed(What::One(name)) => vec![Item::known("curl"), variable(name)],
                Shown::Sent(What::Whole) | Shown::Addressed(What::Whole) => {
                    vec![Item::known("curl")]
                }
            };
            let mut call = ExpandedCommand::of(words, scope);
            if matches!(
                shown,
                Shown::Sent(What::Whole) | Shown::Addressed(What::Whole)
            ) {
                let source = Output::unknown(vec!["printenv".to_owned()]);
                call.input = Some(std::rc::Rc::new(source));
            }
            self.emit_call(&call);
        }
    }
}

/// The values that a name may have, each by itself.
fn alternatives(value: &Value) -> Vec<Value> {
    match value {
        Value::List(items) if !items.is_empty() => items.clone(),
        other => vec![other.clone()],
    }
}

/// A variable of the environment as an argument.
fn variable(name: &str) -> Item {
    let mut item = Item::of(Content::unknown());
    item.arg.source = format!("${name}");
    item
}

/// What is really called by a name, and where its arguments begin: aliases, `getattr(os, "system")`, `$f`.
fn called(name: &str, at: usize, program: &Program) -> (String, usize) {
    let Program { tokens, names, .. } = program;
    if tokens.get(at + 1) != Some(&Token::Symbol('(')) {
        return (name.to_owned(), at);
    }
    if let Some(function) = program.aliases.get(name) {
        return (function.clone(), at);
    }
    if let (Some('$'), Some(Value::Text(function))) = (name.chars().next(), names.get(name)) {
        return (function.clone(), at);
    }
    if name != "getattr" {
        return (name.to_owned(), at);
    }
    let end = closing(tokens, at + 1);
    if let Some(inside) = tokens.get(at + 2..end)
        && let Some(member) = arguments(inside).get(1)
        && let Value::Text(function) = evaluate(member, names, 0)
    {
        return (function, end);
    }
    (name.to_owned(), at)
}

/// An expression's value as an argument.
pub(super) fn item(value: &Value) -> Item {
    item_of(without_hidden(&value.text()))
}

/// The same of something that is deleted, moved or written over.
pub(super) fn target(value: &Value) -> Item {
    item_of(value.text())
}

fn item_of(text: String) -> Item {
    let value = if text.chars().all(|c| c == UNKNOWN) {
        ShellValue::Unknown
    } else if text.contains(UNKNOWN) {
        ShellValue::Partly(text.clone())
    } else if text.starts_with('~') || text.contains(['*', '?']) {
        ShellValue::Pattern(text.clone())
    } else {
        ShellValue::Known(text.clone())
    };
    let mut item = Item::of(Content {
        value,
        sources: Vec::new(),
    });
    item.arg = Arg {
        source: text,
        ..item.arg
    };
    item
}
