//! What Bowline itself costs, as ratios against a floor measured in the same run: `cargo bench -p bowline`.
//!
//! - the manager with 0, 1, 10 and 100 hooks, against calling the same closures directly
//! - loading a project's settings of 1 and 1,000 hooks, against reading the same file and parsing its JSON
//! - a command hook, against spawning `sh -c :` bare

#![expect(clippy::print_stdout, reason = "a bench prints its results")]
#![expect(clippy::unwrap_used, reason = "a bench may stop on the first surprise")]

use std::fs;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bowline::hooks::{
    CommandHook, FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput,
};
use bowline::settings::{self, Locations};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

fn main() {
    // `cargo test --benches` only checks that it runs.
    let samples = if std::env::args().any(|argument| argument == "--bench") {
        300
    } else {
        3
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    println!(
        "{:<44} {:>12} {:>12} {:>8}",
        "what", "floor", "bowline", "ratio"
    );
    for hooks in [0, 1, 10, 100] {
        manager_overhead(&runtime, hooks, samples);
    }
    for hooks in [1, 1000] {
        settings_load(hooks, samples);
    }
    command_hook(&runtime, samples);
}

/// Runs both in turn, so that a busy moment hits both, and compares the medians.
fn compare(what: &str, samples: usize, mut floor: impl FnMut(), mut ours: impl FnMut()) {
    let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    let [floor_times, our_times] = &mut times;
    for _ in 0..samples {
        floor_times.push(timed(&mut floor));
        our_times.push(timed(&mut ours));
    }
    let (floor, ours) = (median(floor_times), median(our_times));
    let ratio = ours.as_secs_f64() / floor.as_secs_f64();
    println!("{what:<44} {floor:>12.2?} {ours:>12.2?} {ratio:>7.2}x");
}

fn timed(work: &mut impl FnMut()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn tool_call() -> HookInput {
    HookInput::pre_tool_use(
        "bench",
        "Bash",
        json!({"command": "cargo test", "description": "Run tests"}),
    )
}

async fn judge(input: HookInput, _ctx: HookContext) -> Result<HookOutput, bowline::Error> {
    Ok(match input.command() {
        Some("rm -rf /") => HookOutput::block("no"),
        _ => HookOutput::allow(),
    })
}

fn manager_overhead(runtime: &Runtime, hooks: usize, samples: usize) {
    /// Enough rounds in one sample for the clock to see them.
    const ROUNDS: usize = 100;
    let mut manager = HookManager::new();
    for n in 0..hooks {
        manager.register(FnHook::new(
            format!("hook-{n}"),
            [HookEvent::PreToolUse],
            judge,
        ));
    }
    let (input, ctx) = (tool_call(), HookContext::new("bench"));
    compare(
        &format!("one event through {hooks} in-process hooks x{ROUNDS}"),
        samples,
        || {
            runtime.block_on(async {
                for _ in 0..ROUNDS {
                    // With no hooks the floor is handing over the input once.
                    if hooks == 0 {
                        black_box(input.clone());
                    }
                    for _ in 0..hooks {
                        let call = Box::pin(judge(input.clone(), ctx.clone()));
                        black_box(call.await.unwrap());
                    }
                }
            });
        },
        || {
            runtime.block_on(async {
                for _ in 0..ROUNDS {
                    let output = manager
                        .execute(HookEvent::PreToolUse, input.clone(), &ctx)
                        .await;
                    black_box(output.unwrap());
                }
            });
        },
    );
}

fn settings_load(hooks: usize, samples: usize) {
    let groups: Vec<Value> = (0..hooks)
        .map(|n| json!({"matcher": "Bash|Write", "hooks": [{"type": "command", "command": format!("./check-{n}.sh"), "timeout": 5}]}))
        .collect();
    let root = tempfile::tempdir().unwrap();
    let project = root.path().join("project");
    let file = project.join(".claude/settings.json");
    fs::create_dir_all(project.join(".claude")).unwrap();
    let text = json!({"hooks": {"PreToolUse": groups}}).to_string();
    fs::write(&file, text).unwrap();
    let locations = Locations::under(root.path());
    let loaded = settings::load(&project, &locations);
    assert_eq!(loaded.in_force().count(), hooks);
    compare(
        &format!("loading settings of {hooks} hooks"),
        samples,
        || {
            let text = fs::read_to_string(&file).unwrap();
            black_box(serde_json::from_str::<Value>(&text).unwrap());
        },
        || {
            black_box(settings::load(&project, &locations));
        },
    );
}

fn command_hook(runtime: &Runtime, samples: usize) {
    let mut manager = HookManager::new();
    manager.register(CommandHook::new("colon", ":", [HookEvent::PreToolUse]));
    let ctx = HookContext::new("bench");
    compare(
        "a command hook, against spawning `sh -c :`",
        samples,
        || {
            let status = Command::new("sh")
                .args(["-c", ":"])
                .stdin(Stdio::null())
                .status()
                .unwrap();
            assert!(status.success());
        },
        || {
            let output =
                runtime.block_on(manager.execute(HookEvent::PreToolUse, tool_call(), &ctx));
            assert!(output.unwrap().continue_execution);
        },
    );
}
