//! What the builds of a line make: a compiled program, and output that only its company tells from sources.

use crate::families::args::word;
use crate::families::launch::plain_name;
use crate::invocation::{Arg, Directory, Invocation};

/// The program that a run compiles.
pub(super) fn compiled(invocation: &Invocation) -> Option<String> {
    let words: Vec<&str> = invocation.args.iter().map(word).collect();
    let named = match plain_name(invocation.program.as_deref()?) {
        "go" | "tinygo" if words.first() == Some(&"build") => {
            output(&words).or_else(|| by_package(&words, invocation))?
        }
        "rustc" => output(&words).or_else(|| {
            let mut names = words.iter().map(|it| it.rsplit('/').next().unwrap_or(it));
            names.find_map(|it| it.strip_suffix(".rs"))
        })?,
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "gfortran" | "nvcc" | "ghc"
        | "swiftc" | "ocamlopt" | "ocamlc" | "dmd" | "fpc" | "ld" => output(&words)?,
        "deno" if words.first() == Some(&"compile") => output(&words)?,
        _ => return None,
    };
    // A folder takes more than one program, and may have had others.
    (!named.ends_with('/')).then(|| named.to_owned())
}

/// The value of `-o`.
fn output<'arg>(words: &[&'arg str]) -> Option<&'arg str> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if matches!(*word, "-o" | "--output") {
            return rest.next().copied();
        }
        let joined = word.strip_prefix("-o").filter(|it| !it.is_empty());
        if let Some(name) = joined.or_else(|| word.strip_prefix("--output=")) {
            return Some(name.trim_start_matches('='));
        }
    }
    None
}

/// `go build` names the program after the folder of its package.
fn by_package<'run>(words: &[&'run str], invocation: &'run Invocation) -> Option<&'run str> {
    let Directory::Known(cwd) = &invocation.directory else {
        return None;
    };
    let package = words
        .iter()
        .skip(1)
        .copied()
        .find(|it| !it.starts_with('-'))
        .filter(|it| *it != ".");
    match package {
        None => cwd.rsplit('/').next(),
        // Several packages are only checked.
        Some(package) if package.contains("...") || package.rsplit('.').next() == Some("go") => {
            None
        }
        Some(package) => package.trim_end_matches('/').rsplit('/').next(),
    }
}

/// Whether a deleted word is output by the company that it has: among the other words, or in the line.
pub(super) fn is_output_by_company(
    deleted: &Arg,
    invocation: &Invocation,
    line: &[Invocation],
) -> bool {
    let Some(text) = deleted.text_or_pattern() else {
        return false;
    };
    let text = text.trim_end_matches('/');
    let beside = |name: &str| {
        let mut others = invocation.args.iter().filter_map(Arg::text_or_pattern);
        others.any(|it| it.trim_end_matches('/') == name)
    };
    let runs = |program: &str| line.iter().any(|it| it.program.as_deref() == Some(program));
    if let Some(folder) = text.strip_suffix("bin")
        && (folder.is_empty() || folder.ends_with('/'))
    {
        return beside(&format!("{folder}obj")) || (folder.is_empty() && runs("dotnet"));
    }
    match text {
        "*.out" => true,
        "*.test" => beside("*.out") || beside("*.prof") || beside("coverage.out") || runs("go"),
        _ => false,
    }
}
