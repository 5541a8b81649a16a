//! Which characters deceive the eye, one by one.

use unicode_security::confusable_detection::skeleton;
use unicode_security::mixed_script::AugmentedScriptSet;

/// A control that a terminal obeys. Tabs and line ends are text.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// What a direction control does to the characters after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Opens an embedding or override; the other kind, an isolate, is closed by another character.
    Embed,
    Isolate,
    /// Closes the last embedding or override.
    EndEmbed,
    EndIsolate,
}

pub(super) fn direction(c: char) -> Option<Direction> {
    match c {
        '\u{202a}' | '\u{202b}' | '\u{202d}' | '\u{202e}' => Some(Direction::Embed),
        '\u{202c}' => Some(Direction::EndEmbed),
        '\u{2066}'..='\u{2068}' => Some(Direction::Isolate),
        '\u{2069}' => Some(Direction::EndIsolate),
        _ => None,
    }
}

/// A space that the shell does not take for one.
pub(super) fn is_odd_space(c: char) -> bool {
    c.is_whitespace() && !c.is_ascii() && !is_control(c)
}

/// A dash that is no option's dash.
pub(super) fn is_odd_dash(c: char) -> bool {
    matches!(
        c,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Marks that look like those which divide a path or a host, and the ones that they imitate.
pub(super) fn imitated_mark(c: char) -> Option<char> {
    match c {
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{ff0f}' => Some('/'),
        '\u{2024}' | '\u{ff0e}' => Some('.'),
        '\u{a789}' | '\u{2236}' | '\u{ff1a}' => Some(':'),
        '\u{ff3c}' | '\u{29f5}' | '\u{2216}' => Some('\\'),
        '\u{ff20}' => Some('@'),
        _ => None,
    }
}

/// Takes no room on the screen. Where it stands decides whether it belongs there.
fn is_invisible(c: char) -> bool {
    is_mark_of_direction(c)
        || is_variation(c)
        || matches!(c,
            '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}')
}

fn is_mark_of_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}')
}

fn is_variation(c: char) -> bool {
    matches!(c,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// What stands around a character.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    before: Option<char>,
    after: Option<char>,
    writing: Writing,
}

/// Whether a text has letters that are written from right to left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writing {
    LeftToRight,
    BothWays,
}

impl Writing {
    fn of(text: &str) -> Self {
        if text.chars().any(is_right_to_left) {
            Self::BothWays
        } else {
            Self::LeftToRight
        }
    }
}

/// The characters of a text with what stands around them.
pub(super) fn placed(text: &str) -> impl Iterator<Item = (char, Around)> {
    let writing = Writing::of(text);
    let mut before = None;
    let mut characters = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = characters.next()?;
        let after = characters.peek().copied();
        let around = Around {
            before: before.replace(c),
            after,
            writing,
        };
        Some((c, around))
    })
}

/// A control that a terminal obeys; a carriage return counts unless a line ends there.
pub(super) fn commands_terminal(c: char, around: Around) -> bool {
    is_control(c) || c == '\r' && around.after.is_some_and(|next| next != '\n')
}

/// Whether a character cannot be seen and does no ordinary work where it stands.
pub(super) fn hides(c: char, around: Around) -> bool {
    is_invisible(c) && !belongs(c, around)
}

/// Whether an invisible character does ordinary work where it stands: it joins emoji or letters of scripts
/// that join, chooses a symbol's or an ideograph's form, or marks the direction of a text that has two.
fn belongs(c: char, around: Around) -> bool {
    let Some(before) = around.before else {
        return false;
    };
    match c {
        '\u{200c}' | '\u{200d}' if joins_letters(before) => true,
        '\u{200d}' => is_pictorial(before) && around.after.is_some_and(is_pictorial),
        '\u{e0020}'..='\u{e007f}' => matches!(before, '\u{1f3f4}' | '\u{e0020}'..='\u{e007e}'),
        '\u{fe0e}' | '\u{fe0f}' if matches!(before, '0'..='9' | '#' | '*') => {
            around.after == Some('\u{20e3}')
        }
        _ if is_variation(c) => {
            is_pictorial(before) || is_cjk(before) || matches!(before, '\u{1820}'..='\u{18aa}')
        }
        _ if is_mark_of_direction(c) => around.writing == Writing::BothWays,
        _ => false,
    }
}

/// Letters of Arabic, Indic and other scripts whose shapes depend on their neighbours.
fn joins_letters(c: char) -> bool {
    matches!(c, '\u{0600}'..='\u{0dff}' | '\u{0f00}'..='\u{109f}' | '\u{1780}'..='\u{18aa}')
}

/// Emoji and other symbols, and what is put behind them.
fn is_pictorial(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{200d}' | '\u{203c}'..='\u{2049}' | '\u{2122}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08ff}' | '\u{fb1d}'..='\u{fefc}') && !is_mark_of_direction(c)
}

/// Chinese, Japanese and Korean characters, which are written beside Latin ones every day.
pub(super) fn is_cjk(c: char) -> bool {
    if is_in_latin_blocks(c) {
        return false;
    }
    let scripts = AugmentedScriptSet::for_char(c);
    !scripts.is_all() && (scripts.hanb || scripts.jpan || scripts.kore)
}

/// All letters of these blocks are Latin. Whole texts are written with them, and the tables of scripts take their time.
fn is_in_latin_blocks(c: char) -> bool {
    c <= '\u{24f}'
}

/// A letter of another script than Latin, or an ASCII letter in full width or mathematical dress.
pub(super) fn is_foreign(c: char) -> bool {
    if is_in_latin_blocks(c) || !c.is_alphanumeric() {
        return false;
    }
    let dressed = matches!(c, '\u{ff10}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}');
    dressed || c.is_alphabetic() && !is_latin(c)
}

fn is_latin(c: char) -> bool {
    let mut scripts = AugmentedScriptSet::for_char(c);
    scripts.intersect_with(AugmentedScriptSet::for_char('a'));
    !scripts.is_empty()
}

/// The ASCII text that a character looks like, if there is one.
pub(super) fn imitated(c: char) -> Option<String> {
    let mut buffer = [0; 4];
    let looks: String = skeleton(c.encode_utf8(&mut buffer)).collect();
    (!looks.is_empty() && looks.is_ascii()).then_some(looks)
}
