//! Whether agents' settings lead to Bowline.

use std::path::{Path, PathBuf};

use bowline::settings::{Locations, Settings};
use bowline_daemon::registration::program_path;

use super::abilities;
use super::canary::Canary;
use super::check::{Check, Status};
use super::{copy, waiting};
use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::client::{self, Installation};
use crate::agent_settings::effort_skill::{EffortSkill, SkillState};
use crate::agent_settings::entry_file::entry_files;
use crate::agent_settings::file::SettingsText;
use crate::agent_settings::installable::FileKind;
use crate::agent_settings::refusals::Refusal;
use crate::agent_settings::shell_words::words;
use crate::agent_settings::trust::Standing;
use crate::agent_settings::{Entry, Found, InstallScope, Installable, Shadowed, places, program};
use crate::commands::installing::more_by_check;
use crate::project::{self, Paths};
use crate::ui::counted;

const AGAIN: &str = "run `bowline init` again";
pub(super) const AGAIN_IN_EACH_SCOPE: &str =
    "run `bowline init` again; for a project's file with `--scope project` or `--scope local`";

/// Every settings file of the agent that names Bowline or cannot be read.
#[derive(Debug)]
pub(super) struct Installed {
    pub(super) agent: Installable,
    places: Vec<AgentFile>,
    pub(super) paths: Paths,
    /// The agent that reads them.
    client: Installation,
    /// The skills for efforts that are there.
    skills: Vec<EffortSkill>,
}

#[derive(Debug)]
pub(super) struct AgentFile {
    scope: InstallScope,
    pub(super) file: PathBuf,
    /// The entries that were found, or why they could not be read.
    found: Result<Vec<Found>, String>,
    /// What keeps the agent from reading it.
    refusals: Vec<Refusal>,
    /// The entries that the agent does not read.
    shadowed: Vec<Shadowed>,
    /// The files of entries that nobody may run.
    unstartable: Vec<String>,
    /// What other files keep the entries from.
    limits: Vec<String>,
    /// Whether the agent runs the entries, where it wants to trust them first; or why that cannot be known.
    standing: Option<Result<Standing, String>>,
}

