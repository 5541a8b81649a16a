//! Where the daemon's socket is.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The shortest limit of the supported systems (macOS), with the byte that ends the path.
const MAX_SOCKET_PATH: usize = 104;

/// Why `$BOWLINE_SOCKET` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SocketPathError {
    /// It is not absolute, so it would mean another place in every folder.
    Relative(PathBuf),
    /// Systems take fewer than 104 bytes.
    TooLong(PathBuf),
}

impl fmt::Display for SocketPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relative(path) => write!(
                f,
                "BOWLINE_SOCKET is `{}`; give an absolute path",
                path.display()
            ),
            Self::TooLong(path) => write!(
                f,
                "BOWLINE_SOCKET is `{}`, {} bytes; give a path under {MAX_SOCKET_PATH} bytes",
                path.display(),
                path.as_os_str().len()
            ),
        }
    }
}

impl std::error::Error for SocketPathError {}

/// Finds the socket: `$BOWLINE_SOCKET`, else in `$XDG_RUNTIME_DIR/bowline/HOME`, else in `/run/user/UID/bowline/HOME`, else in
/// `bowline-UID-HOME` in the temporary folder, where `HOME` is a number made of the home folder: somebody with two homes has two
/// stores, and a daemon for each. Of the places that nobody chose by name, those whose path is too long for
/// a socket are passed over.
///
/// `variable` looks up an environment variable; `is_folder` says whether a folder exists.
pub fn socket_path(
    variable: impl Fn(&str) -> Option<OsString>,
    uid: u32,
    is_folder: impl Fn(&Path) -> bool,
) -> Result<PathBuf, SocketPathError> {
    let folder = |name: &str| {
        variable(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(path) = folder("BOWLINE_SOCKET") {
        return match path {
            path if !path.is_absolute() => Err(SocketPathError::Relative(path)),
            path if !fits(&path) => Err(SocketPathError::TooLong(path)),
            path => Ok(path),
        };
    }
    let of_user = || Path::new("/run/user").join(uid.to_string());
    let home = || folder("HOME").map(|home| format!("{:016x}", digest(&home)));
    let ours = || match home() {
        Some(home) => format!("bowline-{uid}-{home}"),
        None => format!("bowline-{uid}"),
    };
    let in_folder = |folder: PathBuf| folder.join("bowline").join(home().unwrap_or_default());
    // One after another, because looking whether a folder is there takes its time.
    let places: [&dyn Fn() -> Option<PathBuf>; 3] = [
        &|| folder("XDG_RUNTIME_DIR").map(in_folder),
        &|| Some(of_user()).filter(|it| is_folder(it)).map(in_folder),
        &|| folder("TMPDIR").map(|folder| folder.join(ours())),
    ];
    // A relative path in one of these variables is no folder, says the XDG specification.
    let found = places
        .iter()
        .filter_map(|place| Some(place()?.join("daemon.sock")))
        .find(|path| path.is_absolute() && fits(path));
    Ok(found.unwrap_or_else(|| Path::new("/tmp").join(ours()).join("daemon.sock")))
}

/// Marker file next to the socket. The client that starts the daemon creates it; other clients do not start one while it is
/// fresh. It is removed when a daemon answers.
pub fn starting_marker(socket: &Path) -> PathBuf {
    socket.with_extension("starting")
}

/// FNV-1a: the same in every program, whoever built it. However a folder is written, it is one.
fn digest(folder: &Path) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325;
    for part in folder.components() {
        for byte in part.as_os_str().as_bytes().iter().chain(b"/") {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    digest
}

fn fits(path: &Path) -> bool {
    path.as_os_str().len() < MAX_SOCKET_PATH
}
