//! Puts entries into hooks of the form `{"hooks": {EVENT: [{"matcher": …, "hooks": [HANDLER]}]}}` and takes them out,
//! with comments, order, indentation and everybody else's entries left as they are.

use bowline_daemon::registration::starts_bowline;
use jsonc_parser::common::Ranged;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Entry, Found, Unfit};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Puts the entries in: new ones beside what is there, older ones of ours in their place. Ours is taken away from the
/// events in `never`.
pub(super) fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let document = Document::parse(text)?;
    let unchanged = document.handlers()?;
    let is_settled = |entry: &Entry| {
        let mut ours = unchanged
            .iter()
            .filter(|it| it.found.entry.event == entry.event);
        ours.next()
            .is_some_and(|it| it.found.entry == *entry && it.found.matcher.is_none())
            && ours.next().is_none()
    };
    if entries.iter().all(is_settled)
        && !unchanged
            .iter()
            .any(|it| never.contains(&it.found.entry.event.as_str()))
    {
        return Ok(text.to_owned());
    }
    for event in never {
        document.remove(unchanged.iter().filter(|it| it.found.entry.event == *event));
    }
    for entry in entries {
        let ours = unchanged
            .iter()
            .filter(|it| it.found.entry.event == entry.event);
        // One under a matcher sees only a part of what happens, so that it goes in favour of one that sees all.
        let (whole, narrowed): (Vec<_>, Vec<_>) = ours.partition(|it| it.found.matcher.is_none());
        match whole.split_first() {
            Some((first, others)) => {
                update(&first.handler, &first.found.entry, entry);
                document.remove(others.iter().copied());
            }
            None => document.add(entry)?,
        }
        document.remove(narrowed.into_iter());
    }
    Ok(document.text())
}

/// Takes every entry of ours out of the events that `is_meant`, with the groups, events and the object that are empty
/// then.
pub(super) fn uninstall(text: &str, is_meant: &dyn Fn(&str) -> bool) -> Result<String, Unfit> {
    let document = Document::parse(text)?;
    let mut ours = document.handlers()?;
    ours.retain(|it| is_meant(&it.found.entry.event));
    if ours.is_empty() {
        return Ok(text.to_owned());
    }
    document.remove(ours.iter());
    Ok(document.text())
}

/// What starts Bowline.
pub(super) fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    let handlers = Document::parse(text)?.handlers()?;
    Ok(handlers.into_iter().map(|ours| ours.found).collect())
}

/// A handler of ours in the tree.
struct Ours {
    found: Found,
    handler: CstObject,
    group: CstObject,
    event: CstObjectProp,
}

/// A settings file as a tree that keeps every character.
struct Document {
    root: CstRootNode,
    object: CstObject,
    /// Editors that put it there expect it back.
    begins_with_mark: bool,
    /// Where lines begin, to tell places apart.
    text: String,
}

impl Document {
    fn parse(text: &str) -> Result<Self, Unfit> {
        let begins_with_mark = text.starts_with(BYTE_ORDER_MARK);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let options = ParseOptions {
            allow_comments: true,
            allow_loose_object_property_names: false,
            allow_trailing_commas: true,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        // A file without anything in it is as good as an empty object.
        let text = if text.trim().is_empty() { "" } else { text };
        let root = CstRootNode::parse(text, &options).map_err(|error| Unfit {
            line: error.line_display(),
            message: format!("not valid JSON: {}", error.kind()),
        })?;
        let object = root.object_value_or_create().ok_or_else(|| Unfit {
            line: 1,
            message: "the file holds something else than an object `{ … }`".to_owned(),
        })?;
        Ok(Self {
            root,
            object,
            begins_with_mark,
            text: text.to_owned(),
        })
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(self.text.len() + 16 * 1024);
        if self.begins_with_mark {
            text.push(BYTE_ORDER_MARK);
        }
        text.push_str(&self.root.to_string());
        text
    }

    /// What is wrong with the value at the end of this path of names.
    fn unfit(&self, path: &[&str], expected: &str) -> Unfit {
        let start = self.start_of(path).unwrap_or(0);
        let before = self.text.get(..start).unwrap_or_default();
        Unfit {
            line: before.matches('\n').count() + 1,
            message: format!("`{}` should be {expected}", path.join(".")),
        }
    }

    /// The byte where the value begins.
    fn start_of(&self, path: &[&str]) -> Option<usize> {
        let parsed = parse_to_ast(
            &self.text,
            &CollectOptions::default(),
            &ParseOptions::default(),
        )
        .ok()?;
        let mut value = parsed.value.as_ref()?;
        for name in path {
            value = &value.as_object()?.get(name)?.value;
        }
        Some(value.range().start)
    }

    fn hooks(&self) -> Result<Option<CstObject>, Unfit> {
        match self.object.get("hooks") {
            None => Ok(None),
            Some(property) => match property.object_value() {
                Some(hooks) => Ok(Some(hooks)),
                None => Err(self.unfit(&["hooks"], "an object of events")),
            },
        }
    }

    /// Every handler of ours, in the order of the file.
    fn handlers(&self) -> Result<Vec<Ours>, Unfit> {
        let mut handlers = Vec::new();
        let events = self.hooks()?.map(|hooks| hooks.properties());
        for event in events.unwrap_or_default() {
            let Some(name) = event.decoded_name() else {
                continue;
            };
            let Some(groups) = event.array_value() else {
                return Err(self.unfit(&["hooks", &name], "a list of groups"));
            };
            let groups = groups.elements();
            // What is no group is not ours, and the agent's business.
            for group in groups.iter().filter_map(CstNode::as_object) {
                let list = group.array_value("hooks");
                let list = list.map(|list| list.elements()).unwrap_or_default();
                for handler in list.iter().filter_map(CstNode::as_object) {
                    if let Some(entry) = entry(&name, &handler) {
                        let matcher = text_of(&group, "matcher")
                            .filter(|matcher| !matches!(matcher.as_str(), "" | "*"));
                        handlers.push(Ours {
                            found: Found { entry, matcher },
                            handler,
                            group: group.clone(),
                            event: event.clone(),
                        });
                    }
                }
            }
        }
        Ok(handlers)
    }

    fn add(&self, entry: &Entry) -> Result<(), Unfit> {
        let hooks = self.object.object_value_or_create("hooks");
        let hooks = hooks.ok_or_else(|| self.unfit(&["hooks"], "an object of events"))?;
        let group = CstInputValue::Object(vec![(
            "hooks".to_owned(),
            CstInputValue::Array(vec![handler(entry)]),
        )]);
        match hooks.array_value(&entry.event) {
            Some(groups) => {
                groups.append(group);
            }
            None => {
                hooks.append(&entry.event, CstInputValue::Array(vec![group]));
            }
        }
        Ok(())
    }

    fn remove<'a>(&self, handlers: impl Iterator<Item = &'a Ours>) {
        for ours in handlers {
            ours.handler.clone().remove();
            let list = ours.group.array_value("hooks");
            if list.is_some_and(|list| holds_nothing(&list)) {
                ours.group.clone().remove();
            }
            if ours
                .event
                .array_value()
                .is_some_and(|it| holds_nothing(&it))
            {
                ours.event.clone().remove();
            }
        }
        if let Some(property) = self.object.get("hooks")
            && property.object_value().is_some_and(|hooks| {
                hooks.properties().is_empty() && !hooks.children().iter().any(CstNode::is_comment)
            })
        {
            property.remove();
        }
    }
}

