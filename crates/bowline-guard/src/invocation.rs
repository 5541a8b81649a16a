//! One program run, after quoting, variables, wrappers and nested shells have been seen through.

mod links;
mod reliance;

pub use links::Links;
pub(crate) use reliance::Done;
pub use reliance::Reliance;

/// What is known of a word before the shell runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// Exactly this.
    Known(String),
    /// The shell expands it: a glob, braces or a tilde, as written after quotes were removed.
    Pattern(String),
    /// Only in part: the text with `…` for what is unknown, such as `/srv/…/data`.
    Partly(String),
    /// Nothing.
    Unknown,
}

/// One argument.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Arg {
    /// As written, for people.
    pub source: String,
    /// What is known of it.
    pub value: Value,
}

impl Arg {
    /// An argument that is exactly this text.
    pub fn known(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            source: text.clone(),
            value: Value::Known(text),
        }
    }

    /// The exact text, where it is known.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Known(text) => Some(text),
            Value::Pattern(_) | Value::Partly(_) | Value::Unknown => None,
        }
    }

    /// The text as far as it is known: exact, or the pattern.
    pub fn text_or_pattern(&self) -> Option<&str> {
        match &self.value {
            Value::Known(text) | Value::Pattern(text) => Some(text),
            Value::Partly(_) | Value::Unknown => None,
        }
    }
}

/// Where a program reads from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Stdin {
    /// Nothing that we know of.
    #[default]
    None,
    /// This text: a here-document, a here-string, or what a known `echo` or `printf` prints.
    Text(String),
    /// A file.
    File(Arg),
    /// The output of these programs, from the left.
    Pipe(Vec<String>),
}

/// Where a program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Directory {
    /// Here, as an absolute path.
    Known(String),
    /// A `cd` went to a place that cannot be known.
    Unknown,
}

/// Where what a program prints goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Destination {
    /// To whoever looks: the screen, a pipe, a file.
    #[default]
    Shown,
    /// Into the text itself: a variable, or an argument of another program.
    Captured,
    /// Nowhere.
    Discarded,
}

/// A file that the shell opens for the program.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opened {
    /// What happens to the file.
    pub how: Opening,
    /// Which file.
    pub file: Arg,
}

/// What opening a file does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Opening {
    /// Its contents are replaced.
    Overwrite,
    /// Text is added at its end.
    Append,
    /// It is read.
    Read,
}

/// Through what a program is run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Through {
    /// `sudo`, `doas`, `su -c`, …
    Privilege,
    /// On another machine.
    Remote(String),
    /// In a container, where paths are the container's.
    Container,
    /// In a container that is started for it, and that nothing of this machine is mounted into.
    NewContainer,
    /// Once for each item that only running shows (`xargs`, `parallel`, `find -exec`).
    EachOf(String),
    /// A wrapper that changes nothing (`env`, `nohup`, `timeout`, …), a nested shell, an `eval`, a decoded text.
    Wrapper(String),
}

/// One program run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invocation {
    /// The program's name without its folder; `None` when it cannot be known.
    pub program: Option<String>,
    /// The program as written, where that is more than a plain name: a path, or a pattern.
    pub program_path: Option<String>,
    /// Its arguments, without the program's name.
    pub args: Vec<Arg>,
    /// Variables set for it alone.
    pub environment: Vec<(String, Value)>,
    /// Where it runs.
    pub directory: Directory,
    /// Where it reads from.
    pub stdin: Stdin,
    /// The files that the shell opens for it.
    pub opened: Vec<Opened>,
    /// Where what it prints goes.
    pub output: Destination,
    /// Through what it is run, outermost first.
    pub through: Vec<Through>,
    /// The symbolic links that the same text has made before.
    pub links: Links,
}

impl Invocation {
    /// Whether it runs on another machine or in a container, where paths lead elsewhere.
    pub fn runs_elsewhere(&self) -> bool {
        self.through.iter().any(|it| {
            matches!(
                it,
                Through::Remote(_) | Through::Container | Through::NewContainer
            )
        })
    }

    /// A program with known arguments in a known folder, for tests and for judging what is not shell.
    pub fn plain(program: &str, args: &[&str], directory: &str) -> Self {
        Self {
            program: Some(program.to_owned()),
            program_path: None,
            args: args.iter().copied().map(Arg::known).collect(),
            environment: Vec::new(),
            directory: Directory::Known(directory.to_owned()),
            stdin: Stdin::None,
            opened: Vec::new(),
            output: Destination::Shown,
            through: Vec::new(),
            links: Links::default(),
        }
    }
}
