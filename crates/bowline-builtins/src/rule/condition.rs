//! `when`: a condition in CEL, read once when the settings are loaded.
//!
//! Nothing in an expression may cost more than it looks: its length and depth are limited, patterns are
//! compiled at load, nothing that it can build grows, and the work of going through lists is counted before it
//! is begun.

mod fields;
mod inspect;
mod value;

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use bowline::hooks::HookEvent;
use cel::extractors::This;
use cel::{Context, Env, ExecutionError, Program, Value};

use inspect::{Inspection, Patterns};
use value::{Payload, Size};

pub(super) use value::ConditionInput;

/// Longer expressions are refused: a rule is for people to read.
const MAX_LENGTH: usize = 1_000;

/// Expressions are read on a stack of this many bytes.
const PARSER_STACK: usize = 32 * 1024 * 1024;

/// The most work that one evaluation may take, in steps of the kind that [`Condition::work`] counts.
const MAX_WORK: usize = 2_000_000;

/// What an expression may look like, for messages.
const EXAMPLE: &str = "write it like `has(tool_input.timeout) && tool_input.timeout > 600000`, or `command.contains(\"--force\")`";

static ENVIRONMENT: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(Env::stdlib().with_optional_support(false)));

/// A condition that was read.
pub(super) struct Condition {
    program: Program,
    inspection: Inspection,
}

/// An expression that cannot be used, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadCondition {
    /// The bytes of the expression.
    pub(super) part: Range<usize>,
    pub(super) problem: String,
    pub(super) help: String,
}

impl BadCondition {
    fn new(part: Range<usize>, problem: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            part,
            problem: problem.into(),
            help: help.into(),
        }
    }
}

/// Why a condition neither holds nor does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unsettled {
    /// It speaks of a field that this event does not have.
    Missing(String),
    /// It makes no sense for this event.
    Failed(String),
}

impl std::fmt::Debug for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Condition")
            .field("source", &self.program.source_info().source)
            .finish_non_exhaustive()
    }
}

impl Condition {
    /// Reads an expression.
    pub(super) fn parse(text: &str) -> Result<Self, BadCondition> {
        if text.len() > MAX_LENGTH {
            return Err(BadCondition::new(
                MAX_LENGTH..text.len(),
                format!(
                    "`when` has {} bytes; at most {MAX_LENGTH} are read",
                    text.len()
                ),
                "say it shorter, or in several rules",
            ));
        }
        inspect::depth_of_text(text)?;
        let read = || {
            let program = ENVIRONMENT
                .compile(text)
                .map_err(|errors| unreadable(text, &errors))?;
            let inspection = inspect::inspect(&program)?;
            Ok(Self {
                program,
                inspection,
            })
        };
        // The parser is another's, and generous with the stack: whatever it meets, a rule must not end the program.
        let given_up = || {
            Err(BadCondition::new(
                0..text.len(),
                "`when` cannot be read",
                EXAMPLE,
            ))
        };
        std::thread::scope(|scope| {
            let reader = std::thread::Builder::new()
                .stack_size(PARSER_STACK)
                .spawn_scoped(scope, read);
            match reader.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(read)) => read,
                Ok(Err(_)) | Err(_) => given_up(),
            }
        })
    }

    /// The fields that it asks for and none of these events has.
    pub(super) fn fields_of_others(&self, events: &[HookEvent]) -> Vec<&'static str> {
        let asked = self.inspection.variables.iter().copied();
        asked
            .filter(|name| !inspect::VARIABLES.contains(name) && !fields::is_of(events, name))
            .collect()
    }

    /// Whether it holds for an event.
    pub(super) fn holds(&self, facts: &ConditionInput<'_>) -> Result<bool, Unsettled> {
        let mut size = Size::default();
        let payload = Payload::new();
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        for name in &self.inspection.variables {
            // A missing field is an error only if the expression reaches it.
            if let Some(value) = facts.value(name, &payload, &mut size)? {
                context.add_variable_from_value(*name, value);
            }
        }
        if self.work(&size) > MAX_WORK {
            return Err(Unsettled::Failed(
                "the event is too large for it".to_owned(),
            ));
        }
        declare(&mut context, &self.inspection.patterns)?;
        match self.program.execute(&context) {
            Ok(Value::Bool(holds)) => Ok(holds),
            Ok(other) => Err(Unsettled::Failed(format!(
                "it is {}, neither true nor false",
                other.type_of()
            ))),
            Err(error) => Err(unsettled(error)),
        }
    }

    /// An upper bound of what an evaluation takes. What is joined with `+` is as long as its parts together, and
    /// loops in loops multiply.
    fn work(&self, size: &Size) -> usize {
        let Inspection {
            nodes,
            joins,
            loops,
            ..
        } = self.inspection;
        let longest = size.longest.max(nodes).saturating_mul(joins + 1);
        let rounds = (0..loops).fold(1_usize, |rounds, _| rounds.saturating_mul(longest));
        let once = nodes.saturating_add(size.bytes.saturating_mul(joins + 1) / 64);
        rounds.saturating_mul(once)
    }
}

