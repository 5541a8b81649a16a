//! Archives that come out the same whenever they are made.

use std::io::Write as _;

use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;

/// A file in an archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) content: Vec<u8>,
    mode: u32,
}

impl Entry {
    pub(super) fn file(path: &str, content: Vec<u8>) -> Self {
        Self {
            path: path.to_owned(),
            content,
            mode: 0o644,
        }
    }

    /// A folder.
    pub(super) fn folder(path: &str) -> Self {
        Self {
            mode: 0o40755,
            ..Self::file(path, Vec::new())
        }
    }

    pub(super) fn program(path: &str, content: Vec<u8>) -> Self {
        Self {
            mode: 0o755,
            ..Self::file(path, content)
        }
    }

    /// The same file in another place.
    pub(super) fn at(&self, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..self.clone()
        }
    }
}

/// A compressed archive of these files, all of them below `root`.
pub(super) fn tar_gz(files: &[Entry], root: &str, time: u64) -> Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    tar.mode(tar::HeaderMode::Deterministic);
    for file in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.content.len() as u64);
        header.set_mode(file.mode & 0o7777);
        if file.mode & 0o40000 != 0 {
            header.set_entry_type(tar::EntryType::Directory);
        }
        header.set_mtime(time);
        header.set_uid(0);
        header.set_gid(0);
        header.set_cksum();
        let path = if root.is_empty() {
            file.path.clone()
        } else {
            format!("{root}/{}", file.path)
        };
        tar.append_data(&mut header, path, &*file.content)?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// The archive format of `ar`, of which a `.deb` is one.
pub(super) fn ar(members: &[(&str, &[u8])], time: u64) -> Result<Vec<u8>> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, content) in members {
        writeln!(
            archive,
            "{name:<16}{time:<12}{:<6}{:<6}{:<8}{:<10}`",
            0,
            0,
            "100644",
            content.len()
        )?;
        archive.extend_from_slice(content);
        if content.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    Ok(archive)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_archive() {
        let files = [
            Entry::program("bin/a", b"x".to_vec()),
            Entry::file("b", b"yy".to_vec()),
        ];
        let made = tar_gz(&files, "root", 1_000_000).unwrap();
        assert_eq!(made, tar_gz(&files, "root", 1_000_000).unwrap());
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(&*made));
        let found: Vec<(String, u32)> = read
            .entries()
            .unwrap()
            .map(|entry| {
                let entry = entry.unwrap();
                let path = entry.path().unwrap().display().to_string();
                (path, entry.header().mode().unwrap())
            })
            .collect();
        assert_eq!(
            found,
            [
                ("root/bin/a".to_owned(), 0o755),
                ("root/b".to_owned(), 0o644)
            ]
        );
    }

    #[test]
    fn members_of_ar_begin_at_even_places() {
        let made = ar(&[("a", b"1"), ("b", b"22")], 7).unwrap();
        assert_eq!(made.len(), 8 + 60 + 2 + 60 + 2);
        assert!(
            made[8..]
                .starts_with(b"a               7           0     0     100644  1         `\n1\n")
        );
    }
}
