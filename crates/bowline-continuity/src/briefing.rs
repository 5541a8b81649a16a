//! The one assembler of what a session is told at its start.
//!
//! There is one budget. Sections come in the order of their importance; a less important one is dropped before a more important one is
//! cut.

use std::fmt::Write as _;

use crate::action::{HandOver, Origin};
use crate::effort::Effort;
use crate::note::TodoState;
use crate::session::Dehydrated;
use crate::text::{beginning, shortened, units};

/// How much is handed over beside what an effort needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing: neither the project's notes nor prompts, to-dos and files.
    Off,
    /// Notes, the beginning of the last prompt, and a few to-dos and files.
    #[default]
    Summary,
    /// Everything for which there is room.
    Full,
}

/// A summary has at most so many characters of the last prompt.
const PROMPT_IN_SUMMARY: usize = 300;
/// A summary has at most so many to-dos, and so many files.
const ENTRIES_IN_SUMMARY: usize = 8;
/// One note has at most so many characters, so that there is room for the others and for what comes after them.
const MAX_NOTE: usize = 1_000;
/// A cut that would leave less of a text than this is not worth it.
const LEAST_KEPT: usize = 80;

/// What begins, when a session is told something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Beginning {
    /// A session, or one that was left and is taken up again.
    #[default]
    Session,
    /// The next context window of a session that was compacted at work.
    Compacted,
}

/// What a session can be told.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// What begins.
    pub beginning: Beginning,
    /// What the session before left.
    pub hand_over: &'a HandOver,
    /// The files of the effort, for a session to which nothing else was left.
    pub artifacts: &'a [String],
    /// Files to read first; see [`files_to_preload`].
    pub preload: &'a [String],
    /// What the effort's skill says; empty if that is not known.
    pub skill: &'a str,
    /// What was being done before a compaction; empty if nothing was.
    pub recovered: &'a str,
    /// Texts that every session is told.
    pub standing: &'a [String],
}

/// What a session is told at its start, before it is cut to size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Briefing {
    sections: Vec<Section>,
}

impl Briefing {
    /// Chooses what is told.
    pub fn new(material: Material<'_>, detail: Detail) -> Self {
        let hand_over = material.hand_over;
        let effort = hand_over.effort.as_ref();
        let more = detail != Detail::Off;
        let sections = [
            effort.map(effort_line),
            match &hand_over.dehydrated {
                Some(left) => Some(left_behind(left)),
                None => effort.and_then(|_| artifacts(material.artifacts)),
            },
            recovered(material.recovered),
            notes(hand_over, detail),
            standing(material.standing),
            preload(material.preload),
            effort.and_then(|effort| skill(effort, material.skill)),
            more.then(|| last_prompt(material, detail)).flatten(),
            more.then(|| todos(material, detail)).flatten(),
            more.then(|| edited(material, detail)).flatten(),
        ];
        Self {
            sections: sections.into_iter().flatten().collect(),
        }
    }

    /// The text, within the limit of the agent in UTF-16 units (10,000 in Claude Code). `None`: there is nothing to say.
    pub fn assemble(&self, limit: usize) -> Option<String> {
        if self.sections.is_empty() || limit == 0 {
            return None;
        }
        let whole: Vec<_> = self.sections.iter().map(Section::text).collect();
        let all = whole.join(SEPARATOR);
        if units(&all) <= limit {
            return Some(all);
        }
        // As many whole sections as possible, then as much as possible of the next one.
        for kept in (0..whole.len()).rev() {
            let (before, rest) = whole.split_at(kept);
            let dropped = self.sections.get(kept + 1..).unwrap_or_default();
            let used = units(&before.join(SEPARATOR));
            if used > limit || rest.is_empty() {
                continue;
            }
            let note = left_out(dropped);
            let separators =
                units(SEPARATOR) * (usize::from(kept > 0) + usize::from(!dropped.is_empty()));
            let room = limit.saturating_sub(used + units(&note) + separators);
            if let Some(cut) = self
                .sections
                .get(kept)
                .and_then(|section| section.cut(room))
            {
                return Some(joined(before, &[cut, note]));
            }
            let note = left_out(self.sections.get(kept..).unwrap_or_default());
            if kept > 0 && used + units(SEPARATOR) + units(&note) <= limit {
                return Some(joined(before, &[note]));
            }
        }
        // Not even a part of the first one with its note.
        Some(shortened(&all, limit))
    }
}

/// The files that a session is told to read: those that exist, each once, templates before directives, and none that it was told of or
/// has read before.
pub fn files_to_preload(
    templates: &[String],
    directives: &[String],
    exists: impl Fn(&str) -> bool,
    already: &[String],
) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in templates.iter().chain(directives) {
        let known = file.is_empty() || files.contains(file) || already.contains(file);
        if !known && exists(file) {
            files.push(file.clone());
        }
    }
    files
}

