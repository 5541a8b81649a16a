//! Hooks in all their shapes → `HookDefinition`s, in the order in which they run.
//!
//! | module | what it has |
//! |---|---|
//! | `read` | the text of one file → hooks and findings |
//! | `shape` | which of the six shapes, and the way to the single hooks |
//! | `keys` | the keys of a hook, described once |
//! | `definition`, `action`, `matcher`, `policy`, `timeouts` | one hook: what it does, when, and the result of failures |
//! | `model` | what hooks are after reading |
//! | `ids`, `merge` | the hooks of all files: names, order, twins |
//! | `scripts`, `programs`, `unmatched` | what hooks call and match that is not there |

pub(super) mod action;
pub(super) mod definition;
pub(super) mod ids;
pub(super) mod keys;
pub(super) mod matcher;
pub(super) mod merge;
pub(super) mod model;
pub(super) mod policy;
pub(super) mod programs;
pub(super) mod read;
pub(super) mod scripts;
pub(super) mod shape;
pub(super) mod timeouts;
pub(super) mod unmatched;
