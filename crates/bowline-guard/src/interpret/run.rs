//! Follows a script: sequences, pipes, loops, branches, functions, redirections.

use std::rc::Rc;

use super::bounds::{MAX_TEXT, Size, TooLong, add_sources};
use super::call::ExpandedCommand;
use super::environment::startup_code;
use super::redirect::passes_on;
use super::scope::{Marks, Scope, Variable};
use super::value::{Content, Item, Output};
use super::{Hazard, Interpreter, MAX_BYTES};
use crate::invocation::{Arg, Destination, Value};
use crate::shell::build::{Checked, script};
use crate::shell::costs::{UNCOUNTED, words};
use crate::shell::tree::{
    AssignHow, AssignValue, Node, Part, Quoting, Simple, Statement, Timing, TreeAssignment,
    TreeWord,
};
use crate::shell::{Redirect, Understanding};

/// What a statement reads: `None` when that is the terminal, or unknown.
pub(super) type Input = Option<Rc<Output>>;

/// The most rounds of a loop that are followed.
const MAX_ROUNDS: usize = 24;

/// The most programs of a pipe whose output is followed. Each hands on what all before it had to say.
const MAX_STAGES: usize = 64;

/// The most traps that are kept for the end of a text.
const MAX_TRAPS: usize = 16;

/// How often a function that calls itself is followed.
const MAX_RECURSION: usize = 2;

