//! Turns the parser's tree into ours.

use std::ops::Range;
use std::rc::Rc;

use shuck_ast::{
    ArrayElem, Assignment as AssignmentNode, AssignmentValue, BinaryCommand, BinaryOp,
    BuiltinCommand, Command, CompoundCommand, ConditionalExpr, DeclOperand,
    Redirect as RedirectNode, RedirectTarget as TargetNode, Span, Stmt, StmtSeq, StmtTerminator,
    Word as WordNode,
};
use shuck_parser::parser::ParseStatus;

use super::parts::read_word;
use super::tree::{
    AssignHow, AssignValue, Link, Node, Script, Simple, Statement, Success, Timing, TreeAssignment,
    TreeWord,
};
use super::walk::{descriptor, is_descriptor, operator, range};
use super::{Expansion, Redirect, RedirectTarget, Understanding, Word, limits, reader};

/// Whether a text was checked as a part of another one, so that nothing in it goes unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checked {
    Yes,
    No,
}

/// Reads a text as a tree. `nesting` is how many texts it is inside of: the deeper, the less depth it may have itself.
pub(crate) fn script(text: &str, nesting: usize, checked: Checked) -> Script {
    super::unless_it_panics(|| read_script(text, nesting, checked)).unwrap_or_else(
        |understanding| Script {
            body: Vec::new(),
            bytes_read: text.len(),
            understanding,
        },
    )
}

fn read_script(text: &str, nesting: usize, checked: Checked) -> Script {
    let depth = limits::MAX_PARSER_DEPTH.saturating_sub(nesting).max(8);
    match checked {
        Checked::No => reader::read_tree(text, depth),
        Checked::Yes => {
            let parsed = reader::parser(text, depth).parse();
            let understanding = if parsed.status == ParseStatus::Fatal {
                Understanding::Failed {
                    reason: "not valid shell syntax, or nested too deep".to_owned(),
                }
            } else {
                Understanding::Clean
            };
            let body = match understanding {
                Understanding::Failed { .. } => Vec::new(),
                Understanding::Clean | Understanding::Partial { .. } => {
                    statements(text, &parsed.file.body)
                }
            };
            Script {
                body,
                bytes_read: text.len(),
                understanding,
            }
        }
    }
}

/// Our tree of what was parsed.
pub(super) fn statements(text: &str, sequence: &StmtSeq) -> Vec<Statement> {
    Builder { text }.sequence(sequence)
}

struct Builder<'t> {
    text: &'t str,
}

