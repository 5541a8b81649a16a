//! Archives that are unpacked.

use crate::families::args::word;
use crate::invocation::Arg;
use crate::loss::{Act, GitAct, Over, TargetKind, Unpacking, Writing};

use super::Run;
use super::words::{has, has_letter, operands, value_after, within};

impl Run<'_> {
    /// `tar xf ARCHIVE [MEMBERS]`.
    pub(super) fn unpacks(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let letters = tar_letters(args);
        let extracts = letters.contains('x') || has(args, &["--extract", "--get"]);
        if !extracts || letters.contains('O') || has(args, &["-O", "--to-stdout"]) {
            return Vec::new();
        }
        let keeps = ["-k", "--keep-old-files", "--skip-old-files", "--backup"];
        let over = if letters.contains('k') || has(args, &keeps) {
            Over::Keep
        } else {
            Over::Replace
        };
        let with_value = [
            "-f",
            "-C",
            "--file",
            "--directory",
            "--exclude",
            "-X",
            "--strip-components",
            "--transform",
            "--xform",
        ];
        let mut words = operands(args, &with_value).into_iter();
        if !letters.starts_with('-') && !letters.is_empty() {
            words.next();
        }
        let archive = if letters.contains('f') {
            words.next().cloned()
        } else {
            value_after(args, &["-f", "--file"]).map(Arg::known)
        };
        let archive = archive.filter(|it| word(it) != "-");
        let archive = archive.or_else(|| self.file_on_stdin());
        let members = words.collect();
        let strip = value_after(args, &["--strip-components", "--strip"]);
        let strip = strip.map_or(Some(0), |it| it.parse().ok());
        // Names that are changed or left out by a rule.
        let by_rule = [
            "--exclude",
            "-X",
            "--transform",
            "--xform",
            "-s",
            "--one-top-level",
        ];
        let ruled = args.iter().any(|it| {
            let option = word(it).split('=').next().unwrap_or_default();
            by_rule.contains(&option)
        });
        let archive = archive.filter(|_| !ruled && strip.is_some());
        let into = value_after(args, &["-C", "--directory"]);
        let exports = (archive.is_none() && over == Over::Replace)
            .then(|| self.exports(into))
            .flatten();
        let mut acts = self.unpacked((archive.as_ref(), members), into, strip.unwrap_or(0), over);
        acts.extend(exports);
        acts
    }

    /// `git archive COMMIT | tar x`.
    fn exports(&self, into: Option<&str>) -> Option<Act> {
        let of = self.commit_on_stdin()?;
        let folder = Arg::known(into.unwrap_or(self.directory));
        let into = self.targets(&folder).pop()?;
        (into.kind != TargetKind::Unknown).then_some(Act::Git {
            directory: into.path,
            act: GitAct::Export { of },
        })
    }

    /// `unzip ARCHIVE [MEMBERS]`, which asks before it writes over something.
    pub(super) fn unzips(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let into = value_after(args, &["-d"]);
        let mut words = operands(args, &["-d", "-x", "-P"]).into_iter();
        let flat = has_letter(args, 'j') || has(args, &["-x"]);
        let archive = words.next().filter(|_| !flat);
        let over = if has_letter(args, 'o') {
            Over::Replace
        } else {
            Over::Keep
        };
        self.unpacked((archive, words.collect()), into, 0, over)
    }

    /// `python -m zipfile -e ARCHIVE [FOLDER]`.
    pub(super) fn unpacks_by_module(&self) -> Vec<Act> {
        let [module, what, action, archive, rest @ ..] = self.invocation.args.as_slice() else {
            return Vec::new();
        };
        let unpacks = word(module) == "-m"
            && matches!(word(what), "zipfile" | "tarfile")
            && matches!(word(action), "-e" | "--extract");
        if !unpacks {
            return Vec::new();
        }
        let into = rest.first().map(word);
        self.unpacked((Some(archive), Vec::new()), into, 0, Over::Replace)
    }

    fn unpacked(
        &self,
        (archive, members): (Option<&Arg>, Vec<&Arg>),
        into: Option<&str>,
        strip: usize,
        over: Over,
    ) -> Vec<Act> {
        let only: Vec<String> = members.iter().map(|it| word(it).to_owned()).collect();
        let archive = archive.and_then(|it| self.targets(it).pop());
        let folder = Arg::known(into.unwrap_or(self.directory));
        let folders = self.targets(&folder).into_iter();
        let unpacked = folders.map(|into| {
            Act::Unpack(Unpacking {
                archive: archive.clone(),
                into,
                only: only.clone(),
                strip,
                over,
            })
        });
        let mut acts: Vec<Act> = unpacked.collect();
        if over == Over::Replace {
            let named: Vec<Arg> = members.into_iter().map(|it| within(into, it)).collect();
            acts.extend(self.writes(named.iter(), Writing::Replace));
        }
        acts
    }
}

/// The letters that say what tar does: without a dash they come first.
fn tar_letters(args: &[Arg]) -> &str {
    let mut words = args.iter().map(word);
    let first = words.clone().next().unwrap_or_default();
    if !first.starts_with('-') {
        return first;
    }
    let cluster = |it: &&str| {
        it.starts_with('-') && !it.starts_with("--") && !it.starts_with("-C") && it.contains('x')
    };
    words.find(cluster).unwrap_or_default()
}
