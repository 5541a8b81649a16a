//! Reads what a change adds out of `git diff -U0`.

/// The lines that a change adds to one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Added {
    pub(super) path: String,
    /// One after another.
    pub(super) text: String,
    /// The number of each line in the new file.
    pub(super) lines: Vec<usize>,
}

/// The added lines of all files of a diff.
pub(super) fn added(diff: &str) -> Vec<Added> {
    let mut files: Vec<Added> = Vec::new();
    let mut path = "a file";
    // How many lines of the hunk are left: the position of a line says what it is, not its content.
    let (mut old, mut new, mut number) = (0_usize, 0_usize, 0_usize);
    let mut is_first = true;
    for line in diff.split('\n') {
        let (mark, rest) = line.split_at_checked(1).unwrap_or((line, ""));
        match mark {
            "+" if new > 0 => {
                if is_first {
                    files.push(Added {
                        path: path.to_owned(),
                        ..Added::default()
                    });
                    is_first = false;
                }
                if let Some(file) = files.last_mut() {
                    file.text.push_str(rest);
                    file.text.push('\n');
                    file.lines.push(number);
                }
                new -= 1;
                number += 1;
            }
            "-" if old > 0 => old -= 1,
            "@" => {
                if let Some(hunk) = hunk(line) {
                    (old, new, number) = hunk;
                }
            }
            "+" => {
                if let Some(name) = line.strip_prefix("+++ ") {
                    path = name.strip_prefix("b/").unwrap_or(name).trim_end();
                    is_first = true;
                }
            }
            _ => {}
        }
    }
    files
}

/// `@@ -1,2 +3,4 @@`: how many lines go, how many come, and the first one's number.
fn hunk(line: &str) -> Option<(usize, usize, usize)> {
    let (before, after) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (after, _) = after.split_once(" @@")?;
    let (_, old) = range(before)?;
    let (start, new) = range(after)?;
    Some((old, new, start))
}

fn range(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_added_lines_are_read() {
        let diff = "\
diff --git a/a.rs b/a.rs
index 1..2 100644
--- a/a.rs
+++ b/a.rs
@@ -3 +3,2 @@ fn x() {
-old
+one
+++ b/not-a-file
@@ -9,2 +10 @@
--- a/also-not
-gone
+two
\\ No newline at end of file
diff --git a/b c b/b c
new file mode 100644
--- /dev/null
+++ b/b c\t
@@ -0,0 +1 @@
+three
diff --git a/x.png b/x.png
Binary files differ
";
        let found = added(diff);
        let seen: Vec<_> = found
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str(), file.lines.clone()))
            .collect();
        assert_eq!(
            seen,
            [
                ("a.rs", "one\n++ b/not-a-file\ntwo\n", vec![3, 4, 10]),
                ("b c", "three\n", vec![1]),
            ]
        );
    }

    #[test]
    fn nonsense_is_no_diff() {
        for text in [
            "",
            "@@",
            "@@ -1 +x @@\n+y",
            "+++ ",
            "@@ -99999999999999999999 +1 @@\n+a",
        ] {
            assert!(added(text).is_empty(), "{text:?}");
        }
    }
}
