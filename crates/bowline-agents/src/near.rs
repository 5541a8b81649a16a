//! What was probably meant by a misspelt name. The one place in the workspace that compares spellings.

use crate::event::fold;

/// No name that we know is longer, and comparing takes longer the longer the names are.
const LONGEST: usize = 80;

/// The known name that is nearest to a misspelt one, in any casing, if any is near enough to suggest.
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > LONGEST {
        return None;
    }
    let folded = fold(name);
    known
        .into_iter()
        .map(|known| (edit_distance(&folded, &fold(known)), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= folded.len() / 3)
        .map(|(_, known)| known)
}

/// How many letters have to be changed, added or left out to make one text of another. Two neighbours that changed
/// places count as one.
pub fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    let mut last_from = None;
    for (line, a) in from.chars().enumerate() {
        let mut row = vec![line + 1];
        let mut last_to = None;
        for (column, b) in to.iter().copied().enumerate() {
            let replaced = at(&above, column) + usize::from(a != b);
            let added = at(&row, column) + 1;
            let left_out = at(&above, column + 1) + 1;
            let mut least = replaced.min(added).min(left_out);
            if last_from == Some(b) && last_to == Some(a) {
                least = least.min(at(&before, column.saturating_sub(1)) + 1);
            }
            row.push(least);
            last_to = Some(b);
        }
        before = std::mem::replace(&mut above, row);
        last_from = Some(a);
    }
    at(&above, to.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance_counts_changes() {
        for (a, b, expected) in [
            ("", "", 0),
            ("abc", "abc", 0),
            ("kitten", "sitting", 3),
            ("", "ab", 2),
            ("ab", "", 2),
            ("ab", "ba", 1),
            ("modle", "model", 1),
            ("recrod", "record", 1),
            ("abcd", "badc", 2),
            ("aba", "bab", 2),
        ] {
            assert_eq!(edit_distance(a, b), expected, "{a} -> {b}");
            assert_eq!(edit_distance(b, a), expected, "{b} -> {a}");
        }
    }

    #[test]
    fn only_what_is_near_is_suggested() {
        let known = ["on_failure", "model", "if"];
        let long = "model".repeat(100);
        for (name, expected) in [
            ("onFailur", Some("on_failure")),
            ("modle", Some("model")),
            ("fi", None),
            ("xyzzy", None),
            ("", None),
            (&long, None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
