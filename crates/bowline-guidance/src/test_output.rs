//! What the output of a test run says about failures. The exit status decides; this only says more.

/// Who prints what a test run prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `cargo test`.
    Cargo,
    /// Node's own runner, and those that are used like it.
    Node,
    /// pytest.
    Pytest,
    /// `go test`.
    Go,
    /// PHPUnit.
    Phpunit,
    /// make, which runs something else.
    Make,
    /// Not known.
    Other,
}

/// What failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Failures {
    /// The names of failed tests, each once, in order.
    pub names: Vec<String>,
    /// How many failed, where that is said or can be counted.
    pub count: Option<usize>,
    /// The output without what passed, cut to size from its end.
    pub excerpt: String,
}

/// At most so many names are kept.
const MAX_NAMES: usize = 50;
/// At most so many lines are kept, and so many characters.
const MAX_LINES: usize = 40;
const MAX_CHARACTERS: usize = 2_000;

impl Runner {
    /// The runner of a command that somebody wrote.
    pub fn of_command(command: &str) -> Self {
        let known = [
            ("cargo", Self::Cargo),
            ("pytest", Self::Pytest),
            ("phpunit", Self::Phpunit),
            ("composer", Self::Phpunit),
            ("npm", Self::Node),
            ("pnpm", Self::Node),
            ("yarn", Self::Node),
            ("node", Self::Node),
            ("npx", Self::Node),
            ("bun", Self::Node),
            ("make", Self::Make),
            ("go", Self::Go),
        ];
        let words: Vec<&str> = command
            .split(|c: char| c.is_whitespace() || matches!(c, '/' | ';' | '&' | '|'))
            .collect();
        let found = known.iter().find(|(name, _)| words.contains(name));
        found.map_or(Self::Other, |(_, runner)| *runner)
    }

    /// What of the output failed.
    pub fn failures(self, output: &str) -> Failures {
        let output = without_colours(output);
        let lines: Vec<&str> = output.lines().collect();
        let (names, count) = match self {
            // They run another runner, whichever that is.
            Self::Make | Self::Other => [
                Self::Cargo,
                Self::Pytest,
                Self::Go,
                Self::Phpunit,
                Self::Node,
            ]
            .into_iter()
            .map(|runner| runner.found(&lines))
            .find(|(names, _)| !names.is_empty())
            .unwrap_or_else(|| (distinct(lines.iter().filter_map(|it| of_make(it))), None)),
            runner => runner.found(&lines),
        };
        let counted = (!names.is_empty()).then_some(names.len());
        Failures {
            count: count.or(counted),
            names,
            excerpt: excerpt(&lines),
        }
    }

    /// The names of what failed, and how many there are.
    fn found(self, lines: &[&str]) -> (Vec<String>, Option<usize>) {
        let lines = || lines.iter().copied();
        match self {
            Self::Cargo => {
                let names = distinct(lines().filter_map(of_cargo));
                let counts = lines().filter(|line| line.starts_with("test result: FAILED"));
                let counts = counts.filter_map(|line| number_before(line, " failed"));
                let names = if names.is_empty() {
                    // It does not compile.
                    distinct(lines().filter(|line| line.starts_with("error[")))
                } else {
                    names
                };
                (names, sum(counts))
            }
            Self::Pytest => {
                let names = distinct(lines().filter_map(of_pytest));
                let last =
                    lines().rfind(|line| line.contains(" failed") || line.contains(" error"));
                let count = last.map(|line| {
                    let number = |what| number_before(line, what).unwrap_or_default();
                    number(" failed") + number(" error")
                });
                (names, count.filter(|count| *count > 0))
            }
            Self::Go => (distinct(lines().filter_map(of_go)), None),
            Self::Phpunit => {
                let names = distinct(lines().filter_map(of_phpunit));
                let last = lines().rfind(|line| line.starts_with("Tests: "));
                let count = last.map(|line| {
                    let number = |what| number_after(line, what).unwrap_or_default();
                    number("Failures: ") + number("Errors: ")
                });
                (names, count.filter(|count| *count > 0))
            }
            Self::Node => {
                let names = distinct(lines().filter_map(of_node));
                let count = lines().find_map(|line| {
                    let line = line.trim_start_matches(['#', 'ℹ', ' ']);
                    line.strip_prefix("fail ")?.trim().parse().ok()
                });
                (names, count.filter(|count| *count > 0))
            }
            Self::Make | Self::Other => (Vec::new(), None),
        }
    }
}

