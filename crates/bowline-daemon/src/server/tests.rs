//! What the helper decides, and what becomes of clients that leave: seen from inside, where the threads can be held up.

mod stand;

use std::fs::{self, File};
use std::io::Write;
use std::net::Shutdown;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use bowline::hooks::CancellationToken;
use bowline_store::Store;
use bowline_wire::{Answer, CallId};
use mio::Token;
use rustix::fs::{Mode, OFlags};
use serde_json::Map;

use super::Stop;
use crate::ask::Connection;
use stand::{Client, Driven, Stand, until};

const HELPER: &str = "bowline-helper";

/// Every number is denied in words of its own, and commits are looked at for secrets.
fn settings() -> String {
    let rule = |number| {
        format!(
            "[[rule]]\nid = 'r{number}'\nverdict = 'deny'\ncommand = 'make{number} *'\nmessage = 'this is number {number}'\n"
        )
    };
    let rules: String = (0..9).map(rule).collect();
    format!("[guard]\nsecrets = 'ask'\n{rules}")
}

/// Whether this is the answer to the call about that number, and to no other.
fn is_about(answer: &Answer, number: usize) -> bool {
    (0..9).all(|other| {
        let said = answer.stdout.contains(&format!("this is number {other} ("));
        said == (other == number)
    })
}

/// One round of calls, taken and decided. Gives the clients with their calls, in order.
fn round(driven: &mut Driven, stand: &Stand, count: usize) -> Vec<(Client, CallId)> {
    let mut calls = Vec::new();
    for (number, (token, mut client)) in driven.welcome(stand, count).into_iter().enumerate() {
        let call = client.call(stand, &format!("make{number} it"));
        driven.take_from(token);
        calls.push((client, call));
    }
    driven.decide();
    calls
}

fn assert_answered(calls: Vec<(Client, CallId)>) {
    for (number, (mut client, call)) in calls.into_iter().enumerate() {
        let answer = client.answer_to(&call);
        assert!(is_about(&answer, number), "{number}: {}", answer.stdout);
    }
}

fn ids(calls: &[(Client, CallId)]) -> Vec<String> {
    let ids = calls.iter().map(|(_, call)| call.as_str().to_owned());
    ids.collect()
}

#[test]
fn of_four_calls_or_more_the_helper_decides_the_later_half_and_each_gets_its_own_answer() {
    for (count, for_helper) in [(1, 0), (2, 0), (3, 0), (4, 2), (5, 3), (8, 4), (9, 5)] {
        let (stand, server) = Stand::new(&settings());
        let _entered = stand.enter();
        let mut driven = Driven::new(server);
        driven.load_project(&stand);
        let calls = round(&mut driven, &stand, count);
        let ids = ids(&calls);
        assert_answered(calls);
        let (here, there) = ids.split_at(count - for_helper);
        assert_eq!(stand.store.brought_by(HELPER), there, "{count}");
        let own = thread::current().name().unwrap().to_owned();
        assert_eq!(stand.store.brought_by(&own), here, "{count}");
    }
}

#[test]
fn while_the_helper_is_busy_everything_is_decided_without_it() {
    let (stand, server) = Stand::new(&settings());
    let _entered = stand.enter();
    let mut driven = Driven::new(server);
    driven.load_project(&stand);
    stand.store.hold(HELPER);
    let mut first = round(&mut driven, &stand, 4);
    stand.store.await_held();
    let theirs = stand.store.brought_by(HELPER);
    assert_eq!(theirs, ids(&first)[2..]);
    // Those that were decided here do not wait for the others.
    let later = first.split_off(2);
    assert_answered(first);
    assert_answered(round(&mut driven, &stand, 8));
    assert_eq!(stand.store.brought_by(HELPER), theirs);

    stand.store.let_go();
    for (number, (mut client, call)) in (2..).zip(later) {
        assert!(is_about(&client.answer_to(&call), number), "{number}");
    }
    until("the helper helps again", || {
        assert_answered(round(&mut driven, &stand, 4));
        stand.store.brought_by(HELPER).len() > theirs.len()
    });
}

/// A repository of which git reads settings from a pipe, and so runs until somebody writes them.
struct Stuck(PathBuf);

