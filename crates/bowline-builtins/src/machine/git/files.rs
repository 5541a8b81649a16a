//! Git's files that are remembered from one judgement to the next.

use super::attributes::Attributes;
use super::config::Config;
use super::entries::Entries;
use super::refs::PackedRefs;
use crate::machine::cache::{FileCache, Limits};

#[derive(Debug)]
pub(in crate::machine) struct GitFiles {
    pub(super) configs: FileCache<Config>,
    pub(super) attributes: FileCache<Attributes>,
    pub(super) indexes: FileCache<Entries>,
    pub(super) packed: FileCache<PackedRefs>,
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
            attributes: FileCache::new(limits(256 << 10, 512, 8 << 20), Attributes::parse),
            indexes: FileCache::new(limits(32 << 20, 16, 64 << 20), Entries::parse),
            packed: FileCache::new(limits(32 << 20, 16, 32 << 20), PackedRefs::parse),
        }
    }
}
