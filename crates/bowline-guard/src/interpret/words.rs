//! Words to arguments: what the shell makes of them, as far as it can be known.

use bowline_agents::is_project_variable;

use super::Interpreter;
use super::bounds::{MAX_TEXT, Size, TooLong, add_sources};
use super::parameter;
use super::scope::{Marks, Scope, Variable};
use super::value::{Content, Item, Output, UNKNOWN, marked};
use crate::invocation::{Arg, Value};
use crate::paths::glob;
use crate::shell::parts::read_document;
use crate::shell::tree::{Part, Quoting, TreeWord};

/// Variables that stay as written, for path resolution knows them; and so does what agents call their project by.
const LEFT_TO_PATHS: &[&str] = &["HOME", "PWD", "TMPDIR", "USER", "LOGNAME"];

fn is_left_to_paths(variable: &str) -> bool {
    LEFT_TO_PATHS.contains(&variable) || is_project_variable(variable)
}

const BLANKS: &str = " \t\n";

/// Stands for a number of which nothing else is known. It must have no meaning of its own, as 0, 1 and -1 have as numbers
/// of processes.
const SOME_NUMBER: &str = "4242";

/// At most this many of the separators in `IFS` count.
const MAX_SEPARATORS: usize = 16;

/// The most words that one word is split into.
const MAX_FIELDS: usize = 256;

/// The most arguments of one command. A list of files that a shell has expanded already is long, and is no riddle.
const MAX_ARGUMENTS: usize = 4096;

/// The longest word whose braces are expanded: each choice is as long as the whole. A longer one is unknown.
const MAX_BRACED: usize = 4 * 1024;

/// One word that is being put together.
#[derive(Debug, Default)]
struct Field {
    text: String,
    pattern: bool,
    /// A bare brace was seen.
    braces: bool,
    /// Something makes it a word even if its text is empty.
    present: bool,
    /// Something of it is left out, because it would be too long.
    cut: bool,
    sources: Vec<String>,
    feed: Option<Output>,
}

impl Field {
    fn push(&mut self, text: &str, quoting: Quoting, marks: Marks) {
        if self.text.len() + text.len() > MAX_TEXT {
            self.cut = true;
            return self.push_unknown(&[]);
        }
        if quoting == Quoting::Bare {
            self.pattern |= text.contains(['*', '?', '[']) || glob::is_extended(text);
            self.pattern |= self.text.is_empty() && text.starts_with('~');
            self.braces |= text.contains('{');
        }
        self.present = true;
        match marks {
            Marks::Unknown => self.text.push_str(text),
            // A real ellipsis must not look like something unknown.
            Marks::Plain => self.text.push_str(&text.replace(UNKNOWN, "...")),
        }
    }

    fn push_unknown(&mut self, sources: &[String]) {
        self.present = true;
        self.text.push(UNKNOWN);
        add_sources(&mut self.sources, sources);
    }

    fn value(text: String, pattern: bool) -> Value {
        if text.contains(UNKNOWN) {
            if text.chars().all(|c| c == UNKNOWN) {
                Value::Unknown
            } else {
                Value::Partly(text)
            }
        } else if pattern {
            Value::Pattern(text)
        } else {
            Value::Known(text)
        }
    }

    fn items(self, source: &str, out: &mut Vec<Item>) {
        if !self.present {
            return;
        }
        let texts = if self.braces {
            glob::expand_braces(&self.text)
        } else {
            vec![self.text]
        };
        for text in texts {
            let has_marks = text.starts_with('~')
                || text.contains(['*', '?', '[', '$'])
                || glob::is_extended(&text);
            let pattern = self.pattern && has_marks;
            out.push(Item {
                arg: Arg {
                    source: source.to_owned(),
                    value: Self::value(text, pattern),
                },
                sources: self.sources.clone(),
                feed: self.feed.clone(),
            });
        }
    }
}

/// The words that one word becomes: the last is still open.
#[derive(Debug, Default)]
struct Fields {
    done: Vec<Field>,
    open: Field,
}

