//! PowerShell: statements, pipes and words, each cmdlet turned into the program that does the same.
//!
//! A bounded reader, not an interpreter: variables are followed where the text sets them, blocks are followed as if
//! they ran, and what is not understood is reported as such.

mod cmdlets;
mod expressions;
mod names;
mod reader;

use std::rc::Rc;

use super::Interpreter;
use super::bounds::Size;
use super::call::ExpandedCommand;
use super::run::Input;
use super::scope::Scope;
use super::value::{Content, Item, Output, UNKNOWN};
use crate::invocation::{Arg, Opened, Opening, Value};
use reader::{Adding, Token, block, inside, tokens};

/// At most this many stages of one pipe are followed.
const MAX_STAGES: usize = 64;

/// One command of a pipe, as written.
#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    called: bool,
    opened: Vec<(Adding, String)>,
}

impl Interpreter<'_> {
    /// Follows a PowerShell text, and tells what it prints.
    pub(super) fn powershell(&mut self, text: &str, scope: &mut Scope, input: &Input) -> Output {
        let Some(left) = self.bytes.checked_sub(text.len() + 16) else {
            self.problem("the text holds more text than is read");
            return Output::unknown(Vec::new());
        };
        self.bytes = left;
        if !self.pay(16 + text.len() / 16) || !self.enter() {
            return Output::unknown(Vec::new());
        }
        let (tokens, problem) = tokens(text);
        if let Some(problem) = problem {
            self.problem(format!("as PowerShell: {problem}"));
        }
        let mut output = Output::nothing();
        for statement in tokens.split(|it| *it == Token::End) {
            let printed = self.ps_statement(statement, scope, input);
            self.append(&mut output, printed);
        }
        self.leave();
        output
    }

    fn ps_statement(&mut self, tokens: &[Token], scope: &mut Scope, input: &Input) -> Output {
        if tokens.is_empty() || !self.pay(1 + tokens.len() / 8) {
            return Output::nothing();
        }
        if let [Token::Word(target), Token::Word(sign), rest @ ..] = tokens
            && let Some(name) = target.strip_prefix('$')
            && matches!(sign.as_str(), "=" | "+=")
        {
            return self.ps_assignment(name, rest, scope, input);
        }
        if tokens.iter().filter(|it| **it == Token::Pipe).count() > MAX_STAGES {
            self.problem("a pipe has more stages than are followed");
        }
        let mut flow = input.clone();
        let mut output = Output::nothing();
        for stage in tokens.split(|it| *it == Token::Pipe).take(MAX_STAGES) {
            let command = command(stage);
            output = self.ps_command(&command, scope, &flow);
            self.make(output.size());
            flow = Some(Rc::new(output.clone()));
        }
        output
    }

    fn ps_assignment(
        &mut self,
        name: &str,
        value: &[Token],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        // An expression that is assigned is not printed.
        let content = if let Some(item) = self.ps_joined(value, scope) {
            item.content()
        } else {
            let output = self.ps_statement(value, scope, input);
            Content {
                sources: output.sources,
                ..Content::of_text(output.text.trim_end().to_owned())
            }
        };
        scope.set(&variable_key(name), content);
        Output::nothing()
    }

    fn ps_command(&mut self, command: &Command, scope: &mut Scope, input: &Input) -> Output {
        let Some((first, rest)) = command.words.split_first() else {
            return Output::nothing();
        };
        if let Some(body) = block(first) {
            return self.powershell(body, scope, input);
        }
        let opened = self.ps_opened(&command.opened, scope);
        if is_expression(first) && !command.called {
            return self.ps_expression(&command.words, opened, scope);
        }
        let item = self.ps_item(first, scope);
        let Some(name) = program(&item) else {
            // `& $command …`
            let mut call = ExpandedCommand::of(vec![item], scope);
            for word in rest {
                call.words.push(self.ps_item(word, scope));
            }
            call.opened = opened;
            return self.call(call, scope);
        };
        if is_keyword(&name) && !command.called {
            return self.ps_keyword(&name, rest, scope, input);
        }
        self.cmdlet(&name, rest, opened, scope, input)
    }

    /// `if (…) { … }`, `foreach ($x in …) { … }`: all that stands in brackets may run.
    fn ps_keyword(
        &mut self,
        name: &str,
        words: &[String],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let mut output = Output::nothing();
        if matches!(name, "return" | "throw" | "exit") {
            let tokens: Vec<Token> = words.iter().cloned().map(Token::Word).collect();
            return self.ps_statement(&tokens, scope, input);
        }
        for word in words {
            let head = inside(word, '(').filter(|_| word.starts_with('('));
            if let Some(head) = head {
                let each = head
                    .trim()
                    .strip_prefix('$')
                    .and_then(|it| it.split_once(" in "));
                match each {
                    Some((variable, list)) => {
                        let listed = self.powershell(list, scope, &None);
                        let content = Content {
                            value: Value::Unknown,
                            sources: listed.sources.clone(),
                        };
                        let lines: Vec<&str> = listed.text.lines().collect();
                        let content = match lines.as_slice() {
                            [only] => Content {
                                sources: content.sources,
                                ..Content::of_text((*only).to_owned())
                            },
                            _ => content,
                        };
                        scope.set(&variable_key(variable), content);
                    }
                    None => {
                        // A condition prints nothing, but it may run something.
                        if head.contains('-') || head.contains('(') {
                            let (tokens, _) = tokens(head);
                            if !matches!(tokens.first(), Some(Token::Word(word)) if is_expression(word))
                            {
                                self.powershell(head, scope, &None);
                            }
                        }
                    }
                }
            } else if let Some(body) = block(word) {
                let printed = self.powershell(body, scope, input);
                self.append(&mut output, printed);
            }
        }
        output
    }

    fn ps_opened(&mut self, files: &[(Adding, String)], scope: &mut Scope) -> Vec<Opened> {
        let mut opened = Vec::new();
        for (adding, word) in files.iter().filter(|(_, word)| word != "$null") {
            let file = path_arg(&self.ps_item(word, scope));
            let how = match adding {
                Adding::Replaces => Opening::Overwrite,
                Adding::Adds => Opening::Append,
            };
            opened.push(Opened { how, file });
        }
        opened
    }

    /// Runs a program by its words.
    fn ps_run(&mut self, words: Vec<Item>, scope: &mut Scope, input: &Input) -> Output {
        let mut call = ExpandedCommand::of(words, scope);
        call.input.clone_from(input);
        self.call(call, scope)
    }
}

