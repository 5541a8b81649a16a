//! Variables that only a project's own files set.

use std::borrow::Cow;

use bowline::settings::{Settings, Sight};
use bowline_builtins::recorder::DISABLING_VARIABLES;

use super::context::SWITCH_VARIABLE;

/// The variables that only a project's own files set, and that do not count.
#[derive(Debug, Clone, Default)]
pub(super) struct Void {
    /// Sorted.
    names: Vec<String>,
    /// The variables that the project's files set with a person's trust.
    believed: Vec<String>,
    /// Any variable may be the project's: its files could not be read.
    unread: bool,
}

impl Void {
    pub(super) fn of(settings: &Settings) -> Self {
        let mut names: Vec<String> = settings
            .void_variables()
            .map(|it| it.name.clone())
            .collect();
        names.sort_unstable();
        names.dedup();
        let believed = settings.believed_variables();
        Self {
            names,
            believed: believed.map(|it| it.name.clone()).collect(),
            unread: settings
                .variables
                .iter()
                .any(|it| it.sight == Sight::Unread),
        }
    }

    /// For a project whose files could not be read. A switch may come from them.
    pub(super) fn unread() -> Self {
        Self {
            unread: true,
            ..Self::default()
        }
    }

    /// The same with these names, unless a person's trust covers them now.
    pub(super) fn and(&self, names: &[String]) -> Cow<'_, Self> {
        let counts_here = |name: &String| self.has(name) || self.believed.contains(name);
        let mut more = names.iter().filter(|name| !counts_here(name)).peekable();
        if more.peek().is_none() {
            return Cow::Borrowed(self);
        }
        let mut void = self.clone();
        void.names.extend(more.cloned());
        void.names.sort_unstable();
        Cow::Owned(void)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        (self.unread && !is_inert(name)) || self.is_named(name)
    }

    fn is_named(&self, name: &str) -> bool {
        let order = self.names.binary_search_by(|it| it.as_str().cmp(name));
        order.is_ok()
    }

    /// Whether a caller's variable is to be remembered as set by a project. If any variable may be, only switches are.
    pub(super) fn is_attempt(&self, name: &str) -> bool {
        let is_switch = || name == SWITCH_VARIABLE || DISABLING_VARIABLES.contains(&name);
        self.is_named(name) || (self.unread && is_switch())
    }
}

/// Whether a variable is harmless: it neither loads code nor names a folder, and programs need it.
fn is_inert(name: &str) -> bool {
    const INERT: &[&str] = &["USER", "LOGNAME", "LANG", "LANGUAGE", "TERM", "TZ", "PWD"];
    INERT.contains(&name) || name.starts_with("LC_")
}
