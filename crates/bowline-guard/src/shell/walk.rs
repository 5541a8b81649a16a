//! Walks the parser's tree of commands. Words are left to [`super::word`], substitutions to the reader's queue.

use std::ops::Range;

use shuck_ast::{
    ArrayElem, Assignment as AssignmentNode, AssignmentValue, BinaryCommand, BuiltinCommand,
    Command, CompoundCommand, ConditionalExpr, DeclOperand, Heredoc, Redirect as RedirectNode,
    RedirectKind, RedirectTarget as TargetNode, Span, Stmt, StmtSeq, VarRef, Word as WordNode,
};

use super::quoting::Quotes;
use super::reader::{Keep, Reader, Unit, UnitKind};
use super::{
    Assignment, CommandContext, Construct, Expansion, Redirect, RedirectOperator, RedirectTarget,
    SimpleCommand, Word, word,
};

/// Words that begin or end a construct. One that the parser takes for a command's name was misread.
const RESERVED: &[&str] = &[
    "!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "select", "then", "time", "until", "while",
];

pub(super) struct Walker<'r, 'u> {
    reader: &'r mut Reader,
    unit: &'u Unit,
}

impl<'r, 'u> Walker<'r, 'u> {
    pub(super) fn new(reader: &'r mut Reader, unit: &'u Unit) -> Self {
        Self { reader, unit }
    }

    pub(super) fn sequence(&mut self, sequence: &StmtSeq, context: CommandContext) {
        let mut previous: Option<&Stmt> = None;
        for statement in &sequence.stmts {
            if previous.is_some_and(|previous| !self.separated(previous, statement)) {
                self.reader
                    .problem("two commands follow each other without a separator");
            }
            self.statement(statement, context);
            previous = Some(statement);
        }
    }

    /// The parser does not ask for a separator after a command that ends with a parenthesis or before one.
    fn separated(&self, previous: &Stmt, next: &Stmt) -> bool {
        let start = previous.span.start.offset();
        let gap = previous.span.end.offset()..next.span.start.offset();
        let text = |range: Range<usize>| self.unit.text.get(range).unwrap_or_default();
        previous.terminator.is_some()
            || text(gap.clone()).contains(['\n', ';', '&'])
            // A here-document belongs to the command before it, with the line's end.
            || text(start..gap.start).ends_with('\n')
    }

    fn statement(&mut self, statement: &Stmt, context: CommandContext) {
        let redirects = &statement.redirects;
        match &statement.command {
            Command::Simple(command) => {
                let mut words = vec![command.name.span];
                let text = &self.unit.text;
                let arguments = command.args.iter().map(|argument| argument.span);
                words.extend(arguments.filter(|span| !is_descriptor(text, *span, redirects)));
                self.simple(
                    &command.assignments,
                    &words,
                    redirects,
                    command.span,
                    context,
                );
            }
            Command::Builtin(builtin) => self.builtin(builtin, redirects, context),
            Command::Decl(declaration) => {
                let mut words = vec![declaration.variant_span];
                for operand in &declaration.operands {
                    words.extend(self.operand(operand));
                }
                self.simple(
                    &declaration.assignments,
                    &words,
                    redirects,
                    declaration.span,
                    context,
                );
            }
            Command::Binary(binary) => {
                self.binary(binary, context);
                self.compound_redirects(redirects);
            }
            Command::Compound(compound) => {
                self.compound(compound, deeper(context));
                self.compound_redirects(redirects);
            }
            Command::Function(function) => {
                self.statement(&function.body, in_function(context));
                self.compound_redirects(redirects);
            }
            Command::AnonymousFunction(function) => {
                self.statement(&function.body, in_function(context));
                self.look_into_words(&function.args);
                self.compound_redirects(redirects);
            }
        }
    }

    /// Chains lean to the left and may be long, so they are not walked by recursion.
    fn binary(&mut self, binary: &BinaryCommand, context: CommandContext) {
        let mut rights = vec![&binary.right];
        let mut left = &binary.left;
        while let Command::Binary(inner) = &left.command {
            self.compound_redirects(&left.redirects);
            rights.push(&inner.right);
            left = &inner.left;
        }
        self.statement(left, context);
        for right in rights.into_iter().rev() {
            self.statement(right, context);
        }
    }