fn declare(context: &mut Context<'_, '_>, patterns: &Arc<Patterns>) -> Result<(), Unsettled> {
    let unknown = |name: &str| ExecutionError::function_error(name, "its pattern was not read");
    let regexes = Arc::clone(patterns);
    let globs = Arc::clone(patterns);
    context
        .add_function(
            inspect::MATCHES,
            move |This(text): This<Arc<String>>, pattern: Arc<String>| {
                let regex = regexes.regexes.get(pattern.as_str());
                regex
                    .map(|regex| regex.is_match(&text))
                    .ok_or_else(|| unknown(inspect::MATCHES))
            },
        )
        .and_then(|()| {
            context.add_function(
                inspect::GLOB,
                move |This(text): This<Arc<String>>, pattern: Arc<String>| {
                    let glob = globs.globs.get(pattern.as_str());
                    glob.map(|glob| glob.is_match(text.as_str()))
                        .ok_or_else(|| unknown(inspect::GLOB))
                },
            )
        })
        .map_err(|error| Unsettled::Failed(error.to_string()))
}

fn unsettled(error: ExecutionError) -> Unsettled {
    match error {
        ExecutionError::NoSuchKey(key) => Unsettled::Missing(format!(
            "there is no field `{key}` here; ask for it first, as in `has(tool_input.{key}) && …`"
        )),
        ExecutionError::UndeclaredReference(name) => Unsettled::Missing(format!(
            "this event has no `{name}`; ask for it first, as in `has(payload.{name}) && …`"
        )),
        ExecutionError::IndexOutOfBounds(_) => {
            Unsettled::Missing("there is no element of this number".to_owned())
        }
        // Others may quote the values of the event, which are not for messages.
        ExecutionError::NoSuchOverload(error) => Unsettled::Failed(format!(
            "`{}` does not go with {}",
            inspect::operator(error.function()),
            error.argument_types().join(" and ")
        )),
        ExecutionError::UnexpectedType { want, .. } => {
            Unsettled::Failed(format!("a value is not {want}"))
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            Unsettled::Failed("it divides by zero".to_owned())
        }
        ExecutionError::Overflow(operator, ..) => {
            Unsettled::Failed(format!("`{operator}` is too large"))
        }
        _ => Unsettled::Failed("its values do not go together".to_owned()),
    }
}

fn unreadable(text: &str, errors: &cel::ParseErrors) -> BadCondition {
    let Some(error) = errors.errors.first() else {
        return BadCondition::new(0..text.len(), "`when` cannot be read", EXAMPLE);
    };
    // A line from 1 and a column from 1, in characters.
    let (line, column) = error.pos;
    let before: usize = text
        .split_inclusive('\n')
        .take(usize::try_from(line - 1).unwrap_or(0))
        .map(str::len)
        .sum();
    let rest = text.get(before..).unwrap_or_default();
    let (at, width) = rest
        .char_indices()
        .nth(usize::try_from(column - 1).unwrap_or(0))
        .map_or((rest.len(), 0), |(at, c)| (at, c.len_utf8()));
    let what = error
        .msg
        .lines()
        .next()
        .map(|what| what.replace("Syntax error: ", ""))
        .unwrap_or_default();
    BadCondition::new(
        before + at..before + at + width,
        format!("`when` cannot be read: {}", bounded(&what)),
        EXAMPLE,
    )
}

/// The parser lists all that it would have taken.
fn bounded(text: &str) -> String {
    match text.split_once(" expecting {") {
        Some((what, _)) => what.to_owned(),
        None => text.chars().take(200).collect(),
    }
}

#[cfg(test)]
mod tests;
