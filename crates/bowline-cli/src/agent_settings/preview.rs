//! The preview of a change. If several events change alike, the first is shown in full and the others by name.

use std::path::PathBuf;

use super::diff::Diff;
use super::installable::FileKind;
use super::{Found, Installable, Unfit};
use crate::project::Paths;
use crate::ui::{Text, Ui, counted, style};

/// Of a file of Bowline's own at most so many lines are shown: what it starts stands at its beginning.
const MOST_OF_OWN: usize = 32;

/// A change, shown as briefly as possible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Preview {
    diff: Diff,
    /// How many more lines change.
    more: usize,
    alike: Vec<Alike>,
}

/// Events that change as another one does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Alike {
    example: String,
    others: Vec<String>,
}

/// What becomes of one event's entries, without the event's own name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Course {
    before: Vec<Found>,
    after: Vec<Found>,
}

impl Course {
    /// What becomes of the entries of a file that is for one event; nothing where it is for all of them.
    pub(crate) fn of_file(agent: &Installable, before: &str, after: &str) -> Option<Self> {
        let is_for_one = matches!(agent.form.kind, FileKind::Scripts { .. });
        let of = |text: &str| {
            let found = agent.found(text).ok()?;
            let event = found.first().map(|it| it.entry.event.clone());
            Some(nameless(&found, &event.unwrap_or_default()))
        };
        is_for_one.then_some(())?;
        Some(Self {
            before: of(before)?,
            after: of(after)?,
        })
    }
}

/// A change of one of several files, shown as briefly as possible.
pub(crate) struct FilePreview {
    path: PathBuf,
    /// What is said beside its name.
    remark: &'static str,
    course: Option<Course>,
    preview: Preview,
}

impl FilePreview {
    fn is_like(&self, other: &Self) -> bool {
        self.course.is_some() && self.course == other.course && self.remark == other.remark
    }

    /// Of files that change alike the first is shown, and the others are named.
    pub(crate) fn show_all(files: &[Self], paths: &Paths, ui: &mut Ui) {
        for (at, file) in files.iter().enumerate() {
            let (before, after) = files.split_at_checked(at).unwrap_or((files, &[]));
            if before.iter().any(|it| it.is_like(file)) {
                continue;
            }
            let heading = Text::styled(paths.show_absolute(&file.path), style::HEADING);
            ui.line(heading.plain(file.remark));
            file.preview.show(ui);
            let others = after.iter().skip(1).filter(|it| it.is_like(file));
            let names: Vec<_> = others
                .filter_map(|it| Some(it.path.file_name()?.to_string_lossy()))
                .collect();
            if !names.is_empty() {
                let count = counted(names.len(), "file");
                ui.line(
                    Text::styled(format!("… and {count} alike: "), style::NAME)
                        .plain(names.join(", ")),
                );
                ui.line(Text::styled(FULL_SHOWS_MORE, style::FAINT));
            }
            ui.blank();
        }
    }
}

const FULL_SHOWS_MORE: &str = "(--full shows every line)";

impl Preview {
    /// Shows every line.
    pub(crate) fn full(before: &str, after: &str) -> Self {
        Self {
            diff: Diff::between(before, after),
            ..Self::default()
        }
    }

    /// Shows nothing, because a whole file goes.
    pub(crate) fn nothing() -> Self {
        Self::default()
    }

