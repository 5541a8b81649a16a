//! What an archive holds, as its own headers say: tar, tar packed with gzip, and zip.

use std::fs::{self, File};
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use bowline_guard::loss::{Loss, Over, TargetKind, Unpacking};
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use super::Losses;
use super::files::is_in_git;
use super::line::Line;

/// More members than this are not looked at.
const MAX_MEMBERS: usize = 20_000;
/// Of a packed archive no more is read, nor unpacked.
const MAX_PACKED: u64 = 4 << 20;
const MAX_UNPACKED: usize = 16 << 20;
/// The list at the end of a zip file.
const MAX_LIST: u64 = 4 << 20;
/// Where a member has a name longer than a header holds, the name is a member of its own.
const MAX_NAME: u64 = 64 << 10;
const BLOCK: u64 = 512;

impl Losses<'_> {
    /// What is there under the names that an archive holds.
    pub(super) fn unpacked(&self, unpacking: &Unpacking, line: &Line) -> Option<Loss> {
        let nothing = Loss::Nothing("nothing is there".to_owned());
        let files = written(unpacking, line)?.into_iter();
        let is_there = |it: &PathBuf| fs::symlink_metadata(it).is_ok_and(|it| !it.is_dir());
        let counts = |it: &PathBuf| self.is_in_project(it) && !is_in_git(it) && is_there(it);
        files.filter(counts).try_fold(nothing, |loss, path| {
            Some(loss.and(self.written_over(&path, line)?))
        })
    }
}

/// The files that unpacking writes; `None` if that is unknown.
pub(super) fn written(unpacking: &Unpacking, line: &Line) -> Option<Vec<PathBuf>> {
    let archive = unpacking.archive.as_ref();
    let archive = archive.filter(|it| it.kind == TargetKind::Exact)?;
    let path = Path::new(archive.link.as_deref().unwrap_or(&archive.path));
    // What the line itself puts there is not there yet.
    let is_there = !line.has_made(path) && !line.taken().any(|it| it == path);
    let folder = Path::new(
        unpacking
            .into
            .link
            .as_deref()
            .unwrap_or(&unpacking.into.path),
    );
    let names = is_there.then(|| members(path)).flatten()?;
    let taken = names.iter().filter(|name| {
        let only = unpacking.only.iter();
        unpacking.only.is_empty() || only.clone().any(|it| plain(name).starts_with(plain(it)))
    });
    let below = taken.filter_map(|name| below(name, unpacking.strip));
    let files = below.map(|it| folder.join(it));
    let stays = |it: &PathBuf| unpacking.over == Over::Keep && fs::symlink_metadata(it).is_ok();
    Some(files.filter(|it| !stays(it)).collect())
}

/// A name without what makes no difference.
fn plain(name: &str) -> &Path {
    Path::new(name.trim_start_matches("./").trim_start_matches('/'))
}

/// Where a member lands below the folder; none for a folder, and for what would leave it.
fn below(name: &str, strip: usize) -> Option<PathBuf> {
    if name.ends_with('/') {
        return None;
    }
    let mut parts = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::Normal(part) => parts.push(part),
            Component::ParentDir => return None,
            _ => {}
        }
    }
    let path: PathBuf = parts.into_iter().skip(strip).collect();
    (path != Path::new("")).then_some(path)
}

/// The names of all members; those of folders end with a slash.
fn members(path: &Path) -> Option<Vec<String>> {
    // Opening a pipe would block.
    let length = fs::metadata(path).ok().filter(fs::Metadata::is_file)?.len();
    let mut file = File::open(path).ok()?;
    let mut start = [0; 4];
    file.read_exact(&mut start).ok()?;
    file.rewind().ok()?;
    match start {
        [b'P', b'K', ..] => of_zip(&mut file, length),
        [0x1f, 0x8b, ..] if length <= MAX_PACKED => {
            let mut packed = Vec::new();
            file.take(MAX_PACKED).read_to_end(&mut packed).ok()?;
            let unpacked = decompress_to_vec_with_limit(gzipped(&packed)?, MAX_UNPACKED).ok()?;
            of_tar(&mut Cursor::new(unpacked))
        }
        _ => of_tar(&mut file),
    }
}

