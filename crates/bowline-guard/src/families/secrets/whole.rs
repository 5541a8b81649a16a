//! Whole homes and machines as a source: every secret of a person is among what is taken.

use crate::effect::Effect;
use crate::interpret::{At, NOWHERE};
use crate::invocation::{Directory, Invocation};
use crate::paths::{World, resolve};
use crate::sensitive::search_of_everything;

use super::{SEND_WHOLE, Use, WHOLE};

/// The words among `paths` that are a home or the root of the machine.
pub(super) fn whole_places(
    does: Use,
    paths: &[&str],
    invocation: &Invocation,
    world: &dyn World,
) -> Option<Effect> {
    let path = paths
        .iter()
        .take(super::MAX_FILES)
        .find(|it| is_whole(it, invocation, world))?;
    Some(match does {
        Use::Sends => SEND_WHOLE.grave(format!("sends everything in {path}")),
        Use::Copies => WHOLE.doubtful(format!("copies everything in {path}")),
        Use::Prints | Use::Loads => WHOLE.doubtful(format!("reads everything in {path}")),
    })
}

/// What programs that pack or print feed to one that sends.
pub(super) fn piped(
    programs: &[String],
    invocation: &Invocation,
    world: &dyn World,
) -> Option<Effect> {
    programs.iter().find_map(|program| {
        let mut words = program.split_whitespace();
        let packs = matches!(
            words.next(),
            Some("tar" | "gtar" | "bsdtar" | "zip" | "7z" | "cpio" | "grep" | "rg")
        );
        let paths: Vec<&str> = words
            .filter(|it| packs && !it.starts_with('-'))
            .map(|it| it.trim_matches(['"', '\'']))
            .collect();
        whole_places(Use::Sends, &paths, invocation, world)
    })
}

fn is_whole(path: &str, invocation: &Invocation, world: &dyn World) -> bool {
    if invocation.runs_elsewhere() || path.contains(':') {
        return false;
    }
    let cwd = match &invocation.directory {
        Directory::Known(cwd) => cwd.as_str(),
        Directory::Unknown => NOWHERE,
    };
    let here = At::directory(cwd, world);
    search_of_everything(&resolve(path, &here), &here).is_some()
}
