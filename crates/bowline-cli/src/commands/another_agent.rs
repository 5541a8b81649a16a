//! An agent that only this file knows goes through `init`, `doctor` and `uninstall`: nothing in them is for one agent alone.
//!
//! It differs from the real ones wherever an agent may: its settings are lines of text, its events have names of their own, they have no
//! local settings and the second none of a project, and exit code 3 denies.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use bowline::settings::Locations;
use bowline_agents::registration::{
    Canary, CanaryAnswer, ClientProgram, EntryPart, SettingsFiles, UserFolder,
};
use bowline_agents::{Agent, ClientVersion, HookEvent, Registration, Support, generic};
use bowline_daemon::Places;
use bowline_daemon::registration::starts_bowline;
use clap::Args;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::doctor::{self, DoctorArgs};
use super::init::{self, InitArgs};
use super::uninstall::{self, UninstallArgs};
use crate::Outcome;
use crate::agent_settings::agents::Surroundings;
use crate::agent_settings::installable::{EventFilter, FileKind, SettingsForm};
use crate::agent_settings::{Entry, Found, Installable};
use crate::error::Result;
use crate::ui::Ui;

const fn agent(name: &'static str, title: &'static str) -> Agent {
    Agent {
        name,
        title,
        events: &[
            ("before-command", HookEvent::PreToolUse),
            ("after-command", HookEvent::PostToolUse),
            ("worktree", HookEvent::WorktreeCreate),
        ],
        marks: &[],
        last_resort: generic::AGENT.last_resort,
        support: Support::Full(generic::PROTOCOL),
    }
}

const fn registration(in_home: &'static str, project: Option<&'static str>) -> Registration {
    Registration {
        folder: UserFolder {
            variable: None,
            in_home,
        },
        files: SettingsFiles {
            user: "hooks.conf",
            project,
            local: None,
        },
        transcripts: &[],
        client: ClientProgram {
            name: "bowline-test-agent",
            in_folder: None,
            oldest: ClientVersion::new(1, 2, 0),
        },
        timeout: 10,
        long_timeout: 10,
        short_timeouts: &[],
        replacing: &[HookEvent::WorktreeCreate],
        has_event: |_, _| true,
        is_entered: |_| true,
        arguments: Some(EntryPart {
            name: "with",
            since: ClientVersion::new(1, 0, 0),
        }),
        blocking: None,
        blocks_at: |_| false,
        blocks_on_silence: false,
        canary: Canary {
            event: "before-command",
            tool: "Shell",
            payload: |call| json!([call.command]),
            meaning: |answer| match answer.exit {
                0 => Some(CanaryAnswer::Silent),
                3 => Some(CanaryAnswer::Deny),
                _ => None,
            },
        },
    }
}

const fn installable(agent: &'static Agent, registration: &'static Registration) -> Installable {
    Installable {
        agent,
        registration,
        skills: None,
        form: SettingsForm {
            install: |text, entries, never| Ok(with(text, entries, never)),
            uninstall: |text, is_meant, _| Ok(without(text, is_meant)),
            found: |text| Ok(found(text)),
            shadowed: |_| Ok(Vec::new()),
            is_blank: |text| text.trim().is_empty(),
            kind: FileKind::Settings,
            has_timeouts: false,
            status_line: None,
        },
        trust: None,
        refusals: |_| Vec::new(),
        hooks_off: |_| None,
        entries_off: |_| None,
    }
}

static FIRST: Agent = agent("first", "The First");
static FIRST_SETTINGS: Registration = registration(".first", Some("hooks.conf"));
static SECOND: Agent = agent("second", "The Second");
static SECOND_SETTINGS: Registration = registration(".second", None);
static AGENTS: &[Installable] = &[
    installable(&FIRST, &FIRST_SETTINGS),
    installable(&SECOND, &SECOND_SETTINGS),
];

/// A line of the settings: `EVENT: PROGRAM with ARGUMENT ARGUMENT`.
fn entry(line: &str) -> Option<Entry> {
    let (event, call) = line.split_once(": ")?;
    let (command, args) = call.split_once(" with ")?;
    let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
    starts_bowline(command, Some(&args)).then(|| Entry {
        event: event.to_owned(),
        command: command.to_owned(),
        args: Some(args),
        timeout: None,
        blocks_on_failure: false,
    })
}

