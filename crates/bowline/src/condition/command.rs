//! Rules about a shell command: `git *`, `npm run:*`, `ls`.
//!
//! They filter which hooks run, so doubt is decided in favour of running.

use std::borrow::Cow;

use bowline_guard::shell::{self, Expansion, RedirectTarget, ShellLine, SimpleCommand, Word};

use super::wildcard::{Wildcard, one_blank};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

impl Case {
    fn fold(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Sensitive => Cow::Borrowed(text),
            Self::Insensitive => Cow::Owned(text.to_lowercase()),
        }
    }
}

#[derive(Debug)]
pub(super) struct CommandRule {
    case: Case,
    form: Form,
    scope: Scope,
}

#[derive(Debug)]
enum Form {
    /// `prefix:*`: the prefix, alone or followed by a blank.
    Prefix(String),
    /// `*` stands for anything; `bare` also fits, where the only star is an argument at the end.
    Wildcard {
        pattern: Wildcard,
        bare: Option<String>,
    },
}

/// How much of a command a rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Only which command it is.
    Name,
    /// Its arguments too, which are not known when the shell has yet to fill them in.
    Arguments,
}

impl CommandRule {
    pub(super) fn new(content: &str, case: Case) -> Self {
        let content = one_blank(&case.fold(content));
        let bare = content
            .strip_suffix(" *")
            .filter(|bare| !bare.contains('*'))
            .map(str::to_owned);
        let named = content
            .strip_suffix(":*")
            .or(bare.as_deref())
            .unwrap_or(&content);
        let scope = if named.contains(' ') {
            Scope::Arguments
        } else {
            Scope::Name
        };
        let form = match content.strip_suffix(":*") {
            Some(prefix) => Form::Prefix(prefix.to_owned()),
            None => Form::Wildcard {
                pattern: Wildcard::new(&content),
                bare,
            },
        };
        Self { case, form, scope }
    }

    /// Whether one of the simple commands fits, or might.
    pub(super) fn fits(&self, command: &str) -> bool {
        let line = shell::parse(command);
        !line.is_clean()
            || runs_every_rule(command, &line)
            || (self.scope == Scope::Arguments && expands(&line))
            || line
                .commands
                .iter()
                .any(|command| self.fits_simple(command))
    }

    fn fits_simple(&self, command: &SimpleCommand) -> bool {
        let Some(name) = command.words.first() else {
            return false;
        };
        name.literal.is_none()
            || self.fits_words(&command.words)
            || behind_xargs(&command.words).is_some_and(|words| self.fits_words(words))
    }

    /// As written, and with the quotes removed.
    fn fits_words(&self, words: &[Word]) -> bool {
        let written = words.iter().map(|word| word.source.as_str());
        let values = words
            .iter()
            .map(|word| word.literal.as_deref().unwrap_or(&word.source));
        self.fits_text(&join(written)) || self.fits_text(&join(values))
    }

    fn fits_text(&self, text: &str) -> bool {
        let text = self.case.fold(text);
        match &self.form {
            Form::Prefix(prefix) => text
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Form::Wildcard { pattern, bare } => {
                pattern.fits(&text) || bare.as_deref() == Some(&*text)
            }
        }
    }
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    one_blank(&words.collect::<Vec<_>>().join(" "))
}

/// Whether the shell fills something in before it runs the line.
fn expands(line: &ShellLine) -> bool {
    let dynamic = |word: &Word| word.expansion == Expansion::Dynamic;
    line.commands.iter().any(|command| {
        let assigned = command.assignments.iter().filter_map(|a| a.value.as_ref());
        let targets = command.redirects.iter().filter_map(|r| match &r.target {
            RedirectTarget::Word(word) => Some(word),
            _ => None,
        });
        is_substituted(command)
            || command
                .words
                .iter()
                .chain(assigned)
                .chain(targets)
                .any(dynamic)
    })
}

/// Whether the client does not look into the line and runs every rule for it: here-documents, `${x:-y}`, and loops over a
/// variable.
fn runs_every_rule(text: &str, line: &ShellLine) -> bool {
    let mut words = line.commands.iter().flat_map(|command| {
        let assigned = command.assignments.iter().filter_map(|a| a.value.as_ref());
        command.words.iter().chain(assigned)
    });
    let is_document =
        |redirect: &shell::Redirect| matches!(redirect.target, RedirectTarget::HereDocument { .. });
    let loops = || {
        let mut tokens = text.split(|c: char| c.is_whitespace() || c == ';');
        tokens.any(|token| token == "do") && tokens.any(|token| token == "done")
    };
    let mut redirects = line.commands.iter().flat_map(|command| &command.redirects);
    redirects.any(is_document)
        || line.redirects.iter().any(is_document)
        || words.clone().any(|word| has_operator(&word.source))
        || (words.any(|word| word.expansion == Expansion::Dynamic) && loops())
}

/// Whether a variable is expanded in another way than by its name: `${x:-y}`.
fn has_operator(source: &str) -> bool {
    source.split("${").skip(1).any(|expansion| {
        let end = expansion.find(|c: char| !c.is_alphanumeric() && c != '_');
        let rest = end.and_then(|end| expansion.get(end..));
        rest.is_some_and(|rest| !rest.starts_with('}'))
    })
}

fn is_substituted(command: &SimpleCommand) -> bool {
    use shell::Construct;
    matches!(
        command.context.construct,
        Construct::Substitution | Construct::ProcessSubstitution
    )
}

/// The command that `xargs` runs: `xargs -0 -n 1 rm -f` runs `rm -f`.
fn behind_xargs(words: &[Word]) -> Option<&[Word]> {
    let (name, mut rest) = words.split_first()?;
    if name.literal.as_deref() != Some("xargs") {
        return None;
    }
    while let Some((option, after)) = rest.split_first() {
        let text = option.literal.as_deref().unwrap_or_default();
        rest = match text {
            "-I" | "-i" | "-n" | "-P" | "-L" | "-s" | "-d" | "-E" | "-a" => after.get(1..)?,
            text if text.starts_with('-') => after,
            _ => break,
        };
    }
    (!rest.is_empty()).then_some(rest)
}
