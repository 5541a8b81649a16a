//! What one hook call costs: wall time of `bowline-hook` with a daemon that answers at once, against `/bin/true`.
//!
//! ```text
//! cargo bench -p bowline-client --profile client                    # the client as cargo builds it
//! BOWLINE_HOOK=…/bowline-hook cargo bench -p bowline-client         # another one, such as a static one
//! ```
//!
//! The programs take turns within a run, started in the same way. A run in which `/bin/true` itself is restless
//! (p99 over twice its median) says nothing and is repeated. `BOWLINE_BENCH_CALLS` sets the calls of a run.

#![expect(clippy::print_stdout, reason = "a bench prints its results")]
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may stop on the first surprise"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use bowline_wire::{Acknowledgement, Answer, Call, Reply};

const RUNS: usize = 5;
const MAX_RUNS: usize = 15;
const PAYLOAD: usize = 415;

fn main() {
    let client = env::var("BOWLINE_HOOK");
    let client = client.unwrap_or_else(|_| env!("CARGO_BIN_EXE_bowline-hook").to_owned());
    let calls = env::var("BOWLINE_BENCH_CALLS").ok();
    let calls = calls.and_then(|calls| calls.parse().ok()).unwrap_or(1000);
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The client looks whether the daemon, which is this process, runs the program beside it.
    let hook = folder.path().join("bowline-hook");
    fs::copy(&client, &hook).expect("the client can be copied");
    let own = env::current_exe().expect("this program has a path");
    symlink(own, folder.path().join("bowline")).expect("a link");
    let hook = hook.to_string_lossy().into_owned();
    let socket = folder.path().join("daemon.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    thread::spawn(move || listener.incoming().flatten().for_each(answer));

    let programs: [(&str, &[&str]); 3] = [
        ("/bin/true", &[]),
        ("sh", &["-c", ":"]),
        (
            &hook,
            &["claude-code", "PreToolUse", "--on-failure", "closed"],
        ),
    ];
    println!("{client}, {calls} calls a run; medians and p99 in µs");
    println!(
        "{:>8} {:>14} {:>14} {:>14} {:>8} {:>10}",
        "run", "true", "sh -c :", "client", "ratio", "p99/median"
    );
    let (mut ratios, mut tails) = (Vec::new(), Vec::new());
    for run in 1..=MAX_RUNS {
        let mut times = programs.map(|_| Vec::with_capacity(calls));
        for _ in 0..calls {
            for ((program, arguments), times) in programs.iter().zip(&mut times) {
                times.push(time(program, arguments, &socket));
            }
        }
        let [idle, shell, client] = times.map(Spread::of);
        let ratio = client.median.as_secs_f64() / idle.median.as_secs_f64();
        let tail = client.p99.as_secs_f64() / client.median.as_secs_f64();
        println!("{run:>8} {idle:>14} {shell:>14} {client:>14} {ratio:>8.3} {tail:>10.2}");
        if idle.p99 > idle.median * 2 {
            println!("{:>8} (not counted: the machine is restless)", "");
            continue;
        }
        ratios.push(ratio);
        tails.push(tail);
        if ratios.len() == RUNS {
            break;
        }
    }
    if ratios.is_empty() {
        println!("no run counts");
        return;
    }
    println!(
        "median of {} runs: {:.3} times /bin/true, p99 {:.2} times its own median",
        ratios.len(),
        middle(ratios),
        middle(tails)
    );
    fs::remove_file(socket).expect("the socket is there");
}

fn middle(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn time(program: &str, arguments: &[&str], socket: &Path) -> Duration {
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .env("BOWLINE_SOCKET", socket)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    // `true` may have ended already.
    let _ = child
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(&[b'x'; PAYLOAD]));
    let status = child.wait().expect("the program ends");
    let took = started.elapsed();
    assert!(status.success(), "{program}: {status}");
    took
}

fn answer(mut stream: UnixStream) {
    let mut reader = BufReader::new(&stream);
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line).expect("a first line");
    let frame = Call::decode(&line).expect("a hook call");
    let mut body = vec![0; frame.body_bytes()];
    reader.read_exact(&mut body).expect("the payload");
    let (call, _) = frame.with_body(body).into_parts();
    let acknowledged = Acknowledgement {
        daemon: "bench".to_owned(),
        pid: 1,
    };
    let reply = Reply {
        call: call.id,
        answer: Answer::default(),
    };
    let _ = stream.write_all(&[acknowledged.encode(), reply.encode()].concat());
}

struct Spread {
    median: Duration,
    p99: Duration,
}

impl Spread {
    fn of(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self {
            median: times[times.len() / 2],
            p99: times[times.len() * 99 / 100],
        }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!(
            "{} / {}",
            self.median.as_micros(),
            self.p99.as_micros()
        ))
    }
}
