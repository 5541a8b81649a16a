//! Private folders and files: only their owner can use them, and those of other users are refused.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::error::{Error, Result};

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Creates a folder that only its owner can use, or takes an existing one of the same owner.
pub fn private_folder(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)
        .map_err(Error::file(path))?;
    make_private(path, FOLDER_MODE, user())
}

/// Creates an empty file that only its owner can use, or takes an existing one.
pub(crate) fn private_file(path: &Path) -> Result<()> {
    match new_private_file(path) {
        Ok(_) => Ok(()),
        Err(Error::File { source, .. }) if source.kind() == io::ErrorKind::AlreadyExists => {
            make_private(path, FILE_MODE, user())
        }
        Err(error) => Err(error),
    }
}

/// Creates a new file that only its owner can use.
pub(crate) fn new_private_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path)
        .map_err(Error::file(path))
}

/// Removes other users' permissions from one of our files or folders.
fn make_private(path: &Path, mode: u32, user: u32) -> Result<()> {
    // A link has an owner, too. Another user's link may lead elsewhere at any moment.
    let link = fs::symlink_metadata(path).map_err(Error::file(path))?;
    let metadata = fs::metadata(path).map_err(Error::file(path))?;
    for owner in [link.uid(), metadata.uid()] {
        if owner != user {
            return Err(Error::ForeignOwner {
                path: path.to_owned(),
                owner,
                user,
            });
        }
    }
    // A file that its owner made read-only stays so.
    let wanted = metadata.mode() & mode;
    if metadata.mode() & 0o777 != wanted {
        fs::set_permissions(path, Permissions::from_mode(wanted)).map_err(Error::file(path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{lchown, symlink};

    use bowline_testkit::needs;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn folders_and_files_are_for_their_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        private_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        let file = folder.join("f");
        private_file(&file).unwrap();
        assert_eq!(mode(&file), 0o600);

        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        private_folder(&folder).unwrap();
        private_file(&file).unwrap();
        assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    }

    #[test]
    fn a_link_is_followed_if_it_is_ours() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let link = place.path().join("link");
        symlink(&folder, &link).unwrap();
        private_folder(&link).unwrap();
        assert_eq!(mode(&folder), 0o700, "what it leads to is private");
    }

    #[needs(root)]
    #[test]
    fn a_link_of_somebody_else_is_not_followed() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let link = place.path().join("link");
        symlink(&folder, &link).unwrap();
        lchown(&link, Some(user() + 1), None).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        let error = private_folder(&link).unwrap_err();
        let other = user() + 1;
        assert!(
            matches!(error, Error::ForeignOwner { owner, .. } if owner == other),
            "{error}"
        );
        assert_eq!(mode(&folder), 0o755, "nothing was touched");
    }

    #[test]
    fn what_belongs_to_somebody_else_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let error = make_private(place.path(), FOLDER_MODE, user() + 1).unwrap_err();
        assert!(matches!(error, Error::ForeignOwner { .. }), "{error}");
    }
}
