//! The expressions of `find`: tests, actions and operators, from the left.

use std::ops::Range;
use std::sync::Arc;

use super::finds::{Finds, Holds, Test};
use super::{Action, Reached, Running, Search};

/// Parentheses within parentheses that are followed.
const MAX_DEPTH: usize = 32;

/// Tests and actions that are followed.
const MAX_TERMS: usize = 128;

/// Reads the words after `find`.
pub(super) fn read(words: &[&str]) -> Search {
    let mut reader = Reader {
        words,
        at: 0,
        depth: 0,
        terms: 0,
        followed: Followed::Whole,
        options: Vec::new(),
        roots: Vec::new(),
        actions: Vec::new(),
    };
    reader.beginning();
    let anything = Finds::anything();
    let mut truth = reader.list(&anything);
    // A parenthesis that nobody has opened.
    while reader.at < words.len() {
        reader.at += 1;
        reader.followed = Followed::InPart;
        truth = reader.list(&anything);
    }
    reader.finish(truth)
}

/// What is found if an expression holds, and what if it does not.
struct Truth {
    yes: Finds,
    no: Finds,
}

impl Truth {
    fn always() -> Self {
        Self {
            yes: Finds::anything(),
            no: Finds::none(),
        }
    }

    /// Only running shows it.
    fn unknown() -> Self {
        Self {
            yes: Finds::anything(),
            no: Finds::anything(),
        }
    }

    fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Followed {
    Whole,
    /// The order and the operators say nothing then.
    InPart,
}

struct Reader<'w> {
    words: &'w [&'w str],
    at: usize,
    depth: usize,
    terms: usize,
    followed: Followed,
    options: Vec<String>,
    roots: Vec<String>,
    actions: Vec<Reached>,
}

