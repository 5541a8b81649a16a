//! What other tests rely on.

use std::env;
use std::process::Command;

use bowline_testkit::{Ran, Sandbox, needs};

#[needs(root)]
#[test]
fn for_root() {
    assert!(rustix::process::geteuid().is_root());
}

#[needs(no_root)]
#[test]
fn for_others() {
    assert!(!rustix::process::geteuid().is_root());
}

#[test]
fn of_two_opposites_one_is_ignored() {
    let ignored = Ran::of(Command::new(env::current_exe().unwrap()).args(["--list", "--ignored"]));
    let names: Vec<&str> = ignored
        .stdout
        .lines()
        .filter(|it| it.ends_with(": test"))
        .collect();
    assert!(
        matches!(names[..], ["for_root: test" | "for_others: test"]),
        "{ignored}"
    );
}

#[test]
fn what_was_started_in_a_sandbox_ends_with_it() {
    let sandbox = Sandbox::new();
    let root = sandbox.root().to_owned();
    let mut child = sandbox.program("sleep").arg("600").spawn().unwrap();
    drop(sandbox);
    assert_eq!(child.wait().unwrap().code(), None);
    assert!(!root.exists());
}

#[test]
fn nothing_of_this_machine_gets_into_a_sandbox() {
    let sandbox = Sandbox::new();
    let ran = Ran::of(&mut sandbox.program("env"));
    let mut names: Vec<&str> = ran
        .stdout
        .lines()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["COLUMNS", "HOME", "PATH", "XDG_RUNTIME_DIR"]);
}

#[test]
#[should_panic(expected = "no `said` on stdout")]
fn streams_are_not_mixed() {
    let mut command = Sandbox::new().program("sh");
    Ran::of(command.args(["-c", "echo said >&2"]).current_dir("/")).expect(0, &["said"]);
}
