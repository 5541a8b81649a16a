//! The groups of handlers under an event, for agents that refuse more than the one hook that is wrong: `{"matcher": …, "hooks": [HANDLER]}`.

use jsonc_parser::ast::{Object, Value};

use super::kinds::{Kind, Looked};

/// How an agent wants them.
#[derive(Debug)]
pub(super) struct Groups {
    /// The keys that a group must have.
    pub(super) required: &'static [&'static str],
    /// What a handler may be.
    pub(super) types: &'static [&'static str],
    /// What stands in a handler that is a command.
    pub(super) command: &'static [(&'static str, Kind)],
}

const COMMAND: &str = "command";

impl Groups {
    /// Looks at the lists of those events under `hooks` that the agent takes notice of.
    pub(super) fn look_below(
        &self,
        root: &Object<'_>,
        is_noticed: impl Fn(&str) -> bool,
        looked: &mut Looked<'_>,
    ) {
        let hooks = root.get_object("hooks").map(|it| it.properties.as_slice());
        for event in hooks.unwrap_or_default() {
            let name = event.name.as_str();
            if is_noticed(name) {
                self.look(&event.value, &format!("hooks.{name}"), looked);
            }
        }
    }

    /// Looks at the list of an event.
    fn look(&self, list: &Value<'_>, path: &str, looked: &mut Looked<'_>) {
        let Some(groups) = list.as_array() else {
            return looked.expect(list, path, Kind::List);
        };
        for (at, group) in groups.elements.iter().enumerate() {
            let path = format!("{path}[{at}]");
            match group.as_object() {
                Some(object) => self.look_at_group(group, object, &path, looked),
                None => looked.expect(group, &path, Kind::Object),
            }
        }
    }

    fn look_at_group(
        &self,
        group: &Value<'_>,
        object: &Object<'_>,
        path: &str,
        looked: &mut Looked<'_>,
    ) {
        for key in self.required.iter().filter(|key| object.get(key).is_none()) {
            looked.lacks(group, path, key);
        }
        looked.expect_all(object, &format!("{path}."), &[("matcher", Kind::Text)]);
        let Some(hooks) = object.get("hooks") else {
            return;
        };
        let path = format!("{path}.hooks");
        let Some(handlers) = hooks.value.as_array() else {
            return looked.expect(&hooks.value, &path, Kind::List);
        };
        for (at, handler) in handlers.elements.iter().enumerate() {
            let path = format!("{path}[{at}]");
            match handler.as_object() {
                Some(object) => self.look_at_handler(handler, object, &path, looked),
                None => looked.expect(handler, &path, Kind::Object),
            }
        }
    }

    fn look_at_handler(
        &self,
        handler: &Value<'_>,
        object: &Object<'_>,
        path: &str,
        looked: &mut Looked<'_>,
    ) {
        let Some(kind) = object.get("type") else {
            return looked.lacks(handler, path, "type");
        };
        let name = kind.value.as_string_lit().map(|it| it.value.as_ref());
        match name {
            Some(COMMAND) => {
                if object.get(COMMAND).is_none() {
                    looked.lacks(handler, path, COMMAND);
                }
                looked.expect_all(object, &format!("{path}."), self.command);
            }
            Some(name) if self.types.contains(&name) => {}
            Some(name) => {
                let types = self.types.join("`, `");
                let what = format!("`{path}.type` is `{name}`; expected one of `{types}`");
                looked.refuse(&kind.value, what);
            }
            None => looked.expect(&kind.value, &format!("{path}.type"), Kind::Text),
        }
    }
}
