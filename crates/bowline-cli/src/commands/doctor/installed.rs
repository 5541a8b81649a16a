//! Whether agents' settings lead to Bowline.

use std::path::{Path, PathBuf};

use bowline::hooks::HookEvent;
use bowline::settings::{Action, HookStatus, Locations, Settings};
use bowline_agents::claude_code::{ClientVersion, Feature};
use bowline_daemon::registration::starts_bowline;

use super::check::Check;
use super::copy;
use crate::agent_settings::client::{self, Installation};
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::refusals::{Refusal, refusals};
use crate::agent_settings::{Entry, Found, InstallScope, Installable, Shadowed, places, program};
use crate::project::{self, Paths};
use crate::ui::counted;

/// The agent whose settings are looked at.
const AGENT: Installable = Installable::CLAUDE_CODE;
const AGAIN: &str = "run `bowline init` again";
const AGAIN_IN_EACH_SCOPE: &str =
    "run `bowline init` again; for a project's file with `--scope project` or `--scope local`";

/// Every settings file of the agent that names Bowline or cannot be read.
#[derive(Debug)]
pub(super) struct Installed {
    places: Vec<AgentFile>,
    paths: Paths,
    /// The agent that reads them.
    client: Installation,
}

#[derive(Debug)]
struct AgentFile {
    scope: InstallScope,
    file: PathBuf,
    /// The entries that were found, or why they could not be read.
    found: Result<Vec<Found>, String>,
    /// What keeps the agent from reading it.
    refusals: Vec<Refusal>,
    /// The entries that the agent does not read.
    shadowed: Vec<Shadowed>,
}

impl Installed {
    pub(super) fn find(project: &Path, locations: &Locations) -> Self {
        let mut places: Vec<AgentFile> = Vec::new();
        for scope in InstallScope::ALL {
            let Some(file) = AGENT.file(scope, project, locations) else {
                continue;
            };
            if places.iter().any(|place| place.file == file) {
                continue;
            }
            let text = SettingsText::read(&file).map(|it| it.text);
            let found = match &text {
                Ok(text) => AGENT.found(text).map_err(|unfit| unfit.to_string()),
                Err(error) => Err(error.to_string()),
            };
            let text = text.unwrap_or_default();
            places.push(AgentFile {
                scope,
                file,
                found,
                refusals: refusals(&text),
                shadowed: shadowed_in(&text),
            });
        }
        Self {
            places,
            paths: Paths::of(project),
            client: client::installed(locations),
        }
    }

