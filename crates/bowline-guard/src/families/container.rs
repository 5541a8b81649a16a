//! Containers and virtual machines: volumes, prunes, and whole fleets at once.

use crate::effect::Effect;
use crate::invocation::{Arg, Through, Value};

use super::Run;
use super::args::{Parsed, Spec, UNKNOWN, listed, parse, split_command};
use super::rule::rules;
use super::table::{Row, Table};

rules! {
    VOLUME = Container, "container.volume", "Deletes volumes with the data in them",
        instead "look first with `docker volume ls`, and keep a copy of the data";
    PRUNE = Container, "container.prune", "Deletes everything that is not in use",
        instead "see what there is with `docker system df`, or free build caches with `docker builder prune`";
    DOWN = Container, "container.compose-down", "Removes a project's containers with their volumes",
        instead "`docker compose down`, which keeps the volumes";
    ALL = Container, "container.all", "Stops or removes many containers or images at once",
        instead "name the container, as `docker ps` shows it";
    MACHINE = Container, "container.machine", "Destroys a virtual machine or system container",
        instead "list the machines first, and leave this to the person";
    SWARM = Container, "container.swarm", "Removes services of a swarm",
        instead "look first with `docker service ls`, and leave the removal to the person";
}

pub(super) const ENGINES: &[&str] = &["docker", "podman", "nerdctl", "finch", "lima"];

#[rustfmt::skip]
pub(super) static MACHINES: Table = Table::new(&[
    Row::grave(&["qm", "pct", "pvesm", "pveum"], "destroy|free|remove", &MACHINE, "destroys the machine {}"),
    Row::doubtful(&["qm", "pct"], "stop|shutdown|reset|rollback|delsnapshot", &MACHINE, "stops the machine {}"),
    Row::grave(&["virsh"], "undefine|vol-delete|vol-wipe|pool-delete|snapshot-delete|vol-wipe", &MACHINE, "destroys {}"),
    Row::doubtful(&["virsh"], "destroy|shutdown|pool-destroy|net-destroy", &MACHINE, "stops {}"),
    Row::grave(&["vboxmanage", "VBoxManage"], "unregistervm|closemedium", &MACHINE, "deletes {}").with(&["delete"]),
    Row::doubtful(&["vboxmanage", "VBoxManage"], "controlvm|snapshot|unregistervm", &MACHINE, "changes {}"),
    Row::doubtful(&["lxc", "incus"], "delete|rm|stop", &MACHINE, "deletes the container {}"),
    Row::grave(&["lxc", "incus"], "storage|project|snapshot|image delete|rm", &MACHINE, "deletes {}"),
    Row::doubtful(&["lxc-destroy", "lxc-stop"], "", &MACHINE, "destroys the container {}"),
    Row::doubtful(&["limactl", "multipass", "orb", "orbctl", "machinectl", "finch"], "delete|remove|purge|stop|terminate|factory-reset|vm", &MACHINE, "deletes the machine {}"),
    Row::doubtful(&["distrobox", "toolbox"], "rm|rmi", &MACHINE, "removes {}"),
    Row::grave(&["xe", "esxcli", "govc"], "vm-destroy|vm.destroy|vdi-destroy|sr-destroy|datastore.rm|vm-uninstall", &MACHINE, "destroys {}"),
    Row::grave(&["wsl"], "--unregister", &MACHINE, "deletes the system {}"),
    Row::doubtful(&["crictl"], "rm|rmp|rmi|stop|stopp", &ALL, "removes {}").with(&["a", "all", "prune"]),
    Row::grave(&["ctr"], "namespaces|volumes rm|remove", &VOLUME, "removes {}"),
]);

const ENGINE: Spec = Spec::gnu(&[
    "H",
    "host",
    "context",
    "c",
    "config",
    "l",
    "log-level",
    "n",
    "namespace",
    "connection",
    "filter",
]);
const COMPOSE: Spec = Spec::gnu(&[
    "f",
    "file",
    "p",
    "project-name",
    "profile",
    "env-file",
    "project-directory",
    "t",
    "timeout",
    "rmi",
]);

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let found = match run.name {
        "docker-compose" | "podman-compose" => compose(run.args),
        name if ENGINES.contains(&name) => {
            let (_, command, rest) = split_command(run.args, &ENGINE);
            engine(run, command, rest)
        }
        "wsl" => {
            let parsed = parse(run.args, &Spec::gnu(&["unregister"]));
            parsed
                .value(&["unregister"])
                .map(|it| MACHINE.grave(format!("deletes the system {it}")))
        }
        name if MACHINES.knows(name) => MACHINES.first(
            run,
            &parse(run.args, &Spec::gnu(&["project", "remote", "c", "connect"])),
        ),
        _ => None,
    };
    found.into_iter().collect()
}

