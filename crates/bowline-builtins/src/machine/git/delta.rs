//! Differences: how packs write an object that resembles another.

use super::object::MAX_OBJECT;

/// Puts an object together from its base; `None` if the two do not fit, or the object is too large.
pub(super) fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = Reader(delta);
    if rest.length()? != base.len() {
        return None;
    }
    let length = rest.length().filter(|it| *it <= MAX_OBJECT)?;
    let mut made = Vec::with_capacity(length);
    while let Some(command) = rest.byte() {
        let part = match command {
            0 => return None,
            1..=0x7f => rest.take(usize::from(command))?,
            _ => {
                let start = rest.number(command, 4)?;
                let count = match rest.number(command >> 4, 3)? {
                    0 => 0x1_0000,
                    count => count,
                };
                base.get(start..start.checked_add(count)?)?
            }
        };
        if made.len() + part.len() > length {
            return None;
        }
        made.extend_from_slice(part);
    }
    (made.len() == length).then_some(made)
}

struct Reader<'bytes>(&'bytes [u8]);

impl<'bytes> Reader<'bytes> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, count: usize) -> Option<&'bytes [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of seven bits per byte, the lowest first.
    fn length(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        for shift in (0..=28).step_by(7) {
            let byte = self.byte()?;
            value |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A number of up to `bytes` bytes, of which only those follow whose bit in `present` is set.
    fn number(&mut self, present: u8, bytes: u8) -> Option<usize> {
        let mut value = 0;
        for at in 0..bytes {
            if present >> at & 1 == 1 {
                value |= usize::from(self.byte()?) << (8 * at);
            }
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_copied_and_added() {
        let made = apply(b"hello world", &[11, 9, 0x91, 6, 5, 1, b'!', 0x90, 3]);
        assert_eq!(made.unwrap(), b"world!hel");
    }

    #[test]
    fn a_count_of_zero_is_a_large_one() {
        let base = vec![7; 0x1_0000];
        let delta = [0x80, 0x80, 4, 0x80, 0x80, 4, 0x80];
        assert_eq!(apply(&base, &delta), Some(base));
    }

    #[test]
    fn nonsense_is_refused() {
        for (what, delta) in [
            ("nothing", &[][..]),
            ("another base", &[10, 1, 1, b'x']),
            ("less than told", &[11, 9, 1, b'x']),
            ("more than told", &[11, 1, 2, b'x', b'y']),
            ("beyond the base", &[11, 5, 0x91, 8, 5]),
            ("cut", &[11, 5, 5, b'x']),
            ("the reserved command", &[11, 0, 0]),
            ("a huge claim", &[11, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, b'x']),
            (
                "an endless number",
                &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ),
        ] {
            assert_eq!(apply(b"hello world", delta), None, "{what}");
        }
    }
}
