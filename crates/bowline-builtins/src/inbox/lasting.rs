//! Permissions that outlast one call: for its session, and for good. Both only take the guard's voice away; neither is a grant.

use std::path::PathBuf;
use std::sync::Arc;

use bowline::hooks::{HookContext, HookInput};
use bowline::settings::{
    AllowanceStore, AllowedCall, Lasts, LocalFile, Locations, Reach, Settings, TrustStore, Wish,
};
use bowline_guard::secrets::redact;
use serde::{Deserialize, Serialize};

use super::edit::{ChangedLines, with_entry};
use super::{Extent, Unanswerable};
use crate::guard::{AllowEntry, Guards, Silence};

/// What is written where a permission outlasts its call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Preview {
    /// How far the permission reaches.
    pub extent: Extent,
    /// For the session: the rules that say nothing to exactly this call any more.
    pub rules: Vec<String>,
    /// For good: what changes in the project's settings.
    pub change: Option<SettingsChange>,
}

/// A change of a project's own settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SettingsChange {
    /// The file.
    pub file: PathBuf,
    /// What is added.
    pub entry: AllowEntry,
    /// The lines of the file that change; none if the entry is there already.
    pub lines: ChangedLines,
}

/// Where the permissions of a project are kept.
#[derive(Debug)]
pub(crate) struct Keeping {
    root: PathBuf,
    locations: Locations,
    /// Why nothing can be allowed on this machine.
    locked: Option<String>,
}

impl Keeping {
    pub(crate) fn of(settings: &Settings, locations: &Locations) -> Self {
        Self {
            root: settings.bowline_root.clone(),
            locations: locations.clone(),
            locked: settings.config.allow_locked.clone(),
        }
    }
}

/// A call that waits for a person, to the letter. It may hold secrets, so it never leaves this process.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) call: AllowedCall,
    pub(crate) input: HookInput,
    pub(crate) ctx: HookContext,
    pub(crate) guards: Arc<Guards>,
    pub(crate) keeping: Arc<Keeping>,
}

/// The change of the settings, ready to be made.
struct Planned {
    trust: TrustStore,
    before: LocalFile,
    after: String,
    change: SettingsChange,
}

impl Case {
    /// What a permission would write.
    pub(crate) fn preview(&self, extent: Extent) -> Result<Preview, Unanswerable> {
        let mut preview = Preview {
            extent,
            ..Preview::default()
        };
        match extent {
            Extent::Once => {}
            Extent::Session => preview.rules = self.rules()?,
            Extent::Always => preview.change = Some(self.planned()?.change),
        }
        Ok(preview)
    }

    /// Writes what a permission is kept as.
    pub(crate) fn keep(&self, extent: Extent) -> Result<(), Unanswerable> {
        match extent {
            Extent::Once => Ok(()),
            Extent::Session => self.keep_for_session(),
            Extent::Always => {
                let mut planned = self.planned()?;
                if planned.before.text.as_ref() == Some(&planned.after) {
                    return Ok(());
                }
                let root = &self.keeping.root;
                let amended = planned.trust.amend(root, &planned.before, &planned.after);
                amended.map_err(not_kept)
            }
        }
    }

    fn keep_for_session(&self) -> Result<(), Unanswerable> {
        let mut store = AllowanceStore::open(&self.keeping.locations);
        for rule in self.rules()? {
            let wish = Wish {
                rule,
                call: Some(self.call.clone()),
                reach: Reach::Session(self.input.session_id.clone()),
                lasts: Lasts::Always,
            };
            store.add(wish).map_err(not_kept)?;
        }
        Ok(())
    }

    fn rules(&self) -> Result<Vec<String>, Unanswerable> {
        self.may_be_kept()?;
        Ok(Silence::on(&self.guards, &self.input, &self.ctx).rules()?)
    }

    fn planned(&self) -> Result<Planned, Unanswerable> {
        self.may_be_kept()?;
        let entry = Silence::on(&self.guards, &self.input, &self.ctx).entry()?;
        let trust = TrustStore::open(&self.keeping.locations).map_err(not_kept)?;
        let before = trust.local_file(&self.keeping.root).map_err(not_kept)?;
        let text = before.text.as_deref().unwrap_or_default();
        let after = with_entry(text, &entry).map_err(|why| {
            Unanswerable::NotKept(format!("{} was not changed: {why}", before.path.display()))
        })?;
        let change = SettingsChange {
            file: before.path.clone(),
            lines: ChangedLines::between(text, &after),
            entry,
        };
        Ok(Planned {
            trust,
            before,
            after,
            change,
        })
    }

