//! Where settings files are, and how they are read within limits.
//!
//! | module | what it has |
//! |---|---|
//! | `locations` | where they are |
//! | `text` | reads them |

pub(super) mod locations;
mod text;

pub(super) use text::{
    FileText, MAX_OWN_BYTES, finding, list, read_bytes, read_bytes_within, read_text,
};
