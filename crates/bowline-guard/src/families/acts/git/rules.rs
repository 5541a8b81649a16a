//! Names that a line adds to the rules by which git ignores files.

use crate::families::acts::Run;
use crate::families::launch::plain_name;
use crate::invocation::Value;
use crate::loss::{Act, GitAct, Writing};

/// What `echo NAME >> .gitignore` adds, where every word of it is known.
pub(in crate::families::acts) fn ignores(run: &Run<'_>, written: Option<&Act>) -> Option<Act> {
    let Some(Act::Write {
        to,
        how: Writing::Add,
    }) = written
    else {
        return None;
    };
    let directory = to.path.strip_suffix("/.gitignore")?.to_owned();
    let names = printed(run)?;
    // What is turned round is not added.
    let adds = names.iter().all(|it| !it.trim_start().starts_with('!'));
    adds.then_some(Act::Git {
        directory,
        act: GitAct::Ignore { names },
    })
}

/// The lines that a run prints.
fn printed(run: &Run<'_>) -> Option<Vec<String>> {
    let args = run.invocation.args.iter().map(|it| match &it.value {
        Value::Known(text) if !text.starts_with('-') => Some(text.as_str()),
        _ => None,
    });
    let words: Vec<&str> = args.collect::<Option<_>>()?;
    let lines = |text: &str| text.split(['\n']).map(ToOwned::to_owned).collect();
    match (
        plain_name(run.invocation.program.as_deref()?),
        words.as_slice(),
    ) {
        ("echo", words) => Some(lines(&words.join(" ").replace("\\n", "\n"))),
        ("printf", ["%s\\n", names @ ..]) => {
            Some(names.iter().copied().map(ToOwned::to_owned).collect())
        }
        ("printf", [text]) if !text.contains('%') => Some(lines(&text.replace("\\n", "\n"))),
        _ => None,
    }
}
