//! Folders of this machine that a container is given: a path in the container leads back to them.

use super::options::texts_of;
use super::value::{Content, Item};
use crate::invocation::Value;

/// So many folders of one container are followed.
const MAX_MOUNTS: usize = 16;

/// A folder here, and where the container sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    here: String,
    there: String,
}

/// The folders that the options of a container's start name.
pub(super) fn mounts(options: &[Item]) -> Vec<Mount> {
    let volumes = texts_of(options, &["-v", "--volume", "--bind", "-B"]);
    let bound = volumes.iter().filter_map(|it| {
        let mut parts = it.split(':');
        Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
    });
    let mounted = texts_of(options, &["--mount"]);
    let named = mounted.iter().filter_map(|it| {
        let value = |names: &[&str]| {
            it.split(',')
                .filter_map(|part| part.split_once('='))
                .find(|(name, _)| names.contains(name))
                .map(|(_, value)| value.to_owned())
        };
        Some((
            value(&["source", "src"])?,
            value(&["target", "dst", "destination"])?,
        ))
    });
    bound
        .chain(named)
        .filter(|(here, there)| here.starts_with(['/', '~', '.', '$']) && there.starts_with('/'))
        .take(MAX_MOUNTS)
        .map(|(here, there)| Mount {
            here: here.trim_end_matches('/').to_owned(),
            there: there.trim_end_matches('/').to_owned(),
        })
        .filter(|it| !it.there.is_empty())
        .collect()
}

/// The words of a command with the container's paths as they are here; `None` if none leads here.
pub(super) fn seen_from_here(words: &[Item], mounts: &[Mount]) -> Option<Vec<Item>> {
    let mut led = false;
    let words = words
        .iter()
        .map(|item| {
            let mut text = item.marked().to_owned();
            for mount in mounts {
                if text == mount.there {
                    text = if mount.here.is_empty() {
                        "/".to_owned()
                    } else {
                        mount.here.clone()
                    };
                } else {
                    text = text.replace(&format!("{}/", mount.there), &format!("{}/", mount.here));
                }
            }
            if text == item.marked() {
                return item.clone();
            }
            led = true;
            let mut mapped = Item::of(Content::of_text(text.clone()));
            if text.starts_with(['~', '$']) || text.contains('*') {
                mapped.arg.value = Value::Pattern(text);
            }
            mapped
        })
        .collect();
    led.then_some(words)
}
