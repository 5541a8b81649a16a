//! The structure of a shell text, for what needs more than the flat list: order, pipes, scopes, functions.
//!
//! Substitutions stay text here; whoever follows them reads them as scripts of their own.

use std::rc::Rc;

use super::{Redirect, Understanding};

/// A shell text as a tree.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) body: Vec<Statement>,
    /// How many bytes were read for it, those of substitutions again.
    pub(crate) bytes_read: usize,
    pub(crate) understanding: Understanding,
}

/// A command with its redirections.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) node: Node,
    pub(crate) redirects: Vec<Redirect>,
    pub(crate) timing: Timing,
    pub(crate) success: Success,
}

/// Whether the shell waits for a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    Foreground,
    Background,
}

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Simple(Simple),
    /// `a && b`, `a || b`.
    Chain {
        first: Box<Statement>,
        rest: Vec<(Link, Statement)>,
    },
    Pipeline(Vec<Statement>),
    Group(Vec<Statement>),
    Subshell(Vec<Statement>),
    /// `if`: conditions and branches in order.
    If {
        tests: Vec<Vec<Statement>>,
        branches: Vec<Vec<Statement>>,
    },
    /// `while` and `until`.
    While {
        test: Vec<Statement>,
        body: Vec<Statement>,
    },
    /// `for`, `select`: `None` goes over the positional parameters.
    For {
        variable: Option<String>,
        words: Option<Vec<TreeWord>>,
        body: Vec<Statement>,
    },
    /// `case`: the branches, and the words around them.
    Case {
        words: Vec<TreeWord>,
        branches: Vec<Vec<Statement>>,
    },
    Function {
        names: Vec<String>,
        body: Rc<Statement>,
    },
    /// `[[ ]]`, `(( ))`: nothing runs but what is substituted in these words.
    Expressions(Vec<TreeWord>),
}

/// What joins two commands of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Link {
    And,
    Or,
}

/// Assignments and words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<TreeAssignment>,
    pub(crate) words: Vec<TreeWord>,
}

/// When a command counts as one that succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Success {
    AsItEnds,
    /// `! command`: when it fails.
    Negated,
}

#[derive(Debug, Clone)]
pub(crate) struct TreeAssignment {
    pub(crate) name: String,
    pub(crate) how: AssignHow,
    pub(crate) value: AssignValue,
    /// Subscripts and keys.
    pub(crate) subscripts: Vec<TreeWord>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AssignHow {
    Set,
    Append,
}

#[derive(Debug, Clone)]
pub(crate) enum AssignValue {
    Word(TreeWord),
    Array(Vec<TreeWord>),
}

/// A word as written, in parts.
#[derive(Debug, Clone)]
pub(crate) struct TreeWord {
    pub(crate) source: String,
    pub(crate) parts: Vec<Part>,
}

/// Whether a part stands in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quoting {
    Bare,
    Quoted,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Text after quote removal. Escaped characters of bare text stand in parts of their own, quoted.
    Text(String, Quoting),
    /// `$name` or `${…}`, as written.
    Parameter(String, Quoting),
    /// The text inside `$( )` or backticks.
    Commands(String, Quoting),
    /// The text inside `<( )`.
    ReadsFrom(String),
    /// The text inside `>( )`.
    WritesTo(String),
    /// The text inside `$(( ))`.
    Arithmetic(String),
    /// Something that cannot be seen through, as written.
    Opaque(String),
}
