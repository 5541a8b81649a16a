//! The labelled commands: what must be caught, and what must pass.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a broken row must fail the test"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use bowline_testkit::{corpus, needs};
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

/// Rows of our own that are judged milder or stricter than they are labelled. A change that makes this list longer needs a reason.
const OTHERWISE: &[(&str, Gravity)] = &[
    // What the text packs is not unpacked.
    ("cmd.disguise-encoded.8039c5.0", Gravity::Doubtful),
    // What a search calls for each file is not followed.
    ("cmd.disguise-interpreter.005a8c.0", Gravity::Doubtful),
];

#[test]
fn every_row_of_our_own_is_judged_as_it_is_labelled() {
    let mut otherwise = Vec::new();
    for line in include_str!("data/commands.jsonl").lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let expected = match row["verdict"].as_str().unwrap() {
            "deny" => Gravity::Grave,
            "ask" => Gravity::Doubtful,
            _ => Gravity::Harmless,
        };
        let found = gravity(&row);
        if found != expected {
            otherwise.push((row["id"].as_str().unwrap().to_owned(), found));
        }
    }
    let known: Vec<_> = OTHERWISE
        .iter()
        .map(|(id, it)| ((*id).to_owned(), *it))
        .collect();
    assert_eq!(otherwise, known);
}

#[needs(corpus)]
#[test]
fn the_whole_corpus() {
    Score::of(&corpus("commands.jsonl")).assert_limits();
}
