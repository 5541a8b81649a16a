//! One daemon per user: the lock, and the socket that belongs to the holder of the lock.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::fs::OFlags;

use crate::places::Places;

/// A process that checks the lock holds it for a moment, so the daemon tries several times.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Why a daemon cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Another daemon is running.
    #[error("a daemon is already running")]
    AlreadyRunning,
    /// The folder of the socket belongs to another user.
    #[error("`{}` belongs to user {owner}, not to you ({user})", path.display())]
    ForeignFolder {
        /// The folder.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// Who we are.
        user: u32,
    },
    /// Other users could replace our socket.
    #[error("others may write to `{}` (mode {mode:o})", path.display())]
    OpenFolder {
        /// The folder.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// There is something else at the socket's path.
    #[error("`{}` is in the way: it is not a socket", .0.display())]
    InTheWay(PathBuf),
    /// There is something else at the lock's path.
    #[error("`{}` is in the way: it is not a file that only you can use", .0.display())]
    NoLock(PathBuf),
    /// A file cannot be used.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    File {
        /// What was attempted.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] bowline_store::Error),
    /// The system refuses something that every daemon needs.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was attempted.
        doing: &'static str,
        /// What the system says.
        source: io::Error,
    },
}

/// The right to be the daemon. It ends with the process, also after a crash.
#[derive(Debug)]
pub(crate) struct Instance {
    socket: PathBuf,
    /// Held, but never read.
    _lock: File,
    /// The socket's device and inode, once it exists.
    made: Option<(u64, u64)>,
}

impl Instance {
    /// Takes the lock, if it is free.
    pub(crate) fn claim(places: &Places) -> Result<Self, StartError> {
        let user = rustix::process::geteuid().as_raw();
        let usual = bowline_wire::socket_path(
            |name| (name != "BOWLINE_SOCKET").then(|| std::env::var_os(name))?,
            user,
            Path::is_dir,
        );
        let folder = match usual {
            Ok(usual) if usual == places.socket => Folder::Ours,
            _ => Folder::Given,
        };
        prepare(&places.runtime(), folder, user)?;
        let path = places.lock();
        let mut lock = open_lock(OpenOptions::new().create(true).write(true), &path, user)?;
        take(&lock, &path)?;
        // For programs that find this process silent, or that wait for its exit.
        if let Err(error) = lock
            .set_len(0)
            .and_then(|()| writeln!(lock, "{}", std::process::id()))
        {
            tracing::warn!("`{}` does not name this process: {error}", path.display());
        }
        Ok(Self {
            socket: places.socket.clone(),
            _lock: lock,
            made: None,
        })
    }

    /// Creates the socket, and replaces one that a dead daemon left behind. It appears in one step: private and listening.
    pub(crate) fn listen(&mut self) -> Result<UnixListener, StartError> {
        if let Ok(found) = self.socket.symlink_metadata()
            && !found.file_type().is_socket()
        {
            return Err(StartError::InTheWay(self.socket.clone()));
        }
        let beside = self.socket.with_extension("new");
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(file("remove", &beside)(error));
            }
            _ => {}
        }
        let listener = UnixListener::bind(&beside).map_err(file("listen on", &beside))?;
        fs::set_permissions(&beside, Permissions::from_mode(0o600))
            .map_err(file("protect", &beside))?;
        fs::rename(&beside, &self.socket).map_err(file("make", &self.socket))?;
        self.made = identity(&self.socket);
        Ok(listener)
    }

    /// Whether the socket is still ours.
    fn owns_socket(&self) -> bool {
        self.made.is_some() && identity(&self.socket) == self.made
    }

    /// Checks that on a thread where a disk that hangs delays nobody. Clients that missed this daemon learn that it is back.
    pub(crate) fn socket_is_lost(&self) -> impl FnOnce() -> bool + Send + 'static {
        let (socket, made) = (self.socket.clone(), self.made);
        move || {
            let is_lost = made.is_none() || identity(&socket) != made;
            if !is_lost {
                let _ = fs::remove_file(bowline_wire::starting_marker(&socket));
            }
            is_lost
        }
    }

    /// Removes the socket, so that clients run without a daemon or start another one.
    pub(crate) fn remove_socket(&mut self) {
        if self.owns_socket()
            && let Err(error) = fs::remove_file(&self.socket)
        {
            tracing::warn!("the socket cannot be removed: {error}");
        }
        self.made = None;
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.remove_socket();
    }
}

