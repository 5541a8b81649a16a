//! Programs that keep what was there under another name before they write over it: `sed -i.bak`, `cp -b`, `patch -b`.

use crate::families::args::word;
use crate::invocation::{Arg, Value};
use crate::loss::{Act, Depth, Over, Renaming, Target, TargetKind, Writing};

use super::words::{has, has_letter, keeps_what_is_there, operands, value_after};
use super::{Put, Run};

/// What becomes of a file that a program would write over.
pub(super) enum InTheWay {
    Replaced,
    /// It stays where it is, or gets a name that nobody has.
    Stays,
    /// It gets a longer name.
    PutAside(String),
}

impl InTheWay {
    /// By the words of `cp`, `mv` and `install`.
    pub(super) fn of(args: &[Arg]) -> Self {
        let control = args
            .iter()
            .find_map(|it| word(it).strip_prefix("--backup="));
        let suffix = value_after(args, &["-S", "--suffix"]);
        let backs_up = has_letter(args, 'b') || has(args, &["--backup"]) || suffix.is_some();
        match control {
            _ if keeps_what_is_there(args) => Self::Stays,
            Some("numbered" | "t") => Self::Stays,
            Some("none" | "off") => Self::Replaced,
            Some(_) => Self::PutAside(suffix.unwrap_or("~").to_owned()),
            None if backs_up => Self::PutAside(suffix.unwrap_or("~").to_owned()),
            None => Self::Replaced,
        }
    }
}

impl Run<'_> {
    /// Files that a script edits in place, each kept under a longer name.
    pub(super) fn edits_beside(&self, files: &[&Arg], suffix: &str) -> Vec<Act> {
        // `-i 'old/*'` puts them elsewhere. What is found is not known by name.
        let named = files.iter().filter(|it| it.value != Value::Unknown);
        let named = named.filter(|_| !suffix.contains(['*', '/']));
        let from = named.flat_map(|it| self.targets(it)).collect();
        let mut acts = put_aside(from, suffix);
        acts.extend(self.writes(files.iter().copied(), Writing::Tidy));
        acts
    }

    /// `patch FILE PATCH`, and `git diff | patch -R`.
    pub(super) fn patches(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let with_value = [
            "-i",
            "--input",
            "-d",
            "--directory",
            "-p",
            "--strip",
            "-z",
            "--suffix",
            "-r",
        ];
        let named = operands(args, &with_value).into_iter().take(1);
        let reverses = has_letter(args, 'R') || has(args, &["--reverse"]);
        let back = reverses.then(|| self.diff_on_stdin()).flatten();
        let back: Vec<Arg> = back.into_iter().flatten().map(Arg::known).collect();
        let files: Vec<&Arg> = named.chain(&back).collect();
        if has_letter(args, 'b') || has(args, &["--backup"]) {
            let suffix = value_after(args, &["-z", "--suffix"]).unwrap_or(".orig");
            return self.edits_beside(&files, suffix);
        }
        self.writes(files, Writing::Edit)
    }
}

impl Put<'_> {
    /// What becomes of a file at the place, or of one of the same name in a folder that is there; `None` if nothing is done to it.
    pub(super) fn aside(&self, in_the_way: &InTheWay) -> Option<Vec<Act>> {
        let suffix = match in_the_way {
            InTheWay::Replaced => return Some(Vec::new()),
            InTheWay::Stays => return None,
            InTheWay::PutAside(suffix) => suffix,
        };
        let inside = self.from.iter().filter_map(|(_, from)| {
            let name = from.path.rsplit('/').next()?;
            Some(Target {
                path: format!("{}/{name}", self.to.path),
                link: None,
                kind: TargetKind::Exact,
            })
        });
        let place = match self.to.kind {
            TargetKind::Exact => Some(self.to.clone()),
            TargetKind::Folder => None,
            // Where that is cannot be told.
            TargetKind::Contents | TargetKind::Pattern | TargetKind::Unknown => return None,
        };
        Some(put_aside(place.into_iter().chain(inside).collect(), suffix))
    }
}

fn put_aside(from: Vec<Target>, suffix: &str) -> Vec<Act> {
    if from.is_empty() {
        return Vec::new();
    }
    vec![Act::Rename {
        from,
        rule: Renaming::Longer(suffix.to_owned()),
        depth: Depth::One,
        over: Over::Replace,
    }]
}
