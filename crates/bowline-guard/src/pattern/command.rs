//! Patterns for program runs.

use std::fmt;

use regex::Regex;

use super::{BadPattern, bad, checked, compiled, wildcard};
use crate::interpret::{Carrier, carrier};
use crate::invocation::{Arg, Invocation, Through, Value};

/// A pattern for one program run, word by word: `terraform destroy -target=*`.
///
/// `*` stands for any text in a word; a last word `*` for any number of words. The program counts without its
/// folder, and however it is wrapped: `pip install *` is also what `sudo bash -c 'pip install x'` runs. `sudo pip install *` is
/// only what runs with other rights, and `sudo *` whatever does; `timeout *` is whatever runs through `timeout`.
///
/// ```
/// use bowline_guard::invocation::Invocation;
/// use bowline_guard::pattern::CommandPattern;
///
/// let pattern = CommandPattern::parse("pip install *")?;
/// assert!(pattern.matches(&Invocation::plain("pip", &["install", "x"], "/srv/app")));
/// assert!(!pattern.matches(&Invocation::plain("pip", &["list"], "/srv/app")));
/// # Ok::<(), bowline_guard::pattern::BadPattern>(())
/// ```
#[derive(Debug, Clone)]
pub struct CommandPattern {
    source: String,
    privilege: Privilege,
    /// The wrapper that it speaks of, whatever that runs.
    carrier: Option<String>,
    /// The program, where the pattern names it with its folder.
    program_path: Option<String>,
    words: Vec<Word>,
    fixed: usize,
    rest: Rest,
}

/// One word of a pattern.
#[derive(Debug, Clone)]
struct Word {
    regex: Regex,
    /// Where `*` stands for a part of a name, and not for what would change its meaning.
    within_a_name: Regex,
    kind: WordKind,
}

/// How much of a word is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    /// Nothing.
    Fixed,
    /// A part; and this many of its components are `..`.
    Open { parents: usize },
    /// All of it.
    Anything,
}

impl Word {
    fn parse(text: &str) -> Result<Self, BadPattern> {
        Ok(Self {
            regex: compiled(&wildcard(text, ".*"))?,
            within_a_name: compiled(&wildcard(text, "[^:]*"))?,
            kind: match text {
                "*" => WordKind::Anything,
                _ if text.contains('*') => WordKind::Open {
                    parents: parents(text),
                },
                _ => WordKind::Fixed,
            },
        })
    }

    /// Whether an argument is of this form, as far as it is known.
    fn matches(&self, arg: &Arg) -> bool {
        match &arg.value {
            Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => {
                self.regex.is_match(text)
            }
            Value::Unknown => self.regex.is_match(""),
        }
    }

    /// Whether an argument is certainly nothing else than what the word says.
    fn covers(&self, arg: &Arg) -> bool {
        let Some(text) = arg.text_or_pattern() else {
            return false;
        };
        match (self.kind, &arg.value) {
            (WordKind::Anything, _) => is_plain(arg),
            (WordKind::Fixed, _) => self.regex.is_match(text),
            (WordKind::Open { .. }, Value::Pattern(text)) if text.contains(['$', '`', '{']) => {
                false
            }
            (WordKind::Open { parents: allowed }, _) => {
                is_plain(arg) && parents(text) == allowed && self.within_a_name.is_match(text)
            }
        }
    }
}

/// Whether an argument is known, or a pattern that stays below the folder that it names.
fn is_plain(arg: &Arg) -> bool {
    match &arg.value {
        Value::Known(_) => true,
        Value::Pattern(text) => !text.contains(".."),
        Value::Partly(_) | Value::Unknown => false,
    }
}

/// How many components of the paths in a word are `..`.
fn parents(word: &str) -> usize {
    word.split(['/', '\\', '=', ',', ':'])
        .filter(|part| *part == "..")
        .count()
}

/// Folders whose programs are the ones that their plain names mean.
const PROGRAM_FOLDERS: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
];

/// Variables that decide what a program's name means, or what code it loads.
fn changes_programs(variable: &str) -> bool {
    variable == "PATH" || variable.starts_with("LD_") || variable.starts_with("DYLD_")
}

/// Whether a pattern speaks of a run with other rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privilege {
    Plain,
    Raised,
}

fn is_raised(run: &Invocation) -> bool {
    run.through.contains(&Through::Privilege)
}

/// Whether a program runs through this one, or is it. Of those that give other rights one is as good as another.
fn carries(name: &str, run: &Invocation) -> bool {
    let program = run.program.as_deref().unwrap_or_default();
    match carrier(name) {
        Some(Carrier::Privilege) => is_raised(run) || carrier(program) == Some(Carrier::Privilege),
        _ => program == name || run.through.contains(&Through::Wrapper(name.to_owned())),
    }
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    Anything,
}