impl Fields {
    fn next(&mut self) {
        self.done.push(std::mem::take(&mut self.open));
    }

    fn all(self) -> impl Iterator<Item = Field> {
        self.done.into_iter().chain([self.open])
    }
}

/// Whether a word is split where an unquoted expansion has blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Splitting {
    Split,
    Whole,
}

impl Interpreter<'_> {
    /// The arguments that words become.
    pub(super) fn expand_words(&mut self, words: &[TreeWord], scope: &mut Scope) -> Vec<Item> {
        let mut items = Vec::new();
        for word in words {
            let mut fields = Fields::default();
            self.expand_parts(&word.parts, scope, Splitting::Split, &mut fields);
            let before = items.len();
            for field in fields.all() {
                let field = self.within_limits(field);
                field.items(&word.source, &mut items);
            }
            self.make(items.get(before..).unwrap_or_default().size());
            if items.len() > MAX_ARGUMENTS {
                self.problem("a command has too many arguments");
                break;
            }
        }
        items
    }

    /// A word that stays one: an assignment's value, a here-string, the target of a redirection.
    pub(super) fn expand_whole(&mut self, word: &TreeWord, scope: &mut Scope) -> Item {
        let mut fields = Fields::default();
        self.expand_parts(&word.parts, scope, Splitting::Whole, &mut fields);
        let field = fields.open;
        let field = self.within_limits(field);
        let pattern = field.pattern;
        Item {
            arg: Arg {
                source: word.source.clone(),
                value: Field::value(field.text, pattern),
            },
            sources: field.sources,
            feed: field.feed,
        }
    }

    /// The text of a here-document that the shell expands.
    pub(super) fn expand_document(&mut self, body: &str, scope: &mut Scope) -> Output {
        let mut fields = Fields::default();
        let word = read_document(body);
        self.expand_parts(&word.parts, scope, Splitting::Whole, &mut fields);
        let field = fields.open;
        let field = self.within_limits(field);
        Output {
            text: field.text,
            sources: field.sources,
        }
    }

    /// The word without what would be made of it beyond the limits.
    fn within_limits(&mut self, mut field: Field) -> Field {
        if field.braces && field.text.len() > MAX_BRACED {
            field.braces = false;
            field.cut = true;
            field.text = UNKNOWN.to_string();
        }
        if field.cut {
            self.too_long();
        }
        field
    }

    fn expand_parts(
        &mut self,
        parts: &[Part],
        scope: &mut Scope,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        for part in parts {
            if !self.pay(1) {
                return fields.open.push_unknown(&[]);
            }
            let before = fields.open.text.len();
            match part {
                Part::Text(text, quoting) => fields.open.push(text, *quoting, scope.marks),
                Part::Parameter(written, quoting) => {
                    self.expand_parameter(written, *quoting, scope, splitting, fields);
                }
                Part::Commands(text, quoting) => {
                    let output = self.captured_substitution(text, scope);
                    self.make(output.size());
                    let trimmed = output.text.trim_end_matches('\n');
                    let content = Content {
                        value: Field::value(trimmed.to_owned(), false),
                        sources: output.sources,
                    };
                    push_content(&content, *quoting, splitting, scope, fields);
                }
                Part::ReadsFrom(text) => {
                    let output = self.shown_substitution(text, scope);
                    let field = &mut fields.open;
                    field.push_unknown(&output.sources);
                    field.feed = Some(output);
                }
                Part::WritesTo(text) => {
                    self.shown_substitution(text, scope);
                    fields.open.push_unknown(&[]);
                }
                Part::Arithmetic(text) => {
                    let plain = text.trim();
                    if !plain.is_empty() && plain.bytes().all(|byte| byte.is_ascii_digit()) {
                        fields.open.push(plain, Quoting::Quoted, scope.marks);
                    } else {
                        self.run_expression(text, scope);
                        let word = read_document(text);
                        let mut inner = Fields::default();
                        self.expand_parts(&word.parts, scope, Splitting::Whole, &mut inner);
                        fields.open.push_unknown(&[]);
                    }
                }
                Part::Opaque(text) => {
                    self.run_substitutions(text, Quoting::Bare, scope);
                    fields.open.push_unknown(&[]);
                }
            }
            let grown = fields.open.text.len().saturating_sub(before);
            self.pay(grown / 256);
            self.make(grown);
        }
    }

    fn expand_parameter(
        &mut self,
        written: &str,
        quoting: Quoting,
        scope: &mut Scope,
        splitting: Splitting,
        fields: &mut Fields,
    ) {
        let reference = parameter::parse(written);
        if !reads_all_of(&reference) {
            self.run_substitutions(written.trim_start_matches("${"), quoting, scope);
            self.run_prompt(&reference, scope);
        }
        if let Some(list) = list_of(&reference, scope) {
            self.make(list.size());
            return push_list(&reference, &list, quoting, splitting, scope, fields);
        }
        let content = self.parameter(&reference, scope);
        if content.as_ref().is_some_and(|it| !self.make(it.size())) {
            return fields.open.push_unknown(&[]);
        }
        match content {
            Some(content) => push_content(&content, quoting, splitting, scope, fields),
            None if reference.kind == parameter::Kind::Plain
                && reference
                    .operator
                    .as_ref()
                    .is_none_or(parameter::Operator::takes_a_word)
                && is_left_to_paths(&reference.name) =>
            {
                let field = &mut fields.open;
                field.present = true;
                field.pattern = true;
                field.text.push('$');
                field.text.push_str(&reference.name);
            }
            None => fields.open.push_unknown(&[]),
        }
    }

    /// The value of a parameter after its operator; `None` when nothing is known of it.
    fn parameter(
        &mut self,
        reference: &parameter::Reference,
        scope: &mut Scope,
    ) -> Option<Content> {
        let current = current_value(reference, scope);
        let Some(operator) = &reference.operator else {
            return current;
        };
        if operator.takes_a_word() {
            let word = crate::shell::parts::read_word(&operator.operand);
            let unset = current.is_none();
            let item = self.expand_whole(&word, scope);
            if unset && is_left_to_paths(&reference.name) {
                return None;
            }
            let content = Content {
                value: item.arg.value,
                sources: item.sources,
            };
            return match operator.symbol.trim_start_matches(':') {
                // A variable that the text has set keeps its value; of another the default is the best guess.
                "-" if unset => Some(content),
                "=" if unset => {
                    scope.set(&reference.name, content.clone());
                    Some(content)
                }
                "+" if unset => None,
                "+" => Some(content),
                _ => current,
            };
        }
        let Content { value, sources } = current?;
        let Value::Known(text) = &value else {
            return Some(Content {
                value: Value::Unknown,
                sources,
            });
        };
        let applied = parameter::apply(operator, text).unwrap_or_else(|TooLong| {
            self.too_long();
            None
        });
        Some(Content {
            value: applied.map_or(Value::Unknown, Value::Known),
            sources,
        })
    }
}

