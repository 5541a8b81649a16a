//! The real Claude Code with Bowline in it, headless and offline: `realclient/` plays the model.
//!
//! Needs `CLAUDE_BIN` (`npm install @anthropic-ai/claude-code@2.1.197` or `@2.1.325`, then `node_modules/.bin/claude`) and
//! `python3`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

use bowline_testkit::{Ran, Sandbox, needs};
use serde_json::{Value, json};

/// So many clients at a time; each keeps most of a core busy while it starts.
const AT_ONCE: usize = 3;
/// Hooks on these events would take the client's own work from it, so Bowline is not registered for them.
const NOT_OURS: [&str; 2] = ["WorktreeCreate", "MessageDisplay"];

/// What is different from the scenario when Bowline decides, or needs to be known to judge its traces.
#[derive(Default)]
struct Exception {
    /// Leave out the scenario's own hooks, so that only ours decide.
    ours_alone: bool,
    /// These expectations do not hold, because the guard objects.
    overruled: &'static [&'static str],
    /// These events do not come to pass for the same reason.
    prevented: &'static [&'static str],
    /// What the calls have in their tool or command that somebody did not let through.
    cancelled: &'static [&'static str],
    /// What the calls have in their command that the client of this test may itself not let through.
    maybe_cancelled: &'static [&'static str],
    /// What the model must have been told.
    told: &'static [&'static str],
    /// What only the person is shown, beside a denial.
    for_the_person: &'static [&'static str],
}

fn exception(scenario: &str) -> Exception {
    match scenario {
        "02_bash_denied" => Exception {
            ours_alone: true,
            overruled: &["model_sees"],
            cancelled: &["Bash"],
            told: &["Bowline: ", "deletes", "Instead:", "[files."],
            ..Exception::default()
        },
        "16_changes" => Exception {
            prevented: &["ConfigChange"],
            cancelled: &["settings.local.json"],
            told: &["Instead: tell the person", "[self.settings]"],
            ..Exception::default()
        },
        "20_auto_mode_denied" => Exception {
            prevented: &["PermissionDenied"],
            cancelled: &["| sh"],
            told: &["Instead:", "[fetched."],
            ..Exception::default()
        },
        "24_more_tools" => Exception {
            cancelled: &["WebFetch", "WebSearch"],
            ..Exception::default()
        },
        // The older client does not ask the hook that would allow it.
        "25_permission_headless" => Exception {
            maybe_cancelled: &["touch made.txt"],
            ..Exception::default()
        },
        "31_beside_a_person" => Exception {
            cancelled: &[
                "reset --hard",
                "-- src/cart.py",
                "git clean",
                "stash drop",
                "> src/cart.py",
                "rm ideas.md",
            ],
            told: &["this session did not make"],
            ..Exception::default()
        },
        "32_project_variables" => Exception {
            cancelled: &["reset --hard"],
            told: &["Bowline: ", "this session did not make"],
            for_the_person: &["bowline allow "],
            ..Exception::default()
        },
        "33_mcp_tool_hook" => Exception {
            cancelled: &["refused.txt"],
            told: &["the server says no"],
            ..Exception::default()
        },
        _ => Exception::default(),
    }
}

/// The client starts this hook and ends. On a busy machine it ends the hook with it, before a word was said; again, then.
const CUT_OFF: &str = "\"StopFailure\" was not recorded";
const ATTEMPTS: usize = 4;

/// The client's program.
pub(super) fn real_client() -> PathBuf {
    env::var_os("CLAUDE_BIN").expect("CLAUDE_BIN").into()
}

#[needs(client)]
#[test]
fn every_scenario_of_the_real_client_ends_as_it_should_and_is_traced() {
    let client = real_client();
    let scenarios = scenarios();
    assert!(scenarios.len() >= 32, "{} scenarios", scenarios.len());
    let work = tempfile::Builder::new().prefix("bl").tempdir().unwrap();
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(scenario) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut found = Vec::new();
                    for attempt in 0..ATTEMPTS {
                        let place = work.path().join(attempt.to_string());
                        fs::create_dir_all(&place).unwrap();
                        found = play(scenario, &client, &place);
                        if !found.iter().any(|problem| problem.ends_with(CUT_OFF)) {
                            break;
                        }
                    }
                    problems.lock().unwrap().extend(found);
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

pub(super) fn harness() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/realclient")
}

