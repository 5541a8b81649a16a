//! `cargo xtask screenshots`: a picture of every view of the page, from the demo's data, into `docs/screenshots`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tempfile::TempDir;

use crate::programs::{self, Network, Programs, on_path};
use crate::{Outcome, unexpected};

/// Nothing takes so long.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_millis(20);
/// Larger pictures make a repository heavy.
const MOST_BYTES: u64 = 150_000;

const CHROMIUM: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// No host but this machine is asked for anything.
const STILL: [&str; 7] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// How a picture is coloured.
#[derive(Debug, Clone, Copy)]
enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    const fn settings(self) -> &'static str {
        match self {
            Self::Light => "--blink-settings=preferredColorScheme=1",
            Self::Dark => "--blink-settings=preferredColorScheme=0",
        }
    }
}

struct Picture {
    name: &'static str,
    /// Where the link leads.
    to: &'static str,
    width: u32,
    height: u32,
    scheme: Scheme,
}

const fn wide(name: &'static str, to: &'static str, height: u32) -> Picture {
    Picture {
        name,
        to,
        width: 1100,
        height,
        scheme: Scheme::Light,
    }
}

const PICTURES: [Picture; 14] = [
    wide("now", "", 330),
    Picture {
        scheme: Scheme::Dark,
        ..wide("now-dark", "", 330)
    },
    Picture {
        width: 400,
        ..wide("now-narrow", "", 690)
    },
    wide("inbox", "&to=inbox", 460),
    wide("search", "&to=search&q=round", 300),
    wide("timeline", "&to=timeline&session=demo-4d9f36a2", 640),
    wide("calls", "&to=waterfall&session=demo-4d9f36a2", 740),
    wide("sessions", "&to=sessions", 520),
    wide("session", "&to=session&session=demo-8c21be70", 520),
    wide("effort", "&to=effort&id=1", 370),
    wide("call", "&to=call&id=toolu_demo_edit", 980),
    wide("costs", "&to=costs", 780),
    wide("guards", "&to=guards", 340),
    wide("hooks", "&to=hooks", 620),
];

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<Outcome> {
    let mut network = Network::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            lexopt::Arg::Long("offline") => network = Network::Offline,
            other => return Err(unexpected(&other)),
        }
    }
    let chromium = CHROMIUM.iter().find_map(|name| on_path(name));
    let chromium = chromium.context("Chromium is not here; the distribution's packages have it")?;
    let folder = programs::workspace().join("docs/screenshots");
    fs::create_dir_all(&folder)?;
    let demo = Demo::start(programs::build_for_a_look(network)?)?;
    let mut outcome = Outcome::Fine;
    for picture in PICTURES {
        let file = folder.join(picture.name).with_extension("png");
        take(&chromium, &picture, &demo.link()?, &file)?;
        let bytes = fs::metadata(&file)?.len();
        println!("{:>4} KB  {}", bytes / 1000, file.display());
        if bytes > MOST_BYTES {
            eprintln!("{} is too large", picture.name);
            outcome = Outcome::Missed;
        }
    }
    Ok(outcome)
}

fn take(chromium: &Path, picture: &Picture, link: &str, file: &Path) -> Result<()> {
    let profile = tempfile::tempdir()?;
    let made = profile.path().join("made.png");
    let ran = Command::new(chromium)
        .args(STILL)
        .arg(picture.scheme.settings())
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!(
            "--window-size={},{}",
            picture.width, picture.height
        ))
        .arg(format!("--screenshot={}", made.display()))
        .arg(format!("{link}{}", picture.to))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    ensure!(
        ran.success() && made.is_file(),
        "Chromium makes no picture of {}",
        picture.name
    );
    fs::copy(&made, file)?;
    Ok(())
}

/// `bowline demo --open`, until this ends.
struct Demo {
    bowline: PathBuf,
    socket: String,
    folder: TempDir,
    /// The demo ends with it.
    _stdin: Option<ChildStdin>,
}

impl Demo {
    fn start(programs: Programs) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("demo");
        let mut shell = alone(&programs.bowline, "demo --open --json", &file);
        let mut shell = shell.stdin(Stdio::piped()).spawn()?;
        let stdin = shell.stdin.take();
        ensure!(shell.wait()?.success(), "the shell failed");
        let said = until("the demo says where its page is", || {
            let said = read(&file)?;
            // It is there as a whole when it can be read.
            Ok(serde_json::from_str::<Value>(&said).ok())
        });
        let said = said.with_context(|| read(&file).unwrap_or_default())?;
        let socket = said.pointer("/page/socket").and_then(Value::as_str);
        Ok(Self {
            bowline: programs.bowline,
            socket: socket.context("the demo has no page")?.to_owned(),
            folder,
            _stdin: stdin,
        })
    }

    /// An address that works once.
    fn link(&self) -> Result<String> {
        let file = self.folder.path().join("link");
        fs::write(&file, "")?;
        let mut shell = alone(&self.bowline, "open --print", &file);
        shell
            .env("BOWLINE_SOCKET", &self.socket)
            .stdin(Stdio::null());
        ensure!(shell.status()?.success(), "the shell failed");
        let said = until("`bowline open` answers", || {
            Ok(Some(read(&file)?).filter(|it| it.ends_with('\n')))
        })?;
        ensure!(said.starts_with("http://127.0.0.1:"), "no page: {said}");
        Ok(said.trim().to_owned())
    }
}

/// A command of Bowline whose process has no parents: no agent may open the page, and an agent may have started this chore.
fn alone(bowline: &Path, line: &str, file: &Path) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell
        .args([
            "-c",
            &format!("exec 3<&0; (\"$0\" {line} <&3 >\"$1\" 2>&1 &)"),
        ])
        .args([bowline, file])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    shell.env_clear();
    for name in ["PATH", "HOME", "TMPDIR", "TZ"] {
        shell.envs(env::var_os(name).map(|value| (name, value)));
    }
    shell
}

/// A file, or nothing where there is none yet.
fn read(file: &Path) -> Result<String> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => Ok(read?),
    }
}

fn until<T>(what: &str, look: impl Fn() -> Result<Option<T>>) -> Result<T> {
    let began = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if began.elapsed() > PATIENCE {
            bail!("it never happens that {what}");
        }
        thread::sleep(LOOK);
    }
}
