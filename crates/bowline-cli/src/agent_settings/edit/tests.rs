mod shapes;

use super::shape::Entries;
use super::shapes::CLAUDE;
use super::*;

fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    CLAUDE.install(text, entries, never)
}

impl Shape {
    /// Where nobody knows what was there before.
    fn uninstall(&'static self, text: &str, is_meant: EventFilter<'_>) -> Result<String, Unfit> {
        self.take_out(text, is_meant, "")
    }
}

fn uninstall(text: &str, is_meant: EventFilter<'_>) -> Result<String, Unfit> {
    CLAUDE.uninstall(text, is_meant)
}

fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    CLAUDE.found(text)
}

fn shadowed(text: &str) -> Result<Vec<Shadowed>, Unfit> {
    CLAUDE.shadowed(text)
}

/// An entry of the exec form.
fn exec(event: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        command: "/bin/bowline-hook".to_owned(),
        args: Some(["claude-code", event].map(str::to_owned).to_vec()),
        timeout: Some(60),
        blocks_on_failure: false,
    }
}

/// An entry for the shell.
fn line(event: &str) -> Entry {
    Entry {
        command: format!("bowline-hook claude-code {event}"),
        args: None,
        ..exec(event)
    }
}

const INSTALLED: &str = r#"{
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "/bin/bowline-hook", "args": ["claude-code", "Stop"], "timeout": 60}]}]
  }
}
"#;

#[test]
fn the_shorter_limit_of_an_entry_counts() {
    let told = |argument: &str| Some(vec!["claude-code".to_owned(), argument.to_owned()]);
    for (command, args, timeout, expected) in [
        ("bowline-hook", told("--timeout=600"), Some(600), 600),
        ("bowline-hook", told("--timeout=600"), Some(30), 30),
        ("bowline-hook", told("--timeout=600"), None, 600),
        ("bowline-hook", told("--home=/h"), Some(600), 60),
        (
            "bowline-hook claude-code --timeout=600",
            None,
            Some(600),
            600,
        ),
        ("bowline-hook claude-code", None, None, 60),
    ] {
        let entry = Entry {
            command: command.to_owned(),
            args,
            timeout,
            ..line("PreToolUse")
        };
        assert_eq!(entry.limit().as_secs(), expected, "{entry:?}");
    }
}

#[test]
fn an_event_takes_one_line() {
    for empty in ["", "  \n", "\n\n"] {
        assert_eq!(
            install(empty, &[exec("Stop")], &[]).unwrap(),
            INSTALLED,
            "{empty:?}"
        );
    }
    assert_eq!(install("{}\n", &[exec("Stop")], &[]).unwrap(), INSTALLED);
    assert_eq!(uninstall(INSTALLED, &|_| true).unwrap(), "{}\n");
    let more = install(INSTALLED, &[exec("PreToolUse"), exec("Setup")], &[]).unwrap();
    assert_eq!(
        more.lines().count(),
        INSTALLED.lines().count() + 2,
        "{more}"
    );
    // Also one that was spread over lines, when it is brought up to date.
    let spread =
        serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&more).unwrap())
            .unwrap();
    assert_eq!(
        install(&spread, &[exec("Stop")], &[]).unwrap(),
        spread,
        "it is settled"
    );
    let events = ["PreToolUse", "Setup", "Stop"].map(line);
    let updated = install(&spread, &events, &[]).unwrap();
    assert_eq!(updated.lines().count(), more.lines().count(), "{updated}");
}