fn with(text: &str, entries: &[Entry], never: &[&str]) -> String {
    let is_gone =
        |event: &str| never.contains(&event) || entries.iter().any(|it| it.event == event);
    let lines = entries.iter().map(|entry| {
        let args = entry.args.clone().unwrap_or_default().join(" ");
        format!("{}: {} with {args}\n", entry.event, entry.command)
    });
    without(text, &is_gone) + &lines.collect::<String>()
}

fn without(text: &str, is_meant: EventFilter<'_>) -> String {
    let stays = |line: &&str| !entry(line.trim_end()).is_some_and(|it| is_meant(&it.event));
    text.split_inclusive('\n').filter(stays).collect()
}

fn found(text: &str) -> Vec<Found> {
    let found = |entry| Found {
        entry,
        matcher: None,
    };
    text.lines().filter_map(entry).map(found).collect()
}

/// A home and a project of their own.
struct Bay {
    root: TempDir,
    surroundings: Surroundings,
    places: Places,
}

/// What both agents have in their settings before Bowline comes.
const BEFORE: &str = "after-command: notify with me\n";

impl Bay {
    /// With the folders of these agents.
    fn with(agents: &[&str]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        fs::create_dir_all(root.path().join("bin")).unwrap();
        fs::create_dir_all(&project).unwrap();
        for agent in agents {
            let folder = root.path().join(format!("home/.{agent}"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("hooks.conf"), BEFORE).unwrap();
            // The program is a shell that takes the agent's name for the script to run.
            let script = "case $(cat) in *'rm -rf /'*) exit 3;; esac\n";
            fs::write(project.join(agent), script).unwrap();
        }
        let bay = Self {
            surroundings: Surroundings {
                agents: AGENTS,
                locations: Locations::under(root.path()),
                project,
            },
            places: Places {
                data: root.path().join("data"),
                socket: root.path().join("run/bowline.sock"),
            },
            root,
        };
        symlink("/bin/sh", bay.program()).unwrap();
        bay
    }

    fn program(&self) -> PathBuf {
        self.root.path().join("bin/bowline-hook")
    }

    fn settings(&self, agent: &str) -> String {
        let file = format!("home/.{agent}/hooks.conf");
        fs::read_to_string(self.root.path().join(file)).unwrap()
    }

    fn init(&self, words: &[&str]) -> (Result<Outcome>, String) {
        let mut ui = Ui::for_stdout();
        let program = || Ok(self.program().display().to_string());
        let args: InitArgs = parsed(words);
        let outcome = init::run_in(&self.surroundings, &program, None, &args, &mut ui);
        (outcome, ui.gathered())
    }

    fn uninstall(&self, words: &[&str]) -> (Result<Outcome>, String) {
        let mut ui = Ui::for_stdout();
        let args: UninstallArgs = parsed(words);
        let outcome = uninstall::run_in(&self.surroundings, &self.places, &args, &mut ui);
        (outcome, ui.gathered())
    }

    /// Agent, name and status of every check.
    fn doctor(&self) -> Vec<(Value, Value, Value)> {
        let mut ui = Ui::for_stdout();
        let args: DoctorArgs = parsed(&["--json"]);
        doctor::run_in(&self.surroundings, &self.places, &args, &mut ui).unwrap();
        let report: Value = serde_json::from_str(&ui.gathered()).unwrap();
        let checks = report["checks"].as_array().unwrap().iter();
        checks
            .map(|it| {
                (
                    it["agent"].clone(),
                    it["name"].clone(),
                    it["status"].clone(),
                )
            })
            .collect()
    }
}

fn parsed<A: Args>(words: &[&str]) -> A {
    let command = A::augment_args(clap::Command::new("test").no_binary_name(true));
    A::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

fn entries(program: &Path, agent: &str, home: &Path) -> String {
    let line = |event: &str| {
        let (program, home) = (program.display(), home.display());
        format!("{event}: {program} with {agent} {event} --timeout=10 --home={home}\n")
    };
    format!("{}{}", line("before-command"), line("after-command"))
}

#[test]
fn an_agent_that_nothing_else_knows_is_installed_checked_and_taken_out() {
    let bay = Bay::with(&["second"]);
    assert!(
        matches!(bay.doctor().as_slice(), [(Value::Null, name, status), ..] if name == "installed" && status == "problem")
    );

    let (outcome, said) = bay.init(&["--yes"]);
    assert_eq!(outcome.unwrap(), Outcome::Clean, "{said}");
    for text in [
        "Installed: The Second asks Bowline at 2 events.",
        "The Second was not found here: this is what version 1.2.0 and later know",
    ] {
        assert!(said.contains(text), "{text} in {said}");
    }
    let ours = entries(&bay.program(), "second", &bay.root.path().join("home"));
    assert_eq!(bay.settings("second"), format!("{BEFORE}{ours}"));
    let (_, said) = bay.init(&[]);
    assert!(said.contains("nothing was changed"), "{said}");

    let checks = bay.doctor();
    for name in [
        "installed (user)",
        "client",
        "in force",
        "folders",
        "canary (user)",
    ] {
        let expected = (Value::Null, name.into(), "ok".into());
        assert!(checks.contains(&expected), "{name} in {checks:?}");
    }

    let (outcome, said) = bay.uninstall(&["--yes"]);
    assert_eq!(outcome.unwrap(), Outcome::Clean, "{said}");
    assert!(said.contains("The Second no longer asks Bowline"), "{said}");
    assert_eq!(bay.settings("second"), BEFORE);
}

#[test]
fn several_agents_are_installed_checked_and_taken_out_together() {
    let bay = Bay::with(&["first", "second"]);
    let said: Value = serde_json::from_str(&bay.init(&["--yes", "--json"]).1).unwrap();
    for (at, name) in ["first", "second"].into_iter().enumerate() {
        assert_eq!(said["agents"][at]["agent"], name, "{said}");
        assert_eq!(said["agents"][at]["state"], "installed", "{said}");
        assert!(
            bay.settings(name)
                .contains(&format!("with {name} before-command"))
        );
    }
    let checks = bay.doctor();
    for name in ["first", "second"] {
        let expected = (name.into(), "canary (user)".into(), "ok".into());
        assert!(checks.contains(&expected), "{checks:?}");
    }
    let said: Value = serde_json::from_str(&bay.uninstall(&["--yes", "--json"]).1).unwrap();
    for (at, name) in ["first", "second"].into_iter().enumerate() {
        assert_eq!(said["agents"][at]["state"], "uninstalled", "{said}");
        assert_eq!(bay.settings(name), BEFORE);
    }
    assert_eq!(said["elsewhere"], json!([]), "{said}");
}

/// What is the same for all is said once, and what is left to do is found at the end.
#[test]
fn the_end_says_who_asks_bowline_and_who_does_not() {
    let bay = Bay::with(&["first", "second"]);
    let plain = |said: &str| anstream::adapter::strip_str(said).to_string();
    let said = plain(&bay.init(&["--yes"]).1);
    assert_eq!(said.matches("`bowline doctor` checks").count(), 1, "{said}");
    let end = "These ask Bowline now: The First, The Second\n`bowline doctor` checks";
    assert!(said.contains(end), "{said}");
    let file = bay.root.path().join("home/.first/hooks.conf");
    fs::write(&file, b"\xff").unwrap();
    let said = plain(&bay.init(&["--yes"]).1);
    let end = "These ask Bowline now: The Second\nThese still need something:\n  The First: see above what was in the way\n";
    assert!(said.ends_with(end), "{said}");

    let mut ui = Ui::for_stdout();
    doctor::run_in(&bay.surroundings, &bay.places, &parsed(&[]), &mut ui).unwrap();
    let said = plain(&ui.gathered());
    let (_, end) = said.rsplit_once("\n\n").unwrap();
    assert!(
        end.starts_with("problem  first, installed (user): "),
        "{said}"
    );
    assert!(end.lines().last().unwrap().contains(" problem"), "{said}");
}

#[test]
fn an_agent_without_settings_of_the_scope_is_left_out() {
    let bay = Bay::with(&["first", "second"]);
    let note = "The Second has no settings of the scope `project`, and is left out.";
    let (outcome, said) = bay.init(&["--yes", "--scope", "project"]);
    assert_eq!(outcome.unwrap(), Outcome::Clean, "{said}");
    assert!(said.contains(note), "{said}");
    let file = bay.root.path().join("project/hooks.conf");
    assert!(fs::read_to_string(&file).unwrap().contains("first"));
    let (outcome, said) = bay.uninstall(&["--yes", "--scope", "project", "--json"]);
    assert_eq!(outcome.unwrap(), Outcome::Clean, "{said}");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["agent"], "first", "{said}");
    assert_eq!(
        said["left_out"],
        json!([{"agent": "second", "why": note}]),
        "{said}"
    );
    let (outcome, _) = bay.uninstall(&["--yes", "--scope", "local"]);
    assert!(outcome.is_err());
}

#[test]
fn what_cannot_be_done_for_every_agent_is_done_for_none() {
    let bay = Bay::with(&["first", "second"]);
    for (words, expected) in [
        (
            &["--yes", "--scope", "local"][..],
            "no agent that was found here has settings of the scope `local`: The First, The Second",
        ),
        (
            &["--yes", "--client-version", "1.2.3"],
            "--client-version is for one agent",
        ),
    ] {
        let (outcome, _) = bay.init(words);
        assert_eq!(outcome.unwrap_err().to_string(), expected);
    }
    for name in ["first", "second"] {
        assert_eq!(bay.settings(name), BEFORE);
    }
}

#[test]
fn what_cannot_be_done_for_one_agent_is_done_for_the_others() {
    let file = |bay: &Bay| bay.root.path().join("home/.first/hooks.conf");
    let unreadable = |bay: &Bay| fs::write(file(bay), b"\xff").unwrap();
    let read_only = |bay: &Bay| {
        let mode = fs::Permissions::from_mode(0o400);
        fs::set_permissions(file(bay), mode).unwrap();
    };
    for (spoil, problem) in [
        (&unreadable as &dyn Fn(&Bay), "is not UTF-8 text"),
        (&read_only, "is read-only"),
    ] {
        let bay = Bay::with(&["first", "second"]);
        spoil(&bay);
        let (outcome, said) = bay.init(&["--yes"]);
        assert_eq!(outcome.unwrap(), Outcome::Findings, "{said}");
        for text in [
            "Not installed for The First: ",
            "home/.first/hooks.conf",
            problem,
            "`bowline init --agent first` tries it again.",
            "Installed: The Second asks Bowline at 2 events.",
        ] {
            assert!(said.contains(text), "{text} in {said}");
        }
        assert!(bay.settings("second").contains("with second"));
        let (outcome, said) = bay.init(&["--yes", "--json"]);
        assert_eq!(outcome.unwrap(), Outcome::Findings, "{said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        let (first, second) = (&said["agents"][0], &said["agents"][1]);
        assert_eq!(first["state"], "failed", "{said}");
        assert!(
            first["error"]["message"]
                .as_str()
                .unwrap()
                .ends_with(problem)
        );
        assert_eq!(first["written"], json!([]), "{said}");
        assert_eq!(second["state"], "already_installed", "{said}");
    }
    let bay = Bay::with(&["first"]);
    unreadable(&bay);
    assert!(bay.init(&["--yes"]).0.is_err());
}

#[test]
fn what_cannot_be_taken_out_of_one_agent_is_taken_out_of_the_others() {
    let bay = Bay::with(&["first", "second"]);
    bay.init(&["--yes"]).0.unwrap();
    let file = bay.root.path().join("home/.first/hooks.conf");
    let text = fs::read(&file).unwrap();
    for (spoiled, mode, problem) in [
        (&b"\xff"[..], 0o600, "is not UTF-8 text"),
        (&text, 0o400, "is read-only"),
    ] {
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, spoiled).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        bay.init(&["--yes"]).0.unwrap();
        fs::create_dir_all(&bay.places.data).unwrap();
        fs::write(bay.places.data.join("kept"), "").unwrap();
        let (outcome, said) = bay.uninstall(&["--yes", "--purge"]);
        assert_eq!(outcome.unwrap(), Outcome::Findings, "{said}");
        for text in [
            "Not uninstalled for The First: ",
            problem,
            "`bowline uninstall --agent first` tries it again.",
            "Uninstalled: The Second no longer asks Bowline.",
            "The daemon goes on, because not all of Bowline is out of these settings.",
        ] {
            assert!(said.contains(text), "{text} in {said}");
        }
        assert_eq!(bay.settings("second"), BEFORE);
        assert!(bay.places.data.join("kept").exists(), "{said}");
        let (outcome, said) = bay.uninstall(&["--yes", "--json"]);
        assert_eq!(outcome.unwrap(), Outcome::Findings, "{said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["agents"][0]["state"], "not_installed", "{said}");
        assert_eq!(said["agents"][1]["state"], "failed", "{said}");
        assert_eq!(said["elsewhere"], json!([]), "{said}");
    }
}

#[test]
fn an_agent_without_a_status_line_is_installed_without_one() {
    let bay = Bay::with(&["first", "second"]);
    let (outcome, said) = bay.init(&["--yes", "--with-statusline"]);
    assert_eq!(outcome.unwrap(), Outcome::Clean, "{said}");
    for text in [
        "Installed: The First asks Bowline at 2 events.",
        "The First has no status line that Bowline can be put into",
    ] {
        assert!(said.contains(text), "{text} in {said}");
    }
}
