//! Everything that a person or a program gets to read. The only place that prints.
//!
//! Output is gathered and written at once, in the terminal's width, without colours where they are not
//! wanted (`NO_COLOR`, pipes, files).

pub(crate) mod full_screen;
mod list;
pub(crate) mod masked;
mod pager;
mod paragraph;
pub(crate) mod reveal;
mod screen;
pub(crate) mod snippet;
pub(crate) mod style;
mod table;
pub(crate) mod terminal;
mod text;
mod tree;

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};
use std::process::ExitCode;

use bowline_guard::secrets::{redact, scan};
use serde::Serialize;
use serde_json::Value;

pub(crate) use list::{Column, List};
pub(crate) use paragraph::Paragraph;
pub(crate) use table::Table;
pub(crate) use text::Text;
pub(crate) use tree::Tree;

use crate::error::{Error, ErrorKind, Result};

/// Who reads the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// A person.
    Text,
    /// A program.
    Json,
}

/// The choice of [`Format`] on the command line.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct FormatArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl FormatArgs {
    /// What either of both asks for.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            json: self.json || other.json,
        }
    }

    pub(crate) fn format(self) -> Format {
        if self.json {
            Format::Json
        } else {
            Format::Text
        }
    }
}

/// When there are colours, on the command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Colours {
    /// In a terminal, unless `NO_COLOR` is set
    #[default]
    Auto,
    /// Also in pipes and files
    Always,
    /// Never
    Never,
}

impl Colours {
    /// From now on.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// A number of things: "1 file", "2 files".
pub(crate) fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    match count.to_string().as_str() {
        "1" => format!("1 {noun}"),
        count => format!("{count} {noun}s"),
    }
}

/// What a person said to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YesOrNo {
    Yes,
    No,
}

const WIDTHS: std::ops::RangeInclusive<usize> = 24..=160;
/// No answer to a yes-or-no question is longer.
const LONGEST_ANSWER: u64 = 1024;

/// Longer texts of hooks are cut to this many lines and characters; `--json` has them whole.
const MOST_LINES: usize = 8;
const MOST_CHARACTERS: usize = 800;

/// The beginning of a text.
pub(crate) fn clipped(text: &str) -> String {
    // A secret is known by its whole length, so it goes before the text is cut.
    let text = redact(text.trim_end()).replace("\r\n", "\n");
    let lines = text.lines().take(MOST_LINES).collect::<Vec<_>>().join("\n");
    let mut clipped: String = lines.chars().take(MOST_CHARACTERS).collect();
    if clipped.len() < text.len() {
        clipped.push_str(" …");
    }
    clipped
}

/// Gathers what a command has to say.
#[derive(Debug)]
pub(crate) struct Ui {
    out: String,
    /// Where texts are wrapped; a program gets lines as long as they are.
    width: usize,
    /// The same for what is said beside the answer.
    width_beside: usize,
    /// Where lines of lists are cut; nowhere if a program reads them.
    edge: Option<usize>,
}

impl Ui {
    /// Writes to standard output, as wide as the terminal or `COLUMNS`.
    pub(crate) fn for_stdout() -> Self {
        let edge = columns(terminal_size::terminal_size_of(io::stdout()));
        Self {
            out: String::new(),
            width: width(edge),
            width_beside: width(columns(terminal_size::terminal_size_of(io::stderr()))),
            edge: edge.map(|edge| edge.max(*WIDTHS.start())),
        }
    }

    /// One paragraph.
    pub(crate) fn line(&mut self, text: impl Into<Text>) {
        self.paragraphs([Paragraph::plain(text)]);
    }

    /// A text behind a label; further lines are indented like the first, but for those that need all of the line.
    pub(crate) fn labelled(&mut self, label: Text, text: &Text) {
        self.paragraphs([Paragraph::labelled(label, text.clone())]);
    }

    /// Several paragraphs.
    pub(crate) fn paragraphs(&mut self, paragraphs: impl IntoIterator<Item = Paragraph>) {
        for paragraph in paragraphs {
            for line in paragraph.lines(self.width) {
                line.render(&mut self.out);
                self.out.push('\n');
            }
        }
    }

    /// One line, cut where the terminal ends.
    pub(crate) fn row(&mut self, text: &Text) {
        text.cut(self.edge.unwrap_or(usize::MAX))
            .render(&mut self.out);
        self.out.push('\n');
    }

    pub(crate) fn blank(&mut self) {
        self.out.push('\n');
    }

    pub(crate) fn table(&mut self, table: &Table) {
        table.render(&mut self.out, self.width);
    }

