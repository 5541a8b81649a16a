//! The hooks that a person trusts, in Codex's `config.toml`: `[hooks.state."FILE:EVENT:GROUP:HANDLER"]` with a hash. All else in the
//! file stays as it is.

use std::path::Path;

use bowline_agents::HookEvent;
use bowline_daemon::registration::starts_bowline;
use serde_json::Value as Json;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use crate::agent_settings::Unfit;
use crate::agent_settings::installable::Edited;
use crate::agent_settings::trust::Listed;

const HOOKS: &str = "hooks";
const STATE: &str = "state";
const HASH: &str = "trusted_hash";

pub(super) fn grant(text: &str, hooks: &[Listed]) -> Edited {
    let mut document = parsed(text)?;
    let state = below(document.as_table_mut(), HOOKS).and_then(|hooks| below(hooks, STATE));
    let state = state.map_err(|name| unfit(text, name))?;
    for hook in hooks {
        let of_hook = state
            .entry(&hook.key)
            .or_insert_with(|| Item::Table(Table::new()));
        let of_hook = of_hook
            .as_table_like_mut()
            .ok_or_else(|| unfit(text, &hook.key))?;
        of_hook.insert(HASH, value(hook.hash.as_str()));
    }
    Ok(document.to_string())
}

pub(super) fn revoke(text: &str, settings: &Path, settings_text: &str) -> Edited {
    let mut document = parsed(text)?;
    let keys = keys_of_bowline(settings, settings_text);
    let Some(hooks) = document.get_mut(HOOKS).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let Some(state) = hooks.get_mut(STATE).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    let mut is_changed = false;
    for key in keys {
        is_changed |= state.remove(&key).is_some();
    }
    if !is_changed {
        return Ok(text.to_owned());
    }
    if hooks.get(STATE).is_some_and(is_left_over) {
        hooks.remove(STATE);
    }
    if document.get(HOOKS).is_some_and(is_left_over) {
        document.remove(HOOKS);
    }
    Ok(document.to_string())
}

/// Whether a table is only there because of what was in it.
fn is_left_over(item: &Item) -> bool {
    item.as_table()
        .is_some_and(|table| table.is_implicit() && table.is_empty())
}

/// Hooks can stand in this file, too.
pub(super) fn remarks(text: &str) -> Vec<String> {
    let has_hooks = parsed(text).is_ok_and(|document| {
        let hooks = document.get(HOOKS).and_then(Item::as_table_like);
        hooks.is_some_and(|hooks| hooks.iter().any(|(name, _)| name != STATE))
    });
    let remark =
        "config.toml has hooks as well; Codex runs those of both files, and says so when it starts";
    has_hooks.then(|| remark.to_owned()).into_iter().collect()
}

fn parsed(text: &str) -> Result<DocumentMut, Unfit> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        Unfit {
            line: before.matches('\n').count() + 1,
            message: format!("it is not TOML: {}", error.message()),
        }
    })
}

/// A table within another one, which may have to be made; else its name.
fn below<'document>(
    table: &'document mut dyn TableLike,
    name: &'static str,
) -> Result<&'document mut dyn TableLike, &'static str> {
    let new = || {
        let mut new = Table::new();
        new.set_implicit(true);
        Item::Table(new)
    };
    let item = table.entry(name).or_insert_with(new);
    item.as_table_like_mut().ok_or(name)
}

fn unfit(text: &str, name: &str) -> Unfit {
    let line = text.lines().position(|line| line.contains(name));
    Unfit {
        line: line.map_or(1, |line| line + 1),
        message: format!("`{name}` is no table there, so that nothing can be trusted"),
    }
}

