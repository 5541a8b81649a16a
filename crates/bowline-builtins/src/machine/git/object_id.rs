//! The names of git's objects.

use std::fmt;

use sha1_smol::Sha1;

/// The name of an object in a repository with SHA-1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId([u8; ObjectId::BYTES]);

impl ObjectId {
    pub(super) const BYTES: usize = 20;
    pub(super) const DIGITS: usize = 2 * Self::BYTES;

    /// The name that a hexadecimal text gives in full.
    pub(crate) fn from_hex(text: &[u8]) -> Option<Self> {
        if text.len() != Self::DIGITS {
            return None;
        }
        let mut bytes = [0; Self::BYTES];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *byte = digit(*high)? << 4 | digit(*low)?;
        }
        Some(Self(bytes))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    pub(super) const fn bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The name that stands for no object at all.
    pub(super) fn is_null(&self) -> bool {
        self.0 == [0; Self::BYTES]
    }

    /// What git names an object of this kind with this content.
    pub(super) fn of(kind: &str, content: &[u8]) -> Self {
        let mut hash = Sha1::new();
        hash.update(format!("{kind} {}\0", content.len()).as_bytes());
        hash.update(content);
        Self(hash.digest().bytes())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first digits of an object's name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prefix {
    /// The least name that starts so.
    least: [u8; ObjectId::BYTES],
    digits: usize,
}

impl Prefix {
    /// Git takes four digits at least.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.len();
        if !(4..=ObjectId::DIGITS).contains(&digits) {
            return None;
        }
        let mut least = [0; ObjectId::BYTES];
        for (at, byte) in text.bytes().enumerate() {
            *least.get_mut(at / 2)? |= digit(byte)? << if at % 2 == 0 { 4 } else { 0 };
        }
        Some(Self { least, digits })
    }

    pub(super) const fn least(&self) -> &[u8; ObjectId::BYTES] {
        &self.least
    }

    pub(super) fn begins(&self, id: &[u8]) -> bool {
        let whole = self.digits / 2;
        let odd = self.digits % 2 == 1;
        id.get(..whole) == self.least.get(..whole)
            && (!odd || id.get(whole).map(|it| it >> 4) == self.least.get(whole).map(|it| it >> 4))
    }
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

    #[test]
    fn names_are_read_and_shown() {
        let id = ObjectId::from_hex(EMPTY.as_bytes()).unwrap();
        assert_eq!(id, ObjectId::of("blob", b""));
        assert_eq!(id.to_string(), EMPTY);
        assert_eq!(format!("{id:?}"), EMPTY);
        assert_eq!(
            ObjectId::from_hex(EMPTY.to_uppercase().as_bytes()),
            Some(id)
        );
        for wrong in ["", "e69d", &EMPTY[1..], &EMPTY.replace('e', "g")] {
            assert_eq!(ObjectId::from_hex(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!(ObjectId::from_bytes(&[1; 19]), None);
    }

    #[test]
    fn a_name_begins_with_its_first_digits() {
        let id = ObjectId::from_hex(EMPTY.as_bytes()).unwrap();
        for (text, begins) in [
            ("e69d", true),
            ("E69DE", true),
            ("e69df", false),
            ("e69e", false),
            (EMPTY, true),
        ] {
            let prefix = Prefix::parse(text).unwrap();
            assert_eq!(prefix.begins(id.bytes()), begins, "{text}");
            assert!(!begins || prefix.least() <= id.bytes(), "{text}");
        }
        for wrong in ["e69", "", "e69g", &format!("{EMPTY}0")] {
            assert!(Prefix::parse(wrong).is_none(), "{wrong}");
        }
    }
}
