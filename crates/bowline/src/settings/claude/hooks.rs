//! The hooks that a project brings in Claude Code's own files. The client runs them by its own rules; other agents run them through
//! `[bridge] claude_hooks`, and then a person has to have seen them.

use std::path::{Path, PathBuf};

use crate::settings::files::finding;
use crate::settings::syntax::diagnostic::{Diagnostic, Severity};
use crate::settings::trust::fingerprint::hex_sha256;
use crate::settings::trust::script_hashes::ScriptHashes;
use crate::settings::trust::store::{TrustState, TrustStore};

/// A project's hooks in Claude Code's files, as trust sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaudeHooks {
    /// SHA-256 of the files that hold them; `None` if the project has none.
    pub sha256: Option<String>,
    /// Whether the user trusts them as they are now.
    pub trust: TrustState,
}

impl ClaudeHooks {
    /// Judges the files of a project that have hooks, each with its text, and the scripts that these call.
    pub(in crate::settings) fn of(
        project: &Path,
        files: &[(PathBuf, String)],
        scripts: ScriptHashes,
        store: Option<&TrustStore>,
    ) -> Self {
        let texts = files.iter().map(|(path, text)| {
            let name = path.strip_prefix(project).unwrap_or(path);
            (name.as_os_str().as_encoded_bytes(), text.as_str())
        });
        let Ok(scripts) = scripts else {
            // A file that cannot be read is never trusted.
            return Self {
                sha256: None,
                trust: TrustState::Untrusted,
            };
        };
        let scripts = scripts
            .iter()
            .map(|(name, hash)| (name.as_bytes(), hash.as_str()));
        let sha256 = hex_sha256(texts.chain(scripts));
        let trust = match (&sha256, store) {
            (None, _) => TrustState::NotNeeded,
            (Some(_), None) => TrustState::Untrusted,
            (Some(sha256), Some(store)) => store.claude_hooks_state(project, sha256),
        };
        Self { sha256, trust }
    }

    /// That they do not run under other agents, where the settings want that and a person has not seen them as they are.
    pub(in crate::settings) fn told(&self, files: &[(PathBuf, String)]) -> Option<Diagnostic> {
        let (path, _) = files.first()?;
        let why = match self.trust {
            TrustState::NotNeeded | TrustState::Trusted => return None,
            TrustState::Changed => {
                "they, or scripts that they call, have changed since they were trusted"
            }
            TrustState::Untrusted | TrustState::ExceptAllowList => "they are not trusted",
        };
        Some(finding(
            Severity::Warning,
            "bridge-untrusted",
            path,
            format!("the project's hooks for Claude Code do not run under other agents: {why}"),
            "look at them and run `bowline trust`",
        ))
    }
}
