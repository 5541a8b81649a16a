//! The shells of Windows, as far as deleting goes.

use super::Interpreter;
use super::call::Call;
use super::scope::Scope;
use super::value::Item;
use crate::invocation::Through;

/// PowerShell's and `cmd`'s own words for deleting.
pub(super) fn follow(interpreter: &mut Interpreter<'_>, call: &Call, scope: &mut Scope) {
    let text = call
        .args()
        .iter()
        .map(Item::marked)
        .collect::<Vec<_>>()
        .join(" ");
    let mut inner = interpreter.copy(scope);
    inner
        .through
        .push(Through::Wrapper(call.program().unwrap_or_default()));
    for statement in text.split([';', '|', '&']) {
        let words: Vec<&str> = statement
            .split_whitespace()
            .map(|it| it.trim_matches(['"', '\'', '{', '}']))
            .collect();
        let at = words.iter().position(|word| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "remove-item"
                    | "ri"
                    | "rd"
                    | "rmdir"
                    | "del"
                    | "erase"
                    | "clear-content"
                    | "format-volume"
            )
        });
        if let Some(at) = at {
            let paths: Vec<String> = words
                .iter()
                .skip(at + 1)
                .filter(|it| !(it.starts_with('-') || it.starts_with('/') && it.len() == 2))
                .map(|it| format!("'{}'", windows_path(it)))
                .collect();
            let text = format!("rm -rf {}", paths.join(" ").replace("'~", "~'"));
            interpreter.nested(&text, &inner, None);
            continue;
        }
        let start = words
            .iter()
            .position(|it| !it.starts_with(['-', '/']) && !it.is_empty());
        if let Some(start) = start
            && let Some(rest) = words.get(start..)
        {
            let text = rest
                .iter()
                .map(|it| windows_path(it))
                .collect::<Vec<_>>()
                .join(" ");
            interpreter.nested(&text, &inner, None);
        }
    }
}

/// `C:\Users\x` lies where `/mnt/c/Users/x` does.
fn windows_path(path: &str) -> String {
    let slashes = path
        .replace('\\', "/")
        .replace("%USERPROFILE%", "$HOME")
        .replace("$env:USERPROFILE", "$HOME");
    match slashes.split_once(":/") {
        Some((drive, rest)) if drive.len() == 1 => {
            let rest = rest.trim_end_matches('/');
            if rest.is_empty() {
                "/".to_owned()
            } else {
                format!("/mnt/{}/{rest}", drive.to_ascii_lowercase())
            }
        }
        _ => slashes,
    }
}
