//! What keeps an agent that reads strict JSON from reading a settings file that people and editors find nothing wrong with.

use bowline::settings::not_json;
use serde::Serialize;

/// A part of a file for which an agent refuses the whole of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Refusal {
    /// From 1.
    pub(crate) line: usize,
    what: &'static str,
}

impl Refusal {
    pub(crate) fn told(&self) -> String {
        format!("line {}: {}", self.line, self.what)
    }
}

/// Every comment and every comma too many, in the order of the file; nothing where the file is plain JSON.
pub(crate) fn refusals(text: &str) -> Vec<Refusal> {
    let line_of = |start: usize| {
        let before = text.get(..start).unwrap_or_default();
        before.matches('\n').count() + 1
    };
    let parts = not_json(text).into_iter();
    parts
        .map(|part| Refusal {
            line: line_of(part.span.start),
            what: part.what,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_commas_are_told_with_their_lines() {
        let lines =
            |text: &str| -> Vec<usize> { refusals(text).iter().map(|it| it.line).collect() };
        for (text, expected) in [
            ("", &[][..]),
            ("{\"a\": [1, \"// no, ]\"]}", &[]),
            ("\u{feff}{}\n", &[]),
            ("{ // one\n}", &[1]),
            (
                "// one\n{\n  \"a\": [1, 2,], /* three */\n}\n// five",
                &[1, 3, 3, 3, 5],
            ),
            ("{\n  \"a\": 1, // two\n}", &[2, 2]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
        let told: Vec<_> = refusals("{\n  \"a\": 1,\n}")
            .iter()
            .map(Refusal::told)
            .collect();
        assert_eq!(told, ["line 2: a comma before the closing bracket"]);
    }
}
