//! Commands that run once for each item: `xargs`, `parallel`, `find -exec`, `fd -x`.

use super::Interpreter;
use super::bounds::{Size, TooLong, add_sources, replaced};
use super::call::{ExpandedCommand, quoted};
use super::options::{first_operand, texts_of};
use super::scope::Scope;
use super::value::{Content, Item, Output};
use crate::invocation::{Directory, Opened, Opening, Through, Value};
use crate::search::{Action, Running, Search};

/// The most items that are put into one command.
const MAX_ITEMS: usize = 32;

const XARGS_VALUES: &[&str] = &[
    "-a",
    "--arg-file",
    "-d",
    "--delimiter",
    "-E",
    "-I",
    "-J",
    "-L",
    "--max-lines",
    "-n",
    "--max-args",
    "-P",
    "--max-procs",
    "-R",
    "-S",
    "-s",
    "--max-chars",
    "--replace",
    "--process-slot-var",
];

const PARALLEL_VALUES: &[&str] = &[
    "-j",
    "--jobs",
    "-n",
    "--max-args",
    "-N",
    "-I",
    "-a",
    "--arg-file",
    "-d",
    "--delimiter",
    "-S",
    "--sshlogin",
    "--colsep",
    "-C",
    "-L",
    "-P",
    "--timeout",
    "--retries",
    "--delay",
    "--joblog",
    "--results",
    "--halt",
    "--wd",
    "--workdir",
    "-s",
    "--max-chars",
    "--tmpdir",
    "--nice",
    "--load",
    "--memfree",
    "--tagstring",
];

