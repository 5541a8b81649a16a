//! Settings of git that turn a plain command into another one: `-c remote.origin.push=+main`, `gc.pruneExpire=now`.

use super::options::texts_of;
use super::value::Item;

/// The plain commands that settings of one run, or a `git config`, come down to.
pub(super) fn commands(args: &[Item]) -> Vec<String> {
    let words: Vec<&str> = args.iter().map(Item::marked).collect();
    let mut found: Vec<String> = texts_of(args, &["-c"])
        .iter()
        .filter_map(|setting| {
            let (key, value) = setting.split_once('=')?;
            command(key, value, Asked::of(&words))
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
            found.extend(command(key, value, Asked::Later));
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

/// What the run asks git for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Push,
    Collect,
    Other,
    /// Whatever is run later finds the setting.
    Later,
}

impl Asked {
    fn of(words: &[&str]) -> Self {
        let has = |wanted: &[&str]| words.iter().any(|it| wanted.contains(it));
        if has(&["push"]) {
            Self::Push
        } else if has(&["gc", "maintenance", "prune"]) {
            Self::Collect
        } else {
            Self::Other
        }
    }
}

fn command(key: &str, value: &str, asked: Asked) -> Option<String> {
    let key = key.to_ascii_lowercase();
    let remote = key.strip_prefix("remote.");
    let pushes = matches!(asked, Asked::Push | Asked::Later);
    if let Some(remote) = remote.filter(|_| pushes) {
        let last = remote.rsplit('.').next().unwrap_or_default();
        if last == "push" && value.starts_with('+') {
            return Some("git push --force".to_owned());
        }
        if last == "mirror" && value == "true" {
            return Some("git push --mirror".to_owned());
        }
    }
    let expires = matches!(
        key.as_str(),
        "gc.reflogexpire" | "gc.reflogexpireunreachable"
    );
    if expires && matches!(value, "now" | "all" | "0") && asked == Asked::Collect {
        return Some("git reflog expire --expire=now --all".to_owned());
    }
    let last = key.rsplit('.').next().unwrap_or_default();
    let filter = key.starts_with("filter.") && matches!(last, "clean" | "smudge" | "process");
    let tool = matches!(last, "cmd" | "driver" | "trustexitcode") && key.contains("tool");
    (filter || tool).then(|| value.to_owned())
}