impl Builder<'_> {
    fn sequence(&self, sequence: &StmtSeq) -> Vec<Statement> {
        sequence.stmts.iter().map(|s| self.statement(s)).collect()
    }

    fn statement(&self, statement: &Stmt) -> Statement {
        let timing = match statement.terminator {
            Some(StmtTerminator::Background(_)) => Timing::Background,
            Some(StmtTerminator::Semicolon) | None => Timing::Foreground,
        };
        let node = match &statement.command {
            Command::Simple(command) => {
                let words = std::iter::once(&command.name).chain(&command.args);
                let redirects = &statement.redirects;
                let words = words
                    .map(|word| word.span)
                    .filter(|span| !is_descriptor(self.text, *span, redirects));
                let mut simple = self.simple(&command.assignments, words);
                join_value(command.assignments.last(), command.name.span, &mut simple);
                Node::Simple(simple)
            }
            Command::Builtin(builtin) => Node::Simple(self.builtin(builtin)),
            Command::Decl(declaration) => {
                let mut simple = self.simple(
                    &declaration.assignments,
                    std::iter::once(declaration.variant_span),
                );
                for operand in &declaration.operands {
                    self.operand(operand, &mut simple);
                }
                Node::Simple(simple)
            }
            Command::Binary(binary) => return self.binary(binary, statement, timing),
            Command::Compound(compound) => self.compound(compound),
            Command::Function(function) => Node::Function {
                names: function
                    .header
                    .entries
                    .iter()
                    .map(|entry| self.slice(entry.word.span).to_owned())
                    .collect(),
                body: Rc::new(self.statement(&function.body)),
            },
            Command::AnonymousFunction(function) => {
                Node::Group(vec![self.statement(&function.body)])
            }
        };
        Statement {
            node,
            redirects: self.redirects(&statement.redirects),
            timing,
            success: success(statement),
        }
    }

    /// Chains lean to the left and may be long, so they are not followed by recursion.
    fn binary(&self, binary: &BinaryCommand, whole: &Stmt, timing: Timing) -> Statement {
        let mut rights = vec![(binary.op, &*binary.right)];
        let mut left = &*binary.left;
        while let Command::Binary(inner) = &left.command {
            rights.push((inner.op, &*inner.right));
            left = &*inner.left;
        }
        let mut current = self.statement(left);
        for (op, right) in rights.into_iter().rev() {
            let right = self.statement(right);
            current = join(current, op, right);
        }
        current.timing = timing;
        current.success = success(whole);
        current.redirects.extend(self.redirects(&whole.redirects));
        current
    }

    fn simple(&self, assignments: &[AssignmentNode], words: impl Iterator<Item = Span>) -> Simple {
        let assignments: Vec<_> = assignments.iter().map(|a| self.assignment(a)).collect();
        let mut words: Vec<_> = words
            .map(|span| self.slice(span))
            .filter(|source| !source.is_empty())
            .map(read_word)
            .collect();
        if assignments.is_empty() {
            let negations = words.iter().take_while(|word| word.source == "!").count();
            words.drain(..negations);
        }
        Simple { assignments, words }
    }

    fn builtin(&self, builtin: &BuiltinCommand) -> Simple {
        let (name, argument, extra, assignments) = match builtin {
            BuiltinCommand::Break(c) => ("break", &c.depth, &c.extra_args, &c.assignments),
            BuiltinCommand::Continue(c) => ("continue", &c.depth, &c.extra_args, &c.assignments),
            BuiltinCommand::Return(c) => ("return", &c.code, &c.extra_args, &c.assignments),
            BuiltinCommand::Exit(c) => ("exit", &c.code, &c.extra_args, &c.assignments),
        };
        let arguments = argument.iter().chain(extra).map(|word| word.span);
        let mut simple = self.simple(assignments, arguments);
        simple.words.insert(0, read_word(name));
        simple
    }

    fn assignment(&self, assignment: &AssignmentNode) -> TreeAssignment {
        let value = match &assignment.value {
            AssignmentValue::Scalar(value) => AssignValue::Word(self.word_at(value.span)),
            AssignmentValue::Compound(array) => AssignValue::Array(
                array
                    .elements
                    .iter()
                    .map(|element| match element {
                        ArrayElem::Sequential(value) => self.word_at(value.span()),
                        ArrayElem::Keyed { value, .. } | ArrayElem::KeyedAppend { value, .. } => {
                            self.word_at(value.span())
                        }
                    })
                    .collect(),
            ),
        };
        let mut subscripts = Vec::new();
        if let Some(subscript) = &assignment.target.subscript {
            subscripts.push(self.word_at(subscript.syntax_source_text().span()));
        }
        if let AssignmentValue::Compound(array) = &assignment.value {
            subscripts.extend(array.elements.iter().filter_map(|element| match element {
                ArrayElem::Sequential(_) => None,
                ArrayElem::Keyed { key, .. } | ArrayElem::KeyedAppend { key, .. } => {
                    Some(self.word_at(key.span()))
                }
            }));
        }
        let target = self.slice(assignment.span);
        let how = match target.split_once('=') {
            Some((name, _)) if name.ends_with('+') => AssignHow::Append,
            _ => AssignHow::Set,
        };
        TreeAssignment {
            name: assignment.target.name.to_string(),
            how,
            value,
            subscripts,
        }
    }

    fn operand(&self, operand: &DeclOperand, simple: &mut Simple) {
        match operand {
            DeclOperand::Flag(word) | DeclOperand::Dynamic(word) => {
                simple.words.push(self.word(word));
            }
            DeclOperand::Name(name) => simple.words.push(self.word_at(name.span)),
            DeclOperand::Assignment(assignment) => match &assignment.value {
                AssignmentValue::Scalar(_) => simple.words.push(self.word_at(assignment.span)),
                AssignmentValue::Compound(_) => {
                    simple.assignments.push(self.assignment(assignment));
                }
            },
        }
    }

    fn compound(&self, compound: &CompoundCommand) -> Node {
        match compound {
            CompoundCommand::If(command) => {
                let mut tests = vec![self.sequence(&command.condition)];
                let mut branches = vec![self.sequence(&command.then_branch)];
                for (condition, branch) in &command.elif_branches {
                    tests.push(self.sequence(condition));
                    branches.push(self.sequence(branch));
                }
                if let Some(branch) = &command.else_branch {
                    branches.push(self.sequence(branch));
                }
                Node::If { tests, branches }
            }
            CompoundCommand::For(command) => Node::For {
                variable: command
                    .targets
                    .first()
                    .and_then(|t| t.name.as_ref())
                    .map(ToString::to_string),
                words: command.words.as_ref().map(|words| self.words(words)),
                body: self.sequence(&command.body),
            },
            CompoundCommand::Foreach(command) => Node::For {
                variable: Some(command.variable.to_string()),
                words: Some(self.words(&command.words)),
                body: self.sequence(&command.body),
            },
            CompoundCommand::Select(command) => Node::For {
                variable: Some(command.variable.to_string()),
                words: Some(self.words(&command.words)),
                body: self.sequence(&command.body),
            },
            CompoundCommand::Repeat(command) => Node::Group(self.sequence(&command.body)),
            CompoundCommand::ArithmeticFor(command) => {
                let parts = [command.init_span, command.condition_span, command.step_span];
                let words = parts
                    .into_iter()
                    .flatten()
                    .map(|span| self.arithmetic(span));
                Node::Case {
                    words: words.collect(),
                    branches: vec![self.sequence(&command.body)],
                }
            }
            CompoundCommand::While(command) => Node::While {
                test: self.sequence(&command.condition),
                body: self.sequence(&command.body),
            },
            CompoundCommand::Until(command) => Node::While {
                test: self.sequence(&command.condition),
                body: self.sequence(&command.body),
            },
            CompoundCommand::Case(command) => {
                let mut words = vec![self.word_at(command.word.span)];
                for item in &command.cases {
                    words.extend(
                        item.patterns
                            .iter()
                            .map(|pattern| self.word_at(pattern.span)),
                    );
                }
                Node::Case {
                    words,
                    branches: command
                        .cases
                        .iter()
                        .map(|item| self.sequence(&item.body))
                        .collect(),
                }
            }
            CompoundCommand::Subshell(body) => Node::Subshell(self.sequence(body)),
            CompoundCommand::BraceGroup(body) => Node::Group(self.sequence(body)),
            CompoundCommand::Arithmetic(command) => Node::Expressions(
                command
                    .expr_span
                    .map(|span| self.arithmetic(span))
                    .into_iter()
                    .collect(),
            ),
            CompoundCommand::Time(command) => Node::Group(
                command
                    .command
                    .iter()
                    .map(|timed| self.statement(timed))
                    .collect(),
            ),
            CompoundCommand::Conditional(command) => {
                Node::Expressions(self.conditional(&command.expression))
            }
            CompoundCommand::Coproc(command) => Node::Subshell(vec![self.statement(&command.body)]),
            CompoundCommand::Always(command) => {
                let mut body = self.sequence(&command.body);
                body.extend(self.sequence(&command.always_body));
                Node::Group(body)
            }
        }
    }

    fn conditional(&self, expression: &ConditionalExpr) -> Vec<TreeWord> {
        let mut words = Vec::new();
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
                    words.push(self.word(word));
                }
                ConditionalExpr::Pattern(pattern) => words.push(self.word_at(pattern.span)),
                ConditionalExpr::VarRef(reference) => words.push(self.word_at(reference.span)),
            }
        }
        words
    }

    fn redirects(&self, redirects: &[RedirectNode]) -> Vec<Redirect> {
        redirects
            .iter()
            .map(|redirect| Redirect {
                operator: operator(redirect.kind),
                descriptor: descriptor(self.text, redirect),
                target: match &redirect.target {
                    TargetNode::Word(target) => RedirectTarget::Word(Word {
                        source: self.slice(target.span).to_owned(),
                        literal: None,
                        expansion: Expansion::Dynamic,
                    }),
                    TargetNode::Heredoc(document) => RedirectTarget::HereDocument {
                        body: self.here_document(
                            range(document.body.span),
                            document.delimiter.strip_tabs,
                        ),
                        expanded: document.delimiter.expands_body,
                    },
                },
            })
            .collect()
    }

    /// `<<-` takes the tabs away that begin a line.
    fn here_document(&self, body: Range<usize>, strip_tabs: bool) -> String {
        let text = self.text.get(body).unwrap_or_default();
        if strip_tabs {
            text.split_inclusive('\n')
                .map(|line| line.trim_start_matches('\t'))
                .collect()
        } else {
            text.to_owned()
        }
    }

    fn words(&self, words: &[WordNode]) -> Vec<TreeWord> {
        words.iter().map(|word| self.word(word)).collect()
    }

    fn word(&self, word: &WordNode) -> TreeWord {
        self.word_at(word.span)
    }

    fn word_at(&self, span: Span) -> TreeWord {
        read_word(self.slice(span))
    }

    fn arithmetic(&self, span: Span) -> TreeWord {
        let source = self.slice(span);
        TreeWord {
            source: source.to_owned(),
            parts: vec![super::tree::Part::Arithmetic(source.to_owned())],
        }
    }

    fn slice(&self, span: Span) -> &str {
        self.text.get(range(span)).unwrap_or_default()
    }
}