    /// Rows of a line each.
    pub(crate) fn list(&mut self, list: &List) {
        list.render(&mut self.out, self.edge);
    }

    /// The next rows of a continuing list.
    pub(crate) fn list_going_on(&mut self, list: &mut List) {
        list.render_going_on(&mut self.out, self.edge);
    }

    pub(crate) fn tree(&mut self, tree: &Tree) {
        tree.render(&mut self.out, self.width);
    }

    pub(crate) fn snippet(&mut self, finding: &snippet::Annotated<'_>) {
        self.out.push_str(&snippet::render(finding, self.width));
    }

    /// Text for another program, exactly as it is.
    pub(crate) fn verbatim(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(crate) fn json(&mut self, document: &impl Serialize) -> Result<()> {
        self.document(document, serde_json::to_string_pretty)
    }

    /// One of several JSON documents, on a line of its own.
    pub(crate) fn json_line(&mut self, document: &impl Serialize) -> Result<()> {
        self.document(document, serde_json::to_string)
    }

    /// A document as it is printed: no string of it holds a secret.
    fn document(
        &mut self,
        document: &impl Serialize,
        write: fn(&Value) -> serde_json::Result<String>,
    ) -> Result<()> {
        let text = serde_json::to_value(document)
            .and_then(|document| write(&masked::strings(document)))
            .map_err(|source| {
                Error::new(ErrorKind::Terminal, "cannot write the answer as JSON").caused_by(source)
            })?;
        self.out.push_str(&reveal::json(&text));
        self.out.push('\n');
        Ok(())
    }

    /// What was gathered, for tests.
    #[cfg(test)]
    pub(crate) fn gathered(&mut self) -> String {
        std::mem::take(&mut self.out)
    }

    /// Writes what was gathered.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.out);
        let mut stdout = anstream::stdout().lock();
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush())
            .map_err(|source| Error::terminal("cannot write to standard output", source))
    }

    /// Looks again how wide the terminal is.
    pub(crate) fn resize(&mut self) {
        let out = std::mem::take(&mut self.out);
        *self = Self {
            out,
            ..Self::for_stdout()
        };
    }

    /// Draws what was gathered in the place of what the terminal shows.
    pub(crate) fn redraw(&mut self) -> Result<()> {
        let text = std::mem::take(&mut self.out);
        screen::draw(&text)
            .map_err(|source| Error::terminal("cannot write to standard output", source))
    }

    /// Writes the collected output for a person: page by page if it is longer than the screen.
    pub(crate) fn page(&mut self) -> Result<()> {
        match pager::show(&self.out) {
            pager::Shown::Yes => {
                self.out.clear();
                Ok(())
            }
            pager::Shown::No => self.flush(),
        }
    }

    /// Asks a yes-or-no question; anything but a yes is a no.
    pub(crate) fn ask(&mut self, question: &str) -> Result<YesOrNo> {
        // The subject of the question must be visible, also where nobody can be asked.
        self.flush()?;
        if !Self::can_ask() {
            return Err(Error::new(
                ErrorKind::Terminal,
                "cannot ask for confirmation: standard input is not a terminal",
            ));
        }
        Ok(match self.answer(&format!("{question} [y/N] "))?.as_str() {
            "y" | "yes" => YesOrNo::Yes,
            _ => YesOrNo::No,
        })
    }

    /// Whether somebody can be asked.
    pub(crate) fn can_ask() -> bool {
        io::stdin().is_terminal()
    }

    /// What a person answers, in small letters; nothing where nobody answers.
    pub(crate) fn answer(&mut self, prompt: &str) -> Result<String> {
        self.out.push_str(prompt);
        self.flush()?;
        let mut answer = String::new();
        io::stdin()
            .lock()
            .take(LONGEST_ANSWER)
            .read_line(&mut answer)
            .map_err(|source| Error::terminal("cannot read the answer", source))?;
        Ok(answer.trim().to_lowercase())
    }

    /// Says something beside the answer, on standard error. Whether that works makes no difference.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        let note = Text::styled("note: ", style::NAME).plain(text);
        let mut out = String::new();
        for line in note.wrap(self.width_beside) {
            line.render(&mut out);
            out.push('\n');
        }
        let _ = anstream::stderr().write_all(out.as_bytes());
    }

    /// Shows an error on standard error. Whether that works makes no difference any more.
    pub(crate) fn error(&self, error: &Error) {
        let lead = match error.rule() {
            Some((code, _)) => format!("error[{code}]: "),
            None => "error: ".to_owned(),
        };
        let mut lines = vec![Text::styled(lead, style::BAD.bold()).plain(error.to_string())];
        for cause in error.causes() {
            lines.push(Text::styled("cause: ", style::FAINT).plain(cause));
        }
        for hint in error.hints() {
            lines.push(Text::styled("hint: ", style::NAME).plain(hint));
        }
        let mut out = String::new();
        for line in lines.iter().flat_map(|line| line.wrap(self.width_beside)) {
            line.render(&mut out);
            out.push('\n');
        }
        let _ = anstream::stderr().write_all(out.as_bytes());
    }

    /// Gives a program that reads JSON the error in place of the document that it expected.
    pub(crate) fn error_document(&mut self, error: &Error) {
        self.out.clear();
        let mut document = serde_json::json!({
            "error": {
                "kind": error.kind(),
                "message": error.to_string(),
                "causes": error.causes(),
                "hints": error.hints(),
            }
        });
        if let (Some((code, details)), Some(Value::Object(document))) =
            (error.rule(), document.get_mut("error"))
        {
            document.insert("code".to_owned(), code.into());
            document.insert("details".to_owned(), details.clone());
        }
        // The exit code already says it. There is nowhere left to report a failure.
        let _ = self.json(&document).and_then(|()| self.flush());
    }
}

