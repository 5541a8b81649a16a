//! Bowline's own keys. Each key of `bowline.toml` is described once, in a table; the reader, the JSON schema and
//! `docs/settings.md` come from it.
//!
//! | module | what it has |
//! |---|---|
//! | `describe` | what is said of a key: `Key`, its `Kind`, and who may set it |
//! | `value` | the types of values, and how each is read |
//! | `slot` | where a value goes, and when it only tightens |
//! | `sections` | what the files say after precedence, and their keys: one file per section |
//! | `guard`, `guard_table` | the same for `[guard]`; the keys of hooks and rules are in `hooks/keys.rs` and `rules/keys.rs` |
//! | `reader`, `resolve` | a file's tree → what it states → `Config` |
//! | `presets` | settings that go together, under one name |
//! | `origin` | which value holds, where it was stated, and why another one does not count |
//! | `schema`, `page`, `template` | what is generated from the tables |

mod describe;
mod doubts;
mod guard;
mod guard_table;
mod origin;
mod page;
mod patterns;
mod presets;
mod reader;
mod resolve;
mod schema;
pub(super) mod sections;
mod slot;
mod template;
mod value;

pub use guard::{GuardAllow, GuardConfig, GuardLayer, GuardMode, SecretWriting, SensitiveConfig};
pub use origin::{SettingKey, SettingSource, SettingStatus, StatedSetting, setting_keys};
pub use page::settings_page;
pub use presets::{Preset, UnfitForPreset, presets_page, with_preset};
pub use schema::json_schema;
pub use template::{TemplateFor, settings_template};

pub(super) use describe::{Key, Kind, Map, Table, TextLike, Union, Unknown, WordList};
pub(super) use origin::settled;
pub(super) use reader::FileConfig;
pub(super) use resolve::{Lock, resolve};
pub(super) use sections::Config;
pub(super) use value::{Choice, Chosen};

#[cfg(test)]
mod tests;