impl Installed {
    pub(super) fn find(agent: Installable, surroundings: &Surroundings) -> Self {
        let mut places: Vec<AgentFile> = Vec::new();
        for scope in InstallScope::ALL {
            let Some(file) = surroundings.file(&agent, scope) else {
                continue;
            };
            if places.iter().all(|place| place.file != file) {
                let mut place = AgentFile::read(&agent, scope, file);
                place.ask_standing(&agent, surroundings);
                places.push(place);
            }
        }
        Self {
            places,
            paths: Paths::of(&surroundings.project),
            skills: skills(&agent, surroundings),
            client: client::installed(&agent, &surroundings.locations),
            agent,
        }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&AgentFile, &Found)> {
        let found = |place| AgentFile::found(place).iter().map(move |it| (place, it));
        self.places.iter().flat_map(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries().next().is_none()
    }

    /// The entries to try out. A project's entry gives way to the user's, so that it has nothing to say then.
    pub(super) fn canaries<'a>(&'a self, project: &'a Path) -> Vec<Canary<'a>> {
        let event = self.agent.registration.canary.event;
        let gates = self.entries().filter(|(_, it)| it.entry.event == event);
        let mut gates: Vec<_> = gates
            .map(|(place, found)| Canary {
                agent: &self.agent,
                scope: place.scope,
                entry: &found.entry,
                project,
            })
            .collect();
        if gates.iter().any(|it| it.scope == InstallScope::User) {
            gates.retain(|it| it.scope == InstallScope::User);
        }
        gates
    }

    pub(super) fn checks(&self, settings: &Settings, locations: &Locations) -> Vec<Check> {
        let mut checks = Vec::new();
        for place in &self.places {
            checks.extend(self.check_file(place));
            checks.extend(self.check_trust(place));
        }
        if !self.is_empty() {
            checks.push(self.check_client());
            checks.extend(abilities::check(&self.agent));
            checks.push(self.check_in_force(settings));
            checks.extend(waiting::check(self, settings.config.approvals.wait));
            checks.push(self.check_programs());
            checks.extend(self.check_folders(&places::now(locations)));
            checks.extend(self.check_skills());
        }
        checks
    }

    /// Where no settings of the agent name Bowline, that this is as bad as `status` says.
    pub(super) fn check_missing(&self, status: Status) -> Option<Check> {
        let check = self.is_empty().then(|| Check::new("installed"))?;
        let message = format!("{}'s settings do not name Bowline", self.agent.title());
        Some(check.found(status, message).advice("run `bowline init`"))
    }

    /// One file: whether the agent reads it, and which events are registered in it.
    fn check_file(&self, place: &AgentFile) -> Option<Check> {
        let file = self.paths.show_absolute(&place.file);
        let check = Check::new(format!("installed ({})", place.scope.as_str()));
        let found = match &place.found {
            Ok(found) => found,
            Err(reason) => {
                let advice = match self.agent.form.kind {
                    FileKind::Settings => format!("repair it{}", more_by_check(&self.agent, &file)),
                    FileKind::Own | FileKind::Scripts { .. } => {
                        format!("remove it or give it another name, then {AGAIN}")
                    }
                };
                return Some(
                    check
                        .problem(format!("{file} cannot be used: {reason}"))
                        .advice(advice),
                );
            }
        };
        if found.is_empty() && place.shadowed.is_empty() {
            return None;
        }
        if !place.shadowed.is_empty() {
            return Some(self.check_shadowed(check, &file, place));
        }
        if !place.refusals.is_empty() {
            return Some(
                check
                    .problem(format!(
                        "{} runs no hooks of {file}, because of what is in it",
                        self.agent.title()
                    ))
                    .details(place.refusals.iter().map(Refusal::told))
                    .advice(format!("repair it{}", more_by_check(&self.agent, &file))),
            );
        }
        if !place.unstartable.is_empty() {
            let names = place.unstartable.join(" ");
            return Some(
                check
                    .problem(format!(
                        "{} of {file} cannot be started, and {} runs what it asks about",
                        counted(place.unstartable.len(), "script"),
                        self.agent.title()
                    ))
                    .detail(place.unstartable.join(", "))
                    .advice(format!("(cd {file} && chmod u+x {names})")),
            );
        }
        let has = |event: &str| found.iter().any(|it| it.entry.event == event);
        // Events of newer clients may be missing, because not everybody has those clients.
        let oldest = self.agent.registration.client.oldest;
        let needed = self
            .client
            .version()
            .map_or(oldest, |client| client.min(oldest));
        let events = self.agent.events(needed);
        let missing: Vec<_> = events.filter(|event| !has(event)).collect();
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
        } else if !place.limits.is_empty() {
            check
                .warning(format!("{file} names Bowline beside scripts of others"))
                .details(place.limits.clone())
                .advice(format!(
                    "run `bowline uninstall --agent {}`, give those scripts an ending, and {AGAIN}",
                    self.agent.name()
                ))
        } else {
            check.ok(format!(
                "{file} names Bowline for {}",
                counted(found.len(), "event")
            ))
        })
    }

    /// Whether the agent trusts the entries of a file.
    fn check_trust(&self, place: &AgentFile) -> Option<Check> {
        let title = self.agent.title();
        let scope = place.scope.as_str();
        let check = Check::new(format!("trusted ({scope})"));
        let by_hand = self.agent.trusted_by_hand(place.scope).unwrap_or_default();
        Some(match place.standing.as_ref()? {
            Ok(standing) if standing.is_complete() => check.ok(format!(
                "{title} trusts {} of Bowline's",
                counted(standing.trusted.len(), "hook")
            )),
            Ok(standing) => {
                let again = match place.scope {
                    InstallScope::User => AGAIN.to_owned(),
                    _ => format!("run `bowline init --scope {scope}` again"),
                };
                check
                    .problem(format!("{title} does not run all of Bowline's entries"))
                    .details(standing.told())
                    .advice(format!("{again}, or {by_hand}"))
            }
            Err(problem) => check
                .warning(format!(
                    "nobody knows whether {title} runs Bowline's entries: {problem}"
                ))
                .advice(by_hand),
        })
    }

    /// Whether the agent knows what the settings say.
    fn check_client(&self) -> Check {
        let check = Check::new("client");
        let title = self.agent.title();
        let client = match &self.client {
            Installation::Known(client) => *client,
            Installation::NotFound => {
                return check.ok(format!(
                    "{title} is not on the PATH, so that its version is not known"
                ));
            }
            Installation::Unanswered(problem) => {
                return check
                    .warning(format!("{title} does not say its version: {problem}"))
                    .advice(format!("see whether {title} works"));
            }
        };
        let unknown: Vec<_> = self
            .entries()
            .flat_map(|(place, found)| {
                let file = self.paths.show_absolute(&place.file);
                let parts = self.agent.unknown_parts(&found.entry, client).into_iter();
                parts.map(move |part| format!("{file}: {part}"))
            })
            .collect();
        if !unknown.is_empty() {
            return check
                .problem(format!(
                    "{title} {client} does not know all of Bowline's entries, and opens with a warning or ignores them"
                ))
                .details(unknown)
                .advice(AGAIN_IN_EACH_SCOPE);
        }
        let oldest = self.agent.registration.client.oldest;
        if client < oldest {
            return check
                .warning(format!(
                    "{title} {client} is older than {oldest}, the oldest that Bowline was tried with: nothing is known about what it \
                     enforces"
                ))
                .advice(format!("update {title}"));
        }
        let in_user_scope = |event: &str| {
            let mut entries = self.entries();
            entries.any(|(place, found)| {
                place.scope == InstallScope::User && found.entry.event == event
            })
        };
        let has_user_scope = self
            .entries()
            .any(|(place, _)| place.scope == InstallScope::User);
        let more: Vec<_> = (self.agent.events(client))
            .filter(|event| has_user_scope && !in_user_scope(event))
            .collect();
        let check = check.ok(format!("{title} {client} knows all of Bowline's entries"));
        if more.is_empty() {
            check
        } else {
            check.detail(format!("`bowline init` adds {}", more.join(", ")))
        }
    }

    /// The hooks that settings name by their paths.
    fn programs(&self) -> Vec<PathBuf> {
        let mut programs: Vec<_> = self
            .entries()
            .filter_map(|(_, found)| {
                program_path(&found.entry.command, found.entry.args.as_deref())
            })
            .collect();
        programs.sort_unstable();
        programs.dedup();
        programs
    }

    /// Whether the folders that `init` wrote into the entries are still the person's.
    fn check_folders(&self, now: &[String]) -> Option<Check> {
        let mut written = self
            .entries()
            .filter_map(|(_, found)| places_in(&found.entry))
            .peekable();
        written.peek()?;
        let check = Check::new("folders");
        let Some(written) = written.find(|it| it != now) else {
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
        let programs = self.programs();
        if programs.is_empty() && !program::is_on_path() {
            return check
                .problem(
                    "bowline-hook is not on the PATH, so that the project's entries do nothing",
                )
                .advice(
                    "put it on the PATH of the agent, or run `bowline init` for the user scope",
                );
        }
        if let Some(gone) = programs.iter().find(|path| !program::is_executable(path)) {
            let gone = gone.display();
            return check
                .problem(format!("{gone} is not there or not executable"))
                .advice(AGAIN);
        }
        let ours = program::find().ok();
        let same = |path: &Path| {
            let ours = ours.as_ref().and_then(|it| it.canonicalize().ok());
            ours.is_none() || path.canonicalize().ok() == ours
        };
        match programs.iter().find(|path| !same(path)) {
            Some(other) => check
                .warning(format!(
                    "{} is not the one that belongs to this program",
                    other.display()
                ))
                .detail(format!(
                    "this program's: {}",
                    ours.as_deref().map(project::shown).unwrap_or_default()
                ))
                .advice(format!("{AGAIN}, or remove the one that is not used")),
            None => check.ok("bowline-hook is there and can be run"),
        }
    }

    /// A file in which a key comes twice.
    fn check_shadowed(&self, check: Check, file: &str, place: &AgentFile) -> Check {
        let title = self.agent.title();
        let told = place.shadowed.iter().map(Shadowed::told);
        let advice =
            "join what is under the key, and keep one of them; then run `bowline init` again";
        if place.found().is_empty() {
            check.problem(format!(
                "{file} has a key twice, and does not name Bowline where {title} reads it"
            ))
        } else {
            check.warning(format!(
                "{file} names Bowline, but has a key twice: {title} reads only the last"
            ))
        }
        .details(told)
        .advice(advice)
    }

    /// Whether the agent knows how to use efforts. It need not.
    fn check_skills(&self) -> Option<Check> {
        self.agent.skills?;
        let check = Check::new("efforts");
        if self.skills.is_empty() {
            return Some(check.ok(
                "the skill for efforts is not installed; `bowline init --with-efforts` installs it",
            ));
        }
        let shown = |skill: &EffortSkill| self.paths.show_absolute(&skill.file);
        let outdated = |skill: &&EffortSkill| skill.state == SkillState::Outdated;
        if let Some(skill) = self.skills.iter().find(outdated) {
            return Some(
                check
                    .warning(format!("{} is of another version", shown(skill)))
                    .advice("run `bowline init --with-efforts` in the scope of that file"),
            );
        }
        let told = |skill: &EffortSkill| match skill.state {
            SkillState::Changed => format!("{} is not as Bowline wrote it", shown(skill)),
            _ => format!("{} is up to date", shown(skill)),
        };
        let told: Vec<String> = self.skills.iter().map(told).collect();
        Some(check.ok(told.join("; ")))
    }

    /// Whether the agent runs the entries at all.
    fn check_in_force(&self, settings: &Settings) -> Check {
        let check = Check::new("in force");
        let with_entries = || self.places.iter().filter(|it| !it.found().is_empty());
        if with_entries().all(|it| !it.refusals.is_empty()) {
            let files = with_entries().map(|it| self.paths.show_absolute(&it.file));
            let files: Vec<String> = files.collect();
            return check
                .problem(format!(
                    "{} does not run Bowline: it refuses {}",
                    self.agent.title(),
                    files.join(", ")
                ))
                .advice("repair what is told above");
        }
        match (self.agent.entries_off)(settings) {
            Some(by) => check
                .problem(format!("{} does not run Bowline: {by}", self.agent.title()))
                .advice("change that setting, or ask whoever manages this machine"),
            None => check.ok("nothing switches Bowline off"),
        }
    }
}