/// What a sub-agent is told at its start: whose work it does, and how it logs.
pub fn for_subagent(effort: &Effort) -> String {
    let phase = effort.phase.as_deref().unwrap_or("none yet");
    let mut text = format!(
        "You work for task `{}`, effort {}, skill `{}`, phase {phase}. Log what you do and find every few tool calls: `bowline effort log \"…\"`.",
        effort.task, effort.ordinal, effort.skill
    );
    if !effort.directives.is_empty() {
        let _ = write!(
            text,
            " Rules that apply are in {}.",
            effort.directives.join(", ")
        );
    }
    text
}

/// What a session is told that takes up an effort while it runs.
pub fn of_left(left: &Dehydrated) -> String {
    left_behind(left).text()
}

const SEPARATOR: &str = "\n\n";

fn joined(before: &[String], after: &[String]) -> String {
    let all: Vec<_> = before
        .iter()
        .chain(after)
        .filter(|text| !text.is_empty())
        .map(String::as_str)
        .collect();
    all.join(SEPARATOR)
}

/// Says what was dropped; empty if nothing was.
fn left_out(sections: &[Section]) -> String {
    if sections.is_empty() {
        return String::new();
    }
    let names: Vec<_> = sections.iter().map(|section| section.name).collect();
    let mut commands: Vec<_> = sections.iter().map(|section| section.command).collect();
    commands.dedup();
    format!(
        "[Left out for lack of room: {}. See `{}`.]",
        names.join(", "),
        commands.join("`, `")
    )
}

/// One thing that a session is told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Section {
    /// What it is called where it is left out.
    name: &'static str,
    heading: String,
    /// Texts that belong together. If there is no room for all, the longest is cut.
    parts: Vec<String>,
    /// The command that shows all of it.
    command: &'static str,
}

impl Section {
    fn text(&self) -> String {
        format!("{}\n{}", self.heading, self.parts.join("\n"))
    }

    /// As much of it as there is room for, with a note that says how much is missing.
    fn cut(&self, room: usize) -> Option<String> {
        let (longest, text) = self
            .parts
            .iter()
            .enumerate()
            .max_by_key(|(_, part)| units(part))?;
        let others = units(&self.text()).checked_sub(units(text))?;
        if let Some(cut) = room
            .checked_sub(others)
            .and_then(|room| self.cut_text(text, room))
        {
            let mut parts = self.parts.clone();
            *parts.get_mut(longest)? = cut;
            let section = Self {
                parts,
                ..self.clone()
            };
            return Some(section.text());
        }
        // Without its longest part there is still too much.
        self.cut_text(&self.text(), room)
    }

    fn cut_text(&self, text: &str, room: usize) -> Option<String> {
        let all = units(text);
        let note = |missing| {
            format!(
                "\n[… {missing} characters are missing; `{}` shows them]",
                self.command
            )
        };
        let kept = beginning(text, room.checked_sub(units(&note(all)))?);
        // A whole line reads better, unless it costs much.
        let kept = match kept.rfind('\n') {
            Some(end) if end * 2 > kept.len() => kept.get(..end).unwrap_or(kept),
            _ => kept,
        };
        let length = units(kept);
        (length >= LEAST_KEPT).then(|| format!("{kept}{}", note(all - length)))
    }
}

const LEFT: &str = "bowline effort show --json";
const EFFORT: &str = "bowline effort show";
const NOTES: &str = "bowline note list";
const SESSIONS: &str = "bowline session list";

fn effort_line(effort: &Effort) -> Section {
    let mode = effort.mode.as_deref().map(|mode| format!(" ({mode})"));
    let phase = match &effort.phase {
        Some(phase) => format!("phase `{phase}`"),
        None => "no phase yet".to_owned(),
    };
    let mut text = format!(
        "Task `{}`, effort {}, skill `{}`{}, {phase}.",
        effort.task,
        effort.ordinal,
        effort.skill,
        mode.unwrap_or_default()
    );
    if !effort.phases.is_empty() {
        let _ = write!(text, " Its phases: {}.", effort.phases.join(" → "));
    }
    text.push_str(
        "\nLog what you do every few tool calls with `bowline effort log \"…\"`; enter the next phase with `bowline effort phase \"LABEL\" \
         --proof \"…\"`; end with `bowline effort finish`.",
    );
    Section {
        name: "the effort",
        heading: "## You continue an effort".to_owned(),
        parts: vec![text],
        command: EFFORT,
    }
}

/// The payload, word by word.
fn left_behind(left: &Dehydrated) -> Section {
    let labelled = |label: &str, text: &Option<String>| {
        let text = text.as_ref()?;
        Some(format!("{label}: {text}"))
    };
    let numbered: Vec<_> = left
        .next_steps
        .iter()
        .zip(1..)
        .map(|(step, n)| format!("{n}. {step}"))
        .collect();
    let below = |label: &str, text: String| (!text.is_empty()).then(|| format!("{label}:\n{text}"));
    let fields = [
        Some(left.summary.clone()),
        labelled("Last action", &left.last_action),
        below("Next steps", numbered.join("\n")),
        labelled("How to go on", &left.handover_instructions),
        labelled("What the user said", &left.user_history),
        below("Read these files first", listed(&left.required_files)),
    ];
    let others = left.other.iter().map(|(key, value)| match value.as_str() {
        Some(text) => format!("{key}: {text}"),
        None => format!("{key}: {value}"),
    });
    Section {
        name: "what the last session left",
        heading: "## What the last session left for you".to_owned(),
        parts: fields.into_iter().flatten().chain(others).collect(),
        command: LEFT,
    }
}

