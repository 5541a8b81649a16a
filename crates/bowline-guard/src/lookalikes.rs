//! Characters that deceive the eye: they turn the reading direction, cannot be seen, or imitate others.
//!
//! Only what names something is judged: programs, options, paths, addresses. Prose in quotes may use any
//! script; it is only stopped from changing how the rest of the line looks.

mod characters;
mod command;

use std::fmt::Write as _;

use characters::{
    Direction, commands_terminal, direction, hides, imitated, imitated_mark, is_cjk, is_foreign,
    is_odd_dash, is_odd_space, placed,
};
pub use command::find_in_command;

/// Shown text is no longer than this.
const MAX_SHOWN: usize = 160;

/// How a text deceives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// It shows characters in another order than they have.
    Direction,
    /// It has characters that cannot be seen.
    Invisible,
    /// It has a space or dash that is none for the shell.
    Separator,
    /// It has characters that a terminal obeys.
    Control,
    /// It has letters or marks that look like others.
    Imitation,
}

impl Kind {
    /// The name of the rule.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Direction => "look-alike.direction",
            Self::Invisible => "look-alike.invisible",
            Self::Separator => "look-alike.separator",
            Self::Control => "look-alike.control",
            Self::Imitation => "look-alike.imitation",
        }
    }

    /// Every kind with what its rule looks for.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (
            Self::Direction,
            "characters that turn the reading direction, so that a line shows another order",
        ),
        (
            Self::Invisible,
            "characters that cannot be seen, inside a name",
        ),
        (
            Self::Separator,
            "spaces and dashes that look like those of the shell and are none",
        ),
        (
            Self::Control,
            "control characters that rewrite what a terminal shows",
        ),
        (
            Self::Imitation,
            "letters and marks that look like others, inside a name",
        ),
    ];
}

/// A text that is not what it looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How it deceives.
    pub kind: Kind,
    /// The name or word, with what deceives written as escapes.
    pub shown: String,
    /// What is in it, for people: "has an invisible character (\u{200b})".
    pub what: String,
}

/// Looks for characters that deceive in one name: a path, a pattern, an address.
///
/// ```
/// use bowline_guard::lookalikes::{Kind, find};
///
/// assert_eq!(find("/h\u{43e}me/dev").map(|it| it.kind), Some(Kind::Imitation));
/// assert_eq!(find("/home/dev/Übung/日本語.txt"), None);
/// ```
pub fn find(name: &str) -> Option<Finding> {
    if is_plain(name) {
        return None;
    }
    control(name)
        .or_else(|| any_direction(name))
        .or_else(|| invisible(name))
        .or_else(|| host(name).and_then(strictly_imitating))
        .or_else(|| imitating(name))
}

