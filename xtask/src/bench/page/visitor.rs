//! Somebody who looks at the page, without a browser.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{fs, io};

use anyhow::{Context, Result, bail, ensure};

use super::PATIENCE;
use crate::bench::stage::Stage;

/// Somebody with the page's cookie.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    host: String,
    /// The path that everything is below.
    base: String,
    cookie: String,
}

impl Visitor {
    /// Follows the link of `bowline open`, as a browser does.
    pub(super) fn sign_in(stage: &Stage, bowline: &Path) -> Result<Self> {
        let address = address(stage, bowline)?;
        let rest = address.strip_prefix("http://");
        let (host, path) = rest
            .and_then(|rest| rest.split_once('/'))
            .with_context(|| format!("`{address}` is no address of a page"))?;
        let mut stream = ask(host, &format!("/{path}"), "", "close")?;
        let mut head = String::new();
        stream.read_to_string(&mut head)?;
        let field = |name: &str| {
            let mut lines = head.lines();
            lines.find_map(|line| {
                let (found, value) = line.split_once(": ")?;
                found.eq_ignore_ascii_case(name).then(|| value.to_owned())
            })
        };
        let cookie = field("set-cookie").context("the link gives no cookie")?;
        let base = field("location").context("the link leads nowhere")?;
        Ok(Self {
            host: host.to_owned(),
            base,
            cookie: cookie.split(';').next().unwrap_or_default().to_owned(),
        })
    }

    /// Reads a view until its last byte.
    pub(super) fn look(&self, view: &str) -> Result<String> {
        let mut stream = self.ask(view, "close")?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).unwrap_or_default();
        ensure!(status == "200", "/{view} is answered with {status}");
        Ok(text)
    }

    /// The first link in a view that begins like this.
    pub(super) fn linked(&self, view: &str, begins: &str) -> Result<String> {
        let text = self.look(view)?;
        let mut links = text.split("href=\"./").skip(1);
        let link = links.find(|rest| rest.starts_with(begins));
        let link = link.and_then(|rest| rest.split('"').next());
        let link = link.with_context(|| format!("/{view} has no link to {begins}"))?;
        Ok(link.replace("&amp;", "&"))
    }

    pub(super) fn ask(&self, view: &str, connection: &str) -> Result<TcpStream> {
        let path = format!("{}{view}", self.base);
        let cookie = format!("Cookie: {}\r\n", self.cookie);
        ask(&self.host, &path, &cookie, connection)
    }
}

fn ask(host: &str, path: &str, fields: &str, connection: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(host).context("the page cannot be reached")?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}Connection: {connection}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    Ok(stream)
}

/// The link that `bowline open` prints. It is asked for by a process without parents, because no agent may ask for it, and an agent may
/// have started this bench.
fn address(stage: &Stage, bowline: &Path) -> Result<String> {
    let file = stage.folder().join("address");
    let mut shell = Command::new("/bin/sh");
    shell
        .args([
            "-c",
            "\"$0\" open --print > \"$1.new\" 2>&1 && mv \"$1.new\" \"$1\" &",
        ])
        .args([bowline, &file])
        .stdin(Stdio::null());
    stage.surround(&mut shell);
    for name in ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "AI_AGENT"] {
        shell.env_remove(name);
    }
    ensure!(shell.status()?.success(), "the shell failed");
    let began = Instant::now();
    loop {
        match fs::read_to_string(&file) {
            Ok(text) => return Ok(text.trim().to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context("the address cannot be read"),
        }
        if began.elapsed() > PATIENCE {
            let said = fs::read_to_string(file.with_extension("new")).unwrap_or_default();
            bail!("`bowline open` gives no address: {said}");
        }
        thread::sleep(Duration::from_millis(10));
    }
}
