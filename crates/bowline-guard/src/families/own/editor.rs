//! The settings of VS Code and of editors built on it. They are everyday files, and only what is said in them of hooks counts.

use super::SETTINGS;
use super::files::written;
use crate::effect::Effect;
use crate::families::args::{UNKNOWN, word};
use crate::invocation::{Invocation, Opening, Stdin, Value};
use crate::paths::{World, resolve};

/// What a run says about hooks in an editor's settings, or may say.
pub(super) fn effects(invocation: &Invocation, world: &dyn World) -> Option<Effect> {
    let files = written(invocation).into_iter().map(word);
    let file = files
        .filter(|path| *path != UNKNOWN)
        .find(|path| is_settings(path, world))?;
    let what = match said(invocation) {
        Said::Text(texts) => {
            let key = texts.into_iter().find_map(hook_key)?;
            format!("writes {key} into {file}, which says where hooks are")
        }
        Said::Nothing => return None,
        Said::Unseen => format!(
            "writes into {file}, which may say where hooks are, and what it writes cannot be seen"
        ),
    };
    Some(SETTINGS.doubtful(what))
}

/// What a run puts into a file.
enum Said<'run> {
    /// It takes away, or leaves the text as it is.
    Nothing,
    Text(Vec<&'run str>),
    Unseen,
}

fn said(invocation: &Invocation) -> Said<'_> {
    let fed = match &invocation.stdin {
        Stdin::Text(text) => Some(text.as_str()),
        Stdin::None | Stdin::File(_) | Stdin::Pipe(_) => None,
    };
    let is_opened = invocation
        .opened
        .iter()
        .any(|it| !matches!(it.how, Opening::Read));
    match invocation.program.as_deref().unwrap_or_default() {
        // Git has what it puts there, and a person has let it in.
        "rm" | "unlink" | "shred" | "truncate" | "chmod" | "chown" | "chattr" | "rmdir"
        | "trash" | "srm" | "gio" | "touch" | "trash-put" | "chflags" | "setfacl" | "xattr"
        | "find" | "gfind" | "bfs" | "git" | ":" | "true" => Said::Nothing,
        "echo" | "printf" => of_arguments(invocation, None),
        "sed" | "gsed" | "perl" | "ruby" | "yq" | "awk" | "gawk" | "dasel" | "tomlq" | "jq"
            if !is_opened =>
        {
            of_arguments(invocation, fed)
        }
        "cat" | "tee" | "sponge" if fed.is_some() => of_arguments(invocation, fed),
        _ => Said::Unseen,
    }
}

fn of_arguments<'run>(invocation: &'run Invocation, fed: Option<&'run str>) -> Said<'run> {
    let is_known = |value: &Value| matches!(value, Value::Known(_));
    let is_unknown = |text: &str| text.contains('…');
    let args = &invocation.args;
    if !args.iter().all(|it| is_known(&it.value)) || fed.is_some_and(is_unknown) {
        return Said::Unseen;
    }
    Said::Text(args.iter().map(word).chain(fed).collect())
}

/// The first setting for hooks that a text has: `chat.hookFilesLocations` and the like. A key may be written by the numbers of its letters.
fn hook_key(text: &str) -> Option<&str> {
    const GROUP: &str = "chat.";
    let is_of_key = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let starts = text.match_indices(GROUP).map(|(at, _)| at);
    let keys = starts.filter_map(|at| {
        let rest = text.get(at..)?;
        let end = rest.find(|c| !is_of_key(c)).unwrap_or(rest.len());
        rest.get(..end)
    });
    let numbered = text.find("\\u00").and_then(|at| text.get(at..at + 6));
    let mut of_hooks = keys.filter(|key| key.to_ascii_lowercase().contains("hook"));
    of_hooks.next().or(numbered)
}

/// Whether a file is settings of an editor: of a project, a workspace or a person.
fn is_settings(path: &str, world: &dyn World) -> bool {
    if !path.to_ascii_lowercase().contains("settings") && !path.contains(".code-workspace") {
        return false;
    }
    resolve(path, world).spellings().any(|spelling| {
        let lower = spelling.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('/').filter(|it| !it.is_empty()).collect();
        let Some((name, above)) = parts.split_last() else {
            return false;
        };
        let is_editor = |part: &&str| {
            part.starts_with("code")
                || part.starts_with("vscodium")
                || part.starts_with(".vscode-server")
        };
        name.ends_with(".code-workspace")
            || (*name == "settings.json"
                && (above.last() == Some(&".vscode")
                    || (above.iter().any(is_editor)
                        && above.iter().any(|part| matches!(*part, "user" | "machine")))))
    })
}