fn engine(run: Run<'_>, command: &str, rest: &[Arg]) -> Option<Effect> {
    let spec = Spec::gnu(&["filter", "f-filter", "t", "time", "s", "signal", "until"]);
    let parsed = parse(rest, &spec);
    match command {
        "compose" => compose(rest),
        "volume" => volume(&parsed),
        "system" => system(&parsed),
        "container" | "image" | "builder" | "buildx" | "network" | "pod" => {
            let (_, verb, later) = split_command(rest, &spec);
            match verb {
                "prune" if command == "pod" => Some(PRUNE.doubtful("removes stopped pods")),
                "rm" | "remove" if command == "container" || command == "pod" => remove(run, later),
                "rm" | "remove" if command == "image" => images(run, later),
                "stop" | "kill" => stop(run, verb, later),
                _ => None,
            }
        }
        "rm" | "remove" => remove(run, rest),
        "rmi" => images(run, rest),
        "stop" | "kill" | "pause" => stop(run, command, rest),
        "swarm" if parsed.at(0) == "leave" && parsed.has(&["f", "force"]) => {
            Some(SWARM.doubtful("leaves the swarm by force"))
        }
        "stack" | "service" | "node" | "secret" | "config"
            if matches!(parsed.at(0), "rm" | "remove" | "down") =>
        {
            Some(SWARM.doubtful(format!("removes the {command} {}", listed(parsed.from(1)))))
        }
        "machine" if matches!(parsed.at(0), "rm" | "reset") => {
            Some(MACHINE.doubtful("deletes the machine that containers run on"))
        }
        "context" if parsed.at(0) == "rm" => None,
        _ => None,
    }
}

fn volume(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "rm" | "remove" => {
            Some(VOLUME.grave(format!("deletes the volumes {}", listed(parsed.from(1)))))
        }
        "prune" => Some(VOLUME.grave("deletes every volume that is not in use")),
        _ => None,
    }
}

fn system(parsed: &Parsed<'_>) -> Option<Effect> {
    match parsed.at(0) {
        "prune" if parsed.is_on(&["volumes"]) => {
            Some(PRUNE.grave("deletes every container, image and volume that is not in use"))
        }
        "prune" => Some(PRUNE.doubtful("deletes every container and image that is not in use")),
        "reset" => Some(PRUNE.grave("deletes every container, image and volume")),
        _ => None,
    }
}

/// Whether a list of names comes from a listing, so that it may be everything.
fn is_many(run: Run<'_>, args: &[Arg]) -> bool {
    args.iter().any(|arg| match &arg.value {
        Value::Unknown => true,
        Value::Partly(text) => text == UNKNOWN,
        Value::Known(_) | Value::Pattern(_) => false,
    }) && args
        .iter()
        .any(|arg| arg.source.contains("$(") || arg.source.contains('`') || arg.source.is_empty())
        || run
            .invocation
            .through
            .iter()
            .any(|it| matches!(it, Through::EachOf(_)))
}

fn remove(run: Run<'_>, args: &[Arg]) -> Option<Effect> {
    let parsed = parse(args, &Spec::gnu(&[]));
    let many = is_many(run, args) || parsed.has(&["a", "all"]);
    if many && parsed.has(&["v", "volumes"]) {
        return Some(ALL.grave("removes all containers with their volumes"));
    }
    many.then(|| ALL.doubtful("removes many containers at once"))
}

fn images(run: Run<'_>, args: &[Arg]) -> Option<Effect> {
    let parsed = parse(args, &Spec::gnu(&[]));
    (is_many(run, args) || parsed.has(&["a", "all"]))
        .then(|| ALL.doubtful("removes many images at once"))
}

fn stop(run: Run<'_>, verb: &str, args: &[Arg]) -> Option<Effect> {
    let parsed = parse(args, &Spec::gnu(&["t", "time", "s", "signal"]));
    let verb = if verb == "kill" { "kills" } else { "stops" };
    (is_many(run, args) || parsed.has(&["a", "all"]))
        .then(|| ALL.doubtful(format!("{verb} many containers at once")))
}

fn compose(args: &[Arg]) -> Option<Effect> {
    let (global, command, rest) = split_command(args, &COMPOSE);
    let parsed = parse(rest, &Spec::gnu(&["t", "timeout", "rmi"]));
    if parsed.is_dry_run() || global.is_dry_run() {
        return None;
    }
    match command {
        "down" if parsed.is_on(&["v", "volumes"]) => {
            Some(DOWN.doubtful("removes the project's containers with their volumes"))
        }
        "rm" if parsed.has(&["v", "volumes"]) => {
            Some(DOWN.doubtful("removes containers with their volumes"))
        }
        "up" | "create" if parsed.has(&["V", "renew-anon-volumes"]) => {
            Some(DOWN.doubtful("makes anonymous volumes anew"))
        }
        "volume" | "volumes" if parsed.at(0) == "rm" => Some(VOLUME.grave("deletes volumes")),
        _ => None,
    }
}
