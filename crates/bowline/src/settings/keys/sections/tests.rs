//! `[tests]`.

use std::time::Duration;

use crate::settings::keys::describe::{Key, Table, Unknown, WordList};
use crate::settings::keys::slot::{Put, Tightens::Never};
use crate::settings::keys::value::{Choice, Chosen};

/// `[tests]`: what must pass before work counts as done.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct TestConfig {
    /// When the project's tests and its build are run.
    pub gate: TestGate,
    /// The command that runs the tests; otherwise it is found.
    pub test: Option<String>,
    /// The command that builds the project; otherwise it is found.
    pub build: Option<String>,
    /// How long the tests may take.
    pub test_timeout: Duration,
    /// How long the build may take.
    pub build_timeout: Duration,
    /// What a sub-agent writes whose work is ready.
    pub marker: String,
    /// The agent that validates, whose own reports are not tested.
    pub validator: String,
    /// Whether a completed phase is sent to that agent.
    pub phases: bool,
}

impl Default for TestConfig {
    fn default() -> Self {
        Self {
            gate: TestGate::default(),
            test: None,
            build: None,
            test_timeout: Duration::from_mins(1),
            build_timeout: Duration::from_secs(30),
            marker: "COLLECTIVE_HANDOFF_READY".to_owned(),
            validator: "tdd-validation-agent".to_owned(),
            phases: false,
        }
    }
}

/// When the tests of a project are run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TestGate {
    /// Never.
    #[default]
    Off,
    /// When a sub-agent says that its work is ready.
    Handoff,
    /// Also when an agent ends its turn.
    Stop,
}

pub(super) static TABLE: Table = Table {
    name: "Tests",
    about: "The project's own commands are run as a child of Bowline. The same content of the project is tested once. Agents are sent back once.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "gate",
            "When the tests and then the build are run. The agent is sent back if they fail.",
            &Put(|config, _, gate: TestGate| config.tests.gate = gate, Never),
        ),
        Key::setting(
            "test",
            "The command that runs the tests.",
            &Put(
                |config, _, test: String| config.tests.test = Some(test),
                Never,
            ),
        )
        .default(
            "found by the project's files: cargo, npm, pnpm, yarn, pytest, go, composer, make",
        ),
        Key::setting(
            "build",
            "The command that builds the project.",
            &Put(
                |config, _, build: String| config.tests.build = Some(build),
                Never,
            ),
        )
        .default("found in the same way, unless `test` is set"),
        Key::setting(
            "test_timeout_secs",
            "The tests are stopped after this time.",
            &Put(
                |config, _, timeout: Duration| config.tests.test_timeout = timeout,
                Never,
            ),
        ),
        Key::setting(
            "build_timeout_secs",
            "The build is stopped after this time.",
            &Put(
                |config, _, timeout: Duration| config.tests.build_timeout = timeout,
                Never,
            ),
        ),
        Key::setting(
            "marker",
            "What the report of a sub-agent contains whose work is ready.",
            &Put(
                |config, _, marker: String| config.tests.marker = marker,
                Never,
            ),
        ),
        Key::setting(
            "validator",
            "The agent that validates. Its own reports are not tested.",
            &Put(
                |config, _, validator: String| config.tests.validator = validator,
                Never,
            ),
        ),
        Key::setting(
            "phases",
            "An orchestrator that reports a completed phase is sent to that agent.",
            &Put(|config, _, on: bool| config.tests.phases = on, Never),
        ),
    ],
};

impl Chosen for TestGate {
    const LIST: &'static WordList = &WordList {
        name: "TestGate",
        about: "`handoff` tests when a sub-agent's report contains the marker, `stop` also when an agent ends its turn.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("handoff", Self::Handoff),
            ("stop", Self::Stop),
        ],
        also: &[],
    };
}
