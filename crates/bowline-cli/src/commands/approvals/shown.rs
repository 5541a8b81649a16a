//! Questions, for people.

use std::path::Path;

use bowline_builtins::inbox::Question;
use chrono::{DateTime, Utc};

use crate::project::Paths;
use crate::ui::{Text, Ui, reveal, style};

/// Every question with all that a person needs to answer it.
pub(super) fn show(questions: &[Question], now: DateTime<Utc>, ui: &mut Ui) {
    for (number, question) in questions.iter().enumerate() {
        if number > 0 {
            ui.blank();
        }
        show_one(question, now, ui);
    }
}

pub(super) fn show_one(question: &Question, now: DateTime<Utc>, ui: &mut Ui) {
    let label = |name: &str| Text::styled(format!("  {name:<8} "), style::FAINT);
    let folder = Paths::of(Path::new("")).show_absolute(Path::new(&question.project));
    ui.line(
        Text::styled(&question.id, style::NAME)
            .plain("  ")
            .with(left(question.until, now), style::CAUTION)
            .plain(format!("  {} in {folder}", reveal::name(&question.agent))),
    );
    if let Some(subagent) = &question.subagent {
        ui.labelled(label("Sub-agent"), &reveal::name(subagent).into());
    }
    let tool = reveal::name(&question.tool);
    ui.labelled(label(&tool), &reveal::code(&question.what()).into());
    if let Some(reason) = &question.reason {
        ui.labelled(label("Why"), &reveal::name(reason).into());
    }
    if let Some(rule) = &question.rule {
        ui.labelled(
            label("Rule"),
            &Text::styled(reveal::name(rule), style::NAME),
        );
    }
    if let Some(why) = &question.cut_short {
        ui.labelled(label("Waits"), &Text::styled(why, style::CAUTION));
    }
}

/// How long a question still waits.
fn left(until: DateTime<Utc>, now: DateTime<Utc>) -> String {
    match (until - now).num_seconds().max(0) {
        seconds if seconds < 60 => format!("{seconds} s left"),
        seconds => format!("{} min {} s left", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn the_rest_of_the_time_is_told() {
        let now = Utc::now();
        for (seconds, shown) in [
            (-5, "0 s left"),
            (59, "59 s left"),
            (60, "1 min 0 s left"),
            (100, "1 min 40 s left"),
        ] {
            assert_eq!(left(now + TimeDelta::seconds(seconds), now), shown);
        }
    }
}