    /// Shows what `change` makes of the text, for the given events only.
    pub(crate) fn short(
        agent: &Installable,
        before: &str,
        after: &str,
        change: impl Fn(&dyn Fn(&str) -> bool) -> Result<String, Unfit>,
    ) -> Result<Self, Unfit> {
        let (found_before, found_after) = (agent.found(before)?, agent.found(after)?);
        let mut events: Vec<&str> = Vec::new();
        for found in found_after.iter().chain(&found_before) {
            if !events.contains(&found.entry.event.as_str()) {
                events.push(&found.entry.event);
            }
        }
        let mut courses: Vec<(Course, Alike)> = Vec::new();
        for event in events {
            let course = Course {
                before: nameless(&found_before, event),
                after: nameless(&found_after, event),
            };
            if course.before == course.after {
                continue;
            }
            match courses.iter_mut().find(|(known, _)| *known == course) {
                Some((_, alike)) => alike.others.push(event.to_owned()),
                None => courses.push((
                    course,
                    Alike {
                        example: event.to_owned(),
                        others: Vec::new(),
                    },
                )),
            }
        }
        let mut alike: Vec<Alike> = courses.into_iter().map(|(_, alike)| alike).collect();
        alike.retain(|it| !it.others.is_empty());
        let is_shown = |event: &str| {
            let mut others = alike.iter().flat_map(|it| &it.others);
            !others.any(|other| other == event)
        };
        let mut diff = Diff::part(before, &change(&is_shown)?, after);
        // Of a line with several events a part is no line that will ever be there.
        let is_taken_out = found_after.is_empty();
        if is_taken_out && diff.adds_more_than(&Diff::between(before, after)) {
            return Ok(Self::full(before, after));
        }
        let more = match agent.form.kind {
            FileKind::Settings => 0,
            FileKind::Own | FileKind::Scripts { .. } => diff.cut(MOST_OF_OWN),
        };
        Ok(Self { diff, more, alike })
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// For one of several files: those that change alike are shown once.
    pub(crate) fn of_file(
        self,
        path: PathBuf,
        remark: &'static str,
        course: Option<Course>,
    ) -> FilePreview {
        FilePreview {
            path,
            remark,
            course,
            preview: self,
        }
    }

    pub(crate) fn show(&self, ui: &mut Ui) {
        self.diff.show(ui);
        if self.more > 0 {
            let lines = counted(self.more, "line");
            ui.line(Text::styled(format!("… and {lines}"), style::NAME));
        }
        for Alike { example, others } in &self.alike {
            let events = counted(others.len(), "event");
            ui.line(
                Text::styled(format!("… and {events} as {example}: "), style::NAME)
                    .plain(others.join(", ")),
            );
        }
        if !self.alike.is_empty() || self.more > 0 {
            ui.line(Text::styled(FULL_SHOWS_MORE, style::FAINT));
        }
    }
}

/// What starts Bowline at an event, with the event's name taken out.
fn nameless(found: &[Found], event: &str) -> Vec<Found> {
    let of_event = found.iter().filter(|it| it.entry.event == event);
    of_event
        .map(|it| {
            let mut it = it.clone();
            it.entry.event.clear();
            let words = it.entry.command.split(' ');
            let words = words.map(|word| if word == event { "" } else { word });
            it.entry.command = words.collect::<Vec<_>>().join(" ");
            for arg in it.entry.args.iter_mut().flatten() {
                if arg == event {
                    arg.clear();
                }
            }
            it
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use bowline_agents::ClientVersion;
    use bowline_wire::FailMode;

    use super::*;
    use crate::agent_settings::{CLAUDE_CODE, InstallScope, Plan};

    fn plan(scope: InstallScope, on_failure: FailMode) -> Plan {
        Plan {
            scope,
            client: ClientVersion::new(2, 1, 325),
            program: "/bin/bowline-hook".to_owned(),
            on_failure,
            places: Vec::new(),
            status_line: None,
        }
    }

    fn install(before: &str, plan: &Plan) -> (String, Preview) {
        let after = CLAUDE_CODE.install(before, plan).unwrap();
        let change =
            |is_shown: &dyn Fn(&str) -> bool| CLAUDE_CODE.install_at(before, plan, is_shown);
        let preview = Preview::short(&CLAUDE_CODE, before, &after, change).unwrap();
        (after, preview)
    }

    fn shown(preview: &Preview) -> (String, Vec<(&str, usize)>) {
        let lines = serde_json::to_string(&preview.diff).unwrap();
        let alike = preview.alike.iter();
        let alike = alike.map(|it| (it.example.as_str(), it.others.len()));
        (lines, alike.collect())
    }

    #[test]
    fn of_events_that_change_alike_one_is_shown() {
        for scope in InstallScope::ALL {
            let (after, preview) = install("", &plan(scope, FailMode::Ask));
            let (lines, alike) = shown(&preview);
            // Where a question may wait or tests may run, the limit is another one.
            assert_eq!(
                alike,
                [("PreToolUse", 2), ("PermissionRequest", 27)],
                "{scope:?}"
            );
            assert!(lines.contains("PreToolUse") && !lines.contains("PostToolUse"));

            // Gates get a field more than the others.
            let (closed, preview) = install(&after, &plan(scope, FailMode::Closed));
            let (lines, alike) = shown(&preview);
            assert_eq!(alike.len(), 3, "{alike:?}");
            assert_eq!(alike.iter().map(|(_, others)| others).sum::<usize>(), 27);
            assert!(
                lines.contains("onFailure") && lines.contains("\"-  "),
                "{lines}"
            );
            assert!(
                install(&closed, &plan(scope, FailMode::Closed))
                    .1
                    .is_empty()
            );
        }
    }

    #[test]
    fn what_changes_in_its_own_way_is_shown_in_full() {
        let plan = plan(InstallScope::User, FailMode::Ask);
        let (after, _) = install("{}", &plan);
        let before = after
            .replacen("\"Stop\"", "\"WorktreeCreate\"", 1)
            .replacen("/bin/bowline-hook", "/old/bowline-hook", 1);
        let (_, preview) = install(&before, &plan);
        let (lines, alike) = shown(&preview);
        for text in [
            "/old/bowline-hook",
            "-    \\\"WorktreeCreate",
            "+    \\\"Stop",
        ] {
            assert!(lines.contains(text), "{text} in {lines}");
        }
        assert_eq!(alike, []);
    }

    #[test]
    fn what_is_taken_out_is_shown_as_short() {
        let (before, _) = install("{\"a\": 1}", &plan(InstallScope::User, FailMode::Ask));
        let after = CLAUDE_CODE.uninstall(&before, "").unwrap();
        let change =
            |is_shown: &dyn Fn(&str) -> bool| CLAUDE_CODE.uninstall_at(&before, is_shown, "");
        let preview = Preview::short(&CLAUDE_CODE, &before, &after, change).unwrap();
        let (lines, alike) = shown(&preview);
        assert_eq!(alike, [("PreToolUse", 2), ("PermissionRequest", 27)]);
        assert!(lines.contains("-    \\\"PreToolUse"), "{lines}");
        assert!(
            !lines.contains("PostToolUse"),
            "what goes is not among what stays: {lines}"
        );
    }
}
