//! Whether a Linux program needs a dynamic loader.

/// How a program is linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    /// It starts as it is.
    Static,
    /// A loader has to find its libraries first.
    Dynamic,
}

/// The type of the program header that names the loader.
const PT_INTERP: u32 = 3;

/// Reads the headers of a 64-bit little-endian ELF file; `None` if it is something else.
pub(crate) fn linkage(file: &[u8]) -> Option<Linkage> {
    let is_64_bit_little_endian = file.starts_with(b"\x7fELF\x02\x01");
    if !is_64_bit_little_endian {
        return None;
    }
    let table = usize::try_from(u64::from_le_bytes(bytes(file, 32)?)).ok()?;
    let entry_size = usize::from(u16::from_le_bytes(bytes(file, 54)?));
    let entries = usize::from(u16::from_le_bytes(bytes(file, 56)?));
    for entry in 0..entries {
        let at = table.checked_add(entry.checked_mul(entry_size)?)?;
        if u32::from_le_bytes(bytes(file, at)?) == PT_INTERP {
            return Some(Linkage::Dynamic);
        }
    }
    Some(Linkage::Static)
}

fn bytes<const N: usize>(file: &[u8], at: usize) -> Option<[u8; N]> {
    file.get(at..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(types: &[u32]) -> Vec<u8> {
        let mut file = b"\x7fELF\x02\x01".to_vec();
        file.resize(64, 0);
        file[32] = 64;
        file[54] = 56;
        file[56] = u8::try_from(types.len()).unwrap();
        for kind in types {
            let mut entry = kind.to_le_bytes().to_vec();
            entry.resize(56, 0);
            file.extend(entry);
        }
        file
    }

    #[test]
    fn only_what_names_a_loader_is_dynamic() {
        for (file, expected) in [
            (program(&[1, 1, 4]), Some(Linkage::Static)),
            (program(&[6, 3, 1]), Some(Linkage::Dynamic)),
            (program(&[]), Some(Linkage::Static)),
            (b"#!/bin/sh\n".to_vec(), None),
            (b"\x7fELF\x02\x01".to_vec(), None),
            (Vec::new(), None),
        ] {
            assert_eq!(linkage(&file), expected);
        }
        let mut cut = program(&[1, 3]);
        cut.truncate(70);
        assert_eq!(linkage(&cut), None);
    }
}
