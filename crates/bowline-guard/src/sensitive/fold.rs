//! One spelling for all spellings: case, full width, look-alikes, invisible characters.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// A path longer than this is judged by its end, which names the file.
const MAX_TEXT: usize = 4096;

/// Folds `path` for comparing: compatibility forms and look-alikes become the plain letters that
/// they imitate, invisible characters vanish, capitals become small, and what some systems ignore
/// at the end of a name (dots, spaces, stream suffixes) is cut off.
pub(super) fn fold(path: &str) -> String {
    let start = path.len().saturating_sub(MAX_TEXT);
    let start = (start..path.len())
        .find(|at| path.is_char_boundary(*at))
        .unwrap_or(0);
    let path = path.get(start..).unwrap_or(path);
    let plain: Cow<'_, str> = if path.is_ascii() {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(imitated(path))
    };
    let lower = plain.to_ascii_lowercase();
    lower
        .split('/')
        .map(trim_name)
        .collect::<Vec<_>>()
        .join("/")
}

fn imitated(text: &str) -> String {
    let composed: String = text.nfkc().filter(|it| !is_invisible(*it)).collect();
    let mut folded = String::with_capacity(composed.len());
    let mut buffer = [0; 4];
    // Capitals first: a Cyrillic capital may imitate another letter than its small form does.
    for character in composed.chars().flat_map(char::to_lowercase) {
        if character.is_ascii() {
            folded.push(character);
            continue;
        }
        let imitated: String = skeleton(character.encode_utf8(&mut buffer)).collect();
        if imitated.is_ascii() && !imitated.is_empty() {
            folded.push_str(&imitated);
        } else {
            folded.push(character);
        }
    }
    folded
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

fn trim_name(name: &str) -> &str {
    if name == "." || name == ".." {
        return name;
    }
    let name = name.split_once("::$data").map_or(name, |(name, _)| name);
    let trimmed = name.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { name } else { trimmed }
}

/// Words that mark a copy, an editor's leftover or a package of the file named before them.
const COPY_SUFFIXES: &[&str] = &[
    "~",
    "#",
    ".bak",
    ".backup",
    ".bck",
    ".bkp",
    ".old",
    ".orig",
    ".original",
    ".save",
    ".saved",
    ".swp",
    ".swo",
    ".swn",
    ".tmp",
    ".copy",
    " copy",
    "-copy",
    "_copy",
    "-bak",
    "_bak",
    "-backup",
    "_backup",
    "-old",
    "_old",
    ".prev",
    ".previous",
    ".disabled",
    ".gz",
    ".tgz",
    ".tar",
    ".zip",
    ".bz2",
    ".xz",
    ".zst",
    ".7z",
    ".rar",
    ".b64",
    ".base64",
    ".hex",
    ".rpmsave",
    ".dpkg-old",
    ".dpkg-dist",
    ".new",
    ".plain",
    ".dec",
    ".decrypted",
];

/// The names that `name` may be a copy of, outermost first: `id_rsa.bak.gz` → `id_rsa.bak`,
/// `id_rsa`.
pub(super) fn originals(name: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut current = name.strip_prefix('#').unwrap_or(name);
    for _ in 0..4 {
        let cut = COPY_SUFFIXES
            .iter()
            .find_map(|suffix| current.strip_suffix(suffix));
        let Some(shorter) = cut
            .or_else(|| strip_number(current))
            .filter(|it| it.len() > 1)
        else {
            break;
        };
        found.push(shorter);
        current = shorter;
    }
    found
}

/// `name.1`, `name.2024-01-31` and `name (2)` without the number.
fn strip_number(name: &str) -> Option<&str> {
    let without = name.trim_end_matches(|it: char| it.is_ascii_digit() || "-_:()".contains(it));
    let mark =
        without.len() < name.len() && name.ends_with(|it: char| it.is_ascii_digit() || it == ')');
    let base = without.strip_suffix(['.', ' '])?;
    mark.then_some(base)
}
