//! Where addresses and links lead.

use std::collections::BTreeSet;

use bowline_builtins::inbox::Said;
use bowline_store::{Record, Store as _};
use chrono::{DateTime, Utc};

use super::{Browser, Stage, question};

/// Where a link of an answer leads, as a browser finds it out.
fn resolved(at: &str, link: &str) -> String {
    let mut parts: Vec<&str> = if link.starts_with('/') {
        Vec::new()
    } else {
        at.split('/').collect()
    };
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn links_of_every_answer_lead_to_the_views() {
    let stage = Stage::new();
    let browser = stage.open();
    for address in ["nothing", "static/x.js", "a/b/c/", "inbox/x", "assets/x"] {
        let answered = browser.get(address).ask();
        assert_eq!(answered.status, 404, "{address}");
        let at = format!("{}{address}", browser.home);
        let body = &answered.body;
        let links: Vec<String> = ["href=\"", "src=\"", "action=\""]
            .iter()
            .flat_map(|name| body.split(name).skip(1))
            .filter_map(|rest| rest.split('"').next())
            .filter(|link| !link.starts_with(['#']) && !link.starts_with("data:"))
            .map(|link| resolved(&at, link))
            .collect();
        assert!(links.len() > 8, "{address}: {links:?}");
        for link in links {
            let view = link.strip_prefix(&browser.home);
            let view = view.unwrap_or_else(|| panic!("{address}: {link}"));
            assert_eq!(browser.get(view).ask().status, 200, "{address}: {link}");
        }
    }
}

#[test]
fn other_addresses_of_a_view_lead_to_it() {
    let stage = Stage::new();
    let browser = stage.open();
    for (address, view) in [
        ("now", ""),
        ("now/", ""),
        ("hooks/", "hooks"),
        ("timeline/?tool=Bash", "timeline?tool=Bash"),
    ] {
        let answered = browser.get(address).ask();
        assert_eq!(answered.status, 303, "{address}");
        let expected = format!("{}{view}", browser.home);
        assert_eq!(answered.field("location"), Some(&*expected), "{address}");
    }
    for address in ["answer/", "/hooks/", "hooks//"] {
        assert_eq!(browser.get(address).ask().status, 404, "{address}");
    }
}

/// What the events of a page are, and the address of the next one.
fn events(browser: &Browser, address: &str) -> (Vec<String>, Option<String>) {
    let body = browser.get(address).ask().body;
    let rows = body.split("id=\"event-").skip(1);
    let events = rows.filter_map(|it| it.split('"').next());
    let next = body.split("rel=\"next\" href=\"./").nth(1);
    let next = next.and_then(|it| it.split('"').next());
    (
        events.map(ToOwned::to_owned).collect(),
        next.map(|it| it.replace("&amp;", "&")),
    )
}

#[test]
fn each_event_is_on_one_page_of_the_timeline() {
    let stage = Stage::new();
    let time: DateTime<Utc> = "2026-11-15T10:00:00Z".parse().unwrap();
    for number in 0..250 {
        let id = format!("e{number}");
        let record = Record::new(id, time, "claude-code", "PreToolUse", "s1");
        stage.store.submit(record, Box::new(|_| {}));
    }
    stage.store.flush().unwrap();
    let browser = stage.open();
    for filter in ["", "?session=s1"] {
        let mut next = Some(format!("timeline{filter}"));
        let mut pages = Vec::new();
        while let (Some(address), true) = (next, pages.len() < 4) {
            let (page, older) = events(&browser, &address);
            pages.push(page);
            next = older;
        }
        let lengths: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(lengths, [100, 100, 50], "{filter}");
        let all: BTreeSet<String> = pages.into_iter().flatten().collect();
        assert_eq!(all.len(), 250, "{filter}");
    }
    // A link of an earlier version.
    let millis = time.timestamp_millis();
    for (before, shown) in [(millis, 0), (millis + 1, 100)] {
        let (page, _) = events(&browser, &format!("timeline?before={before}"));
        assert_eq!(page.len(), shown);
    }
}

#[test]
fn a_call_that_waits_leads_to_its_question() {
    let stage = Stage::new();
    let mut waits = question("abcde");
    waits.tool_use_id = Some("toolu_1".to_owned());
    stage.desk.ask(waits);
    let browser = stage.open();
    let answered = browser.get("call?id=toolu_1").ask();
    assert_eq!(answered.status, 404);
    for part in ["It waits for you", "./allow?id=abcde"] {
        assert!(answered.body.contains(part), "{part}: {}", answered.body);
    }
    assert!(!answered.body.contains("forgotten"), "{}", answered.body);
    let other = browser.get("call?id=toolu_2").ask().body;
    assert!(other.contains("forgotten"), "{other}");
}

#[test]
fn a_long_message_is_handed_on_in_full() {
    let stage = Stage::new();
    let browser = stage.open();
    // The longest that may be, of the characters that need the most room in a form.
    for (id, message) in [("abcde", "x".repeat(8_000)), ("fghij", "😀".repeat(8_000))] {
        stage.desk.ask(question(id));
        let form: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", &browser.token())
            .append_pair("id", id)
            .append_pair("say", "deny")
            .append_pair("message", &message)
            .finish();
        assert_eq!(browser.post("answer", &form).ask().status, 303);
        let said = stage.desk.replies().pop().unwrap().said;
        assert_eq!(said, Said::Deny(Some(message)));
    }
    stage.desk.ask(question("klmno"));
    let (token, message) = (browser.token(), "x".repeat(8_001));
    let form = format!("token={token}&id=klmno&say=deny&message={message}");
    let answered = browser.post("answer", &form).ask();
    assert_eq!(answered.status, 409);
    for part in ["8001 characters", "at most 8000", "still waits"] {
        assert!(answered.body.contains(part), "{part}: {}", answered.body);
    }
}

#[test]
fn a_frame_of_another_site_gets_nothing() {
    let stage = Stage::new();
    let browser = stage.open();
    for (site, dest, status) in [
        ("cross-site", "document", 200),
        ("cross-site", "iframe", 403),
        ("same-site", "frame", 403),
        ("cross-site", "embed", 403),
        ("cross-site", "object", 403),
    ] {
        let asking = browser
            .get("")
            .with("Sec-Fetch-Site", site)
            .with("Sec-Fetch-Mode", "navigate")
            .with("Sec-Fetch-Dest", dest);
        assert_eq!(asking.ask().status, status, "{site} {dest}");
    }
}
