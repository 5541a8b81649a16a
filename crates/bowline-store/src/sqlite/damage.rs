//! Damaged databases and logs: what is left is used, records that this process still holds are restored, the rest is counted.

use chrono::{SecondsFormat, Utc};

use super::apply::Apply;
use super::backend::SqliteBackend;
use super::log::LogState;
use super::{checkpoint, connection, queries};
use crate::error::{Error, Result};
use crate::gap::GapCause;
use crate::queue::lock;
use crate::store::Integrity;
use crate::writer::{Applied, Backend};

/// Why what was committed last may be missing, and how much of it there was.
#[derive(Debug)]
pub(super) struct Doubt {
    cause: GapCause,
    message: String,
    /// How many records were in a database that is gone, as far as that is known.
    held: u64,
    /// The newest of them: what another database has up to here is not missing.
    newest: Option<i64>,
}

impl SqliteBackend {
    /// Looks at the file itself, not at what is remembered of it; replaces it if it is damaged.
    pub(super) fn verify(&mut self) -> Result<()> {
        // A log that was cut makes a good database look damaged.
        self.look_after_files();
        let fresh = connection::open_for_reading(&self.path);
        let message = match fresh.and_then(|fresh| queries::integrity(&fresh)) {
            Ok(Integrity::Sound) => return Ok(()),
            Ok(Integrity::Damaged(what)) => what.into_iter().next().unwrap_or_default(),
            Err(Error::Corrupt(message)) => message,
            Err(error) => return Err(error),
        };
        self.begin_anew(&message)?;
        self.prepare()
    }

    /// Moves a damaged database aside, unless another process has done it.
    pub(super) fn begin_anew(&mut self, message: &str) -> Result<()> {
        let opened = self.opened;
        let path = self.path.clone();
        let aside = self.let_go(|| {
            // Another process may have done it already, or may be about to.
            let _alone = connection::lock_shape(&path)?;
            if connection::identity(&path) == opened {
                connection::move_aside(&path).map(Some)
            } else {
                Ok(None)
            }
        })?;
        let Some(aside) = aside else {
            // That process counts its records. Records that this process holds may still be missing.
            self.recent.take_committed();
            self.doubt_log();
            return self.settle_doubt();
        };
        let committed = self.recent.take_committed();
        let (held, known) = match connection::count_events(&aside) {
            Some(counted) => (counted.max(committed), "so many were counted in it"),
            // It held something, or the damage would not have been noticed.
            None => (committed.max(1), "it held at least so many"),
        };
        self.tell_removed();
        self.doubted = Some(Doubt {
            cause: GapCause::MovedAside,
            message: format!(
                "the database could not be used ({message}); it was moved to {} and a new one begun; {known}",
                aside.display()
            ),
            held,
            newest: None,
        });
        self.settle_doubt()
    }

    /// Looks whether the database and its log are the files that were opened.
    pub(super) fn look_after_files(&mut self) {
        self.look_after_database();
        self.look_after_log();
    }

    /// Looks whether the database is the file that was opened. If it is not, it is let go: what is written to it, nobody would ever
    /// read.
    pub(super) fn look_after_database(&mut self) {
        let opened = self.opened;
        let found = connection::identity(&self.path);
        if opened.is_none() || found == opened {
            return;
        }
        let counted = self.connection.as_mut().map(connection::count_open);
        let path = self.path.clone();
        let log = self.log.identity();
        self.let_go(|| {
            // Its log would be taken for the other file's.
            if found.is_some() {
                connection::remove_log(&path, log);
            }
        });
        self.opened = None;
        if connection::was_moved_aside(&path, opened) {
            self.recent.take_committed();
            self.doubt_log();
        } else {
            self.doubt_removed(counted.flatten());
        }
    }

    /// A removed database was perhaps removed on purpose: its records are counted, not restored.
    fn doubt_removed(&mut self, counted: Option<(u64, i64)>) {
        let committed = self.recent.take_committed();
        self.recent.forget();
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let (held, newest, known) = match counted {
            Some((held, newest)) => (held, Some(newest), "so many of its records are missing"),
            None => (
                committed,
                None,
                "all its records before are missing, at least so many",
            ),
        };
        self.tell_removed();
        self.doubted = Some(Doubt {
            cause: GapCause::Removed,
            message: format!(
                "the database was removed or replaced while it was in use (seen at {now}); {known}"
            ),
            held,
            newest,
        });
    }

