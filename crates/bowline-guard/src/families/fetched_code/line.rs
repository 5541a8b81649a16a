//! Code that one run of a line fetches in a bundle, and a later one starts.

use super::origin::{Source, judge_address};
use super::{INTERPRETERS, SHELLS, reads_code_from_stdin};
use crate::effect::Effect;
use crate::families::Run;
use crate::families::args::word;
use crate::families::launch::{base_name, plain_name};
use crate::invocation::{Directory, Invocation, Stdin, Through};

/// What an untrusted place has put into a folder: a clone, or an archive that was unpacked.
#[derive(Debug)]
pub(in crate::families) struct Bundle {
    after: usize,
    /// The folder of a clone; archives are unpacked where the line is.
    folder: Option<String>,
    from: String,
}

/// The bundle that a run fetches from a place that nobody vouches for.
pub(in crate::families) fn bundle(at: usize, invocation: &Invocation) -> Option<Bundle> {
    let words: Vec<&str> = invocation
        .args
        .iter()
        .map(word)
        .filter(|it| !it.starts_with('-'))
        .collect();
    let (from, folder) = match plain_name(invocation.program.as_deref()?) {
        "git" if words.first() == Some(&"clone") => {
            let url = words.iter().find(|it| it.contains("://"))?;
            let named = words.iter().skip_while(|it| *it != url).nth(1);
            let last = url.trim_end_matches('/').rsplit('/').next()?;
            let folder = named.copied().unwrap_or(last).trim_end_matches(".git");
            ((*url).to_owned(), Some(folder.to_owned()))
        }
        "tar" | "gtar" | "bsdtar" | "unzip" | "cpio" => {
            let Stdin::Pipe(programs) = &invocation.stdin else {
                return None;
            };
            let url = programs
                .iter()
                .flat_map(|it| it.split_whitespace())
                .map(|it| it.trim_matches(['"', '\'']))
                .find(|it| it.contains("://"))?;
            (url.to_owned(), None)
        }
        _ => return None,
    };
    matches!(judge_address(&from), Source::Untrusted(_)).then_some(Bundle {
        after: at,
        folder,
        from,
    })
}

/// A run that starts something out of a bundle.
pub(in crate::families) fn runs_bundle(
    runner: &Invocation,
    at: usize,
    bundles: &[Bundle],
) -> Option<Effect> {
    let program = runner.program.as_deref()?;
    let bundle = bundles
        .iter()
        .find(|it| it.after < at && starts_from(it, program, runner))?;
    Some(Source::Untrusted(bundle.from.clone()).effect(program))
}

fn starts_from(bundle: &Bundle, program: &str, runner: &Invocation) -> bool {
    let is_script = |it: &str| {
        let name = it.rsplit('/').next().unwrap_or(it);
        name.rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "sh")
            || matches!(name, "install" | "configure" | "setup" | "setup.py")
    };
    let interprets = SHELLS.contains(&program) || INTERPRETERS.contains(&base_name(program));
    let script = runner.args.iter().map(word).find(|it| !it.starts_with('-'));
    let starts_script =
        (is_script(program) && program != "install") || (interprets && script.is_some());
    let builds = matches!(
        program,
        "make"
            | "gmake"
            | "cmake"
            | "ninja"
            | "npm"
            | "pnpm"
            | "yarn"
            | "pip"
            | "pip3"
            | "cargo"
            | "go"
            | "mvn"
            | "gradle"
            | "gradlew"
            | "just"
            | "rake"
            | "docker"
    );
    match &bundle.folder {
        Some(folder) => {
            let within = matches!(&runner.directory, Directory::Known(cwd)
                if cwd.split('/').any(|it| it == folder));
            let named = runner
                .args
                .iter()
                .map(word)
                .any(|it| it.split('/').any(|part| part == folder));
            (within || named) && (starts_script || builds)
        }
        None => starts_script || builds,
    }
}

/// A shell or an interpreter that runs what a program on another machine prints.
pub(in crate::families) fn runs_remote_output(
    runner: &Invocation,
    earlier: &[Invocation],
) -> Option<Effect> {
    let program = plain_name(runner.program.as_deref()?);
    let name = base_name(program);
    let run = Run {
        name: program,
        args: &runner.args,
        invocation: runner,
    };
    let takes_code = (SHELLS.contains(&name) || INTERPRETERS.contains(&name))
        && matches!(runner.stdin, Stdin::Pipe(_))
        && !runner.runs_elsewhere()
        && reads_code_from_stdin(name, run);
    if !takes_code {
        return None;
    }
    let host = earlier
        .iter()
        .filter(|it| crate::families::secrets::is_fed_by(runner, it))
        .flat_map(|it| &it.through)
        .find_map(|it| match it {
            Through::Remote(host) => Some(host.clone()),
            _ => None,
        })?;
    Some(Source::Untrusted(host).effect(program))
}
