//! The environment of the process that calls.

use std::ffi::{CStr, OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;

/// The variables of a process as systems keep them: `NAME=value`, each ended by a zero byte. Nothing is taken apart
/// before somebody asks for it. `Debug` shows how many there are and none of them: their values are secret, and logs are
/// kept.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(Vec<u8>);

impl Environment {
    /// An empty one.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes a block as it came from another process.
    pub const fn from_block(block: Vec<u8>) -> Self {
        Self(block)
    }

    /// The block.
    pub fn as_block(&self) -> &[u8] {
        &self.0
    }

    /// Adds a variable. No system has a name or a value with a zero byte; one that has is cut there.
    pub fn push(&mut self, (name, value): (OsString, OsString)) {
        self.add(&name, &value);
    }

    fn add(&mut self, name: &OsStr, value: &OsStr) {
        for (text, end) in [(name, b'='), (value, 0)] {
            let bytes = text.as_bytes().split(|byte| *byte == 0).next();
            self.0.extend_from_slice(bytes.unwrap_or_default());
            self.0.push(end);
        }
    }

    /// Gives a variable this value and no other. One that has it stays in its place.
    pub fn set(&mut self, name: &str, value: &str) {
        if self.get(name).is_none_or(|known| known != value) {
            self.remove(name);
            self.add(name.as_ref(), value.as_ref());
        }
    }

    /// Sets the home folder, and the folders that follow from it by default.
    pub fn set_home(&mut self, home: &str) {
        self.set("HOME", home);
        self.set("XDG_CONFIG_HOME", &format!("{home}/.config"));
        self.set("XDG_DATA_HOME", &format!("{home}/.local/share"));
    }

    /// Removes the variables of a name.
    pub fn remove(&mut self, name: &str) {
        let kept = self.iter().filter(|(known, _)| *known != name);
        *self = kept.collect();
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// All variables, in the order of the process that sent them.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.iter_if(|_| true)
    }

    /// The variables whose entry (`NAME=value`) is `wanted`. An environment is long, and most of it does not matter.
    pub fn iter_if(
        &self,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let mut rest = self.0.as_slice();
        let entries = std::iter::from_fn(move || {
            // Finds the zero byte many bytes at a time, which `split` does not.
            let entry = CStr::from_bytes_until_nul(rest).map_or(rest, CStr::to_bytes);
            let after = rest.get(entry.len() + 1..).unwrap_or_default();
            (!std::mem::replace(&mut rest, after).is_empty()).then_some(entry)
        });
        entries
            .filter(move |entry| wanted(entry))
            .filter_map(|entry| {
                // On some systems a name may begin with `=`.
                let end = entry.iter().skip(1).position(|byte| *byte == b'=')? + 1;
                let (name, value) = entry.split_at_checked(end)?;
                let value = value.strip_prefix(b"=")?;
                Some((OsStr::from_bytes(name), OsStr::from_bytes(value)))
            })
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<N: AsRef<OsStr>, V: AsRef<OsStr>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let mut environment = Self::new();
        for (name, value) in variables {
            environment.add(name.as_ref(), value.as_ref());
        }
        environment
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{} variables]", self.iter().count())
    }
}
