use super::super::tests::{database, plan};
use super::*;

/// The name of SQLite's plan for the index: by words, by a lower bound of the row, in falling order of rows.
const BY_WORDS: &str = "SCAN search_words VIRTUAL TABLE INDEX";

#[test]
fn a_search_begins_in_the_index_and_needs_no_order_of_its_own() {
    let (_folder, db) = database();
    let words = "(\"cargo\" OR \"cargos\") AND \"src main rs\"";
    let scopes = [
        vec![Scope::Project(1)],
        vec![Scope::Chain(1), Scope::Chain(2)],
        vec![Scope::Tool("mcp__x__y")],
    ];
    for scopes in [&scopes[..0], &scopes[..]] {
        let filter = SearchFilter::new("");
        let query = query(&filter, words, scopes);
        let plan = plan(&db, &query.sql, &query.values);
        let (first, rest) = plan.split_first().unwrap();
        // `>` is the bound, `M5` the words in all columns; an index without words would be a scan of all.
        let index = first
            .strip_prefix(BY_WORDS)
            .unwrap_or_else(|| panic!("{plan:#?}"));
        assert!(index.contains('M') && index.contains('>'), "{plan:#?}");
        let needs = |step: &String| step.starts_with("SCAN") || step.contains("TEMP B-TREE");
        assert!(!rest.is_empty() && !rest.iter().any(needs), "{plan:#?}");
    }
}

#[test]
fn beginnings_are_found_from_word_to_word_and_their_number_is_bounded() {
    let (_folder, db) = database();
    let plan = plan(&db, NEXT_WORD, &[]);
    // The bound is used: without one it would be index 0.
    assert!(!plan[0].ends_with("INDEX 0:"), "{plan:?}");
    let words = ["test", "tests", "tex", "tes", "te\u{e9}", "testing"].join(" ");
    let many: Vec<String> = (0..200).map(|n| format!("word{n:03}")).collect();
    db.execute(
        "INSERT INTO search_words (rowid, command) VALUES (1, ?1), (2, ?2), (3, ?1)",
        [words, many.join(" ")],
    )
    .unwrap();
    let these = |words: &[&str]| Longer::These(words.iter().map(|it| (*it).to_owned()).collect());
    let mut left = LONGER_WORDS;
    for (beginning, expected) in [
        ("test", these(&["test", "testing", "tests"])),
        ("te\u{e9}", these(&["te\u{e9}"])),
        ("testingx", these(&[])),
        ("zzz", these(&[])),
        ("word", Longer::TooMany),
    ] {
        assert_eq!(
            longer(&db, beginning, &mut left).unwrap(),
            expected,
            "{beginning}"
        );
    }
    assert_eq!(left, 0);
}

#[test]
fn what_narrows_a_search_down_is_a_word_that_no_text_has() {
    let words = [
        Scope::Project(12),
        Scope::Chain(12),
        Scope::Session(12),
        Scope::Tool("mcp__a__b c"),
        Scope::Tool("Bash"),
    ]
    .map(|scope| scope.word());
    for word in &words {
        assert_eq!(indexed(word), *word, "{word} is one word");
    }
    assert_eq!(Scope::Tool("bash").word(), words[4]);
}
