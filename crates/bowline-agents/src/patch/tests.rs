use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, proptest};
use proptest::sample::select;

use super::*;

fn add<'t>(path: &'t str, content: &str) -> FileChange<'t> {
    let content = content.to_owned();
    FileChange::Add { path, content }
}

fn update<'t>(path: &'t str, to: Option<&'t str>, old: &str, new: &str) -> FileChange<'t> {
    FileChange::Update {
        path,
        to,
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

#[test]
fn a_patch_says_what_happens_to_each_file() {
    for (body, expected) in [
        (
            "*** Add File: a b.txt\n+one\n+\n+*** Delete File: x\n",
            vec![add("a b.txt", "one\n\n*** Delete File: x\n")],
        ),
        ("*** Add File: empty\n", vec![add("empty", "")]),
        (
            "*** Delete File: a\n*** Delete File: b/c\n",
            vec![
                FileChange::Delete { path: "a" },
                FileChange::Delete { path: "b/c" },
            ],
        ),
        (
            "*** Update File: a\n@@\n-two\n+three\n",
            vec![update("a", None, "two", "three")],
        ),
        (
            "*** Update File: a\n fn main() {\n-a\n+b\n\n@@ fn other\n@@ inner\n-*** End Patch\n+c\n*** End of File\n*** Add File: z\n+z\n",
            vec![
                update(
                    "a",
                    None,
                    "fn main() {\na\n\n*** End Patch",
                    "fn main() {\nb\n\nc",
                ),
                add("z", "z\n"),
            ],
        ),
        (
            "*** Update File: a\n*** Move to: b\n@@\n-1\n+2\n",
            vec![update("a", Some("b"), "1", "2")],
        ),
        (
            "*** Update File: a\n*** Move to: b\n",
            vec![update("a", Some("b"), "", "")],
        ),
        // `apply_patch` takes a name that is indented.
        ("   *** Add File: d\n+d\n", vec![add("d", "d\n")]),
        (
            "*** Environment ID: e1\n*** Delete File: a\n",
            vec![FileChange::Delete { path: "a" }],
        ),
    ] {
        let patch = format!("*** Begin Patch\n{body}*** End Patch");
        assert_eq!(parse(&patch).as_ref(), Ok(&expected), "{body}");
        let windows = patch.replace('\n', "\r\n");
        assert_eq!(parse(&windows).as_ref(), Ok(&expected), "{body}");
        for around in ["<<EOF", "<<'EOF'", "<<\"EOF\""] {
            let wrapped = format!("\n{around}\n{patch}\nEOF\n");
            assert_eq!(parse(&wrapped).as_ref(), Ok(&expected), "{body}");
        }
    }
}

#[test]
fn a_text_that_is_not_understood_is_unread_and_its_files_are_named() {
    for (text, line, files) in [
        ("", 1, &[][..]),
        ("ls", 1, &[]),
        ("*** Begin Patch\n*** End Patch", 3, &[]),
        ("*** Begin Patch\n*** Delete File: a", 3, &["a"]),
        ("\n\n*** Delete File: a\n*** End Patch", 3, &["a"]),
        (
            "*** Begin Patch\n*** Frobnicate: a\n*** Add File: b\n+x\n*** End Patch",
            2,
            &["b"],
        ),
        // One of the two is read differently by those who read it less strictly.
        (
            "*** Begin Patch\n*** Update File: a\n@@\n x\n *** Delete File: b\n*** End Patch",
            5,
            &["a", "b"],
        ),
        (
            "*** Begin Patch\n*** Update File: a\n*** End Patch",
            3,
            &["a"],
        ),
        (
            "*** Begin Patch\n*** Update File: a\n@@\n-x\nnonsense\n*** End Patch",
            5,
            &["a"],
        ),
        (
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\n*** Delete File: b",
            4,
            &["a", "b"],
        ),
        (
            "*** Begin Patch\n*** Add File:b\n\t*** Move to: c \n*** Add File:b\n",
            2,
            &["b", "c"],
        ),
        (
            "<<'EOF'\n*** Begin Patch\nnonsense\n*** End Patch\nEOF",
            3,
            &[],
        ),
    ] {
        let unread = parse(text).expect_err(text);
        assert_eq!(
            (unread.line, unread.files.as_slice()),
            (line, files),
            "{text}"
        );
        assert!(
            unread
                .to_string()
                .starts_with(&format!("line {line} of the patch is not "))
        );
    }
}

/// Lines that patches are made of, and some that break them.
const LINES: &[&str] = &[
    BEGIN,
    END,
    "*** Add File: a",
    "*** Update File: b",
    "*** Delete File: é",
    "*** Move to: c",
    END_OF_FILE,
    "@@",
    "@@ x",
    "+x",
    "-x",
    " x",
    "",
    "+",
    "***",
    " *** Delete File: d",
    "é",
    "<<'EOF'",
];

/// The files that are judged because of a text.
fn judged(text: &str) -> Vec<&str> {
    let changes = match parse(text) {
        Ok(changes) => changes,
        Err(unread) => return unread.files,
    };
    let of = |change| match change {
        FileChange::Add { path, .. } | FileChange::Delete { path } => [Some(path), None],
        FileChange::Update { path, to, .. } => [Some(path), to],
    };
    changes.into_iter().flat_map(of).flatten().collect()
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text);
    }

    /// A file that is named at the beginning of a line is in the changes, or named with the text that is unread.
    #[test]
    fn no_file_gets_lost(body in vec(select(LINES), 0..9), is_framed in any::<bool>(), is_windows in any::<bool>()) {
        let mut lines = body;
        if is_framed {
            lines.insert(0, BEGIN);
            lines.push(END);
        }
        let text = lines.join(if is_windows { "\r\n" } else { "\n" });
        let judged = judged(&text);
        for line in lines {
            if let Some(file) = NAMING.iter().find_map(|it| line.strip_prefix(it)) {
                prop_assert!(judged.contains(&file), "{text}");
            }
        }
    }
}
