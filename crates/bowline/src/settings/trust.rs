//! What the user agreed to, kept outside of all projects.
//!
//! | module | what it has |
//! |---|---|
//! | `store` | trusted projects |
//! | `amend` | changes that a person makes through us, trusted by the same act |
//! | `fingerprint`, `script_hashes` | what trust is about, and its hash |
//! | `allowances` | what `bowline allow` lets pass |
//! | `ledger_file`, `repository` | the file that both are kept in, and which repository a folder is of |

pub(super) mod allowances;
pub(super) mod amend;
pub(super) mod fingerprint;
pub(super) mod ledger_file;
pub(super) mod repository;
pub(super) mod script_hashes;
pub(super) mod store;