/// `test shop::adds ... FAILED`
fn of_cargo(line: &str) -> Option<&str> {
    line.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// `FAILED tests/test_shop.py::test_adds - assert 1 == 2`
fn of_pytest(line: &str) -> Option<&str> {
    let rest = (line.strip_prefix("FAILED ")).or_else(|| line.strip_prefix("ERROR "))?;
    let name = rest.split(" - ").next()?.trim();
    name.contains(".py").then_some(name)
}

/// `--- FAIL: TestAdds (0.00s)`, and packages that do not compile.
fn of_go(line: &str) -> Option<&str> {
    if let Some(rest) = line.trim_start().strip_prefix("--- FAIL: ") {
        return rest.split(' ').next();
    }
    let rest = line.strip_prefix("FAIL\t")?;
    rest.contains("[build failed]").then_some(rest)
}

/// `1) Shop\CartTest::testAdds`
fn of_phpunit(line: &str) -> Option<&str> {
    let (number, name) = line.split_once(") ")?;
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    (is_number && name.contains("::")).then_some(name)
}

/// `✖ adds (1.2ms)`, `not ok 3 - adds`, `× adds 3ms`, `FAIL shop.test.js > adds`, `● cart › adds`
fn of_node(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("not ok ") {
        let (_, name) = rest.split_once(" - ")?;
        return Some(name.split(" # ").next().unwrap_or(name));
    }
    if let Some(rest) = line.strip_prefix("FAIL ") {
        return Some(rest.trim());
    }
    let name = ["✖ ", "× ", "✕ ", "● "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))?;
    let name = match name.rsplit_once(" (") {
        Some((name, time)) if time.ends_with("ms)") || time.ends_with("s)") => name,
        _ => name,
    };
    (name != "failing tests:").then_some(name)
}

/// `make: *** [Makefile:2: test] Error 1`
fn of_make(line: &str) -> Option<&str> {
    let (program, rest) = line.split_once(": *** [")?;
    let is_make = program.starts_with("make") || program.starts_with("gmake");
    let (place, _) = rest.split_once(']')?;
    is_make.then(|| place.rsplit(": ").next().unwrap_or(place))
}

/// Each once, in order.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        if found.len() < MAX_NAMES && !found.iter().any(|it| it == name) {
            found.push(name.to_owned());
        }
    }
    found
}

fn sum(counts: impl Iterator<Item = usize>) -> Option<usize> {
    counts.fold(None, |sum, count| Some(sum.unwrap_or(0) + count))
}

