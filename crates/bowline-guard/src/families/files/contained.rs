//! Files in containers: what a new one has of its own, and what a running one makes again.

use super::{Files, Target};
use crate::invocation::Through;
use crate::paths::{Place, is_within, rebuildable_by_name, scratch_by_name};

/// Where a container's own files are not all that there is: data that is kept in volumes.
const DATA: &[&str] = &[
    "/var/lib", "/data", "/var/opt", "/mnt", "/backup", "/backups",
];

/// Whether a path is a container's own: gone with it, and made again by its image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// A container that was started for this command alone, and sees nothing of the machine.
    NewContainer,
    /// A container that runs: what is mounted into it is not known.
    Container,
    Machine,
}

/// Whose file a target is.
pub(super) fn owner(files: &Files<'_>, target: &Target) -> Owner {
    // Places that an image does not have are seen through a mount.
    let own = matches!(
        target.place,
        Place::Root | Place::System | Place::OutsideProject | Place::OtherHome | Place::Temp
    );
    let through = |it: &Through| files.invocation.through.contains(it);
    if !own {
        Owner::Machine
    } else if through(&Through::NewContainer) {
        Owner::NewContainer
    } else if through(&Through::Container) {
        Owner::Container
    } else {
        Owner::Machine
    }
}

/// Whether nothing is lost when a container's file is gone.
pub(super) fn is_made_again(files: &Files<'_>, target: &Target) -> bool {
    let path = target.resolved.path.as_str();
    match owner(files, target) {
        Owner::NewContainer => true,
        Owner::Container => {
            (rebuildable_by_name(path) || scratch_by_name(path))
                && !DATA.iter().any(|data| is_within(path, data))
        }
        Owner::Machine => false,
    }
}
