//! `[[rule]]` → `RuleDefinition`s, and which of them count.
//!
//! | module | what it has |
//! |---|---|
//! | `keys` | the keys of a rule, described once |
//! | `read`, `examples` | reads them |
//! | `definition` | what a rule is after reading |
//! | `arrange` | the rules of all files: order, trust |

pub(super) mod arrange;
pub(super) mod definition;
pub(super) mod examples;
pub(super) mod keys;
pub(super) mod read;

pub(super) use arrange::arrange;
pub(super) use read::read;
