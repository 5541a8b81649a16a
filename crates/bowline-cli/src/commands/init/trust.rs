//! The trust that some agents want before they run Bowline's entries: shown with the change, and given with the person's consent.

use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use serde::Serialize;

use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::backups::{Backups, Original};
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::preview::Preview;
use crate::agent_settings::trust::{Standing, TrustForm};
use crate::agent_settings::{InstallScope, Installable};
use crate::commands::installing::cannot_edit;
use crate::error::Result;
use crate::project::{self, Paths};
use crate::ui::{Text, Ui, counted, style};

/// What became of it.
#[derive(Debug, Serialize)]
pub(super) struct TrustReport {
    pub(super) state: TrustOutcome,
    /// Where it is written down, if Bowline can do that.
    #[serde(serialize_with = "project::lossy_option")]
    pub(super) file: Option<PathBuf>,
    /// How many of Bowline's entries the agent runs.
    pub(super) trusted: usize,
    /// Why it does not run all of them.
    pub(super) problem: Option<String>,
    /// What the person can do.
    pub(super) by_hand: Option<&'static str>,
    /// The copy of that file as it was.
    #[serde(serialize_with = "project::lossy_option")]
    pub(super) backup: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TrustOutcome {
    AlreadyTrusted,
    /// It was asked only what would change.
    WouldTrust,
    Trusted,
    /// The person has to do it.
    ByHand,
    /// The answer was no.
    Declined,
}

/// Trust that is not given yet.
pub(super) struct TrustStep {
    form: TrustForm,
    /// The settings with the entries.
    settings: PathBuf,
    file: PathBuf,
    current: SettingsText,
    backups: Backups,
    /// How the agent sees the entries, where they are in its settings already.
    standing: Option<std::result::Result<Standing, String>>,
}

impl TrustReport {
    /// Before anything was done; nothing where the agent runs what its settings name.
    pub(super) fn of(
        agent: &Installable,
        scope: InstallScope,
        step: Option<&TrustStep>,
    ) -> Option<Self> {
        let by_hand = agent.trusted_by_hand(scope)?;
        let standing = step.and_then(|step| step.standing.as_ref());
        let is_trusted = matches!(standing, Some(Ok(standing)) if standing.is_complete());
        Some(Self {
            state: if is_trusted {
                TrustOutcome::AlreadyTrusted
            } else {
                TrustOutcome::ByHand
            },
            file: step.map(|step| step.file.clone()),
            trusted: match standing {
                Some(Ok(standing)) => standing.trusted.len(),
                _ => 0,
            },
            problem: match standing {
                Some(Ok(standing)) => problem(standing),
                Some(Err(problem)) => Some(problem.clone()),
                None => None,
            },
            by_hand: (!is_trusted).then_some(by_hand),
            backup: None,
        })
    }

    /// Whether the agent was asked and does not run all entries.
    pub(super) fn is_lacking(&self) -> bool {
        self.file.is_some() && matches!(self.state, TrustOutcome::ByHand | TrustOutcome::Declined)
    }

    /// What became of it, for people.
    pub(super) fn show(&self, agent: &Installable, paths: &Paths, ui: &mut Ui) {
        let title = agent.title();
        let entries = counted(self.trusted, "hook");
        match (self.state, self.by_hand) {
            (TrustOutcome::Trusted, _) => {
                let file = self.file.as_deref().map(|file| paths.show_absolute(file));
                ui.line(Text::styled(
                    format!(
                        "Trusted: {title} runs {entries} of Bowline's ({}).",
                        file.unwrap_or_default()
                    ),
                    style::GOOD,
                ));
                if let Some(backup) = &self.backup {
                    ui.line(format!(
                        "That file as it was: {}",
                        paths.show_absolute(backup)
                    ));
                }
            }
            (TrustOutcome::AlreadyTrusted, _) => {
                ui.line(format!("{title} trusts all {entries} of Bowline's."));
            }
            (TrustOutcome::ByHand, Some(by_hand)) => {
                let why = self
                    .problem
                    .as_ref()
                    .map_or_else(String::new, |why| format!(" ({why})"));
                ui.line(Text::styled(
                    format!("{title} does not run all of Bowline's entries yet{why}: {by_hand}."),
                    style::CAUTION,
                ));
            }
            (TrustOutcome::WouldTrust | TrustOutcome::Declined | TrustOutcome::ByHand, _) => {}
        }
    }
}

/// What people should know of the file in which an agent writes down whom it trusts.
pub(super) fn remarks(agent: &Installable, locations: &Locations) -> Vec<String> {
    let text = agent
        .trust_file(locations)
        .map(|file| SettingsText::read(&file));
    match (agent.trust_form(), text) {
        (Some(form), Some(Ok(text))) => (form.remarks)(&text.text),
        _ => Vec::new(),
    }
}

/// What keeps entries from running.
fn problem(standing: &Standing) -> Option<String> {
    let lines = standing.told();
    (!lines.is_empty()).then(|| lines.join("; "))
}

impl TrustStep {
    /// For entries in a settings file that has, or will have, this text; nothing where Bowline cannot do it.
    pub(super) fn of(
        agent: &Installable,
        settings: &Path,
        (current, wanted): (&str, &str),
        surroundings: &Surroundings,
    ) -> Result<Option<Self>> {
        let Surroundings {
            locations, project, ..
        } = surroundings;
        let (Some(form), Some(file)) = (agent.trust_form(), agent.trust_file(locations)) else {
            return Ok(None);
        };
        let standing = (current == wanted).then(|| {
            let entries = agent.found(current).map_err(|unfit| unfit.to_string())?;
            agent.standing(settings, &entries, (project, locations))
        });
        let text = SettingsText::read(&file)?;
        // What cannot be changed is not begun.
        (form.grant)(&text.text, &[]).map_err(|unfit| cannot_edit(agent, &file, &unfit))?;
        Ok(Some(Self {
            form,
            settings: settings.to_owned(),
            backups: Backups::of(text.target(), locations)?,
            current: text,
            file,
            standing,
        }))
    }

