//! Git's index: the list of what it tracks. Versions 2 to 4, with SHA-1 and SHA-256.

use super::cache::MemoryUse;
use super::wildmatch::Pattern;

/// More than systems take as a path.
const MAX_NAME: usize = 4096;
/// Of all names together: version 4 shortens them, so that a small file could stand for a huge list.
const MAX_NAMES: usize = 128 << 20;
/// A pattern is compared with at most this many names.
const MAX_COMPARED: usize = 100_000;

const HEADER: usize = 12;
/// Of an entry, what precedes the object's hash: times, numbers, mode, size.
const STAT: usize = 40;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;

/// The paths that git tracks, sorted by their bytes.
#[derive(Debug, Default)]
pub(super) struct Index {
    names: Vec<u8>,
    /// Where each name starts and ends.
    spans: Vec<(usize, usize)>,
}

impl Index {
    /// Reads an index; `None` if it is damaged or of a kind not known here.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        // The file does not say which hash it uses; a wrong guess does not add up.
        [20, 32].into_iter().find_map(|hash| {
            let mut index = Self::default();
            read_entries(bytes, hash, &mut index)?;
            Some(index)
        })
    }

    /// Whether `path` or something below it is tracked.
    pub(super) fn holds(&self, path: &[u8]) -> bool {
        let below = [path, b"/"].concat();
        self.first_from(path) == Some(path)
            || self
                .first_from(&below)
                .is_some_and(|name| name.starts_with(&below))
            || self.in_folded_folder(path)
    }

    /// Whether anything is tracked at all.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether something below `folder` (empty for the root) matches `pattern`, or lies below what matches;
    /// `None` if there is too much to compare.
    pub(super) fn holds_match(&self, folder: &[u8], pattern: &Pattern) -> Option<bool> {
        let prefix = if folder.is_empty() {
            Vec::new()
        } else {
            [folder, b"/"].concat()
        };
        let mut at = self.position(&prefix);
        for _ in 0..MAX_COMPARED {
            let below = self
                .spans
                .get(at)
                .and_then(|span| self.name(*span).strip_prefix(prefix.as_slice()));
            let Some(below) = below else {
                return Some(false);
            };
            let components: Vec<&[u8]> = below.split(|byte| *byte == b'/').collect();
            let depths = match pattern.depth() {
                Some(depth) => depth..=depth,
                None => 1..=components.len(),
            };
            let mut starts = depths.filter_map(|depth| components.get(..depth));
            if starts.any(|start| pattern.matches(start)) {
                return Some(true);
            }
            at = match pattern.depth().and_then(|depth| components.get(..depth)) {
                // Nothing else in that folder can match; `0` is the byte after `/`.
                Some(folder) if folder.len() < components.len() => {
                    self.position(&[prefix.as_slice(), &folder.join(&b'/'), b"0"].concat())
                }
                _ => at + 1,
            };
        }
        None
    }

    /// A sparse index has one entry, ending in a slash, for a whole folder that is not checked out.
    fn in_folded_folder(&self, path: &[u8]) -> bool {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .filter_map(|(at, _)| path.get(..=at))
            .any(|folder| self.first_from(folder) == Some(folder))
    }

    fn position(&self, key: &[u8]) -> usize {
        self.spans.partition_point(|span| self.name(*span) < key)
    }

    /// The first name that does not come before `key`.
    fn first_from(&self, key: &[u8]) -> Option<&[u8]> {
        let span = self.spans.get(self.position(key))?;
        Some(self.name(*span))
    }

    fn name(&self, (start, end): (usize, usize)) -> &[u8] {
        self.names.get(start..end).unwrap_or_default()
    }

    /// Adds a name that must not come before the last one.
    fn push(&mut self, name: &[u8]) -> Option<()> {
        let last = self.spans.last().map(|span| self.name(*span));
        if !is_sensible(name)
            || self.names.len() + name.len() > MAX_NAMES
            || last.is_some_and(|it| it > name)
        {
            return None;
        }
        // While a conflict is open, a path has several entries.
        if last != Some(name) {
            let start = self.names.len();
            self.names.extend_from_slice(name);
            self.spans.push((start, self.names.len()));
        }
        Some(())
    }
}

impl Sink for Index {
    fn expect(&mut self, count: usize) {
        self.spans.reserve(count);
    }

    fn add(&mut self, name: &[u8], _: &RawEntry<'_>) -> Option<()> {
        self.push(name)
    }
}

impl MemoryUse for Index {
    fn memory_use(&self) -> u64 {
        (self.names.capacity() + self.spans.capacity() * size_of::<(usize, usize)>()) as u64
    }
}

/// One entry as it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawEntry<'bytes> {
    /// Times, numbers, mode and size.
    pub(super) stat: &'bytes [u8],
    pub(super) id: &'bytes [u8],
    pub(super) flags: u16,
    /// Only later versions have these.
    pub(super) more_flags: u16,
}

/// Takes what an index lists.
pub(super) trait Sink {
    /// How many entries follow, if the file is right.
    fn expect(&mut self, count: usize);

