//! Tables come and go, and nothing else changes.

use super::*;

fn entry(event: &str, command: &str) -> Entry {
    Entry {
        event: event.to_owned(),
        command: format!("/opt/bin/bowline-hook kimi {command}"),
        args: None,
        timeout: Some(60),
        blocks_on_failure: false,
    }
}

fn events(text: &str) -> Vec<(String, Option<String>)> {
    let found = (KIMI_TOML.found)(text).unwrap();
    let named = found.into_iter().map(|it| (it.entry.event, it.matcher));
    named.collect()
}

const THEIRS: &str = r#"# my settings
default_model = "k3" # the large one

[providers.x]
type = 'openai'

# mine
[[hooks]]
event = "Stop"
command = "say done"

[models]
"#;

#[test]
fn entries_are_tables_at_the_end() {
    let text = install(
        THEIRS,
        &[entry("PreToolUse", "PreToolUse"), entry("Stop", "Stop")],
        &[],
    )
    .unwrap();
    let expected = format!(
        r#"{THEIRS}
[[hooks]]
event = "PreToolUse"
command = "/opt/bin/bowline-hook kimi PreToolUse"
timeout = 60

[[hooks]]
event = "Stop"
command = "/opt/bin/bowline-hook kimi Stop"
timeout = 60
"#
    );
    assert_eq!(text, expected);
    assert_eq!(uninstall(&text, &|_| true).unwrap(), THEIRS);
    let stop = uninstall(&text, &|event| event == "Stop").unwrap();
    assert_eq!(events(&stop), [("PreToolUse".to_owned(), None)]);
}

#[test]
fn a_file_gets_back_what_it_was() {
    let wanted = [entry("PreToolUse", "a"), entry("Stop", "b")];
    for text in [
        "",
        "a = 1\n",
        "a = 1",
        "a = 1\n\n",
        "a = 1\r\nb = 2\r\n",
        "a = 1\r\nb = 2",
        "\u{feff}a = 1\n",
        "# only a comment",
        "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"",
        THEIRS,
    ] {
        let installed = install(text, &wanted, &[]).unwrap();
        assert_eq!(install(&installed, &wanted, &[]).unwrap(), installed);
        assert_eq!(uninstall(&installed, &|_| true).unwrap(), text, "{text:?}");
        let found = (KIMI_TOML.found)(&installed).unwrap();
        let entries: Vec<_> = found.into_iter().map(|it| it.entry).collect();
        assert_eq!(entries, wanted, "{text:?}");
    }
}

#[test]
fn what_is_there_is_brought_up_to_date_in_its_place() {
    let before = r#"[[hooks]]
event = "Stop"
command = '/old/bowline-hook kimi Stop' # theirs
# kept

[[hooks]]
event = "PreToolUse"
matcher = "Bash"
command = "/old/bowline-hook kimi PreToolUse"
timeout = 5

[[hooks]]
event = "SessionEnd"
command = "/old/bowline-hook kimi SessionEnd"

[after]
"#;
    let wanted = [entry("PreToolUse", "PreToolUse"), entry("Stop", "Stop")];
    let after = install(before, &wanted, &["SessionEnd"]).unwrap();
    let expected = r#"[[hooks]]
event = "Stop"
timeout = 60
command = "/opt/bin/bowline-hook kimi Stop" # theirs
# kept

[after]

[[hooks]]
event = "PreToolUse"
command = "/opt/bin/bowline-hook kimi PreToolUse"
timeout = 60
"#;
    assert_eq!(after, expected);
}

#[test]
fn a_list_is_read_and_not_edited() {
    let text = "hooks = [{ event = 'Stop', matcher = 'x', command = 'bowline-hook kimi Stop' }]\n";
    assert_eq!(events(text), [("Stop".to_owned(), Some("x".to_owned()))]);
    for refused in [
        install(text, &[entry("Stop", "Stop")], &[]),
        uninstall(text, &|_| true),
    ] {
        let unfit = refused.unwrap_err();
        assert_eq!(unfit.line, 1);
        assert!(unfit.message.contains("as a table `[[hooks]]`"), "{unfit}");
    }
    let theirs = "hooks = [{ event = 'Stop', command = 'x' }]\n";
    assert_eq!(uninstall(theirs, &|_| true).unwrap(), theirs);
    assert!(install(theirs, &[entry("Stop", "Stop")], &[]).is_err());
}

#[test]
fn a_list_with_nothing_in_it_gives_way() {
    let new = [entry("Stop", "Stop")];
    for (text, kept) in [
        ("hooks = []\n", ""),
        ("a = 1\nhooks = [\n]\nb = 2\n", "a = 1\nb = 2\n"),
        ("a = 1\nhooks = []", "a = 1"),
    ] {
        assert_eq!(
            install(text, &new, &[]).unwrap(),
            install(kept, &new, &[]).unwrap(),
            "{text}"
        );
        assert_eq!(uninstall(text, &|_| true).unwrap(), text);
    }
    for text in ["hooks = [] # none\n", "hooks = [\n# none\n]\n"] {
        assert!(install(text, &new, &[]).is_err(), "{text}");
    }
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    for (text, line, expected) in [
        ("a = 1\nb = \n", 2, "not valid TOML"),
        ("a = 1\na = 2\n", 2, "not valid TOML"),
        (
            "a = 1\n[hooks]\nevent = 'x'\n",
            2,
            "expected tables `[[hooks]]`",
        ),
        ("hooks = 3\n", 1, "expected tables `[[hooks]]`"),
    ] {
        let unfit = install(text, &[entry("Stop", "Stop")], &[]).unwrap_err();
        assert_eq!(unfit.line, line, "{text}");
        assert!(unfit.message.contains(expected), "{unfit}");
    }
}

proptest::proptest! {
    /// Whatever else is in the file, and in whatever order.
    #[test]
    fn every_file_gets_back_what_it_was(
        parts in proptest::collection::vec(0_usize..8, 0..8),
        with_end in proptest::bool::ANY,
    ) {
        let written = parts.iter().enumerate().map(|(at, part)| match part {
            0 => "\n".to_owned(),
            1 => "# a comment\n".to_owned(),
            2 => "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\" # x\n".to_owned(),
            3 => "\n[[hooks]]\ncommand = '''\n[[hooks]]\n'''\nevent = 'Stop'\n".to_owned(),
            4 => "[[hooks]]\n\nevent = 'Stop'\n\n\ncommand = 'y'\n  # end\n".to_owned(),
            5 => format!("[t{at}]\nx = [1,\n 2]\n"),
            6 => format!("  [t{at}.u]\n  \"a b\" = {{ c = 1 }}\n"),
            _ => "\n\n".to_owned(),
        });
        let mut text: String = written.collect();
        if !with_end && text.ends_with('\n') {
            text.pop();
        }
        let wanted = [entry("PreToolUse", "a"), entry("Stop", "b")];
        let installed = install(&text, &wanted, &[]).unwrap();
        proptest::prop_assert_eq!(uninstall(&installed, &|_| true).unwrap(), text);
        let one = uninstall(&installed, &|event| event == "Stop").unwrap();
        let again = install(&one, &wanted, &[]).unwrap();
        proptest::prop_assert_eq!(install(&again, &wanted, &[]).unwrap(), again);
    }
}
