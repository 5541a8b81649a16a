//! What the same line has just unpacked, downloaded or built: it is there, or can be had again.

use super::built::{compiled, is_output_by_company};
use crate::families::args::word;
use crate::families::fetched_code::download;
use crate::families::launch::plain_name;
use crate::interpret::{At, NOWHERE};
use crate::invocation::{Arg, Directory, Invocation};
use crate::paths::{Place, Shape, World, place, resolve, resolve_literal};

/// When in a line a file may go.
#[derive(Debug, Clone, Copy)]
enum When {
    After(usize),
    Before(usize),
}

impl When {
    fn holds(self, at: usize) -> bool {
        match self {
            Self::After(run) => run < at,
            Self::Before(run) => at < run,
        }
    }
}

/// A file of the project that a line needs no longer once the run at this place is over.
#[derive(Debug)]
pub(in crate::families) struct Spent {
    when: When,
    path: String,
}

/// The file that a run unpacks, downloads or compiles, if it lies in the project.
pub(in crate::families) fn spent(
    at: usize,
    invocation: &Invocation,
    world: &dyn World,
) -> Option<Spent> {
    if installs_vendor(invocation) {
        let path = project_file("vendor", invocation, world)?;
        return Some(Spent {
            when: When::Before(at),
            path,
        });
    }
    let fetched = download(invocation).map(|(file, _)| file);
    let file = match fetched.or_else(|| unpacked(invocation)) {
        Some(file) => file.to_owned(),
        None => compiled(invocation)?,
    };
    let path = project_file(&file, invocation, world)?;
    Some(Spent {
        when: When::After(at),
        path,
    })
}

/// The run without the spent files that it deletes; `None` if there is none among them.
pub(in crate::families) fn without_spent(
    at: usize,
    line: &[Invocation],
    spent: &[Spent],
    world: &dyn World,
) -> Option<Invocation> {
    let invocation = line.get(at)?;
    if !matches!(invocation.program.as_deref(), Some("rm" | "unlink")) {
        return None;
    }
    let is_spent = |arg: &Arg| {
        let mut spent = spent.iter().filter(|it| it.when.holds(at)).peekable();
        let file = arg.text().filter(|_| spent.peek().is_some());
        file.and_then(|text| project_file(text, invocation, world))
            .is_some_and(|path| spent.any(|it| it.path == path))
            || (is_output_by_company(arg, invocation, line)
                && arg
                    .text_or_pattern()
                    .is_some_and(|it| lies_in_project(it, invocation, world)))
    };
    let args: Vec<Arg> = invocation
        .args
        .iter()
        .filter(|arg| !is_spent(arg))
        .cloned()
        .collect();
    (args.len() < invocation.args.len()).then(|| Invocation {
        args,
        ..invocation.clone()
    })
}

/// Whether a run fills the folder `vendor` again.
fn installs_vendor(invocation: &Invocation) -> bool {
    let program = invocation.program.as_deref();
    if !matches!(program, Some("composer" | "go" | "cargo" | "bundle")) {
        return false;
    }
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(word)
        .filter(|it| !it.starts_with('-'))
        .collect();
    matches!(
        (program, words.as_slice()),
        (Some("composer"), ["install" | "update", ..])
            | (Some("go"), ["mod" | "work", "vendor", ..])
            | (Some("cargo"), ["vendor", ..])
            | (Some("bundle"), ["install", ..])
    )
}

/// The archive that a run unpacks.
fn unpacked(invocation: &Invocation) -> Option<&str> {
    let program = plain_name(invocation.program.as_deref()?);
    if !matches!(
        program,
        "tar" | "gtar" | "bsdtar" | "unzip" | "7z" | "7za" | "unrar"
    ) {
        return None;
    }
    let words: Vec<&str> = invocation.args.iter().map(word).collect();
    let is_archive = |it: &&str| {
        let name = it.to_ascii_lowercase();
        [
            ".tar", ".tgz", ".tbz", ".txz", ".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".rar",
            ".whl", ".jar", ".deb",
        ]
        .iter()
        .any(|ending| name.ends_with(ending))
    };
    let unpacks = match program {
        "tar" | "gtar" | "bsdtar" => {
            words.first().is_some_and(|it| {
                it.trim_start_matches('-').starts_with('x')
                    || (!it.starts_with("--") && it.contains('x'))
            }) || words
                .iter()
                .any(|it| matches!(*it, "-x" | "--extract" | "--get"))
        }
        "unzip" => !words
            .iter()
            .any(|it| matches!(*it, "-l" | "-t" | "-p" | "-Z")),
        _ => matches!(words.first(), Some(&("x" | "e"))),
    };
    words.into_iter().filter(|_| unpacks).find(is_archive)
}

fn lies_in_project(word: &str, invocation: &Invocation, world: &dyn World) -> bool {
    let Directory::Known(cwd) = &invocation.directory else {
        return false;
    };
    let here = At::directory(cwd, world);
    let resolved = resolve(word, &here);
    matches!(place(&resolved, &here), Place::InProject(_))
        && world.is_tracked(&resolved.path) != Some(true)
}

fn project_file(file: &str, invocation: &Invocation, world: &dyn World) -> Option<String> {
    let Directory::Known(cwd) = &invocation.directory else {
        return None;
    };
    let here = At::directory(cwd, world);
    let resolved = resolve_literal(file, &here);
    let in_project = matches!(place(&resolved, &here), Place::InProject(_));
    let untracked = world.is_tracked(&resolved.path) != Some(true);
    let known = resolved.shape == Shape::Exact && !resolved.path.starts_with(NOWHERE);
    (in_project && known && untracked).then_some(resolved.path)
}
