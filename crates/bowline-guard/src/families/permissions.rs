//! Permissions and owners: whole trees of the system, and rights for everybody.

use crate::effect::Effect;
use crate::invocation::Through;
use crate::paths::{Place, World, place, resolve};

use super::Run;
use super::args::{Spec, listed, parse};
use super::rule::rules;

rules! {
    SYSTEM_TREE = Permissions, "permissions.system-tree", "Changes permissions or owners of a whole system tree, which cannot be undone",
        instead "change the one file that needs it";
    EVERYBODY = Permissions, "permissions.everybody", "Lets everybody write",
        instead "give only the owner or the group the right, for example with `chmod u+w`";
    SET_ID = Permissions, "permissions.set-id", "Lets a program run with the rights of its owner",
        instead "run the one command that needs the rights through the person";
    SYSTEM_FILE = Permissions, "permissions.system-file", "Changes permissions or owners of a file of the system",
        instead "change only files of the project, and tell the person what the system file needs";
    ATTRIBUTE = Permissions, "permissions.attribute", "Changes attributes that protect files",
        instead "look first with `lsattr`, and leave the protection on";
}

pub(super) fn effects(run: Run<'_>, world: &dyn World) -> Vec<Effect> {
    let known = [
        "chmod", "chown", "chgrp", "setfacl", "chattr", "icacls", "takeown", "cacls",
    ];
    let gone_afterwards = run.invocation.through.contains(&Through::NewContainer);
    if !known.contains(&run.name) || gone_afterwards {
        return Vec::new();
    }
    let spec = Spec::gnu(&["reference", "from", "m", "modify", "x", "remove", "M", "X"]);
    let parsed = parse(run.args, &spec);
    let recursive = parsed.has(&["R", "recursive"]);
    let (skip, mode) = match run.name {
        "chmod" => (
            usize::from(!parsed.has(&["reference"])),
            chmod_mode(run, &parsed.words),
        ),
        "chown" | "chgrp" => (usize::from(!parsed.has(&["reference"])), String::new()),
        "setfacl" => (
            0,
            parsed
                .value(&["m", "modify"])
                .unwrap_or_default()
                .to_owned(),
        ),
        "chattr" => (1, parsed.at(0).to_owned()),
        "icacls" | "takeown" | "cacls" => (0, String::new()),
        _ => return Vec::new(),
    };
    let targets = parsed.from(skip);
    let found = judge(
        run,
        &mode,
        recursive
            || run
                .args
                .iter()
                .any(|it| matches!(it.text(), Some("/T" | "/R" | "/r" | "/t"))),
        targets,
        world,
    );
    found.into_iter().collect()
}

/// The mode as written; one that begins with a dash reads like an option.
fn chmod_mode(run: Run<'_>, words: &[&str]) -> String {
    let dashed = run.args.iter().filter_map(|it| it.text()).find(|it| {
        it.strip_prefix('-')
            .is_some_and(|mode| mode.chars().all(|c| "rwxst".contains(c)) && !mode.is_empty())
    });
    dashed
        .or(words.first().copied())
        .unwrap_or_default()
        .to_owned()
}

fn judge(
    run: Run<'_>,
    mode: &str,
    recursive: bool,
    targets: &[&str],
    world: &dyn World,
) -> Option<Effect> {
    let open = is_open(mode);
    for target in targets {
        let name = run.name;
        let resolved = resolve(target, world);
        let tree = match place(&resolved, world) {
            Place::Root
            | Place::System
            | Place::HomeItself
            | Place::OtherHome
            | Place::AboveProject => Tree::Vital,
            Place::Device(_) => Tree::Device,
            Place::InHome(_) | Place::OutsideProject | Place::Unknown(_) | Place::GitDir => {
                Tree::Outside
            }
            Place::ProjectRoot | Place::InProject(_) | Place::Temp => Tree::Project,
        };
        let found = match (tree, recursive) {
            (Tree::Vital, true) => {
                SYSTEM_TREE.grave(format!("changes {target} and everything in it ({name})"))
            }
            (Tree::Vital, false) if sets_id(mode) => {
                SET_ID.doubtful(format!("lets {target} run with the rights of its owner"))
            }
            (Tree::Vital, false) if is_whole(&resolved.path) || closes(mode) => SYSTEM_TREE.grave(
                format!("changes {target}, which the whole system needs ({name})"),
            ),
            (Tree::Vital, false) => SYSTEM_FILE.doubtful(format!("changes {target} ({name})")),
            (Tree::Device, _) if open || name == "chown" => {
                SYSTEM_FILE.doubtful(format!("changes the device {target}"))
            }
            (Tree::Outside | Tree::Project, true) if open => {
                EVERYBODY.doubtful(format!("lets everybody write in {target}"))
            }
            (Tree::Outside, true) => {
                SYSTEM_FILE.doubtful(format!("changes {target} and everything in it ({name})"))
            }
            (_, _) if sets_id(mode) => {
                SET_ID.doubtful(format!("lets {target} run with the rights of its owner"))
            }
            (Tree::Outside | Tree::Project, _) if name == "chattr" && mode.contains('i') => {
                ATTRIBUTE.doubtful(format!("changes the protection of {target}"))
            }
            _ => continue,
        };
        return Some(found);
    }
    let each = targets.iter().any(|it| it.contains('…')) && recursive && open;
    each.then(|| EVERYBODY.doubtful(format!("lets everybody write in {}", listed(targets))))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    Vital,
    Device,
    Outside,
    Project,
}

/// Whether a path is a directory at the top.
fn is_whole(path: &str) -> bool {
    path.matches('/').count() <= 1
        || matches!(
            path,
            "/etc/passwd" | "/etc/shadow" | "/etc/sudoers" | "/usr/bin" | "/usr/lib"
        )
}

fn is_open(mode: &str) -> bool {
    let octal = mode.trim_start_matches('0');
    let digits: Vec<char> = octal.chars().collect();
    if !digits.is_empty() && digits.iter().all(char::is_ascii_digit) {
        return digits
            .last()
            .is_some_and(|it| matches!(it, '2' | '3' | '6' | '7'));
    }
    mode.split(',').any(|part| {
        let Some((who, what)) = part.split_once(['+', '=']) else {
            return false;
        };
        (who.contains(['o', 'a']) || (who.is_empty() && mode.contains('='))) && what.contains('w')
    }) || mode.contains("o::rw")
        || mode.contains("other")
}

fn closes(mode: &str) -> bool {
    matches!(mode, "000" | "0" | "00" | "0000")
        || mode.starts_with("a-")
        || matches!(mode, "-x" | "-r" | "-rwx")
}

fn sets_id(mode: &str) -> bool {
    let octal = mode.len() == 4
        && mode.chars().all(|it| it.is_ascii_digit())
        && mode.starts_with(['2', '4', '6', '7', '3', '5']);
    octal
        || mode.split(',').any(|part| {
            part.split_once(['+', '='])
                .is_some_and(|(_, what)| what.contains('s'))
        })
}
