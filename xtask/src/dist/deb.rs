//! A package for Debian and its relatives.

use std::collections::BTreeSet;

use anyhow::Result;

use super::Release;
use super::archive::{Entry, ar, tar_gz};

pub(super) fn package(release: &Release, architecture: &str, files: &[Entry]) -> Result<Vec<u8>> {
    let mut installed: Vec<Entry> = files
        .iter()
        .map(|file| file.at(&place(&file.path)))
        .collect();
    let folders: BTreeSet<String> = installed
        .iter()
        .flat_map(|file| folders_of(&file.path))
        .collect();
    // A folder comes before what is in it.
    installed.splice(..0, folders.iter().map(|folder| Entry::folder(folder)));
    let kilobytes = installed
        .iter()
        .map(|file| file.content.len().div_ceil(1024))
        .sum::<usize>();
    let control = format!(
        "Package: bowline\n\
         Version: {}\n\
         Architecture: {architecture}\n\
         Maintainer: The Bowline authors <bowline-hooks@users.noreply.github.com>\n\
         Installed-Size: {kilobytes}\n\
         Depends: libc6 (>= 2.34)\n\
         Section: devel\n\
         Priority: optional\n\
         Homepage: {}\n\
         Description: hook engine for AI coding agents\n \
         Denies what would destroy work or leak secrets, keeps every tool call\n \
         as a trace, and answers in about a millisecond.\n",
        release.version,
        super::REPOSITORY,
    );
    let control = [Entry::file("./control", control.into_bytes())];
    let control = tar_gz(&control, "", release.time)?;
    let data = tar_gz(&installed, "", release.time)?;
    ar(
        &[
            ("debian-binary", b"2.0\n"),
            ("control.tar.gz", &control),
            ("data.tar.gz", &data),
        ],
        release.time,
    )
}

/// `./usr/` and `./usr/bin/` for `./usr/bin/bowline`.
fn folders_of(path: &str) -> impl Iterator<Item = String> {
    path.match_indices('/')
        .filter_map(|(at, _)| path.get(..=at).map(str::to_owned))
        .filter(|folder| folder != "./")
}

/// Where a file of the archive goes.
fn place(path: &str) -> String {
    match path.split_once('/') {
        Some(("bin", name)) => format!("./usr/bin/{name}"),
        Some(("man", name)) => format!("./usr/share/man/man1/{name}"),
        Some(("completions", "bowline.bash")) => {
            "./usr/share/bash-completion/completions/bowline".to_owned()
        }
        Some(("completions", "bowline.fish")) => {
            "./usr/share/fish/vendor_completions.d/bowline.fish".to_owned()
        }
        Some(("completions", name)) => format!("./usr/share/zsh/vendor-completions/{name}"),
        _ => format!("./usr/share/doc/bowline/{path}"),
    }
}
