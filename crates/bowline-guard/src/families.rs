//! What the programs of each family do: the knowledge behind the guard.
//!
//! Every family is a function from one program run to its effects. Files and folders are judged in
//! a family of their own; shells, wrappers and nested code are seen through before.

mod acts;
mod args;
mod carried;
mod cloud;
mod cluster;
mod code;
mod container;
mod database;
mod fetched_code;
mod files;
mod frameworks;
mod git;
mod git_remote;
mod http;
mod infrastructure;
mod launch;
mod own;
mod permissions;
mod process;
mod publish;
pub(crate) mod rule;
mod secret_tools;
mod secrets;
mod services;
mod sql;
mod stores;
mod system;
mod table;
mod unlisted;
mod unverified;
mod versions;
mod weighing;

pub use git::command_of as git_command;
pub use own::is_agent as is_agent_program;
pub use own::words_of as own_command;

use crate::effect::{Effect, Gravity};
use crate::interpret::At;
use crate::invocation::{Arg, Done, Invocation, Through};
use crate::paths::World;

pub use rule::RuleInfo;
pub(crate) use weighing::is_weighed;
pub use weighing::weighed;

/// A launcher may start another launcher, but not without end.
const MAX_LAUNCHES: usize = 6;

/// At most this many of a line's downloads, archives and moves are looked at.
const MAX_PAIRED: usize = 64;

/// One program run as a family sees it.
#[derive(Debug, Clone, Copy)]
struct Run<'run> {
    /// The program's plain name: `kafka-topics`, not `kafka-topics.sh`.
    name: &'run str,
    args: &'run [Arg],
    invocation: &'run Invocation,
}

type Family = fn(Run<'_>) -> Vec<Effect>;

/// Families whose programs do nothing when they are asked for help.
const FAMILIES: &[Family] = &[
    git::effects,
    versions::effects,
    database::effects,
    frameworks::effects,
    cloud::effects,
    infrastructure::effects,
    cluster::effects,
    container::effects,
    publish::effects,
    stores::effects,
    system::effects,
    process::effects,
    http::effects,
    secret_tools::effects,
    services::effects,
    own::effects,
];

/// What a program run would do, as far as a guard should care. Nothing for everyday work.
pub fn effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let Some(program) = invocation.program.as_deref() else {
        let mut found = fetched_code::unknown_program(invocation);
        found.extend(unverified::program(invocation));
        return found;
    };
    // A `cd` before it moves everything that the run names.
    let mut found = effects_at(program, invocation, &At::without_links(invocation, world));
    for reading in 0..invocation.links.readings() {
        let linked = effects_at(program, invocation, &At::run(invocation, reading, world));
        let more = linked.into_iter().filter(|it| !found.contains(it));
        let more: Vec<Effect> = more.collect();
        found.extend(more);
    }
    found
}

fn effects_at(program: &str, invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let mut found = own::settings_effects(invocation, world);
    let mut run = Run {
        name: launch::plain_name(program),
        args: &invocation.args,
        invocation,
    };
    found.extend(files::effects(invocation, world));
    let mut asks = false;
    for _ in 0..MAX_LAUNCHES {
        asks = args::asks_for_help(run.name, run.args);
        if !asks {
            for family in FAMILIES {
                found.extend(family(run));
            }
            found.extend(permissions::effects(run, world));
        }
        found.extend(fetched_code::effects(run));
        found.extend(unverified::effects(run));
        found.extend(code::effects(run, world));
        found.extend(secrets::effects(run, world));
        match launch::launched(run) {
            Some((name, args)) => run = Run { name, args, ..run },
            None => break,
        }
    }
    // Only where nobody who knows the program has spoken.
    if !asks
        && !unlisted::is_local(run.name)
        && found.iter().all(|it| it.gravity == Gravity::Harmless)
    {
        found.extend(unlisted::effects(run));
        found.extend(secrets::unlisted_reader(run, world));
    }
    found
}

