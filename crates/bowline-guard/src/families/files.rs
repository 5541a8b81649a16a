//! Files and folders: deleting, emptying, overwriting, moving away.

mod built;
mod contained;
mod found;
mod moved;
mod overwrite;
mod sed;
mod spent;

pub(super) use moved::{Moved, deletes_moved, moved};
pub(super) use spent::{Spent, spent, without_spent};

use super::rule::rules;
use crate::effect::{Effect, Gravity};
use crate::interpret::NOWHERE;
use crate::invocation::{Arg, Invocation, Stdin, Through, Value};
use crate::paths::{
    self, DeviceKind, HomeKind, Place, Rebuildable, ResolvedPath, Shape, World,
    rebuildable_by_name, scratch_by_name,
};

rules! {
    DELETE = Delete, "files.delete", "deletes what cannot be rebuilt",
        instead "delete only what a build makes again or what this session made, by its name inside the project, or put it aside: `mkdir -p old && mv NAME old/`";
    DELETE_UNKNOWN = Delete, "files.delete-unknown", "deletes a path that cannot be known",
        instead "write the path out instead of a variable or the output of a program";
    DELETE_FOUND = Delete, "files.delete-found", "deletes whatever a search finds",
        instead "look first at what the search finds, with `-print` instead of a deletion, and name what may go";
    EMPTY = Overwrite, "files.empty", "empties a file",
        instead "keep a copy first: `cp FILE FILE.bak`";
    EMPTY_MANY = Overwrite, "files.empty-many", "empties or replaces many files at once",
        instead "name the one file that is meant, and keep a copy first: `cp FILE FILE.bak`";
    OVERWRITE = Overwrite, "files.overwrite", "overwrites what the project does not own",
        instead "write to a file inside the project or in /tmp, and let a person put it in its place";
    MOVE = Overwrite, "files.move", "moves away what should stay",
        instead "copy it instead: `cp -r NAME /tmp/`";
    PERMISSIONS_FOUND = Permissions, "files.permissions-found", "changes the permissions of whatever a search finds outside the project",
        instead "change the permissions of named files inside the project";
    MIRROR = Delete, "files.mirror", "deletes at the destination what the source does not have",
        instead "look first, with `--dry-run`";
}

/// What a program run does to files.
pub(super) fn effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let files = Files { invocation, world };
    let mut effects = Vec::new();
    if let Some(program) = invocation.program.as_deref() {
        files.program(program, &mut effects);
    }
    overwrite::redirections(&files, &mut effects);
    effects
}

struct Files<'r> {
    invocation: &'r Invocation,
    world: &'r dyn World,
}

/// One path that a program is given.
struct Target {
    resolved: ResolvedPath,
    place: Place,
    source: String,
}

