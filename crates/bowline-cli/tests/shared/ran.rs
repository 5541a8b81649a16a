//! What a program said, and what is expected of it.

use std::process::Output;

#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl From<Output> for Ran {
    /// Nobody panicked, and into a pipe there go no colours.
    #[track_caller]
    fn from(output: Output) -> Self {
        let ran = Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        assert!(!ran.stdout.contains('\u{1b}'), "an escape: {}", ran.stdout);
        ran
    }
}

impl Ran {
    /// It ended with this code, and said all of these.
    #[track_caller]
    pub(super) fn expect(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        for text in texts {
            assert!(
                self.stdout.contains(text) || self.stderr.contains(text),
                "no `{text}` in:\n{}{}",
                self.stdout,
                self.stderr
            );
        }
        self
    }

    /// It showed none of these.
    #[track_caller]
    pub(super) fn lacks(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(!self.stdout.contains(text), "`{text}` in:\n{}", self.stdout);
        }
        self
    }
}