/// The columns of the terminal, or the requested number.
fn columns(terminal: Option<(terminal_size::Width, terminal_size::Height)>) -> Option<usize> {
    let asked = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal
        .map(|(terminal_size::Width(width), _)| usize::from(width))
        .or_else(asked)
}

/// Where texts are wrapped.
fn width(edge: Option<usize>) -> usize {
    edge.map_or(usize::MAX, |edge| {
        edge.clamp(*WIDTHS.start(), *WIDTHS.end())
    })
}

/// Says what takes so long, to a person who watches. The next one takes its place.
pub(crate) fn progress(text: &str) {
    if io::stderr().is_terminal() {
        let _ = write!(anstream::stderr(), "\r\u{1b}[K{text} …");
    }
}

/// Takes the last progress away.
pub(crate) fn progress_done() {
    if io::stderr().is_terminal() {
        let _ = write!(anstream::stderr(), "\r\u{1b}[K");
    }
}

/// A word of the command line in which nothing is hidden.
pub(crate) fn visible(word: &OsStr) -> OsString {
    match word.to_str() {
        Some(text) => Text::from(reveal::name(text)).content().into(),
        None => word.to_owned(),
    }
}

/// Shows what is wrong with the command line, or the help that was asked for.
pub(crate) fn usage(message: &clap::Error, typed: &[OsString], format: Format) -> ExitCode {
    let text = message.render().ansi().to_string();
    if !message.use_stderr() {
        let _ = anstream::stdout().write_all(text.as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ = anstream::stderr().write_all(without_typed_secrets(text, typed).as_bytes());
    if format == Format::Json {
        let text = without_typed_secrets(message.render().to_string(), typed);
        // A tip is for people who type, and reads like an assignment (`pass '…'`).
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("tip: "));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.trim().trim_start_matches("error: ");
        Ui::for_stdout().error_document(&Error::usage(text));
    }
    ExitCode::from(2)
}

/// What cannot be understood is quoted, be it a token in the wrong place. Only what was typed can be one: the words
/// around it stay as they are.
fn without_typed_secrets(mut text: String, typed: &[OsString]) -> String {
    let typed: Vec<_> = typed.iter().map(|arg| arg.to_string_lossy()).collect();
    let typed = typed.join(" ");
    for found in scan(&typed) {
        let secret = typed.get(found.span).unwrap_or_default();
        for part in secret.split_whitespace() {
            text = text.replace(part, &format!("[REDACTED:{}]", found.rule));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use bowline_guard::secrets::expand;

    use super::*;

    #[test]
    fn a_secret_is_hidden_before_a_text_is_cut() {
        let token = expand("ghp_{a36}");
        let text = format!("{} {token}", "word ".repeat(155));
        assert!(text.len() > MOST_CHARACTERS);
        let clipped = clipped(&text);
        assert!(!clipped.contains("ghp_"), "{clipped}");
        assert!(clipped.contains("[REDACTED"), "{clipped}");
    }

    #[test]
    fn only_what_was_typed_is_hidden_in_an_error() {
        let token = expand("ghp_{a36}");
        let tip = "tip: to pass '--dir' as a value, use '-- --dir'";
        let typed = ["bowline", &token].map(OsString::from);
        let shown = without_typed_secrets(format!("unexpected '{token}'\n{tip}"), &typed);
        assert!(shown.ends_with(tip), "{shown}");
        assert!(!shown.contains(&token), "{shown}");
    }
}
