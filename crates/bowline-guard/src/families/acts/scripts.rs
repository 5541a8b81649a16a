//! Files that the scripts of sed and awk write to.

use std::iter::Peekable;
use std::str::Chars;

use crate::families::args::word;
use crate::invocation::Arg;
use crate::loss::{Act, Writing};

use super::Run;
use super::words::{edits_in_place, operands, operands_with_clusters};

impl Run<'_> {
    /// `sed -i SCRIPT FILES`, and the files that the script itself names.
    pub(super) fn sed(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let mut acts = if edits_in_place(args) {
            self.edits(&["-e", "-f", "--expression"])
        } else {
            Vec::new()
        };
        let named: Vec<Arg> = sed_scripts(args)
            .iter()
            .flat_map(|script| SedReader::files(script))
            .filter(|file| !file.starts_with("/dev/"))
            .map(Arg::known)
            .collect();
        acts.extend(self.writes(named.iter(), Writing::Replace));
        acts
    }

    /// `awk '{print > "FILE"}'`.
    pub(super) fn awk(&self) -> Vec<Act> {
        let args = &self.invocation.args;
        let with_value = ["-F", "-v", "-f", "-i", "--include", "--assign", "--file"];
        let words = operands(args, &with_value);
        let Some(program) = words.first() else {
            return Vec::new();
        };
        let files: Vec<Arg> = awk_files(word(program))
            .into_iter()
            .filter(|file| !file.starts_with("/dev/"))
            .map(Arg::known)
            .collect();
        self.writes(files.iter(), Writing::Replace)
    }
}

/// The scripts that sed is given: by its options, else the first word.
fn sed_scripts(args: &[Arg]) -> Vec<&str> {
    let mut scripts = Vec::new();
    let mut words = args.iter().map(word);
    while let Some(text) = words.next() {
        let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-'));
        if let Some(script) = text.strip_prefix("--expression=") {
            scripts.push(script);
        } else if text == "--expression" || letters.is_some_and(|it| it.ends_with('e')) {
            scripts.extend(words.next());
        }
    }
    if scripts.is_empty() {
        let words = operands_with_clusters(args, &["-f", "--file", "-l"]);
        scripts.extend(words.first().map(|it| word(it)));
    }
    scripts
}

/// Reads a script of sed, one command after another.
struct SedReader<'s> {
    rest: Peekable<Chars<'s>>,
    files: Vec<String>,
}

impl<'s> SedReader<'s> {
    /// The files that a script writes to: `w FILE`, `s/…/…/w FILE`.
    fn files(script: &'s str) -> Vec<String> {
        let mut reader = Self {
            rest: script.chars().peekable(),
            files: Vec::new(),
        };
        while let Some(next) = reader.rest.next() {
            reader.step(next);
        }
        reader.files
    }

    fn step(&mut self, next: char) {
        match next {
            // An address.
            '/' => self.skip_to('/'),
            '\\' => {
                if let Some(delimiter) = self.rest.next() {
                    self.skip_to(delimiter);
                }
            }
            'w' | 'W' => self.take_file(),
            's' => self.substitution(),
            'y' => {
                if let Some(delimiter) = self.rest.next() {
                    self.skip_to(delimiter);
                    self.skip_to(delimiter);
                }
            }
            // A text, a file to read, a command or a comment goes on to the end of the line.
            'a' | 'i' | 'c' | 'r' | 'R' | 'e' | '#' => {
                self.line();
            }
            'b' | 't' | 'T' | ':' => {
                while self
                    .rest
                    .next_if(|it| !matches!(it, ';' | '\n' | '}'))
                    .is_some()
                {}
            }
            _ => {}
        }
    }

    fn substitution(&mut self) {
        let Some(delimiter) = self.rest.next() else {
            return;
        };
        self.skip_to(delimiter);
        self.skip_to(delimiter);
        while let Some(flag) = self
            .rest
            .next_if(|it| !matches!(it, ';' | '\n' | '}' | '#'))
        {
            if flag == 'w' {
                return self.take_file();
            }
        }
    }

    fn take_file(&mut self) {
        let name = self.line();
        let name = name.trim();
        if !name.is_empty() {
            self.files.push(name.to_owned());
        }
    }

    fn line(&mut self) -> String {
        self.rest.by_ref().take_while(|it| *it != '\n').collect()
    }

    fn skip_to(&mut self, delimiter: char) {
        while let Some(next) = self.rest.next() {
            match next {
                '\\' => {
                    self.rest.next();
                }
                next if next == delimiter => return,
                _ => {}
            }
        }
    }
}

/// The files that a program of awk prints to, as far as they are plain strings, and replaces by it.
fn awk_files(program: &str) -> Vec<String> {
    let mut files = Vec::new();
    // The statement so far, without its strings and patterns.
    let mut statement = String::new();
    let mut rest = program.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '"' => {
                let text = literal(&mut rest, '"');
                let ends = rest.clone().find(|it| !matches!(it, ' ' | '\t'));
                let is_whole = matches!(ends, None | Some(';' | '}' | '\n' | '#'));
                if is_whole && prints_over(&statement) {
                    files.push(text);
                }
                statement.push('"');
            }
            '/' if !ends_in_value(&statement) => {
                literal(&mut rest, '/');
                statement.push('/');
            }
            '#' => while rest.next_if(|it| *it != '\n').is_some() {},
            ';' | '{' | '}' | '\n' => statement.clear(),
            next => statement.push(next),
        }
    }
    files
}

/// Whether what follows a statement is the file that it prints to, and does not add to.
fn prints_over(statement: &str) -> bool {
    let Some(before) = statement.trim_end().strip_suffix('>') else {
        return false;
    };
    let opened = before.matches('(').count() > before.matches(')').count();
    !before.ends_with('>') && !opened && before.contains("print")
}

/// Whether a slash after it divides.
fn ends_in_value(statement: &str) -> bool {
    let last = statement.trim_end().chars().next_back();
    last.is_some_and(|it| it.is_alphanumeric() || matches!(it, '_' | ')' | ']' | '"' | '$'))
}

/// The text up to a delimiter, without its escapes.
fn literal(rest: &mut Peekable<Chars<'_>>, delimiter: char) -> String {
    let mut text = String::new();
    while let Some(next) = rest.next() {
        match next {
            '\\' => text.extend(rest.next()),
            next if next == delimiter => break,
            next => text.push(next),
        }
    }
    text
}
