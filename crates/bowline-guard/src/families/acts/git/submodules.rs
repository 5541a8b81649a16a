//! What git does to submodules.

use super::{GLOBAL, of_command, owned};
use crate::families::args::{Spec, parse, split_command};
use crate::families::git::in_submodules;
use crate::invocation::Arg;
use crate::loss::GitAct;

pub(super) fn submodule(rest: &[Arg]) -> Vec<GitAct> {
    let (_, command, later) = split_command(rest, &Spec::gnu(&[]));
    let parsed = parse(later, &Spec::gnu(&["b", "name", "reference", "depth"]));
    let force = parsed.has(&["f", "force"]);
    match command {
        "deinit" | "update" if force => {
            let paths = if parsed.has(&["all"]) {
                Vec::new()
            } else {
                owned(&parsed.words)
            };
            vec![GitAct::SubmoduleDeinit { paths }]
        }
        "foreach" => foreach(later),
        _ => Vec::new(),
    }
}

fn foreach(later: &[Arg]) -> Vec<GitAct> {
    let commands = in_submodules(later).into_iter();
    let inner: Vec<GitAct> = commands
        .flat_map(|args| {
            let (_, command, rest) = split_command(&args, &GLOBAL);
            of_command(command, rest)
        })
        .collect();
    if inner.is_empty() {
        Vec::new()
    } else {
        vec![GitAct::InSubmodules(inner)]
    }
}
