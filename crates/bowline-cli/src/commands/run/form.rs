//! What a call of a program says, as one line for the guard.

use std::ffi::OsString;

use bowline_guard::programs::{Reads, is_shell, shell_reads};

/// What a program and its arguments come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// A shell that runs the text in this argument.
    Text { text: String, at: usize },
    /// A program and its words. Of a shell, its script.
    Words(String),
    /// A shell that is told later what to run, by a person or by another program.
    Later,
}

impl Form {
    /// Of a program of this name. Of arguments that are no text, the guard sees as much as is.
    pub(super) fn of(name: &str, args: &[OsString]) -> Self {
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        if !is_shell(name) {
            return Self::words(name, &args);
        }
        let texts: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        match shell_reads(name, &texts) {
            Reads::StandardInput(_) => Self::Later,
            Reads::Text(at) if at + 1 == texts.len() => Self::Text {
                text: texts.get(at).copied().unwrap_or_default().to_owned(),
                at,
            },
            // With words for the text, which the guard puts in.
            Reads::Text(_) | Reads::File(_) | Reads::Nothing => Self::words(name, &args),
        }
    }

    fn words(name: &str, args: &[impl AsRef<str>]) -> Self {
        let args = args.iter().map(AsRef::as_ref);
        let words: Vec<_> = [name]
            .into_iter()
            .chain(args)
            .map(bowline_agents::shell_word)
            .collect();
        Self::Words(words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(line: &[&str]) -> Form {
        let args: Vec<OsString> = line[1..].iter().map(Into::into).collect();
        Form::of(line[0], &args)
    }

    #[test]
    fn the_text_of_a_shell_is_found_among_its_options() {
        for (line, at) in [
            (&["bash", "-c", "TEXT"][..], 1),
            (&["sh", "-lc", "TEXT"], 1),
            (&["bash", "-ec", "TEXT"], 1),
            (&["zsh", "-ic", "TEXT"], 1),
            (&["bash", "-l", "-c", "TEXT"], 2),
            (&["bash", "-c", "-l", "TEXT"], 2),
            (&["bash", "-c", "--", "TEXT"], 2),
            (&["bash", "--norc", "-c", "TEXT"], 2),
            (&["bash", "--rcfile", "x", "-c", "TEXT"], 3),
            (&["bash", "-eo", "pipefail", "-c", "TEXT"], 3),
            (&["bash", "-euxo", "pipefail", "-c", "TEXT"], 3),
            (&["bash", "-ceo", "pipefail", "TEXT"], 2),
            (&["bash", "-O", "extglob", "-c", "TEXT"], 3),
            (&["dash", "+e", "-c", "TEXT"], 2),
            (&["fish", "--command", "TEXT"], 1),
        ] {
            let text = "TEXT".to_owned();
            assert_eq!(form(line), Form::Text { text, at }, "{line:?}");
        }
    }

    #[test]
    fn the_rest_is_a_line_of_words() {
        for (line, expected) in [
            (
                &["git", "commit", "-m", "it's"][..],
                r"git commit -m 'it'\''s'",
            ),
            (&["rm", "-rf", "a b", ""], "rm -rf 'a b' ''"),
            (&["rm", "$HOME"], "rm '$HOME'"),
            (&["rm", "*"], "rm '*'"),
            (&["bash", "x.sh", "-c", "y"], "bash x.sh -c y"),
            (&["bash", "--", "-x.sh"], "bash -- -x.sh"),
            (&["bash", "-e", "x.sh"], "bash -e x.sh"),
            (&["bash", "--version"], "bash --version"),
            (&["sh", "-c", "rm $1", "sh", "x"], "sh -c 'rm $1' sh x"),
            // It says so itself.
            (&["sh", "-c"], "sh -c"),
        ] {
            assert_eq!(form(line), Form::Words(expected.to_owned()), "{line:?}");
        }
    }

    #[test]
    fn what_a_shell_is_told_later_is_not_judged_as_a_whole() {
        for line in [
            &["bash"][..],
            &["bash", "-i"],
            &["zsh", "-l"],
            &["bash", "--rcfile", "x"],
            &["sh", "-s"],
            &["sh", "-s", "--", "x"],
            &["sh", "-"],
            &["fish"],
        ] {
            assert_eq!(form(line), Form::Later, "{line:?}");
        }
    }
}
