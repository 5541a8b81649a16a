//! The names that a program text gives values to, and how much may be made of them.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::value::Value;

/// Tokens that are looked at and bytes that are made for the values of one text. A name may double another again and
/// again.
const MAX_MADE: usize = 512 * 1024;

/// The names that the text itself gives values to.
#[derive(Debug)]
pub(super) struct Names {
    values: BTreeMap<String, Value>,
    left: Cell<usize>,
    spent: Cell<bool>,
}

impl Names {
    pub(super) fn new() -> Self {
        Self {
            values: BTreeMap::new(),
            left: Cell::new(MAX_MADE),
            spent: Cell::new(false),
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    pub(super) fn insert(&mut self, name: String, value: Value) {
        self.values.insert(name, value);
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// Pays for work on values; `false` when it would be too much, so that the value is unknown.
    pub(super) fn pay(&self, size: usize) -> bool {
        let left = self.left.get().checked_sub(size);
        if let Some(left) = left {
            self.left.set(left);
        } else {
            self.give_up();
        }
        left.is_some()
    }

    /// Notes that a value is unknown only because it would be too much.
    pub(super) fn give_up(&self) {
        self.spent.set(true);
    }

    /// Whether some value is unknown only because it would be too much.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.get()
    }
}
