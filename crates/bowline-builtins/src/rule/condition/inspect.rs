//! Looks through an expression once: are its names known, its patterns valid, its cost bounded?

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use bowline_agents::near::nearest;
use cel::Program;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue};
use globset::{GlobBuilder, GlobMatcher};
use regex::{Regex, RegexBuilder};

use super::{BadCondition, EXAMPLE, fields};

/// The names of what is known of an event, whatever its payload is. They go before its fields.
pub(super) const VARIABLES: &[&str] = &[
    "event",
    "tool",
    "tool_input",
    "prompt",
    "command",
    "path",
    "cwd",
    "project",
    "session_id",
    "agent",
    "agent_id",
    "agent_type",
    "effects",
];

pub(super) const MATCHES: &str = "matches";
pub(super) const GLOB: &str = "glob";

const FUNCTIONS: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    MATCHES,
    GLOB,
    "string",
    "int",
    "uint",
    "double",
    "bool",
    "type",
];

/// Also what CEL's macros are, which are no calls any more when they are looked at.
const MACROS: &[&str] = &["has", "all", "exists", "exists_one", "filter"];

/// Every level takes much of the stack that an event is judged on.
const MAX_DEPTH: usize = 20;
/// More of what nests and chains than this is not even read.
const MAX_LINKS: usize = 200;
const MAX_LOOPS: usize = 2;
const MAX_JOINS: usize = 8;
const MAX_REGEX: usize = 512 * 1024;

/// The variable in which a macro gathers its result. No expression can name it.
const RESULT: &str = "@result";

/// What is known of an expression.
#[derive(Debug, Default)]
pub(super) struct Inspection {
    /// The variables that it uses.
    pub(super) variables: BTreeSet<&'static str>,
    pub(super) patterns: Arc<Patterns>,
    /// How many parts it has.
    pub(super) nodes: usize,
    /// How many times it joins texts or lists.
    pub(super) joins: usize,
    /// How many loops are in one another.
    pub(super) loops: usize,
}

/// The patterns that are written in an expression.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    pub(super) regexes: HashMap<String, Regex>,
    pub(super) globs: HashMap<String, GlobMatcher>,
}

/// Refuses texts that nest, or chain, so deep that reading them would take too much of the stack.
pub(super) fn depth_of_text(text: &str) -> Result<(), BadCondition> {
    // Every level and every link needs one of these, so that there are no more of either than of them.
    let links = text
        .char_indices()
        .filter(|(_, c)| "([{.!?+-*/%&|<>=".contains(*c));
    match links.map(|(at, _)| at).nth(MAX_LINKS) {
        Some(at) => Err(too_deep(at..text.len())),
        None => Ok(()),
    }
}

fn too_deep(part: Range<usize>) -> BadCondition {
    BadCondition::new(
        part,
        "`when` is too deep to follow",
        "say it simpler, or in several rules",
    )
}

pub(super) fn inspect(program: &Program) -> Result<Inspection, BadCondition> {
    let mut inspector = Inspector {
        program,
        inspection: Inspection::default(),
        patterns: Patterns::default(),
        bound: Vec::new(),
        loops: 0,
    };
    inspector.expression(program.expression(), 0)?;
    let Inspector {
        mut inspection,
        patterns,
        ..
    } = inspector;
    inspection.patterns = Arc::new(patterns);
    Ok(inspection)
}

struct Inspector<'p> {
    program: &'p Program,
    inspection: Inspection,
    patterns: Patterns,
    /// The variables of the loops around.
    bound: Vec<&'p str>,
    loops: usize,
}

