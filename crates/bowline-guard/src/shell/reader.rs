//! Drives the reading: a queue of texts, the whole one first, then every substitution found in it.
//!
//! A queue and not recursion, because the parser alone may use most of a thread's stack.

use std::collections::VecDeque;
use std::ops::Range;

use shuck_parser::parser::{ParseStatus, Parser};
use shuck_parser::{ShellDialect, ShellProfile};

use super::limits::{self, Budget, TooMuchWork};
use super::quoting::Quotes;
use super::tree::{Script, Statement};
use super::walk::Walker;
use super::{
    CommandContext, Construct, Redirect, ShellLine, SimpleCommand, Understanding, build, word,
};

const MAX_PROBLEMS: usize = 16;

pub(super) fn read(text: &str) -> ShellLine {
    read_all(text, limits::MAX_PARSER_DEPTH, Keep::Commands).finish()
}

/// What is kept of a text besides its problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// The simple commands, one by one.
    Commands,
    /// The structure of the whole.
    Tree,
}

/// Reads the text as [`read`] does, and keeps the structure of its commands.
pub(super) fn read_tree(text: &str, depth: usize) -> Script {
    let mut reader = read_all(text, depth, Keep::Tree);
    let body = reader.tree.take().unwrap_or_default();
    Script {
        body,
        bytes_read: reader.budget.bytes_read(),
        understanding: reader.finish().understanding,
    }
}

/// The parser for one text.
pub(super) fn parser(text: &str, depth: usize) -> Parser<'_> {
    Parser::with_limits_and_profile(
        text,
        depth,
        limits::PARSER_OPERATIONS,
        ShellProfile::native(ShellDialect::Bash),
    )
}

fn read_all(text: &str, depth: usize, keep: Keep) -> Reader {
    let mut reader = Reader::new(depth, keep);
    if let Some(reason) = limits::refusal(text) {
        reader.fail(reason);
    } else {
        reader.suspect(text);
        reader.queue.push_back(Unit::whole(text));
    }
    while let Some(unit) = reader.queue.pop_front() {
        reader.take(&unit);
    }
    reader
}

/// A text to read.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) text: String,
    pub(super) context: CommandContext,
    origin: Origin,
    kind: UnitKind,
}

/// Where a unit's text comes from in the whole text.
#[derive(Debug)]
enum Origin {
    /// It is found there as it is.
    Offset(usize),
    /// It was unescaped; its parts have no place of their own.
    Inside(Range<usize>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum UnitKind {
    /// Commands.
    Commands,
    /// A word, or the inside of `${ }` or `$(( ))`, in which only substitutions matter.
    Expansion(Quotes),
}

impl Unit {
    fn whole(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            context: CommandContext {
                construct: Construct::TopLevel,
                depth: 0,
            },
            origin: Origin::Offset(0),
            kind: UnitKind::Commands,
        }
    }

    /// A range of this unit as a range of the whole text.
    pub(super) fn absolute(&self, range: Range<usize>) -> Range<usize> {
        match &self.origin {
            Origin::Offset(base) => base + range.start..base + range.end,
            Origin::Inside(all) => all.clone(),
        }
    }
}

/// What was found so far.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) commands: Vec<SimpleCommand>,
    pub(super) redirects: Vec<Redirect>,
    /// The structure of the whole text.
    tree: Option<Vec<Statement>>,
    pub(super) keep: Keep,
    depth: usize,
    queue: VecDeque<Unit>,
    budget: Budget,
    problems: Vec<String>,
    failure: Option<String>,
}

impl Reader {
    fn new(depth: usize, keep: Keep) -> Self {
        Self {
            commands: Vec::new(),
            redirects: Vec::new(),
            tree: None,
            keep,
            depth,
            queue: VecDeque::new(),
            budget: Budget::new(),
            problems: Vec::new(),
            failure: None,
        }
    }

