//! Whether a call stays within the project, judged by its words.

use bowline_guard::invocation::{Arg, Directory, Invocation};
use bowline_guard::judge::Judgement;
use bowline_guard::paths::is_within;
use bowline_guard::sensitive::ToolFields;

/// Whether a call has to do with anything outside of a folder: where its programs run, or what it names.
pub(super) fn leaves(project: &str, judgement: Option<&Judgement>, files: &ToolFields<'_>) -> bool {
    let runs = judgement.into_iter().flat_map(|it| &it.invocations);
    files.paths().any(|path| names_outside(path, project))
        || runs.into_iter().any(|run| runs_outside(run, project))
}

fn runs_outside(run: &Invocation, project: &str) -> bool {
    let elsewhere = match &run.directory {
        Directory::Known(directory) => !is_within(directory, project),
        _ => true,
    };
    // Variables such as `GIT_DIR` lead a program elsewhere without a word.
    elsewhere
        || !run.environment.is_empty()
        || run.args.iter().any(|arg| is_or_names_outside(arg, project))
}

/// A word that is not known could name anything.
fn is_or_names_outside(arg: &Arg, project: &str) -> bool {
    arg.text_or_pattern()
        .is_none_or(|text| names_outside(text, project))
}

/// Looks at every part of a word that could be a path: after `=`, `:` or an option's letter.
fn names_outside(text: &str, project: &str) -> bool {
    text.split(['=', ':', ',']).any(|part| {
        let option = part.strip_prefix('-').and_then(|it| it.get(1..));
        let path = option
            .filter(|value| value.starts_with(['/', '~', '.']))
            .unwrap_or(part);
        let absolute = path.starts_with(['/', '~']);
        (absolute && !is_within(path, project)) || path.split('/').any(|name| name == "..")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_name_another_place_is_seen() {
        for (text, outside) in [
            ("src/a.rs", false),
            ("/tree/src", false),
            ("--hard", false),
            ("/main/src", true),
            ("../main", true),
            ("-C/main", true),
            ("--git-dir=/main/.git", true),
            ("~/main", true),
            ("/tree/../main", true),
            ("host:/srv", true),
        ] {
            assert_eq!(names_outside(text, "/tree"), outside, "{text}");
        }
        let mut run = Invocation::plain("git", &["reset", "--hard"], "/tree");
        assert!(!runs_outside(&run, "/tree"));
        run.environment.push((
            "GIT_DIR".to_owned(),
            bowline_guard::invocation::Value::Unknown,
        ));
        assert!(runs_outside(&run, "/tree"));
    }
}
