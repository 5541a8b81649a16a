//! What a sub-agent's report says about who goes on: the next agent, the hub, or the sub-agent itself.

use chrono::NaiveDateTime;
use serde_json::Value;

use crate::text::Text;

/// A report names the next agent.
pub const NEXT: Text = Text {
    key: "handoff.next",
    says: "Execute next: Use the {target} subagent to go on where {agent} stopped. Its report asks for it.",
    names: &["target", "agent"],
};
/// A report names an agent that nobody knows.
pub const UNKNOWN: Text = Text {
    key: "handoff.unknown",
    says: "`{target}` is not a registered agent. Registered are: {known}.",
    names: &["target", "known"],
};
/// Work is complete, and nobody is named.
pub const TO_HUB: Text = Text {
    key: "handoff.hub",
    says: "{agent} reports completed work and names nobody to go on. Execute next: Use the {target} subagent to decide what follows.",
    names: &["agent", "target"],
};
/// Work is partly done.
pub const BACK: Text = Text {
    key: "handoff.back",
    says: "{agent} reports that a part of its work is still open. Execute next: Use the {target} subagent to finish it.",
    names: &["agent", "target"],
};
/// A token that is not as it should be.
pub const TOKEN: Text = Text {
    key: "handoff.token",
    says: "`{token}` is no handoff token: a token is capitals, a date and a time, such as UNIT_TESTS_20260131_173000.",
    names: &["token"],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[NEXT, UNKNOWN, TO_HUB, BACK, TOKEN];

/// Where work goes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The report names this agent.
    Next(String),
    /// Completed work goes to the hub.
    Hub,
    /// Partial work goes back to the agent itself.
    Back,
}

/// Dashes that stand where a hyphen is meant.
const DASHES: [char; 4] = ['\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}'];

/// A part of the name of agents that build something.
const IMPLEMENTATION: &str = "implementation";

/// Words of an agent that is done.
const COMPLETE: [&str; 5] = ["complete", "completed", "done", "finished", "delivered"];
/// What stands before such a word where the opposite is meant.
const NEGATIONS: [&str; 6] = [
    "not",
    "not yet",
    "not fully",
    "isn't",
    "aren't",
    "isn't yet",
];
/// What an agent says that is not done.
const PARTIAL: [&str; 8] = [
    "partial",
    "partially",
    "incomplete",
    "unfinished",
    "in progress",
    "still open",
    "still missing",
    "to be continued",
];

/// Hyphens for dashes, and one blank for any white space.
pub fn normalise(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for character in text.chars() {
        if DASHES.contains(&character) {
            normal.push('-');
        } else if !character.is_whitespace() {
            normal.push(character);
        } else if !normal.ends_with(' ') {
            normal.push(' ');
        }
    }
    normal
}

/// Where the report of an agent sends the work.
pub fn route(agent: &str, report: &str) -> Option<Route> {
    let report = normalise(report);
    if let Some(target) = target(&report) {
        return Some(Route::Next(target));
    }
    if !agent.to_lowercase().contains(IMPLEMENTATION) {
        return None;
    }
    let plain = plain(&report);
    let says = |phrase: &str| plain.contains(&format!(" {phrase} "));
    let denies = |word: &str| NEGATIONS.iter().any(|no| says(&format!("{no} {word}")));
    if PARTIAL.into_iter().any(says) || COMPLETE.into_iter().any(denies) {
        return Some(Route::Back);
    }
    COMPLETE.into_iter().any(says).then_some(Route::Hub)
}

/// The agent that a normalised report names first: "use the NAME subagent to".
fn target(report: &str) -> Option<String> {
    let words: Vec<String> = report
        .split(' ')
        .map(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.to_lowercase()
        })
        .collect();
    let is_name = |name: &str| {
        let mut bytes = name.bytes();
        !name.is_empty()
            && bytes.all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-')
    };
    words.windows(5).find_map(|five| match five {
        [using, the, name, agent, to]
            if using == "use" && the == "the" && agent == "subagent" && to == "to" =>
        {
            is_name(name).then(|| name.clone())
        }
        _ => None,
    })
}

/// In lower case, with a blank for everything but letters, digits and what is within words, and around it all.
fn plain(report: &str) -> String {
    let lower = report.to_lowercase().replace('\u{2019}', "'");
    let words = lower
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')))
        .filter(|word| !word.is_empty());
    let words: Vec<&str> = words.collect();
    format!(" {} ", words.join(" "))
}