/// Whether reading the operand of a parameter reads everything in it that may run something.
fn reads_all_of(reference: &parameter::Reference) -> bool {
    let plain = reference
        .subscript
        .as_ref()
        .is_none_or(|subscript| !subscript.contains(['$', '`']));
    match &reference.operator {
        Some(operator) => plain && operator.takes_a_word(),
        None => false,
    }
}

fn current_value(reference: &parameter::Reference, scope: &Scope) -> Option<Content> {
    let name = reference.name.as_str();
    match reference.kind {
        parameter::Kind::Length => return None,
        parameter::Kind::Indirect => {
            let target = scope.get(name)?;
            let target = match &target.value {
                Value::Known(text) => text.clone(),
                Value::Pattern(_) | Value::Partly(_) | Value::Unknown => return None,
            };
            return scope.get(&target).cloned();
        }
        parameter::Kind::Plain => {}
    }
    if let Ok(position) = name.parse::<usize>() {
        let Some(index) = position.checked_sub(1) else {
            return scope.zeroth.clone();
        };
        let positional = scope.positional.as_ref()?;
        return Some(positional.get(index).cloned().unwrap_or(Content::known("")));
    }
    match (scope.variables.get(name), reference.subscript.as_deref()) {
        (Some(Variable::Many(list)), subscript) => {
            let index = subscript.unwrap_or("0").parse::<usize>().ok()?;
            list.get(index).cloned()
        }
        (Some(Variable::One(content)), None | Some("0")) => Some(content.clone()),
        (Some(Variable::One(_)), Some(_)) => None,
        (None, _) => match name {
            "IFS" => Some(Content::known(BLANKS)),
            "SHELL" | "BASH" => Some(Content::known("bash")),
            "$" | "?" | "#" | "!" | "RANDOM" | "UID" | "EUID" | "SECONDS" | "LINENO" => {
                Some(Content::known(SOME_NUMBER))
            }
            _ => None,
        },
    }
}