/// Opens the lock, which must be a regular file of ours. A link may lead to another file, and a pipe would block.
fn open_lock(how: &OpenOptions, path: &Path, user: u32) -> Result<File, StartError> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = how
        .clone()
        .mode(0o600)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    let lock = opened.map_err(|error| match path.symlink_metadata() {
        Ok(found) if !found.is_file() => StartError::NoLock(path.to_owned()),
        _ => file("open", path)(error),
    })?;
    let found = lock.metadata().map_err(file("look at", path))?;
    if !found.is_file() || found.uid() != user || found.nlink() > 1 {
        return Err(StartError::NoLock(path.to_owned()));
    }
    Ok(lock)
}

fn take(lock: &File, path: &Path) -> Result<(), StartError> {
    for _ in 0..LOOKS {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(BETWEEN_LOOKS),
            Err(TryLockError::Error(source)) => return Err(file("lock", path)(source)),
        }
    }
    Err(StartError::AlreadyRunning)
}

/// The daemon's process, whether it answers or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// Its number, if it could write it.
    pub pid: Option<u32>,
    /// When it wrote its number. Together they identify the process.
    pub since: Option<SystemTime>,
}

impl Holder {
    /// Finds the daemon's process, whether it is starting, serving, hanging or exiting.
    pub fn of(places: &Places) -> Option<Self> {
        let user = rustix::process::geteuid().as_raw();
        let mut lock = open_lock(OpenOptions::new().read(true), &places.lock(), user).ok()?;
        // Shared, so that two programs that check do not take each other for the daemon.
        if !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        let mut text = String::new();
        let read = (&mut lock).take(32).read_to_string(&mut text);
        Some(Self {
            pid: read.ok().and_then(|_| text.trim().parse().ok()),
            since: lock.metadata().and_then(|file| file.modified()).ok(),
        })
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    let found = path.symlink_metadata().ok()?;
    Some((found.dev(), found.ino()))
}

/// Who is responsible for the folder of the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folder {
    /// The default folder, which has no other purpose.
    Ours,
    /// A folder that somebody chose, perhaps for other things as well.
    Given,
}

/// Creates a private folder for the socket, or takes an existing one. The socket itself is private. Others may therefore read a
/// given folder, but not write to it.
fn prepare(path: &Path, folder: Folder, user: u32) -> Result<(), StartError> {
    const WRITABLE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(file("make", path))?;
    let found = fs::symlink_metadata(path).map_err(file("look at", path))?;
    if found.uid() != user || !found.is_dir() {
        return Err(StartError::ForeignFolder {
            path: path.to_owned(),
            owner: found.uid(),
            user,
        });
    }
    let mode = found.mode() & 0o7777;
    match folder {
        Folder::Ours if mode & 0o077 != 0 => {
            fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(file("protect", path))
        }
        Folder::Given if mode & WRITABLE != 0 && mode & STICKY == 0 => {
            Err(StartError::OpenFolder {
                path: path.to_owned(),
                mode,
            })
        }
        _ => Ok(()),
    }
}

fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    move |source| StartError::File {
        doing,
        path,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(folder: &Path) -> Places {
        Places {
            data: folder.join("data"),
            socket: folder.join("run/daemon.sock"),
        }
    }

    #[test]
    fn f30_a_only_one_can_be_the_daemon_and_a_dead_socket_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let mut first = Instance::claim(&places).unwrap();
        let listener = first.listen().unwrap();
        fs::write(places.starting(), "").unwrap();
        assert!(!first.socket_is_lost()());
        assert!(!places.starting().exists(), "it has started");
        let refused = Instance::claim(&places).unwrap_err();
        assert!(matches!(refused, StartError::AlreadyRunning), "{refused}");

        let mode = |path: &Path| path.metadata().unwrap().mode() & 0o777;
        assert_eq!(mode(&places.socket), 0o600);
        assert_eq!(mode(&places.runtime()), 0o700);

        // As after a kill: the lock is free, but the socket still exists.
        drop(listener);
        first.made = None;
        drop(first);
        assert!(places.socket.exists());
        let mut second = Instance::claim(&places).unwrap();
        let _listener = second.listen().unwrap();
        std::os::unix::net::UnixStream::connect(&places.socket).unwrap();
        drop(second);
        assert!(!places.socket.exists());
    }

    #[test]
    fn a_socket_that_somebody_replaced_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        let mut instance = Instance::claim(&places).unwrap();
        let _listener = instance.listen().unwrap();
        fs::remove_file(&places.socket).unwrap();
        fs::write(&places.socket, "other").unwrap();
        assert!(instance.socket_is_lost()());
        drop(instance);
        assert_eq!(fs::read_to_string(&places.socket).unwrap(), "other");
        let mut next = Instance::claim(&places).unwrap();
        let refused = next.listen().unwrap_err();
        assert!(matches!(refused, StartError::InTheWay(_)), "{refused}");
    }

    #[test]
    fn only_the_usual_folder_is_closed_and_another_is_taken_as_it_is_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let user = rustix::process::geteuid().as_raw();
        let path = folder.path().join("run");
        for (before, whose, after) in [
            (None, Folder::Given, Some(0o700)),
            (None, Folder::Ours, Some(0o700)),
            (Some(0o755), Folder::Ours, Some(0o700)),
            (Some(0o777), Folder::Ours, Some(0o700)),
            (Some(0o755), Folder::Given, Some(0o755)),
            (Some(0o750), Folder::Given, Some(0o750)),
            (Some(0o1777), Folder::Given, Some(0o1777)),
            (Some(0o775), Folder::Given, None),
            (Some(0o702), Folder::Given, None),
        ] {
            if let Some(mode) = before {
                fs::create_dir(&path).unwrap();
                fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            }
            let prepared = prepare(&path, whose, user);
            let mode = path.metadata().unwrap().mode() & 0o7777;
            if let Some(after) = after {
                prepared.unwrap();
                assert_eq!(mode, after, "{before:?} {whose:?}");
            } else {
                let refused = prepared.unwrap_err();
                assert!(
                    matches!(refused, StartError::OpenFolder { .. }),
                    "{refused}"
                );
                assert_eq!(Some(mode), before, "left alone");
            }
            fs::remove_dir(&path).unwrap();
        }
    }

    #[test]
    fn a_folder_that_somebody_chose_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let places = Places {
            data: folder.path().join("data"),
            socket: folder.path().join("d.sock"),
        };
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        Instance::claim(&places).unwrap();
        assert_eq!(folder.path().metadata().unwrap().mode() & 0o777, 0o755);
    }

    #[test]
    fn what_is_no_lock_of_ours_is_neither_followed_nor_waited_for_nor_emptied() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        fs::create_dir_all(places.runtime()).unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "text").unwrap();
        let lock = places.lock();
        let makes: [(&str, &dyn Fn()); 4] = [
            ("a link", &|| {
                std::os::unix::fs::symlink(&precious, &lock).unwrap();
            }),
            ("a second name", &|| {
                fs::hard_link(&precious, &lock).unwrap();
            }),
            ("a pipe", &|| {
                let mode = rustix::fs::Mode::from_raw_mode(0o600);
                let node = rustix::fs::FileType::Fifo;
                rustix::fs::mknodat(rustix::fs::CWD, &lock, node, mode, 0).unwrap();
            }),
            ("a folder", &|| fs::create_dir(&lock).unwrap()),
        ];
        for (what, make) in makes {
            make();
            let refused = Instance::claim(&places).unwrap_err();
            assert!(
                matches!(refused, StartError::NoLock(_)),
                "{what}: {refused}"
            );
            assert_eq!(Holder::of(&places), None, "{what}");
            assert_eq!(fs::read_to_string(&precious).unwrap(), "text", "{what}");
            fs::remove_file(&lock)
                .or_else(|_| fs::remove_dir(&lock))
                .unwrap();
        }
    }

    #[test]
    fn the_holder_is_named_and_asking_for_it_hinders_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let places = places(folder.path());
        assert_eq!(Holder::of(&places), None);
        let instance = Instance::claim(&places).unwrap();
        let holder = Holder::of(&places).unwrap();
        assert_eq!(holder.pid, Some(std::process::id()));
        assert!(holder.since.is_some());
        assert_eq!(Holder::of(&places), Some(holder), "as long as it lives");
        drop(instance);
        assert_eq!(Holder::of(&places), None);

        // A program that checks holds the lock for a moment; here a little longer.
        let asking = File::open(places.lock()).unwrap();
        asking.try_lock_shared().unwrap();
        assert_eq!(Holder::of(&places), None, "those who ask do not count");
        let claiming = thread::spawn(move || Instance::claim(&places).map(drop));
        thread::sleep(BETWEEN_LOOKS * 3);
        drop(asking);
        claiming.join().unwrap().unwrap();
    }
}
