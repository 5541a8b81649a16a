//! Text → tree. Every syntax becomes one tree whose nodes know their place in the file, so that every finding has a line and a column.
//!
//! | module | what it has |
//! |---|---|
//! | `limits` | refuses what no settings file needs, before a parser sees it |
//! | `json`, `toml`, `yaml` | the three syntaxes |
//! | `node`, `tree` | the tree |
//! | `fields` | the keys of one object, asked for by name |
//! | `findings`, `diagnostic` | what is wrong, and where |

pub(super) mod diagnostic;
pub(super) mod fields;
pub(super) mod findings;
pub(super) mod json;
pub(super) mod limits;
pub(super) mod node;
pub(super) mod toml;
pub(super) mod tree;
pub(super) mod yaml;