/// A word that is meant as a handoff token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// `CAPITALS_YYYYMMDD_HHMMSS`.
    Valid(String),
    /// Capitals and long numbers of another form.
    Malformed(String),
}

/// The tokens of a report, in order.
pub fn tokens(report: &str) -> Vec<Token> {
    let words = report.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter_map(token).collect()
}

fn token(word: &str) -> Option<Token> {
    let parts: Vec<&str> = word.split('_').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_digit());
    let is_capitals =
        |part: &&str| !part.is_empty() && part.bytes().all(|it| it.is_ascii_uppercase());
    let words = parts.iter().take_while(|part| is_capitals(part)).count();
    let (_, numbers) = parts.split_at(words);
    // A shorter number is a part of a usual constant.
    let is_meant = words > 0
        && numbers.first().is_some_and(|first| first.len() >= 6)
        && numbers.iter().all(is_number);
    if !is_meant {
        return None;
    }
    let is_valid = match numbers {
        [date, time] => {
            let form = (date.len(), time.len()) == (8, 6);
            form && NaiveDateTime::parse_from_str(&format!("{date}{time}"), "%Y%m%d%H%M%S").is_ok()
        }
        _ => false,
    };
    Some(if is_valid {
        Token::Valid(word.to_owned())
    } else {
        Token::Malformed(word.to_owned())
    })
}

