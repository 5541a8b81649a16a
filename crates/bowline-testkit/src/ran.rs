//! What a program said, and what is expected of it.

use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use serde_json::Value;

/// How a program ended, and what it wrote to each stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl From<Output> for Ran {
    #[track_caller]
    fn from(output: Output) -> Self {
        let ran = Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
        };
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran
    }
}

impl Ran {
    /// Runs a command to its end. It gets nothing on stdin.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).output().unwrap().into()
    }

    /// Runs a command that gets this on stdin.
    #[track_caller]
    pub fn with_stdin(command: &mut Command, stdin: &[u8]) -> Self {
        let child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        feed(child, stdin).wait_with_output().unwrap().into()
    }

    /// It exited with this code, and stdout has all of these texts.
    #[track_caller]
    pub fn expect(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self}");
        for text in texts {
            assert!(
                self.stdout.contains(text),
                "no `{text}` on stdout of:\n{self}"
            );
        }
        self
    }

    /// It exited with this code, and stderr has all of these texts.
    #[track_caller]
    pub fn expect_stderr(&self, code: i32, texts: &[&str]) -> &Self {
        assert_eq!(self.code, Some(code), "{self}");
        for text in texts {
            assert!(
                self.stderr.contains(text),
                "no `{text}` on stderr of:\n{self}"
            );
        }
        self
    }

    /// Neither stream has any of these texts.
    #[track_caller]
    pub fn lacks(&self, texts: &[&str]) -> &Self {
        for text in texts {
            let found = self.stdout.contains(text) || self.stderr.contains(text);
            assert!(!found, "`{text}` in:\n{self}");
        }
        self
    }

    /// No line of stdout is wider than a terminal of so many columns.
    #[track_caller]
    pub fn fits(&self, columns: usize) -> &Self {
        for line in self.stdout.lines() {
            let taken = unicode_width::UnicodeWidthStr::width(line);
            assert!(taken <= columns, "{taken} columns: {line}");
        }
        self
    }

    /// The JSON document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("stdout is no JSON document ({error}):\n{self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        writeln!(f, "exit code {code}")?;
        writeln!(f, "── stdout\n{}\n── stderr\n{}", self.stdout, self.stderr)
    }
}

/// Writes to a program's stdin beside everything else, because it may answer before it has read all, or never read it.
pub fn feed(mut child: Child, stdin: &[u8]) -> Child {
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_owned();
    thread::spawn(move || pipe.write_all(&stdin));
    child
}