impl Stuck {
    fn new(stand: &Stand) -> Self {
        let pipe = stand.path("settings");
        let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        for folder in ["objects", "refs"] {
            fs::create_dir_all(stand.path("project/.git").join(folder)).unwrap();
        }
        fs::write(stand.path("project/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let config = format!("[include]\npath = {}\n", pipe.display());
        fs::write(stand.path("project/.git/config"), config).unwrap();
        Self(pipe)
    }

    /// The writing end, once git reads: before, the system refuses to open it.
    fn await_git(&self) -> File {
        let mut opened = None;
        until("git reads its settings", || {
            opened = rustix::fs::open(
                &self.0,
                OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC,
                Mode::empty(),
            )
            .ok();
            opened.is_some()
        });
        opened.unwrap().into()
    }

    /// Lets git go on, which may read them more than once.
    fn let_go(&self, writing: File) {
        fs::write(self.0.with_extension("plain"), "").unwrap();
        fs::rename(self.0.with_extension("plain"), &self.0).unwrap();
        drop(writing);
    }
}

/// A call for which the helper has started a git.
struct Begun {
    token: Token,
    client: Client,
    call: CallId,
    cancellation: CancellationToken,
}

/// Has four calls decided, the last of them by means of a git. The helper is held up before it can say that this one waits.
fn begin_a_git(driven: &mut Driven, stand: &Stand) -> Begun {
    stand.store.hold(HELPER);
    let mut begun = Vec::new();
    let commands = ["make0 it", "make1 it", "make2 it", "git commit -m it"];
    for ((token, mut client), command) in driven.welcome(stand, 4).into_iter().zip(commands) {
        let call = client.call(stand, command);
        driven.take_from(token);
        let (_, answering) = driven.round.ready.back().unwrap();
        begun.push(Begun {
            token,
            client,
            call,
            cancellation: answering.cancellation.clone(),
        });
    }
    driven.decide();
    stand.store.await_held();
    begun.pop().unwrap()
}

#[test]
fn what_the_helper_has_begun_and_must_wait_for_goes_on_elsewhere() {
    let (stand, server) = Stand::new(&settings());
    let stuck = Stuck::new(&stand);
    let _entered = stand.enter();
    let mut driven = Driven::new(server);
    driven.load_project(&stand);
    let mut begun = begin_a_git(&mut driven, &stand);
    let writing = stuck.await_git();
    stand.store.let_go();
    driven.await_wake();
    driven.decide();
    assert!(!begun.cancellation.is_cancelled());
    stuck.let_go(writing);
    assert_eq!(begun.client.answer_to(&begun.call), Answer::default());
    until("nothing is in flight", || stand.shared.in_flight() == 0);
}

#[test]
fn what_the_helper_has_begun_for_a_client_that_left_meanwhile_ends() {
    let (stand, server) = Stand::new(&settings());
    let stuck = Stuck::new(&stand);
    let _entered = stand.enter();
    let mut driven = Driven::new(server);
    driven.load_project(&stand);
    let begun = begin_a_git(&mut driven, &stand);
    let mut writing = stuck.await_git();
    drop(begun.client);
    driven.leave(begun.token);
    stand.store.let_go();
    driven.await_wake();
    driven.decide();
    // Later it would end by its time limit.
    assert!(begun.cancellation.is_cancelled());
    until("git has ended", || writing.write(b"\n").is_err());
    until("nothing is in flight", || stand.shared.in_flight() == 0);
}

#[test]
fn who_sends_a_call_and_leaves_before_it_is_read_is_not_served() {
    const POLLING: &str = "bowline-poll";
    let (stand, server) = Stand::new(&settings());
    let running = thread::spawn(move || server.run());
    let ask = |command: &str| {
        let mut daemon = Connection::open(&stand.socket()).unwrap();
        daemon.ask(command, Map::new()).unwrap()
    };
    let mut first = stand.client();
    let loading = first.call(&stand, "make0 it");
    assert!(is_about(&first.answer_to(&loading), 0));
    let mut known = stand.client();
    let greeting = known.call(&stand, "make1 it");
    assert!(is_about(&known.answer_to(&greeting), 1));

    // While the daemon is held up, some come and go.
    stand.store.hold(POLLING);
    let held = first.call(&stand, "make2 it");
    stand.store.await_held();
    for mut leaving in [known, stand.client()] {
        leaving.call(&stand, "make3 it");
        drop(leaving);
    }
    let mut waiting = stand.client();
    let half_closed = waiting.call(&stand, "make4 it");
    waiting.stream.shutdown(Shutdown::Write).unwrap();
    stand.store.let_go();

    // Who only says that nothing more will come waits for the answer.
    assert!(is_about(&first.answer_to(&held), 2));
    assert!(is_about(&waiting.answer_to(&half_closed), 4));
    assert_eq!(waiting.line(), None);
    // The first, and who asks.
    until("the others are gone", || {
        ask("daemon.status")["connections"] == 2
    });
    assert_eq!(ask("daemon.status")["events"], 4);
    let recorded = stand.store.last_events(50).unwrap();
    let mut recorded: Vec<&str> = recorded
        .iter()
        .map(|event| event.decided.id.as_str())
        .collect();
    let mut expected = [&loading, &greeting, &held, &half_closed].map(CallId::as_str);
    recorded.sort_unstable();
    expected.sort_unstable();
    assert_eq!(recorded, expected);
    stand.shared.request_stop(Stop::Asked);
    until("the daemon stops", || running.is_finished());
    running.join().unwrap().unwrap();
}

/// As on a disk that hangs: the thread that decides never comes back from the store, or whoever should write never writes.
#[test]
fn a_store_that_hangs_holds_up_no_answer() {
    let (stand, server) = Stand::new(&settings());
    let _entered = stand.enter();
    let mut driven = Driven::new(server);
    driven.load_project(&stand);
    stand.store.hold(HANGING);
    let clients = driven.welcome(&stand, 2);
    thread::scope(|scope| {
        let hanging = thread::Builder::new().name(HANGING.to_owned());
        let mut calls = Vec::new();
        for (number, (token, mut client)) in clients.into_iter().enumerate() {
            let call = client.call(&stand, &format!("make{number} it"));
            driven.take_from(token);
            calls.push((client, call));
        }
        let runtime = &stand;
        let decide = move || {
            let _entered = runtime.enter();
            driven.decide();
        };
        hanging.spawn_scoped(scope, decide).unwrap();
        stand.store.await_held();
        assert_answered(calls);
        assert_eq!(stand.shared.unkept(), 2, "nothing is safe yet");
        stand.store.let_go();
    });
    until("both are kept after all", || stand.shared.unkept() == 0);
}

const HANGING: &str = "hanging";

/// A second attempt passes, so that each is looked up.
const ONE_STRIKE: &str = "[guard]\nmode = 'one-strike'\n";

/// What a call gets, and what is kept of it.
fn denied(stand: &Stand, client: &mut Client, command: &str) -> (String, Vec<String>) {
    let call = client.call(stand, command);
    let answer = client.answer_to(&call);
    let mut warnings = None;
    until("it is kept", || {
        let kept = stand.store.last_events(50).unwrap();
        let kept = kept
            .into_iter()
            .find(|event| event.decided.id == call.as_str());
        let hooks = kept.map(|event| event.decided.hooks.into_iter());
        warnings = hooks.map(|hooks| hooks.flat_map(|hook| hook.warnings).collect());
        warnings.is_some()
    });
    (answer.stdout, warnings.unwrap())
}

#[test]
fn a_look_up_that_hangs_holds_up_neither_its_call_nor_others() {
    let (stand, server) = Stand::that_looks_up(ONE_STRIKE);
    let running = thread::spawn(move || server.run());
    let mut client = stand.client();
    let loading = client.call(&stand, "ls");
    client.answer_to(&loading);

    stand.store.hold_look_ups();
    let (mut hanging, mut others) = (stand.client(), stand.client());
    let call = hanging.call(&stand, "git push --force origin main");
    stand.store.await_held();
    // While it hangs, the polling goes on.
    let harmless = others.call(&stand, "ls");
    assert_eq!(others.answer_to(&harmless), Answer::default());
    let answer = hanging.answer_to(&call);
    assert!(answer.stdout.contains("deny"), "{}", answer.stdout);

    // Nobody looks there any more, and it is said with each event.
    for number in 0..3 {
        let (said, warnings) = denied(
            &stand,
            &mut others,
            &format!("git push --force origin b{number}"),
        );
        assert!(said.contains("deny"), "{said}");
        assert!(
            warnings.iter().any(|it| it.contains("judged without")),
            "{warnings:?}"
        );
    }
    stand.store.let_go();
    until("it looks again", || {
        let (_, warnings) = denied(&stand, &mut others, "git push --force origin main");
        warnings.is_empty()
    });
    stand.shared.request_stop(Stop::Asked);
    until("the daemon stops", || running.is_finished());
    running.join().unwrap().unwrap();
}

#[test]
fn a_first_look_that_hangs_leaves_the_guards_on() {
    let (stand, server) = Stand::that_looks_up("[guard]\nmode = 'observe'\n");
    let running = thread::spawn(move || server.run());
    stand.store.hold_look_ups();
    let mut client = stand.client();
    // Without a project of the agent's, the session's beginning is looked up first.
    let call = client.call_from_nowhere(&stand, "git push --force origin main");
    let answer = client.answer_to(&call);
    assert!(answer.stdout.contains("deny"), "{}", answer.stdout);
    stand.store.let_go();
    stand.shared.request_stop(Stop::Asked);
    until("the daemon stops", || running.is_finished());
    running.join().unwrap().unwrap();
}
