//! `docs/features.md` names a test for every promise, and `docs/first-hour.md` for everything that once was not as a newcomer expects: they must be
//! true.

use std::fs;
use std::path::Path;

/// The features, with the last letter of each.
const FEATURES: [(u8, char); 50] = [
    (1, 'd'),
    (2, 'h'),
    (3, 'b'),
    (4, 'c'),
    (5, 'e'),
    (6, 'c'),
    (7, 'c'),
    (8, 'c'),
    (9, 'c'),
    (10, 'd'),
    (11, 'e'),
    (12, 'c'),
    (13, 'c'),
    (14, 'd'),
    (15, 'd'),
    (16, 'g'),
    (17, 'f'),
    (18, 'g'),
    (19, 'd'),
    (20, 'h'),
    (21, 'd'),
    (22, 'd'),
    (23, 'f'),
    (24, 'd'),
    (25, 'c'),
    (26, 'b'),
    (27, 'c'),
    (28, 'g'),
    (29, 'b'),
    (30, 'f'),
    (31, 'c'),
    (32, 'b'),
    (33, 'b'),
    (34, 'e'),
    (35, 'd'),
    (36, 'd'),
    (37, 'd'),
    (38, 'c'),
    (39, 'd'),
    (40, 'f'),
    (41, 'c'),
    (42, 'c'),
    (43, 'c'),
    (44, 'f'),
    (45, 'd'),
    (46, 'd'),
    (47, 'c'),
    (48, 'c'),
    (49, 'h'),
    (50, 'e'),
];

/// How many things a first hour with an early version found wanting.
const FOUND_WANTING: usize = 24;

#[test]
fn every_promise_has_tests_that_exist() {
    let lines: Vec<String> = FEATURES
        .into_iter()
        .flat_map(|(feature, last)| ('a'..=last).map(move |letter| format!("{feature}{letter}")))
        .collect();
    assert_eq!(lines.len(), 209);
    assert_shown(include_str!("../../../../docs/features.md"), &lines);
}

#[test]
fn every_finding_of_the_first_hour_has_tests_that_exist() {
    let lines: Vec<String> = (1..=FOUND_WANTING).map(|line| line.to_string()).collect();
    assert_shown(include_str!("../../../../docs/first-hour.md"), &lines);
}

/// Whether a table has exactly these lines, and each names tests that exist.
fn assert_shown(table: &str, lines: &[String]) {
    let rows: Vec<Vec<&str>> = table.lines().filter_map(row).collect();
    let found: Vec<&str> = rows.iter().map(|cells| cells[0]).collect();
    assert_eq!(found, lines);
    for cells in rows {
        let [line, what, tests] = cells[..] else {
            panic!("three cells: {cells:?}");
        };
        assert!(!what.is_empty(), "{line} says nothing");
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "{line} names no test");
        for test in named {
            assert!(exists(test), "{line}: there is no test {test}");
        }
    }
}

/// The cells of a row about a line of the list.
fn row(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line
        .strip_prefix("| ")?
        .trim_end_matches(" |")
        .split(" | ")
        .collect();
    let is_line = cells.first()?.starts_with(|c: char| c.is_ascii_digit());
    is_line.then_some(cells)
}

/// Whether there is a function of this name in this file, and it is a test.
fn exists(test: &str) -> bool {
    let (file, name) = test.split_once("::").expect("FILE::NAME");
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(file);
    let text = fs::read_to_string(file).unwrap_or_default();
    let Some((before, _)) = text.split_once(&format!("fn {name}(")) else {
        return false;
    };
    // The first piece is what stands before it on its own line.
    before
        .rsplit('\n')
        .skip(1)
        .map(str::trim)
        .take_while(|line| !line.is_empty() && *line != "}")
        .any(|line| line == "#[test]" || line.starts_with("#[tokio::test"))
}
