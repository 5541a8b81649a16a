//! What `bowline init` and `bowline uninstall` share.

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::{InstallScope, Installable, Unfit};
use crate::error::{Error, ErrorKind, Result};
use crate::project;
use crate::ui::{Format, Ui, YesOrNo};

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

/// The command that takes Bowline out of the settings of a scope.
pub(super) fn uninstall_in(scope: InstallScope) -> String {
    match scope {
        InstallScope::User => "bowline uninstall".to_owned(),
        InstallScope::Project | InstallScope::Local => {
            format!("bowline uninstall --scope {}", scope.as_str())
        }
    }
}

/// A settings file that is not what it should be.
pub(super) fn cannot_edit(file: &Path, unfit: &Unfit) -> Error {
    let shown = project::shown(file);
    Error::new(
        ErrorKind::File,
        format!("{shown}:{}: {}", unfit.line, unfit.message),
    )
    .hint(format!(
        "repair it and run it again, nothing was changed; `bowline check {shown}` tells more"
    ))
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