/// What a sub-agent reported, from what the tool that ran it gave back: all text parts of the content, else the first text.
pub fn report_in(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Array(parts) => texts_of(parts),
        Value::Object(fields) => {
            let mut places = ["content", "result", "text", "output", "message"].into_iter();
            let found = places.find_map(|key| match fields.get(key)? {
                Value::String(text) => Some(text.clone()),
                Value::Array(parts) => Some(texts_of(parts)),
                Value::Object(inner) => inner.get("content").map(report_in),
                _ => None,
            });
            found.unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn texts_of(parts: &[Value]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Value::String(text) => Some(text.as_str()),
        part => part.get("text").and_then(Value::as_str),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What begins the prompt by which Claude Code tells that a task in the background has ended.
const NOTIFICATION: &str = "<task-notification>";

/// Whether a prompt is a notification of the client, not a word of a person.
pub fn is_notification(prompt: &str) -> bool {
    prompt.trim_start().starts_with(NOTIFICATION)
}

/// The id and the report of a sub-agent whose end a prompt tells.
pub fn notified(prompt: &str) -> Option<(String, String)> {
    let rest = prompt.trim_start().strip_prefix(NOTIFICATION)?;
    let (_, rest) = rest.split_once("<task-id>")?;
    let (id, rest) = rest.split_once("</task-id>")?;
    let (_, rest) = rest.split_once("<result>")?;
    // The report may have the same tag in its own words.
    let (report, _) = rest.rsplit_once("</result>")?;
    Some((id.trim().to_owned(), report.to_owned()))
}

/// What an agent said last, from the last lines of its transcript.
pub fn last_words(transcript: &str) -> Option<String> {
    transcript.lines().rev().take(10).find_map(|line| {
        let line: Value = serde_json::from_str(line).ok()?;
        let is_agent = line.get("type").and_then(Value::as_str) == Some("assistant");
        let words = line.get("message").filter(|_| is_agent).map(report_in)?;
        (!words.trim().is_empty()).then_some(words)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn f44_a_a_handoff_is_found_with_any_dash_in_any_case_across_lines() {
        for report in [
            "Use the unit-testing-agent subagent to run the tests",
            "Use the unit\u{2011}testing\u{2013}agent subagent to run",
            "Use the unit\u{2014}testing\u{2212}agent subagent to run",
            "USE THE UNIT-TESTING-AGENT SUBAGENT TO RUN",
            "All is well.\n\nUse the\n  unit-testing-agent\n\tsubagent\u{a0}to run it.",
            "**Use the `unit-testing-agent` subagent to** run it",
        ] {
            let found = route("any", report);
            let expected = Route::Next("unit-testing-agent".to_owned());
            assert_eq!(found, Some(expected), "{report}");
        }
        for report in [
            "",
            "Reuse the unit-testing-agent subagent to run",
            "Use the unit_testing_agent subagent to run",
            "Use the subagent to run",
            "Use the very good subagent to run",
            "Use the unit-testing-agent for this",
        ] {
            assert_eq!(route("any", report), None, "{report}");
        }
    }

    #[test]
    fn f44_b_the_first_of_several_wins() {
        let report = "Use the b-agent subagent to look. Then use the a-agent subagent to go on.";
        assert_eq!(route("x", report), Some(Route::Next("b-agent".to_owned())));
    }

    #[test]
    fn f44_d_an_implementation_agent_goes_to_the_hub_or_back() {
        let builder = "feature-implementation-agent";
        for (agent, report, expected) in [
            (builder, "The work is complete.", Some(Route::Hub)),
            ("FEATURE-IMPLEMENTATION", "DONE!", Some(Route::Hub)),
            (builder, "Delivered: two files.", Some(Route::Hub)),
            (
                builder,
                "Partially done, the rest follows.",
                Some(Route::Back),
            ),
            (builder, "This is not yet done.", Some(Route::Back)),
            (
                builder,
                "The form isn\u{2019}t finished.",
                Some(Route::Back),
            ),
            (
                builder,
                "Work in progress; two files are finished.",
                Some(Route::Back),
            ),
            (builder, "I looked at it.", None),
            (builder, "It was abandoned.", None),
            ("research-agent", "The work is complete.", None),
        ] {
            assert_eq!(route(agent, report), expected, "{agent}: {report}");
        }
    }

    #[test]
    fn f44_e_tokens_have_capitals_a_date_and_a_time() {
        let valid = |text: &str| Token::Valid(text.to_owned());
        let malformed = |text: &str| Token::Malformed(text.to_owned());
        for (report, expected) in [
            (
                "UNIT_TESTS_20260131_173000",
                vec![valid("UNIT_TESTS_20260131_173000")],
            ),
            (
                "(READY_20260131_173000).",
                vec![valid("READY_20260131_173000")],
            ),
            ("READY_20260131", vec![malformed("READY_20260131")]),
            (
                "READY_20261331_173000",
                vec![malformed("READY_20261331_173000")],
            ),
            (
                "READY_20260131_1730",
                vec![malformed("READY_20260131_1730")],
            ),
            (
                "READY_20260131_173000_1",
                vec![malformed("READY_20260131_173000_1")],
            ),
            (
                "HTTP_404 MAX_SIZE backup_20260131_173000 20260131_173000",
                vec![],
            ),
        ] {
            assert_eq!(tokens(report), expected, "{report}");
        }
    }

    #[test]
    fn a_notification_has_the_report_of_a_sub_agent_in_the_background() {
        let report = |id: &str, text: &str| Some((id.to_owned(), text.to_owned()));
        for (prompt, expected) in [
            (
                "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>Two\nlines</result>\n<usage></usage>\n</task-notification>",
                report("a1", "Two\nlines"),
            ),
            (
                "<task-notification><task-id>a1</task-id><result>a </result> b</result></task-notification>",
                report("a1", "a </result> b"),
            ),
            // The end of a command in the background.
            (
                "<task-notification><task-id>b1</task-id></task-notification>",
                None,
            ),
            (
                "Look: <task-notification><task-id>a1</task-id><result>x</result>",
                None,
            ),
            ("<result>x</result>", None),
            ("", None),
        ] {
            assert_eq!(notified(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn a_report_is_found_wherever_it_stands() {
        for (response, expected) in [
            (json!("all"), "all"),
            (
                json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}),
                "a\nb",
            ),
            (json!({"content": "c"}), "c"),
            (json!([{"text": "d"}, {"type": "image"}]), "d"),
            (json!({"status": "async_launched", "agentId": "x"}), ""),
            (json!(null), ""),
        ] {
            assert_eq!(report_in(&response), expected);
        }
        let line = |kind: &str, text: &str| {
            json!({"type": kind, "message": {"content": [{"type": "text", "text": text}]}})
                .to_string()
        };
        let transcript = [
            line("assistant", "first"),
            line("assistant", "last"),
            line("user", "x"),
        ];
        assert_eq!(last_words(&transcript.join("\n")).as_deref(), Some("last"));
        assert_eq!(last_words("half a li"), None);
    }
}
