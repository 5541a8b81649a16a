//! A call that was stopped although it was fine, judged again as things are now: what lets it pass from now on.

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline::settings::{Locations, Settings};
use bowline_guard::rules;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Builtins;
use crate::guard::{NoSilence, SECRET_WRITING, call_of};
use crate::inbox::{Case, Extent, Keeping, SettingsChange, Unanswerable};
use crate::rule::{Exception, NoException, exception};

/// A call that was stopped, as it was recorded: to the letter, and without secrets.
#[derive(Debug, Clone, PartialEq)]
pub struct FalseAlarm {
    /// The agent.
    pub agent: String,
    /// The agent's name for its session.
    pub session: String,
    /// The project's folder.
    pub project: PathBuf,
    /// The tool.
    pub tool: String,
    /// What it was to be called with.
    pub input: Value,
    /// The rule that stopped it; absent if a hook did.
    pub rule: Option<String>,
}

/// What lets such a call pass from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Remedy {
    /// An entry of the project's own settings, which silences the guard.
    Entry(SettingsChange),
    /// The person's own rule with an exception, which the person writes.
    Rule(Exception),
}

/// Why there is no such thing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoRemedy {
    /// It would pass.
    #[error("the guard lets this call pass now")]
    Passes,
    /// A hook decides by itself.
    #[error("no rule stopped this call, but a hook, which is changed in its own file")]
    Hook,
    /// No entry can be written.
    #[error(transparent)]
    NoEntry(#[from] Unanswerable),
    /// The rule cannot have an exception.
    #[error(transparent)]
    NoException(#[from] NoException),
}

impl FalseAlarm {
    /// What lets the call pass under these settings. It reads files.
    pub fn remedy(
        &self,
        settings: &Settings,
        builtins: &Builtins,
        locations: &Locations,
    ) -> Result<Remedy, NoRemedy> {
        match self.rule.as_deref() {
            None => Err(NoRemedy::Hook),
            // What it finds is not recorded.
            Some(SECRET_WRITING) => Err(Unanswerable::Secret.into()),
            Some(rule) if is_the_guards(rule) => {
                let case = self.case(settings, builtins, locations);
                let preview = case.preview(Extent::Always).map_err(no_entry)?;
                preview.change.map(Remedy::Entry).ok_or(NoRemedy::Passes)
            }
            Some(rule) => {
                let analyst = builtins.guards.shared_analyst();
                Ok(Remedy::Rule(exception(
                    rule,
                    &self.call(),
                    settings,
                    analyst,
                )?))
            }
        }
    }

    /// Writes the entry that silences the guard. Whoever asks for that has to be a person.
    pub fn allow(
        &self,
        settings: &Settings,
        builtins: &Builtins,
        locations: &Locations,
    ) -> Result<(), NoRemedy> {
        let case = self.case(settings, builtins, locations);
        case.keep(Extent::Always).map_err(no_entry)
    }

    fn call(&self) -> HookInput {
        let call = HookInput::pre_tool_use(&*self.session, &*self.tool, self.input.clone());
        call.with_field("cwd", self.project.to_string_lossy())
    }

    fn case(&self, settings: &Settings, builtins: &Builtins, locations: &Locations) -> Case {
        let ctx = HookContext::new(&*self.session).with_cwd(&self.project);
        Case {
            call: call_of(&self.tool, Some(&self.input)),
            input: self.call(),
            ctx: ctx.with_agent(&*self.agent),
            guards: Arc::clone(&builtins.guards),
            keeping: Arc::new(Keeping::of(settings, locations)),
        }
    }
}

/// A call of the past is not asked about: where the guard says nothing to it, it passes.
fn no_entry(why: Unanswerable) -> NoRemedy {
    match why {
        Unanswerable::NoSilence(NoSilence::NotTheGuard) => NoRemedy::Passes,
        why => why.into(),
    }
}

fn is_the_guards(rule: &str) -> bool {
    rules::rules().iter().any(|it| it.id == rule)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bowline::settings;
    use serde_json::json;

    use super::*;
    use crate::SharedState;
    use crate::machine::Machine;

    const OWN: &str = "[[rule]]\nid = \"no-make\"\ncommand = \"make *\"\nverdict = \"deny\"\n";

    struct Stage {
        _folder: tempfile::TempDir,
        project: PathBuf,
        locations: Locations,
    }

    impl Stage {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let project = root.join("project");
            fs::create_dir(&project).unwrap();
            let locations = Locations::under(&root);
            let global = locations.user_config.clone().unwrap();
            fs::create_dir_all(global.parent().unwrap()).unwrap();
            fs::write(global, OWN).unwrap();
            Self {
                _folder: folder,
                project,
                locations,
            }
        }

        fn alarm(&self, rule: Option<&str>, command: &str) -> FalseAlarm {
            FalseAlarm {
                agent: "claude-code".to_owned(),
                session: "s1".to_owned(),
                project: self.project.clone(),
                tool: "Bash".to_owned(),
                input: json!({"command": command, "description": "x"}),
                rule: rule.map(ToOwned::to_owned),
            }
        }

        /// What is found by the settings as they are now.
        fn judged<T>(&self, look: impl FnOnce(&Settings, &Builtins, &Locations) -> T) -> T {
            let settings = settings::load(&self.project, &self.locations);
            let machine = Machine::new(Some(self.project.clone()), Vec::new());
            let builtins = Builtins::new(&settings, &SharedState::new(machine));
            look(&settings, &builtins, &self.locations)
        }

        fn remedy(&self, alarm: &FalseAlarm) -> Result<Remedy, NoRemedy> {
            self.judged(|settings, builtins, locations| alarm.remedy(settings, builtins, locations))
        }
    }

    #[test]
    fn a_rule_of_the_guard_gets_an_entry_and_is_silent_then() {
        let stage = Stage::new();
        let alarm = stage.alarm(Some("infrastructure.apply"), "terraform apply");
        let Ok(Remedy::Entry(change)) = stage.remedy(&alarm) else {
            panic!("{:?}", stage.remedy(&alarm));
        };
        assert_eq!(
            change.lines.added.last().unwrap(),
            "commands = [\"terraform apply\"]"
        );
        assert!(!change.file.exists(), "it is only shown");
        stage
            .judged(|settings, builtins, locations| alarm.allow(settings, builtins, locations))
            .unwrap();
        let written = fs::read_to_string(&change.file).unwrap();
        assert_eq!(written.lines().collect::<Vec<_>>(), change.lines.added);
        assert_eq!(stage.remedy(&alarm), Err(NoRemedy::Passes));
        // Another call is stopped as before.
        let other = stage.alarm(
            Some("infrastructure.apply"),
            "terraform apply -auto-approve",
        );
        assert!(matches!(stage.remedy(&other), Ok(Remedy::Entry(_))));
    }

    #[test]
    fn a_rule_of_ones_own_gets_an_exception() {
        let stage = Stage::new();
        let alarm = stage.alarm(Some("no-make"), "make install");
        let Ok(Remedy::Rule(rule)) = stage.remedy(&alarm) else {
            panic!("{:?}", stage.remedy(&alarm));
        };
        assert!(
            rule.text.contains("command != \"make install\""),
            "{}",
            rule.text
        );
        fs::write(&rule.file, &rule.text).unwrap();
        assert!(matches!(
            stage.remedy(&alarm),
            Err(NoRemedy::NoException(NoException::Silent(_)))
        ));
    }

    #[test]
    fn where_nothing_can_be_done_it_is_said_why() {
        let stage = Stage::new();
        for (rule, command, why) in [
            (None, "ls", "a hook"),
            (
                Some("infrastructure.apply"),
                "ls",
                "lets this call pass now",
            ),
            (
                Some("self.command"),
                "bowline pause",
                "guards Bowline itself",
            ),
            (Some(SECRET_WRITING), "ls", "holds a secret"),
            (
                Some("infrastructure.apply"),
                "terraform apply $X",
                "no entry is narrow enough",
            ),
            (Some("gone"), "make install", "no rule `gone`"),
            (Some("no-make"), "ls", "does not apply"),
        ] {
            let refused = stage.remedy(&stage.alarm(rule, command)).unwrap_err();
            assert!(refused.to_string().contains(why), "{rule:?}: {refused}");
        }
    }
}
