//! How agents are shown in tmux: colours of panes and tabs, and a segment for the status line.

use super::{AgentStatus, combined};

/// The colours of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colours {
    /// Of text.
    pub foreground: &'static str,
    /// Of the background of a pane.
    pub tint: &'static str,
    /// Of the tab of the window that is shown.
    pub selected: &'static str,
}

/// The colours of a status.
pub const fn colours(status: AgentStatus) -> Colours {
    let (foreground, tint, selected) = match status {
        AgentStatus::Error => ("#f38ba8", "#3d2020", "#802020"),
        AgentStatus::Attention => ("#70e0a0", "#081a10", "#208050"),
        AgentStatus::Working => ("#5080b0", "#080c10", "#204060"),
        AgentStatus::Checked => ("#506850", "#0a1005", "#304020"),
        AgentStatus::Done => ("#505050", "#0a0a0a", "#303030"),
    };
    Colours {
        foreground,
        tint,
        selected,
    }
}

/// The tint of a coordinator at work.
const COORDINATOR: &str = "#1a0a2e";
/// The tint of the pane that has the focus.
const FOCUSED: &str = "#000000";
/// The user's option of tmux that holds the segment: `set -g status-right '#{@bowline_fleet}'` shows it.
pub const SEGMENT_OPTION: &str = "@bowline_fleet";

/// The user's option of a pane that says that its colours are Bowline's. Its value is the status that they stand for.
pub const PANE_OPTION: &str = "@bowline_status";

/// What an agent is among the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// One that works.
    #[default]
    Worker,
    /// One that leads others.
    Coordinator,
}

/// An agent in a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// tmux's name of the pane (`%3`).
    pub id: String,
    /// tmux's name of its window (`@1`).
    pub window: String,
    /// What the agent is doing.
    pub status: AgentStatus,
    /// What it is among the others.
    pub role: Role,
}

impl Pane {
    fn tint(&self) -> &'static str {
        match (self.role, self.status) {
            (Role::Coordinator, AgentStatus::Working) => COORDINATOR,
            _ => colours(self.status).tint,
        }
    }

    /// Names come from the environment of an agent; anything else than tmux's own form could name another pane.
    fn is_named(&self) -> bool {
        is_number(self.id.strip_prefix('%')) && is_number(self.window.strip_prefix('@'))
    }
}

fn is_number(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The commands, without the word `tmux`, that colour panes by what their agents do, and tabs by the greatest status of their panes.
/// tmux itself shows the pane with the focus in black, so that nothing has to be told when the focus moves.
pub fn tmux_commands(panes: &[Pane]) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for pane in named(panes) {
        commands.push(set(
            "-p",
            &pane.id,
            "window-style",
            &format!("bg={}", pane.tint()),
        ));
        commands.push(set(
            "-p",
            &pane.id,
            "window-active-style",
            &format!("bg={FOCUSED}"),
        ));
        commands.push(set("-p", &pane.id, PANE_OPTION, pane.status.as_str()));
    }
    for (window, status) in windows(panes) {
        let Colours {
            foreground,
            selected,
            ..
        } = colours(status);
        commands.push(set(
            "-w",
            window,
            "window-status-style",
            &format!("fg={foreground}"),
        ));
        let current = format!("fg={foreground},bg={selected}");
        commands.push(set("-w", window, "window-status-current-style", &current));
    }
    commands
}

/// The command, without the word `tmux`, that puts the segment about all agents into its option.
pub fn segment_command(statuses: impl IntoIterator<Item = AgentStatus>) -> Vec<String> {
    words(&["set-option", "-g", SEGMENT_OPTION, &segment(statuses)])
}

/// The command, without the word `tmux`, that takes the segment away again.
pub fn segment_reset() -> Vec<String> {
    words(&["set-option", "-gu", SEGMENT_OPTION])
}

/// The commands, without the word `tmux`, that take the colours of these panes and their tabs away again.
pub fn tmux_reset(panes: &[Pane]) -> Vec<Vec<String>> {
    let unset = |scope: &str, target: &str, option: &str| {
        words(&["set-option", scope, "-t", target, option])
    };
    let mut commands = Vec::new();
    for pane in named(panes) {
        commands.push(unset("-pu", &pane.id, "window-style"));
        commands.push(unset("-pu", &pane.id, "window-active-style"));
        commands.push(unset("-pu", &pane.id, PANE_OPTION));
    }
    for (window, _) in windows(panes) {
        commands.push(unset("-wu", window, "window-status-style"));
        commands.push(unset("-wu", window, "window-status-current-style"));
    }
    commands
}

/// The segment for tmux's status line: how many agents have each status, the most urgent first. Empty without agents.
fn segment(statuses: impl IntoIterator<Item = AgentStatus>) -> String {
    let mut statuses: Vec<_> = statuses.into_iter().collect();
    statuses.sort_unstable_by(|a, b| b.cmp(a));
    let parts: Vec<_> = statuses
        .chunk_by(|a, b| a == b)
        .filter_map(|same| {
            let status = *same.first()?;
            let colour = colours(status).foreground;
            Some(format!(
                "#[fg={colour}]{} {}#[default]",
                same.len(),
                status.words()
            ))
        })
        .collect();
    parts.join(" ")
}

