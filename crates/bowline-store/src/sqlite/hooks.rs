//! The hooks of an event in one column: a list for each, because most events have several and names of fields add up.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::record::{HookFired, decision};

/// Name, scope, decision, duration in microseconds, failure, warnings, message. Most hooks have neither of the last two.
#[derive(Serialize, Deserialize)]
struct Line<'a>(
    Cow<'a, str>,
    Option<Cow<'a, str>>,
    Cow<'a, str>,
    u64,
    Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")] Option<Said<'a>>,
);

/// What a hook said beside its decision.
#[derive(Serialize, Deserialize)]
struct Said<'a>(Vec<Cow<'a, str>>, Option<Cow<'a, str>>);

impl<'a> Said<'a> {
    fn of(hook: &'a HookFired) -> Option<Self> {
        if hook.warnings.is_empty() && hook.message.is_none() {
            return None;
        }
        let warnings = hook.warnings.iter().map(Cow::from).collect();
        Some(Self(warnings, hook.message.as_deref().map(Cow::from)))
    }
}

pub(super) fn to_text(hooks: &[HookFired]) -> Result<String> {
    let lines: Vec<Line<'_>> = hooks
        .iter()
        .map(|hook| {
            Line(
                hook.name.as_str().into(),
                hook.scope.as_deref().map(Cow::from),
                decision::as_str(hook.decision).into(),
                u64::try_from(hook.duration.as_micros()).unwrap_or(u64::MAX),
                hook.failure.as_deref().map(Cow::from),
                Said::of(hook),
            )
        })
        .collect();
    serde_json::to_string(&lines).map_err(|error| Error::Backend(error.to_string()))
}

/// The hooks of a stored text; none if it is not one of ours.
pub(super) fn from_text(text: &str) -> Vec<HookFired> {
    let lines: Vec<Line<'_>> = serde_json::from_str(text).unwrap_or_default();
    lines
        .into_iter()
        .map(|Line(name, scope, decided, micros, failure, said)| {
            let Said(warnings, message) = said.unwrap_or(Said(Vec::new(), None));
            HookFired {
                name: name.into_owned(),
                scope: scope.map(Cow::into_owned),
                decision: decision::parse(&decided).unwrap_or_default(),
                duration: Duration::from_micros(micros),
                failure: failure.map(Cow::into_owned),
                warnings: warnings.into_iter().map(Cow::into_owned).collect(),
                message: message.map(Cow::into_owned),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use bowline::hooks::Decision;

    use super::*;

    #[test]
    fn hooks_come_back_as_they_were_and_rubbish_is_none() {
        let hooks = vec![
            HookFired {
                name: "guard \"x\"".into(),
                scope: Some("built-in".into()),
                decision: Decision::Deny,
                duration: Duration::from_micros(40),
                failure: None,
                warnings: Vec::new(),
                message: None,
            },
            HookFired {
                name: "mine".into(),
                scope: None,
                decision: Decision::NoOpinion,
                duration: Duration::from_secs(3),
                failure: Some("exit 1\n".into()),
                warnings: Vec::new(),
                message: None,
            },
            HookFired {
                name: "talks".into(),
                scope: None,
                decision: Decision::NoOpinion,
                duration: Duration::from_secs(3),
                failure: None,
                warnings: vec!["one".into(), "two".into()],
                message: Some("text".into()),
            },
        ];
        assert_eq!(from_text(&to_text(&hooks).unwrap()), hooks);
        // As they were written before hooks could say anything.
        let old = r#"[["mine",null,"deny",40,null]]"#;
        assert_eq!(from_text(old)[0].name, "mine");
        assert_eq!(to_text(&from_text(old)).unwrap(), old);
        for rubbish in ["", "{}", "[[1]]", "[\"a\"]"] {
            assert!(from_text(rubbish).is_empty(), "{rubbish}");
        }
    }
}
