//! Objects in files of their own.

use std::path::Path;

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::budget::{Budget, Text, read_file};
use super::object::{Kind, MAX_OBJECT, Object};
use super::object_id::ObjectId;

/// The longest header: a kind, a length and what separates them.
const MAX_HEADER: usize = 32;

/// The object `id` below a folder of objects. That it is the right one is for the caller to check.
pub(super) fn read(folder: &Path, id: ObjectId, budget: &Budget) -> Option<Object> {
    let name = id.to_string();
    let (start, rest) = name.split_at_checked(2)?;
    let packed = match read_file(&folder.join(start).join(rest), MAX_OBJECT) {
        Text::Known(packed) => packed,
        Text::Missing | Text::Unknown => return None,
    };
    let text = decompress_to_vec_zlib_with_limit(&packed, MAX_OBJECT + MAX_HEADER).ok()?;
    budget.bytes(text.len())?;
    parse(text)
}

fn parse(mut text: Vec<u8>) -> Option<Object> {
    let header = text.get(..text.len().min(MAX_HEADER))?;
    let end = header.iter().position(|byte| *byte == 0)?;
    let (kind, length) = std::str::from_utf8(header.get(..end)?)
        .ok()?
        .split_once(' ')?;
    let kind = Kind::ALL.into_iter().find(|it| it.name() == kind)?;
    let length: usize = length.parse().ok()?;
    if text.len() != length.checked_add(end + 1)? {
        return None;
    }
    text.drain(..=end);
    Some(Object { kind, data: text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_must_tell_the_truth() {
        let object = parse(b"blob 3\0abc".to_vec()).unwrap();
        assert_eq!((object.kind, object.data), (Kind::Blob, b"abc".to_vec()));
        for wrong in [
            "",
            "blob 3",
            "blob 2\0abc",
            "blob 4\0abc",
            "bulb 3\0abc",
            "blob3\0abc",
            "blob 99999999999999999999\0abc",
            "blob 18446744073709551615\0abc",
            "blob -3\0abc",
        ] {
            assert_eq!(parse(wrong.as_bytes().to_vec()), None, "{wrong:?}");
        }
    }
}