impl<'p> Inspector<'p> {
    fn expression(&mut self, node: &'p IdedExpr, depth: usize) -> Result<(), BadCondition> {
        if depth > MAX_DEPTH {
            return Err(too_deep(self.part(node)));
        }
        self.inspection.nodes += 1;
        match &node.expr {
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.name(name, node),
            Expr::Select(select) => self.expression(&select.operand, depth + 1),
            Expr::Call(call) => self.call(call, node, depth),
            Expr::List(list) => self.all(&list.elements, depth),
            Expr::Map(map) => map.entries.iter().try_for_each(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.expression(&entry.key, depth + 1)?;
                    self.expression(&entry.value, depth + 1)
                }
                EntryExpr::StructField(_) => Err(self.unusable(node)),
            }),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, node, depth),
            Expr::Struct(_) | Expr::Unspecified => Err(self.unusable(node)),
        }
    }

    fn all(&mut self, nodes: &'p [IdedExpr], depth: usize) -> Result<(), BadCondition> {
        nodes
            .iter()
            .try_for_each(|node| self.expression(node, depth + 1))
    }

    fn name(&mut self, name: &'p str, node: &IdedExpr) -> Result<(), BadCondition> {
        if name == RESULT || self.bound.contains(&name) {
            return Ok(());
        }
        let general = VARIABLES.iter().find(|known| **known == name).copied();
        match general.or_else(|| fields::known(name)) {
            Some(known) => {
                self.inspection.variables.insert(known);
                Ok(())
            }
            None => Err(BadCondition::new(
                self.part(node),
                format!("`when` knows no `{name}`"),
                variable_suggestion(name),
            )),
        }
    }

    fn call(
        &mut self,
        call: &'p CallExpr,
        node: &'p IdedExpr,
        depth: usize,
    ) -> Result<(), BadCondition> {
        let name = call.func_name.as_str();
        match name {
            MATCHES | GLOB => self.pattern(call, node)?,
            "_+_" if !is_result(call.args.first()) => self.join(node)?,
            _ if is_operator(name) || FUNCTIONS.contains(&name) => {}
            _ => {
                let known: Vec<&str> = FUNCTIONS.iter().chain(MACROS).copied().collect();
                return Err(BadCondition::new(
                    self.part(node),
                    format!("`when` knows no `{name}()`"),
                    suggestion(name, &known),
                ));
            }
        }
        if let Some(target) = &call.target {
            self.expression(target, depth + 1)?;
        }
        self.all(&call.args, depth)
    }

    /// A pattern is compiled now: an event only compares.
    fn pattern(&mut self, call: &'p CallExpr, node: &'p IdedExpr) -> Result<(), BadCondition> {
        let name = &call.func_name;
        let written = match call.args.last().map(|last| &last.expr) {
            Some(Expr::Literal(LiteralValue::String(text))) => text.inner().to_owned(),
            _ => {
                return Err(BadCondition::new(
                    self.part(node),
                    format!("`{name}()` needs its pattern written out in quotes"),
                    format!("write it like `{}`", pattern_example(name)),
                ));
            }
        };
        let expected = if call.target.is_some() { 1 } else { 2 };
        if call.args.len() != expected {
            return Err(BadCondition::new(
                self.part(node),
                format!("`{name}()` takes a text and a pattern"),
                format!("write it like `{}`", pattern_example(name)),
            ));
        }
        let wrong = |problem: String| {
            let problem = problem.lines().last().unwrap_or_default().trim().to_owned();
            BadCondition::new(
                call.args.last().map_or(0..0, |last| self.part(last)),
                format!("`{name}()` has a pattern that cannot be used: {problem}"),
                format!("write it like `{}`", pattern_example(name)),
            )
        };
        if name == MATCHES {
            let regex = RegexBuilder::new(&written)
                .size_limit(MAX_REGEX)
                .build()
                .map_err(|error| wrong(error.to_string()))?;
            self.patterns.regexes.insert(written, regex);
        } else {
            let glob = GlobBuilder::new(&written)
                .literal_separator(true)
                .build()
                .map_err(|error| wrong(error.to_string()))?;
            self.patterns.globs.insert(written, glob.compile_matcher());
        }
        Ok(())
    }

    /// What is joined again and again in a loop would grow without end.
    fn join(&mut self, node: &IdedExpr) -> Result<(), BadCondition> {
        self.inspection.joins += 1;
        if self.loops > 0 || self.inspection.joins > MAX_JOINS {
            return Err(BadCondition::new(
                self.part(node),
                format!("`when` may use `+` at most {MAX_JOINS} times, and not in a loop"),
                "compare the parts one by one",
            ));
        }
        Ok(())
    }

    fn comprehension(
        &mut self,
        it: &'p ComprehensionExpr,
        node: &'p IdedExpr,
        depth: usize,
    ) -> Result<(), BadCondition> {
        if makes_something_new(it) {
            return Err(BadCondition::new(
                self.part(node),
                "`when` has no `map()`: it only asks",
                "use `exists()`, `all()` or `filter()`",
            ));
        }
        self.expression(&it.iter_range, depth + 1)?;
        self.loops += 1;
        self.inspection.loops = self.inspection.loops.max(self.loops);
        if self.loops > MAX_LOOPS {
            return Err(BadCondition::new(
                self.part(node),
                format!("`when` may have at most {MAX_LOOPS} loops in one another"),
                "say it simpler, or in several rules",
            ));
        }
        self.bound.push(&it.iter_var);
        for part in [&it.accu_init, &it.loop_cond, &it.loop_step, &it.result] {
            self.expression(part, depth + 1)?;
        }
        self.bound.pop();
        self.loops -= 1;
        Ok(())
    }

    fn unusable(&self, node: &IdedExpr) -> BadCondition {
        BadCondition::new(
            self.part(node),
            "`when` has no objects: it only asks",
            EXAMPLE,
        )
    }

    /// The bytes of a part; all of the text where they are not known.
    fn part(&self, node: &IdedExpr) -> Range<usize> {
        let info = self.program.source_info();
        let known = info.offset_for(node.id).and_then(|(start, stop)| {
            let start = usize::try_from(start).ok()?;
            let stop = usize::try_from(stop).ok()?;
            (start <= stop && stop < info.source.len()).then_some(start..stop + 1)
        });
        known.unwrap_or(0..info.source.len())
    }
}

