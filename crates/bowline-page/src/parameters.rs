//! What an address may say beside its path. What it says beyond that counts for nothing, and a person is told so.

use bowline_agents::near;

use crate::query::Query;

/// Something that an address may say: what is shown, or what of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    values: Values,
}

/// What the value of a parameter can be.
#[derive(Debug, Clone, Copy)]
enum Values {
    /// Any text.
    Any,
    /// A number.
    Number,
    /// One of some words. The first function says whether it is one, however it is spelt.
    Words(fn(&str) -> bool, fn() -> Vec<&'static str>),
}

impl Parameter {
    pub(crate) const fn text(name: &'static str) -> Self {
        let values = Values::Any;
        Self { name, values }
    }

    pub(crate) const fn number(name: &'static str) -> Self {
        let values = Values::Number;
        Self { name, values }
    }

    pub(crate) const fn words(
        name: &'static str,
        is_one: fn(&str) -> bool,
        all: fn() -> Vec<&'static str>,
    ) -> Self {
        let values = Values::Words(is_one, all);
        Self { name, values }
    }
}

/// A part of an address that counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ignored {
    /// The parameter whose value is none, if the parameter is known.
    pub(crate) of: Option<&'static str>,
    /// What was said.
    pub(crate) said: String,
    /// What was probably meant.
    pub(crate) nearest: Option<&'static str>,
    /// What could have been said; nothing where that is a number.
    pub(crate) known: Vec<&'static str>,
}

impl Ignored {
    fn new(of: Option<&'static str>, said: &str, known: Vec<&'static str>) -> Self {
        Self {
            of,
            said: said.to_owned(),
            nearest: near::nearest(said, known.iter().copied()),
            known,
        }
    }
}

/// How many are told; the rest is of the same kind.
const MOST: usize = 5;

/// What of an address counts for nothing where these parameters are known.
pub(crate) fn ignored(query: &Query, known: &[Parameter]) -> Vec<Ignored> {
    let names = || known.iter().map(|it| it.name).collect();
    let ignored = query.said().filter_map(|(name, value)| {
        let Some(parameter) = known.iter().find(|it| it.name == name) else {
            return Some(Ignored::new(None, name, names()));
        };
        let known = match parameter.values {
            Values::Any => return None,
            Values::Number if value.parse::<i64>().is_ok() => return None,
            Values::Number => Vec::new(),
            Values::Words(is_one, _) if is_one(value) => return None,
            Values::Words(_, all) => all(),
        };
        Some(Ignored::new(Some(parameter.name), value, known))
    });
    ignored.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Parameter; 3] = [
        Parameter::text("project"),
        Parameter::number("before"),
        Parameter::words(
            "period",
            |word| ["7d", "30d"].contains(&word),
            || vec!["7d", "30d"],
        ),
    ];

    #[test]
    fn what_means_nothing_is_told() {
        let none: &[(Option<&str>, &str, Option<&str>)] = &[];
        for (query, expected) in [
            ("", none),
            ("project=x&before=12&period=7d&fragment=1", none),
            ("project=&before=&period=&other=", none),
            ("projct=x", &[(None, "projct", Some("project"))]),
            ("colour=red", &[(None, "colour", None)]),
            ("before=soon", &[(Some("before"), "soon", None)]),
            ("period=3d", &[(Some("period"), "3d", None)]),
            ("period=300d", &[(Some("period"), "300d", Some("30d"))]),
            (
                "a=1&period=x",
                &[(None, "a", None), (Some("period"), "x", None)],
            ),
        ] {
            let found = ignored(&Query::parse(query.as_bytes()), &KNOWN);
            let found: Vec<_> = found
                .iter()
                .map(|it| (it.of, it.said.as_str(), it.nearest))
                .collect();
            assert_eq!(found, expected, "{query}");
        }
        let many = "x=1&".repeat(100);
        let many = ignored(&Query::parse(many.as_bytes()), &KNOWN);
        assert_eq!(many.len(), MOST);
    }

    #[test]
    fn what_is_known_is_told() {
        let known = |query: &str| {
            let mut found = ignored(&Query::parse(query.as_bytes()), &KNOWN);
            found.remove(0).known
        };
        assert_eq!(known("colour=red"), ["project", "before", "period"]);
        assert_eq!(known("period=3d"), ["7d", "30d"]);
        assert!(known("before=soon").is_empty());
    }
}
