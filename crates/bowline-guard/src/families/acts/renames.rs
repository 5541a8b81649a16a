//! Programs that put files under other names: packers, and those that rename by a rule.

use crate::families::args::word;
use crate::invocation::{Arg, Value};
use crate::loss::{Act, AtLink, Depth, Over, Renaming, Target, Writing};

use super::Run;
use super::words::{has, has_letter, operands, operands_with_clusters, value_after};

impl Run<'_> {
    /// `gzip FILE`, `xz -d FILE.xz`: another file takes its place, unless the program is told to keep it.
    pub(super) fn packs(&self, name: &str) -> Vec<Act> {
        let args = &self.invocation.args;
        let keeps = has_letter(args, 'k')
            || has_letter(args, 'c')
            || has_letter(args, 't')
            || has_letter(args, 'l')
            || has(
                args,
                &["--keep", "--stdout", "--to-stdout", "--test", "--list"],
            );
        let removes = match name {
            "zstd" | "unzstd" | "lz4" | "unlz4" => has(args, &["--rm"]),
            _ => !keeps,
        };
        let files = operands(
            args,
            &["-S", "--suffix", "-o", "-fo", "-T", "--threads", "-p"],
        );
        if !removes {
            return self.packed_beside(name, &files);
        }
        if let Some(to) = value_after(args, &["-o"]) {
            let from = files.iter().flat_map(|it| self.targets(it)).collect();
            let to = self.targets(&Arg::known(to)).pop();
            return to.map(|to| Act::Move { from, to }).into_iter().collect();
        }
        let over = if has_letter(args, 'f') || has(args, &["--force"]) {
            Over::Replace
        } else {
            Over::Keep
        };
        let depth = if has_letter(args, 'r') || has(args, &["--recursive"]) {
            Depth::Tree
        } else {
            Depth::One
        };
        self.renamed(&files, packing(name, args), depth, over)
    }

    /// `zstd -f FILE -o TO`, `lz4 -f FILE TO`, `gzip -kf FILE`: another file is written, over what is there.
    fn packed_beside(&self, name: &str, files: &[&Arg]) -> Vec<Act> {
        let args = &self.invocation.args;
        let prints = ['c', 't', 'l']
            .iter()
            .any(|letter| has_letter(args, *letter))
            || has(args, &["--stdout", "--to-stdout", "--test", "--list"]);
        if prints || !(has_letter(args, 'f') || has(args, &["--force"])) {
            return Vec::new();
        }
        if let Some(to) = value_after(args, &["-o"]) {
            return self.writes([&Arg::known(to)], Writing::Replace);
        }
        if let ("lz4" | "unlz4", [_, to]) = (name, files) {
            return self.writes([*to], Writing::Replace);
        }
        let names = packing(name, args).of(files.iter().map(|it| word(it)));
        let names = names.unwrap_or_default().into_iter().flatten();
        let names: Vec<Arg> = names.map(Arg::known).collect();
        self.writes(names.iter(), Writing::Replace)
    }

    /// `tar -cf ARCHIVE --remove-files FILES`.
    pub(super) fn packed_away_by_tar(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let Some(Act::Write { to, .. }) = self.archives().pop() else {
            return Vec::new();
        };
        if !has(args, &["--remove-files"]) || value_after(args, &["-C", "--directory"]).is_some() {
            return Vec::new();
        }
        let files = operands_with_clusters(args, &["-f", "--file", "--exclude", "-X", "-T"]);
        // In the old spelling, the letters and the archive come first.
        let old = args.first().is_some_and(|it| !word(it).starts_with('-'));
        let files = files.get(if old { 2 } else { 0 }..).unwrap_or_default();
        self.packed_away(files, &to)
    }

    /// `zip -m ARCHIVE FILES`.
    pub(super) fn packed_away_by_zip(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let words = operands(args, &["-b", "-n", "-P", "-t", "-tt"]);
        let Some((archive, files)) = words.split_first() else {
            return Vec::new();
        };
        let to = self.targets(archive).pop();
        to.map_or_else(Vec::new, |to| self.packed_away(files, &to))
    }

    /// Files that are in an archive from then on, and no longer where they were.
    fn packed_away(&self, files: &[&Arg], archive: &Target) -> Vec<Act> {
        let files = files.iter().flat_map(|it| self.targets(it));
        files
            .flat_map(|target| {
                let kept = Act::Copy {
                    from: vec![target.clone()],
                    to: archive.clone(),
                    at_link: AtLink::Follow,
                };
                let depth = Depth::Tree;
                [kept, Act::Delete { target, depth }]
            })
            .collect()
    }

    /// `rename s/WHAT/WITH/ FILES`, `rename WHAT WITH FILES`.
    pub(super) fn renames(&self, name: &str) -> Vec<Act> {
        let args = &self.invocation.args;
        let tries = [
            "--no-act",
            "--nono",
            "--no-overwrite",
            "--just-print",
            "--dry-run",
            "--interactive",
        ];
        if has_letter(args, 'n')
            || has_letter(args, 'i')
            || has_letter(args, 'o')
            || has(args, &tries)
        {
            return Vec::new();
        }
        let words = operands(args, &["-e", "-E", "--expr"]);
        let rule = match (value_after(args, &["-e", "-E", "--expr"]), words.as_slice()) {
            (Some(expression), files) => Some((Renaming::substitution(expression), files)),
            (None, [expression, files @ ..])
                if name != "rename.ul" && is_expression(expression) =>
            {
                Some((Renaming::substitution(word(expression)), files))
            }
            (None, [what, with, files @ ..]) => {
                let text = Renaming::Text {
                    what: word(what).to_owned(),
                    with: word(with).to_owned(),
                };
                Some((Some(text), files))
            }
            _ => None,
        };
        match rule {
            Some((Some(rule), files)) => self.renamed(files, rule, Depth::One, Over::Replace),
            _ => Vec::new(),
        }
    }

    /// `mmv '*.md' '#1.txt'`.
    pub(super) fn renames_by_wildcards(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let words = operands(args, &[]);
        let [from, to] = words.as_slice() else {
            return Vec::new();
        };
        if has_letter(args, 'n') || ['c', 'l', 's', 'a'].iter().any(|it| has_letter(args, *it)) {
            return Vec::new();
        }
        let over = if has_letter(args, 'd') || has_letter(args, 'o') {
            Over::Replace
        } else {
            Over::Keep
        };
        let files = Arg {
            source: from.source.clone(),
            value: Value::Pattern(word(from).to_owned()),
        };
        match Renaming::wildcards(word(from), word(to)) {
            Some(rule) => self.renamed(&[&files], rule, Depth::One, over),
            None => Vec::new(),
        }
    }

    fn renamed(&self, files: &[&Arg], rule: Renaming, depth: Depth, over: Over) -> Vec<Act> {
        let from: Vec<Target> = files.iter().flat_map(|it| self.targets(it)).collect();
        if from.is_empty() {
            return Vec::new();
        }
        vec![Act::Rename {
            from,
            rule,
            depth,
            over,
        }]
    }
}