/// Settings of many styles: what is there stays, character by character, and comes back when ours goes.
#[test]
fn what_others_wrote_stays_byte_for_byte() {
    let theirs = [
        "{}",
        "{\n}\n",
        "{\"model\": \"opus\"}",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}",
        "{\n\t\"model\": \"opus\",\n\t\"env\": {\n\t\t\"A\": \"1\"\n\t}\n}\n",
        "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
        "\u{feff}{\n    \"model\": \"opus\"\n}\n",
        "// mine\n{\n  // keep\n  \"hooks\": {\n    /* all */\n    \"Stop\": [\n      // first\n      {\"hooks\": [ /* in */ {\"type\": \"command\", \"command\": \"echo bowline-hook\"}, ]}, // after\n    ],\n  },\n}\n// end\n",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"/opt/bowline-hooks/run\", \"args\": [\"bowline\"] }\n        ]\n      }\n    ]\n  },\n  \"z\": 1\n}\n",
        "{\n  \"hooks\": {\n    \"Odd\": [1, null, {\"hooks\": 3}, {\"hooks\": [4, {\"type\": 5}]}]\n  }\n}\n",
        "{ \"é\": \"日本 \\u00e9\", \"n\": 1e400, \"big\": 123456789012345678901234567890 }",
    ];
    let entries = [exec("PreToolUse"), line("Stop"), exec("SessionStart")];
    for text in theirs {
        let installed = install(text, &entries, &["MessageDisplay"]).unwrap();
        let mine: Vec<_> = found(&installed)
            .unwrap()
            .into_iter()
            .map(|it| it.entry.event)
            .collect();
        assert_eq!(mine.len(), 3, "{installed}");
        // Every line of a file with lines is there, in its order (a comma may have been added to it).
        let mut lines = installed.lines();
        let is_spread = text.lines().count() > 1;
        for line in text.lines().filter(|line| is_spread && line.len() > 12) {
            let bare = line.trim_end_matches(['}', ' ', ']']);
            assert!(
                lines.any(|it| it.contains(bare)),
                "{line:?} is gone:\n{installed}"
            );
        }
        assert_eq!(
            install(&installed, &entries, &["MessageDisplay"]).unwrap(),
            installed,
            "not settled"
        );
        assert_eq!(installed.contains("\r\n"), text.contains("\r\n"));
        if text.contains("\r\n") {
            assert_eq!(
                installed.matches('\n').count(),
                installed.matches("\r\n").count()
            );
        }
        if text.contains('\t') {
            assert!(
                installed.contains("\n\t\t\"PreToolUse\": [{"),
                "{installed}"
            );
        }
        let bare = uninstall(&installed, &|_| true).unwrap();
        assert_eq!(found(&bare).unwrap(), []);
        let compact =
            |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
        let without_empty = |text: &str| {
            compact(text)
                .replace("\"hooks\":{\"Stop\":[]}", "")
                .replace("\"opus\",}", "\"opus\"}")
        };
        assert_eq!(without_empty(&bare), without_empty(text), "{bare}");
    }
}

#[test]
fn a_neat_file_comes_back_exactly() {
    for text in [
        "{\n  \"model\": \"opus\"\n}\n",
        "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"x\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"b\": 2\n}\n",
        "{\r\n    \"model\": \"opus\",\r\n    \"b\": 2\r\n}",
        "{}\n",
        "{}",
    ] {
        let installed = install(text, &[exec("Stop"), exec("PreToolUse")], &[]).unwrap();
        assert_ne!(installed, text);
        assert_eq!(
            uninstall(&installed, &|_| true).unwrap(),
            text,
            "{installed}"
        );
    }
}

#[test]
fn older_entries_are_brought_up_to_date_in_their_place() {
    let older = r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "*",
        "hooks": [
          { "type": "command", "command": "first" },
          { "type": "command", "command": "/old/bowline-hook", "args": ["claude-code"], "timeout": 5, "statusMessage": "mine" },
          { "type": "command", "command": "last" }
        ]
      },
      { "hooks": [{ "type": "command", "command": "bowline-hook claude-code Stop" }] }
    ],
    "MessageDisplay": [{ "hooks": [{ "type": "command", "command": "/old/bowline-hook", "args": [] }] }]
  }
}
"#;
    let updated = install(older, &[exec("Stop")], &["MessageDisplay"]).unwrap();
    let expected = r#"{
  "hooks": {
    "Stop": [
      {
        "matcher": "*",
        "hooks": [
          { "type": "command", "command": "first" },
          { "type": "command", "command": "/bin/bowline-hook", "args": ["claude-code", "Stop"], "timeout": 60, "statusMessage": "mine" },
          { "type": "command", "command": "last" }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(updated, expected);
    // From one form to the other, and back.
    let as_line = install(expected, &[line("Stop")], &[]).unwrap();
    assert_eq!(found(&as_line).unwrap().len(), 1);
    assert!(!as_line.contains("args"), "{as_line}");
    let closed = Entry {
        blocks_on_failure: true,
        ..exec("Stop")
    };
    let as_closed = install(&as_line, std::slice::from_ref(&closed), &[]).unwrap();
    assert_eq!(found(&as_closed).unwrap().pop().unwrap().entry, closed);
    let open = install(&as_closed, &[exec("Stop")], &[]).unwrap();
    assert!(!open.contains("onFailure"), "{open}");
}

#[test]
fn a_matcher_that_narrows_is_told() {
    let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"bowline-hook","args":[]}]}]}}"#;
    assert_eq!(found(text).unwrap()[0].matcher.as_deref(), Some("Bash"));
}

