//! Somebody who sits at a terminal.

use std::fs;

/// Whether somebody can be played who sits at a terminal; says why not.
pub(super) fn can_play_a_person() -> bool {
    let missing = ["script", "setsid"].into_iter().find(|program| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        !std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    });
    if let Some(program) = missing {
        eprintln!("skipped: `{program}` is not here");
        return false;
    }
    let mut pid = std::process::id().to_string();
    while let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let program = line.split(|byte| *byte == 0).next().unwrap_or_default();
        let program = String::from_utf8_lossy(program).into_owned();
        if ["claude", "codex", "gemini", "cursor-agent", "opencode"]
            .iter()
            .any(|agent| program.ends_with(agent))
        {
            eprintln!("skipped: `{program}` runs these tests, and an agent is no person");
            return false;
        }
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        pid = after_name
            .split_whitespace()
            .nth(1)
            .unwrap_or("0")
            .to_owned();
    }
    true
}