    fn entries(&self) -> impl Iterator<Item = (&AgentFile, &Found)> {
        let found = |place| AgentFile::found(place).iter().map(move |it| (place, it));
        self.places.iter().flat_map(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries().next().is_none()
    }

    /// The commands to try out. A project's entry gives way to the user's, so that it has nothing to say then.
    pub(super) fn canaries(&self) -> Vec<(InstallScope, &Entry)> {
        let gates = self
            .entries()
            .filter(|(_, found)| found.entry.event == "PreToolUse");
        let mut gates: Vec<_> = gates
            .map(|(place, found)| (place.scope, &found.entry))
            .collect();
        if gates.iter().any(|(scope, _)| *scope == InstallScope::User) {
            gates.retain(|(scope, _)| *scope == InstallScope::User);
        }
        gates
    }

    /// The `bowline` of every installed hook; of this program's own where only its name is installed.
    pub(super) fn belonging(&self) -> Vec<PathBuf> {
        let named = self.programs();
        let own = program::find().ok().filter(|_| named.is_empty());
        let hooks = named.into_iter().map(PathBuf::from).chain(own);
        let mut programs: Vec<_> = hooks.filter_map(|hook| copy::beside(&hook)).collect();
        programs.dedup();
        programs
    }

    pub(super) fn checks(&self, settings: &Settings, locations: &Locations) -> Vec<Check> {
        let mut checks = Vec::new();
        for place in &self.places {
            checks.extend(self.check_file(place));
        }
        if self.is_empty() {
            checks.push(
                Check::new("installed")
                    .problem("Claude Code's settings do not name Bowline")
                    .advice("run `bowline init`"),
            );
        } else {
            checks.push(self.check_client());
            checks.push(switched_off(settings));
            checks.push(self.check_programs());
            checks.extend(self.check_folders(&places::now(locations)));
        }
        checks
    }

    /// One file: whether the agent reads it, and which events are registered in it.
    fn check_file(&self, place: &AgentFile) -> Option<Check> {
        let file = self.paths.show_absolute(&place.file);
        let check = Check::new(format!("installed ({})", place.scope.as_str()));
        let found = match &place.found {
            Ok(found) => found,
            Err(reason) => {
                return Some(
                    check
                        .problem(format!("{file} cannot be used: {reason}"))
                        .advice(format!("repair it; `bowline check {file}` tells more")),
                );
            }
        };
        if found.is_empty() && place.shadowed.is_empty() {
            return None;
        }
        if !place.shadowed.is_empty() {
            return Some(shadowed(check, &file, place));
        }
        if !place.refusals.is_empty() {
            return Some(
                check
                    .problem(format!(
                        "{file} has comments or trailing commas: Claude Code refuses the whole file"
                    ))
                    .details(place.refusals.iter().map(Refusal::told))
                    .advice("remove them"),
            );
        }
        let has = |event: &str| found.iter().any(|it| it.entry.event == event);
        // Events of newer clients may be missing, because not everybody has those clients.
        let oldest = ClientVersion::OLDEST_SUPPORTED;
        let needed = self
            .client
            .version()
            .map_or(oldest, |client| client.min(oldest));
        let missing: Vec<_> = AGENT
            .events(needed)
            .map(HookEvent::name)
            .filter(|event| !has(event))
            .collect();
        let narrowed: Vec<_> = found
            .iter()
            .filter_map(|it| {
                let matcher = it.matcher.as_deref()?;
                Some(format!("{} arrives only for `{matcher}`", it.entry.event))
            })
            .collect();
        Some(if !missing.is_empty() {
            check
                .warning(format!("{file} lacks {}", counted(missing.len(), "event")))
                .detail(missing.join(", "))
                .advice(AGAIN)
        } else if !narrowed.is_empty() {
            check
                .warning(format!("{file} names Bowline, but not for everything"))
                .details(narrowed)
                .advice("remove the matcher, unless that is meant")
        } else {
            check.ok(format!(
                "{file} names Bowline for {}",
                counted(found.len(), "event")
            ))
        })
    }

    /// Whether the agent knows what the settings say.
    fn check_client(&self) -> Check {
        let check = Check::new("client");
        let client = match &self.client {
            Installation::Known(client) => *client,
            Installation::NotFound => {
                return check
                    .ok("Claude Code is not on the PATH, so that its version is not known");
            }
            Installation::Unanswered(problem) => {
                return check
                    .warning(format!("Claude Code does not say its version: {problem}"))
                    .advice("see whether Claude Code works");
            }
        };
        let unknown: Vec<_> = self
            .entries()
            .flat_map(|(place, found)| {
                let file = self.paths.show_absolute(&place.file);
                let parts = unknown_parts(&found.entry, client).into_iter();
                parts.map(move |part| format!("{file}: {part}"))
            })
            .collect();
        if !unknown.is_empty() {
            return check
                .problem(format!(
                    "Claude Code {client} does not know all of Bowline's entries, and opens with a warning or ignores them"
                ))
                .details(unknown)
                .advice(AGAIN_IN_EACH_SCOPE);
        }
        let in_user_scope = |event: &HookEvent| {
            let mut entries = self.entries();
            entries.any(|(place, found)| {
                place.scope == InstallScope::User && found.entry.event == event.name()
            })
        };
        let has_user_scope = self
            .entries()
            .any(|(place, _)| place.scope == InstallScope::User);
        let more: Vec<_> = AGENT
            .events(client)
            .filter(|event| has_user_scope && !in_user_scope(event))
            .map(HookEvent::name)
            .collect();
        let check = check.ok(format!(
            "Claude Code {client} knows all of Bowline's entries"
        ));
        if more.is_empty() {
            check
        } else {
            check.detail(format!("`bowline init` adds {}", more.join(", ")))
        }
    }

    /// The hooks that settings name by their paths.
    fn programs(&self) -> Vec<&str> {
        let mut programs: Vec<&str> = self
            .entries()
            .filter(|(_, found)| found.entry.args.is_some())
            .map(|(_, found)| found.entry.command.as_str())
            .collect();
        programs.sort_unstable();
        programs.dedup();
        programs
    }

    /// Whether the folders that `init` wrote into the entries are still the person's.
    fn check_folders(&self, now: &[String]) -> Option<Check> {
        let mut written = self.entries().filter_map(|(_, found)| {
            let written = places::in_arguments(found.entry.args.as_deref()?);
            (written != now).then_some(written)
        });
        let by_path = !self.programs().is_empty();
        let check = by_path.then(|| Check::new("folders"))?;
        let Some(written) = written.next() else {
            return Some(check.ok("the hook looks where this shell does"));
        };
        let only_in = |these: &[String], others: &[String]| -> Vec<String> {
            let alone = these.iter().filter(|it| !others.contains(it));
            alone.cloned().collect()
        };
        let in_the_entries = only_in(&written, now).into_iter();
        let in_this_shell = only_in(now, &written).into_iter();
        Some(
            check
                .warning("the hook looks for settings and records in other folders than this shell")
                .details(in_the_entries.map(|it| format!("in the agent's settings: {it}")))
                .details(in_this_shell.map(|it| format!("in this shell: {it}")))
                .advice(format!(
                    "{AGAIN} from a shell whose folders are right, or set the variables as in the agent's settings"
                )),
        )
    }

    /// Whether what the settings name is there.
    fn check_programs(&self) -> Check {
        let check = Check::new("program");
        // Where the user's settings have an absolute path, the project's entries have nothing to do.
        let only_by_name = self.entries().all(|(_, found)| found.entry.args.is_none());
        if only_by_name && !program::is_on_path() {
            return check
                .problem(
                    "bowline-hook is not on the PATH, so that the project's entries do nothing",
                )
                .advice(
                    "put it on the PATH of the agent, or run `bowline init` for the user scope",
                );
        }
        let programs = self.programs();
        if let Some(gone) = programs
            .iter()
            .find(|path| !program::is_executable(Path::new(path)))
        {
            return check
                .problem(format!("{gone} is not there or not executable"))
                .advice(AGAIN);
        }
        let ours = program::find().ok();
        let same = |path: &str| {
            let ours = ours.as_ref().and_then(|it| it.canonicalize().ok());
            ours.is_none() || Path::new(path).canonicalize().ok() == ours
        };
        match programs.iter().find(|path| !same(path)) {
            Some(other) => check
                .warning(format!(
                    "{other} is not the one that belongs to this program"
                ))
                .detail(format!(
                    "this program's: {}",
                    ours.as_deref().map(project::shown).unwrap_or_default()
                ))
                .advice(format!("{AGAIN}, or remove the one that is not used")),
            None => check.ok("bowline-hook is there and can be run"),
        }
    }
}

impl AgentFile {
    fn found(&self) -> &[Found] {
        self.found.as_deref().unwrap_or_default()
    }
}

/// The entries of a file with Bowline in it that the agent does not read.
fn shadowed_in(text: &str) -> Vec<Shadowed> {
    let names_bowline = AGENT.uninstall(text).is_ok_and(|without| without != text);
    if names_bowline {
        AGENT.shadowed(text).unwrap_or_default()
    } else {
        Vec::new()
    }
}

/// A file in which a key comes twice.
fn shadowed(check: Check, file: &str, place: &AgentFile) -> Check {
    let told = place.shadowed.iter().map(Shadowed::told);
    let advice = "join what is under the key, and keep one of them; then run `bowline init` again";
    if place.found().is_empty() {
        check.problem(format!(
            "{file} has a key twice, and does not name Bowline where Claude Code reads it"
        ))
    } else {
        check.warning(format!(
            "{file} names Bowline, but has a key twice: Claude Code reads only the last"
        ))
    }
    .details(told)
    .advice(advice)
}

/// The parts of an entry that a client of this version does not know.
fn unknown_parts(entry: &Entry, client: ClientVersion) -> Vec<String> {
    let event = HookEvent::from_name(&entry.event);
    let is_new = event.is_some_and(|event| !client.has_event(event));
    let has_args = entry.args.is_some() && !client.knows(Feature::Args);
    let blocks = entry.blocks_on_failure && !client.knows(Feature::OnFailure);
    let event = &entry.event;
    [
        (is_new, format!("the event {event}")),
        (has_args, format!("`args` of {event}")),
        (blocks, format!("`onFailure` of {event}")),
    ]
    .into_iter()
    .filter_map(|(is_unknown, part)| is_unknown.then_some(part))
    .collect()
}

/// Whether the agent runs the entries at all.
fn switched_off(settings: &Settings) -> Check {
    let check = Check::new("in force");
    let reason = settings.hooks.iter().find_map(|hook| {
        let Action::Command(action) = &hook.definition.action else {
            return None;
        };
        match &hook.status {
            HookStatus::Disabled { by }
                if starts_bowline(&action.command, action.args.as_deref()) =>
            {
                Some(by)
            }
            _ => None,
        }
    });
    match reason {
        Some(by) => check
            .problem(format!("Claude Code does not run Bowline: {by}"))
            .advice("change that setting, or ask whoever manages this machine"),
        None => check.ok("nothing switches Bowline off"),
    }
}
