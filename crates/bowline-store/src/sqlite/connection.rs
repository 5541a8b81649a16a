//! Opening a database: whose it is, how it is set up, which version it has.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::Utc;
use refinery_core::{Migration, Runner};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{FlockOperation, flock};

use super::{Durability, Options, checkpoint, readers};
use crate::error::{Error, Result, Unavailable};
use crate::folder;

/// One file of `migrations`. Without the macro of refinery, which would be built with all of its dependencies for the compiler.
macro_rules! migration {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../migrations/", $name, ".sql")),
        )
    };
}

/// The oldest version of the schema that was ever released.
const OLDEST: i64 = 5;
/// The newest version of the schema.
pub(super) const NEWEST: i64 = 12;

/// All of them, in their order.
pub(super) const MIGRATIONS: [(&str, &str); 8] = [
    migration!("V5__records"),
    migration!("V6__continuity"),
    migration!("V7__current_effort"),
    migration!("V8__guidance"),
    migration!("V9__follow_up_items"),
    migration!("V10__search"),
    migration!("V11__native"),
    migration!("V12__stretches"),
];

/// `BOWL`, so that no other program's database is taken for ours.
const APPLICATION: i64 = 0x424f_574c;
/// Pages in memory, in KiB. More would not be faster: a commit whose rows made a page split looks at every one of them.
const CACHE: i64 = 3 * 1024;
/// The same of a connection that reads. The system has the pages in its own memory, where many connections find them.
const READER_CACHE: i64 = 256;
const STATEMENTS: usize = 128;
/// The text between the name of a database that was moved aside and the time.
const ASIDE: &str = ".corrupt-";
/// How long counting in a damaged database may take. A caller may be waiting.
const COUNTING: Duration = Duration::from_millis(200);

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let message = error.to_string();
        let unavailable = |why| Self::Unavailable {
            why,
            message: message.clone(),
        };
        match error.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy
                | ErrorCode::DatabaseLocked
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::OperationInterrupted,
            ) => unavailable(Unavailable::Locked),
            Some(ErrorCode::ReadOnly) => unavailable(Unavailable::ReadOnly),
            Some(ErrorCode::DiskFull) => unavailable(Unavailable::Full),
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::OutOfMemory,
            ) => unavailable(Unavailable::Unreachable),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt(message),
            _ => Self::Backend(message),
        }
    }
}

/// Opens the database for writing, makes or migrates it.
pub(super) fn open_for_writing(path: &Path, options: &Options) -> Result<Connection> {
    folder::private_folder(&options.folder)?;
    folder::private_file(path)?;
    let mut db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.busy_timeout(options.deadline / 2)?;
    check_version(&db, path)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match options.durability {
        Durability::ProcessEnd => "NORMAL",
        Durability::PowerCut => "FULL",
    };
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "cache_size", -CACHE)?;
    if options.retention.bytes.is_some() {
        let limit = checkpoint::most_bytes(options.retention.bytes);
        db.pragma_update(None, "journal_size_limit", limit)?;
    }
    // Deleted content is overwritten where that costs nothing.
    db.pragma_update(None, "secure_delete", "FAST")?;
    // A thread of its own does this.
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    if let Some(pages) = options.max_pages {
        db.pragma_update(None, "max_page_count", pages)?;
    }
    migrate(&mut db, path)?;
    Ok(db)
}

/// Opens the database for reading.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection> {
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    db.busy_timeout(Duration::from_secs(1))?;
    refuse_newer(version(&db)?, path)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    db.pragma_update(None, "cache_size", -READER_CACHE)?;
    Ok(db)
}

