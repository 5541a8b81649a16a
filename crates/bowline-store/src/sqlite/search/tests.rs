use super::super::tests::{database, plan};
use super::*;

/// The name of SQLite's plan for the index: by words, by a lower bound of the row, in falling order of rows.
const BY_WORDS: &str = "SCAN search_words VIRTUAL TABLE INDEX";

#[test]
fn a_search_begins_in_the_index_and_needs_no_order_of_its_own() {
    let (_folder, db) = database();
    let words = Words::wanted("cargo src/main.rs").unwrap();
    let scopes = [
        vec![Scope::Project(1)],
        vec![Scope::Chain(1), Scope::Chain(2)],
        vec![Scope::Tool("mcp__x__y")],
    ];
    for scopes in [&scopes[..0], &scopes[..]] {
        let filter = SearchFilter::new("");
        let query = query(&filter, &words, scopes);
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