impl Interpreter<'_> {
    /// Follows a text and tells what it prints.
    pub(super) fn text(
        &mut self,
        text: &str,
        scope: &mut Scope,
        input: Input,
        checked: Checked,
    ) -> Output {
        if !self.may_read(text, checked) {
            return Output::unknown(Vec::new());
        }
        // Reading costs more than following.
        if !self.pay(32 + text.len() / 64) || !self.enter() {
            return Output::unknown(Vec::new());
        }
        let script = script(text, self.nesting, checked);
        self.steps += script.bytes_read / 64;
        match script.understanding {
            Understanding::Clean => {}
            Understanding::Partial { problems } => {
                for problem in problems {
                    self.problem(problem);
                }
            }
            Understanding::Failed { reason } => {
                if self.nesting == 1 {
                    self.failure.get_or_insert(reason);
                } else {
                    self.problem(format!("in a nested text: {reason}"));
                }
            }
        }
        let before = self.traps.len();
        let output = self.sequence(&script.body, scope, &input);
        self.spring(before, scope);
        self.leave();
        output
    }

    /// Keeps what is run when the text ends.
    pub(super) fn trap(&mut self, action: String, scope: &Scope) {
        let known = self.copy(scope);
        if self.traps.len() < MAX_TRAPS {
            self.traps.push((action, known));
        } else {
            self.nested(&action, &known, None);
        }
    }

    /// Runs the traps of a text that has ended. They know what was set when they were, and what came after.
    fn spring(&mut self, before: usize, scope: &Scope) {
        for (action, mut known) in self.traps.split_off(before) {
            for (name, variable) in &scope.variables {
                if !known.variables.contains_key(name) {
                    known.variables.insert(name.clone(), variable.clone());
                }
            }
            self.make(scope.size());
            self.nested(&action, &known, None);
        }
    }

    /// Pays for reading a text; `false` when it would be too much.
    fn may_read(&mut self, text: &str, checked: Checked) -> bool {
        // What was checked as a part of another text was read there, too.
        let times = match checked {
            Checked::No => 1,
            Checked::Yes => 2,
        };
        let left = self.bytes.checked_sub(text.len() + 16);
        let paid = left.and_then(|left| {
            let counted = MAX_BYTES - left > UNCOUNTED;
            let words = if counted { times * words(text) } else { 0 };
            Some((left, self.words_left.checked_sub(words)?))
        });
        let Some((left, words_left)) = paid else {
            self.cut_short("the text holds more text than is read");
            return false;
        };
        self.bytes = left;
        self.words_left = words_left;
        true
    }

    /// Follows a text that is run from within another, as `bash -c` or a substitution does.
    pub(super) fn nested(&mut self, text: &str, scope: &Scope, input: Input) -> Output {
        let mut inner = self.copy(scope);
        inner.marks = Marks::Unknown;
        self.text(text, &mut inner, input, Checked::No)
    }

    fn substitution(&mut self, text: &str, scope: &Scope, to: Destination) -> Output {
        let mut inner = self.copy(scope);
        inner.output = to;
        let read = file_read(text).map(|redirection| format!("cat {redirection}"));
        let text = read.as_deref().unwrap_or(text);
        // The text around it was checked with all its substitutions.
        self.text(text, &mut inner, None, Checked::Yes)
    }

    /// Follows `$( )`, whose output the text itself takes.
    pub(super) fn captured_substitution(&mut self, text: &str, scope: &Scope) -> Output {
        self.substitution(text, scope, Destination::Captured)
    }

    /// Follows `<( )` and the like, whose output another program reads.
    pub(super) fn shown_substitution(&mut self, text: &str, scope: &Scope) -> Output {
        self.substitution(text, scope, Destination::Shown)
    }

    pub(super) fn copy(&mut self, scope: &Scope) -> Scope {
        self.pay(scope.weight());
        self.make(scope.size());
        scope.clone()
    }

    pub(super) fn sequence(
        &mut self,
        statements: &[Statement],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let mut output = Output::nothing();
        // What failed before all of them keeps all of them from running.
        let outer = scope.stay.take();
        for statement in statements {
            scope.go_on();
            let printed = self.statement(statement, scope, input.clone());
            self.append(&mut output, printed);
        }
        scope.stay = outer.or(scope.stay.take());
        output
    }

    pub(super) fn statement(
        &mut self,
        statement: &Statement,
        scope: &mut Scope,
        input: Input,
    ) -> Output {
        if !self.pay(1) {
            return Output::unknown(Vec::new());
        }
        if statement.timing == Timing::Background {
            if self.calls_itself(statement) {
                self.add_hazard(Hazard::Multiplies);
            }
            // A shell of its own runs it: its folder and its variables stay there.
            let mut inner = self.copy(scope);
            return self.performed(statement, &mut inner, input);
        }
        self.performed(statement, scope, input)
    }

    fn performed(&mut self, statement: &Statement, scope: &mut Scope, input: Input) -> Output {
        if let Node::Simple(simple) = &statement.node {
            return self.simple(simple, &statement.redirects, scope, input);
        }
        let redirected = self.redirects(&statement.redirects, scope, input);
        if !redirected.opened.is_empty() {
            let mut call = ExpandedCommand::of(vec![Item::known("{")], scope);
            call.opened.clone_from(&redirected.opened);
            self.emit_call(&call);
        }
        let outer = redirected.enter(scope);
        let outer_output = scope.output;
        scope.output = redirected.destination(outer_output);
        self.errors_joined += usize::from(redirected.joins_errors);
        let output = self.node(&statement.node, scope, &redirected.input);
        self.errors_joined -= usize::from(redirected.joins_errors);
        scope.output = outer_output;
        scope.descriptors = outer;
        self.captured(output, &redirected, scope)
    }

    fn node(&mut self, node: &Node, scope: &mut Scope, input: &Input) -> Output {
        match node {
            Node::Simple(simple) => self.simple(simple, &[], scope, input.clone()),
            Node::Chain { first, rest } => self.chain(first, rest, scope, input),
            Node::Pipeline(stages) => self.pipeline(stages, scope, input),
            Node::Group(body) => self.sequence(body, scope, input),
            Node::Subshell(body) => {
                let mut inner = self.copy(scope);
                self.sequence(body, &mut inner, input)
            }
            Node::If { tests, branches } => self.conditional(tests, branches, scope, input),
            Node::While { test, body } => {
                let mut output = self.sequence(test, scope, input);
                let start = self.invocations.len();
                let printed = self.sequence(body, scope, input);
                self.doubt(start);
                self.append(&mut output, printed);
                scope.settle();
                output
            }
            Node::For {
                variable,
                words,
                body,
            } => self.each(variable.as_deref(), words.as_deref(), body, scope, input),
            Node::Case { words, branches } => {
                self.expand_words(words, scope);
                self.branches(branches, scope, input, None)
            }
            Node::Function { names, body } => {
                for name in names {
                    scope.functions.insert(name.clone(), Rc::clone(body));
                }
                Output::nothing()
            }
            Node::Expressions(words) => {
                for item in self.expand_words(words, scope) {
                    // `[[ -v name ]]`, `[[ a -eq b ]]`
                    self.run_subscript(item.marked(), scope);
                }
                Output::nothing()
            }
        }
    }

    fn pipeline(&mut self, stages: &[Statement], scope: &Scope, input: &Input) -> Output {
        let recursions = stages
            .iter()
            .filter(|stage| self.calls_itself(stage))
            .count();
        if recursions > 1 {
            self.add_hazard(Hazard::Multiplies);
        }
        let mut flow = input.clone();
        let mut output = Output::nothing();
        for (index, stage) in stages.iter().enumerate() {
            let mut inner = self.copy(scope);
            if index >= MAX_STAGES {
                self.cut_short("a pipe is longer than is followed");
                flow = Some(Rc::new(Output::unknown(Vec::new())));
            }
            output = self.statement(stage, &mut inner, flow);
            self.make(output.size());
            flow = Some(Rc::new(output.clone()));
        }
        output
    }

    fn each(
        &mut self,
        variable: Option<&str>,
        words: Option<&[TreeWord]>,
        body: &[Statement],
        scope: &mut Scope,
        input: &Input,
    ) -> Output {
        let contents: Vec<Content> = match words {
            Some(words) => self
                .expand_words(words, scope)
                .iter()
                .map(Item::content)
                .collect(),
            None => scope
                .positional
                .as_ref()
                .map_or_else(Vec::new, |list| list.to_vec()),
        };
        let start = self.invocations.len();
        let runs_for_none = contents.is_empty();
        let contents = if runs_for_none {
            vec![Content::unknown()]
        } else {
            contents
        };
        let mut output = Output::nothing();
        for content in contents.iter().take(MAX_ROUNDS) {
            if let Some(variable) = variable {
                scope.set(variable, content.clone());
            }
            let outer = scope.stay.take();
            let printed = self.sequence(body, scope, input);
            self.append(&mut output, printed);
            scope.go_on();
            scope.stay = outer;
        }
        if runs_for_none {
            self.doubt(start);
        }
        if contents.len() > MAX_ROUNDS {
            self.problem("a loop goes over more than is followed");
        }
        output
    }

    /// Whether a statement calls the function that it stands in.
    fn calls_itself(&self, statement: &Statement) -> bool {
        let Some((current, _)) = self.calls.last() else {
            return false;
        };
        match &statement.node {
            Node::Simple(simple) => simple.words.first().is_some_and(|w| w.source == *current),
            Node::Pipeline(stages) => stages.iter().any(|stage| self.calls_itself(stage)),
            Node::Group(body) | Node::Subshell(body) => {
                body.iter().any(|inner| self.calls_itself(inner))
            }
            Node::Chain { first, rest } => {
                self.calls_itself(first) || rest.iter().any(|(_, inner)| self.calls_itself(inner))
            }
            Node::If { .. }
            | Node::While { .. }
            | Node::For { .. }
            | Node::Case { .. }
            | Node::Function { .. }
            | Node::Expressions(_) => false,
        }
    }

    /// Calls a function of the text.
    pub(super) fn function(
        &mut self,
        name: &str,
        body: &Rc<Statement>,
        arguments: &[Item],
        scope: &mut Scope,
        input: Input,
    ) -> Output {
        let same = |(_, other): &&(String, Option<Rc<Statement>>)| {
            other.as_ref().is_some_and(|it| Rc::ptr_eq(it, body))
        };
        if self.calls.iter().filter(same).count() >= MAX_RECURSION || !self.enter() {
            return Output::unknown(Vec::new());
        }
        self.calls.push((name.to_owned(), Some(Rc::clone(body))));
        self.make(arguments.size());
        let arguments: Vec<_> = arguments.iter().map(Item::content).collect();
        let outer = scope.positional.replace(Rc::new(arguments));
        let output = self.statement(body, scope, input);
        scope.positional = outer;
        self.calls.pop();
        self.leave();
        output
    }

    fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirect],
        scope: &mut Scope,
        input: Input,
    ) -> Output {
        let words = self.expand_words(&simple.words, scope);
        let redirected = self.redirects(redirects, scope, input);
        let mut environment = Vec::new();
        for assignment in &simple.assignments {
            let (name, variable) = self.assigned(assignment, scope);
            // A declaration's arrays stand here too.
            let lasting = words.is_empty() || matches!(variable, Variable::Many(_));
            self.startup_file(assignment, scope);
            if let Variable::One(content) = &variable {
                if matches!(name.as_str(), "PS0" | "PS1" | "PS4") {
                    self.run_substitutions(content.marked(), Quoting::Quoted, scope);
                }
                environment.push((name.clone(), content.value.clone()));
            }
            if lasting {
                scope.variables.insert(name, variable);
            }
        }
        let words = if words.is_empty() {
            if redirected.opened.is_empty() {
                return Output::nothing();
            }
            vec![Item::known(":")]
        } else {
            words
        };
        let outer_output = scope.output;
        scope.output = redirected.destination(outer_output);
        let mut call = ExpandedCommand::of(words, scope);
        call.environment = environment;
        call.opened.clone_from(&redirected.opened);
        call.listed_by.clone_from(&redirected.listed_by);
        call.input.clone_from(&redirected.input);
        call.reads_file.clone_from(&redirected.reads_file);
        if let Some(here) = redirected.here.as_ref()
            && call.program().is_some_and(|it| passes_on(&it))
        {
            self.emit_here(here, scope);
        }
        let lasting = call.words.len() == 1 && call.program().as_deref() == Some("exec");
        let outer = redirected.enter(scope);
        let fed = match call.program().as_deref() {
            Some("tee" | "sponge" | "pee") => call.input.clone(),
            _ => None,
        };
        let output = self.call(call, scope);
        scope.output = outer_output;
        if !lasting {
            scope.descriptors = outer;
        }
        if fed.is_some() {
            self.feed_words(&simple.words, &fed, scope);
        }
        self.captured(output, &redirected, scope)
    }

    /// `tee >(bash)`: what is written there is what came in.
    fn feed_words(&mut self, words: &[TreeWord], input: &Input, scope: &Scope) {
        for part in words.iter().flat_map(|word| &word.parts) {
            if let Part::WritesTo(text) = part {
                self.nested(text, scope, input.clone());
            }
        }
    }

    /// `BASH_ENV=<(…) bash`: the shell runs what it finds there first.
    fn startup_file(&mut self, assignment: &TreeAssignment, scope: &mut Scope) {
        if let AssignValue::Word(word) = &assignment.value
            && matches!(
                assignment.name.as_str(),
                "BASH_ENV" | "ENV" | "PYTHONSTARTUP"
            )
            && let Some(feed) = self.expand_whole(word, scope).feed
            && let Some(text) = startup_code(&assignment.name, &feed.text)
        {
            self.nested(&text, scope, None);
        }
    }

    /// `cat <<< "$X"` does what `printf "$X" | cat` does.
    fn emit_here(&mut self, text: &Arg, scope: &Scope) {
        let word = Item {
            arg: text.clone(),
            ..Item::of(Content::unknown())
        };
        let call = ExpandedCommand::of(vec![Item::known("printf"), word], scope);
        self.emit_call(&call);
    }

    fn assigned(&mut self, assignment: &TreeAssignment, scope: &mut Scope) -> (String, Variable) {
        self.expand_words(&assignment.subscripts, scope);
        let variable = match &assignment.value {
            AssignValue::Word(word) => {
                let mut content = self.expand_whole(word, scope).content();
                if assignment.how == AssignHow::Append
                    && let Some(before) = scope.get(&assignment.name)
                {
                    content = joined(before, &content).unwrap_or_else(|TooLong| {
                        self.too_long();
                        Content::unknown()
                    });
                }
                Variable::One(content)
            }
            AssignValue::Array(words) => {
                let mut contents: Vec<_> = self
                    .expand_words(words, scope)
                    .iter()
                    .map(Item::content)
                    .collect();
                if assignment.how == AssignHow::Append
                    && let Some(Variable::Many(before)) = scope.variables.get_mut(&assignment.name)
                {
                    // Whoever gets the longer list puts it in the place of this one.
                    let mut longer = std::mem::take(before);
                    longer.append(&mut contents);
                    contents = longer;
                }
                Variable::Many(contents)
            }
        };
        (assignment.name.clone(), variable)
    }
}

/// `$(<file)` is what `$(cat <file)` is.
fn file_read(text: &str) -> Option<&str> {
    let text = text.trim();
    let target = text.strip_prefix('<')?;
    (!target.starts_with(['<', '(', '&', '>'])).then_some(text)
}

fn joined(before: &Content, after: &Content) -> Result<Content, TooLong> {
    if before.marked().len() + after.marked().len() > MAX_TEXT {
        return Err(TooLong);
    }
    let text = format!("{}{}", before.marked(), after.marked());
    let value = match (&before.value, &after.value) {
        (Value::Known(_), Value::Known(_)) => Value::Known(text),
        (Value::Known(_) | Value::Pattern(_), Value::Known(_) | Value::Pattern(_)) => {
            Value::Pattern(text)
        }
        _ => Value::Partly(text),
    };
    let mut sources = before.sources.clone();
    add_sources(&mut sources, &after.sources);
    Ok(Content { value, sources })
}