/// What the runs of one line would do, each by itself. A secret that is fed to a program which keeps
/// it (`… | docker login --password-stdin`) counts as not printed; a file that one run downloads and
/// a later one starts counts as fetched code.
///
/// What the runs do to files and repositories is added to `done`, one act after another.
pub(crate) fn effects_of_line(
    invocations: &[Invocation],
    world: &dyn World,
    done: &mut Done<'_>,
) -> Vec<Vec<Effect>> {
    let downloads: Vec<(usize, &str, &str)> = invocations
        .iter()
        .enumerate()
        .filter_map(|(at, it)| fetched_code::download(it).map(|(file, url)| (at, file, url)))
        .take(MAX_PAIRED)
        .collect();
    let spent: Vec<files::Spent> = invocations
        .iter()
        .enumerate()
        .filter_map(|(at, it)| files::spent(at, it, world))
        .take(MAX_PAIRED)
        .collect();
    let bundles: Vec<fetched_code::Bundle> = invocations
        .iter()
        .enumerate()
        .filter_map(|(at, it)| fetched_code::bundle(at, it))
        .take(MAX_PAIRED)
        .collect();
    let moved: Vec<files::Moved> = invocations
        .iter()
        .enumerate()
        .flat_map(|(at, it)| files::moved(at, it, world))
        .take(MAX_PAIRED)
        .collect();
    invocations
        .iter()
        .enumerate()
        .map(|(at, invocation)| {
            let lasting = files::without_spent(at, invocations, &spent, world);
            let mut found = effects(lasting.as_ref().unwrap_or(invocation), world);
            found.extend(fetched_code::runs_bundle(invocation, at, &bundles));
            let earlier = invocations.get(..at).unwrap_or_default();
            found.extend(fetched_code::runs_remote_output(invocation, earlier));
            found.extend(database::runs_written(invocation, earlier));
            found.extend(git_remote::pushes_elsewhere(invocation, earlier));
            database::without_own(&mut found, invocation, earlier);
            found.extend(files::deletes_moved(at, invocation, &moved, world));
            found.extend(carried::effects(invocation, world));
            found.extend(fetched_code::downloaded_and_run(invocation, at, &downloads));
            secrets::without_unseen(&mut found, at, invocations, world);
            done.begin(at);
            weighing::weigh(found, acts::acts(invocation, world), done, world)
        })
        .collect()
}

/// Whether what `producer` prints goes into `consumer`: into its standard input, or its arguments.
pub(crate) fn is_fed_by(consumer: &Invocation, producer: &Invocation) -> bool {
    let name = producer.program.as_deref().map(launch::plain_name);
    secrets::is_fed_by(consumer, producer)
        || consumer.through.iter().any(|it| match it {
            Through::EachOf(listing) => listing.split(" | ").any(|text| {
                let program = text.split_whitespace().next().map(launch::plain_name);
                program == name
            }),
            _ => false,
        })
}

/// Programs that families know from tables, and agents.
pub(crate) fn programs() -> impl Iterator<Item = &'static str> {
    let tables = [
        &cloud::ROWS,
        &cluster::ROWS,
        &container::MACHINES,
        &frameworks::ROWS,
        &infrastructure::ROWS,
        &publish::ROWS,
        &secret_tools::ROWS,
        &services::ROWS,
        &stores::ROWS,
        &system::ROWS,
        &versions::ROWS,
    ];
    let in_tables = tables.into_iter().flat_map(table::Table::programs);
    let engines = container::ENGINES.iter().copied();
    in_tables.chain(engines).chain(own::agents())
}

/// Whether a program of this name runs code of its own language.
pub(crate) fn is_interpreter(name: &str) -> bool {
    fetched_code::INTERPRETERS.contains(&launch::base_name(name))
}

/// Every rule that a family can report, in the order of the families.
pub fn rules() -> impl Iterator<Item = &'static RuleInfo> {
    [
        git::RULES,
        git_remote::RULES,
        carried::RULES,
        versions::RULES,
        database::RULES,
        frameworks::RULES,
        cloud::RULES,
        infrastructure::RULES,
        cluster::RULES,
        container::RULES,
        publish::RULES,
        stores::RULES,
        system::RULES,
        permissions::RULES,
        process::RULES,
        http::RULES,
        fetched_code::RULES,
        files::RULES,
        code::RULES,
        secret_tools::RULES,
        secrets::RULES,
        own::RULES,
        services::RULES,
        unlisted::RULES,
        weighing::RULES,
        unverified::RULES,
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests;