    fn simple(
        &mut self,
        assignments: &[AssignmentNode],
        words: &[Span],
        redirects: &[RedirectNode],
        fallback: Span,
        context: CommandContext,
    ) {
        if self.reader.keep == Keep::Tree {
            return self.check_simple(assignments, words, redirects);
        }
        let spans = assignments
            .iter()
            .map(|assignment| assignment.span)
            .chain(words.iter().copied())
            .chain(redirects.iter().map(|redirect| redirect.span))
            .filter(|span| !range(*span).is_empty());
        // The parser's own span of a command takes in what follows it.
        let span = spans.reduce(Span::merge).unwrap_or(fallback);
        let assignments: Vec<_> = assignments
            .iter()
            .map(|assignment| self.assignment(assignment))
            .collect();
        let mut words: Vec<_> = words
            .iter()
            .map(|span| range(*span))
            .filter(|range| !range.is_empty())
            .map(|range| word::read(self.reader, self.unit, range))
            .collect();
        if assignments.is_empty() {
            self.drop_negations(&mut words);
        }
        let redirects = self.redirects(redirects);
        self.reader.commands.push(SimpleCommand {
            assignments,
            words,
            redirects,
            context,
            span: self.unit.absolute(range(span)),
        });
    }

    /// Looks for problems in a command that is not kept.
    fn check_simple(
        &mut self,
        assignments: &[AssignmentNode],
        words: &[Span],
        redirects: &[RedirectNode],
    ) {
        for assignment in assignments {
            self.assignment(assignment);
        }
        let words = || words.iter().map(|span| range(*span));
        for word in words().filter(|range| !range.is_empty()) {
            word::check(self.reader, self.unit, word);
        }
        if assignments.is_empty() {
            let text = |range| self.unit.text.get(range).unwrap_or_default();
            let mut sources = words().map(text).filter(|source| !source.is_empty());
            if let Some(name) = sources.find(|source| *source != "!") {
                self.check_name(name);
            }
        }
        self.redirects(redirects);
    }

    /// The parser knows one `!` before a command; shells take any number.
    fn drop_negations(&mut self, words: &mut Vec<Word>) {
        let negations = words.iter().take_while(|word| word.source == "!").count();
        words.drain(..negations);
        if let Some(name) = words.first() {
            self.check_name(&name.source);
        }
    }

    fn check_name(&mut self, name: &str) {
        if RESERVED.contains(&name) {
            self.reader
                .problem(format!("`{name}` is not where it belongs"));
        }
    }

    fn builtin(
        &mut self,
        builtin: &BuiltinCommand,
        redirects: &[RedirectNode],
        context: CommandContext,
    ) {
        let (name, argument, extra, assignments, span) = match builtin {
            BuiltinCommand::Break(c) => ("break", &c.depth, &c.extra_args, &c.assignments, c.span),
            BuiltinCommand::Continue(c) => {
                ("continue", &c.depth, &c.extra_args, &c.assignments, c.span)
            }
            BuiltinCommand::Return(c) => ("return", &c.code, &c.extra_args, &c.assignments, c.span),
            BuiltinCommand::Exit(c) => ("exit", &c.code, &c.extra_args, &c.assignments, c.span),
        };
        let arguments: Vec<_> = argument.iter().chain(extra).map(|word| word.span).collect();
        self.simple(assignments, &arguments, redirects, span, context);
        if let Some(command) = self.reader.commands.last_mut() {
            let name = Word {
                source: name.to_owned(),
                literal: Some(name.to_owned()),
                expansion: Expansion::None,
            };
            command.words.insert(0, name);
        }
    }

    fn assignment(&mut self, assignment: &AssignmentNode) -> Assignment {
        self.reference(&assignment.target);
        let value = match &assignment.value {
            AssignmentValue::Scalar(value) => {
                Some(word::read(self.reader, self.unit, range(value.span)))
            }
            AssignmentValue::Compound(array) => {
                self.array(&array.elements, array.span);
                None
            }
        };
        Assignment {
            name: assignment.target.name.to_string(),
            value,
        }
    }

    fn array(&mut self, elements: &[ArrayElem], span: Span) {
        // The parser's span of an array does not always reach to its end.
        let text = self.unit.text.get(range(span)).unwrap_or_default();
        let end = elements.last().map_or(span, ArrayElem::span).end.offset();
        let rest = self.unit.text.get(end..).unwrap_or_default();
        if !text.ends_with(')') && !rest.trim_start().starts_with(')') {
            self.reader.problem("an array is not closed");
        }
        for element in elements {
            match element {
                ArrayElem::Sequential(value) => self.look_into(value.span()),
                ArrayElem::Keyed { key, value } | ArrayElem::KeyedAppend { key, value } => {
                    self.look_into(key.span());
                    self.look_into(value.span());
                }
            }
        }
    }

