//! The shells of Windows: `cmd`, as far as deleting goes, and how PowerShell is started.

use super::Interpreter;
use super::call::ExpandedCommand;
use super::decode;
use super::scope::Scope;
use super::value::{Item, Output};
use crate::invocation::Through;

/// The words of `cmd` for deleting.
pub(super) fn follow(interpreter: &mut Interpreter<'_>, call: &ExpandedCommand, scope: &mut Scope) {
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
                "rd" | "rmdir" | "del" | "erase"
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

/// How PowerShell is told what to run.
enum Given {
    Text(String),
    Encoded(String),
    Script(usize),
    Input,
}

/// PowerShell, started from a shell.
pub(super) fn follow_powershell(
    interpreter: &mut Interpreter<'_>,
    call: &ExpandedCommand,
    scope: &mut Scope,
) -> Output {
    let mut inner = interpreter.copy(scope);
    inner.through.clone_from(&call.through);
    inner
        .through
        .push(Through::Wrapper(call.program().unwrap_or_default()));
    inner.directory = call.directory.clone();
    let text = match given(call.args()) {
        Given::Text(text) => text,
        Given::Encoded(text) => {
            let Some(text) = decode::base64_utf16(&text) else {
                interpreter.problem("an encoded command cannot be decoded");
                return Output::unknown(vec![call.source()]);
            };
            text
        }
        Given::Script(at) => {
            interpreter.emit_call(call);
            let file = call.arg(at).map(|it| it.arg.clone());
            let path = file.and_then(|it| interpreter.absolute(&it, scope));
            match path.and_then(|path| interpreter.files.get(&path).cloned()) {
                Some(output) => output.text.clone(),
                None => return Output::unknown(vec![call.source()]),
            }
        }
        Given::Input => match &call.input {
            Some(input) if input.says_something() => input.text.clone(),
            _ => {
                interpreter.emit_call(call);
                return Output::unknown(vec![call.source()]);
            }
        },
    };
    if !call.opened.is_empty() {
        interpreter.emit_call(call);
    }
    interpreter.powershell(&text, &mut inner, &call.input)
}

fn given(args: &[Item]) -> Given {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        let text = item.marked().to_ascii_lowercase();
        let Some(option) = text
            .strip_prefix(['-', '/'])
            .map(|it| it.trim_start_matches('-'))
        else {
            return if text
                .rsplit_once('.')
                .is_some_and(|(_, ending)| ending == "ps1")
            {
                Given::Script(at)
            } else {
                Given::Text(joined(args.get(at..).unwrap_or_default()))
            };
        };
        let begins = |full: &str| !option.is_empty() && full.starts_with(option);
        let rest = args.get(at + 1..).unwrap_or_default();
        if option.is_empty() || begins("command") || option == "commandwithargs" {
            return match rest.first().map(Item::marked) {
                None | Some("-") => Given::Input,
                Some(_) => Given::Text(joined(rest)),
            };
        }
        if option == "ec" || (begins("encodedcommand") && option != "ex") {
            return Given::Encoded(rest.first().map_or("", Item::marked).to_owned());
        }
        if begins("file") {
            return Given::Script(at + 1);
        }
        let takes_value = [
            "executionpolicy",
            "version",
            "windowstyle",
            "inputformat",
            "outputformat",
            "configurationname",
            "workingdirectory",
            "settingsfile",
        ]
        .iter()
        .any(|it| begins(it))
            || matches!(option, "ep" | "wd");
        at += 1 + usize::from(takes_value);
    }
    Given::Input
}

fn joined(args: &[Item]) -> String {
    args.iter().map(Item::marked).collect::<Vec<_>>().join(" ")
}

/// `C:\Users\x` lies where `/mnt/c/Users/x` does.
pub(super) fn windows_path(path: &str) -> String {
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