    /// Another database stood in the place of one that was removed, and is gone too: nothing of the first can be in the next.
    fn tell_removed(&mut self) {
        let removed = |doubt: &mut Doubt| doubt.cause == GapCause::Removed;
        if let Some(doubt) = self.doubted.take_if(removed) {
            lock(&self.gaps).add(doubt.cause, doubt.held, doubt.message);
        }
    }

    /// Finds out what is missing, and writes it down.
    pub(super) fn tell_losses(&mut self) {
        self.look_after_files();
        if let Err(error) = self.whole(Self::settle_doubt) {
            tracing::debug!("what is missing could not be found out yet: {error}");
        }
        self.write_gaps();
    }

    /// Gaps that nothing else is committed with have a commit of their own.
    pub(super) fn write_gaps(&mut self) {
        let gaps = lock(&self.gaps).list();
        if !gaps.is_empty() && self.commit(&[], &gaps, self.options.deadline).is_ok() {
            lock(&self.gaps).written(&gaps);
        }
    }

    /// Looks whether the log is the one that was written. If it is not, the database is opened anew with what is left, and what
    /// is missing then is brought back or counted.
    fn look_after_log(&mut self) {
        let state = match &self.connection {
            Some(_) => self.log.state(),
            None => LogState::Whole,
        };
        if state == LogState::Whole {
            return;
        }
        tracing::info!("the database's log is not as it was left: the database is opened anew");
        if state == LogState::Removed {
            // It can be read as long as it is open: what is in it goes where it belongs.
            self.readers.close();
            let keeper = self.keeper.clone();
            let _pen = keeper.take_pen();
            if let Some(db) = &self.connection
                && let Err(error) = checkpoint::truncate(db)
            {
                tracing::warn!("the log that was removed could not be saved: {error}");
            }
        }
        if let Some(db) = &self.connection
            && let Err(error) = connection::keep_log_on_close(db)
        {
            tracing::warn!("the log may be moved although a part of it is missing: {error}");
        }
        self.let_go(|| ());
        self.doubt_log();
    }

    fn doubt_log(&mut self) {
        self.doubted.get_or_insert_with(|| Doubt {
            cause: GapCause::LostLog,
            message: "the database's log was cut or removed while it was in use, and what was in it is missing".to_owned(),
            held: 0,
            newest: None,
        });
    }

    /// Forgotten records must not be restored: if anything was forgotten, nothing is restored.
    fn drop_forgotten(&mut self) {
        let forgotten = connection::times_forgotten(&self.path);
        if std::mem::replace(&mut self.forgotten, forgotten) != forgotten {
            self.recent.forget();
        }
    }

    /// Restores missing records that this process holds, and counts the others.
    pub(super) fn settle_doubt(&mut self) -> Result<()> {
        if self.doubted.is_none() {
            return Ok(());
        }
        self.database()?;
        self.drop_forgotten();
        let again = self.recent.records();
        let keeper = self.keeper.clone();
        let pen = keeper.take_pen();
        let recent = std::mem::take(&mut self.recent);
        let newest = self.doubted.as_ref().and_then(|doubt| doubt.newest);
        let settled = self.transact(self.options.deadline, |db, memory| {
            memory.refresh(db)?;
            // Before anything is brought back, which is newer than what is missing.
            let oldest = queries::oldest_event(db)?;
            let mut back = match newest {
                Some(newest) => queries::events_until(db, newest)?,
                None => 0,
            };
            for record in &again {
                let applied = Apply::new(db, memory, record).run()?;
                back += u64::from(matches!(applied, Applied::Recorded(_)));
            }
            memory.write_rest(db)?;
            Ok((back, recent.missing(db, oldest)?))
        });
        drop(pen);
        self.recent = recent;
        let (back, missing) = settled.inspect_err(|_: &Error| self.memory.forget())?;
        let Some(doubt) = self.doubted.take() else {
            return Ok(());
        };
        self.recent.log_begins_anew();
        let lost = missing.max(doubt.held.saturating_sub(back));
        if back > 0 && !again.is_empty() {
            tracing::warn!("{back} records that the database had lost were brought back");
        }
        if lost > 0 || doubt.cause == GapCause::MovedAside {
            lock(&self.gaps).add(doubt.cause, lost, doubt.message);
        }
        Ok(())
    }

    /// Only this process knows it, so it is noted now.
    pub(super) fn end_doubt(&mut self) {
        if let Err(error) = self.whole(Self::settle_doubt) {
            tracing::warn!("what is missing could not be found out: {error}");
        }
        if let Some(doubt) = self.doubted.take() {
            let lost = self.recent.count_in_log().max(doubt.held);
            lock(&self.gaps).add(doubt.cause, lost, doubt.message);
        }
    }
}
