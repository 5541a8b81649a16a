//! `bowline fleet --tmux`, in a real tmux.

use std::process::{Child, Command, Stdio};

use bowline_testkit::{Ran, Sandbox, needs, until};
use serde_json::{Value, json};

use super::stage::{Stage, bash, payload};

/// A server of its own, with an agent in each of its panes.
struct Tmux {
    stage: Stage,
}

impl Tmux {
    fn new(sessions: &[&str]) -> Self {
        let tmux = Self {
            stage: Stage::new(),
        };
        let agent = format!(
            "exec '{}' '{}'",
            tmux.stage.agent_program().display(),
            tmux.stage.agent_script().display()
        );
        for (index, session) in sessions.iter().enumerate() {
            if index == 0 {
                tmux.run(&[
                    "-f",
                    "/dev/null",
                    "new-session",
                    "-d",
                    "-x",
                    "200",
                    "-y",
                    "60",
                    &agent,
                ]);
            } else {
                tmux.run(&["split-window", "-d", &agent]);
                tmux.run(&["select-layout", "tiled"]);
            }
            tmux.report(
                index,
                "SessionStart",
                session,
                &json!({"source": "startup"}),
            );
            tmux.stage.until_state(session, "done");
        }
        tmux
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.stage.program("tmux");
        command.arg("-S").arg(self.socket()).args(args);
        command.env("TERM", "screen");
        command
    }

    fn socket(&self) -> std::path::PathBuf {
        self.stage.path("run/tmux")
    }

    #[track_caller]
    fn run(&self, args: &[&str]) -> String {
        let ran = Ran::of(&mut self.command(args));
        assert_eq!(ran.code, Some(0), "tmux {args:?}: {ran}");
        ran.stdout.trim_end().to_owned()
    }

    /// Types what the agent of a pane is to report.
    fn report(&self, pane: usize, event: &str, session: &str, about: &Value) {
        let payload = payload(event, session, self.stage.project(), about);
        let target = format!("%{pane}");
        self.run(&[
            "send-keys",
            "-t",
            &target,
            "-l",
            &format!("{event} {payload}"),
        ]);
        self.run(&["send-keys", "-t", &target, "Enter"]);
    }

    /// `bowline fleet --tmux` within this tmux.
    fn fleet(&self, args: &[&str]) -> Ran {
        let mut command = self.stage.command(&[&["fleet", "--tmux"], args].concat());
        let inside = format!("{},1,0", self.socket().display());
        Ran::of(command.env("TMUX", inside))
    }

    fn pane_option(&self, pane: usize, option: &str) -> String {
        self.run(&["show-options", "-pqv", "-t", &format!("%{pane}"), option])
    }

    fn window_option(&self, option: &str) -> String {
        self.run(&["show-options", "-wqv", option])
    }

    fn segment(&self) -> String {
        self.run(&["display-message", "-p", "#{@bowline_fleet}"])
    }

    /// Somebody who looks at it. The pane of this number has the focus.
    fn looked_at(&self, pane: usize) -> Viewer {
        self.run(&["select-pane", "-t", &format!("%{pane}")]);
        let mut command = self.command(&["-C", "attach"]);
        let viewer = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until("a client is attached", || {
            !self.run(&["list-clients"]).is_empty()
        });
        Viewer(viewer)
    }
}