impl Interpreter<'_> {
    pub(super) fn each_of(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) -> Option<Output> {
        match name {
            "xargs" | "gxargs" => Some(self.xargs(call, scope)),
            "parallel" | "rush" | "env_parallel" => Some(self.parallel(call, scope)),
            "find" | "gfind" | "bfs" | "fd" | "fdfind" => Some(self.searching(name, call, scope)),
            _ => None,
        }
    }

    /// The items that are read, and where unknown ones come from.
    fn items(&mut self, call: &ExpandedCommand, separator: Separator) -> Vec<Item> {
        let Some(input) = &call.input else {
            return vec![Item::of(Content::unknown())];
        };
        let mut items = Vec::new();
        let pieces: Vec<&str> = match separator {
            Separator::Blanks => input.text.split_whitespace().collect(),
            Separator::Lines => input.text.lines().filter(|line| !line.is_empty()).collect(),
            Separator::Character(c) => input
                .text
                .split(c)
                .filter(|it| !it.trim().is_empty())
                .collect(),
        };
        for piece in pieces.iter().take(MAX_ITEMS) {
            if !self.make(piece.len() + input.sources.size()) {
                break;
            }
            let piece = piece.trim_end_matches('\n');
            let piece = if separator == Separator::Blanks {
                piece.trim_matches(['"', '\''])
            } else {
                piece
            };
            let value = if piece.chars().all(|c| c == super::value::UNKNOWN) {
                Value::Unknown
            } else if piece.contains(super::value::UNKNOWN) {
                Value::Partly(piece.to_owned())
            } else {
                Value::Known(piece.to_owned())
            };
            items.push(Item::of(Content {
                value,
                sources: input.sources.clone(),
            }));
        }
        if pieces.len() > MAX_ITEMS {
            self.problem("a command runs for more items than are followed");
        }
        if items.is_empty() {
            let sources = input.sources.clone();
            items.push(Item::of(Content {
                value: Value::Unknown,
                sources,
            }));
        }
        items
    }

    /// The same call, reading the file that an option names.
    fn with_arg_file(
        &mut self,
        call: &ExpandedCommand,
        names: &[&str],
        scope: &Scope,
    ) -> ExpandedCommand {
        let mut fed = call.clone();
        let written_together = || texts_of(call.args(), names).into_iter().next();
        let file = super::options::value_of(call.args(), names)
            .cloned()
            .or_else(|| written_together().map(Item::known));
        if let Some(file) = file {
            fed.opened.push(Opened {
                how: Opening::Read,
                file: file.arg.clone(),
            });
            let output = match &file.feed {
                Some(feed) => feed.clone(),
                None => self.file_output(&file.arg, scope),
            };
            fed.input = Some(std::rc::Rc::new(output));
        }
        fed
    }

    fn xargs(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let own = first_operand(call.args(), XARGS_VALUES) + 1;
        let mut options = call.clone();
        options.words.truncate(own);
        let fed = self.with_arg_file(&options, &["-a", "--arg-file"], scope);
        let call = &ExpandedCommand {
            words: call.words.clone(),
            ..fed
        };
        let args = call.args();
        let start = first_operand(args, XARGS_VALUES);
        let own = args.get(..start).unwrap_or_default();
        let mut template: Vec<Item> = args.get(start..).unwrap_or_default().to_vec();
        if template.is_empty() {
            self.emit_call(call);
            // Without a command it prints its items.
            return call
                .input
                .as_ref()
                .map_or_else(Output::nothing, |input| (**input).clone());
        }
        let mut replace = texts_of(own, &["-I", "-J", "--replace"]).into_iter().next();
        if replace.is_none()
            && own
                .iter()
                .any(|it| matches!(it.text(), Some("-i" | "--replace")))
        {
            replace = Some("{}".to_owned());
        }
        let nul = own.iter().any(|it| {
            it.text().is_some_and(|t| {
                t == "--null" || (t.starts_with('-') && !t.starts_with("--") && t.contains('0'))
            })
        });
        let lines = replace.is_some()
            || own
                .iter()
                .any(|it| it.text().is_some_and(|t| t.starts_with("-L")));
        let separator = match texts_of(own, &["-d", "--delimiter"]).first() {
            Some(text) => Separator::Character(match text.as_str() {
                "\\n" => '\n',
                "\\0" => '\0',
                "\\t" => '\t',
                other => other.chars().next().unwrap_or('\n'),
            }),
            None if nul => Separator::Character('\0'),
            None if lines => Separator::Lines,
            None => Separator::Blanks,
        };
        let items = self.items(call, separator);
        let mut inner = call.clone();
        inner.input = None;
        inner.reads_file = None;
        let mut output = Output::nothing();
        if let Some(mark) = replace {
            for item in &items {
                let words = self.substituted(&template, &mark, item);
                let through = self.each_through(&call.input, "xargs");
                let each = inner.with_words(words, through);
                let printed = self.call(each, scope);
                self.append(&mut output, printed);
            }
        } else {
            // One run for each item would do the same to each of them.
            template.extend(items);
            let through = self.each_through(&call.input, "xargs");
            output = self.call(inner.with_words(template, through), scope);
        }
        output
    }

    fn parallel(&mut self, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let call = &self.with_arg_file(call, &["-a", "--arg-file", "::::"], scope);
        if !call.opened.is_empty() {
            let mut reads = call.clone();
            reads.words.truncate(1);
            self.emit_call(&reads);
        }
        let args = call.args();
        let start = first_operand(args, PARALLEL_VALUES);
        let rest = args.get(start..).unwrap_or_default();
        let is_mark = |item: &Item| item.text().is_some_and(|it| it.starts_with(":::"));
        let first_mark = rest.iter().position(is_mark);
        let template = rest
            .get(..first_mark.unwrap_or(rest.len()))
            .unwrap_or_default();
        let items: Vec<Item> = match first_mark {
            Some(at) => rest
                .iter()
                .skip(at)
                .filter(|item| !is_mark(item))
                .take(MAX_ITEMS)
                .cloned()
                .collect(),
            None => self.items(call, Separator::Lines),
        };
        let through = self.each_through(&call.input, "parallel");
        let mut inner = self.copy(scope);
        inner.through.clone_from(&call.through);
        inner.through.push(through);
        let mut output = Output::nothing();
        let mut text = template
            .iter()
            .map(Item::marked)
            .collect::<Vec<_>>()
            .join(" ");
        let no_items = args.iter().any(|it| it.text() == Some("-N0"));
        if !text.contains("{}") && !text.contains("{.}") && !text.contains("{/}") && !no_items {
            text.push_str(if text.is_empty() { "{}" } else { " {}" });
        }
        for item in &items {
            let each = ["{}", "{.}", "{/}", "{//}", "{1}"]
                .iter()
                .try_fold(text.clone(), |each, mark| {
                    replaced(&each, mark, item.marked())
                });
            let Ok(each) = each else {
                self.too_long();
                continue;
            };
            if !self.make(each.len()) {
                break;
            }
            if !item.sources.is_empty() && matches!(item.arg.value, Value::Unknown) {
                // Where the unknown comes from matters to what is done with it.
                let words = self.substituted(template, "{}", item);
                let blank = template.iter().any(|word| word.marked().contains(' '));
                if !blank && !words.is_empty() {
                    let mut words = words;
                    if !template.iter().any(|word| word.marked().contains("{}")) {
                        words.push(item.clone());
                    }
                    let through = self.each_through(&call.input, "parallel");
                    let mut one = call.with_words(words, through);
                    one.input = None;
                    let printed = self.call(one, scope);
                    self.append(&mut output, printed);
                    continue;
                }
            }
            let printed = self.nested(&each, &inner, None);
            self.append(&mut output, printed);
        }
        output
    }

    /// `find` and `fd`, which may run a program for each path that reaches it.
    fn searching(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) -> Output {
        let words: Vec<&str> = call.args().iter().map(Item::marked).collect();
        let Some(search) = Search::read(name, &words) else {
            return Output::unknown(vec![call.source()]);
        };
        let mut writing = call.clone();
        for reached in &search.actions {
            if let Action::Write(at) = reached.action
                && let Some(file) = call.arg(at)
            {
                writing.opened.push(Opened {
                    how: Opening::Overwrite,
                    file: file.arg.clone(),
                });
            }
        }
        self.emit_call(&writing);
        // Nobody is there to say yes, unless the answer comes from a pipe or a file.
        let answered = call.input.is_some() || call.reads_file.is_some();
        for reached in &search.actions {
            if let Action::Run { words, how } = &reached.action
                && (*how != Running::AfterAsking || answered)
            {
                let found = match name {
                    "fd" | "fdfind" => fd_listing(call.args()),
                    _ => joined(search.words_for(&reached.finds).iter().map(String::as_str)),
                };
                let mut words = call.args().get(words.clone()).unwrap_or_default().to_vec();
                if matches!(name, "fd" | "fdfind")
                    && !words.iter().any(|it| it.marked().contains('{'))
                {
                    words.push(Item::known("{}"));
                }
                // Git works on the repository around the folder, which may be another one there.
                let is_git = words.first().is_some_and(|it| it.marked() == "git");
                let folder = match how {
                    Running::InItsFolder if is_git || leaves(&search.roots) => Directory::Unknown,
                    _ => call.directory.clone(),
                };
                self.for_found(&words, folder, &found, call, scope);
            }
        }
        Output::unknown(vec![call.source()])
    }

    fn for_found(
        &mut self,
        words: &[Item],
        folder: Directory,
        found: &str,
        call: &ExpandedCommand,
        scope: &mut Scope,
    ) {
        let mark = "{}";
        let names_it = words.iter().any(|word| word.marked().contains(mark));
        let file = Item::of(Content {
            value: Value::Unknown,
            sources: vec![found.to_owned()],
        });
        let words = self.substituted(words, mark, &file);
        if words.is_empty() {
            return;
        }
        let mut inner = call.with_words(words, Through::EachOf(found.to_owned()));
        inner.opened.clear();
        inner.input = None;
        // What was found is told by the search, which begins where it runs.
        if !names_it {
            inner.directory = folder;
        }
        self.call(inner, scope);
    }

    fn each_through(&mut self, input: &super::run::Input, wrapper: &str) -> Through {
        match input {
            Some(input) if !input.sources.is_empty() => Through::EachOf(self.named(&input.sources)),
            Some(_) | None => Through::Wrapper(wrapper.to_owned()),
        }
    }

    /// Words with an item in place of a mark.
    fn substituted(&mut self, words: &[Item], mark: &str, item: &Item) -> Vec<Item> {
        let mut put = Vec::with_capacity(words.len());
        for word in words {
            let with_item = substituted(word, mark, item).unwrap_or_else(|TooLong| {
                self.too_long();
                Item::of(Content::unknown())
            });
            if !self.make(with_item.size()) {
                break;
            }
            put.push(with_item);
        }
        put
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Blanks,
    Lines,
    Character(char),
}

