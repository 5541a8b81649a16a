//! Valid values that are probably mistakes.

use std::sync::LazyLock;

use bowline_agents::AGENTS;
use bowline_agents::near::nearest;
use bowline_guard::effect::Category;
use bowline_guard::pattern::RulePattern;
use bowline_guard::rules::rules;

use super::sections::LoopConfig;
use crate::settings::syntax::fields::shortened;

/// Something that has no effect, or another one than it looks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) help: String,
}

/// The rules that the guard has, with their categories.
static RULES: LazyLock<Vec<(Category, String)>> = LazyLock::new(|| {
    let all = rules().into_iter();
    all.map(|rule| (rule.category, rule.id.into_owned()))
        .collect()
});

/// A pattern that means no rule and no category.
pub(super) fn unknown_rule(text: &str) -> Option<Doubt> {
    let pattern = RulePattern::parse(text).ok()?;
    let mut all = RULES.iter();
    let is_category = Category::ALL.iter().any(|it| it.name() == text.trim());
    if is_category || all.any(|(category, id)| pattern.matches(*category, id)) {
        return None;
    }
    let families = RULES
        .iter()
        .filter_map(|(_, id)| id.split_once('.'))
        .map(|(family, _)| format!("{family}.*"));
    let ids = RULES.iter().map(|(_, id)| id.clone());
    let categories = Category::ALL.iter().map(|it| it.name().to_owned());
    let known: Vec<String> = ids.chain(families).chain(categories).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    Some(Doubt {
        code: "unknown-rule",
        message: format!(
            "the guard has no category and no rule `{}`: this allows nothing",
            shortened(text)
        ),
        help: suggestion(text, &known)
            .unwrap_or_else(|| "`bowline rules list` lists them".to_owned()),
    })
}

/// An agent that never reports by this name.
pub(super) fn unknown_agent(name: &str) -> Option<Doubt> {
    let known: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    if known.contains(&name) {
        return None;
    }
    let begins = known
        .iter()
        .find(|known| name.len() > 2 && known.starts_with(&name.to_lowercase()));
    let help = suggestion(name, &known)
        .or_else(|| begins.map(|known| format!("did you mean `{known}`?")))
        .unwrap_or_else(|| format!("expected one of {}", known.join(", ")));
    Some(Doubt {
        code: "unknown-agent",
        message: format!(
            "no agent reports as `{}`: these settings apply to nobody",
            shortened(name)
        ),
        help,
    })
}

/// A path pattern with brackets or braces that look like a choice. They stand for themselves, as in `app/[id]/page.tsx`.
pub(super) fn literal_brackets(text: &str) -> Option<Doubt> {
    let looks_like = |open: char, close: char, choice: &[char]| {
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            match after.split_once(close) {
                Some((inside, _)) if !inside.contains(choice) => rest = after,
                _ => return true,
            }
        }
        text.matches(open).count() != text.matches(close).count()
    };
    let which = if looks_like('[', ']', &['-', '!', '^', '*']) {
        "[…]"
    } else if looks_like('{', '}', &[',']) {
        "{…}"
    } else {
        return None;
    };
    Some(Doubt {
        code: "literal-brackets",
        message: format!(
            "`{which}` is no choice here: `{}` means only a file that is called so",
            shortened(text)
        ),
        help: "write one pattern for each name; only `*`, `**` and `?` stand for others".to_owned(),
    })
}

/// An agent that is stopped before anybody told it that it repeats itself.
pub(super) fn stopped_before_warned(loops: LoopConfig) -> Option<Doubt> {
    let LoopConfig {
        warn_after,
        stop_after,
        ..
    } = loops;
    // The call with the number `stop_after` never gives the result that would be warned of.
    (stop_after <= warn_after).then(|| Doubt {
        code: "stop-before-warning",
        message: format!(
            "`loops.stop_after` is {stop_after} and `loops.warn_after` is {warn_after}: an agent is stopped before it is warned"
        ),
        help: format!("set `stop_after` to more than {warn_after}, or lower `warn_after`"),
    })
}

fn suggestion(name: &str, known: &[&str]) -> Option<String> {
    nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(doubt: Option<Doubt>) -> Option<String> {
        doubt.map(|it| it.help)
    }

    #[test]
    fn ids_in_allow_lists_exist() {
        for (text, near) in [
            ("git.pushforce", Some("git.push-force")),
            ("gti.*", Some("git.*")),
            ("giit.*", Some("git.*")),
            ("delet", Some("delete")),
            ("nonsense", Some("rules list")),
            ("git.push-force", None),
            ("git.*", None),
            ("delete", None),
            ("sensitive.*", None),
        ] {
            let found = help(unknown_rule(text));
            assert_eq!(found.is_some(), near.is_some(), "{text}: {found:?}");
            let found = found.unwrap_or_default();
            assert!(found.contains(near.unwrap_or_default()), "{text}: {found}");
        }
    }

    #[test]
    fn agents_and_globs_are_known() {
        for (name, near) in [
            ("claude", Some("claude-code")),
            ("Claude-Code", Some("claude-code")),
            ("my-agent", Some("expected one of")),
            ("claude-code", None),
            ("codex", None),
        ] {
            let found = help(unknown_agent(name));
            assert_eq!(found.is_some(), near.is_some(), "{name}: {found:?}");
            assert!(found.unwrap_or_default().contains(near.unwrap_or_default()));
        }
        for (pattern, doubtful) in [
            ("[bad", true),
            ("{a", true),
            ("a[", true),
            ("a]", true),
            ("[a-z].key", true),
            ("*.{pem,key}", true),
            ("app/[id]/page.tsx", false),
            ("app/[[...slug]]/x", false),
            ("secrets/**", false),
            ("{{cookiecutter.name}}/x", false),
        ] {
            assert_eq!(literal_brackets(pattern).is_some(), doubtful, "{pattern}");
        }
    }
}
