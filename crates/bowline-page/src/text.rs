//! Texts on their way to the page. Whatever an agent reported is hostile: secrets are taken out once more, and characters that a
//! reader would not see are made visible. `maud` escapes the rest.

use bowline_builtins::sanitise;
use bowline_guard::invisible::visible;
use bowline_guard::secrets::redact;
use chrono::{DateTime, Local, TimeDelta, Utc};
use maud::{Markup, html};
use serde_json::Value;

/// Longer texts are cut on the page.
const LONGEST: usize = 64 * 1024;

/// A text as it may be shown.
pub(crate) fn shown(text: &str) -> String {
    visible(&redact(beginning(text, LONGEST)))
}

/// A text in which what stands in backticks is code.
pub(crate) fn prose(text: &str) -> Markup {
    let text = shown(text);
    let parts: Vec<&str> = text.split('`').collect();
    // Where they do not come in pairs, they mean something else.
    if parts.len().is_multiple_of(2) || text.contains("``") {
        return html! { (text) };
    }
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// A text on one line of at most this many characters.
pub(crate) fn brief(text: &str, most: usize) -> String {
    let line: String = shown(beginning(text.trim(), most * 8))
        .chars()
        .map(|c| if c == '\n' { '⏎' } else { c })
        .collect();
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// JSON in a form for people.
pub(crate) fn json(value: &Value) -> String {
    match sanitise(value) {
        Value::String(text) => shown(&text),
        value => shown(&serde_json::to_string_pretty(&value).unwrap_or_default()),
    }
}

fn beginning(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// What a form sends back to name something, as [`Query::key`] reads it. Browsers change some characters of a field, and would show what
/// those of an agent hide.
///
/// [`Query::key`]: crate::query::Query::key
pub(crate) fn key(name: &str) -> String {
    form_urlencoded::byte_serialize(name.as_bytes()).collect()
}

/// The last part of a folder's path, by which people know it.
pub(crate) fn folder_name(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next();
    shown(name.filter(|it| !it.is_empty()).unwrap_or(path))
}

/// The beginning of an id.
pub(crate) fn short_id(id: &str) -> String {
    brief(beginning(id, 12), 12)
}

/// How long something lasts: `12 s`, `3 min`, `2 h`, `5 d`.
pub(crate) fn length(time: TimeDelta) -> String {
    match time.num_seconds().max(0) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

/// Milliseconds for people.
pub(crate) fn milliseconds(ms: i64) -> String {
    match ms {
        0..10_000 => format!("{ms} ms"),
        _ => length(TimeDelta::milliseconds(ms)),
    }
}

/// A number that belongs to a noun.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// A time, and how long ago it was.
pub(crate) fn ago(time: DateTime<Utc>, now: DateTime<Utc>) -> Markup {
    let full = full(time);
    html! {
        time datetime=(time.to_rfc3339()) title=(full) { (length(now - time)) " ago" }
    }
}

/// A time of the day.
pub(crate) fn clock(time: DateTime<Utc>) -> Markup {
    let local = time.with_timezone(&Local);
    html! {
        time datetime=(time.to_rfc3339()) title=(full(time)) { (local.format("%H:%M:%S").to_string()) }
    }
}

/// A time in full, where the reader is.
pub(crate) fn full(time: DateTime<Utc>) -> String {
    let local = time.with_timezone(&Local);
    local.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// A link to a view with its filters. Views are beside each other, so that links are relative.
pub(crate) fn link(view: &str, parts: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parts.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() {
        format!("./{view}")
    } else {
        format!("./{view}?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_and_hide_nothing() {
        for (text, most, expected) in [
            ("ls -l", 10, "ls -l"),
            ("a\nb", 10, "a⏎b"),
            ("abcdef", 4, "abc…"),
            ("\u{1b}[31mred", 20, "\u{241b}[31mred"),
            ("a\u{202e}b", 20, "a<U+202E>b"),
            ("ééééé", 3, "éé…"),
        ] {
            assert_eq!(brief(text, most), expected, "{text:?}");
        }
        assert!(shown(&"é".repeat(LONGEST)).len() <= LONGEST);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        assert!(!shown(&format!("export TOKEN={token}")).contains(&token));
    }

    #[test]
    fn what_stands_in_backticks_is_code() {
        for (text, expected) in [
            ("run `ls -l` <b>", "run <code>ls -l</code> &lt;b&gt;"),
            ("`a` and `b`", "<code>a</code> and <code>b</code>"),
            ("it`s", "it`s"),
            ("`echo `date``", "`echo `date``"),
            ("", ""),
        ] {
            assert_eq!(prose(text).into_string(), expected, "{text}");
        }
    }

    #[test]
    fn links_carry_what_is_said_and_nothing_else() {
        for (view, parts, expected) in [
            ("inbox", vec![], "./inbox"),
            (
                "call",
                vec![("id", "a b&c=\"<")],
                "./call?id=a+b%26c%3D%22%3C",
            ),
            (
                "timeline",
                vec![("tool", ""), ("session", "s")],
                "./timeline?session=s",
            ),
        ] {
            assert_eq!(link(view, &parts), expected);
        }
    }

    #[test]
    fn folders_are_known_by_their_names() {
        for (path, expected) in [
            ("/home/ada/shop", "shop"),
            ("/home/ada/shop/", "shop"),
            ("/", "/"),
            ("", ""),
        ] {
            assert_eq!(folder_name(path), expected);
        }
    }
}