/// The folders that an entry of the user's settings names. Entries of a project name none.
fn places_in(entry: &Entry) -> Option<Vec<String>> {
    if let Some(args) = &entry.args {
        return Some(places::in_arguments(args));
    }
    program_path(&entry.command, None)?;
    Some(places::in_arguments(&words(&entry.command)?))
}

impl AgentFile {
    fn read(agent: &Installable, scope: InstallScope, path: PathBuf) -> Self {
        let mut place = Self {
            scope,
            file: path.clone(),
            found: Ok(Vec::new()),
            refusals: Vec::new(),
            shadowed: Vec::new(),
            unstartable: Vec::new(),
            limits: Vec::new(),
            standing: None,
        };
        for file in entry_files(agent, path) {
            let text = SettingsText::read(&file.path).map(|it| it.text);
            let found = match &text {
                Ok(text) => agent.found(text).map_err(|unfit| match file.name() {
                    Some(name) => format!("{name}, {unfit}"),
                    None => unfit.to_string(),
                }),
                Err(error) => Err(error.to_string()),
            };
            if found.as_ref().is_ok_and(|found| !found.is_empty()) {
                place.limits.extend(file.limit(agent));
                let cannot = file.name().filter(|_| !file.can_be_started());
                place.unstartable.extend(cannot);
            }
            let text = text.unwrap_or_default();
            match (&mut place.found, found) {
                (Ok(all), Ok(found)) => all.extend(found),
                (Ok(_), wrong) => place.found = wrong,
                (Err(_), _) => {}
            }
            place.refusals.extend((agent.refusals)(&text));
            place.shadowed.extend(shadowed_in(agent, &text));
        }
        place
    }