fn named(panes: &[Pane]) -> impl Iterator<Item = &Pane> {
    panes.iter().filter(|pane| pane.is_named())
}

/// The windows in the order of their first panes, with the greatest status of each.
fn windows(panes: &[Pane]) -> Vec<(&str, AgentStatus)> {
    let mut windows: Vec<(&str, AgentStatus)> = Vec::new();
    for pane in named(panes) {
        match windows
            .iter_mut()
            .find(|(window, _)| *window == pane.window)
        {
            Some((_, status)) => *status = combined([*status, pane.status]).unwrap_or(*status),
            None => windows.push((&pane.window, pane.status)),
        }
    }
    windows
}

fn set(scope: &str, target: &str, option: &str, value: &str) -> Vec<String> {
    words(&["set-option", scope, "-t", target, option, value])
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::AgentStatus::{Attention, Checked, Done, Error, Working};
    use super::*;

    fn pane(id: &str, window: &str, status: AgentStatus, role: Role) -> Pane {
        Pane {
            id: id.into(),
            window: window.into(),
            status,
            role,
        }
    }

    fn lines(commands: &[Vec<String>]) -> Vec<String> {
        commands.iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn f38_c_colours_are_those_of_the_table() {
        for (status, expected) in [
            (Error, ["#f38ba8", "#3d2020", "#802020"]),
            (Attention, ["#70e0a0", "#081a10", "#208050"]),
            (Working, ["#5080b0", "#080c10", "#204060"]),
            (Checked, ["#506850", "#0a1005", "#304020"]),
            (Done, ["#505050", "#0a0a0a", "#303030"]),
        ] {
            let Colours {
                foreground,
                tint,
                selected,
            } = colours(status);
            assert_eq!([foreground, tint, selected], expected, "{status}");
        }
    }

    #[test]
    fn f38_c_panes_and_tabs_are_coloured() {
        let panes = [
            pane("%1", "@1", Working, Role::Worker),
            pane("%2", "@1", Attention, Role::Worker),
            pane("%7", "@2", Working, Role::Coordinator),
        ];
        assert_eq!(
            lines(&tmux_commands(&panes)),
            [
                "set-option -p -t %1 window-style bg=#080c10",
                "set-option -p -t %1 window-active-style bg=#000000",
                "set-option -p -t %1 @bowline_status working",
                "set-option -p -t %2 window-style bg=#081a10",
                "set-option -p -t %2 window-active-style bg=#000000",
                "set-option -p -t %2 @bowline_status attention",
                "set-option -p -t %7 window-style bg=#1a0a2e",
                "set-option -p -t %7 window-active-style bg=#000000",
                "set-option -p -t %7 @bowline_status working",
                "set-option -w -t @1 window-status-style fg=#70e0a0",
                "set-option -w -t @1 window-status-current-style fg=#70e0a0,bg=#208050",
                "set-option -w -t @2 window-status-style fg=#5080b0",
                "set-option -w -t @2 window-status-current-style fg=#5080b0,bg=#204060",
            ]
        );
        // A coordinator that waits is coloured as any agent that waits.
        let waiting = [pane("%7", "@2", Attention, Role::Coordinator)];
        assert_eq!(
            lines(&tmux_commands(&waiting))[0],
            "set-option -p -t %7 window-style bg=#081a10"
        );
    }

    #[test]
    fn the_colours_go_away_again() {
        let panes = [
            pane("%1", "@1", Done, Role::Worker),
            pane("%2", "@1", Error, Role::Worker),
        ];
        assert_eq!(
            lines(&tmux_reset(&panes)),
            [
                "set-option -pu -t %1 window-style",
                "set-option -pu -t %1 window-active-style",
                "set-option -pu -t %1 @bowline_status",
                "set-option -pu -t %2 window-style",
                "set-option -pu -t %2 window-active-style",
                "set-option -pu -t %2 @bowline_status",
                "set-option -wu -t @1 window-status-style",
                "set-option -wu -t @1 window-status-current-style",
            ]
        );
    }

    #[test]
    fn only_names_of_tmux_reach_tmux() {
        for (id, window) in [
            ("", "@1"),
            ("%", "@1"),
            ("3", "@1"),
            ("%3;x", "@1"),
            ("%3", ""),
            ("%3", "main"),
        ] {
            let panes = [pane(id, window, Working, Role::Worker)];
            assert!(tmux_commands(&panes).is_empty(), "{id} {window}");
            assert!(tmux_reset(&panes).is_empty(), "{id} {window}");
        }
    }

    #[test]
    fn the_segment_counts_the_most_urgent_first() {
        for (statuses, expected) in [
            (vec![], ""),
            (vec![Done], "#[fg=#505050]1 done#[default]"),
            (
                vec![Done, Error, Done, Checked],
                "#[fg=#f38ba8]1 failed#[default] #[fg=#506850]1 seen#[default] #[fg=#505050]2 done#[default]",
            ),
        ] {
            let command = ["set-option", "-g", "@bowline_fleet", expected];
            assert_eq!(segment_command(statuses.clone()), command, "{statuses:?}");
        }
        assert_eq!(segment_reset(), ["set-option", "-gu", "@bowline_fleet"]);
    }
}