    /// Notes that something is not understood.
    pub(super) fn problem(&mut self, problem: impl Into<String>) {
        let problem = problem.into();
        if self.problems.len() < MAX_PROBLEMS && !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn fail(&mut self, reason: String) {
        self.failure.get_or_insert(reason);
    }

    pub(super) fn pay(&mut self, text: &str) -> Result<(), TooMuchWork> {
        self.budget.pay(text).inspect_err(|TooMuchWork| {
            // Nothing that is left would be read either.
            self.queue.clear();
            self.failure
                .get_or_insert_with(|| "the text has too many expansions to read".to_owned());
        })
    }

    /// Reads a part of a unit later. `text` differs from the part where it had to be unescaped.
    pub(super) fn read_later(
        &mut self,
        unit: &Unit,
        part: Range<usize>,
        text: String,
        kind: UnitKind,
        construct: Construct,
    ) {
        let verbatim = unit.text.get(part.clone()) == Some(text.as_str());
        let origin = match &unit.origin {
            Origin::Offset(base) if verbatim => Origin::Offset(base + part.start),
            Origin::Offset(_) | Origin::Inside(_) => Origin::Inside(unit.absolute(part)),
        };
        self.queue.push_back(Unit {
            text,
            origin,
            kind,
            context: CommandContext {
                construct,
                depth: unit.context.depth + 1,
            },
        });
    }

    /// What the parser is known to read otherwise than a shell.
    fn suspect(&mut self, text: &str) {
        if text.contains("expand_aliases") {
            self.problem("aliases are switched on, and may stand for anything");
        }
        let shell_blank = |c: char| matches!(c, ' ' | '\t' | '\n');
        let odd_comment = text
            .chars()
            .zip(text.chars().skip(1))
            .any(|(c, next)| next == '#' && c.is_whitespace() && !shell_blank(c));
        if odd_comment {
            self.problem("`#` after an unusual blank may or may not begin a comment");
        }
    }

    fn take(&mut self, unit: &Unit) {
        if unit.context.depth > limits::MAX_DEPTH {
            self.problem(format!(
                "substitutions are nested deeper than {} levels",
                limits::MAX_DEPTH
            ));
            return;
        }
        if self.pay(&unit.text).is_err() {
            return;
        }
        match unit.kind {
            UnitKind::Commands => self.take_commands(unit),
            UnitKind::Expansion(quotes) => word::look_into(self, unit, quotes),
        }
    }

    fn take_commands(&mut self, unit: &Unit) {
        let parsed = parser(&unit.text, self.depth).parse();
        let message = || {
            let diagnostic = parsed.diagnostics.first();
            diagnostic.map_or("not valid shell syntax", |first| first.message.as_str())
        };
        match (parsed.status, unit.context.depth) {
            (ParseStatus::Clean, _) => {}
            (ParseStatus::Recovered, 0) => self.problem(message()),
            (ParseStatus::Recovered, _) => {
                self.problem(format!("in a substitution: {}", message()));
            }
            // What is left of the tree is not worth the work; it may be as deep as the parser gets.
            (ParseStatus::Fatal, 0) => return self.fail(message().to_owned()),
            (ParseStatus::Fatal, _) => {
                return self.problem(format!("in a substitution: {}", message()));
            }
        }
        if unit.context.depth == 0 && self.keep == Keep::Tree {
            self.tree = Some(build::statements(&unit.text, &parsed.file.body));
        }
        Walker::new(self, unit).sequence(&parsed.file.body, unit.context);
    }

    fn finish(mut self) -> ShellLine {
        self.commands.sort_by_key(|command| command.span.start);
        ShellLine {
            commands: self.commands,
            redirects: self.redirects,
            understanding: match (self.failure, self.problems) {
                (Some(reason), _) => Understanding::Failed { reason },
                (None, problems) if problems.is_empty() => Understanding::Clean,
                (None, problems) => Understanding::Partial { problems },
            },
        }
    }
}