impl<'w> Reader<'w> {
    fn peek(&self) -> Option<&'w str> {
        self.words.get(self.at).copied()
    }

    fn next(&mut self) -> Option<&'w str> {
        let word = self.peek()?;
        self.at += 1;
        Some(word)
    }

    fn take(&mut self, choices: &[&str]) -> bool {
        let found = self.peek().is_some_and(|it| choices.contains(&it));
        self.at += usize::from(found);
        found
    }

    /// The options in front, and the roots.
    fn beginning(&mut self) {
        while let Some(word) = self.peek() {
            let letters = word.strip_prefix('-').unwrap_or_default();
            match word {
                "--" => {}
                "-D" => self.at += 1,
                "-f" => {
                    self.at += 1;
                    self.roots.extend(self.peek().map(str::to_owned));
                }
                _ if letters.starts_with('O') => {}
                _ if !letters.is_empty() && letters.chars().all(|it| "EHLPXdsx".contains(it)) => {
                    self.options.push(word.to_owned());
                }
                _ => break,
            }
            self.at += 1;
        }
        while let Some(word) = self.peek().filter(|it| !begins_expression(it)) {
            self.roots.push(word.to_owned());
            self.at += 1;
        }
    }

    /// `a , b`: both are looked at.
    fn list(&mut self, guard: &Finds) -> Truth {
        let mut truth = self.either(guard);
        while self.take(&[","]) {
            truth = self.either(guard);
        }
        truth
    }

    /// `a -o b`: the second is looked at where the first does not hold.
    fn either(&mut self, guard: &Finds) -> Truth {
        let mut truth = self.both(guard);
        while self.take(&["-o", "-or"]) {
            let right = self.both(&guard.and(&truth.no));
            truth = Truth {
                yes: truth.yes.or(&right.yes),
                no: truth.no.and(&right.no),
            };
        }
        truth
    }

    /// `a b`: the second is looked at where the first holds.
    fn both(&mut self, guard: &Finds) -> Truth {
        let mut truth: Option<Truth> = None;
        loop {
            while self.take(&["-a", "-and"]) {}
            if matches!(self.peek(), None | Some(")" | "," | "-o" | "-or")) {
                // Nothing between two operators is a mistake, which is taken as anything.
                return truth.unwrap_or_else(Truth::unknown);
            }
            truth = Some(match truth {
                None => self.one(guard),
                Some(left) => {
                    let right = self.one(&guard.and(&left.yes));
                    Truth {
                        yes: left.yes.and(&right.yes),
                        no: left.no.or(&right.no),
                    }
                }
            });
        }
    }

    fn one(&mut self, guard: &Finds) -> Truth {
        let mut negations = 0;
        while self.take(&["!", "-not"]) {
            negations += 1;
        }
        let truth = if self.take(&["("]) {
            self.within_parentheses(guard)
        } else {
            self.primary(guard)
        };
        if negations % 2 == 1 {
            truth.not()
        } else {
            truth
        }
    }

    fn within_parentheses(&mut self, guard: &Finds) -> Truth {
        if self.depth >= MAX_DEPTH {
            self.followed = Followed::InPart;
            return Truth::unknown();
        }
        self.depth += 1;
        let truth = self.list(guard);
        self.take(&[")"]);
        self.depth -= 1;
        truth
    }

    /// What follows is left out, and does nothing.
    fn excluded(&mut self) -> Truth {
        if self.depth >= MAX_DEPTH {
            self.followed = Followed::InPart;
            return Truth::unknown();
        }
        self.depth += 1;
        self.one(&Finds::none());
        self.depth -= 1;
        Truth::always()
    }

    fn primary(&mut self, guard: &Finds) -> Truth {
        let Some(word) = self.next() else {
            return Truth::unknown();
        };
        self.terms += 1;
        if self.terms > MAX_TERMS {
            self.followed = Followed::InPart;
        }
        match word {
            "-print" | "-print0" | "-ls" => self.does(Action::Print, guard),
            "-printf" => {
                self.at += 1;
                self.does(Action::Print, guard)
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                let file = self.at;
                self.at += if word == "-fprintf" { 2 } else { 1 };
                self.does(Action::Write(file), guard)
            }
            "-delete" => {
                self.does(Action::Delete, guard);
                Truth::unknown()
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.run(word, guard),
            // Nothing comes after it.
            "-quit" | "-exit" => Truth {
                yes: Finds::none(),
                no: Finds::none(),
            },
            "-true" | "-prune" => Truth::always(),
            "-false" => Truth::always().not(),
            "-exclude" => self.excluded(),
            "-files0-from" => {
                self.at += 1;
                self.roots.push("…".to_owned());
                Truth::always()
            }
            "-maxdepth" | "-mindepth" | "-regextype" => {
                let value = self.next();
                let option = std::iter::once(word).chain(value);
                self.options.extend(option.map(str::to_owned));
                Truth::always()
            }
            _ if OPTIONS.contains(&word) => {
                self.options.push(word.to_owned());
                Truth::always()
            }
            _ if word.starts_with('-') => self.test(word),
            // Something unknown may be any test.
            _ if word.contains('…') => Truth::unknown(),
            _ => {
                self.roots.push(word.to_owned());
                Truth::always()
            }
        }
    }

    fn test(&mut self, name: &str) -> Truth {
        let takes_value = WITH_VALUE.contains(&name) || name.starts_with("-newer");
        let value = if takes_value { self.next() } else { None };
        if self.followed == Followed::InPart {
            return Truth::unknown();
        }
        let test = Arc::new(Test {
            name: name.to_owned(),
            values: value.map(str::to_owned).into_iter().collect(),
        });
        Truth {
            yes: Finds::test(Arc::clone(&test), Holds::Yes),
            no: Finds::test(test, Holds::No),
        }
    }

    fn does(&mut self, action: Action, guard: &Finds) -> Truth {
        self.actions.push(Reached {
            action,
            finds: guard.clone(),
        });
        Truth::always()
    }

    /// `-exec … ;` and `-exec … {} +`.
    fn run(&mut self, word: &str, guard: &Finds) -> Truth {
        let how = match word {
            "-exec" => Running::Here,
            "-execdir" => Running::InItsFolder,
            _ => Running::AfterAsking,
        };
        let (words, ends) = self.command();
        self.does(Action::Run { words, how }, guard);
        match ends {
            Some("+") => Truth::always(),
            _ => Truth::unknown(),
        }
    }

    fn command(&mut self) -> (Range<usize>, Option<&'w str>) {
        let begin = self.at;
        let mut before = "";
        while let Some(word) = self.next() {
            if word == ";" || (word == "+" && before == "{}") {
                return (begin..self.at - 1, Some(word));
            }
            before = word;
        }
        (begin..self.at, None)
    }

    fn finish(mut self, truth: Truth) -> Search {
        if self.actions.is_empty() {
            self.does(Action::Print, &truth.yes);
        }
        if self.followed == Followed::InPart {
            for reached in &mut self.actions {
                reached.finds = Finds::anything();
            }
        }
        if self.roots.is_empty() {
            self.roots.push(".".to_owned());
        }
        Search {
            options: self.options,
            roots: self.roots,
            actions: self.actions,
        }
    }
}

fn begins_expression(word: &str) -> bool {
    (word.starts_with('-') && word != "-") || matches!(word, "(" | ")" | "!" | ",")
}

/// Words that choose nothing.
const OPTIONS: &[&str] = &[
    "-daystart",
    "-depth",
    "-d",
    "-follow",
    "-ignore_readdir_race",
    "-mount",
    "-noerror",
    "-nohidden",
    "-noignore_readdir_race",
    "-noleaf",
    "-nowarn",
    "-status",
    "-unique",
    "-warn",
    "-x",
    "-xdev",
];

/// Tests that take a word; the ones that compare with the time of a file begin with `-newer`.
const WITH_VALUE: &[&str] = &[
    "-Bmin",
    "-Bnewer",
    "-Btime",
    "-amin",
    "-anewer",
    "-asince",
    "-atime",
    "-capable",
    "-cmin",
    "-cnewer",
    "-context",
    "-csince",
    "-ctime",
    "-flags",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-mmin",
    "-msince",
    "-mtime",
    "-name",
    "-path",
    "-perm",
    "-regex",
    "-samefile",
    "-since",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xattrname",
    "-xtype",
];
