//! Git's attributes: which files it may change on their way from the checkout into an object.
//!
//! Only what could be is told. A later line that takes an attribute back is not followed, so that too many files may
//! be called convertible, but never too few.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use super::GitReader;
use super::checkout::{Checkout, Default as Setting};
use crate::machine::cache::{Content, MemoryUse};
use crate::machine::look::Links;
use crate::machine::wildmatch::Pattern;

/// At most this many lines. A larger file is not judged.
const MAX_LINES: usize = 8192;
const MAX_LINE: usize = 2048;

/// What may happen to a file on its way into an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversion {
    /// Its line ends may be changed.
    pub(super) lines: bool,
    /// Anything else may.
    pub(super) other: bool,
}

impl Conversion {
    const fn is_none(self) -> bool {
        !self.lines && !self.other
    }

    fn or(self, other: Self) -> Self {
        Self {
            lines: self.lines || other.lines,
            other: self.other || other.other,
        }
    }
}

/// One file of attributes.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    lines: Vec<Line>,
}

#[derive(Debug)]
struct Line {
    subject: Subject,
    conversion: Conversion,
}

#[derive(Debug)]
enum Subject {
    /// All files, or those of a pattern that only git understands.
    Any,
    /// Files with such a name.
    Name(Pattern),
    /// Files at such a path below the folder of the attributes.
    Path(Pattern),
}

impl Attributes {
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut lines = Vec::new();
        for line in text.split(|byte| *byte == b'\n') {
            if line.len() > MAX_LINE || lines.len() >= MAX_LINES {
                return None;
            }
            lines.extend(parse_line(line.trim_ascii()));
        }
        Some(Self { lines })
    }

    /// What may happen to a file, given as its names below the folder of the attributes.
    fn conversion(&self, names: &[&[u8]]) -> Conversion {
        let name = names.get(names.len().saturating_sub(1)..);
        let matching = self.lines.iter().filter(|line| match &line.subject {
            Subject::Any => true,
            Subject::Name(pattern) => name.is_some_and(|name| pattern.matches(name)),
            Subject::Path(pattern) => pattern.matches(names),
        });
        matching.fold(Conversion::default(), |all, line| all.or(line.conversion))
    }
}

impl MemoryUse for Attributes {
    fn memory_use(&self) -> u64 {
        let patterns = self.lines.iter().map(|line| match &line.subject {
            Subject::Any => 0,
            Subject::Name(pattern) | Subject::Path(pattern) => pattern.memory_use(),
        });
        (self.lines.capacity() * size_of::<Line>()) as u64 + patterns.sum::<u64>()
    }
}

/// What a line says, unless it says nothing about conversions.
fn parse_line(line: &[u8]) -> Option<Line> {
    if line.is_empty() || line.starts_with(b"#") {
        return None;
    }
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let first = words.next()?;
    // A name in quotes may hold spaces, so that its words are taken for attributes too, which does no harm.
    let conversion = words.fold(Conversion::default(), |all, word| all.or(of_word(word)));
    if conversion.is_none() {
        return None;
    }
    let subject = if first.starts_with(b"\"") || first.starts_with(b"[attr]") {
        Subject::Any
    } else {
        subject(first)?
    };
    Some(Line {
        subject,
        conversion,
    })
}

fn of_word(word: &[u8]) -> Conversion {
    let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
    match name {
        b"text" | b"eol" | b"crlf" => Conversion {
            lines: true,
            other: false,
        },
        b"filter" | b"ident" | b"working-tree-encoding" => Conversion {
            lines: false,
            other: true,
        },
        _ => Conversion::default(),
    }
}

/// What a pattern is compared with; `None` if it can match no file.
fn subject(text: &[u8]) -> Option<Subject> {
    if text.ends_with(b"/") || text.starts_with(b"!") {
        return None;
    }
    if crate::machine::ignore::is_read_oddly(text) {
        return Some(Subject::Any);
    }
    let pattern = Pattern::parse(text.strip_prefix(b"/").unwrap_or(text))?;
    Some(if text.contains(&b'/') {
        Subject::Path(pattern)
    } else {
        Subject::Name(pattern)
    })
}

impl GitReader<'_> {
    /// What may happen to the file at a path of the checkout.
    pub(super) fn conversion(&self, checkout: &Checkout, path: &[u8]) -> Option<Conversion> {
        let names: Vec<&[u8]> = path.split(|byte| *byte == b'/').collect();
        let mut conversion = Conversion::default();
        let own = checkout.repository.common_dir.join("info/attributes");
        let of_user = self.user_file(checkout, "attributesfile", ".config/git/attributes")?;
        let general = [
            Some(own),
            of_user,
            Some(PathBuf::from("/etc/gitattributes")),
        ];
        for file in general.into_iter().flatten() {
            let attributes = self.attributes(file, Links::Follow)?;
            conversion = conversion.or(attributes.conversion(&names));
        }
        let mut folder = checkout.repository.root.clone();
        for (depth, name) in names.iter().enumerate() {
            let attributes = self.attributes(folder.join(".gitattributes"), Links::Keep)?;
            conversion = conversion.or(attributes.conversion(names.get(depth..)?));
            folder.push(OsStr::from_bytes(name));
        }
        conversion.lines |= converts_by_setting(checkout);
        Some(conversion)
    }

    fn attributes(&self, path: PathBuf, links: Links) -> Option<Arc<Attributes>> {
        match self.files().attributes.get(&path, links, self.look()) {
            Content::Missing => Some(Arc::default()),
            Content::Unknown => None,
            Content::Known(attributes) => Some(attributes),
        }
    }
}

fn converts_by_setting(checkout: &Checkout) -> bool {
    // Besides true and false it may be `input`.
    checkout.settings.core("autocrlf", Setting::Off) != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_may_be_converted() {
        let none = Conversion::default();
        let lines = Conversion {
            lines: true,
            ..none
        };
        let other = Conversion {
            other: true,
            ..none
        };
        for (text, path, conversion) in [
            ("* text=auto", "a/b.c", lines),
            ("*.c text", "a/b.c", lines),
            ("*.c text", "a/b.h", none),
            ("*.bin filter=lfs diff=lfs -text", "x.bin", other),
            ("*.bin filter=lfs", "x.txt", none),
            ("a/*.c ident", "a/b.c", other),
            ("/b.c ident", "a/b.c", none),
            ("*.c -text", "a/b.c", none),
            ("*.c diff=cpp", "a/b.c", none),
            ("# * text", "a", none),
            ("\"a b\" text", "c", lines),
            ("[attr]mine text", "c", lines),
            ("a/ text", "a/b.c", none),
            ("*.c text eol=lf\n*.c filter=x", "b.c", lines.or(other)),
        ] {
            let attributes = Attributes::parse(text.as_bytes()).unwrap();
            let names: Vec<&[u8]> = path.split('/').map(str::as_bytes).collect();
            assert_eq!(attributes.conversion(&names), conversion, "{text} {path}");
        }
        assert!(Attributes::parse(&[b'x'; MAX_LINE + 1]).is_none());
    }
}
