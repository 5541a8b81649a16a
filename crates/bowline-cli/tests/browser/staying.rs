//! The page stays what it is: loaded again, gone back to, linked to, in two tabs, and after the daemon was started anew.

use bowline_testkit::needs;
use serde_json::{Value, json};

use super::stage::{DOUBTFUL, SESSION, Stage, answer_of};
use super::window::{Tab, Window};

const LIVE: &str = "document.getElementById('connection').dataset.state === 'live'";

fn until_live(tab: &Tab<'_>) {
    tab.until("it is live", LIVE);
}

#[needs(chromium)]
#[test]
fn addresses_lead_to_what_one_saw() {
    let stage = Stage::new();
    stage.starts_work("Fix the rounding of totals");
    stage.runs("toolu_1", "cargo test checkout", "ok");
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    let home = tab.address();
    assert!(!home.contains("key="), "{home}");
    tab.until_shown("working");
    tab.reload();
    tab.until_shown("working");

    tab.click("header nav a[href='./inbox']");
    tab.until("the inbox is there", "location.pathname.endsWith('/inbox')");
    tab.until_shown("No question waits");
    tab.evaluate("history.back()");
    tab.until_shown("working");
    assert_eq!(tab.address(), home);
    tab.evaluate("history.forward()");
    tab.until_shown("No question waits");
    // A view that comes from the browser's own memory goes on, too.
    let hook = stage.about_to_run("toolu_2", DOUBTFUL);
    tab.until_shown(DOUBTFUL);

    let deep = format!("{home}timeline?session={SESSION}&tool=Bash");
    let other = window.open(&deep);
    other.until_shown("cargo test checkout");
    assert_eq!(other.address(), deep);
    tab.click("button[value=once]");
    assert_eq!(answer_of(hook)["permissionDecision"], "allow");
    drop((tab, other));
    window.close();
}

#[needs(chromium)]
#[test]
fn a_link_can_lead_to_a_view() {
    let stage = Stage::new();
    stage.starts_work("Fix the rounding of totals");
    stage.runs("toolu_1", "cargo test checkout", "it is well");
    let window = Window::new(&stage);
    let inbox = window.open(&stage.told_a_person("open inbox --print"));
    inbox.until_shown("No question waits");
    let call = window.open(&format!("{}&to=call&id=toolu_1", stage.link()));
    call.until_shown("it is well");
    let elsewhere = window.open(&format!("{}&to=//evil.example/", stage.link()));
    elsewhere.until_shown("working");
    drop((inbox, call, elsewhere));
    window.close();
}

#[needs(chromium)]
#[test]
fn two_tabs_share_one_stream() {
    let stage = Stage::new();
    let window = Window::new(&stage);
    let first = window.open(&stage.link());
    until_live(&first);
    let home = first.address();
    let second = window.open(&format!("{home}inbox"));
    until_live(&second);
    let hook = stage.about_to_run("toolu_1", DOUBTFUL);
    first.until(
        "the first knows",
        "document.getElementById('waiting').dataset.count === '1'",
    );
    second.until_shown(DOUBTFUL);
    second.click("button[value=once]");
    assert_eq!(answer_of(hook)["permissionDecision"], "allow");
    first.until(
        "the first knows",
        "document.getElementById('waiting').dataset.count === '0'",
    );
    drop((first, second));
    let asked = window.close();
    let streams = asked.iter().filter(|it| it.address.ends_with("/stream"));
    assert_eq!(streams.count(), 1, "{asked:#?}");
}

#[needs(chromium)]
#[test]
fn a_second_tab_misses_nothing_that_happened_while_it_opened() {
    let stage = Stage::new();
    let window = Window::new(&stage);
    let first = window.open(&stage.link());
    until_live(&first);
    let second = window.open("about:blank");
    second.stop_its_clock();
    second.goto(&first.address());
    // It came to a stream that was there already, and asks for its view again by itself.
    second.until(
        "it asks again",
        "performance.getEntriesByType('resource').some((it) => it.name.includes('fragment=1'))",
    );
    drop((first, second));
    window.close();
}