fn is_result(node: Option<&IdedExpr>) -> bool {
    matches!(node.map(|node| &node.expr), Some(Expr::Ident(name)) if name == RESULT)
}

/// Whether a loop gathers anything else than the elements themselves.
fn makes_something_new(it: &ComprehensionExpr) -> bool {
    let step = match &it.loop_step.expr {
        Expr::Call(call) if call.func_name == "_?_:_" => call.args.get(1).map(|arg| &arg.expr),
        other => Some(other),
    };
    let Some(Expr::Call(call)) = step else {
        return false;
    };
    let Some(Expr::List(list)) = call.args.get(1).map(|arg| &arg.expr) else {
        return false;
    };
    call.func_name == "_+_"
        && is_result(call.args.first())
        && !matches!(list.elements.as_slice(), [element]
            if matches!(&element.expr, Expr::Ident(name) if *name == it.iter_var))
}

fn is_operator(name: &str) -> bool {
    name.contains('_') && !name.starts_with(char::is_alphabetic) || name.starts_with('@')
}

/// An operator as it is written: `_+_` is `+`.
pub(super) fn operator(name: &str) -> String {
    match name {
        "@in" => "in".to_owned(),
        _ if is_operator(name) => name.replace('_', ""),
        _ => name.to_owned(),
    }
}

fn pattern_example(name: &str) -> &'static str {
    if name == MATCHES {
        "command.matches(\"--force(=|$)\")"
    } else {
        "glob(path, \"src/**/*.rs\")"
    }
}

fn variable_suggestion(name: &str) -> String {
    let known: Vec<&str> = VARIABLES.iter().copied().chain(fields::all()).collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "it knows {}, and the fields of the event's payload",
            VARIABLES.join(", ")
        ),
    }
}

fn suggestion(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it knows {}", known.join(", ")),
    }
}
