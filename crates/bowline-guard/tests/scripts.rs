//! Scripts that the session itself has written: when they are read, and how much of them.

use std::cell::Cell;

use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::{StaticWorld, World};

/// A world in which the session has written every file below `/p`, all of them with the same text.
struct Written {
    place: StaticWorld,
    text: String,
    read: Cell<usize>,
}

impl Written {
    fn with(text: impl Into<String>) -> Self {
        Self {
            place: StaticWorld::new("/p", "/home/dev"),
            text: text.into(),
            read: Cell::new(0),
        }
    }
}

impl World for Written {
    fn cwd(&self) -> &str {
        self.place.cwd()
    }
    fn project_root(&self) -> &str {
        self.place.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.place.home()
    }
    fn own_script(&self, path: &str) -> Option<String> {
        let own = path.starts_with("/p/");
        self.read.set(self.read.get() + usize::from(own));
        own.then(|| self.text.clone())
    }
}

#[test]
fn only_what_is_run_is_read() {
    let world = Written::with("echo hello\n");
    for (line, times) in [
        ("bash x.sh", 1),
        ("./x.sh a b", 1),
        ("sudo -u me sh -e ./x.sh", 1),
        (". x.sh", 1),
        ("python3 -W ignore x.py", 1),
        ("node --require y x.js", 1),
        ("uv run python x.py", 1),
        ("poetry run python x.py", 1),
        ("bash a.sh && bash b.sh", 2),
        ("cd sub && ../x.sh", 1),
        ("for f in 1 2; do ./x.sh $f; done", 2),
        ("cat x.sh", 0),
        ("bash -n x.sh", 0),
        ("bash -c 'echo x.sh'", 0),
        ("python3 -c 'print(1)' x.py", 0),
        ("python3 -m pytest x.py", 0),
        ("pytest x.py", 0),
        ("bash /usr/bin/x.sh", 0),
        ("cd \"$D\" && bash x.sh", 0),
        ("bash \"$SCRIPT\"", 0),
        ("ssh host ./x.sh", 0),
        ("docker exec c bash x.sh", 0),
        ("echo 'ls' > x.sh; bash x.sh", 0),
        ("sed -i s/a/b/ x.py && python3 x.py", 0),
        ("git pull && ./x.sh", 0),
    ] {
        world.read.set(0);
        judge(line, &world);
        assert_eq!(world.read.get(), times, "{line}");
    }
}

#[test]
fn what_is_grave_in_itself_counts_in_a_script_too() {
    for (text, gravity) in [
        ("rm -rf ~/\n", Gravity::Grave),
        ("git push --force origin main\n", Gravity::Grave),
        ("npm publish\n", Gravity::Doubtful),
        ("rm -rf \"$DIR\"\n", Gravity::Harmless),
        ("eval \"$1\"\n", Gravity::Harmless),
        ("$TOOL --force\n", Gravity::Harmless),
        ("rm -rf ((\n", Gravity::Harmless),
        ("curl -s \"$URL\" | sh\n", Gravity::Harmless),
        ("git reset --hard\n", Gravity::Harmless),
        ("rm notes.md\n", Gravity::Harmless),
    ] {
        let verdict = judge("bash x.sh", &Written::with(text)).verdict;
        assert_eq!(verdict.gravity, gravity, "{text}: {verdict:?}");
    }
    let stateless = StaticWorld::new("/p", "/home/dev");
    let verdict = judge("bash x.sh", &stateless).verdict;
    assert_eq!(verdict.gravity, Gravity::Harmless);
}

#[test]
fn the_reading_ends() {
    let line = "bash a.sh; bash b.sh; bash c.sh; bash d.sh; bash e.sh; bash f.sh";
    for text in [
        "bash x.sh\nbash y.sh\nbash z.sh\n".to_owned(),
        "source a.sh; bash a.sh; ./a.sh\n".to_owned(),
        "echo one two three; cd sub; x=$(ls)\n".repeat(1_700),
        "import os\nos.remove('a')\n".repeat(1_000),
    ] {
        let world = Written::with(text.as_str());
        let judgement = judge(line, &world);
        assert!(world.read.get() <= 16, "{}", world.read.get());
        // One text may take 24,000 steps and what is read for it; all scripts together are one more text of 64 KB.
        assert!(judgement.steps < 80_000, "{}", judgement.steps);
        assert_eq!(judgement.not_understood(), None);
    }
}
