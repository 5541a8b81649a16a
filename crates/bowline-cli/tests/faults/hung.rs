//! A disk of a test's own that never answers, as that of a machine which cannot be reached. Whoever asks it for something cannot
//! even be killed before it is gone.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bowline_testkit::{Ran, in_own_mounts, needs};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{getegid, geteuid};
use serde_json::{Value, json};

use super::stage::{Files, Stage, Way};

/// Then a test that would hang fails. Nothing here takes so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// A file system (FUSE) that says hello and nothing more.
struct Hung {
    /// Whoever waits for the disk is freed when this goes.
    awaited: mpsc::Sender<()>,
    freed: thread::JoinHandle<bool>,
}

impl Hung {
    fn mount(place: &Path) -> Self {
        let device = File::options().read(true).write(true).open("/dev/fuse");
        let mut device = device.unwrap();
        // For the command, which has it under the same number.
        fcntl_setfd(&device, FdFlags::empty()).unwrap();
        let fd = device.as_raw_fd();
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let mut mount = Command::new("mount");
        mount.args(["-i", "-t", "fuse", "-o"]);
        mount.arg(format!(
            "fd={fd},rootmode=40000,user_id={user},group_id={group}"
        ));
        Ran::of(mount.arg("hung").arg(place)).expect(0, &[]);
        fcntl_setfd(&device, FdFlags::CLOEXEC).unwrap();
        thread::spawn(move || {
            let mut request = vec![0; 1 << 17];
            let length = device.read(&mut request).unwrap();
            assert!(length > 16);
            device.write_all(&hello(&request[8..16])).unwrap();
            while device.read(&mut request).is_ok() {}
        });
        let (awaited, ended) = mpsc::channel();
        let place = place.to_owned();
        let freed = thread::spawn(move || {
            let in_time = ended.recv_timeout(PATIENCE) != Err(mpsc::RecvTimeoutError::Timeout);
            let mut unmount = Command::new("umount");
            let unmounted = unmount.args(["-c", "-f", "-l"]).arg(place).status();
            assert!(unmounted.unwrap().success());
            in_time
        });
        Self { awaited, freed }
    }

    /// Frees whoever hangs. Whether nobody had to be freed before.
    fn end(self) -> bool {
        drop(self.awaited);
        self.freed.join().unwrap()
    }
}

/// The answer to the first request, which has this number: version 7.31, and nothing out of the ordinary.
fn hello(number: &[u8]) -> Vec<u8> {
    let words =
        |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|it| it.to_ne_bytes()).collect() };
    let mut said = words(&[80, 0]);
    said.extend(number);
    said.extend(words(&[7, 31, 65_536, 0, 0, 65_536, 0, 0]));
    said.resize(80, 0);
    said
}

fn decision(ran: &Ran) -> Option<Value> {
    let said: Value = serde_json::from_str(&ran.stdout).ok()?;
    said.pointer("/hookSpecificOutput/permissionDecision")
        .cloned()
}

#[needs(fuse)]
#[test]
fn whatever_folder_hangs_the_answer_is_right() {
    if !in_own_mounts("faults::hung::whatever_folder_hangs_the_answer_is_right") {
        return;
    }
    let variables = [
        ("BOWLINE_SOCKET", "daemon.sock"),
        ("XDG_RUNTIME_DIR", ""),
        ("HOME", ""),
        ("XDG_CONFIG_HOME", ""),
        ("XDG_DATA_HOME", ""),
        ("CLAUDE_PROJECT_DIR", ""),
        ("CLAUDE_CONFIG_DIR", ""),
    ];
    for (name, file) in variables {
        for way in [Way::Usual, Way::Direct] {
            let mut stage = Stage::new();
            let place = stage.folder("hung");
            // An empty one is none: then the runtime folder counts.
            if name == "XDG_RUNTIME_DIR" {
                stage.set("BOWLINE_SOCKET", "");
            }
            stage.set(name, place.join(file));
            let hung = Hung::mount(&place);
            let payload = json!({
                "session_id": "s1", "transcript_path": "/t", "cwd": stage.path("project"),
                "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "t1",
                "tool_input": {"command": "git push --force origin main"},
            });
            let output = stage.report(&payload, way, Files::Any);
            let hung_all_the_time = hung.end();
            assert!(hung_all_the_time, "{name}, {way:?}: nobody answers");
            assert_eq!(
                decision(&output),
                Some(json!("deny")),
                "{name}, {way:?}: {output:?}"
            );
        }
    }
}
