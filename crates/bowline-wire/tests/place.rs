//! Where the socket is.

use std::ffi::OsString;
use std::path::Path;

use bowline_wire::{SocketPathError, socket_path};

fn place(variables: &[(&str, &str)], run_user: bool) -> Result<String, SocketPathError> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(*value))
    };
    let is_folder = |folder: &Path| run_user && folder == Path::new("/run/user/1000");
    socket_path(variable, 1000, is_folder).map(|path| path.display().to_string())
}

#[test]
fn the_first_place_that_can_be_used() {
    let long = format!("/{}", "x".repeat(90));
    for (variables, run_user, expected) in [
        (&[][..], false, "/tmp/bowline-1000/daemon.sock"),
        (&[], true, "/run/user/1000/bowline/daemon.sock"),
        (
            &[("TMPDIR", "/var/t")],
            false,
            "/var/t/bowline-1000/daemon.sock",
        ),
        (
            &[("TMPDIR", "/var/t")],
            true,
            "/run/user/1000/bowline/daemon.sock",
        ),
        (
            &[("XDG_RUNTIME_DIR", "/run/x"), ("TMPDIR", "/var/t")],
            true,
            "/run/x/bowline/daemon.sock",
        ),
        (
            &[
                ("BOWLINE_SOCKET", "/s/own.sock"),
                ("XDG_RUNTIME_DIR", "/run/x"),
            ],
            true,
            "/s/own.sock",
        ),
        // What is empty, relative or too long is as good as not there.
        (
            &[("BOWLINE_SOCKET", ""), ("XDG_RUNTIME_DIR", "/run/x")],
            true,
            "/run/x/bowline/daemon.sock",
        ),
        (
            &[("XDG_RUNTIME_DIR", "")],
            true,
            "/run/user/1000/bowline/daemon.sock",
        ),
        (
            &[("XDG_RUNTIME_DIR", "run"), ("TMPDIR", "t")],
            false,
            "/tmp/bowline-1000/daemon.sock",
        ),
        (
            &[("XDG_RUNTIME_DIR", &long), ("TMPDIR", &long)],
            false,
            "/tmp/bowline-1000/daemon.sock",
        ),
    ] {
        assert_eq!(
            place(variables, run_user).unwrap(),
            expected,
            "{variables:?}"
        );
    }
}

#[test]
fn two_homes_do_not_share_a_socket() {
    let of = |home: &str, more: &[(&str, &str)]| {
        place(&[&[("HOME", home)], more].concat(), false).unwrap()
    };
    let (ann, bob) = (of("/home/ann", &[]), of("/home/bob", &[]));
    assert_ne!(ann, bob);
    // Never another: programs of several versions meet there.
    assert_eq!(ann, "/tmp/bowline-1000-3ac9351970493f0d/daemon.sock");
    for same in ["/home/ann/", "/home//ann", "/home/./ann"] {
        assert_eq!(of(same, &[]), ann, "{same}");
    }
    assert_eq!(of("", &[]), "/tmp/bowline-1000/daemon.sock");
    let own = [("TMPDIR", "/var/t")];
    assert_eq!(of("/home/ann", &own), ann.replace("/tmp", "/var/t"));
    let runtime = [("XDG_RUNTIME_DIR", "/run/x")];
    let ann = of("/home/ann", &runtime);
    assert_eq!(ann, "/run/x/bowline/3ac9351970493f0d/daemon.sock");
    assert_ne!(ann, of("/home/bob", &runtime));
    let by_user = |home| place(&[("HOME", home)], true).unwrap();
    assert_ne!(by_user("/home/ann"), by_user("/home/bob"));
    assert_eq!(by_user(""), "/run/user/1000/bowline/daemon.sock");
}

#[test]
fn a_chosen_place_is_used_or_refused() {
    let of_length = |length: usize| format!("/{}", "s".repeat(length - 1));
    assert_eq!(
        place(&[("BOWLINE_SOCKET", &of_length(103))], false).unwrap(),
        of_length(103)
    );
    let too_long = SocketPathError::TooLong(of_length(104).into());
    assert_eq!(
        place(&[("BOWLINE_SOCKET", &of_length(104))], false),
        Err(too_long.clone())
    );
    assert!(too_long.to_string().contains("104 bytes"));
    let relative = SocketPathError::Relative("own.sock".into());
    assert_eq!(
        place(&[("BOWLINE_SOCKET", "own.sock")], false),
        Err(relative)
    );
}
