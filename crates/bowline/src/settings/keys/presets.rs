//! Presets: settings that go together, under one name. A preset is an ordinary settings text. Where a file names one, its
//! values are stated right before the file's own, with the rights of that file.

use std::fmt::Write as _;
use std::path::Path;

use super::describe::WordList;
use super::reader::{FileConfig, Stated};
use super::value::{Choice, Chosen};
use crate::event::fold;
use crate::settings::hooks::model::Scope;
use crate::settings::hooks::read::Syntax;
use crate::settings::syntax::fields::shortened;
use crate::settings::syntax::node::{self, SyntaxError};
use crate::settings::syntax::tree::{start, tree};

/// Settings that go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Preset {
    /// What holds where nothing is said.
    Safe,
    /// One developer with one agent or a few.
    Solo,
    /// Several people or agents in one project.
    Team,
    /// Agents that delegate to each other.
    Collective,
}

impl Preset {
    /// Every preset, from the one that does least.
    pub const ALL: [Self; 4] = [Self::Safe, Self::Solo, Self::Team, Self::Collective];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Solo => "solo",
            Self::Team => "team",
            Self::Collective => "collective",
        }
    }

    /// Whom it is for, in a few words.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Safe => "the guards alone, as without a preset",
            Self::Solo => "one developer with one agent or a few",
            Self::Team => "several people or agents in one project",
            Self::Collective => "agents that delegate to each other",
        }
    }

    /// The settings that it stands for, as a settings file has them.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Safe => include_str!("../presets/safe.toml"),
            Self::Solo => include_str!("../presets/solo.toml"),
            Self::Team => include_str!("../presets/team.toml"),
            Self::Collective => include_str!("../presets/collective.toml"),
        }
    }

    /// What it states. It was checked by a test, so that nothing is wrong with it.
    pub(super) fn read(self) -> Vec<Stated> {
        self.file().stated
    }

    pub(super) fn file(self) -> FileConfig<'static> {
        FileConfig::of_text(self.text(), Path::new(self.name()), Scope::Global)
    }
}

impl Chosen for Preset {
    const LIST: &'static WordList = &WordList {
        name: "Preset",
        about: "`safe`: the guards alone, as without a preset. `solo`: one developer with one agent or a few. `team`: several people or \
                agents in one project. `collective`: agents that delegate to each other. docs/presets.md has their values.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            (Self::Safe.name(), Self::Safe),
            (Self::Solo.name(), Self::Solo),
            (Self::Team.name(), Self::Team),
            (Self::Collective.name(), Self::Collective),
        ],
        also: &[],
    };
}

/// The key that names a preset.
pub(super) const KEY: &str = "preset";

/// Why a preset cannot be put into a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
#[non_exhaustive]
pub struct UnfitForPreset {
    /// The line that is wrong, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A settings text that names this preset: in the place of the one that it names, else in its first line.
pub fn with_preset(text: &str, preset: Preset) -> Result<String, UnfitForPreset> {
    let unfit = |error: SyntaxError| UnfitForPreset {
        line: text
            .get(..error.span.start)
            .map_or(1, |before| before.matches('\n').count() + 1),
        message: shortened(&error.message),
    };
    let root = tree(text, Syntax::Toml).map_err(unfit)?;
    let entries = match root.map(|root| root.value) {
        Some(node::Value::Map(entries)) => entries,
        _ => Vec::new(),
    };
    let word = format!("\"{}\"", preset.name());
    let mut with = text.to_owned();
    match entries.iter().find(|entry| fold(&entry.key.text) == KEY) {
        Some(named) => with.replace_range(named.value.span.clone(), &word),
        // A key of the file as a whole stands before its first section.
        None => with.insert_str(start(text), &format!("{KEY} = {word}\n")),
    }
    Ok(with)
}

const HEAD: &str = "\
# Presets

A preset is a set of settings that go together. `preset = \"team\"` in one of Bowline's files stands for the values below, and every key can
still be set beside it. `bowline init` asks for one, `bowline config init --preset NAME` writes a file with one, and `bowline config show` says which value
comes from where.

";

const RULES: &str = "
- A preset counts like keys that are written in its file, right before the file's own: the file's own keys win over it, and stronger
  files win over both.
- Every preset states all of these keys. So the preset of a project replaces the user's, whichever of them is milder.
- A project that is not trusted can only make decisions stricter, by a preset as by any key: of its preset's values those count that
  only tighten.
- What the administrator has locked stays locked, also for a preset.

This page is made from the presets themselves: `BOWLINE_UPDATE=1 cargo test -p bowline --lib checked_in` writes it anew.
";

/// What each preset sets, for people, in Markdown: `docs/presets.md`.
pub fn presets_page() -> String {
    let mut page = HEAD.to_owned();
    let all = Preset::ALL.map(|preset| (preset, preset.file()));
    page.push_str("| preset | for |\n|---|---|\n");
    for preset in Preset::ALL {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "| `{}` | {} |", preset.name(), preset.about());
    }
    page.push_str("\n| key |");
    for (preset, _) in &all {
        let _ = write!(page, " `{}` |", preset.name());
    }
    page.push_str("\n|---|---|---|---|---|\n");
    let [(_, first), ..] = &all;
    for stated in &first.stated {
        let _ = write!(page, "| `{}` |", stated.path);
        for (_, file) in &all {
            let of_key = |it: &&Stated| it.path.to_string() == stated.path.to_string();
            let value = file.stated.iter().find(of_key);
            let value = value.map(|it| it.value.to_string()).unwrap_or_default();
            let _ = write!(page, " `{}` |", value.trim_matches('"'));
        }
        page.push('\n');
    }
    page.push_str(RULES);
    page
}