/// The names by which Codex knows Bowline's entries in a settings file.
fn keys_of_bowline(settings: &Path, text: &str) -> Vec<String> {
    let written: Json = serde_json::from_str(text).unwrap_or_default();
    let real = settings.canonicalize().ok();
    let paths: Vec<&Path> = [Some(settings), real.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let mut keys = Vec::new();
    for (name, groups) in written
        .get(HOOKS)
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
    {
        let Some(event) = HookEvent::from_name(name) else {
            continue;
        };
        for (group, entry) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = entry.get(HOOKS).and_then(Json::as_array);
            for (handler, hook) in handlers.into_iter().flatten().enumerate() {
                let command = hook.get("command").and_then(Json::as_str);
                if command.is_some_and(|command| starts_bowline(command, None)) {
                    let place = format!("{}:{group}:{handler}", event.snake_name());
                    keys.extend(
                        paths
                            .iter()
                            .map(|path| format!("{}:{place}", path.display())),
                    );
                }
            }
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent_settings::trust::TrustState;

    const FILE: &str = "/home/ann/.codex/hooks.json";

    fn listed(event: HookEvent, group: usize, hash: &str) -> Listed {
        Listed {
            event,
            command: String::new(),
            key: format!("{FILE}:{}:{group}:0", event.snake_name()),
            hash: hash.to_owned(),
            state: TrustState::Untrusted,
        }
    }

    fn settings() -> String {
        let ours = |event: &str| json!({"hooks": [{"type": "command", "command": format!("/opt/bowline-hook codex {event}")}]});
        let others = json!({"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]});
        json!({"hooks": {"PreToolUse": [others, ours("PreToolUse")], "Stop": [ours("Stop")]}})
            .to_string()
    }

    fn ours() -> [Listed; 2] {
        [
            listed(HookEvent::PreToolUse, 1, "sha256:a"),
            listed(HookEvent::Stop, 0, "sha256:b"),
        ]
    }

    #[test]
    fn what_was_granted_is_taken_back_and_nothing_else_changes() {
        for before in [
            "",
            "model = \"x\" # the best\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n",
            "# nothing yet\n",
            "[features]\nhooks = true",
            "[hooks]\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"echo\"\n",
            "[hooks.state]\n",
            "[hooks.state.\"/home/ann/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:c\"\nenabled = false\n\n[tui]\nx = 1\n",
            "hooks = { state = { \"/x:stop:0:0\" = { trusted_hash = \"sha256:d\" } } }\n",
        ] {
            let after = grant(before, &ours()).unwrap();
            assert_eq!(grant(&after, &ours()).unwrap(), after, "{before}");
            let read: toml_edit::DocumentMut = after.parse().unwrap();
            for hook in ours() {
                let hash = read["hooks"]["state"][&hook.key]["trusted_hash"].as_str();
                assert_eq!(hash, Some(hook.hash.as_str()), "{after}");
            }
            for line in before.lines().filter(|line| !line.starts_with("hooks = ")) {
                assert!(after.contains(line), "{line} in {after}");
            }
            let taken_back = revoke(&after, Path::new(FILE), &settings()).unwrap();
            assert_eq!(taken_back.trim_end(), before.trim_end(), "{after}");
        }
    }

    #[test]
    fn hooks_of_the_same_file_are_mentioned() {
        for (text, count) in [
            ("", 0),
            ("a = ", 0),
            ("[hooks.state.x]\ntrusted_hash = \"y\"\n", 0),
            ("[[hooks.Stop]]\n", 1),
            ("hooks.Stop = []", 1),
        ] {
            assert_eq!(remarks(text).len(), count, "{text}");
        }
    }

    #[test]
    fn what_others_trust_stays() {
        let theirs = "[hooks.state.\"/home/ann/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:c\"\n";
        for (file, text) in [
            (FILE, "{}"),
            (FILE, "no JSON"),
            ("/elsewhere/hooks.json", &*settings()),
        ] {
            let after = grant(theirs, &ours()).unwrap();
            assert_eq!(revoke(&after, Path::new(file), text).unwrap(), after);
        }
        for text in ["", "model = \"x\"\n", "hooks = 3\n", "[hooks]\nstate = 3\n"] {
            assert_eq!(revoke(text, Path::new(FILE), &settings()).unwrap(), text);
        }
    }

    #[test]
    fn an_entry_that_was_trusted_before_gets_its_new_hash() {
        let before = grant("", &[listed(HookEvent::Stop, 0, "sha256:old")]).unwrap();
        let after = grant(&before, &[listed(HookEvent::Stop, 0, "sha256:new")]).unwrap();
        assert_eq!(after, before.replace("old", "new"));
    }

    #[test]
    fn a_file_in_which_nothing_can_be_written_is_left_alone() {
        for (text, line) in [
            ("a = 1\nhooks = 3\n", 2),
            ("[hooks]\nstate = \"x\"\n", 2),
            ("a = \n", 1),
            ("\n[x\n", 2),
        ] {
            assert_eq!(grant(text, &ours()).unwrap_err().line, line, "{text}");
        }
    }
}