/// Whether nothing is left, not even somebody's remark.
fn holds_nothing(list: &CstArray) -> bool {
    list.elements().is_empty() && !list.children().iter().any(CstNode::is_comment)
}

/// The entry that a handler is, if it starts Bowline.
fn entry(event: &str, handler: &CstObject) -> Option<Entry> {
    if text_of(handler, "type")? != "command" {
        return None;
    }
    let command = text_of(handler, "command")?;
    let args = match handler.get("args") {
        None => None,
        Some(args) => {
            let words = args.array_value()?.elements();
            let words = words
                .iter()
                .map(|word| word.as_string_lit()?.decoded_value().ok());
            Some(words.collect::<Option<Vec<_>>>()?)
        }
    };
    starts_bowline(&command, args.as_deref()).then(|| Entry {
        event: event.to_owned(),
        command,
        args,
        timeout: handler
            .get("timeout")
            .and_then(|timeout| timeout.value()?.to_string().parse().ok()),
        blocks_on_failure: text_of(handler, "onFailure").is_some_and(|word| word == "block"),
    })
}

fn text_of(object: &CstObject, name: &str) -> Option<String> {
    let value = object.get(name)?.value()?;
    value.as_string_lit()?.decoded_value().ok()
}

fn handler(entry: &Entry) -> CstInputValue {
    let mut fields = vec![("type".to_owned(), "command".into())];
    fields.extend(
        fields_of(entry)
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name.to_owned(), value))),
    );
    CstInputValue::Object(fields)
}

/// The fields that are ours to set; nothing for those that should not be there.
fn fields_of(entry: &Entry) -> [(&'static str, Option<CstInputValue>); 4] {
    let args = entry
        .args
        .as_ref()
        .map(|args| CstInputValue::Array(args.iter().map(|arg| arg.as_str().into()).collect()));
    let timeout = entry
        .timeout
        .map(|seconds| CstInputValue::Number(seconds.to_string()));
    let on_failure = entry.blocks_on_failure.then(|| "block".into());
    [
        ("command", Some(entry.command.as_str().into())),
        ("args", args),
        ("timeout", timeout),
        ("onFailure", on_failure),
    ]
}

/// Makes a handler of ours the one that is wanted. What a person added to it stays.
fn update(handler: &CstObject, current: &Entry, wanted: &Entry) {
    let is_changed = [
        current.command != wanted.command,
        current.args != wanted.args,
        current.timeout != wanted.timeout,
        current.blocks_on_failure != wanted.blocks_on_failure,
    ];
    let fields = fields_of(wanted).into_iter().zip(is_changed);
    for ((name, value), _) in fields.filter(|(_, changed)| *changed) {
        match (handler.get(name), value) {
            (Some(property), Some(value)) => property.set_value(value),
            (Some(property), None) => property.remove(),
            (None, Some(value)) => {
                handler.append(name, value);
            }
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests;
