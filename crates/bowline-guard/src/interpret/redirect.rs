//! Redirections: what a statement reads, and the files that its output goes to.

use std::rc::Rc;

use super::Interpreter;
use super::run::Input;
use super::scope::Scope;
use super::value::{Output, UNKNOWN};
use crate::invocation::{Arg, Directory, Opened, Opening, Value};
use crate::paths::{self, Shape};
use crate::shell::parts::read_word;
use crate::shell::{Redirect, RedirectOperator, RedirectTarget};

/// What redirections do to a statement.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) opened: Vec<Opened>,
    pub(super) input: Input,
    pub(super) reads_file: Option<Arg>,
    /// A here-string or here-document of which a part is known only by the name of a variable.
    pub(super) here: Option<Arg>,
    /// The files that its output goes to instead.
    stdout: Vec<Arg>,
    captured: bool,
}

impl Interpreter<'_> {
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect],
        scope: &mut Scope,
        input: Input,
    ) -> Redirected {
        let mut redirected = Redirected {
            input,
            ..Redirected::default()
        };
        for redirect in redirects {
            self.redirect(redirect, scope, &mut redirected);
        }
        redirected
    }

    fn redirect(&mut self, redirect: &Redirect, scope: &mut Scope, to: &mut Redirected) {
        let item = match &redirect.target {
            RedirectTarget::Word(word) => self.expand_whole(&read_word(&word.source), scope),
            RedirectTarget::HereDocument { body, expanded } => {
                let output = if *expanded {
                    self.expand_document(body, scope)
                } else {
                    Output::text(body.clone())
                };
                to.here = here(body, &output);
                to.input = Some(Rc::new(output));
                return;
            }
        };
        let is_output = matches!(redirect.descriptor, None | Some(1));
        let (how, arg) = match redirect.operator {
            RedirectOperator::HereString => {
                let output = Output {
                    text: format!("{}\n", item.marked()),
                    sources: item.sources,
                };
                to.here = here(&item.arg.source, &output);
                to.input = Some(Rc::new(output));
                return;
            }
            RedirectOperator::HereDocument | RedirectOperator::DuplicateInput => return,
            RedirectOperator::DuplicateOutput => {
                let text = item.marked();
                if text.is_empty() || text == "-" || text.bytes().all(|byte| byte.is_ascii_digit())
                {
                    to.captured |= is_output && text != "1";
                    return;
                }
                (Opening::Overwrite, item.arg)
            }
            RedirectOperator::Read => {
                if matches!(redirect.descriptor, None | Some(0)) {
                    to.input = Some(Rc::new(match item.feed {
                        Some(feed) => feed,
                        None => self.file_output(&item.arg, scope),
                    }));
                    to.reads_file = Some(item.arg.clone());
                }
                (Opening::Read, item.arg)
            }
            RedirectOperator::Append | RedirectOperator::ReadWrite => (Opening::Append, item.arg),
            RedirectOperator::Write | RedirectOperator::Clobber | RedirectOperator::WriteBoth => {
                (Opening::Overwrite, item.arg)
            }
        };
        if matches!(how, Opening::Overwrite | Opening::Append)
            && (is_output || redirect.operator == RedirectOperator::WriteBoth)
        {
            to.captured = true;
            to.stdout.push(arg.clone());
        }
        to.opened.push(Opened { how, file: arg });
    }

    /// What a file holds, if the text itself has written it.
    pub(super) fn file_output(&mut self, file: &Arg, scope: &Scope) -> Output {
        let known = self
            .absolute(file, scope)
            .and_then(|path| self.files.get(&path));
        match known {
            Some(output) => (**output).clone(),
            None => Output::unknown(vec![format!("cat {}", file.source)]),
        }
    }

    /// Keeps what goes to files; what is left goes on.
    pub(super) fn captured(
        &mut self,
        output: Output,
        redirected: &Redirected,
        scope: &mut Scope,
    ) -> Output {
        if !redirected.captured {
            return output;
        }
        for file in &redirected.stdout {
            self.written(file, &output, scope);
        }
        Output::nothing()
    }

    /// Remembers what was written to a file.
    pub(super) fn written(&mut self, file: &Arg, output: &Output, scope: &mut Scope) {
        if self.files.len() < 64
            && let Some(path) = self.absolute(file, scope)
        {
            Rc::make_mut(self.files.entry(path).or_default()).append(output.clone());
        }
    }

    /// The absolute path of a file, where it is known.
    pub(super) fn absolute(&self, file: &Arg, scope: &Scope) -> Option<String> {
        let cwd = match &scope.directory {
            Directory::Known(path) => path.as_str(),
            Directory::Unknown => super::NOWHERE,
        };
        let world = super::At::directory(cwd, self.world);
        let resolved = match &file.value {
            Value::Known(text) => paths::resolve_literal(text, &world),
            Value::Pattern(text) => paths::resolve(text, &world),
            Value::Partly(_) | Value::Unknown => return None,
        };
        (resolved.shape == Shape::Exact).then_some(resolved.path)
    }
}

/// A text that the shell feeds to a program, if something in it only running tells.
fn here(source: &str, output: &Output) -> Option<Arg> {
    output.text.contains(UNKNOWN).then(|| Arg {
        source: source.to_owned(),
        value: Value::Partly(output.text.clone()),
    })
}

/// Whether a program shows, sends or stores what it reads as it is.
pub(super) fn passes_on(program: &str) -> bool {
    matches!(
        program,
        "cat"
            | "tee"
            | "sponge"
            | "base64"
            | "base32"
            | "xxd"
            | "od"
            | "hexdump"
            | "grep"
            | "egrep"
            | "rg"
            | "sed"
            | "awk"
            | "gawk"
            | "sort"
            | "uniq"
            | "head"
            | "tail"
            | "cut"
            | "tr"
            | "rev"
            | "tac"
            | "nl"
            | "fold"
            | "fmt"
            | "column"
            | "xargs"
            | "nc"
            | "ncat"
            | "netcat"
            | "telnet"
            | "socat"
            | "curl"
            | "wget"
            | "http"
            | "xh"
            | "mail"
            | "mailx"
            | "sendmail"
            | "logger"
            | "wall"
            | "pastebinit"
    )
}
