//! Where the daemon's socket, lock and data are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bowline::settings::{self, Locations, StoreDurability};
use bowline_store::{Durability, Options, Retention};
use bowline_wire::SocketPathError;

/// The paths of files that outlive one process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// What Bowline keeps: the database, its spool, whether it is paused.
    pub data: PathBuf,
    /// The daemon's socket.
    pub socket: PathBuf,
}

/// Why a path cannot be determined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The variable for the socket cannot be used.
    #[error(transparent)]
    Socket(#[from] SocketPathError),
    /// There is neither a home folder nor a folder for data.
    #[error("there is no home folder; set HOME or XDG_DATA_HOME to an absolute path")]
    NoHome,
}

impl Places {
    /// The places of the user who runs this process.
    pub fn from_env() -> Result<Self, PlaceError> {
        Self::at(&Locations::from_env(), |name| std::env::var_os(name))
    }

    /// The places of a user whose environment this is.
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, PlaceError> {
        Self::at(&Locations::of_environment(&variable), &variable)
    }

    fn at(
        locations: &Locations,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, PlaceError> {
        let user = rustix::process::geteuid().as_raw();
        let socket = bowline_wire::socket_path(variable, user, Path::is_dir)?;
        let data = locations.data_dir.clone().ok_or(PlaceError::NoHome)?;
        Ok(Self { data, socket })
    }

    /// The folder of the socket.
    pub fn runtime(&self) -> PathBuf {
        self.socket
            .parent()
            .map_or_else(PathBuf::new, PathBuf::from)
    }

    /// The file that the one daemon holds locked.
    pub fn lock(&self) -> PathBuf {
        self.socket.with_extension("lock")
    }

    /// Marker file next to the socket. The client that starts the daemon creates it; other clients do not start one while it is fresh.
    pub fn starting(&self) -> PathBuf {
        bowline_wire::starting_marker(&self.socket)
    }

    /// The file that says that Bowline is paused.
    pub fn pause(&self) -> PathBuf {
        self.data.join("paused.json")
    }

    /// Where the store is, and how long it keeps things by the settings of the user and the administrator.
    pub fn store(&self) -> Options {
        let mut options = Options::new(&self.data);
        options.runtime_folder = Some(self.runtime());
        // No project may set the retention, so any folder will do.
        let config = settings::load(Path::new("/"), &Locations::from_env())
            .config
            .store;
        options.retention = Retention {
            days: Some(config.keep_days),
            bytes: Some(u64::from(config.max_size_mb) * 1024 * 1024),
        };
        options.durability = match config.durability {
            StoreDurability::Power => Durability::PowerCut,
            _ => Durability::ProcessEnd,
        };
        options
    }
}