/// `$@`, `$*`, `${array[@]}`.
fn push_list(
    reference: &parameter::Reference,
    list: &[Content],
    quoting: Quoting,
    splitting: Splitting,
    scope: &Scope,
    fields: &mut Fields,
) {
    let joined = reference.subscript.as_deref() == Some("*") || reference.name == "*";
    let separate = splitting == Splitting::Split && !(joined && quoting == Quoting::Quoted);
    // `"$@"` of nothing is no word at all.
    if list.is_empty() && separate && fields.open.text.is_empty() {
        fields.open.present = false;
    }
    for (index, content) in list.iter().enumerate() {
        if index > 0 {
            if separate && fields.done.len() < MAX_FIELDS {
                fields.next();
            } else {
                fields.open.push(" ", Quoting::Quoted, scope.marks);
            }
        }
        push_content(content, quoting, splitting, scope, fields);
    }
}

fn list_of(reference: &parameter::Reference, scope: &Scope) -> Option<Vec<Content>> {
    if reference.operator.is_some() || reference.kind != parameter::Kind::Plain {
        return None;
    }
    match (reference.name.as_str(), reference.subscript.as_deref()) {
        ("@" | "*", None) => scope.positional.as_ref().map(|list| list.to_vec()),
        (name, Some("@" | "*")) => match scope.variables.get(name)? {
            Variable::Many(list) => Some(list.clone()),
            Variable::One(content) => Some(vec![content.clone()]),
        },
        _ => None,
    }
}

/// Adds a value: bare, it is split at the shell's separators, and its wildcards count.
fn push_content(
    content: &Content,
    quoting: Quoting,
    splitting: Splitting,
    scope: &Scope,
    fields: &mut Fields,
) {
    let text = marked(&content.value);
    let pattern = matches!(content.value, Value::Pattern(_));
    let unknown = matches!(content.value, Value::Unknown | Value::Partly(_));
    if quoting == Quoting::Quoted || splitting == Splitting::Whole {
        let field = &mut fields.open;
        field.push(text, Quoting::Quoted, Marks::Unknown);
        field.pattern |= pattern;
        if unknown {
            add_sources(&mut field.sources, &content.sources);
        }
        return;
    }
    let separators: Vec<char> = match scope.get("IFS").map(|content| &content.value) {
        Some(Value::Known(ifs)) => ifs.chars().take(MAX_SEPARATORS).collect(),
        Some(_) | None => BLANKS.chars().collect(),
    };
    let pieces = text.split(separators.as_slice());
    let mut first = true;
    for piece in pieces {
        if !first && fields.open.present && fields.done.len() < MAX_FIELDS {
            fields.next();
        }
        first = false;
        if piece.is_empty() {
            continue;
        }
        let field = &mut fields.open;
        field.push(piece, Quoting::Bare, Marks::Unknown);
        field.braces = false;
        field.pattern |= pattern;
        if unknown {
            add_sources(&mut field.sources, &content.sources);
        }
    }
}
