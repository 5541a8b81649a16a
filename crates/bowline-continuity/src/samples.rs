//! Things that the tests of several modules use.

use chrono::{DateTime, Utc};

use crate::effort::{Effort, EffortId, Lifecycle, Metadata};

/// The second effort of a task, half-way through.
pub(crate) fn effort() -> Effort {
    Effort {
        id: EffortId(7),
        task: "/shop/.tasks/checkout".into(),
        project: "/shop".into(),
        skill: "implement".into(),
        mode: None,
        ordinal: 2,
        lifecycle: Lifecycle::Active,
        phase: Some("2.1: Build".into()),
        phases: vec!["1: Plan".into(), "2.1: Build".into(), "3: Test".into()],
        directives: Vec::new(),
        directories: Vec::new(),
        metadata: Metadata::default(),
        created_at: moment(0),
        finished_at: None,
    }
}

/// A moment so many seconds after noon of some day.
pub(crate) fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_794_744_000 + seconds, 0).expect("a time that exists")
}