/// An entry under a matcher sees a part of the events only: it is never what remains, nor all that there is.
#[test]
fn a_narrowed_entry_does_not_count_as_installed() {
    const OURS: &str = r#"{"type":"command","command":"/bin/bowline-hook","args":["claude-code","PreToolUse"],"timeout":60}"#;
    let group = |matcher: Option<&str>| match matcher {
        Some(matcher) => format!(r#"{{"matcher":"{matcher}","hooks":[{OURS}]}}"#),
        None => format!(r#"{{"hooks":[{OURS}]}}"#),
    };
    for matchers in [
        &[Some("Bash")][..],
        &[Some("Bash"), Some("Write")],
        &[Some("Bash"), None],
        &[Some("Bash"), Some("*"), None],
        &[None, Some("Bash")],
        &[Some(""), Some("Bash")],
    ] {
        let groups: Vec<_> = matchers.iter().copied().map(group).collect();
        let text = format!(r#"{{"hooks":{{"PreToolUse":[{}]}}}}"#, groups.join(","));
        let installed = install(&text, &[exec("PreToolUse")], &[]).unwrap();
        let [ours] = found(&installed).unwrap().try_into().unwrap();
        assert_eq!(ours.matcher, None, "{matchers:?}: {installed}");
        assert_eq!(ours.entry, exec("PreToolUse"), "{matchers:?}: {installed}");
        let again = install(&installed, &[exec("PreToolUse")], &[]).unwrap();
        assert_eq!(again, installed, "not settled");
    }
}

#[test]
fn what_is_no_settings_file_is_refused_with_its_line() {
    for (text, line, message) in [
        ("[]", 1, "an object"),
        ("1", 1, "an object"),
        ("{\n\"a\": 1\n\"b\": 2\n}", 2, "Expected comma"),
        ("{\n\"a\": \"unterminated", 2, "Unterminated string"),
        ("{\"a\": 'x'}", 1, "Single-quoted"),
        ("{}\n{}", 2, "more than one"),
        (
            "{\n  \"env\": {\"hooks\": 1},\n  \"hooks\": []\n}",
            3,
            "`hooks` is a list; expected an object",
        ),
        (
            "{\n  \"hooks\": null\n}",
            2,
            "`hooks` is null; expected an object",
        ),
        (
            "{\n  \"hooks\": {\n    \"Stop\": {}\n  }\n}",
            3,
            "`hooks.Stop` is an object; expected a list",
        ),
    ] {
        for edited in [
            install(text, &[exec("Stop")], &[]),
            uninstall(text, &|_| true),
        ] {
            let unfit = edited.unwrap_err();
            assert_eq!(unfit.line, line, "{text}: {unfit}");
            assert!(unfit.message.contains(message), "{text}: {unfit}");
        }
    }
    let deep = "[".repeat(100_000);
    assert!(install(&format!("{{\"a\": {deep}"), &[exec("Stop")], &[]).is_err());
}

#[test]
fn a_large_file_is_no_trouble() {
    let rows: Vec<String> = (0..60_000)
        .map(|n| {
            format!("    \"Bash(command {n} with some words that make the row long enough:*)\"")
        })
        .collect();
    let text = format!("{{\n  \"permissions\": [\n{}\n  ]\n}}\n", rows.join(",\n"));
    assert!(text.len() > 4_000_000);
    let installed = install(&text, &[exec("Stop"), exec("PreToolUse")], &[]).unwrap();
    assert_eq!(uninstall(&installed, &|_| true).unwrap(), text);
}

/// A settings file in one of the many ways in which one can be written: the gaps between its signs are drawn by lot.
fn written(text: &str, gaps: &[usize]) -> String {
    const GAPS: [&str; 9] = [
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t\t",
        " // why, } ]\n",
        "/* \"hooks\": { */",
        "\r\n    ",
    ];
    let mut gaps = gaps.iter().cycle().map(|gap| GAPS[gap % GAPS.len()]);
    let mut written = String::new();
    let mut in_text = false;
    for letter in text.chars() {
        in_text ^= letter == '"';
        let is_sign = !in_text && "{}[],:".contains(letter);
        if is_sign {
            written.push_str(gaps.next().unwrap_or_default());
        }
        written.push(letter);
        if is_sign {
            written.push_str(gaps.next().unwrap_or_default());
        }
    }
    written
}

/// Theirs, without a blank: settings with and without hooks, with and without a comma at the end of lists.
const THEIRS: [&str; 9] = [
    r#"{"a":1}"#,
    r#"{"a":1,"b":[1,2],}"#,
    r#"{"env":{"A":"1"},"permissions":{"allow":["Bash"]}}"#,
    r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#,
    r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}],},],},}"#,
    r#"{"hooks":{"Stop":[1,null]},"z":true}"#,
    r#"{"a":1,"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"},{"type":"http"}]}],"Stop":[{}]}}"#,
    r#"{"hooks":{"Other":[]},"b":2}"#,
    r#"{"hooks":{"SessionStart":[{"hooks":[]}]}}"#,
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(3000))]

    #[test]
    fn what_init_wrote_uninstall_takes_back_byte_for_byte(
        theirs in 0..THEIRS.len(),
        gaps in proptest::collection::vec(0_usize..9, 1..40),
        marked in proptest::bool::ANY,
    ) {
        let mut text = written(THEIRS[theirs], &gaps);
        if marked {
            text.insert(0, BYTE_ORDER_MARK);
        }
        let entries = [exec("PreToolUse"), line("Stop"), exec("SessionStart"), exec("Setup")];
        comes_and_goes(&CLAUDE, &text, &entries);
    }
}

