//! What a run is given by those before it in a pipe.

use crate::invocation::{Arg, Stdin};
use crate::paths::resolve_literal;

use super::Run;

impl Run<'_> {
    /// The paths whose changes `git diff` gives to the run: `:/` for all of them.
    pub(super) fn diff_on_stdin(&self) -> Option<Vec<String>> {
        let mut words = self.only_words_on_stdin()?.into_iter();
        if words.next() != Some("git") || words.next() != Some("diff") {
            return None;
        }
        let rest: Vec<&str> = words.collect();
        match rest.as_slice() {
            [] | ["HEAD"] => Some(vec![":/".to_owned()]),
            ["--", paths @ ..] | ["HEAD", "--", paths @ ..] => Some(owned(paths)),
            // What is no file may be a commit.
            paths => {
                let is_file = |it: &&str| {
                    let path = resolve_literal(it, self.world).path;
                    self.world.is_tracked(&path) == Some(true)
                };
                paths.iter().all(is_file).then(|| owned(paths))
            }
        }
    }

    /// The commit whose files `git archive` gives to the run.
    pub(super) fn commit_on_stdin(&self) -> Option<String> {
        let words = self.only_words_on_stdin()?;
        match words.as_slice() {
            ["git", "archive", commit] if !commit.starts_with('-') => Some((*commit).to_owned()),
            _ => None,
        }
    }

    /// The file that the run reads, also by way of `cat`.
    pub(super) fn file_on_stdin(&self) -> Option<Arg> {
        match &self.invocation.stdin {
            Stdin::File(file) => Some(file.clone()),
            _ => match self.only_words_on_stdin()?.as_slice() {
                ["cat", file] => Some(Arg::known(*file)),
                _ => None,
            },
        }
    }

    /// The words of the one run that writes to this one, if they are plain.
    fn only_words_on_stdin(&self) -> Option<Vec<&str>> {
        let Stdin::Pipe(programs) = &self.invocation.stdin else {
            return None;
        };
        let [source] = programs.as_slice() else {
            return None;
        };
        let plain = |it: char| it.is_alphanumeric() || "-_./ :+@".contains(it);
        source
            .chars()
            .all(plain)
            .then(|| source.split_whitespace().collect())
    }
}

fn owned(paths: &[&str]) -> Vec<String> {
    paths.iter().copied().map(ToOwned::to_owned).collect()
}
