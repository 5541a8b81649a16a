//! The parts of a project that need trust, and their hash.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::script_hashes;
use super::script_hashes::ScriptHashes;
use crate::error::{Error, Result};
use crate::settings::claude::sensitive;
use crate::settings::claude::steering;
use crate::settings::claude::steering::{ProjectVariable, Sight, Steers};
use crate::settings::files::FileText;
use crate::settings::files::locations::{LOCAL_FILE, Locations, PROJECT_FILE, local_file};
use crate::settings::hooks::model::Scope;

/// The name of the variables in the fingerprint.
pub(super) const VARIABLES: &str = "env";

/// A project's files that trust is about, as they are now.
#[derive(Debug)]
pub(in crate::settings) struct ProjectFiles {
    /// `bowline.toml`.
    pub(in crate::settings) shared: FileText,
    /// `bowline.local.toml`, or the main checkout's.
    pub(in crate::settings) local: FileText,
    /// `.claude/sensitive-files.json`, which needs trust only if it has an allow-list.
    pub(in crate::settings) sensitive: FileText,
    /// What its files for Claude Code set, and would steer Bowline by.
    pub(in crate::settings) variables: Vec<ProjectVariable>,
    /// The scripts in the project that the hooks of its own files call.
    scripts: ScriptHashes,
}

impl ProjectFiles {
    pub(in crate::settings) fn read(project: &Path, locations: &Locations) -> Self {
        let shared = FileText::read_own(project.join(PROJECT_FILE));
        let local = FileText::read_own(local_file(project));
        let own = [(&shared, Scope::Project), (&local, Scope::Local)];
        let users = locations.claude_config_dir.as_deref();
        Self {
            scripts: script_hashes::of_files(&own, project, locations),
            sensitive: FileText::read(sensitive::file_of(project)),
            variables: steering::project_variables(project, users),
            shared,
            local,
        }
    }

    /// The same with another text of the local file, which calls the same scripts.
    pub(super) fn with_local(mut self, text: &str) -> Self {
        self.local.text = Ok(Some(text.to_owned()));
        self
    }

    /// SHA-256 over everything that needs trust; `None` when nothing does.
    pub(in crate::settings) fn sha256(&self) -> Result<Option<String>> {
        self.hash(self.allow_list())
    }

    /// Without an allow-list, or unreadable, the file can only tighten.
    fn allow_list(&self) -> Option<&str> {
        match &self.sensitive.text {
            Ok(Some(text)) if sensitive::loosens(text) => Some(text),
            Ok(_) | Err(_) => None,
        }
    }

    /// As [`sha256`](Self::sha256), without the allow-list.
    pub(super) fn own_sha256(&self) -> Result<Option<String>> {
        self.hash(None)
    }

    /// The variables that count once they are trusted, as one text.
    fn conduct(&self) -> Option<String> {
        let variables = self.variables.iter();
        let conduct = variables.filter(|it| it.steers != Steers::Places && it.sight == Sight::Read);
        let lines: Vec<String> = conduct
            .map(|it| format!("{:?} {:?}\n", it.name, it.value))
            .collect();
        (!lines.is_empty()).then(|| lines.concat())
    }

    /// What everything that needs trust holds, by its name.
    pub(super) fn parts(&self) -> Result<BTreeMap<String, String>> {
        let parts = self.named(self.allow_list())?.into_iter();
        Ok(parts
            .map(|(name, text)| (name, hex_sha256_of(text.as_bytes())))
            .collect())
    }

    fn hash(&self, allow_list: Option<&str>) -> Result<Option<String>> {
        let named = self.named(allow_list)?;
        let named = named.iter().map(|(name, text)| (name, text.as_str()));
        Ok(hex_sha256(named))
    }

    /// Everything that needs trust, by its name.
    fn named(&self, allow_list: Option<&str>) -> Result<Vec<(String, String)>> {
        let mut texts = Vec::new();
        for (name, file) in [(PROJECT_FILE, &self.shared), (LOCAL_FILE, &self.local)] {
            let text = file.text.as_ref().map_err(|unreadable| Error::File {
                action: "read",
                path: file.path.clone(),
                source: io::Error::other(unreadable.to_string()),
            })?;
            texts.push((name, text.as_deref()));
        }
        texts.push((sensitive::PATH, allow_list));
        let variables = self.conduct();
        texts.push((VARIABLES, variables.as_deref()));
        let there = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)));
        let there = there.map(|(name, text)| (name.to_owned(), text.to_owned()));
        let scripts = self.scripts.as_ref().map_err(Error::other)?;
        Ok(there.chain(scripts.iter().cloned()).collect())
    }
}

/// SHA-256 over names, lengths and contents, in hexadecimal; `None` of nothing.
pub(in crate::settings) fn hex_sha256<'a, N: AsRef<[u8]>>(
    texts: impl IntoIterator<Item = (N, &'a str)>,
) -> Option<String> {
    let mut hash = hmac_sha256::Hash::new();
    let mut any = false;
    for (name, text) in texts {
        any = true;
        hash.update(name);
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    any.then(|| hexadecimal(hash))
}

/// SHA-256 of bytes, in hexadecimal.
pub(in crate::settings) fn hex_sha256_of(bytes: &[u8]) -> String {
    let mut hash = hmac_sha256::Hash::new();
    hash.update(bytes);
    hexadecimal(hash)
}

fn hexadecimal(hash: hmac_sha256::Hash) -> String {
    use std::fmt::Write as _;
    let bytes = hash.finalize();
    bytes
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}
