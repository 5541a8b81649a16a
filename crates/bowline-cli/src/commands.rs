//! The commands, one file each.

mod allow;
mod approvals;
mod caller;
mod check;
mod complete;
mod completions;
mod config;
mod cost;
mod daemon;
mod demo;
mod denied;
mod doctor;
mod effort;
mod errors;
mod eval;
mod events;
mod explain;
mod fleet;
mod guard;
mod hook;
mod hooks;
mod init;
mod installing;
mod lease;
mod log;
mod man;
mod meant;
mod metrics;
mod note;
mod open;
mod orchestrator;
mod pause;
mod redact;
mod report;
mod resume;
mod rules;
pub(crate) mod run;
mod schema;
mod search;
mod session;
mod statusline;
mod store;
mod supervise;
mod task;
mod test;
mod top;
mod trace;
mod trust;
mod uninstall;
mod update;
mod why;
mod work;

#[cfg(test)]
mod another_agent;

use std::ffi::OsStr;

use bowline::hooks::HookEvent;
use clap::Subcommand;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};

use crate::Outcome;
use crate::error::{Error, Result};
use crate::ui::{Format, Ui};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(demo::DemoArgs),
    Init(init::InitArgs),
    Doctor(doctor::DoctorArgs),
    Pause(pause::PauseArgs),
    Resume(resume::ResumeArgs),
    Uninstall(uninstall::UninstallArgs),
    Events(events::EventsArgs),
    Check(check::CheckArgs),
    Config(config::ConfigArgs),
    Hooks(hooks::HooksArgs),
    Trace(trace::TraceArgs),
    Session(session::SessionArgs),
    Fleet(fleet::FleetArgs),
    Top(top::TopArgs),
    Open(open::OpenArgs),
    Statusline(statusline::StatuslineArgs),
    Supervise(supervise::SuperviseArgs),
    Run(run::RunArgs),
    Log(log::LogArgs),
    Denied(denied::DeniedArgs),
    Search(search::SearchArgs),
    Report(report::ReportArgs),
    Task(task::TaskArgs),
    Effort(effort::EffortArgs),
    Note(note::NoteArgs),
    Lease(lease::LeaseArgs),
    Work(work::WorkArgs),
    Orchestrator(orchestrator::OrchestratorArgs),
    Errors(errors::ErrorsArgs),
    Metrics(metrics::MetricsArgs),
    Cost(cost::CostArgs),
    Store(store::StoreArgs),
    Test(test::TestArgs),
    Trust(trust::TrustArgs),
    Allow(allow::AllowArgs),
    Approvals(approvals::ApprovalsArgs),
    Why(why::WhyArgs),
    Explain(explain::ExplainArgs),
    Rules(rules::RulesArgs),
    Eval(eval::EvalArgs),
    Redact(redact::RedactArgs),
    Daemon(daemon::DaemonArgs),
    Hook(hook::HookArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Complete(complete::CompleteArgs),
    Update(update::UpdateArgs),
    Man(man::ManArgs),
}

/// Whether an answer is shown page by page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pages {
    /// Where it is longer than the screen.
    Long,
    /// Another program reads it, or it goes on, or something was done.
    Never,
}

impl Command {
    /// Whether the answer is one to leaf through.
    pub(crate) fn pages(&self) -> Pages {
        match self {
            Self::Events(_)
            | Self::Check(_)
            | Self::Config(_)
            | Self::Hooks(_)
            | Self::Trace(_)
            | Self::Session(_)
            | Self::Log(_)
            | Self::Denied(_)
            | Self::Search(_)
            | Self::Report(_)
            | Self::Task(_)
            | Self::Effort(_)
            | Self::Note(_)
            | Self::Lease(_)
            | Self::Work(_)
            | Self::Orchestrator(_)
            | Self::Errors(_)
            | Self::Metrics(_)
            | Self::Cost(_)
            | Self::Explain(_)
            | Self::Rules(_)
            | Self::Doctor(_)
            | Self::Why(_)
                if self.format() == Format::Text =>
            {
                Pages::Long
            }
            Self::Fleet(args) if args.is_listing() && args.format() == Format::Text => Pages::Long,
            _ => Pages::Never,
        }
    }

