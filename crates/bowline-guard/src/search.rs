//! Reads searches: `find` with its order and operators, and `fd`.
//!
//! A search does something with each path that gets as far as the action: `find . -delete -name x` deletes everything,
//! because the name is looked at too late. For each action is told what a path must be to get there. What is not sure is
//! left out, so that more paths may be told than really get there, never fewer.

mod fd;
mod find;
mod finds;

use std::ops::Range;

pub(crate) use finds::{Alternative, Finds, Pattern};

/// A search that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search {
    /// The words that choose nothing: how deep it goes, which links it follows.
    options: Vec<String>,
    /// Where it begins, as written; `…` for what is unknown. The current folder where none is named.
    pub(crate) roots: Vec<String>,
    /// What it does, in the order in which it is written.
    pub(crate) actions: Vec<Reached>,
}

/// An action, and what a path must be to reach it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reached {
    /// What is done.
    pub(crate) action: Action,
    /// What may get there. Nothing does if it is empty.
    pub(crate) finds: Finds,
}

/// What a search does with a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Prints it.
    Print,
    /// Deletes it.
    Delete,
    /// Runs these of the search's words.
    Run { words: Range<usize>, how: Running },
    /// Writes its name into the file that this word names.
    Write(usize),
}

/// How a search runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    /// Where the search runs.
    Here,
    /// In the folder of what was found.
    InItsFolder,
    /// After a person has said yes.
    AfterAsking,
}

impl Search {
    /// Reads a search's words, without its name; `None` if the program is no search.
    pub(crate) fn read(program: &str, words: &[&str]) -> Option<Self> {
        match program {
            "find" | "gfind" | "bfs" => Some(find::read(words)),
            "fd" | "fdfind" => Some(fd::read(words)),
            _ => None,
        }
    }

    /// What it prints, by itself or by the programs that it runs.
    pub(crate) fn printed(&self) -> Finds {
        self.actions
            .iter()
            .filter(|it| matches!(it.action, Action::Print | Action::Run { .. }))
            .fold(Finds::none(), |all, it| all.or(&it.finds))
    }

    /// At most this many folders deep it looks; `None` without end, or if that is not told.
    pub(crate) fn levels(&self) -> Option<usize> {
        let at = self.options.iter().position(|it| it == "-maxdepth")?;
        self.options.get(at + 1)?.parse().ok()
    }

    /// Whether it goes into the folders that links lead to.
    pub(crate) fn follows_links(&self) -> bool {
        let mut options = self.options.iter();
        options.any(|it| it == "-follow" || (it.len() < 4 && it.contains('L')))
    }

    /// What it deletes by itself.
    pub(crate) fn deleted(&self) -> Finds {
        self.actions
            .iter()
            .filter(|it| it.action == Action::Delete)
            .fold(Finds::none(), |all, it| all.or(&it.finds))
    }

    /// The search for exactly this, as words of `find`.
    pub(crate) fn words_for(&self, finds: &Finds) -> Vec<String> {
        let mut words = vec!["find".to_owned()];
        words.extend(self.roots.iter().cloned());
        words.extend(self.options.iter().cloned());
        words.extend(finds.words());
        words
    }
}

#[cfg(test)]
mod tests;
