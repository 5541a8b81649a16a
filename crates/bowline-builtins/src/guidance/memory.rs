//! What hooks remember of sessions and projects: in memory, and in the store for the next process.
//!
//! What a hook remembers is written together with the event that changed it. It is read again when another process has written, as far as
//! the store has noticed. Without a store it lasts as long as this process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bowline::hooks::{HookContext, HookInput};
use bowline_store::{Change, MemoryOf, Store};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::caught_up::catch_up;
use crate::recorder::add_change;

/// More is not kept in memory. What is dropped is read again.
const MAX_ENTRIES: usize = 16_384;

/// What all hooks remember.
#[derive(Default)]
pub struct Memory {
    store: Option<Arc<dyn Store>>,
    entries: Mutex<HashMap<Key, Arc<Mutex<Entry>>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    of: MemoryOf,
    name: String,
    hook: &'static str,
}

/// What one hook remembers of one session or project.
#[derive(Debug, Default)]
struct Entry {
    /// What the store counted when this was read; `None` if it was not.
    read_at: Option<u64>,
    state: Value,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Memory {
    /// Nothing is in memory yet; what was remembered before is in the store.
    pub fn new(store: Option<Arc<dyn Store>>) -> Self {
        Self {
            store,
            entries: Mutex::default(),
        }
    }

    /// The store.
    pub(super) fn store(&self) -> Option<&Arc<dyn Store>> {
        self.store.as_ref()
    }

    /// Lets a hook look at what it remembers of the event's session, and change it. Sub-agents share it with their agent.
    pub(super) fn of_session<S, T>(
        &self,
        hook: &'static str,
        input: &HookInput,
        ctx: &HookContext,
        what: impl FnOnce(&mut S) -> T,
    ) -> T
    where
        S: Default + Serialize + DeserializeOwned,
    {
        self.with(MemoryOf::Session, &input.session_id, hook, ctx, what)
    }

    /// Lets a hook look at what it remembers of a project, and change it. An event has one project: this must be it.
    pub(super) fn of_project<S, T>(
        &self,
        hook: &'static str,
        project: &str,
        ctx: &HookContext,
        what: impl FnOnce(&mut S) -> T,
    ) -> T
    where
        S: Default + Serialize + DeserializeOwned,
    {
        self.with(MemoryOf::Project, project, hook, ctx, what)
    }

    fn with<S, T>(
        &self,
        of: MemoryOf,
        name: &str,
        hook: &'static str,
        ctx: &HookContext,
        what: impl FnOnce(&mut S) -> T,
    ) -> T
    where
        S: Default + Serialize + DeserializeOwned,
    {
        let entry = self.entry(of, name, hook);
        let mut entry = lock(&entry);
        if let Some(store) = &self.store {
            let now = store.continuity().foreign_writes();
            if entry.read_at != Some(now) {
                catch_up(store.as_ref(), ctx);
                match store.remembered(of, name, hook) {
                    Ok(state) => entry.state = state.unwrap_or_default(),
                    Err(error) => tracing::debug!("what {hook} remembers was not read: {error}"),
                }
                entry.read_at = Some(now);
            }
        }
        // What cannot be read is as if nothing had been remembered.
        let mut state: S = S::deserialize(&entry.state).unwrap_or_default();
        let result = what(&mut state);
        match serde_json::to_value(&state) {
            Ok(after) if after != entry.state => {
                entry.state.clone_from(&after);
                let hook = hook.to_owned();
                let state = after;
                add_change(ctx, Change::Remembered { of, hook, state });
            }
            Ok(_) => {}
            Err(error) => tracing::debug!("what {hook} remembers was not kept: {error}"),
        }
        result
    }

    fn entry(&self, of: MemoryOf, name: &str, hook: &'static str) -> Arc<Mutex<Entry>> {
        let key = Key {
            of,
            name: name.to_owned(),
            hook,
        };
        let mut entries = lock(&self.entries);
        if entries.len() >= MAX_ENTRIES && !entries.contains_key(&key) {
            entries.clear();
        }
        Arc::clone(entries.entry(key).or_default())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