fn command(tokens: &[Token]) -> Command {
    let mut command = Command::default();
    let mut redirect = None;
    for token in tokens {
        match (token, redirect.take()) {
            (Token::Word(word), Some(adding)) => command.opened.push((adding, word.clone())),
            (Token::Word(word), None) => command.words.push(word.clone()),
            (Token::Redirect(adding), _) => redirect = Some(*adding),
            (Token::Call, _) => command.called = true,
            (Token::Pipe | Token::End, _) => {}
        }
    }
    command
}

fn is_expression(word: &str) -> bool {
    word.starts_with(['$', '(', '[', '@', '"', '\''])
        || word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "elseif"
            | "else"
            | "while"
            | "for"
            | "foreach"
            | "do"
            | "until"
            | "switch"
            | "try"
            | "catch"
            | "finally"
            | "function"
            | "filter"
            | "param"
            | "return"
            | "throw"
            | "exit"
            | "begin"
            | "process"
            | "end"
            | "trap"
            | "using"
    )
}

/// The program's name in small letters, without its folder and `.exe`.
fn program(item: &Item) -> Option<String> {
    let text = item.arg.text_or_pattern()?;
    let name = text
        .rsplit(['\\', '/'])
        .next()
        .unwrap_or(text)
        .to_ascii_lowercase();
    // A program of this very folder goes by its whole name.
    let here = text.starts_with("./") || text.starts_with(".\\");
    let name = name.strip_suffix(".exe").filter(|_| !here).unwrap_or(&name);
    (!name.is_empty()).then(|| name.to_owned())
}

/// PowerShell's variables live beside the shell's.
fn variable_key(name: &str) -> String {
    let name = name.trim().trim_matches(['{', '}']);
    let name = name.rsplit_once(':').map_or(name, |(_, name)| name);
    format!("ps:{}", name.to_ascii_lowercase())
}

/// A word as the path that it means here.
fn path_arg(item: &Item) -> Arg {
    let path = |text: &str| super::windows::windows_path(text);
    let value = match &item.arg.value {
        Value::Known(text) if text.starts_with('~') => Value::Pattern(path(text)),
        Value::Known(text) => Value::Known(path(text)),
        Value::Pattern(text) => Value::Pattern(path(text)),
        Value::Partly(text) => Value::Partly(path(text)),
        Value::Unknown => Value::Unknown,
    };
    Arg {
        source: item.arg.source.clone(),
        value,
    }
}

fn path_item(item: &Item) -> Item {
    Item {
        arg: path_arg(item),
        ..item.clone()
    }
}

fn unknown_of(input: &Input) -> Item {
    let sources = input
        .as_ref()
        .map_or_else(Vec::new, |it| it.sources.clone());
    Item::of(Content {
        value: Value::Unknown,
        sources,
    })
}

/// What comes through a pipe as one word.
fn piped(input: &Input) -> Item {
    match input {
        Some(input)
            if !input.text.trim().is_empty() && input.text.trim() != UNKNOWN.to_string() =>
        {
            Item::of(Content {
                sources: input.sources.clone(),
                ..Content::of_text(input.text.trim_end().to_owned())
            })
        }
        other => unknown_of(other),
    }
}
