//! Two fuzz targets that run on the stable toolchain: settings, and payloads with what hooks answer.
//!
//! Each mutates real examples for `BOWLINE_FUZZ_SECONDS` (default 1). The only assertion is that nothing panics
//! and that what is understood stays consistent; a failure prints the shrunken input.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a fuzz target fails by panicking and says how far it came"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use bowline::agents::{Reported, supported};
use bowline::hooks::dialect::{Exit, RawOutput};
use bowline::hooks::{Dialect, HookContext, HookEvent, HookInput, HookManager, merge};
use bowline::settings::{self, DialectChoice, ExitPolicy, Source, Syntax};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn budget() -> Duration {
    let seconds = std::env::var("BOWLINE_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(1))
}

/// Runs the property again and again until the time is used up.
fn fuzz<S: Strategy>(
    name: &str,
    strategy: S,
    property: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let started = Instant::now();
    let mut rounds = 0_u64;
    while rounds == 0 || started.elapsed() < budget() {
        let mut runner = TestRunner::new(config.clone());
        if let Err(failure) = runner.run(&strategy, &property) {
            panic!("{failure}");
        }
        rounds += 1;
    }
    println!(
        "{name}: {} inputs in {:.0?}",
        rounds * 200,
        started.elapsed()
    );
}

fn settings_files() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/settings");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let texts: Vec<String> = files
        .iter()
        .filter_map(|file| std::fs::read_to_string(file).ok())
        .collect();
    assert!(!texts.is_empty(), "no examples in {}", folder.display());
    texts
}

/// A real example, cut, doubled, and sprinkled with the characters that parsers trip over.
fn mutated(examples: Vec<String>) -> impl Strategy<Value = String> {
    let spice = prop_oneof![
        prop_oneof![
            Just("{"),
            Just("}"),
            Just("["),
            Just("]"),
            Just("\""),
            Just("\\"),
            Just(":"),
            Just(","),
            Just("\0"),
            Just("\u{feff}"),
            Just("\u{202e}"),
            Just("é"),
            Just("😀"),
            Just("null"),
            Just("-1"),
            Just("1e999"),
            Just("0.5"),
            Just("---\n"),
            Just("&a "),
            Just("*a"),
            Just("\t"),
            Just("\r\n"),
            Just("'''"),
            Just("[[hooks.PreToolUse]]\n"),
            Just("#"),
            Just("//"),
            Just("/*"),
        ]
        .prop_map(str::to_owned),
        "\\PC{0,12}",
        "[\\[{(]{1,40}",
    ];
    let edits = proptest::collection::vec((any::<prop::sample::Index>(), 0..40_usize, spice), 0..6);
    (prop::sample::select(examples), edits).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, removed, inserted) in edits {
            let at = at.index(chars.len() + 1);
            let end = (at + removed).min(chars.len());
            chars.splice(at..end, inserted.chars());
        }
        chars.into_iter().collect()
    })
}

#[test]
fn settings_never_panic() {
    let syntaxes = [Syntax::Json, Syntax::Toml, Syntax::FrontMatter];
    let dialects = [
        DialectChoice::ByShape,
        DialectChoice::Fixed(Dialect::Generic),
        DialectChoice::Fixed(Dialect::ClaudeCode),
    ];
    let strategy = (
        mutated(settings_files()),
        prop::sample::select(syntaxes.to_vec()),
        prop::sample::select(dialects.to_vec()),
    );
    fuzz("settings", strategy, |(text, syntax, dialect)| {
        let parsed = settings::parse_source(&text, &Source::new(syntax, dialect));
        for finding in &parsed.diagnostics {
            prop_assert!(finding.line >= 1 && finding.column >= 1, "{finding}");
            prop_assert!(
                text.get(finding.span.clone()).is_some(),
                "{finding}: {:?}",
                finding.span
            );
        }
        for hook in &parsed.hooks {
            prop_assert!(!hook.id.is_empty());
            prop_assert!(hook.timeout.limit > Duration::ZERO);
        }
        Ok(())
    });
}

#[test]
fn payloads_and_answers_never_panic() {
    let answers = vec![
        r#"{"decision":"block","reason":"no"}"#.to_owned(),
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no","updatedInput":{"command":"ls"}}}"#.to_owned(),
        r#"{"continue_execution":false,"stop_reason":"no","updated_input":null}"#.to_owned(),
        "plain text\nof two lines".to_owned(),
    ];
    let exits = prop_oneof![
        (-1..300).prop_map(Exit::Code),
        (1..64).prop_map(Exit::Signal)
    ];
    let payloads = bowline_testkit::recorded().into_iter().map(|it| it.text);
    let strategy = (
        mutated(payloads.collect()),
        mutated(answers),
        exits,
        prop::sample::select(HookEvent::ALL.to_vec()),
    );
    let manager = HookManager::new();
    fuzz(
        "payloads and answers",
        strategy,
        |(payload, answer, exit, event)| {
            if let Ok(value) = serde_json::from_str(&payload) {
                let input = HookInput::from_payload_lenient(&value);
                let again = input.to_payload(&HookContext::new("fuzz"));
                prop_assert!(again.is_object());
                let reread = HookInput::from_payload_lenient(&again);
                prop_assert_eq!(reread.event_name(), input.event_name());
                manager.preview(&input);
            }
            let raw = RawOutput {
                exit,
                stdout: answer,
                ..RawOutput::default()
            };
            for dialect in [Dialect::Generic, Dialect::ClaudeCode] {
                for policy in [ExitPolicy::AnyNonZero, ExitPolicy::OnlyTwo] {
                    if let Ok(output) = dialect.read_output("fuzz", event, &raw, policy) {
                        let merged = merge([&output]);
                        prop_assert_eq!(merged.decision(), output.decision());
                        for (_, protocol) in supported() {
                            protocol.encode(&Reported::of(event), &merged);
                        }
                    }
                }
            }
            Ok(())
        },
    );
}
