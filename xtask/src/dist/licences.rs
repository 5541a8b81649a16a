//! The licences of what the programs are made of, in full.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;

use super::Release;
use super::sbom::{self, Origin};
use crate::programs::Network;

/// What files with a licence are called.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];

/// Every licence text once, with the crates that it is for.
pub(super) fn text(release: &Release, network: Network) -> Result<String> {
    let mut crates_of: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for part in sbom::parts(release, network)? {
        if part.origin == Origin::Ours {
            continue;
        }
        let shown = format!(
            "{} {} ({})",
            part.name,
            part.version,
            part.licence.as_deref().unwrap_or("see its text")
        );
        let texts = texts_in(&part.folder);
        if texts.is_empty() {
            without.push(shown.clone());
        }
        for text in texts {
            crates_of.entry(text).or_default().push(shown.clone());
        }
    }
    let mut whole =
        "Bowline contains the following crates under the following licences.\n".to_owned();
    if !without.is_empty() {
        let _ = write!(
            whole,
            "\nThese name their licence and have no text of it:\n  {}\n",
            without.join("\n  ")
        );
    }
    for (text, crates) in crates_of {
        let line = "-".repeat(78);
        let _ = write!(
            whole,
            "\n{line}\n{}\n{line}\n{}\n",
            crates.join("\n"),
            text.trim_end()
        );
    }
    Ok(whole)
}

fn texts_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_lowercase();
            NAMES.iter().any(|it| name.starts_with(it))
        })
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .map(|text| text.replace("\r\n", "\n"))
        .collect()
}
