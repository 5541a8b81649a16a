//! Bowline's scripts for Cline: one for each event, which starts `bowline-hook` in its place.

use bowline_agents::cline::AGENT;
use bowline_daemon::registration::MISSING_IS_FINE;

use super::installable::{EventFilter, FileKind, SettingsForm};
use super::own::{Comment, Own};
use super::{Entry, Found, Unfit};

const COMMENT: Comment = Comment("#");
const INTERPRETER: &str = "#!/bin/sh\n";
/// The program is started in the place of the shell.
const STARTS: &str = "exec ";

/// VS Code's extension runs the one without an ending, the CLI every one.
const ENDINGS: &[&str] = &["", ".sh", ".bash"];

pub(super) const SCRIPTS: SettingsForm = SettingsForm {
    install,
    uninstall: |text, is_meant, _| uninstall(text, is_meant),
    found,
    shadowed: |_| Ok(Vec::new()),
    is_blank: |text| text.trim().is_empty(),
    kind: FileKind::Scripts {
        endings: ENDINGS,
        is_marked: |text| COMMENT.marks(text),
    },
    has_timeouts: false,
    status_line: None,
};

fn install(text: &str, entries: &[Entry], never: &[&str]) -> Result<String, Unfit> {
    let known = entry(text)?;
    let kept = known.filter(|it| !never.contains(&it.event.as_str()));
    Ok(entries
        .first()
        .or(kept.as_ref())
        .map(written)
        .unwrap_or_default())
}

fn uninstall(text: &str, is_meant: EventFilter<'_>) -> Result<String, Unfit> {
    let is_gone = entry(text)?.is_some_and(|it| is_meant(&it.event));
    Ok(if is_gone {
        String::new()
    } else {
        text.to_owned()
    })
}

fn found(text: &str) -> Result<Vec<Found>, Unfit> {
    let found = |entry| Found {
        entry,
        matcher: None,
    };
    Ok(entry(text)?.map(found).into_iter().collect())
}

fn written(entry: &Entry) -> String {
    let line = &entry.command;
    // A project's line looks for the program first.
    let starts = if is_guarded(line) { "" } else { STARTS };
    COMMENT.mark(INTERPRETER, &format!("{starts}{line}\n"))
}

fn is_guarded(line: &str) -> bool {
    line.starts_with(MISSING_IS_FINE)
}

/// What a script of any version starts.
fn entry(text: &str) -> Result<Option<Entry>, Unfit> {
    let Own::Text(lines) = COMMENT.read(text)? else {
        return Ok(None);
    };
    let line = lines.last().copied().unwrap_or_default().trim_end();
    // A guarded line begins with another word.
    let command = line.strip_prefix(STARTS).unwrap_or(line);
    let is_of = |event: &str| format!("{command} ").contains(&format!(" {} {event} ", AGENT.name));
    let mut events = AGENT.events.iter().map(|(event, _)| *event);
    Ok(events.find(|event| is_of(event)).map(|event| Entry {
        event: event.to_owned(),
        command: command.to_owned(),
        args: None,
        timeout: None,
        blocks_on_failure: false,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(command: &str) -> Entry {
        Entry {
            event: "PreToolUse".to_owned(),
            command: command.to_owned(),
            args: None,
            timeout: None,
            blocks_on_failure: false,
        }
    }

    #[test]
    fn what_is_put_in_is_found_and_taken_out_again() {
        let projects = format!(
            "{MISSING_IS_FINE}BOWLINE_SCOPE=project exec bowline-hook cline PreToolUse --timeout=30"
        );
        for (command, line) in [
            (
                "'/opt/my bin/bowline-hook' cline PreToolUse --timeout=30",
                "\nexec '/opt/my bin/bowline-hook' cline PreToolUse --timeout=30\n",
            ),
            (projects.as_str(), &format!("\n{projects}\n")),
        ] {
            let entry = entry(command);
            let text = install("", std::slice::from_ref(&entry), &[]).unwrap();
            assert!(
                text.starts_with("#!/bin/sh\n# bowline ") && text.ends_with(line),
                "{text}"
            );
            assert_eq!(found(&text).unwrap()[0].entry, entry);
            assert_eq!(install(&text, &[], &[]).unwrap(), text);
            assert_eq!(install(&text, &[], &["PreToolUse"]).unwrap(), "");
            assert_eq!(uninstall(&text, &|it| it == "PostToolUse").unwrap(), text);
            assert_eq!(uninstall(&text, &|_| true).unwrap(), "");
        }
    }

    #[test]
    fn a_script_of_somebody_else_is_left_alone() {
        for text in ["#!/bin/sh\nexec bowline-hook cline PreToolUse\n", "x"] {
            assert!(install(text, &[entry("x")], &[]).is_err(), "{text}");
            assert!(uninstall(text, &|_| true).is_err(), "{text}");
            assert!(found(text).is_err(), "{text}");
        }
    }
}
