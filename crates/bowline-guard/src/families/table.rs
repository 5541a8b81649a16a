//! Knowledge as tables: which words of which program do what.

use crate::effect::{Effect, Gravity};

use super::Run;
use super::args::{Parsed, listed};
use super::rule::RuleInfo;

/// One line of knowledge. The first line that fits decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    programs: &'static [&'static str],
    /// The words that the command begins with: see [`Parsed::begins`]. Empty for any.
    words: &'static str,
    /// Only with one of these options.
    with: &'static [&'static str],
    /// `None` for what is fine although a later line says otherwise.
    gravity: Option<Gravity>,
    rule: Option<&'static RuleInfo>,
    /// What happens; `{}` stands for the words that follow.
    what: &'static str,
}

impl Row {
    /// A command that loses what cannot be rebuilt.
    pub(super) const fn grave(
        programs: &'static [&'static str],
        words: &'static str,
        rule: &'static RuleInfo,
        what: &'static str,
    ) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: Some(Gravity::Grave),
            rule: Some(rule),
            what,
        }
    }

    /// A command that a person should confirm.
    pub(super) const fn doubtful(
        programs: &'static [&'static str],
        words: &'static str,
        rule: &'static RuleInfo,
        what: &'static str,
    ) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: Some(Gravity::Doubtful),
            rule: Some(rule),
            what,
        }
    }

    /// A command that is fine although a later line says otherwise.
    pub(super) const fn fine(programs: &'static [&'static str], words: &'static str) -> Self {
        Self {
            programs,
            words,
            with: &[],
            gravity: None,
            rule: None,
            what: "",
        }
    }

    /// Only with one of these options.
    pub(super) const fn with(self, options: &'static [&'static str]) -> Self {
        Self {
            with: options,
            ..self
        }
    }

    fn fits(&self, run: Run<'_>, parsed: &Parsed<'_>) -> bool {
        self.programs.contains(&run.name)
            && (self.words.is_empty() || parsed.begins(self.words))
            && (self.with.is_empty() || parsed.is_on(self.with))
    }

    fn effect(&self, parsed: &Parsed<'_>) -> Option<Effect> {
        let used = if self.words.is_empty() {
            0
        } else {
            self.words.split(' ').count()
        };
        let what = self.what.replace("{}", &listed(parsed.from(used)));
        Some(self.rule?.effect(self.gravity?, what.trim_end()))
    }
}

/// Lines of knowledge, and which programs they are about as far as a few bits can tell: most programs are in no table, and
/// should be done with quickly.
#[derive(Debug)]
pub(super) struct Table {
    rows: &'static [Row],
    marks: [u64; 64],
}

impl Table {
    #[expect(clippy::indexing_slicing, reason = "a mistake would not compile")]
    pub(super) const fn new(rows: &'static [Row]) -> Self {
        let mut marks = [0; 64];
        let mut row = 0;
        while row < rows.len() {
            let mut program = 0;
            while program < rows[row].programs.len() {
                let (word, bit) = mark(rows[row].programs[program].as_bytes());
                marks[word] |= bit;
                program += 1;
            }
            row += 1;
        }
        Self { rows, marks }
    }

    /// Whether it knows this program.
    pub(super) fn knows(&self, program: &str) -> bool {
        let (word, bit) = mark(program.as_bytes());
        self.marks.get(word).is_some_and(|marks| marks & bit != 0)
            && self.rows.iter().any(|row| row.programs.contains(&program))
    }

    /// The programs of which it knows something that is not fine.
    pub(super) fn programs(&self) -> impl Iterator<Item = &'static str> {
        let rows = self.rows.iter().filter(|row| row.rule.is_some());
        rows.flat_map(|row| row.programs).copied()
    }

    /// What the first line that fits says.
    pub(super) fn first(&self, run: Run<'_>, parsed: &Parsed<'_>) -> Option<Effect> {
        self.rows
            .iter()
            .find(|row| row.fits(run, parsed))?
            .effect(parsed)
    }
}

/// Where a name's mark is: by all its letters (FNV-1a).
#[expect(clippy::indexing_slicing, reason = "the loop ends with the name")]
const fn mark(name: &[u8]) -> (usize, u64) {
    let mut hash: u32 = 0x811c_9dc5;
    let mut at = 0;
    while at < name.len() {
        hash = (hash ^ name[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    let place = hash >> 20;
    (place as usize / 64, 1 << (place % 64))
}