struct Viewer(Child);

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[needs(tmux)]
#[test]
#[cfg(target_os = "linux")]
fn f38_c_panes_have_the_colours_of_their_agents() {
    let tmux = Tmux::new(&["a", "b", "c"]);
    let tints = || [0, 1, 2].map(|pane| tmux.pane_option(pane, "window-style"));
    assert_eq!(tints(), ["", "", ""]);
    tmux.report(0, "UserPromptSubmit", "a", &json!({"prompt": "go"}));
    tmux.stage.until_state("a", "working");
    tmux.report(1, "PermissionRequest", "b", &bash("make all"));
    tmux.stage.until_state("b", "attention");
    tmux.fleet(&[]).expect(0, &[]);
    assert_eq!(tints(), ["bg=#080c10", "bg=#081a10", "bg=#0a0a0a"]);
    assert_eq!(tmux.pane_option(1, "window-active-style"), "bg=#000000");
    assert_eq!(tmux.window_option("window-status-style"), "fg=#70e0a0");
    assert_eq!(
        tmux.window_option("window-status-current-style"),
        "fg=#70e0a0,bg=#208050"
    );
    assert_eq!(
        tmux.segment(),
        "#[fg=#70e0a0]1 waiting#[default] #[fg=#5080b0]1 working#[default] #[fg=#505050]1 done#[default]"
    );

    // Nobody is attached, so nobody has looked.
    assert_eq!(
        tmux.stage.agent_in_fleet("b").unwrap()["state"],
        "attention"
    );
    let viewer = tmux.looked_at(1);
    let document = tmux.fleet(&["--json"]).json();
    let mut panes = document["panes"].as_array().unwrap().iter();
    let pane = panes.find(|it| it["pane"] == "%1").unwrap();
    assert_eq!(pane["status"], "checked", "{document}");
    assert_eq!(pane["agents"], json!(["b"]));
    assert_eq!(tmux.stage.agent_in_fleet("b").unwrap()["state"], "checked");
    assert_eq!(tints()[1], "bg=#0a1005");
    drop(viewer);

    let failed = json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {}, "error": "1"});
    tmux.report(2, "PostToolUseFailure", "c", &failed);
    tmux.stage.until_state("c", "error");
    tmux.fleet(&[]).expect(0, &[]);
    assert_eq!(tints(), ["bg=#080c10", "bg=#0a1005", "bg=#3d2020"]);
    assert_eq!(tmux.window_option("window-status-style"), "fg=#f38ba8");

    tmux.fleet(&["--reset"]).expect(0, &[]);
    assert_eq!(tints(), ["", "", ""]);
    assert_eq!(tmux.window_option("window-status-style"), "");
    assert_eq!(tmux.segment(), "");
}

#[needs(tmux)]
#[test]
#[cfg(target_os = "linux")]
fn a_pane_loses_its_colours_when_its_agent_is_gone() {
    let tmux = Tmux::new(&["a", "b"]);
    tmux.run(&["set-option", "-g", "remain-on-exit", "on"]);
    let mut watching = tmux.stage.command(&["fleet", "--tmux", "--watch"]);
    let inside = format!("{},1,0", tmux.socket().display());
    let mut watching = watching.env("TMUX", inside).spawn().unwrap();
    let is_coloured = |pane| !tmux.pane_option(pane, "window-style").is_empty();
    until("both are coloured", || is_coloured(0) && is_coloured(1));
    // The agent reads to the end of what is typed.
    tmux.run(&["send-keys", "-t", "%1", "C-d"]);
    until("one is not any more", || !is_coloured(1));
    assert!(is_coloured(0));
    assert_eq!(tmux.segment(), "#[fg=#505050]1 done#[default]");
    // It ends with tmux.
    tmux.run(&["kill-server"]);
    assert!(watching.wait().unwrap().success());
}

#[test]
fn without_tmux_nothing_is_said() {
    let mut sandbox = Sandbox::with_repository();
    sandbox.set("TMUX_TMPDIR", sandbox.path("run"));
    for args in [
        &["fleet", "--tmux"][..],
        &["fleet", "--tmux", "--reset"],
        &["fleet", "--tmux", "--watch"],
    ] {
        let ran = sandbox.run(args);
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(0), "", ""),
            "{args:?}"
        );
    }
    assert_eq!(
        sandbox.json(&["fleet", "--tmux"]),
        json!({"tmux": false, "panes": []})
    );
    sandbox.set("PATH", "/nowhere");
    sandbox.run(&["fleet", "--tmux"]).expect(0, &[]);
}