impl CommandPattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let source = checked(text)?;
        if let Some(found) = source.find([';', '|', '&', '\n']) {
            let found = source.get(found..=found).unwrap_or_default();
            return Err(bad(format!(
                "`{found}` joins commands, and a pattern is for one program run: write one pattern for each"
            )));
        }
        let mut words: Vec<&str> = source.split_whitespace().collect();
        let mut privilege = Privilege::Plain;
        let mut carried_by = None;
        let first = words.first().copied().unwrap_or_default();
        match (carrier(first), words.get(1..).unwrap_or_default()) {
            // The first is a word of the shell; what the second runs is told by what it reads.
            _ if matches!(first, "time" | "xargs") => {
                return Err(bad(format!(
                    "what `{first}` runs is looked at by itself: write a pattern for that program"
                )));
            }
            (Some(Carrier::Privilege), [] | ["*"]) => return Ok(Self::raised(source, first)),
            (Some(Carrier::Wrapper), [] | ["*"]) => carried_by = Some(first.to_owned()),
            (Some(Carrier::Privilege), [program, ..])
                if matches!(first, "sudo" | "doas") && !program.starts_with('-') =>
            {
                privilege = Privilege::Raised;
                words.remove(0);
            }
            (Some(Carrier::Privilege), _) => {
                return Err(bad(format!(
                    "options of `{first}` are not looked at: write `{first} *`, or name the program, such as `sudo make *`"
                )));
            }
            (Some(Carrier::Wrapper), _) => {
                return Err(bad(format!(
                    "what `{first}` runs is looked at by itself: write `{first} *`, or a pattern for that program"
                )));
            }
            (None, _) => {}
        }
        let mut rest = Rest::Nothing;
        if words.last() == Some(&"*") {
            rest = Rest::Anything;
            words.pop();
        }
        if words.first().is_none_or(|program| program.contains('*')) {
            return Err(bad(
                "the first word has to name a program, such as `make clean *`",
            ));
        }
        let fixed = words.iter().take_while(|word| !word.contains('*')).count();
        let mut program_path = None;
        if let Some(program) = words.first_mut()
            && let Some((_, name)) = program.rsplit_once('/')
        {
            program_path = Some((*program).to_owned());
            *program = name;
        }
        Ok(Self {
            source: source.to_owned(),
            privilege,
            carrier: carried_by,
            program_path,
            fixed,
            words: words
                .into_iter()
                .map(Word::parse)
                .collect::<Result<_, _>>()?,
            rest,
        })
    }

    /// A pattern for whatever runs with other rights.
    fn raised(source: &str, name: &str) -> Self {
        Self {
            source: source.to_owned(),
            privilege: Privilege::Raised,
            carrier: Some(name.to_owned()),
            program_path: None,
            words: Vec::new(),
            fixed: 0,
            rest: Rest::Anything,
        }
    }

    /// Reads a pattern that has to name a program: what may be done is said of programs, not of how they are run.
    pub fn of_program(text: &str) -> Result<Self, BadPattern> {
        let pattern = Self::parse(text)?;
        if pattern.words.is_empty() {
            return Err(bad(format!(
                "`{pattern}` is any program: name the one that is meant, such as `sudo make *`"
            )));
        }
        Ok(pattern)
    }

    /// Whether the run is of this form, through whatever it is run; with other rights, if the pattern begins with `sudo`.
    pub fn matches(&self, run: &Invocation) -> bool {
        let carried = self.carrier.as_ref().is_some_and(|it| carries(it, run));
        carried || self.fits(run) && (self.privilege == Privilege::Plain || is_raised(run))
    }

    /// Whether the program and its words are of this form.
    fn fits(&self, run: &Invocation) -> bool {
        let Some((program, words)) = self.words.split_first() else {
            return false;
        };
        let named = run
            .program
            .as_deref()
            .is_some_and(|name| program.regex.is_match(name));
        let enough = match self.rest {
            Rest::Nothing => run.args.len() == words.len(),
            Rest::Anything => run.args.len() >= words.len(),
        };
        named
            && enough
            && words
                .iter()
                .zip(&run.args)
                .all(|(word, arg)| word.matches(arg))
    }

    /// Whether the run is of this form and does nothing else than what the pattern says: not with other rights
    /// unless the pattern begins with `sudo`, not on another machine, not in a container, not by another program of
    /// that name. Every argument has to be known; `*` within a word accepts neither `..` nor `:`.
    pub fn covers(&self, run: &Invocation) -> bool {
        let as_written = run.through.iter().all(|through| match through {
            Through::Privilege => self.privilege == Privilege::Raised,
            Through::Remote(_) | Through::Container | Through::NewContainer => false,
            Through::EachOf(_) | Through::Wrapper(_) => true,
        });
        let is_meant = match (&self.program_path, &run.program_path) {
            (_, None) => self.program_path.is_none(),
            (Some(meant), Some(path)) => meant == path,
            (None, Some(path)) => path
                .rsplit_once('/')
                .is_some_and(|(folder, _)| PROGRAM_FOLDERS.contains(&folder)),
        } && !run
            .environment
            .iter()
            .any(|(name, _)| changes_programs(name));
        let words = self.words.get(1..).unwrap_or_default();
        as_written
            && is_meant
            && self.fits(run)
            && words
                .iter()
                .zip(&run.args)
                .all(|(word, arg)| word.covers(arg))
            && run.args.iter().skip(words.len()).all(is_plain)
    }

    /// How many words at its beginning are fixed.
    pub fn fixed_words(&self) -> usize {
        self.fixed
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.source)
    }
}
