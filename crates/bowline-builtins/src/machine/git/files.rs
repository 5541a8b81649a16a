//! Git's files that are remembered from one judgement to the next.

use super::config::Config;
use crate::machine::cache::{FileCache, Limits};

#[derive(Debug)]
pub(in crate::machine) struct GitFiles {
    pub(super) configs: FileCache<Config>,
}

impl Default for GitFiles {
    fn default() -> Self {
        let limits = |file_bytes, files, total_bytes| Limits {
            file_bytes,
            files,
            total_bytes,
        };
        Self {
            configs: FileCache::new(limits(1 << 20, 256, 8 << 20), Config::parse),
        }
    }
}
