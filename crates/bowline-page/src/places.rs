//! What each address of the page is: its view, its title, and the parameters that it knows.

use bowline_agents::{AGENTS, named};
use bowline_daemon::rpc::parse_decision;
use bowline_store::{DecisionFilter, TextKind};

use crate::data::costs::Period;
use crate::data::inbox::Outcome;
use crate::parameters::Parameter;
use crate::views::View;

/// An address of the page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) view: View,
    /// What is shown, if it is not the view itself.
    pub(crate) title: Option<&'static str>,
    pub(crate) parameters: &'static [Parameter],
}

impl Place {
    const fn of(view: View, parameters: &'static [Parameter]) -> Self {
        Self {
            view,
            title: None,
            parameters,
        }
    }

    /// The same with a title of its own.
    pub(crate) const fn titled(self, title: &'static str) -> Self {
        Self {
            title: Some(title),
            ..self
        }
    }
}

const ID: Parameter = Parameter::text("id");
const PROJECT: Parameter = Parameter::text("project");
const SESSION: Parameter = Parameter::text("session");
const TOOL: Parameter = Parameter::text("tool");
const AGENT: Parameter = Parameter::words(
    "agent",
    |word| named(word).is_some(),
    || AGENTS.iter().map(|it| it.name).collect(),
);
const PERIOD: Parameter = Parameter::words(
    "period",
    |word| Period::named(word).is_some(),
    || Period::ALL.map(Period::word).into(),
);
const SINCE: Parameter = Parameter::words(
    "since",
    |word| Period::named(word).is_some(),
    || Period::ALL.map(Period::word).into(),
);
const DECISION: Parameter = Parameter::words(
    "decision",
    |word| parse_decision(word).is_some(),
    || DecisionFilter::ALL.map(DecisionFilter::word).into(),
);
const KIND: Parameter = Parameter::words(
    "kind",
    |word| TextKind::ALL.iter().any(|it| it.word() == word),
    || TextKind::ALL.map(TextKind::word).into(),
);
const OUTCOME: Parameter = Parameter::words(
    "outcome",
    |word| Outcome::named(word).is_some(),
    || Outcome::ALL.map(Outcome::word).into(),
);

const DONE: Parameter = Parameter::words("done", |word| word == ALLOWED, || vec![ALLOWED]);
/// What is done: the call is allowed for good.
pub(crate) const ALLOWED: &str = "allowed";

pub(crate) const NOW: Place = Place::of(View::Now, &[]);
pub(crate) const INBOX: Place = Place::of(View::Inbox, &[OUTCOME]);
pub(crate) const ALLOW: Place = Place::of(View::Inbox, &[ID]).titled("Allow for good");
pub(crate) const SEARCH: Place = Place::of(
    View::Search,
    &[Parameter::text("q"), KIND, SINCE, TOOL, PROJECT],
);
pub(crate) const TIMELINE: Place = Place::of(
    View::Timeline,
    &[
        PROJECT,
        SESSION,
        AGENT,
        TOOL,
        DECISION,
        Parameter::number("before"),
        Parameter::number("older"),
    ],
);
pub(crate) const WATERFALL: Place =
    Place::of(View::Timeline, &[Parameter::text("group"), SESSION]).titled("Calls over time");
pub(crate) const SESSIONS: Place = Place::of(View::Sessions, &[PROJECT]);
pub(crate) const ONE_SESSION: Place = Place::of(View::Sessions, &[SESSION]).titled("Session");
pub(crate) const EFFORT: Place =
    Place::of(View::Sessions, &[Parameter::number("id")]).titled("Effort");
pub(crate) const CALL: Place = Place::of(View::Timeline, &[ID]).titled("Call");
pub(crate) const COSTS: Place = Place::of(View::Costs, &[PERIOD]);
pub(crate) const GUARDS: Place = Place::of(View::Guards, &[PERIOD, Parameter::text("rule")]);
pub(crate) const FALSE_ALARM: Place =
    Place::of(View::Guards, &[ID, Parameter::text("event"), DONE]).titled("False alarm");
pub(crate) const HOOKS: Place = Place::of(View::Hooks, &[]);
