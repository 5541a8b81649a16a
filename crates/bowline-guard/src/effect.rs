//! What a program run would do, as far as it matters to a guard.

use std::fmt;

use crate::paths::ResolvedPath;

/// The families of effects; settings give each its verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Category {
    /// Deletes files.
    Delete,
    /// Replaces or moves away the contents of files.
    Overwrite,
    /// Throws away uncommitted work.
    Discard,
    /// Rewrites or removes history.
    History,
    /// Changes what others have: remote branches, releases, packages.
    Remote,
    /// Destroys data in a database or queue.
    Database,
    /// Destroys cloud resources.
    Cloud,
    /// Destroys or changes infrastructure as code.
    Infrastructure,
    /// Destroys or changes what runs in a cluster.
    Cluster,
    /// Destroys containers, images or volumes.
    Container,
    /// Runs code that was fetched or hidden.
    FetchedCode,
    /// Changes permissions or owners.
    Permissions,
    /// Changes the system: disks, boot, users, services, firewall, schedules.
    System,
    /// Ends processes or the machine.
    Process,
    /// Reads a secret.
    SecretRead,
    /// Sends a secret or the environment elsewhere.
    SecretSend,
    /// Touches Bowline's or the agent's own guard settings.
    OwnSettings,
    /// Could not be judged, and contains something that could destroy.
    Unverified,
    /// Contains characters that deceive the eye.
    LookAlike,
}

impl Category {
    /// Every category.
    pub const ALL: &'static [Self] = &[
        Self::Delete,
        Self::Overwrite,
        Self::Discard,
        Self::History,
        Self::Remote,
        Self::Database,
        Self::Cloud,
        Self::Infrastructure,
        Self::Cluster,
        Self::Container,
        Self::FetchedCode,
        Self::Permissions,
        Self::System,
        Self::Process,
        Self::SecretRead,
        Self::SecretSend,
        Self::OwnSettings,
        Self::Unverified,
        Self::LookAlike,
    ];

    /// The name in settings and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Overwrite => "overwrite",
            Self::Discard => "discard",
            Self::History => "history",
            Self::Remote => "remote",
            Self::Database => "database",
            Self::Cloud => "cloud",
            Self::Infrastructure => "infrastructure",
            Self::Cluster => "cluster",
            Self::Container => "container",
            Self::FetchedCode => "fetched-code",
            Self::Permissions => "permissions",
            Self::System => "system",
            Self::Process => "process",
            Self::SecretRead => "secret-read",
            Self::SecretSend => "secret-send",
            Self::OwnSettings => "self",
            Self::Unverified => "unverified",
            Self::LookAlike => "look-alike",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How grave an effect is, from the mildest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gravity {
    /// Everyday work; shown by `explain`, never stopped.
    Harmless,
    /// Plausible in real work, but a person should confirm.
    Doubtful,
    /// Would lose what cannot be rebuilt, disclose a secret, or run what nobody has seen.
    Grave,
}

/// One effect of one program run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Effect {
    /// Its family.
    pub category: Category,
    /// How grave it is.
    pub gravity: Gravity,
    /// The rule that found it, such as `git.reset-hard`: stable, for allow-lists.
    pub rule: &'static str,
    /// What it does to what, for people: "deletes /home/dev and everything in it".
    pub what: String,
    /// A safer way, in words that a model can act on. It must itself pass the guard.
    pub instead: Option<String>,
    /// The paths that it is about, absolute, where they are known: as written, and where links lead.
    pub paths: Vec<String>,
    /// What the gravity rests on beside the text: what would be lost, or why nothing would.
    pub because: Option<String>,
}

impl Effect {
    /// An effect without advice.
    pub fn new(
        category: Category,
        gravity: Gravity,
        rule: &'static str,
        what: impl Into<String>,
    ) -> Self {
        Self {
            category,
            gravity,
            rule,
            what: what.into(),
            instead: None,
            paths: Vec::new(),
            because: None,
        }
    }

    /// Says which path it is about. A path with an unknown part could be any path.
    pub fn about(mut self, path: &ResolvedPath) -> Self {
        self.paths.extend(path.known_paths());
        self
    }

    /// Adds a safer way.
    pub fn instead(mut self, advice: impl Into<String>) -> Self {
        self.instead = Some(advice.into());
        self
    }
}