    /// Who reads the answer.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Demo(args) => args.format.format(),
            Self::Init(args) => args.format.format(),
            Self::Doctor(args) => args.format.format(),
            Self::Pause(args) => args.format.format(),
            Self::Resume(args) => args.format.format(),
            Self::Uninstall(args) => args.format.format(),
            Self::Events(args) => args.format.format(),
            Self::Check(args) => args.format.format(),
            Self::Config(args) => args.format(),
            Self::Hooks(args) => args.format.format(),
            Self::Trace(args) => args.format(),
            Self::Session(args) => args.format(),
            Self::Fleet(args) => args.format(),
            Self::Top(args) => args.format.format(),
            Self::Open(args) => args.format.format(),
            Self::Log(args) => args.format.format(),
            Self::Denied(args) => args.format.format(),
            Self::Search(args) => args.format.format(),
            Self::Report(args) => args.format.format(),
            Self::Task(args) => args.format(),
            Self::Effort(args) => args.format(),
            Self::Note(args) => args.format(),
            Self::Lease(args) => args.format(),
            Self::Work(args) => args.format(),
            Self::Orchestrator(args) => args.format(),
            Self::Errors(args) => args.format(),
            Self::Metrics(args) => args.format(),
            Self::Cost(args) => args.format(),
            Self::Store(args) => args.format(),
            Self::Test(args) => args.format.format(),
            Self::Trust(args) => args.format.format(),
            Self::Allow(args) => args.format.format(),
            Self::Approvals(args) => args.format(),
            Self::Why(args) => args.format.format(),
            Self::Explain(args) => args.format(),
            Self::Rules(args) => args.format(),
            Self::Daemon(args) => args.format(),
            Self::Update(args) => args.format.format(),
            Self::Eval(_)
            | Self::Redact(_)
            | Self::Statusline(_)
            | Self::Supervise(_)
            | Self::Run(_)
            | Self::Hook(_)
            | Self::Schema(_)
            | Self::Completions(_)
            | Self::Complete(_)
            | Self::Man(_) => Format::Text,
        }
    }
}

pub(crate) fn run(command: Command, ui: &mut Ui) -> Result<Outcome> {
    match command {
        Command::Demo(args) => demo::run(&args, ui),
        Command::Init(args) => init::run(&args, ui),
        Command::Doctor(args) => doctor::run(&args, ui),
        Command::Pause(args) => pause::run(&args, ui),
        Command::Resume(args) => resume::run(&args, ui),
        Command::Uninstall(args) => uninstall::run(&args, ui),
        Command::Events(args) => events::run(&args, ui),
        Command::Check(args) => check::run(&args, ui),
        Command::Config(args) => config::run(&args, ui),
        Command::Hooks(args) => hooks::run(&args, ui),
        Command::Trace(args) => trace::run(args, ui),
        Command::Session(args) => session::run(&args, ui),
        Command::Fleet(args) => fleet::run(&args, ui),
        Command::Top(args) => top::run(&args, ui),
        Command::Open(args) => open::run(&args, ui),
        Command::Statusline(args) => Ok(statusline::run(&args, ui)),
        Command::Supervise(args) => supervise::run(&args, ui),
        Command::Run(args) => run::run(&args),
        Command::Log(args) => log::run(&args, ui),
        Command::Denied(args) => denied::run(args, ui),
        Command::Search(args) => search::run(&args, ui),
        Command::Report(args) => report::run(&args, ui),
        Command::Task(args) => task::run(args, ui),
        Command::Effort(args) => effort::run(args, ui),
        Command::Note(args) => note::run(&args, ui),
        Command::Lease(args) => lease::run(&args, ui),
        Command::Work(args) => work::run(&args, ui),
        Command::Orchestrator(args) => orchestrator::run(&args, ui),
        Command::Errors(args) => errors::run(&args, ui),
        Command::Metrics(args) => metrics::run(&args, ui),
        Command::Cost(args) => cost::run(&args, ui),
        Command::Store(args) => store::run(args, ui),
        Command::Test(args) => test::run(&args, ui),
        Command::Trust(args) => trust::run(&args, ui),
        Command::Allow(args) => allow::run(&args, ui),
        Command::Approvals(args) => approvals::run(&args, ui),
        Command::Why(args) => why::run(&args, ui),
        Command::Explain(args) => explain::run(&args, ui),
        Command::Rules(args) => rules::run(&args, ui),
        Command::Eval(args) => eval::run(&args),
        Command::Redact(args) => redact::run(&args),
        Command::Daemon(args) => daemon::run(&args, ui),
        Command::Hook(args) => hook::run(&args),
        Command::Schema(args) => schema::run(&args, ui),
        Command::Completions(args) => Ok(completions::run(&args, ui)),
        Command::Complete(args) => complete::run(&args, ui),
        Command::Update(args) => update::run(&args, ui),
        Command::Man(args) => man::run(&args, ui),
    }
}

/// An event on the command line. Shells are told the names; other casings and misspellings are left to
/// [`event`], which explains them.
#[derive(Debug, Clone, Copy)]
struct EventName;

impl TypedValueParser for EventName {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = HookEvent::ALL.iter().map(|event| event.name());
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

/// The event of this name, in any casing.
fn event(name: &str) -> Result<HookEvent> {
    name.parse()
        .map_err(|unknown: bowline::hooks::UnknownEvent| {
            Error::usage(unknown.to_string()).hint("`bowline events` lists every event")
        })
}
