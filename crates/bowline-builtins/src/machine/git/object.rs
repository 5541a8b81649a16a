//! Git's objects as they are once unpacked.

use super::object_id::ObjectId;

/// A larger object is not read.
pub(super) const MAX_OBJECT: usize = 16 << 20;
/// More parents than any merge has.
const MAX_PARENTS: usize = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Commit, Self::Tree, Self::Blob, Self::Tag];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) data: Vec<u8>,
}

/// What a commit says about where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    pub(crate) tree: ObjectId,
    pub(crate) parents: Vec<ObjectId>,
    /// Seconds of the committer's clock.
    pub(super) date: i64,
}

impl Commit {
    /// Reads a commit's headers; `None` if they make no sense.
    pub(super) fn parse(data: &[u8]) -> Option<Self> {
        let mut lines = data.split(|byte| *byte == b'\n');
        let tree = ObjectId::from_hex(lines.next()?.strip_prefix(b"tree ")?)?;
        let mut parents = Vec::new();
        for line in lines {
            if let Some(parent) = line.strip_prefix(b"parent ") {
                parents.push(ObjectId::from_hex(parent)?);
                if parents.len() > MAX_PARENTS {
                    return None;
                }
            } else if let Some(committer) = line.strip_prefix(b"committer ") {
                return Some(Self {
                    tree,
                    parents,
                    date: date(committer),
                });
            } else if line.is_empty() {
                break;
            }
        }
        None
    }
}

/// The time in `NAME <MAIL> SECONDS ZONE`. Some tools have written nonsense there; git takes it for the beginning.
fn date(committer: &[u8]) -> i64 {
    let end = committer.iter().rposition(|byte| *byte == b'>');
    let after = end.and_then(|end| committer.get(end + 1..));
    after
        .and_then(|text| std::str::from_utf8(text).ok())
        .and_then(|text| text.split_ascii_whitespace().next())
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or(0)
}

/// What a tag names.
pub(super) fn tag_target(data: &[u8]) -> Option<ObjectId> {
    let line = data.split(|byte| *byte == b'\n').next()?;
    ObjectId::from_hex(line.strip_prefix(b"object ")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn commits_are_read_or_refused() {
        let id = ObjectId::from_hex(ID.as_bytes()).unwrap();
        let text = format!(
            "tree {ID}\nparent {ID}\nauthor A <a> 1 +0000\ncommitter B <b@c> 12 +0100\n\nparent x\n"
        );
        let expected = Commit {
            tree: id,
            parents: vec![id],
            date: 12,
        };
        assert_eq!(Commit::parse(text.as_bytes()), Some(expected));
        for (from, to) in [
            ("tree ", "tee "),
            ("parent e", "parent x"),
            ("committer", "x"),
        ] {
            let damaged = text.replace(from, to);
            assert_eq!(Commit::parse(damaged.as_bytes()), None, "{damaged}");
        }
        assert_eq!(
            tag_target(format!("object {ID}\ntype x\n").as_bytes()),
            Some(id)
        );
        assert_eq!(tag_target(b""), None);
    }

    #[test]
    fn a_date_that_makes_no_sense_is_the_beginning() {
        for (committer, seconds) in [
            ("A <a> 5 +0000", 5),
            ("A <a>> -7 +0000", -7),
            ("A <a> x", 0),
            ("A", 0),
        ] {
            assert_eq!(date(committer.as_bytes()), seconds, "{committer}");
        }
    }
}