/// The number right before a text: 2 in `1 passed; 2 failed`.
fn number_before(line: &str, text: &str) -> Option<usize> {
    let (before, _) = line.split_once(text)?;
    before
        .rsplit(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

fn number_after(line: &str, text: &str) -> Option<usize> {
    let (_, after) = line.split_once(text)?;
    after
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// The beginnings of lines, after blanks, that say what went well or what is going on.
const FINE: [&str; 26] = [
    "✔ ",
    "✓ ",
    "ok ",
    "ok\t",
    "PASS",
    "--- PASS",
    "=== RUN",
    "=== PAUSE",
    "=== CONT",
    "Compiling ",
    "Downloading ",
    "Downloaded ",
    "Running ",
    "Doc-tests ",
    "Finished ",
    "running ",
    "# Subtest",
    "▶ ",
    "duration_ms",
    "> ",
    "make[",
    "$ ",
    "at /rustc/",
    "error: test failed, to rerun",
    "note: ",
    "stack backtrace:",
];

/// The output without what passed, its end first of all.
fn excerpt(lines: &[&str]) -> String {
    let matters = |line: &&str| {
        let start = line.trim_start();
        let passed =
            line.ends_with(" ... ok") || line.ends_with(" ... ignored") || line.contains(" PASSED");
        // A line of a backtrace: `12: shop::adds`.
        let is_frame = start.split_once(": ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit())
        });
        !start.is_empty()
            && !passed
            && !is_frame
            && !FINE.iter().any(|fine| start.starts_with(fine))
    };
    let mut kept = Vec::new();
    let mut room = MAX_CHARACTERS;
    let mut left_out = false;
    for line in lines.iter().copied().filter(matters).rev() {
        let length = line.chars().count() + 1;
        if kept.len() == MAX_LINES || length > room {
            left_out = true;
            break;
        }
        room -= length;
        kept.push(line.trim_end());
    }
    if left_out {
        kept.push("…");
    }
    kept.reverse();
    kept.join("\n")
}

/// Without escape sequences that set colours.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic());
        rest = end.and_then(|end| after.get(end + 1..)).unwrap_or_default();
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "   Compiling shop v0.1.0
     Running unittests src/lib.rs (target/debug/deps/shop-1)

running 3 tests
test adds ... FAILED
test multiplies ... ok
test cart::holds ... FAILED

failures:

---- adds stdout ----
thread 'adds' panicked at src/lib.rs:7:9:
assertion `left == right` failed

failures:
    adds
    cart::holds

test result: FAILED. 1 passed; 2 failed; 0 ignored
error: test failed, to rerun pass `--lib`
";

    #[test]
    fn f45_a_failing_tests_are_named_and_counted() {
        const PYTEST: &str = "..F\n=== FAILURES ===\n> assert 1 == 2\n=== short test summary info ===\nFAILED tests/test_shop.py::test_adds - assert 1 == 2\nERROR tests/test_b.py\n=== 1 failed, 2 passed, 1 error in 0.02s ===\n";
        const GO: &str = "=== RUN   TestAdds\n--- FAIL: TestAdds (0.00s)\n    shop_test.go:6: no\n    --- FAIL: TestAdds/two (0.00s)\nFAIL\nFAIL\tshop\t0.1s\nFAIL\tother [build failed]\nok  \tx\t0.1s\n";
        const PHP: &str = "There was 1 failure:\n\n1) Shop\\CartTest::testAdds\nFailed asserting\n\nTests: 3, Assertions: 3, Failures: 1, Errors: 1.\n";
        const NODE: &str = "✔ multiplies (0.5ms)\n\u{1b}[31m✖ adds (1.2ms)\u{1b}[39m\n  AssertionError\nℹ tests 2\nℹ fail 1\n\n✖ failing tests:\n\n✖ adds (1.2ms)\n";
        const TAP: &str = "TAP version 13\nok 1 - multiplies\nnot ok 2 - adds\n  ---\n# fail 1\n";
        const MAKE: &str = "./check.sh\nno\nmake: *** [Makefile:2: test] Error 1\n";
        let compiling = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:1:1\n";
        for (runner, output, names, count) in [
            (Runner::Cargo, CARGO, &["adds", "cart::holds"][..], Some(2)),
            (Runner::Make, CARGO, &["adds", "cart::holds"], Some(2)),
            (
                Runner::Cargo,
                compiling,
                &["error[E0425]: cannot find value `x` in this scope"],
                Some(1),
            ),
            (
                Runner::Pytest,
                PYTEST,
                &["tests/test_shop.py::test_adds", "tests/test_b.py"],
                Some(2),
            ),
            (
                Runner::Go,
                GO,
                &["TestAdds", "TestAdds/two", "other [build failed]"],
                Some(3),
            ),
            (Runner::Phpunit, PHP, &["Shop\\CartTest::testAdds"], Some(2)),
            (Runner::Node, NODE, &["adds"], Some(1)),
            (Runner::Node, TAP, &["adds"], Some(1)),
            (Runner::Make, MAKE, &["test"], Some(1)),
            (Runner::Other, "no\n", &[], None),
            (Runner::Cargo, "", &[], None),
        ] {
            let found = runner.failures(output);
            assert_eq!(found.names, names, "{runner:?} {output}");
            assert_eq!(found.count, count, "{runner:?} {output}");
        }
    }

    #[test]
    fn f45_c_the_output_is_reduced_to_what_failed() {
        let kept = Runner::Cargo.failures(CARGO).excerpt;
        assert!(kept.contains("panicked at src/lib.rs:7:9"), "{kept}");
        assert!(!kept.contains("multiplies"), "{kept}");
        assert!(!kept.contains("Compiling"), "{kept}");
        let long = "error: something\n".repeat(1_000);
        let kept = Runner::Other.failures(&long).excerpt;
        assert!(kept.chars().count() <= MAX_CHARACTERS + 2, "{}", kept.len());
        assert!(kept.starts_with("…\n"), "{kept}");
    }

    #[test]
    fn a_written_command_names_its_runner() {
        for (command, expected) in [
            ("cargo nextest run", Runner::Cargo),
            (".venv/bin/pytest -q", Runner::Pytest),
            ("cd app && npm test", Runner::Node),
            ("vendor/bin/phpunit", Runner::Phpunit),
            ("go test ./...", Runner::Go),
            ("make check", Runner::Make),
            ("./run-tests.sh --going", Runner::Other),
        ] {
            assert_eq!(Runner::of_command(command), expected, "{command}");
        }
    }
}
