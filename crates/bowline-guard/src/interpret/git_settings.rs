//! Settings of git that turn a plain command into another one: `gc.reflogExpire=now`, `filter.x.clean=…`.

use super::call::quoted;
use super::options::texts_of;
use super::value::Item;

/// The plain commands that settings of one run, or a `git config`, come down to.
pub(super) fn commands(args: &[Item]) -> Vec<String> {
    let words: Vec<&str> = args.iter().map(Item::marked).collect();
    let mut found: Vec<String> = texts_of(args, &["-c"])
        .iter()
        .filter_map(|setting| {
            let (key, value) = setting.split_once('=')?;
            command(key, value, &words)
        })
        .collect();
    if let Some(at) = words.iter().position(|it| *it == "config") {
        let rest = words.get(at + 1..).unwrap_or_default();
        let plain: Vec<&&str> = rest
            .iter()
            .filter(|it| !it.starts_with('-') && **it != "set")
            .collect();
        if let [.., key, value] = plain.as_slice()
            && key.contains('.')
        {
            found.extend(later(key, value));
            found.extend(command(key, value, &[]));
            let alias = key.to_ascii_lowercase();
            if alias.starts_with("alias.") && !value.starts_with('!') {
                found.push(format!("git {value}"));
            }
        }
    }
    let opener = words
        .iter()
        .filter_map(|it| it.strip_prefix("--open-files-in-pager="));
    found.extend(opener.map(|it| format!("{it} .")));
    found.extend(texts_of(args, &["--sendmail-cmd", "--smtp-server"]));
    found
}

/// What a push does that finds the setting later.
fn later(key: &str, value: &str) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let last = key.strip_prefix("remote.")?.rsplit('.').next()?;
    let setting = quoted(&format!("{key}={value}"));
    matches!(last, "push" | "mirror").then(|| format!("git -c {setting} push"))
}

/// What a setting does in a run with these words.
fn command(key: &str, value: &str, words: &[&str]) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let collects = words
        .iter()
        .any(|it| matches!(*it, "gc" | "maintenance" | "prune"));
    let expires = matches!(
        key.as_str(),
        "gc.reflogexpire" | "gc.reflogexpireunreachable"
    );
    if expires && matches!(value, "now" | "all" | "0") && collects {
        return Some("git reflog expire --expire=now --all".to_owned());
    }
    let last = key.rsplit('.').next().unwrap_or_default();
    let filter = key.starts_with("filter.") && matches!(last, "clean" | "smudge" | "process");
    let tool = matches!(last, "cmd" | "driver" | "trustexitcode") && key.contains("tool");
    (filter || tool).then(|| value.to_owned())
}
