//! The programs under test.

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The folder where Cargo puts programs: the one above that of the test.
pub fn built() -> PathBuf {
    let test = env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().to_owned()
}

/// `bowline`, as Cargo builds it for the tests of its package.
pub fn bowline() -> PathBuf {
    built().join("bowline")
}

/// `bowline-hook`. It is built first, because Cargo does that only for the tests of its own package.
pub fn client() -> &'static Path {
    static CLIENT: OnceLock<PathBuf> = OnceLock::new();
    CLIENT.get_or_init(|| {
        let folder = built();
        let profile = match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let built = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet", "--package", "bowline-client"])
            .args(["--profile", profile, "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        let client = folder.join("bowline-hook");
        assert!(built.success() && client.is_file(), "no bowline-hook");
        client
    })
}

/// Puts a program into another place.
///
/// Another process copies what cannot be linked: a file that this one writes may be held open by a process that another test
/// starts at that moment, and then it is busy and cannot be run.
pub fn put(program: impl AsRef<Path>, to: impl AsRef<Path>) {
    // Of a symbolic link the program behind it.
    let program = fs::canonicalize(program).unwrap();
    if fs::hard_link(&program, &to).is_err() {
        let copied = Command::new("cp").arg(program).arg(to.as_ref()).status();
        assert!(copied.unwrap().success());
    }
}

/// Writes a program, by another process as [`put`] does.
pub fn script(path: impl AsRef<Path>, text: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path.as_ref())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = writer.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    assert!(writer.wait().unwrap().success());
}
