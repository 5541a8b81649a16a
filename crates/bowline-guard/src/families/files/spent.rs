//! Archives that the same line has just unpacked or downloaded: what was in them is there.

use crate::families::args::word;
use crate::families::fetched_code::download;
use crate::families::launch::plain_name;
use crate::interpret::{At, NOWHERE};
use crate::invocation::{Arg, Directory, Invocation};
use crate::paths::{Place, Shape, World, place, resolve_literal};

/// A file of the project that a line needs no longer once the run at this place is over.
#[derive(Debug)]
pub(in crate::families) struct Spent {
    after: usize,
    path: String,
}

/// The file that a run unpacks or downloads, if it lies in the project.
pub(in crate::families) fn spent(
    at: usize,
    invocation: &Invocation,
    world: &dyn World,
) -> Option<Spent> {
    let file = match download(invocation) {
        Some((file, _)) => file,
        None => unpacked(invocation)?,
    };
    let path = project_file(file, invocation, world)?;
    Some(Spent { after: at, path })
}

/// The run without the spent files that it deletes; `None` if there is none among them.
pub(in crate::families) fn without_spent(
    at: usize,
    invocation: &Invocation,
    spent: &[Spent],
    world: &dyn World,
) -> Option<Invocation> {
    if !matches!(invocation.program.as_deref(), Some("rm" | "unlink")) {
        return None;
    }
    let is_spent = |arg: &Arg| {
        arg.text()
            .and_then(|text| project_file(text, invocation, world))
            .is_some_and(|path| spent.iter().any(|it| it.after < at && it.path == path))
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

/// The archive that a run unpacks.
fn unpacked(invocation: &Invocation) -> Option<&str> {
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
    let unpacks = match plain_name(invocation.program.as_deref()?) {
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
        "7z" | "7za" | "unrar" => matches!(words.first(), Some(&("x" | "e"))),
        _ => false,
    };
    words.into_iter().filter(|_| unpacks).find(is_archive)
}

fn project_file(file: &str, invocation: &Invocation, world: &dyn World) -> Option<String> {
    let Directory::Known(cwd) = &invocation.directory else {
        return None;
    };
    let here = At::directory(cwd, world);
    let resolved = resolve_literal(file, &here);
    let in_project = matches!(place(&resolved, &here), Place::InProject(_));
    (in_project && resolved.shape == Shape::Exact && !resolved.path.starts_with(NOWHERE))
        .then_some(resolved.path)
}