/// Entries at four events, one of them Stop, are put into a text and taken out of it.
fn comes_and_goes(shape: &'static Shape, text: &str, entries: &[Entry; 4]) {
    let installed = shape.install(text, entries, &["MessageDisplay"]).unwrap();
    assert_eq!(shape.found(&installed).unwrap().len(), 4, "{installed}");
    let again = shape.install(&installed, entries, &["MessageDisplay"]);
    assert_eq!(again.unwrap(), installed);
    let bare = shape.uninstall(&installed, &|_| true).unwrap();
    assert_eq!(bare, text, "{installed}");
    // Others may have been added meanwhile, before and after.
    let fewer = shape
        .uninstall(&installed, &|event| event == "Stop")
        .unwrap();
    assert_eq!(shape.found(&fewer).unwrap().len(), 3);
    assert_eq!(shape.uninstall(&fewer, &|_| true).unwrap(), text, "{fewer}");
}

const TWICE: &str = r#"{
  "hooks": {"Stop": []},
  "model": "opus",
  "hooks": {
    "PreToolUse": [],
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]
  }
}
"#;

/// What the agent reads, as its JSON parser does: of a key that comes twice, the last.
fn read_by_the_agent(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn entries_go_where_the_agent_reads_them() {
    let installed = install(TWICE, &[exec("PreToolUse"), exec("Stop")], &[]).unwrap();
    let read = read_by_the_agent(&installed);
    for (event, group) in [("PreToolUse", 1), ("Stop", 0)] {
        let command = &read["hooks"][event][group]["hooks"][0]["command"];
        assert_eq!(command, "/bin/bowline-hook", "{installed}");
    }
    assert_eq!(found(&installed).unwrap().len(), 2);
    let again = install(&installed, &[exec("PreToolUse"), exec("Stop")], &[]);
    assert_eq!(again.unwrap(), installed);
    assert_eq!(uninstall(&installed, &|_| true).unwrap(), TWICE);
}

#[test]
fn what_the_agent_does_not_read_is_told_and_taken_out() {
    let told: Vec<_> = shadowed(TWICE)
        .unwrap()
        .into_iter()
        .map(|it| (it.line, it.key, it.read_line))
        .collect();
    let expected = [(2, "hooks", 4), (5, "PreToolUse", 6)];
    assert_eq!(
        told,
        expected.map(|(line, key, read)| (line, key.to_owned(), read))
    );
    assert_eq!(shadowed(INSTALLED).unwrap(), []);

    // As an older Bowline wrote it.
    let hidden = INSTALLED.replacen("\n  }\n}", "\n  },\n  \"hooks\": {\"Setup\": []}\n}", 1);
    assert_eq!(found(&hidden).unwrap(), []);
    let without = uninstall(&hidden, &|_| true).unwrap();
    assert!(!without.contains("bowline-hook"), "{without}");
    assert_eq!(
        read_by_the_agent(&without),
        serde_json::json!({"hooks": {"Setup": []}})
    );
}

/// What a person left empty is no less a person's.
#[test]
fn what_was_empty_before_stays_though_others_wrote_since() {
    for (before, after) in [
        ("{\"hooks\": {}}", "{\"hooks\": {}, \"a\": 1}"),
        (
            "{\"hooks\": {\"PreToolUse\": []}}",
            "{\"hooks\": {\"PreToolUse\": []}, \"a\": 1}",
        ),
        (
            "{\"hooks\": {\"PreToolUse\": [], \"Else\": []}}",
            "{\"hooks\": {\"PreToolUse\": [], \"Else\": []}, \"a\": 1}",
        ),
        ("{}", "{\"a\": 1}"),
        ("{", "{\"a\": 1}"),
    ] {
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let base = if before == "{" { "{}" } else { before };
        let installed = install(base, &[exec("PreToolUse"), exec("Stop")], &[]).unwrap();
        let mut changed = value(&installed);
        changed["a"] = 1.into();
        let left = CLAUDE
            .take_out(&changed.to_string(), &|_| true, before)
            .unwrap();
        assert_eq!(value(&left), value(after), "{left}");
    }
}
