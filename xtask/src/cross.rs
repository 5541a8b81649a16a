//! Building for another kind of machine than this one.

use std::env;
use std::path::Path;

use anyhow::Result;

use crate::profile::ask_rustc;
use crate::programs::on_path;

/// A kind of machine that can be built for here.
#[derive(Debug)]
pub(crate) struct Cross {
    pub(crate) target: &'static str,
    /// Variables that name the C compiler to cargo and to build scripts, as far as nobody else has.
    pub(crate) variables: Vec<(String, String)>,
}

/// Why it cannot.
#[derive(Debug)]
pub(crate) enum Obstacle {
    /// Without these, each with what brings it.
    Missing(Vec<String>),
    /// No usual compiler builds for it from here.
    Elsewhere,
}

/// Looks for what it takes to build for a target; `debian` is what Debian calls such machines.
pub(crate) fn find(target: &'static str, debian: Option<&str>) -> Result<Result<Cross, Obstacle>> {
    let is_named = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let variables = compiler(target, is_named, |program| on_path(program).is_some());
    let libraries = ask_rustc(&["--print", "target-libdir", "--target", target])?;
    let mut missing = Vec::new();
    if !Path::new(libraries.trim()).is_dir() {
        missing.push(format!(
            "Rust's library for it (`rustup target add {target}`)"
        ));
    }
    let variables = match (variables, debian) {
        (Some(variables), _) => variables,
        (None, None) => return Ok(Err(Obstacle::Elsewhere)),
        (None, Some(debian)) => {
            missing.push(format!(
                "a C compiler for it (`apt install gcc-{} libc6-dev-{debian}-cross`, or any other that {} and {} name)",
                triple(target).replace('_', "-"),
                linker_variable(target),
                compiler_variables(target)[0],
            ));
            Vec::new()
        }
    };
    Ok(if missing.is_empty() {
        Ok(Cross { target, variables })
    } else {
        Err(Obstacle::Missing(missing))
    })
}

/// What has to be said about the C compiler; `None` if there is none. The usual one is taken where no other is named.
fn compiler(
    target: &str,
    is_named: impl Fn(&str) -> bool,
    is_on_path: impl Fn(&str) -> bool,
) -> Option<Vec<(String, String)>> {
    let linker = linker_variable(target);
    let compilers = compiler_variables(target);
    let mut unnamed = Vec::new();
    if !is_named(&linker) {
        unnamed.push(linker);
    }
    if !compilers.iter().any(|name| is_named(name)) {
        let [name, ..] = compilers;
        unnamed.push(name);
    }
    let usual = format!("{}-gcc", triple(target));
    if !unnamed.is_empty() && !is_on_path(&usual) {
        return None;
    }
    Some(
        unnamed
            .into_iter()
            .map(|name| (name, usual.clone()))
            .collect(),
    )
}

/// What GNU calls it.
fn triple(target: &str) -> String {
    target.replace("-unknown", "")
}

fn linker_variable(target: &str) -> String {
    let target = target.replace('-', "_").to_uppercase();
    format!("CARGO_TARGET_{target}_LINKER")
}

/// In the order of the build scripts. A plain `CC` is not among them: that is the compiler for this machine.
fn compiler_variables(target: &str) -> [String; 3] {
    [
        format!("CC_{}", target.replace('-', "_")),
        format!("CC_{target}"),
        "TARGET_CC".to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_compiler_is_for_what_nobody_has_named() {
        const LINKER: &str = "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER";
        const CC: &str = "CC_aarch64_unknown_linux_gnu";
        const USUAL: &str = "aarch64-linux-gnu-gcc";
        let both = [LINKER, CC];
        for (named, program, expected) in [
            (&[][..], USUAL, Some(&both[..])),
            (&["CC"], USUAL, Some(&both)),
            (&[LINKER], USUAL, Some(&[CC])),
            (&[CC], USUAL, Some(&[LINKER])),
            (&["TARGET_CC"], USUAL, Some(&[LINKER])),
            (&["CC_aarch64-unknown-linux-gnu"], USUAL, Some(&[LINKER])),
            (&both, "gcc", Some(&[])),
            (&[LINKER], "gcc", None),
            (&["CC"], "gcc", None),
            (&[], "gcc", None),
        ] {
            let found = compiler(
                "aarch64-unknown-linux-gnu",
                |name| named.contains(&name),
                |wanted| wanted == program,
            );
            let expected = expected.map(|names| {
                let says = |name: &&str| ((*name).to_owned(), USUAL.to_owned());
                names.iter().map(says).collect::<Vec<_>>()
            });
            assert_eq!(found, expected, "{named:?} {program}");
        }
    }
}
