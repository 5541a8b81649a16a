//! How a project is tested and built, from the files in its folder.

use serde_json::Value;

use crate::test_output::Runner;

/// The commands that show whether a project works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// Runs the tests.
    pub test: String,
    /// Builds it, where that shows more than the tests do.
    pub build: Option<String>,
    /// Who prints what the tests print.
    pub runner: Runner,
}

/// The folder of a project.
#[expect(missing_debug_implementations, reason = "it is a pair of functions")]
pub struct Root<'a> {
    /// Whether it has something of this name.
    pub has: &'a dyn Fn(&str) -> bool,
    /// The text of a file in it.
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// How a project is tested; `None` if its files do not say.
pub fn tests_of_project(root: &Root<'_>) -> Option<Commands> {
    let known = [cargo, node, pytest, go, composer, make];
    known.iter().find_map(|detect| detect(root))
}

fn commands(test: &str, build: Option<&str>, runner: Runner) -> Commands {
    Commands {
        test: test.to_owned(),
        build: build.map(str::to_owned),
        runner,
    }
}

fn cargo(root: &Root<'_>) -> Option<Commands> {
    (root.has)("Cargo.toml").then(|| commands("cargo test", Some("cargo build"), Runner::Cargo))
}

/// What `npm init` writes in the place of tests.
const NO_TEST: &str = "no test specified";

fn node(root: &Root<'_>) -> Option<Commands> {
    let manifest: Value = serde_json::from_str(&(root.read)("package.json")?).ok()?;
    let script = |name: &str| {
        let script = manifest.pointer(&format!("/scripts/{name}"))?.as_str()?;
        (!script.contains(NO_TEST)).then_some(())
    };
    script("test")?;
    let named = manifest.get("packageManager").and_then(Value::as_str);
    let is =
        |name: &str, lock: &str| named.map_or_else(|| (root.has)(lock), |it| it.starts_with(name));
    let manager = if is("pnpm", "pnpm-lock.yaml") {
        "pnpm"
    } else if is("yarn", "yarn.lock") {
        "yarn"
    } else {
        "npm"
    };
    let build = script("build").map(|()| format!("{manager} run build"));
    let test = format!("{manager} test");
    Some(commands(&test, build.as_deref(), Runner::Node))
}

fn pytest(root: &Root<'_>) -> Option<Commands> {
    let mentions = |file: &str, what: &str| (root.read)(file).is_some_and(|it| it.contains(what));
    let is_meant = ["pytest.ini", "conftest.py", "tests/conftest.py"]
        .into_iter()
        .any(root.has)
        || mentions("pyproject.toml", "pytest")
        || mentions("setup.cfg", "[tool:pytest]")
        || mentions("tox.ini", "pytest")
        || mentions("requirements-dev.txt", "pytest")
        || mentions("requirements.txt", "pytest");
    let program = if (root.has)("uv.lock") {
        "uv run pytest"
    } else if (root.has)("poetry.lock") {
        "poetry run pytest"
    } else {
        "python3 -m pytest"
    };
    is_meant.then(|| commands(program, None, Runner::Pytest))
}

fn go(root: &Root<'_>) -> Option<Commands> {
    (root.has)("go.mod").then(|| commands("go test ./...", Some("go build ./..."), Runner::Go))
}

fn composer(root: &Root<'_>) -> Option<Commands> {
    let manifest: Value = serde_json::from_str(&(root.read)("composer.json")?).ok()?;
    let test = if manifest.pointer("/scripts/test").is_some() {
        "composer test"
    } else if ["phpunit.xml", "phpunit.xml.dist"]
        .into_iter()
        .any(root.has)
    {
        "vendor/bin/phpunit"
    } else {
        return None;
    };
    Some(commands(test, None, Runner::Phpunit))
}

fn make(root: &Root<'_>) -> Option<Commands> {
    let names = ["GNUmakefile", "makefile", "Makefile"];
    let text = names.into_iter().find_map(root.read)?;
    let has = |target: &str| {
        let mut lines = text.lines();
        lines.any(|line| {
            let rest = line.strip_prefix(target).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
        })
    };
    let build = has("build").then_some("make build");
    has("test").then(|| commands("make test", build, Runner::Make))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Option<(String, Option<String>, Runner)> {
        let read = |name: &str| {
            let file = files.iter().find(|(it, _)| *it == name);
            file.map(|(_, text)| (*text).to_owned())
        };
        let has = |name: &str| read(name).is_some();
        let root = Root {
            has: &has,
            read: &read,
        };
        tests_of_project(&root).map(|it| (it.test, it.build, it.runner))
    }

    #[test]
    fn f45_c_the_test_command_of_a_project_is_found() {
        const SCRIPTS: &str = r#"{"scripts": {"test": "node --test", "build": "tsc"}}"#;
        for (files, test, build, runner) in [
            (
                &[("Cargo.toml", ""), ("Makefile", "test:\n")][..],
                "cargo test",
                Some("cargo build"),
                Runner::Cargo,
            ),
            (
                &[("package.json", SCRIPTS)],
                "npm test",
                Some("npm run build"),
                Runner::Node,
            ),
            (
                &[("package.json", SCRIPTS), ("pnpm-lock.yaml", "")],
                "pnpm test",
                Some("pnpm run build"),
                Runner::Node,
            ),
            (
                &[
                    (
                        "package.json",
                        r#"{"packageManager": "yarn@4", "scripts": {"test": "x"}}"#,
                    ),
                    ("pnpm-lock.yaml", ""),
                ],
                "yarn test",
                None,
                Runner::Node,
            ),
            (
                &[("pyproject.toml", "[tool.pytest.ini_options]")],
                "python3 -m pytest",
                None,
                Runner::Pytest,
            ),
            (
                &[("conftest.py", ""), ("uv.lock", "")],
                "uv run pytest",
                None,
                Runner::Pytest,
            ),
            (
                &[("go.mod", "module x")],
                "go test ./...",
                Some("go build ./..."),
                Runner::Go,
            ),
            (
                &[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#)],
                "composer test",
                None,
                Runner::Phpunit,
            ),
            (
                &[("composer.json", "{}"), ("phpunit.xml.dist", "")],
                "vendor/bin/phpunit",
                None,
                Runner::Phpunit,
            ),
            (
                &[("Makefile", "all: x\ntest : x\n\tls\nbuild:\n")],
                "make test",
                Some("make build"),
                Runner::Make,
            ),
        ] {
            let expected = (test.to_owned(), build.map(str::to_owned), runner);
            assert_eq!(found(files), Some(expected), "{files:?}");
        }
        let placeholder = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#;
        for files in [
            &[][..],
            &[("package.json", "{}")],
            &[("package.json", "not JSON")],
            &[("package.json", placeholder)],
            &[("composer.json", "{}")],
            &[("Makefile", "tests:\ntest := 1\n")],
            &[("pyproject.toml", "[project]")],
        ] {
            assert_eq!(found(files), None, "{files:?}");
        }
    }
}
