//! The labelled commands: what must be caught, and what must pass.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use serde_json::Value;

fn world(cwd: &str) -> StaticWorld {
    StaticWorld::new("/home/dev/project", "/home/dev").with_cwd(cwd)
}

fn gravity(row: &Value) -> Gravity {
    let cwd = row["cwd_hint"].as_str().unwrap_or("/home/dev/project");
    judge(row["command"].as_str().unwrap(), &world(cwd))
        .verdict
        .gravity
}

#[derive(Default)]
struct Score {
    deny: usize,
    deny_caught: usize,
    deny_denied: usize,
    disguised: usize,
    disguised_caught: usize,
    ask: usize,
    ask_flagged: usize,
    allow: usize,
    allow_stopped: usize,
    misses: BTreeMap<String, String>,
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few thousand rows")]
    let share = part as f64 / whole as f64;
    share
}

impl Score {
    fn of(corpus: &str) -> Self {
        let mut score = Self::default();
        for line in corpus.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            score.take(&row);
        }
        score
    }

    fn take(&mut self, row: &Value) {
        let gravity = gravity(row);
        let category = row["category"].as_str().unwrap();
        let flagged = gravity > Gravity::Harmless;
        let missed = match row["verdict"].as_str().unwrap() {
            "deny" => {
                self.deny += 1;
                self.deny_caught += usize::from(flagged);
                self.deny_denied += usize::from(gravity == Gravity::Grave);
                if category.starts_with("disguise") {
                    self.disguised += 1;
                    self.disguised_caught += usize::from(flagged);
                }
                gravity != Gravity::Grave
            }
            "ask" => {
                self.ask += 1;
                self.ask_flagged += usize::from(flagged);
                !flagged
            }
            _ => {
                self.allow += 1;
                self.allow_stopped += usize::from(flagged);
                flagged
            }
        };
        if missed {
            let key = format!(
                "{} {category} {gravity:?} {}",
                row["verdict"].as_str().unwrap(),
                row["id"].as_str().unwrap()
            );
            self.misses
                .insert(key, row["command"].as_str().unwrap().to_owned());
        }
    }

    fn report(&self) -> String {
        let mut text = String::new();
        for (key, command) in &self.misses {
            let _ = writeln!(text, "{key}: {command}");
        }
        let _ = writeln!(
            text,
            "deny caught {:.2}%, denied {:.2}%, disguised {:.2}%, ask flagged {:.2}%, allow stopped {:.2}%",
            100.0 * share(self.deny_caught, self.deny),
            100.0 * share(self.deny_denied, self.deny),
            100.0 * share(self.disguised_caught, self.disguised),
            100.0 * share(self.ask_flagged, self.ask),
            100.0 * share(self.allow_stopped, self.allow),
        );
        text
    }

    fn assert_limits(&self) {
        println!("{}", self.report());
        assert!(share(self.deny_caught, self.deny) >= 0.99);
        assert!(share(self.deny_denied, self.deny) >= 0.96);
        assert!(share(self.disguised_caught, self.disguised) >= 0.98);
        assert!(share(self.ask_flagged, self.ask) >= 0.90);
        assert!(self.allow == 0 || share(self.allow_stopped, self.allow) <= 0.005);
    }
}

#[test]
fn the_project_s_own_rows() {
    Score::of(include_str!("data/commands.jsonl")).assert_limits();
}

fn shared_corpus() -> PathBuf {
    let shared = std::env::var_os("BOWLINE_SHARED").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    shared.join("corpus/commands.jsonl")
}

#[test]
fn the_whole_corpus() {
    let Ok(corpus) = std::fs::read_to_string(shared_corpus()) else {
        println!("skipped: no corpus; BOWLINE_SHARED names the folder that has corpus/");
        return;
    };
    Score::of(&corpus).assert_limits();
}