impl Files<'_> {
    fn program(&self, program: &str, effects: &mut Vec<Effect>) {
        let args = &self.invocation.args;
        if asks_only(args) {
            return;
        }
        match program {
            "rm" | "grm" | "unlink" | "srm" | "wipe" | "rimraf" | "rimraf-cli" | "del-cli"
            | "del" | "trash-empty" | "gunlink" | "fsrm" | "scrub" => {
                self.delete(&operands(args, &[]), effects);
            }
            "trash" | "trash-put" | "gvfs-trash" => self.trash(&operands(args, &[]), effects),
            "gio" if args.first().and_then(Arg::text) == Some("trash") => {
                self.trash(operands(args, &[]).get(1..).unwrap_or_default(), effects);
            }
            "7z" | "7za" | "7zz" if has(args, &["-sdel"]) => {
                self.delete(operands(args, &[]).get(2..).unwrap_or_default(), effects);
            }
            "shred" | "gshred" => self.shred(effects),
            "find" | "gfind" | "bfs" => found::deleted(self, program, effects),
            "dd" | "gdd" => overwrite::dd(self, effects),
            "truncate" | "gtruncate" => overwrite::truncate(self, effects),
            "mv" | "gmv" => overwrite::moved(self, effects),
            "cp" | "gcp" | "install" | "ginstall" | "ln" | "gln" => {
                overwrite::copied(self, program, effects);
            }
            "tee" => overwrite::tee(self, effects),
            "curl" | "wget" => overwrite::downloaded(self, effects),
            "rsync" | "rclone" => overwrite::mirrored(self, program, effects),
            "tar" | "gtar" | "bsdtar" if has(args, &["--remove-files"]) => {
                let all = operands(args, &["-f", "-C", "--file", "--directory"]);
                // In the old spelling the letters come first. The archive counts: it takes the place of what is there.
                let old = args.first().and_then(Arg::text);
                let old = old.is_some_and(|letters| !letters.starts_with('-'));
                let first = usize::from(old || starts_cluster(args));
                self.delete(all.get(first..).unwrap_or_default(), effects);
            }
            "zip"
                if args.iter().filter_map(Arg::text).any(|it| {
                    it == "--move"
                        || (it.starts_with('-') && !it.starts_with("--") && it.contains('m'))
                }) =>
            {
                self.delete(operands(args, &[]).get(1..).unwrap_or_default(), effects);
            }
            "sed" | "gsed" | "ed" | "ex" | "vim" | "vi" | "nvim" => {
                overwrite::edited(self, program, effects);
            }
            "chmod" | "chown" | "chgrp" => self.permissions(effects),
            "ssh-keygen" => overwrite::keys(self, effects),
            _ => {}
        }
    }

    /// Everything that an argument names.
    fn targets(&self, arg: &Arg) -> Vec<Target> {
        let resolved = match &arg.value {
            Value::Known(text) => vec![paths::resolve_literal(text, self.world)],
            Value::Pattern(text) => paths::resolve_words(text, self.world),
            Value::Partly(text) => {
                vec![paths::resolve(&text.replace('…', "${unknown}"), self.world)]
            }
            Value::Unknown => vec![paths::resolve("${unknown}", self.world)],
        };
        resolved
            .into_iter()
            .map(|resolved| {
                let place = self.place_of(&resolved);
                Target {
                    place,
                    resolved,
                    source: arg.source.clone(),
                }
            })
            .collect()
    }

    fn place_of(&self, resolved: &ResolvedPath) -> Place {
        let place = paths::place(resolved, self.world);
        if resolved.path.starts_with(NOWHERE) {
            return Place::Unknown(paths::Unknown::Command);
        }
        match &place {
            Place::Unknown(paths::Unknown::Links) => place,
            // The tail may say what it is, wherever it lies.
            Place::Unknown(_) => {
                let tail = resolved.path.rsplit("*/").next().unwrap_or_default();
                let named = !tail.is_empty() && !tail.contains('*') && !tail.contains("..");
                if named && (rebuildable_by_name(tail) || scratch_by_name(tail)) {
                    Place::InProject(Rebuildable::Output)
                } else {
                    place
                }
            }
            _ => place,
        }
    }

    fn delete(&self, args: &[&Arg], effects: &mut Vec<Effect>) {
        let listing = self.listing();
        for arg in args {
            if matches!(arg.value, Value::Unknown)
                && let Some(listing) = listing
            {
                effects.extend(self.listed(listing));
                continue;
            }
            for target in self.targets(arg) {
                effects.extend(self.deletion(&target));
            }
            // `/…` of each name in a listing: as grave as the listing.
            if let (Value::Partly(_), Some(listing)) = (&arg.value, listing)
                && found::gravity_of_listing(self, listing) == Gravity::Grave
            {
                effects.extend(self.listed(listing));
            }
        }
    }

    /// One file of the project is taken out of the trash again; a folder is missed by everybody.
    fn trash(&self, args: &[&Arg], effects: &mut Vec<Effect>) {
        let single = |arg: &Arg| {
            self.targets(arg).iter().all(|target| {
                matches!(target.place, Place::InProject(_))
                    && target.resolved.shape == Shape::Exact
                    && !has_no_ending(&target.resolved.path)
            })
        };
        let rest: Vec<&Arg> = args.iter().copied().filter(|it| !single(it)).collect();
        self.delete(&rest, effects);
    }

    /// `find / -exec chmod …`: named files are judged with the permissions.
    fn permissions(&self, effects: &mut Vec<Effect>) {
        let unknown = self
            .invocation
            .args
            .iter()
            .any(|it| matches!(it.value, Value::Unknown));
        if let Some(listing) = self.listing().filter(|_| unknown)
            && found::reaches_outside(self, listing)
        {
            effects.push(PERMISSIONS_FOUND.grave(format!(
                "changes the permissions of everything that `{listing}` finds"
            )));
        }
    }

    /// What tells the items that a program is run for.
    fn listing(&self) -> Option<&str> {
        self.invocation
            .through
            .iter()
            .rev()
            .find_map(|it| match it {
                Through::EachOf(listing) => Some(listing.as_str()),
                _ => None,
            })
    }

    fn deletion(&self, target: &Target) -> Option<Effect> {
        let what = format!("deletes {}", Self::describe(target));
        let gravity = self.gravity_of_loss(target);
        match (gravity, &target.place) {
            (Gravity::Harmless, _) => None,
            (_, Place::Unknown(_)) => Some(
                DELETE_UNKNOWN
                    .doubtful(format!("deletes {}, which cannot be known", target.source)),
            ),
            (gravity, place) => {
                let effect = DELETE.effect(gravity, what).about(&target.resolved);
                Some(match place {
                    Place::InProject(_) => effect,
                    _ => effect.instead(
                        "leave it, and tell the person what should go; delete only inside the project, by name",
                    ),
                })
            }
        }
    }

    fn describe(target: &Target) -> String {
        let kind = match target.place {
            Place::Root => "the root of the file system",
            Place::System => "a part of the system",
            Place::HomeItself => "the whole home",
            Place::InHome(_) => "something in the home",
            Place::OtherHome => "somebody's home",
            Place::ProjectRoot => "the whole project",
            Place::AboveProject => "what the project lies in",
            Place::GitDir => "the history of a project",
            Place::InProject(_) => "something in the project that may not be rebuilt",
            Place::Temp => "a temporary file",
            Place::OutsideProject => "something outside the project",
            Place::Device(_) => "a device",
            Place::Unknown(_) => "something that cannot be known",
        };
        format!("{} ({kind})", target.resolved.path)
    }

    /// How grave it is that what lies there is gone.
    fn gravity_of_loss(&self, target: &Target) -> Gravity {
        if contained::is_made_again(self, target) {
            return Gravity::Harmless;
        }
        match &target.place {
            // What git leaves behind when it is interrupted.
            Place::GitDir if target.resolved.path.ends_with("/index.lock") => Gravity::Harmless,
            // A folder may be named like a file that comes and goes.
            Place::InProject(Rebuildable::Scratch)
                if self.is_recursive() && has_no_ending(&target.resolved.path) =>
            {
                Gravity::Doubtful
            }
            Place::Root
            | Place::System
            | Place::HomeItself
            | Place::OtherHome
            | Place::ProjectRoot
            | Place::AboveProject
            | Place::GitDir
            | Place::OutsideProject
            | Place::Device(DeviceKind::Storage | DeviceKind::Other)
            | Place::InHome(HomeKind::Data | HomeKind::Config) => Gravity::Grave,
            Place::Unknown(_) if self.is_everything_in_a_known_place(target) => Gravity::Grave,
            Place::InProject(Rebuildable::No) if found::is_built_library(&target.resolved.path) => {
                Gravity::Harmless
            }
            Place::InProject(Rebuildable::No) if is_production_data(&target.resolved.path) => {
                Gravity::Grave
            }
            Place::InHome(HomeKind::Cache | HomeKind::Download)
            | Place::Unknown(_)
            | Place::InProject(Rebuildable::No) => Gravity::Doubtful,
            Place::InProject(Rebuildable::Output | Rebuildable::Scratch | Rebuildable::Ignored)
            | Place::Device(DeviceKind::Harmless)
            | Place::Temp => Gravity::Harmless,
        }
    }

    /// Elsewhere the working directory is unknown, but `/srv` is `/srv`.
    fn is_everything_in_a_known_place(&self, target: &Target) -> bool {
        self.invocation.runs_elsewhere()
            && target.resolved.path.starts_with('/')
            && !target.resolved.path.starts_with(NOWHERE)
            && !target.resolved.path.contains('*')
    }

    fn is_recursive(&self) -> bool {
        self.invocation.args.iter().filter_map(Arg::text).any(|it| {
            it == "--recursive"
                || (it.starts_with('-') && !it.starts_with("--") && it.contains(['r', 'R']))
        })
    }

    fn shred(&self, effects: &mut Vec<Effect>) {
        let args = operands(
            &self.invocation.args,
            &["-n", "-s", "--iterations", "--size", "--random-source"],
        );
        let before = effects.len();
        self.delete(&args, effects);
        // What is shredded is not found in any backup either.
        for effect in effects.iter_mut().skip(before) {
            if effect.rule == DELETE.id {
                effect.gravity = Gravity::Grave;
            }
        }
    }

    /// What a search or a listing gives to a deletion.
    fn listed(&self, listing: &str) -> Option<Effect> {
        let gravity = found::gravity_of_listing(self, listing);
        Self::found_effect(gravity, listing)
    }

    fn found_effect(gravity: Gravity, listing: &str) -> Option<Effect> {
        (gravity != Gravity::Harmless).then(|| {
            let short: String = listing.chars().take(120).collect();
            DELETE_FOUND.effect(gravity, format!("deletes everything that `{short}` finds"))
        })
    }

    fn stdin_text(&self) -> &str {
        match &self.invocation.stdin {
            Stdin::Text(text) => text,
            Stdin::None | Stdin::File(_) | Stdin::Pipe(_) => "",
        }
    }
}