    /// Takes one entry; `None` if it makes no sense.
    fn add(&mut self, name: &[u8], entry: &RawEntry<'_>) -> Option<()>;

    /// Takes what follows the entries, part by part.
    fn add_extension(&mut self, _name: &[u8], _content: &[u8]) {}
}

/// Whether a name could be one of a tracked file.
pub(super) fn is_sensible(name: &[u8]) -> bool {
    !name.is_empty() && name.len() <= MAX_NAME && name.first() != Some(&b'/')
}

/// Reads an index whose hashes have this length; `None` if it is damaged or of a kind not known here.
pub(super) fn read_entries(bytes: &[u8], hash: usize, sink: &mut impl Sink) -> Option<()> {
    let body = bytes.get(..bytes.len().checked_sub(hash)?)?;
    let mut rest = Reader(body);
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.u32()?;
    let count = usize::try_from(rest.u32()?).ok()?;
    if !(2..=4).contains(&version) || count > body.len().checked_sub(HEADER)? / (STAT + hash) {
        return None;
    }
    sink.expect(count);
    let mut name = Vec::new();
    for _ in 0..count {
        let before = rest.0.len();
        let stat = rest.take(STAT)?;
        let id = rest.take(hash)?;
        let flags = rest.u16()?;
        let more_flags = match flags & EXTENDED {
            0 => 0,
            _ if version < 3 => return None,
            _ => rest.u16()?,
        };
        if version == 4 {
            let kept = name.len().checked_sub(rest.offset()?)?;
            name.truncate(kept);
        } else {
            name.clear();
        }
        name.extend_from_slice(rest.until_nul()?);
        let length = usize::from(flags & NAME_LENGTH);
        let told =
            name.len() == length || length == usize::from(NAME_LENGTH) && name.len() > length;
        if !told {
            return None;
        }
        if version != 4 {
            // The NUL that ended the name is the first of up to eight that fill the entry up.
            let used = before - rest.0.len() - 1;
            let fill = rest.take(7 - used % 8)?;
            if fill.iter().any(|byte| *byte != 0) {
                return None;
            }
        }
        let entry = RawEntry {
            stat,
            id,
            flags,
            more_flags,
        };
        sink.add(&name, &entry)?;
    }
    read_extensions(rest, sink)
}

/// Extensions whose name starts with a capital may be skipped; the others change what the entries mean.
/// Of those, only the one for folded folders is known here.
fn read_extensions(mut rest: Reader<'_>, sink: &mut impl Sink) -> Option<()> {
    while !rest.0.is_empty() {
        let name = rest.take(4)?;
        let length = usize::try_from(rest.u32()?).ok()?;
        let content = rest.take(length)?;
        sink.add_extension(name, content);
        if name != b"sdir" && !name.first().is_some_and(u8::is_ascii_uppercase) {
            return None;
        }
    }
    Some(())
}

struct Reader<'bytes>(&'bytes [u8]);

impl<'bytes> Reader<'bytes> {
    fn take(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    /// The bytes before the next NUL, which is taken too.
    fn until_nul(&mut self) -> Option<&'bytes [u8]> {
        let within = self.0.get(..self.0.len().min(MAX_NAME + 1))?;
        let text = self.take(within.iter().position(|byte| *byte == 0)?)?;
        self.take(1)?;
        Some(text)
    }

    /// A number of seven bits per byte, in which every continuation adds one.
    fn offset(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = *self.take(1)?.first()?;
            value = value.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?.checked_mul(128)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str]) -> Index {
        let mut index = Index::default();
        for name in names {
            index.push(name.as_bytes()).unwrap();
        }
        index
    }

    #[test]
    fn a_folder_is_tracked_when_something_in_it_is() {
        let index = index(&["a-b", "a.c", "a/x", "folded/", "z"]);
        for (path, held) in [
            ("a", true),
            ("a/x", true),
            ("a/x/y", false),
            ("a/", false),
            ("a-", false),
            ("z", true),
            ("y", false),
            ("zz", false),
            ("folded", true),
            ("folded/deep/file", true),
        ] {
            assert_eq!(index.holds(path.as_bytes()), held, "{path}");
        }
    }

    #[test]
    fn patterns_find_what_they_name_and_what_lies_below() {
        let index = index(&[
            "README",
            "src-b/x",
            "src/a/deep.rs",
            "src/b.log",
            "src/c.rs",
            "src0",
            "z.o",
        ]);
        for (folder, pattern, held) in [
            ("", "*.log", false),
            ("", "READ*", true),
            ("", "s?c", true),
            ("", "*0", true),
            ("", "z*", true),
            ("", "*/*.rs", true),
            ("", "*/*/*.rs", true),
            ("", "*/*/*/*.rs", false),
            ("src", "*.log", true),
            ("src", "a*", true),
            ("src", "*.o", false),
            ("", "**/*.log", true),
            ("", "**/*.c", false),
            ("nowhere", "*", false),
        ] {
            let pattern_ = Pattern::parse(pattern.as_bytes()).unwrap();
            let found = index.holds_match(folder.as_bytes(), &pattern_);
            assert_eq!(found, Some(held), "{folder} {pattern}");
        }
    }

    #[test]
    fn an_index_weighs_what_it_holds() {
        let long = "x".repeat(MAX_NAME);
        assert!(index(&["a", &long]).memory_use() > MAX_NAME as u64 + 32);
    }

    #[test]
    fn disorder_and_nonsense_are_refused() {
        let mut disordered = Index::default();
        disordered.push(b"b").unwrap();
        assert_eq!(disordered.push(b"a"), None);
        for bad in [&b""[..], b"/etc", &[b'x'; MAX_NAME + 1]] {
            assert_eq!(Index::default().push(bad), None);
        }
    }
}