/// The names that a packer gives.
fn packing(name: &str, args: &[Arg]) -> Renaming {
    let unpacks = name.starts_with("un")
        || matches!(name, "gunzip" | "bunzip2")
        || has_letter(args, 'd')
        || has(args, &["--decompress", "--uncompress"]);
    let ending = match value_after(args, &["-S", "--suffix"]) {
        Some(ending) => ending,
        None if name.contains("bz") || name.contains("bunz") => ".bz2",
        None if name.contains("zst") => ".zst",
        None if name.contains("lzma") => ".lzma",
        None if name.contains("lzip") => ".lz",
        None if name.contains("lz4") => ".lz4",
        None if name.contains("xz") => ".xz",
        None if name.contains("compress") => ".Z",
        None => ".gz",
    };
    if !unpacks {
        return Renaming::Longer(ending.to_owned());
    }
    let short = match ending {
        ".bz2" => ".tbz2",
        ".xz" => ".txz",
        ".zst" => ".tzst",
        _ => ".tgz",
    };
    let endings = [(ending, ""), (short, ".tar"), (".z", ""), (".Z", "")];
    let owned = endings.map(|(from, to)| (from.to_owned(), to.to_owned()));
    Renaming::Endings(owned.to_vec())
}

/// Whether a word is a piece of Perl rather than a text to look for.
fn is_expression(arg: &Arg) -> bool {
    let text = word(arg);
    Renaming::substitution(text).is_some() || text.starts_with("y/") || text.contains(['$', ';'])
}
