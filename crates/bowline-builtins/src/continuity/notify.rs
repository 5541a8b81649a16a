//! A desktop notification when an agent waits for a person. It is shown in the background, and nothing depends on it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use bowline::hooks::HookContext;
use bowline_continuity::task::name_of;

/// Where no other is named: the usual folders of programs.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The program that shows notifications, and its arguments before the title and the text.
#[cfg(target_os = "macos")]
const SHOW: (&str, &[&str]) = (
    "osascript",
    &[
        "-e",
        "on run argv",
        "-e",
        "display notification (item 2 of argv) with title (item 1 of argv)",
        "-e",
        "end run",
        "--",
    ],
);
#[cfg(not(target_os = "macos"))]
const SHOW: (&str, &[&str]) = ("notify-send", &["--app-name=Bowline", "--"]);

/// Says on the caller's desktop that an agent waits, and for what.
pub(crate) fn attention(project: &Path, waits_for: Option<&str>, ctx: &HookContext) {
    let (program, arguments) = SHOW;
    let Some(program) = find(program, &ctx.env) else {
        return tracing::debug!("{program} is not on the caller's PATH");
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args(words(ctx.agent(), project, waits_for))
        // The desktop is the caller's, which is not always this process's.
        .env_clear()
        .envs(&ctx.env)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Err(error) = start(command) {
        tracing::debug!("no notification was shown: {error}");
    }
}

/// The title and the text.
fn words(agent: Option<&str>, project: &Path, waits_for: Option<&str>) -> [String; 2] {
    let project = project.to_string_lossy();
    let title = format!(
        "{} waits for you in {}",
        agent.unwrap_or("An agent"),
        name_of(&project)
    );
    [title, waits_for.unwrap_or_default().to_owned()]
}

/// Starts it in the background. A thread waits for its end, so that it leaves no trace among the processes.
fn start(mut command: Command) -> std::io::Result<()> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    thread::Builder::new()
        .name("notification".to_owned())
        .spawn(move || child.wait())?;
    Ok(())
}

fn find(program: &str, env: &HashMap<String, String>) -> Option<PathBuf> {
    let path = env.get("PATH").map_or(USUAL_PATH, String::as_str);
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_says_who_waits_where_and_for_what() {
        for (agent, waits_for, expected) in [
            (
                Some("claude-code"),
                Some("permission for Bash: ls"),
                [
                    "claude-code waits for you in shop",
                    "permission for Bash: ls",
                ],
            ),
            (None, None, ["An agent waits for you in shop", ""]),
        ] {
            assert_eq!(
                words(agent, Path::new("/home/ann/shop"), waits_for),
                expected
            );
        }
    }
}