/// Writes what deceives as escapes such as `\u{202e}`; everything else stays.
///
/// ```
/// use bowline_guard::lookalikes::escape;
///
/// assert_eq!(escape("a\u{202e}b"), "a\\u{202e}b");
/// assert_eq!(escape("naïve 日本語 👩‍💻"), "naïve 日本語 👩‍💻");
/// ```
pub fn escape(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (c, around) in placed(text) {
        if hides(c, around) || commands_terminal(c, around) || direction(c).is_some() {
            push_escaped(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    if imitating(&shown).is_some() {
        shown = escape_words(&shown);
    }
    shown
}

/// Escapes what imitates in the words that mix scripts, and nothing in the others.
fn escape_words(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let mixed = imitating(word).is_some();
        for c in word.chars() {
            if mixed && (is_foreign(c) || imitated_mark(c).is_some()) {
                push_escaped(&mut shown, c);
            } else {
                shown.push(c);
            }
        }
    }
    shown
}

fn push_escaped(text: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\\u{{{:x}}}", u32::from(c));
}

fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

fn finding(kind: Kind, word: &str, what: String) -> Finding {
    let mut shown = String::new();
    for (c, around) in placed(word) {
        if shown.len() > MAX_SHOWN {
            shown.push('…');
            break;
        }
        let deceives = hides(c, around)
            || commands_terminal(c, around)
            || direction(c).is_some()
            || is_odd_space(c)
            || kind == Kind::Separator && is_odd_dash(c)
            || kind == Kind::Imitation && (is_foreign(c) || imitated_mark(c).is_some());
        if deceives {
            push_escaped(&mut shown, c);
        } else {
            shown.push(c);
        }
    }
    Finding { kind, shown, what }
}

fn escaped(c: char) -> String {
    let mut text = String::new();
    push_escaped(&mut text, c);
    text
}

fn control(text: &str) -> Option<Finding> {
    let (c, _) = placed(text).find(|(c, around)| commands_terminal(*c, *around))?;
    let what = format!(
        "has a control character that a terminal obeys ({})",
        escaped(c)
    );
    let line = text.lines().find(|line| line.contains(c)).unwrap_or(text);
    Some(finding(Kind::Control, line, what))
}

fn any_direction(name: &str) -> Option<Finding> {
    let c = name.chars().find(|c| direction(*c).is_some())?;
    Some(turns(name, c))
}

/// A direction control that is not closed in its text changes how everything after it looks.
fn open_direction(text: &str) -> Option<Finding> {
    let (mut embeds, mut isolates) = (Vec::new(), Vec::new());
    for c in text.chars() {
        match direction(c) {
            Some(Direction::Embed) => embeds.push(c),
            Some(Direction::Isolate) => isolates.push(c),
            Some(Direction::EndEmbed) => drop(embeds.pop()),
            Some(Direction::EndIsolate) => drop(isolates.pop()),
            None => {}
        }
    }
    let open = embeds.first().or(isolates.first())?;
    Some(turns(text, *open))
}

fn turns(text: &str, c: char) -> Finding {
    let what = format!(
        "has a character that turns the reading direction ({})",
        escaped(c)
    );
    finding(Kind::Direction, text, what)
}

fn invisible(name: &str) -> Option<Finding> {
    let (c, _) = placed(name).find(|(c, around)| hides(*c, *around))?;
    let what = format!("has an invisible character ({})", escaped(c));
    Some(finding(Kind::Invisible, name, what))
}

/// Letters of another script among Latin ones, all of which look Latin; marks that look like dividers.
fn imitating(name: &str) -> Option<Finding> {
    if name.is_ascii() {
        return None;
    }
    let mark = name.chars().find_map(|c| Some((c, imitated_mark(c)?)));
    if let Some((c, looks)) = mark
        && !name.chars().any(is_cjk)
    {
        let what = format!("has a mark that only looks like `{looks}` ({})", escaped(c));
        return Some(finding(Kind::Imitation, name, what));
    }
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_ascii() && word.chars().any(|c| c.is_ascii_alphabetic()))
        .find_map(imitator)
        .map(|(c, looks)| imitation(name, c, &looks))
}

/// Letters of another script that spell a Latin word, also if all of them are of that script.
fn strictly_imitating(name: &str) -> Option<Finding> {
    name.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_ascii())
        .find_map(imitator)
        .map(|(c, looks)| imitation(name, c, &looks))
}

/// The first letter of another script, if every one of them looks Latin.
fn imitator(word: &str) -> Option<(char, String)> {
    let mut first = None;
    for c in word.chars().filter(|c| !c.is_ascii()) {
        if is_cjk(c) && !is_foreign(c) {
            return None;
        }
        if is_foreign(c) {
            let looks = imitated(c)?;
            first.get_or_insert((c, looks));
        }
    }
    first
}

fn imitation(name: &str, c: char, looks: &str) -> Finding {
    let what = format!(
        "has a letter that only looks like `{looks}` ({})",
        escaped(c)
    );
    finding(Kind::Imitation, name, what)
}

/// The host of an address.
fn host(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once("://")?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    Some(
        authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host),
    )
}

#[cfg(test)]
mod tests;