    /// What a declaration's operand is as a word; an array is no word, but is looked into.
    fn operand(&mut self, operand: &DeclOperand) -> Option<Span> {
        match operand {
            DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => Some(word.span),
            DeclOperand::Name(name) => Some(name.span),
            DeclOperand::Assignment(assignment) => match &assignment.value {
                AssignmentValue::Scalar(_) => Some(assignment.span),
                AssignmentValue::Compound(_) => {
                    self.assignment(assignment);
                    None
                }
            },
        }
    }

    fn reference(&mut self, reference: &VarRef) {
        if let Some(subscript) = &reference.subscript {
            self.look_into(subscript.syntax_source_text().span());
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, context: CommandContext) {
        match compound {
            CompoundCommand::If(command) => {
                self.sequence(&command.condition, context);
                self.sequence(&command.then_branch, context);
                for (condition, branch) in &command.elif_branches {
                    self.sequence(condition, context);
                    self.sequence(branch, context);
                }
                if let Some(branch) = &command.else_branch {
                    self.sequence(branch, context);
                }
            }
            CompoundCommand::For(command) => {
                self.look_into_words(command.words.as_deref().unwrap_or_default());
                self.sequence(&command.body, context);
            }
            CompoundCommand::Repeat(command) => {
                self.look_into(command.count.span);
                self.sequence(&command.body, context);
            }
            CompoundCommand::Foreach(command) => {
                self.look_into_words(&command.words);
                self.sequence(&command.body, context);
            }
            CompoundCommand::ArithmeticFor(command) => {
                let parts = [command.init_span, command.condition_span, command.step_span];
                for part in parts.into_iter().flatten() {
                    self.look_into_arithmetic(part);
                }
                self.sequence(&command.body, context);
            }
            CompoundCommand::While(command) => {
                self.sequence(&command.condition, context);
                self.sequence(&command.body, context);
            }
            CompoundCommand::Until(command) => {
                self.sequence(&command.condition, context);
                self.sequence(&command.body, context);
            }
            CompoundCommand::Case(command) => {
                self.look_into(command.word.span);
                for item in &command.cases {
                    for pattern in &item.patterns {
                        self.look_into(pattern.span);
                    }
                    self.sequence(&item.body, context);
                }
            }
            CompoundCommand::Select(command) => {
                self.look_into_words(&command.words);
                self.sequence(&command.body, context);
            }
            CompoundCommand::Subshell(body) | CompoundCommand::BraceGroup(body) => {
                self.sequence(body, context);
            }
            CompoundCommand::Arithmetic(command) => {
                if let Some(expression) = command.expr_span {
                    self.look_into_arithmetic(expression);
                }
            }
            CompoundCommand::Time(command) => {
                if let Some(timed) = &command.command {
                    self.statement(timed, context);
                }
            }
            CompoundCommand::Conditional(command) => self.conditional(&command.expression),
            CompoundCommand::Coproc(command) => self.statement(&command.body, context),
            CompoundCommand::Always(command) => {
                self.sequence(&command.body, context);
                self.sequence(&command.always_body, context);
            }
        }
    }

    fn conditional(&mut self, expression: &ConditionalExpr) {
        let mut open = vec![expression];
        while let Some(expression) = open.pop() {
            match expression {
                ConditionalExpr::Binary(binary) => {
                    open.push(&binary.right);
                    open.push(&binary.left);
                }
                ConditionalExpr::Unary(unary) => open.push(&unary.expr),
                ConditionalExpr::Parenthesized(inner) => open.push(&inner.expr),
                ConditionalExpr::Word(word) | ConditionalExpr::Regex(word) => {
                    self.look_into(word.span);
                }
                ConditionalExpr::Pattern(pattern) => self.look_into(pattern.span),
                ConditionalExpr::VarRef(reference) => self.look_into(reference.span),
            }
        }
    }

    fn compound_redirects(&mut self, redirects: &[RedirectNode]) {
        let redirects = self.redirects(redirects);
        self.reader.redirects.extend(redirects);
    }

    fn redirects(&mut self, redirects: &[RedirectNode]) -> Vec<Redirect> {
        redirects
            .iter()
            .map(|redirect| Redirect {
                operator: operator(redirect.kind),
                descriptor: descriptor(&self.unit.text, redirect),
                target: match &redirect.target {
                    TargetNode::Word(target) => {
                        let target = word::read(self.reader, self.unit, range(target.span));
                        RedirectTarget::Word(target)
                    }
                    TargetNode::Heredoc(document) => self.here_document(document),
                },
            })
            .collect()
    }

    fn here_document(&mut self, document: &Heredoc) -> RedirectTarget {
        let body = range(document.body.span);
        let delimiter = &document.delimiter;
        let rest = self.unit.text.get(body.end..).unwrap_or_default();
        let last_line = rest.split('\n').next().unwrap_or_default();
        let last_line = if delimiter.strip_tabs {
            last_line.trim_start_matches('\t')
        } else {
            last_line
        };
        let text = self.unit.text.get(body).unwrap_or_default();
        if last_line != delimiter.cooked.as_str() || !(text.is_empty() || text.ends_with('\n')) {
            let problem = format!("a here-document has no closing `{}`", delimiter.cooked);
            self.reader.problem(problem);
        }
        if delimiter.expands_body {
            word::look_into_document(self.reader, self.unit, &document.body);
        }
        RedirectTarget::HereDocument {
            body: text.to_owned(),
            expanded: delimiter.expands_body,
        }
    }

    fn look_into_words(&mut self, words: &[WordNode]) {
        for word in words {
            self.look_into(word.span);
        }
    }

    fn look_into(&mut self, span: Span) {
        self.look_into_as(span, Quotes::None);
    }

    fn look_into_arithmetic(&mut self, span: Span) {
        self.look_into_as(span, Quotes::Double);
    }

    fn look_into_as(&mut self, span: Span, quotes: Quotes) {
        let part = range(span);
        let Some(text) = self.unit.text.get(part.clone()) else {
            self.reader.problem("a word lies outside the text");
            return;
        };
        if word::may_run_commands(text) {
            let (text, construct) = (text.to_owned(), self.unit.context.construct);
            let kind = UnitKind::Expansion(quotes);
            self.reader
                .read_later(self.unit, part, text, kind, construct);
        }
    }
}

/// The descriptor of a redirection. The parser takes the number before a `<<` for a word.
pub(super) fn descriptor(text: &str, redirect: &RedirectNode) -> Option<i32> {
    let is_here = matches!(
        redirect.kind,
        RedirectKind::HereDoc | RedirectKind::HereDocStrip | RedirectKind::HereString
    );
    if redirect.fd.is_some() || !is_here {
        return redirect.fd;
    }
    let before = text.get(..redirect.span.start.offset())?;
    let word = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = before.get(word.len()..)?;
    word.ends_with([' ', '\t']).then(|| number.parse().ok())?
}

/// Whether a word is the number before a redirection.
pub(super) fn is_descriptor(text: &str, word: Span, redirects: &[RedirectNode]) -> bool {
    redirects.iter().any(|redirect| {
        redirect.fd.is_none()
            && redirect.span.start.offset() == word.end.offset()
            && descriptor(text, redirect).is_some()
    })
}

pub(super) fn range(span: Span) -> Range<usize> {
    span.start.offset()..span.end.offset()
}

fn deeper(context: CommandContext) -> CommandContext {
    CommandContext {
        depth: context.depth + 1,
        ..context
    }
}

fn in_function(context: CommandContext) -> CommandContext {
    CommandContext {
        construct: Construct::Function,
        depth: context.depth + 1,
    }
}

pub(super) fn operator(kind: RedirectKind) -> RedirectOperator {
    match kind {
        RedirectKind::Output => RedirectOperator::Write,
        RedirectKind::Clobber => RedirectOperator::Clobber,
        RedirectKind::Append => RedirectOperator::Append,
        RedirectKind::Input => RedirectOperator::Read,
        RedirectKind::ReadWrite => RedirectOperator::ReadWrite,
        RedirectKind::HereDoc | RedirectKind::HereDocStrip => RedirectOperator::HereDocument,
        RedirectKind::HereString => RedirectOperator::HereString,
        RedirectKind::DupOutput => RedirectOperator::DuplicateOutput,
        RedirectKind::DupInput => RedirectOperator::DuplicateInput,
        RedirectKind::OutputBoth => RedirectOperator::WriteBoth,
    }
}