fn has_no_ending(path: &str) -> bool {
    !path.rsplit('/').next().unwrap_or(path).contains('.')
}

/// A database that real people depend on, by its name.
fn is_production_data(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let data = [".sqlite", ".sqlite3", ".db", ".mdb", ".rdb", ".kdbx"]
        .iter()
        .any(|ending| name.ends_with(ending));
    data && (name.contains("prod") || name.contains("live") || name.contains("customer"))
}

/// The arguments that are no options; `with_value` take the next word.
fn operands<'a>(args: &'a [Arg], with_value: &[&str]) -> Vec<&'a Arg> {
    let mut found = Vec::new();
    let mut only = false;
    let mut skip = false;
    for arg in args {
        let text = arg.text_or_pattern().unwrap_or_default();
        if std::mem::take(&mut skip) {
            continue;
        }
        if !only && text == "--" {
            only = true;
        } else if only || !text.starts_with('-') || text == "-" {
            found.push(arg);
        } else {
            skip = with_value.contains(&text);
        }
    }
    found
}

fn has(args: &[Arg], options: &[&str]) -> bool {
    args.iter()
        .filter_map(Arg::text)
        .any(|it| options.contains(&it))
}

fn asks_only(args: &[Arg]) -> bool {
    has(args, &["--help", "--version"])
}

fn text_of(arg: &Arg) -> String {
    match &arg.value {
        Value::Known(text) | Value::Pattern(text) | Value::Partly(text) => text.clone(),
        Value::Unknown => "…".to_owned(),
    }
}

/// `tar -cf x`: the archive comes first.
fn starts_cluster(args: &[Arg]) -> bool {
    args.iter()
        .filter_map(Arg::text)
        .any(|it| !it.starts_with("--") && it.starts_with('-') && it.ends_with('f') && it.len() > 2)
}