/// Opens the database for moving the log into it.
pub(super) fn open_for_checkpoints(path: &Path) -> Result<Connection> {
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.pragma_update(None, "wal_autocheckpoint", 0)?;
    Ok(db)
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection> {
    let db = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    // Otherwise many statements are compiled anew at each use, in case other values are better served by another plan.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(db)
}

fn version(db: &Connection) -> Result<i64> {
    Ok(db.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

fn check_version(db: &Connection, path: &Path) -> Result<()> {
    // At one moment: another process may be making the database.
    let (found, is_ours) = readers::snapshot(db, |db| {
        let found = version(db)?;
        let application: i64 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let tables: i64 =
            db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let half_made = application == 0 && found == 0;
        let is_ours =
            tables == 0 || application == APPLICATION || (half_made && is_being_made(db)?);
        Ok((found, is_ours))
    })?;
    if !is_ours {
        return Err(Error::NotOurs(path.to_owned()));
    }
    if (1..OLDEST).contains(&found) {
        return Err(Error::Corrupt(format!(
            "its schema is version {found}, from before the first release"
        )));
    }
    refuse_newer(found, path)
}

fn refuse_newer(found: i64, path: &Path) -> Result<()> {
    if found > NEWEST {
        return Err(Error::NewerSchema {
            path: path.to_owned(),
            found,
            known: NEWEST,
        });
    }
    Ok(())
}

/// Whether a first migration was begun and not finished: there is nothing but the list of migrations.
fn is_being_made(db: &Connection) -> Result<bool> {
    let others: i64 = db.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE tbl_name <> 'refinery_schema_history'",
        [],
        |row| row.get(0),
    )?;
    Ok(others == 0)
}

/// Brings the schema up to date, one process at a time.
fn migrate(db: &mut Connection, path: &Path) -> Result<()> {
    if version(db)? == NEWEST {
        return Ok(());
    }
    let alone = lock_shape(path)?;
    db.busy_timeout(Duration::from_secs(5))?;
    let migrated = if version(db)? < NEWEST {
        apply(db).map_err(migration_error)
    } else {
        Ok(())
    };
    drop(alone);
    migrated
}

pub(super) fn apply(db: &mut Connection) -> std::result::Result<(), refinery_core::Error> {
    run(db, &MIGRATIONS)
}

/// Applies those that are not applied yet.
pub(super) fn run(
    db: &mut Connection,
    migrations: &[(&str, &str)],
) -> std::result::Result<(), refinery_core::Error> {
    let migrations = migrations
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect::<std::result::Result<Vec<_>, _>>()?;
    // The version decides what has been applied. A database that was made before the first release lists migrations that are gone.
    Runner::new(&migrations)
        .set_abort_divergent(false)
        .set_abort_missing(false)
        .run(db)
        .map(|_| ())
}

/// The right to change the schema or to replace the database, which one process has at a time.
pub(super) fn lock_shape(path: &Path) -> Result<fs::File> {
    let path = path.with_extension("migration");
    folder::private_file(&path)?;
    let file = fs::OpenOptions::new()
        .append(true)
        .open(&path)
        .map_err(Error::file(&path))?;
    flock(&file, FlockOperation::LockExclusive)
        .map_err(|error| Error::file(&path)(error.into()))?;
    Ok(file)
}

/// How often something was forgotten, by whatever process.
pub(super) fn times_forgotten(path: &Path) -> u64 {
    let path = path.with_extension("migration");
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Tells every process that still holds records not to restore them.
pub(super) fn note_forgetting(path: &Path) -> Result<()> {
    let mut file = lock_shape(path)?;
    file.write_all(b"f")
        .map_err(Error::file(path.with_extension("migration")))
}

/// Whether a migration failed because what it makes exists. Each is committed together with its version, so this is damage.
fn is_there_already(message: &str) -> bool {
    message.starts_with("duplicate column name") || message.ends_with("already exists")
}

/// The database's own error says whether it may pass.
fn migration_error(error: refinery_core::Error) -> Error {
    let text = error.to_string();
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(inner) = source {
        let (code, message) = match inner.downcast_ref() {
            Some(rusqlite::Error::SqliteFailure(code, message)) => (*code, message.clone()),
            Some(rusqlite::Error::SqlInputError { error, msg, .. }) => (*error, Some(msg.clone())),
            _ => {
                source = inner.source();
                continue;
            }
        };
        // After a log was cut, pages of several moments may stand beside each other.
        if let Some(message) = message.as_deref().filter(|it| is_there_already(it)) {
            let message = format!("its tables are newer than its version: {message}");
            return Error::Corrupt(message);
        }
        return rusqlite::Error::SqliteFailure(code, message).into();
    }
    Error::Backend(format!(
        "the schema could not be brought up to date: {text}"
    ))
}

/// Moves a damaged database out of the way, with everything that belongs to it; says where it is now.
pub(super) fn move_aside(path: &Path) -> Result<PathBuf> {
    let stamp = Utc::now().format("%Y%m%dT%H%M%S%3fZ");
    let aside = with_suffix(path, &format!("{ASIDE}{stamp}"));
    for suffix in ["-wal", "-shm", ""] {
        let from = with_suffix(path, suffix);
        match fs::rename(&from, with_suffix(&aside, suffix)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            other => other.map_err(Error::file(from))?,
        }
    }
    Ok(aside)
}

/// The databases that were moved aside, with what belongs to them.
pub(super) fn moved_aside(path: &Path) -> Result<Vec<PathBuf>> {
    let folder = path.parent().unwrap_or(path);
    let prefix = with_suffix(path, ASIDE);
    let prefix = prefix.file_name().unwrap_or_default().as_encoded_bytes();
    let entries = fs::read_dir(folder).map_err(Error::file(folder))?;
    let files = entries.flatten().map(|entry| entry.path());
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(prefix)
    };
    Ok(files.filter(is_aside).collect())
}

/// Whether another process has moved this database aside.
pub(super) fn was_moved_aside(path: &Path, opened: Option<(u64, u64)>) -> bool {
    let aside = moved_aside(path).unwrap_or_default();
    opened.is_some() && aside.iter().any(|file| identity(file) == opened)
}

/// Closing the last connection moves the log into the database; after this it does not.
pub(super) fn keep_log_on_close(db: &Connection) -> Result<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(())
}

/// How many events are in a database that is damaged, if that can be counted in a moment.
pub(super) fn count_events(path: &Path) -> Option<u64> {
    let name = path.to_str()?;
    let name = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    // It no longer changes, and no file may be created beside it.
    let uri = PathBuf::from(format!("file:{name}?immutable=1"));
    let access = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let mut db = connect(&uri, access).ok()?;
    count_open(&mut db).map(|(count, _)| count)
}

/// How many events are in a database that is open, and the number of the newest, if that can be counted in a moment.
pub(super) fn count_open(db: &mut Connection) -> Option<(u64, i64)> {
    let began = Instant::now();
    db.progress_handler(1_000, Some(move || began.elapsed() > COUNTING))
        .ok()?;
    let counted = db.query_row(
        "SELECT (SELECT count(*) FROM events), (SELECT max(id) FROM events)",
        [],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?)),
    );
    let (count, newest) = counted.ok()?;
    Some((u64::try_from(count).ok()?, newest.unwrap_or(i64::MIN)))
}

/// Removes a log that belongs to no database any more, if it is this one.
pub(super) fn remove_log(path: &Path, log: Option<(u64, u64)>) {
    let file = with_suffix(path, "-wal");
    if log.is_none() || identity(&file) != log {
        return;
    }
    for file in [file, with_suffix(path, "-shm")] {
        if let Err(error) = fs::remove_file(&file) {
            tracing::warn!("{} cannot be removed: {error}", file.display());
        }
    }
}

/// Which file stands at a path.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// The path with something appended to its last name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
