//! Text in which `*` stands for anything.

/// A text with `*` in it. Runs of blanks are equal.
#[derive(Debug)]
pub(super) struct Wildcard {
    /// The texts between the stars; never empty.
    pieces: Vec<String>,
}

impl Wildcard {
    pub(super) fn new(text: &str) -> Self {
        Self {
            pieces: one_blank(text).split('*').map(str::to_owned).collect(),
        }
    }

    /// Whether the whole text fits. Linear in it: the first place where a piece fits is as good as any other.
    pub(super) fn fits(&self, text: &str) -> bool {
        let text = one_blank(text);
        let (Some((first, rest)), Some(mut left)) = (
            self.pieces.split_first(),
            self.pieces
                .first()
                .and_then(|first| text.strip_prefix(first.as_str())),
        ) else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return text == *first;
        };
        for piece in middle {
            match left.split_once(piece.as_str()) {
                Some((_, after)) => left = after,
                None => return false,
            }
        }
        left.ends_with(last.as_str())
    }
}

/// The text with every run of blanks as one, and none at the ends.
pub(super) fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "anything at all", true),
            ("a*", "a", true),
            ("*a", "ba", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("* b", "a  b", true),
            ("a   b", " a b ", true),
            ("**x", "x", true),
        ] {
            assert_eq!(
                Wildcard::new(pattern).fits(text),
                expected,
                "{pattern} on {text}"
            );
        }
    }
}
