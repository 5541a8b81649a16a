//! Gives the session's id to the agent's own shells. They run what a SessionStart hook writes to the file that the agent names.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::rpc::efforts::SESSION_VARIABLES;

/// The variable that names the file.
pub(super) const FILE_VARIABLE: &str = "CLAUDE_ENV_FILE";

/// No agent's ids are longer.
const LONGEST_ID: usize = 128;

/// Writes the session's id into the file, if the file is where the agent keeps such files. The variable may come from anywhere.
pub(super) fn hand_over(file: &Path, session: &str) -> io::Result<()> {
    if !is_plain(session) || !is_the_agents(file, session) {
        return Ok(());
    }
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(file)?;
    let exports = SESSION_VARIABLES.map(|name| format!("export {name}='{session}'\n"));
    file.write_all(exports.concat().as_bytes())
}

/// Whether an id has only harmless characters, because a shell will read it.
fn is_plain(session: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=LONGEST_ID).contains(&session.len()) && session.bytes().all(fits)
}

/// `…/session-env/<session>/<event>-hook-<number>.sh`
fn is_the_agents(file: &Path, session: &str) -> bool {
    let name = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_owned());
    let folder = file.parent();
    file.is_absolute()
        && file.extension().is_some_and(|it| it == "sh")
        && name(Some(file)).is_some_and(|it| it.contains("-hook-"))
        && name(folder).is_some_and(|it| it == session)
        && name(folder.and_then(Path::parent)).is_some_and(|it| it == "session-env")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_the_agents_own_file_is_written_and_only_plain_ids() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("session-env/s-1");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sessionstart-hook-0.sh");
        fs::write(&file, "export A=1\n").unwrap();
        hand_over(&file, "s-1").unwrap();
        assert_eq!(
            fs::read_to_string(&file).unwrap(),
            "export A=1\nexport BOWLINE_SESSION='s-1'\nexport HTMLGRAPH_SESSION_ID='s-1'\n"
        );
        let other = root.path().join("profile.sh");
        for (file, session) in [
            (&other, "s-1"),
            (&folder.join("rc"), "s-1"),
            (&folder.join("x-hook-0.sh"), "s-2"),
            (&folder.join("x-hook-0.sh"), "s'1"),
        ] {
            hand_over(file, session).unwrap();
            assert!(!file.exists(), "{}", file.display());
        }
        let link = folder.join("link-hook-0.sh");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        assert!(hand_over(&link, "s-1").is_err());
        assert!(!other.exists());
    }
}