fn scenarios() -> Vec<PathBuf> {
    let mut scenarios: Vec<PathBuf> = fs::read_dir(harness().join("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    scenarios.sort();
    // The longest one first, so that nobody waits for it alone.
    scenarios.sort_by_key(|path| !path.ends_with("16_changes.json"));
    scenarios
}

/// Everything that is not as it should be after one scenario.
fn play(file: &Path, client: &Path, work: &Path) -> Vec<String> {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let exception = exception(&name);
    let scenario = adapted(file, &exception);
    let adapted = work.join(format!("{name}.json"));
    fs::write(&adapted, scenario.to_string()).unwrap();

    let sandbox = Sandbox::within(&work.join(&name));
    install(&sandbox, client, "user");
    let mut command = Command::new("python3");
    command
        .arg(harness().join("run_scenario.py"))
        .arg(&adapted)
        .args(["--no-record", "--client"])
        .arg(client)
        .arg("--work")
        .arg(work)
        .arg("--env")
        .arg(format!("BOWLINE_SOCKET={}", sandbox.socket().display()));
    let ran = Ran::of(&mut command);
    let Ok(summary) = serde_json::from_str::<Value>(&ran.stdout) else {
        return vec![format!("{name}: no summary: {ran}")];
    };
    let mut problems: Vec<String> = list(&summary["failures"])
        .iter()
        .map(ToString::to_string)
        .collect();
    problems.extend(untold(&summary, &exception));
    problems.extend(misled(&summary, &exception));
    problems.extend(unreported(&sandbox, &scenario, &exception));
    problems.extend(mistraced(&sandbox, &summary, &exception));
    problems
        .into_iter()
        .map(|problem| format!("{name}: {problem}"))
        .collect()
}

fn adapted(file: &Path, exception: &Exception) -> Value {
    let text = fs::read_to_string(file).unwrap();
    let mut scenario: Value = serde_json::from_str(&text).unwrap();
    let fields = scenario.as_object_mut().unwrap();
    if exception.ours_alone {
        fields.remove("settings");
    }
    if let Some(expect) = fields.get_mut("expect").and_then(Value::as_object_mut) {
        for overruled in exception.overruled {
            expect.remove(*overruled);
        }
    }
    scenario
}

/// Puts Bowline into the client's settings, as a person does.
pub(super) fn install(sandbox: &Sandbox, client: &Path, scope: &str) {
    let folders = env::var_os("PATH").unwrap_or_default();
    let folders = client
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(env::split_paths(&folders));
    let mut init = sandbox.command(&["init", "--scope", scope, "--yes"]);
    let ran = Ran::of(init.env("PATH", env::join_paths(folders).unwrap()));
    ran.expect(0, &[]);
    let told = &ran.stdout;
    let is_asked = told.contains("which is installed here");
    assert_eq!(is_asked, scope == "user", "{told}");
}

/// What the model should have been told and was not.
fn untold(summary: &Value, exception: &Exception) -> Vec<String> {
    let told = summary["model_requests"].to_string();
    let missing = exception.told.iter().filter(|text| !told.contains(**text));
    missing
        .map(|text| format!("the model was not told {text:?}"))
        .collect()
}

/// What the person should have been shown and was not, or the model has seen as well.
fn misled(summary: &Value, exception: &Exception) -> Vec<String> {
    let told = summary["model_requests"].to_string();
    let kept = list(&summary["transcripts"]).iter();
    let shown: String = kept
        .map(|path| fs::read_to_string(path.as_str().unwrap()).unwrap())
        .collect();
    let mut texts = exception.for_the_person.iter();
    let wrong = texts.find(|text| told.contains(**text) || !shown.contains(**text));
    wrong
        .map(|text| format!("{text:?} is not for the person alone"))
        .into_iter()
        .collect()
}

/// Events that the client has and Bowline has not seen. The client does not wait for all of its hooks.
fn unreported(sandbox: &Sandbox, scenario: &Value, exception: &Exception) -> Vec<String> {
    let expected = list(&scenario["expect"]["events"]);
    let mut missing = Vec::new();
    for _ in 0..50 {
        let log = sandbox.json(&["log", "--limit", "1000"]);
        let seen: Vec<&Value> = list(&log["triggers"])
            .iter()
            .map(|one| &one["event"])
            .collect();
        let not_ours = [&NOT_OURS, exception.prevented].concat();
        let ours = expected
            .iter()
            .filter(|event| !not_ours.iter().any(|not| *event == not));
        missing = ours
            .filter(|event| !seen.contains(event))
            .cloned()
            .collect();
        if missing.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    missing
        .iter()
        .map(|event| format!("{event} was not recorded"))
        .collect()
}

/// Each tool call of the run is one trace, with the right tool, status, parent and duration.
fn mistraced(sandbox: &Sandbox, summary: &Value, exception: &Exception) -> Vec<String> {
    let answer = sandbox.json(&["trace", "list", "--limit", "1000"]);
    let mut traces: HashMap<&str, Vec<&Value>> = HashMap::new();
    for trace in list(&answer["traces"]) {
        traces
            .entry(trace["tool_use_id"].as_str().unwrap())
            .or_default()
            .push(trace);
    }
    let wall_ms = summary["wall_s"].as_f64().unwrap() * 1000.0;
    let mut problems = Vec::new();
    for call in list(&summary["tool_calls"]) {
        // The client reports nothing of a call whose input it does not accept.
        let result = call["result"].as_str().unwrap_or_default();
        let expected_traces = usize::from(!result.contains("InputValidationError"));
        let found = traces
            .remove(call["id"].as_str().unwrap())
            .unwrap_or_default();
        if found.len() != expected_traces {
            problems.push(format!("{} traces of {call}", found.len()));
        }
        for trace in found {
            let tool = call["name"].as_str().unwrap();
            let command = call["input"]["command"].as_str().unwrap_or_default();
            let mut marks = exception.cancelled.iter();
            let was_cancelled = marks.any(|mark| *mark == tool || command.contains(mark));
            let mut marks = exception.maybe_cancelled.iter();
            let refused = marks.any(|mark| command.contains(mark));
            let status = match call["is_error"].as_bool() {
                _ if was_cancelled => "cancelled",
                Some(true) if refused => "cancelled",
                Some(true) => "error",
                _ => "ok",
            };
            let ran = status != "cancelled";
            // Who stopped it tells the status: a hook, a person or the agent.
            let found = match trace["status"].as_str() {
                Some("denied" | "refused") => "cancelled",
                found => found.unwrap_or_default(),
            };
            let duration = trace["duration_ms"].as_f64();
            let plausible = duration.map_or(!ran, |ms| (0.0..=wall_ms).contains(&ms));
            if trace["tool"] != tool
                || found != status
                || trace["parent"] != call["subagent_of"]
                || !plausible
                || slept_longer(call, duration)
            {
                problems.push(format!("expected {status} of {call}, found {trace}"));
            }
        }
    }
    problems.extend(
        traces
            .values()
            .map(|more| format!("a trace of no call: {}", json!(more))),
    );
    problems
}

/// Whether a call took longer than its trace says: these scenarios sleep for known times.
fn slept_longer(call: &Value, duration: Option<f64>) -> bool {
    let command = call["input"]["command"].as_str().unwrap_or_default();
    let in_background = call["input"]["run_in_background"] == true;
    let slept: f64 = command
        .split(';')
        .filter_map(|part| {
            part.trim()
                .strip_prefix("sleep ")?
                .trim()
                .parse::<f64>()
                .ok()
        })
        .sum();
    !in_background && duration.is_some_and(|ms| ms < slept * 1000.0)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