#[needs(chromium)]
#[test]
fn what_somebody_did_with_a_view_stays_while_it_changes() {
    let stage = Stage::new();
    stage.starts_work("Fix the rounding of totals");
    let edit = json!({"tool_name": "Edit", "tool_use_id": "toolu_1", "tool_input": {
        "file_path": stage.project().join("src/cart.rs"), "old_string": "a", "new_string": "b",
    }});
    stage.reports("PreToolUse", edit.clone());
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    let home = tab.address();
    tab.goto(&format!("{home}call?id=toolu_1"));
    until_live(&tab);
    tab.click("main details summary");
    stage.reports("PostToolUse", edit);
    tab.until_shown("PostToolUse");
    let is_open = tab.evaluate("document.querySelector('main details').open");
    assert_eq!(is_open, false, "what was closed opens again");

    // The second row becomes the first one, because it waits.
    let other = |event: &str, fields: Value| {
        let mut fields = fields;
        fields["session_id"] = "another-session".into();
        stage.begins(event, fields)
    };
    let started = other("SessionStart", json!({"source": "startup"}));
    drop(started.wait_with_output());
    stage.runs("toolu_2", "cargo test", "ok");
    tab.goto(&home);
    until_live(&tab);
    tab.until_shown("another-sess");
    let row = "main tbody tr:last-child a[href*='session=']";
    let (last, focused) = (
        format!("document.querySelector(\"{row}\").href"),
        "document.activeElement.href ?? ''",
    );
    let link = tab.evaluate(&last);
    tab.evaluate(&format!("document.querySelector(\"{row}\").focus()"));
    let waits =
        json!({"tool_name": "Bash", "tool_use_id": "toolu_3", "tool_input": {"command": DOUBTFUL}});
    let hook = if link.as_str().unwrap().contains("another") {
        other("PreToolUse", waits)
    } else {
        stage.begins("PreToolUse", waits)
    };
    tab.until(
        "its row is the first",
        &format!("document.querySelector('main tbody tr a[href*=\"session=\"]').href === {link}"),
    );
    assert_eq!(tab.evaluate(focused), link, "the focus is lost");
    assert_eq!(tab.evaluate("document.title"), "(1) Now · Bowline");
    tab.click("main a[href^='./inbox#']");
    tab.until_shown("Allow once");
    tab.until(
        "the page's script runs",
        "document.documentElement.classList.contains('scripted')",
    );
    // A second click is no second answer.
    let sent = tab.evaluate(
        "(() => { const sent = []; const button = document.querySelector('button[value=once]');
            const note = (event) => { sent.push(event.defaultPrevented); event.preventDefault(); };
            addEventListener('submit', note); button.click(); button.click(); removeEventListener('submit', note);
            delete button.form.dataset.sent; return sent })()",
    );
    assert_eq!(sent, json!([false, true]));
    tab.click("button[value=once]");
    assert_eq!(answer_of(hook)["permissionDecision"], "allow");
    tab.until(
        "the title says that nothing waits",
        "document.title === 'Inbox · Bowline'",
    );
    drop(tab);
    window.close();
}

#[needs(chromium)]
#[test]
fn the_page_comes_back_with_the_next_daemon() {
    let stage = Stage::new();
    let window = Window::new(&stage);
    let tab = window.open(&stage.link());
    until_live(&tab);
    tab.evaluate("window.isTheSame = true");
    stage.run(&["daemon", "stop"]).expect(0, &[]);
    tab.until(
        "the page says that nobody answers",
        "document.getElementById('connection').dataset.state === 'lost'",
    );
    stage.run(&["daemon", "start"]).expect(0, &[]);
    until_live(&tab);
    stage.starts_work("Fix the rounding of totals");
    tab.until_shown("working");
    assert_eq!(tab.evaluate("window.isTheSame === true"), true);
    let hook = stage.about_to_run("toolu_1", DOUBTFUL);
    tab.until_shown(DOUBTFUL);
    tab.click("main a[href^='./inbox#']");
    tab.until_shown("Allow once");
    tab.click("button[value=once]");
    assert_eq!(answer_of(hook)["permissionDecision"], "allow");
    drop(tab);
    // What was asked while there was no daemon.
    window.close_after_faults(|fault| fault.contains("net::ERR_"));
}