    /// Refuses what must not be written down, and what would have no effect.
    fn may_be_kept(&self) -> Result<(), Unanswerable> {
        if redact(&self.call.what) != self.call.what {
            return Err(Unanswerable::Secret);
        }
        match &self.keeping.locked {
            Some(why) => Err(Unanswerable::Locked(why.clone())),
            None => Ok(()),
        }
    }
}

fn not_kept(error: bowline::Error) -> Unanswerable {
    Unanswerable::NotKept(error.to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use std::fs;
    use std::path::Path;

    use bowline::settings::{GuardConfig, TrustState};
    use bowline_guard::sensitive::SensitivePolicy;
    use serde_json::json;

    use super::*;
    use crate::analyst::Analyst;
    use crate::guard::{Policies, call_of};
    use crate::machine::Machine;

    /// A command that waits in a project that nobody has.
    pub(in crate::inbox) fn case(command: &str) -> Case {
        case_in(Path::new("/nowhere"), command)
    }

    /// The same in the project below a folder, where the data is kept, too.
    pub(in crate::inbox) fn case_in(root: &Path, command: &str) -> Case {
        let project = root.join("project");
        let input = HookInput::pre_tool_use("s1", "Bash", json!({ "command": command }));
        let input = input.with_field("cwd", project.to_str().unwrap());
        let machine = Arc::new(Machine::new(Some(root.to_owned()), Vec::new()));
        let analyst = Analyst::new(machine, project.clone(), SensitivePolicy::default());
        let policies = Policies::new(GuardConfig::default());
        Case {
            call: call_of("Bash", input.tool_input()),
            input,
            ctx: HookContext::new("s1"),
            guards: Arc::new(Guards::new(Arc::new(analyst), policies, Arc::default())),
            keeping: Arc::new(Keeping {
                root: project,
                locations: Locations::under(root),
                locked: None,
            }),
        }
    }

    fn sandbox() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        fs::create_dir(path.join("project")).unwrap();
        (root, path)
    }

    #[test]
    fn what_is_kept_is_what_was_shown() {
        let (_root, root) = sandbox();
        let case = case_in(&root, "terraform apply");
        let file = root.join("project/bowline.local.toml");
        assert_eq!(case.preview(Extent::Once).unwrap().rules.len(), 0);
        let shown = case.preview(Extent::Session).unwrap();
        case.keep(Extent::Session).unwrap();
        let store = AllowanceStore::open(&Locations::under(&root));
        let kept: Vec<&Wish> = store.entries().iter().map(|it| &it.wish).collect();
        let rules: Vec<&String> = kept.iter().map(|it| &it.rule).collect();
        assert_eq!(rules, shown.rules.iter().collect::<Vec<_>>());
        for wish in kept {
            assert_eq!(wish.call, Some(case.call.clone()));
            assert_eq!(wish.reach, Reach::Session("s1".to_owned()));
        }
        assert!(!file.exists());

        let change = case.preview(Extent::Always).unwrap().change.unwrap();
        assert_eq!((&change.file, change.lines.line), (&file, 1));
        assert!(!file.exists(), "it was only shown");
        case.keep(Extent::Always).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        assert_eq!(text, "[guard.allow]\ncommands = [\"terraform apply\"]\n");
        assert_eq!(text.lines().collect::<Vec<_>>(), change.lines.added);
        let trust = TrustStore::open(&Locations::under(&root)).unwrap();
        assert_eq!(trust.state(&root.join("project")), TrustState::Trusted);
        // The same again changes nothing.
        case.keep(Extent::Always).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }

    #[test]
    fn what_must_not_be_written_down_is_refused() {
        let (_root, root) = sandbox();
        let secret = "terraform apply -var token=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
        let mut locked = case_in(&root, "terraform apply");
        locked.keeping = Arc::new(Keeping {
            root: root.join("project"),
            locations: Locations::under(&root),
            locked: Some("the administrator says so".to_owned()),
        });
        for (case, why) in [
            (case_in(&root, secret), "holds a secret"),
            (locked, "the administrator says so"),
            (case_in(&root, "bowline pause"), "guards Bowline itself"),
            (case_in(&root, "ls"), "no rule of the guard"),
        ] {
            for extent in [Extent::Session, Extent::Always] {
                let shown = case.preview(extent).unwrap_err();
                assert!(shown.to_string().contains(why), "{shown}");
                assert_eq!(case.keep(extent), Err(shown));
            }
            assert_eq!(case.keep(Extent::Once), Ok(()));
        }
        // What nobody trusted would be trusted along with it.
        fs::write(root.join("project/bowline.toml"), "dedupe = true\n").unwrap();
        let refused = case_in(&root, "terraform apply").keep(Extent::Always);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("`bowline trust` first"), "{refused}");
        assert!(!root.join("project/bowline.local.toml").exists());
        assert!(!root.join("allowed.json").exists());
    }
}
