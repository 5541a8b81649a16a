//! What `bowline init` and `bowline uninstall` share.

mod failed;

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::installable::FileKind;
use crate::agent_settings::{CLAUDE_CODE, InstallScope, Installable, Unfit};
use crate::error::{Error, ErrorKind, Result};
use crate::project::{self, Paths};
use crate::ui::{Format, Text, Ui, YesOrNo, style};

pub(super) use failed::{Attempt, Failure, is_of_one_agent};

/// The file of a scope. In the home folder the project's file would be the user's.
pub(super) fn settings_file(
    agent: &Installable,
    scope: InstallScope,
    surroundings: &Surroundings,
) -> Result<PathBuf> {
    if agent.file_name(scope).is_none() {
        return Err(Error::usage(format!(
            "{} has no settings of the scope `{}`",
            agent.title(),
            scope.as_str()
        ))
        .hint("use another --scope, or name other agents with --agent"));
    }
    let path = surroundings.file(agent, scope).ok_or_else(|| {
        let variable = agent.registration.folder.variable;
        let or = variable.map(|name| format!(" or {name}"));
        Error::new(ErrorKind::File, "there is no home folder").hint(format!(
            "set HOME{} to an absolute path",
            or.unwrap_or_default()
        ))
    })?;
    let users = surroundings.file(agent, InstallScope::User);
    if scope == InstallScope::Project && users.as_ref() == Some(&path) {
        return Err(Error::usage(format!(
            "{} is your user settings file, not a project's",
            project::shown(&path)
        ))
        .hint("use --scope user, or run it in a project's folder"));
    }
    Ok(path)
}

/// An agent that a command passes over.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    agent: &'static str,
    why: String,
}

impl LeftOut {
    pub(super) fn show(&self, ui: &mut Ui) {
        ui.line(Text::styled(&self.why, style::CAUTION));
    }
}

/// The agents that have settings of the scope, and those that a command passes over because they have none. One that was named
/// has to have them.
pub(super) fn with_settings_of(
    scope: InstallScope,
    agents: Vec<Installable>,
    named: Option<Installable>,
) -> Result<(Vec<Installable>, Vec<LeftOut>)> {
    if named.is_some() {
        return Ok((agents, Vec::new()));
    }
    let (meant, others): (Vec<_>, Vec<_>) = agents
        .into_iter()
        .partition(|agent| agent.file_name(scope).is_some());
    let word = scope.as_str();
    if meant.is_empty() {
        let titles: Vec<&str> = others.iter().map(Installable::title).collect();
        return Err(Error::usage(format!(
            "no agent that was found here has settings of the scope `{word}`: {}",
            titles.join(", ")
        ))
        .hint("use another --scope, or name another agent with --agent"));
    }
    let left_out = |agent: Installable| LeftOut {
        agent: agent.name(),
        why: format!(
            "{} has no settings of the scope `{word}`, and is left out.",
            agent.title()
        ),
    };
    Ok((meant, others.into_iter().map(left_out).collect()))
}

/// The command that takes Bowline out of the settings of a scope.
pub(super) fn uninstall_in(scope: InstallScope) -> String {
    match scope {
        InstallScope::User => "bowline uninstall".to_owned(),
        InstallScope::Project | InstallScope::Local => {
            format!("bowline uninstall --scope {}", scope.as_str())
        }
    }
}

/// A file that is not what it should be.
pub(super) fn cannot_edit(agent: &Installable, file: &Path, unfit: &Unfit) -> Error {
    let shown = project::shown(file);
    let hint = match agent.form.kind {
        FileKind::Settings => format!(
            "repair it and run it again, nothing was changed in it{}",
            more_by_check(agent, &shown)
        ),
        FileKind::Own | FileKind::Scripts { .. } => {
            "remove it or give it another name, and run it again; nothing was changed in it"
                .to_owned()
        }
    };
    Error::new(
        ErrorKind::File,
        format!("{shown}:{}: {}", unfit.line, unfit.message),
    )
    .hint(hint)
}

/// Who tells more about a file: `bowline check` reads Claude Code's settings, and not those of other agents.
pub(super) fn more_by_check(agent: &Installable, shown: &str) -> String {
    if agent.name() == CLAUDE_CODE.name() {
        format!("; `bowline check {shown}` tells more")
    } else {
        String::new()
    }
}

/// Asks, unless `--yes` was given. A program that reads JSON cannot be asked.
pub(super) fn consent(
    question: &str,
    beforehand: Option<YesOrNo>,
    format: Format,
    ui: &mut Ui,
) -> Result<YesOrNo> {
    match (beforehand, format) {
        (Some(answer), _) => Ok(answer),
        (None, Format::Json) => Ok(YesOrNo::No),
        (None, Format::Text) => ui
            .ask(question)
            .map_err(|error| error.hint("look at what would change, then run it again with --yes")),
    }
}

/// Says where the copies of the files as they were are.
pub(super) fn show_backups<'a>(
    backups: impl Iterator<Item = &'a PathBuf>,
    paths: &Paths,
    ui: &mut Ui,
) {
    let backups: Vec<&PathBuf> = backups.collect();
    match backups.as_slice() {
        [] => {}
        [backup] => ui.line(format!(
            "The file as it was: {}",
            paths.show_absolute(backup)
        )),
        [backup, ..] => {
            // Each has a folder, and these are in one.
            let folder = backup.ancestors().nth(2).unwrap_or(backup);
            ui.line(format!(
                "The files as they were: {}",
                paths.show_absolute(folder)
            ));
        }
    }
}

/// The only file's report as it is; of several a list.
pub(super) fn one_file_or_all<R: Serialize, S: Serializer>(
    reports: &[R],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct All<'a, R> {
        files: &'a [R],
    }
    match reports {
        [report] => report.serialize(serializer),
        files => All { files }.serialize(serializer),
    }
}

/// The only agent's report as it is; of several a list.
pub(super) fn one_or_all<R: Serialize, S: Serializer>(
    reports: &[R],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct All<'a, R> {
        agents: &'a [R],
    }
    match reports {
        [report] => report.serialize(serializer),
        agents => All { agents }.serialize(serializer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_settings::agents::INSTALLABLE;

    #[test]
    fn only_what_check_reads_is_sent_to_check() {
        let unfit = || Unfit {
            line: 1,
            message: "not valid".to_owned(),
        };
        for agent in INSTALLABLE {
            let error = cannot_edit(agent, Path::new("/home/ann/file"), &unfit());
            let is_sent = error.hints().iter().any(|it| it.contains("bowline check"));
            assert_eq!(is_sent, agent.name() == "claude-code", "{}", agent.name());
        }
    }
}