fn artifacts(files: &[String]) -> Option<Section> {
    list(
        "the effort's files",
        "## The last session left no summary. These are the files of the effort; read what you need",
        files,
        EFFORT,
    )
}

fn notes(hand_over: &HandOver, detail: Detail) -> Option<Section> {
    let effort = hand_over.effort.as_ref().map(|effort| effort.id);
    let wanted = hand_over
        .notes
        .iter()
        .filter(|note| detail != Detail::Off || (note.effort.is_some() && note.effort == effort));
    let texts: Vec<_> = wanted.map(|note| in_share(&note.text)).collect();
    list("pinned notes", "## Pinned notes", &texts, NOTES)
}

/// A note, as far as one may go.
fn in_share(text: &str) -> String {
    if units(text) <= MAX_NOTE {
        return text.to_owned();
    }
    format!(
        "{} (cut; `{NOTES}` shows all of it)",
        shortened(text, MAX_NOTE)
    )
}

fn recovered(text: &str) -> Option<Section> {
    (!text.is_empty()).then(|| Section {
        name: "what was being done",
        heading: "## What you were doing".to_owned(),
        parts: vec![text.to_owned()],
        command: SESSIONS,
    })
}

fn standing(texts: &[String]) -> Option<Section> {
    (!texts.is_empty()).then(|| Section {
        name: "files that every session reads",
        heading: "## What every session here is told".to_owned(),
        parts: texts.to_vec(),
        command: "cat",
    })
}

fn preload(files: &[String]) -> Option<Section> {
    list(
        "files to read",
        "## Read these files before you go on",
        files,
        EFFORT,
    )
}

fn skill(effort: &Effort, text: &str) -> Option<Section> {
    let text = text.trim();
    (!text.is_empty()).then(|| Section {
        name: "the skill",
        heading: format!("## The skill `{}`", effort.skill),
        parts: vec![text.to_owned()],
        command: EFFORT,
    })
}

/// Whether the prompt is still being worked on: its session goes on, in the next context window.
fn goes_on(material: Material<'_>) -> bool {
    material.beginning == Beginning::Compacted && material.hand_over.from == Origin::Same
}

fn last_prompt(material: Material<'_>, detail: Detail) -> Option<Section> {
    let prompt = material.hand_over.last_prompt.as_deref()?.trim();
    let text = match detail {
        Detail::Full => prompt.to_owned(),
        Detail::Off | Detail::Summary => shortened(prompt, PROMPT_IN_SUMMARY),
    };
    (!text.is_empty()).then(|| Section {
        name: "the last prompt",
        // Without these words a model would take it for a new request.
        heading: if goes_on(material) {
            "## The prompt that you are working on (a part may be done; it is not a new request)"
        } else {
            "## What the user asked last in the session before (not a new request)"
        }
        .to_owned(),
        parts: vec![text],
        command: SESSIONS,
    })
}

fn todos(material: Material<'_>, detail: Detail) -> Option<Section> {
    let todos = &material.hand_over.todos;
    let of = |state| todos.iter().filter(move |todo| todo.state == state);
    let open: Vec<_> = of(TodoState::InProgress)
        .map(|todo| format!("{} (in progress)", todo.text))
        .chain(of(TodoState::Pending).map(|todo| todo.text.clone()))
        .collect();
    let mut section = list(
        "open to-dos",
        if goes_on(material) {
            "## Your open to-dos"
        } else {
            "## Open to-dos of the session before"
        },
        &few(&open, detail),
        SESSIONS,
    )?;
    let done = of(TodoState::Completed).count();
    if done > 0 {
        section.parts.push(format!("({done} done)"));
    }
    Some(section)
}

fn edited(material: Material<'_>, detail: Detail) -> Option<Section> {
    list(
        "files edited last",
        if goes_on(material) {
            "## Files that you edited, the last first"
        } else {
            "## Files that the session before edited, the last first"
        },
        &few(&material.hand_over.edited_files, detail),
        SESSIONS,
    )
}

/// The entries, or the first few and how many more there are.
fn few(entries: &[String], detail: Detail) -> Vec<String> {
    if detail == Detail::Full || entries.len() <= ENTRIES_IN_SUMMARY {
        return entries.to_vec();
    }
    let mut few: Vec<_> = entries.iter().take(ENTRIES_IN_SUMMARY).cloned().collect();
    few.push(format!("… and {} more", entries.len() - ENTRIES_IN_SUMMARY));
    few
}

fn list(
    name: &'static str,
    heading: &str,
    entries: &[String],
    command: &'static str,
) -> Option<Section> {
    (!entries.is_empty()).then(|| Section {
        name,
        heading: heading.to_owned(),
        parts: vec![listed(entries)],
        command,
    })
}

fn listed(entries: &[String]) -> String {
    let lines: Vec<_> = entries.iter().map(|entry| format!("- {entry}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
