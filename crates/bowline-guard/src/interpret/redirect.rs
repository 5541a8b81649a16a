//! Redirections: what a statement reads, and the files that its output goes to.

use std::rc::Rc;

use super::Interpreter;
use super::bounds::{Size, add_sources};
use super::run::Input;
use super::scope::{Descriptors, Scope};
use super::value::{Output, UNKNOWN};
use crate::invocation::{Arg, Destination, Directory, Opened, Opening, Value};
use crate::paths::{self, Shape};
use crate::shell::parts::read_word;
use crate::shell::tree::Part;
use crate::shell::{Redirect, RedirectOperator, RedirectTarget};

/// The most redirections of one command that are followed.
const MAX_REDIRECTS: usize = 64;

/// What redirections do to a statement.
#[derive(Debug, Default)]
pub(super) struct Redirected {
    pub(super) opened: Vec<Opened>,
    /// The programs that tell which files it writes, where that is not known.
    pub(super) listed_by: Vec<String>,
    pub(super) input: Input,
    pub(super) reads_file: Option<Arg>,
    /// A here-string or here-document of which a part is known only by the name of a variable.
    pub(super) here: Option<Arg>,
    /// What can be read from other descriptors.
    descriptors: Descriptors,
    /// Whether what it says on standard error goes where its output goes.
    pub(super) joins_errors: bool,
    /// The commands of `> >( )`.
    sinks: Vec<String>,
    /// The files that its output goes to instead.
    stdout: Vec<Arg>,
    captured: bool,
}

impl Redirected {
    /// Opens the descriptors; gives those that were open before.
    pub(super) fn enter(&self, scope: &mut Scope) -> Descriptors {
        let before = scope.descriptors.clone();
        let opened = self.descriptors.iter();
        scope
            .descriptors
            .extend(opened.map(|(number, output)| (*number, Rc::clone(output))));
        before
    }

    /// Where the output goes that went to `before`.
    pub(super) fn destination(&self, before: Destination) -> Destination {
        let nowhere = |file: &Arg| file.text() == Some("/dev/null");
        if !self.captured {
            before
        } else if !self.stdout.is_empty()
            && self.sinks.is_empty()
            && self.stdout.iter().all(nowhere)
        {
            Destination::Discarded
        } else {
            Destination::Shown
        }
    }

    /// Something to read, on the descriptor that is written before the operator.
    fn reads(&mut self, descriptor: Option<i32>, output: Rc<Output>) {
        match descriptor {
            None | Some(0) => self.input = Some(output),
            Some(number) => {
                self.descriptors.insert(number, output);
            }
        }
    }
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
        if redirects.len() > MAX_REDIRECTS {
            self.cut_short("a command has more redirections than are followed");
        }
        for redirect in redirects.iter().take(MAX_REDIRECTS) {
            self.redirect(redirect, scope, &mut redirected);
        }
        redirected
    }

    fn redirect(&mut self, redirect: &Redirect, scope: &mut Scope, to: &mut Redirected) {
        let item = match &redirect.target {
            RedirectTarget::Word(word) => {
                let word = read_word(&word.source);
                if let [Part::WritesTo(commands)] = word.parts.as_slice()
                    && matches!(redirect.descriptor, None | Some(1))
                {
                    to.captured = true;
                    to.sinks.push(commands.clone());
                    return;
                }
                self.expand_whole(&word, scope)
            }
            RedirectTarget::HereDocument { body, expanded } => {
                let output = if *expanded {
                    self.expand_document(body, scope)
                } else {
                    Output::text(body.clone())
                };
                to.here = here(body, &output);
                to.reads(redirect.descriptor, Rc::new(output));
                return;
            }
        };
        let is_output = matches!(redirect.descriptor, None | Some(1));
        if matches!(item.arg.value, Value::Unknown)
            && !matches!(
                redirect.operator,
                RedirectOperator::Read | RedirectOperator::Append | RedirectOperator::HereString
            )
        {
            add_sources(&mut to.listed_by, &item.sources);
        }
        let (how, arg) = match redirect.operator {
            RedirectOperator::HereString => {
                let output = Output {
                    text: format!("{}\n", item.marked()),
                    sources: item.sources,
                };
                to.here = here(&item.arg.source, &output);
                to.reads(redirect.descriptor, Rc::new(output));
                return;
            }
            RedirectOperator::HereDocument => return,
            RedirectOperator::DuplicateInput => {
                let number = item.marked().trim_end_matches('-').parse::<i32>();
                if let Ok(number) = number
                    && number != 0
                {
                    let known = to.descriptors.get(&number).cloned();
                    let known = known.or_else(|| scope.descriptors.get(&number).cloned());
                    let unknown = || Rc::new(Output::unknown(vec![descriptor(number)]));
                    to.reads(redirect.descriptor, known.unwrap_or_else(unknown));
                }
                return;
            }
            RedirectOperator::DuplicateOutput => {
                let text = item.marked();
                if text.is_empty() || text == "-" || text.bytes().all(|byte| byte.is_ascii_digit())
                {
                    to.joins_errors |= redirect.descriptor == Some(2) && matches!(text, "1" | "");
                    let flows_on = text == "1" || (text == "2" && self.errors_joined > 0);
                    to.captured |= is_output && !flows_on;
                    return;
                }
                (Opening::Overwrite, item.arg)
            }
            RedirectOperator::Read => {
                let output = match item.feed {
                    Some(feed) => feed,
                    None => self.file_output(&item.arg, scope),
                };
                to.reads(redirect.descriptor, Rc::new(output));
                if matches!(redirect.descriptor, None | Some(0)) {
                    to.reads_file = Some(item.arg.clone());
                }
                (Opening::Read, item.arg)
            }
            RedirectOperator::Append | RedirectOperator::ReadWrite => (Opening::Append, item.arg),
            RedirectOperator::Write | RedirectOperator::Clobber | RedirectOperator::WriteBoth => {
                (Opening::Overwrite, item.arg)
            }
        };
        if is_output
            && matches!(
                arg.text(),
                Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1")
            )
        {
            return;
        }
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
            Some(output) => {
                let output = Rc::clone(output);
                self.make(output.size());
                (*output).clone()
            }
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
        for sink in &redirected.sinks {
            self.nested(sink, scope, Some(Rc::new(output.clone())));
        }
        for file in &redirected.stdout {
            self.written(file, &output, scope);
            self.written_for_later(file, &output, scope);
        }
        Output::nothing()
    }

    /// Remembers what was written to a file.
    pub(super) fn written(&mut self, file: &Arg, output: &Output, scope: &mut Scope) {
        if self.files.len() < 64
            && let Some(path) = self.absolute(file, scope)
        {
            self.make(output.size());
            let file = Rc::make_mut(self.files.entry(path).or_default());
            if file.append(output.clone()).is_err() {
                self.too_long();
            }
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

/// Who prints what comes from a descriptor that something else has opened.
fn descriptor(number: i32) -> String {
    format!("cat /dev/fd/{number}")
}

/// What a path like `/dev/fd/3` gives; `None` if it is not a descriptor's.
pub(super) fn descriptor_output(path: &str, scope: &Scope) -> Option<Output> {
    let number = ["/dev/fd/", "/proc/self/fd/"]
        .iter()
        .find_map(|folder| path.strip_prefix(folder))?
        .parse::<i32>()
        .ok()?;
    let known = scope
        .descriptors
        .get(&number)
        .map(|output| (**output).clone());
    Some(known.unwrap_or_else(|| Output::unknown(vec![descriptor(number)])))
}

/// A text that the shell feeds to a program, if something in it only running shows.
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