/// What gzip has packed, behind its header.
fn gzipped(file: &[u8]) -> Option<&[u8]> {
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const CHECK: u8 = 2;
    let flags = *file.get(3)?;
    let mut rest = file.get(10..)?;
    if flags & EXTRA != 0 {
        rest = rest.get(2 + usize::from(short(rest, 0)?)..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            rest = rest.get(rest.iter().position(|it| *it == 0)? + 1..)?;
        }
    }
    if flags & CHECK != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

fn of_tar(archive: &mut (impl Read + Seek)) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut long = None;
    let mut header = [0; 512];
    while archive.read_exact(&mut header).is_ok() && header.first() != Some(&0) {
        let is_tar = header.get(257..262) == Some(b"ustar");
        if !is_tar || names.len() >= MAX_MEMBERS {
            return None;
        }
        let size = octal(header.get(124..136)?)?;
        let blocks = size.div_ceil(BLOCK).checked_mul(BLOCK)?;
        match header.get(156)? {
            // The name of the next member.
            kind @ (b'L' | b'x') => {
                let mut text = Vec::new();
                let read = size.min(MAX_NAME);
                archive.by_ref().take(read).read_to_end(&mut text).ok()?;
                archive
                    .seek_relative(i64::try_from(blocks).ok()? - i64::try_from(read).ok()?)
                    .ok()?;
                long = if *kind == b'L' {
                    Some(text_of(&text))
                } else {
                    path_in(&text).or(long)
                };
                continue;
            }
            b'g' | b'K' => {}
            b'5' => {
                long = None;
            }
            _ => names.push(long.take().map_or_else(|| short_name(&header), Some)?),
        }
        archive.seek_relative(i64::try_from(blocks).ok()?).ok()?;
    }
    (!names.is_empty()).then_some(names)
}

/// The name in a header: its beginning may stand in a field of its own.
fn short_name(header: &[u8; 512]) -> Option<String> {
    let name = text_of(header.get(..100)?);
    let prefix = text_of(header.get(345..500)?);
    // GNU has times there.
    let posix = header.get(262) == Some(&0);
    Some(if posix && !prefix.is_empty() {
        format!("{prefix}/{name}")
    } else {
        name
    })
}

/// The name among the records of an extended header: `LENGTH path=NAME`.
fn path_in(records: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(records);
    let mut names = text
        .lines()
        .filter_map(|it| it.split_once(' ')?.1.strip_prefix("path="));
    names.next_back().map(ToOwned::to_owned)
}

fn text_of(field: &[u8]) -> String {
    let text = field.split(|it| *it == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

fn octal(field: &[u8]) -> Option<u64> {
    let text = text_of(field);
    u64::from_str_radix(text.trim(), 8).ok()
}

fn of_zip(file: &mut File, length: u64) -> Option<Vec<String>> {
    // The end of the list has a comment behind it.
    const END: usize = 22;
    const MAX_COMMENT: u64 = 65_535;
    let tail_at = length.saturating_sub(MAX_COMMENT + 22);
    let tail = read_at(file, tail_at, length - tail_at)?;
    let mut ends = tail.windows(END).rev();
    let end = ends.find(|it| it.starts_with(b"PK\x05\x06"))?;
    let (size, at) = (u64::from(long(end, 12)?), u64::from(long(end, 16)?));
    let list = read_at(file, at, Some(size).filter(|it| *it <= MAX_LIST)?)?;
    let mut rest = list.as_slice();
    let mut names = Vec::new();
    while rest.starts_with(b"PK\x01\x02") {
        let lengths = [28, 30, 32].map(|at| short(rest, at).map(usize::from));
        let [Some(name), Some(extra), Some(comment)] = lengths else {
            return None;
        };
        names.push(String::from_utf8_lossy(rest.get(46..46 + name)?).into_owned());
        rest = rest.get(46 + name + extra + comment..)?;
        if names.len() > MAX_MEMBERS {
            return None;
        }
    }
    Some(names)
}

fn read_at(file: &mut File, at: u64, count: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(at)).ok()?;
    file.take(count).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}
