use super::{Action, Finds, Pattern, Running, Search};

fn read(text: &str) -> Search {
    let words: Vec<&str> = text.split(' ').collect();
    Search::read(words[0], &words[1..]).unwrap()
}

/// What reaches each action, as words of `find` without the roots.
fn reached(text: &str) -> Vec<String> {
    let search = read(text);
    let told = search.actions.iter().map(|it| it.finds.words().join(" "));
    told.collect()
}

#[test]
fn actions_are_told_with_what_reaches_them() {
    for (text, expected) in [
        ("find . -name x -delete", &["-name x"][..]),
        ("find . -delete -name x", &[""]),
        ("find . -name x", &["-name x"]),
        ("find . -name x -o -delete", &["! -name x"]),
        ("find . -name x -print , -delete", &["-name x", ""]),
        (
            "find . ( -name x -o -name y ) -delete",
            &["( -name x -o -name y )"],
        ),
        (
            "find . ! ( -name x -type f ) -delete",
            &["( ! -name x -o ! -type f )"],
        ),
        ("find . -name x -prune -o -print", &["! -name x"]),
        (
            "find . -exec a {} ; -exec b {} + -exec c {} ;",
            &["", "", ""],
        ),
        ("find . -exec a {} ; -o -delete", &["", ""]),
        ("find . -exec a {} + -o -delete", &["", "-false"]),
        ("find . -name x -name y ! -name x -delete", &["-false"]),
        ("find . -quit -delete", &["-false"]),
        (
            "find . -newermt 2020-01-01 -delete",
            &["-newermt 2020-01-01"],
        ),
        ("fd -e a -e b", &["( -iname *.a -o -iname *.b )"]),
    ] {
        assert_eq!(reached(text), expected, "{text}");
    }
}

#[test]
fn roots_and_commands() {
    let search = read("find -L a b -maxdepth 1 -name x -execdir rm -f {} ; -okdir y {} ;");
    assert_eq!(search.roots, ["a", "b"]);
    assert_eq!(
        search.actions[0].action,
        Action::Run {
            words: 8..11,
            how: Running::InItsFolder
        }
    );
    assert!(matches!(
        search.actions[1].action,
        Action::Run {
            how: Running::AfterAsking,
            ..
        }
    ));
    assert_eq!(
        search.words_for(&search.actions[0].finds).join(" "),
        "find a b -L -maxdepth 1 -name x"
    );
    assert_eq!(read("find -name x").roots, ["."]);
    assert_eq!(read("find -files0-from list").roots, ["…"]);
    assert_eq!(read("fd x a b").roots, ["a", "b"]);
}

#[test]
fn patterns_and_kinds() {
    let search = read("find . -type f -path ./a/* ! -name keep -name *.rs -delete");
    let ways = search.deleted();
    let [way] = ways.alternatives() else {
        panic!("{ways:?}");
    };
    assert_eq!(way.kinds(), Some("f"));
    let patterns: Vec<Pattern<'_>> = way.patterns().collect();
    assert_eq!(patterns, [Pattern::Path("./a/*"), Pattern::Name("*.rs")]);
}

#[test]
fn paths_that_may_be_found() {
    let finds = read("find . -path ./a/* ! -name keep.rs -iname *.RS -delete").deleted();
    for (path, expected) in [
        ("./a/x.rs", true),
        ("./a/b/x.rs", true),
        ("./a/keep.rs", false),
        ("./b/x.rs", false),
        ("./a/x.py", false),
    ] {
        assert_eq!(finds.may_hold(path), expected, "{path}");
    }
    assert!(Finds::anything().may_hold("./x"));
    assert!(!Finds::none().may_hold("./x"));
    // What nobody can tell from the name may be found.
    assert!(
        read("find . -mtime +1 -regex x -delete")
            .deleted()
            .may_hold("./x")
    );
}

#[test]
fn too_much_is_anything() {
    let deep = format!(
        "find . {}-name x {}-delete",
        "( ".repeat(100),
        ") ".repeat(100)
    );
    assert_eq!(read(&deep).deleted(), Finds::anything());
    let excluded = format!("bfs . {}-name x -delete", "-exclude ".repeat(5_000));
    assert_eq!(read(&excluded).deleted(), Finds::anything());
    let long = format!("find . {}-delete", "-name x ".repeat(5_000));
    assert_eq!(read(&long).deleted(), Finds::anything());
    let wide = format!("find . {}-delete", "( -name a -o -name b ) ".repeat(60));
    assert!(!read(&wide).deleted().alternatives().is_empty());
    for words in [
        "find",
        "find .",
        "find )",
        "find ( (",
        "find ! !",
        "find -o",
        "find . -name",
    ] {
        assert!(!read(words).actions.is_empty(), "{words}");
    }
}
