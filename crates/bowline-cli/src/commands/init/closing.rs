//! What `bowline init` says in the end: which agents ask Bowline now, and which still need something.

use super::{AgentReport, Report, SkillOutcome, State, TrustReport, uninstall_in};
use crate::agent_settings::InstallScope;
use crate::ui::{Text, Ui, style};

impl Report {
    /// Whether the agent runs nothing of what is, or is to be, in its settings.
    pub(super) fn is_out_of_force(&self) -> bool {
        self.switched_off.is_some() || self.is_refused()
    }

    /// Whether the agent does not read its settings.
    pub(super) fn is_refused(&self) -> bool {
        self.files.iter().any(|it| !it.refusals.is_empty())
    }

    /// Whether something of what was wanted is not there now.
    pub(super) fn is_lacking(&self) -> bool {
        let skill = self.effort_skill.as_ref();
        matches!(self.state, State::Declined | State::Written)
            || self.state == State::AlreadyInstalled && self.is_out_of_force()
            || self.files.iter().any(|file| file.left_alone)
            || self.trust.as_ref().is_some_and(TrustReport::is_lacking)
            || skill.is_some_and(|skill| skill.state == SkillOutcome::Declined)
    }

    /// What has to be done before the agent asks Bowline, or may have to be.
    fn need(&self) -> Option<String> {
        if self.state == State::Declined {
            return Some("it is not installed, because the answer was no".to_owned());
        }
        if self.is_refused() {
            return Some("repair its settings, as is said above".to_owned());
        }
        if let Some(by) = &self.switched_off {
            return Some(format!("switch its hooks on: {by}"));
        }
        if self.files.iter().any(|it| it.left_alone) {
            return Some("remove what is not Bowline's, as is said above".to_owned());
        }
        let by_hand = self.trust.as_ref().and_then(|it| it.by_hand);
        by_hand.map(str::to_owned)
    }
}

/// The agents one by one, where there are several.
pub(super) fn show_agents(agents: &[AgentReport], ui: &mut Ui) {
    if agents.len() < 2 {
        return;
    }
    let needs = agents.iter().map(|agent| match agent {
        AgentReport::Tried(report) => (report.title, report.need()),
        AgentReport::Failed(failure) => {
            let need = "see above what was in the way".to_owned();
            (failure.title(), Some(need))
        }
    });
    let (ready, others): (Vec<_>, Vec<_>) = needs.partition(|(_, need)| need.is_none());
    let ready: Vec<&str> = ready.into_iter().map(|(title, _)| title).collect();
    ui.blank();
    if !ready.is_empty() {
        let ready = ready.join(", ");
        ui.line(Text::styled("These ask Bowline now: ", style::GOOD).plain(ready));
    }
    if !others.is_empty() {
        ui.line(Text::styled("These still need something:", style::CAUTION));
    }
    for (title, need) in others {
        let need = need.unwrap_or_default();
        ui.line(
            Text::from("  ")
                .with(title, style::NAME)
                .plain(format!(": {need}")),
        );
    }
}

/// What to do next, if anything was written.
pub(super) fn show_next(agents: &[AgentReport], scope: InstallScope, ui: &mut Ui) {
    let is_written = |agent: &AgentReport| match agent {
        AgentReport::Tried(report) => matches!(report.state, State::Installed | State::Written),
        AgentReport::Failed(_) => false,
    };
    if agents.iter().any(is_written) {
        let uninstall = uninstall_in(scope);
        ui.line(format!(
            "`bowline doctor` checks that it works; `{uninstall}` takes it out again."
        ));
    }
}