/// `x=<(a) b`: the parser takes the value for the command's name.
fn join_value(before: Option<&AssignmentNode>, name: Span, simple: &mut Simple) {
    let touches = before.is_some_and(|it| it.span.end.offset() == name.start.offset());
    if touches
        && !range(name).is_empty()
        && let Some(assignment) = simple.assignments.last_mut()
        && !simple.words.is_empty()
    {
        assignment.value = AssignValue::Word(simple.words.remove(0));
    }
}

fn success(statement: &Stmt) -> Success {
    if statement.negated {
        Success::Negated
    } else {
        Success::AsItEnds
    }
}

/// Joins a statement with the next by an operator. `a | b | c` is one pipeline; pipes bind closer than `&&`.
fn join(left: Statement, op: BinaryOp, right: Statement) -> Statement {
    let plain = |node| Statement {
        node,
        redirects: Vec::new(),
        success: Success::AsItEnds,
        timing: Timing::Foreground,
    };
    match (op, left) {
        (
            BinaryOp::Pipe | BinaryOp::PipeAll,
            Statement {
                node: Node::Pipeline(mut stages),
                redirects,
                ..
            },
        ) if redirects.is_empty() => {
            stages.push(right);
            plain(Node::Pipeline(stages))
        }
        (BinaryOp::Pipe | BinaryOp::PipeAll, left) => plain(Node::Pipeline(vec![left, right])),
        (BinaryOp::And | BinaryOp::Or, left) => {
            let link = if op == BinaryOp::And {
                Link::And
            } else {
                Link::Or
            };
            match left {
                Statement {
                    node: Node::Chain { first, mut rest },
                    redirects,
                    ..
                } if redirects.is_empty() => {
                    rest.push((link, right));
                    plain(Node::Chain { first, rest })
                }
                left => plain(Node::Chain {
                    first: Box::new(left),
                    rest: vec![(link, right)],
                }),
            }
        }
    }
}