    /// Whether there is something to trust.
    pub(super) fn is_due(&self) -> bool {
        match &self.standing {
            None => true,
            Some(Ok(standing)) => !standing.waiting.is_empty(),
            Some(Err(_)) => false,
        }
    }

    /// What would change, before the question.
    pub(super) fn show(
        &self,
        agent: &Installable,
        entries: usize,
        paths: &Paths,
        ui: &mut Ui,
    ) -> Result<()> {
        let title = agent.title();
        let file = paths.show_absolute(&self.file);
        let new = if self.current.exists() {
            ""
        } else {
            " (new file)"
        };
        ui.line(Text::styled(file, style::HEADING).plain(new));
        ui.line(format!(
            "{title} runs a hook only after a person has trusted it. With your consent Bowline asks {title} for the names and hashes of \
             exactly its own {}, and writes down here that you trust them. `--no-trust` leaves that to you.",
            counted(entries, "hook")
        ));
        if let Some(Ok(standing)) = &self.standing {
            let wanted = (self.form.grant)(&self.current.text, &standing.waiting);
            let wanted = wanted.map_err(|unfit| cannot_edit(agent, &self.file, &unfit))?;
            Preview::full(&self.current.text, &wanted).show(ui);
        }
        ui.blank();
        Ok(())
    }

    /// Gives it to the entries that are in the settings now, and asks the agent whether it sees that.
    pub(super) fn carry_out(
        self,
        agent: &Installable,
        surroundings: &Surroundings,
        report: &mut TrustReport,
    ) -> Result<()> {
        let Surroundings {
            locations, project, ..
        } = surroundings;
        let text = SettingsText::read(&self.settings)?.text;
        let entries = agent
            .found(&text)
            .map_err(|unfit| cannot_edit(agent, &self.settings, &unfit))?;
        let look = || agent.standing(&self.settings, &entries, (project, locations));
        let standing = match look() {
            Ok(standing) => standing,
            Err(problem) => {
                report.problem = Some(problem);
                return Ok(());
            }
        };
        let unfit = |unfit| cannot_edit(agent, &self.file, &unfit);
        let wanted = (self.form.grant)(&self.current.text, &standing.waiting).map_err(unfit)?;
        let mut seen = Ok(standing);
        if wanted != self.current.text {
            let original = self.original(&text).map_err(unfit)?;
            report.backup = self.current.install(
                &wanted,
                InstallScope::User.new_file_mode(),
                &original,
                &self.backups,
            )?;
            seen = look();
        }
        match seen {
            Ok(standing) => {
                report.trusted = standing.trusted.len();
                report.problem = problem(&standing);
                if standing.is_complete() {
                    report.state = TrustOutcome::Trusted;
                    report.by_hand = None;
                }
            }
            Err(problem) => report.problem = Some(problem),
        }
        Ok(())
    }

    /// The file as it was before Bowline came.
    fn original(
        &self,
        settings: &str,
    ) -> std::result::Result<Original, crate::agent_settings::Unfit> {
        if !self.current.exists() {
            return Ok(Original::NoFile);
        }
        match self.backups.original(&self.current.text) {
            Some(original) => Ok(original),
            None => {
                (self.form.revoke)(&self.current.text, &self.settings, settings).map(Original::Text)
            }
        }
    }
}