/// A word with an item in place of a mark.
fn substituted(word: &Item, mark: &str, item: &Item) -> Result<Item, TooLong> {
    let text = word.marked();
    if mark.is_empty() || !text.contains(mark) {
        return Ok(word.clone());
    }
    if text == mark {
        return Ok(item.clone());
    }
    let whole = replaced(text, mark, item.marked())?;
    let value = match (&word.arg.value, &item.arg.value) {
        (Value::Known(_), Value::Known(_)) => Value::Known(whole),
        (Value::Known(_) | Value::Pattern(_), Value::Known(_) | Value::Pattern(_)) => {
            Value::Pattern(whole)
        }
        _ => Value::Partly(whole),
    };
    let mut sources = word.sources.clone();
    add_sources(&mut sources, &item.sources);
    Ok(Item::of(Content { value, sources }))
}

/// Whether a search may begin anywhere but here and below.
fn leaves(roots: &[String]) -> bool {
    roots
        .iter()
        .any(|it| it.starts_with(['/', '~']) || it.contains("..") || it.contains(['$', '…']))
}

/// The words of an `fd` before what it runs.
fn fd_listing(args: &[Item]) -> String {
    let runs = |text: &str| {
        matches!(text, "--exec" | "--exec-batch")
            || (text.starts_with('-') && !text.starts_with("--") && text.ends_with(['x', 'X']))
    };
    let before = args.iter().map(Item::marked).take_while(|it| !runs(it));
    joined(std::iter::once("fd").chain(before))
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(quoted).collect::<Vec<_>>().join(" ")
}