    /// Whether the agent runs the entries, where it wants to trust them first.
    fn ask_standing(&mut self, agent: &Installable, surroundings: &Surroundings) {
        // An agent that does not read the file lists none of them.
        let is_read = self.refusals.is_empty() && !self.found().is_empty();
        let is_asked = agent.trust_form().is_some() && is_read;
        let standing = is_asked.then(|| {
            let here = (surroundings.project.as_path(), &surroundings.locations);
            agent.standing(&self.file, self.found(), here)
        });
        self.standing = standing;
    }

    fn found(&self) -> &[Found] {
        self.found.as_deref().unwrap_or_default()
    }
}

/// The skills for efforts of every scope. One that cannot be read is none.
fn skills(agent: &Installable, surroundings: &Surroundings) -> Vec<EffortSkill> {
    let mut skills: Vec<EffortSkill> = Vec::new();
    for scope in InstallScope::ALL {
        let found = EffortSkill::find(agent, scope, surroundings).ok().flatten();
        let found = found.filter(|it| it.state != SkillState::Missing);
        skills.extend(found.filter(|it| skills.iter().all(|known| known.file != it.file)));
    }
    skills
}

/// The `bowline` of every installed hook; of this program's own where only its name is installed.
pub(super) fn belonging(installed: &[Installed]) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = installed.iter().flat_map(Installed::programs).collect();
    let own = program::find().ok().filter(|_| named.is_empty());
    let hooks = named.into_iter().chain(own);
    let mut programs: Vec<_> = hooks.filter_map(|hook| copy::beside(&hook)).collect();
    programs.dedup();
    programs
}

/// The entries of a file with Bowline in it that the agent does not read.
fn shadowed_in(agent: &Installable, text: &str) -> Vec<Shadowed> {
    let names_bowline = agent
        .uninstall(text, "")
        .is_ok_and(|without| without != text);
    if names_bowline {
        agent.shadowed(text).unwrap_or_default()
    } else {
        Vec::new()
    }
}
