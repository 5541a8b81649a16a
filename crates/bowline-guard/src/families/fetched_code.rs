//! Code that was fetched or hidden: what is fed to a shell or an interpreter, and remote shells.

mod line;
mod origin;

use crate::effect::Effect;
use crate::invocation::{Invocation, Opening, Stdin, Through};

use super::Run;
use super::args::{Parsed, Spec, UNKNOWN, parse, word};
use super::launch::base_name;
use super::rule::rules;
use super::unverified;
pub(super) use line::{Bundle, bundle, runs_bundle, runs_remote_output};
pub(super) use origin::is_local;
use origin::{Source, judge_address, source};

rules! {
    UNTRUSTED = FetchedCode, "fetched.untrusted", "Runs code from plain http, a bare address or an unknown place",
        instead "download it to a file, read it, and show it to the person before anything runs it";
    INSTALLER = FetchedCode, "fetched.installer", "Runs an installer straight from the network",
        instead "download it to a file first, read it, and use the package manager where there is one";
    HIDDEN = FetchedCode, "fetched.hidden", "Runs code that nobody can read here",
        instead "decode it to a file first, and read it";
    MADE = FetchedCode, "fetched.generated", "Runs commands that were put together on the way, and destroy",
        instead "print the commands first, without running them";
    REMOTE_SHELL = FetchedCode, "fetched.remote-shell", "Gives another machine a shell here",
        instead "tell the person what should be done from the other machine";
    INSECURE_PACKAGE = FetchedCode, "fetched.insecure-package", "Installs a package over plain http",
        instead "install it from the usual registry";
    UNKNOWN_PROGRAM = FetchedCode, "fetched.unknown-program", "Runs a program whose name comes from the network",
        instead "write the program's name out";
}

pub(super) const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "dash",
    "ksh",
    "mksh",
    "fish",
    "ash",
    "csh",
    "tcsh",
    "eval",
    "source",
    ".",
    "rbash",
    "pwsh",
    "powershell",
    "at",
    "batch",
    "crontab",
    "xonsh",
    "nu",
    "elvish",
    "busybox",
    "cmd",
];
pub(super) const INTERPRETERS: &[&str] = &[
    "python",
    "perl",
    "ruby",
    "node",
    "php",
    "deno",
    "bun",
    "lua",
    "osascript",
    "Rscript",
    "tclsh",
    "groovy",
    "guile",
    "ghci",
];

pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let name = base_name(run.name);
    let mut found = Vec::new();
    if (SHELLS.contains(&name) || INTERPRETERS.contains(&name)) && reads_code_from_stdin(name, run)
    {
        if let Stdin::Pipe(programs) = &run.invocation.stdin {
            found.extend(from_programs(programs).map(|it| it.effect(run.name)));
        }
        found.extend(from_words(run).map(|it| it.effect(run.name)));
    }
    found.extend(remote_shell(name, run));
    found.extend(package(run));
    found
}

/// A program whose name only running shows: the network must not choose it.
pub(super) fn unknown_program(invocation: &Invocation) -> Vec<Effect> {
    let sources: Vec<String> = invocation
        .through
        .iter()
        .filter_map(|it| match it {
            Through::EachOf(text) => Some(text.clone()),
            _ => None,
        })
        .collect();
    match source(&sources) {
        Some(Source::Untrusted(from)) => {
            vec![UNKNOWN_PROGRAM.grave(format!("runs whatever {from} names"))]
        }
        Some(Source::Installer(from)) => {
            vec![UNKNOWN_PROGRAM.doubtful(format!("runs whatever {from} names"))]
        }
        _ => Vec::new(),
    }
}

/// Whether what comes in is the program to run, rather than data for one that is given.
fn reads_code_from_stdin(name: &str, run: Run<'_>) -> bool {
    if matches!(name, "eval" | "source" | "." | "at" | "batch" | "crontab") {
        return true;
    }
    let mut args = run.args.iter();
    while let Some(arg) = args.next() {
        match word(arg) {
            "-" | "-s" | "--" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => return true,
            "-c" | "-e" | "--eval" | "-r" | "-Command" | "-command" => {
                // Known code is what runs; unknown code comes from somewhere.
                return args.next().is_some_and(|code| code.text().is_none());
            }
            "-m" => return false,
            "-o" | "-O" | "-W" | "-X" | "-I" => {
                args.next();
            }
            option if option.starts_with('-') => {
                let letters = option.trim_start_matches('-');
                let one_dash = option.len() - letters.len() == 1;
                if one_dash && SHELLS.contains(&name) && letters.contains('c') {
                    return args.next().is_some_and(|code| code.text().is_none());
                }
                if one_dash && !SHELLS.contains(&name) && letters.contains(['e', 'n', 'p']) {
                    return false;
                }
                if one_dash && letters.contains('s') {
                    return true;
                }
            }
            _ => return arg.text().is_none(),
        }
    }
    true
}

/// Where code comes from that programs print; `None` if it is everyday, such as a tool's settings for shells.
fn from_programs(programs: &[String]) -> Option<Source> {
    source(programs)
        .filter(|it| !matches!(it, Source::Hidden(_)) || !unverified::prints_for_shells(programs))
}

/// Substitutions that are still visible in a word: `sh -c "$(curl …)"`, `bash <(curl …)`.
fn from_words(run: Run<'_>) -> Option<Source> {
    run.args
        .iter()
        .filter(|arg| arg.text().is_none())
        .find_map(|arg| {
            let inner = ["$(", "<(", "`"]
                .iter()
                .find_map(|mark| arg.source.split_once(mark))?
                .1;
            let inner = inner.trim_end_matches(['"', ')', '`', '\'']);
            from_programs(
                &inner
                    .split('|')
                    .map(|it| it.trim().to_owned())
                    .collect::<Vec<_>>(),
            )
        })
}

fn is_interactive_shell(program: &str) -> bool {
    let mut words = program.split_whitespace();
    let name = words.next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(name);
    SHELLS.contains(&name) && words.all(|it| it == "-i" || it.starts_with("2>"))
}

fn remote_shell(name: &str, run: Run<'_>) -> Option<Effect> {
    let what = "gives another machine a shell here";
    match name {
        "nc" | "ncat" | "netcat" | "nc.traditional" => {
            let parsed = parse(
                run.args,
                &Spec::gnu(&[
                    "e", "c", "exec", "sh-exec", "lua-exec", "p", "s", "w", "i", "x", "q",
                ]),
            );
            // `sh -i | nc …`: what the shell prints goes there, and orders come back by a pipe.
            let fed_by_shell = matches!(&run.invocation.stdin, Stdin::Pipe(programs)
                if programs.iter().any(|it| is_interactive_shell(it)));
            (fed_by_shell || parsed.has(&["e", "c", "exec", "sh-exec", "lua-exec"]))
                .then(|| REMOTE_SHELL.grave(what))
        }
        "socat" => run
            .args
            .iter()
            .map(|it| word(it).to_ascii_uppercase())
            .any(|it| {
                it.starts_with("EXEC:") || it.starts_with("SYSTEM:") || it.starts_with("SHELL:")
            })
            .then(|| REMOTE_SHELL.grave(what)),
        _ => {
            let shell = SHELLS.contains(&name) || INTERPRETERS.contains(&name);
            let network = |path: &str| {
                let host = ["/dev/tcp/", "/dev/udp/"]
                    .iter()
                    .find_map(|it| path.strip_prefix(it))
                    .and_then(|it| it.split('/').next());
                // A look at a port of this machine connects to nobody else.
                host.is_some_and(|it| shell || !is_local(it))
            };
            let from_file =
                matches!(&run.invocation.stdin, Stdin::File(file) if network(word(file)));
            let opened = run
                .invocation
                .opened
                .iter()
                .filter(|it| network(word(&it.file)));
            let connected = from_file || opened.clone().next().is_some();
            if !connected {
                return None;
            }
            let sends = opened
                .into_iter()
                .any(|it| !matches!(it.how, Opening::Read));
            Some(if shell || name == "exec" || (name == "cat" && sends) {
                REMOTE_SHELL.grave(what)
            } else {
                REMOTE_SHELL.doubtful("opens a connection through the shell")
            })
        }
    }
}

/// Package managers that are told to fetch over plain http.
fn package(run: Run<'_>) -> Option<Effect> {
    // What its words begin with when it fetches.
    let fetches: &[&str] = match base_name(run.name) {
        "docker" | "podman" | "nerdctl" => &["run|create|pull"],
        "pip" | "pip3" | "pipx" => &["install|download|run"],
        "uv" => &["pip install", "add|tool"],
        "npm" | "pnpm" | "yarn" | "bun" => &["install|i|add|dlx|exec|x"],
        "gem" | "cargo" | "go" | "poetry" | "conda" | "composer" => {
            &["install|add|get|run|require"]
        }
        "kubectl" | "oc" => &["apply|create|replace"],
        "npx" | "uvx" | "bunx" | "deno" | "dpkg" | "rpm" | "yum" | "dnf" | "apt" | "apt-get"
        | "brew" | "apk" => &[],
        _ => return None,
    };
    let parsed = parse(
        run.args,
        &Spec::gnu(&[
            "index-url",
            "i",
            "extra-index-url",
            "registry",
            "source",
            "s",
            "git",
            "f",
            "filename",
            "find-links",
            "trusted-host",
            "from",
        ]),
    );
    if !fetches.is_empty() && !fetches.iter().any(|it| parsed.begins(it)) {
        return None;
    }
    if matches!(run.name, "docker" | "podman" | "nerdctl") {
        let image = run
            .args
            .iter()
            .map(word)
            .find(|it| is_at_bare_address(it))?;
        let what = format!("runs the image {image} from a bare address");
        return Some(UNTRUSTED.grave(what));
    }
    let address = plain_http(&parsed, run)?;
    match judge_address(&address) {
        Source::Untrusted(from) => {
            Some(INSECURE_PACKAGE.grave(format!("installs and may run what comes from {from}")))
        }
        _ if base_name(run.name) == "deno" => Some(INSTALLER.doubtful(format!("runs {address}"))),
        _ => None,
    }
}

/// `203.0.113.9:5000/image`
fn is_at_bare_address(image: &str) -> bool {
    let Some((host, _)) = image.split_once('/') else {
        return false;
    };
    let host = host.split(':').next().unwrap_or(host);
    !is_local(host)
        && host
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|it| !it.is_private())
}

fn plain_http(parsed: &Parsed<'_>, run: Run<'_>) -> Option<String> {
    let values = run.args.iter().map(word).flat_map(|it| {
        it.split_once('=')
            .map_or([it, ""], |(_, value)| [value, it])
    });
    let mut urls = values.filter_map(|it| {
        let url = it.strip_prefix("git+").unwrap_or(it);
        let plain = url.starts_with("http://") || url.starts_with("git://");
        let remote = base_name(run.name) == "deno"
            && parsed.begins("run|install")
            && url.starts_with("https://");
        let bare = url
            .strip_prefix("https://")
            .is_some_and(|host| host.starts_with(|c: char| c.is_ascii_digit()));
        (plain || remote || bare).then(|| url.to_owned())
    });
    urls.next()
}

/// A run that starts a file which an earlier run of the line downloads, with `(run, file, address)`
/// for each download.
pub(super) fn downloaded_and_run(
    runner: &Invocation,
    at: usize,
    downloads: &[(usize, &str, &str)],
) -> Option<Effect> {
    let program = runner.program.as_deref()?;
    let script = if SHELLS.contains(&program) || INTERPRETERS.contains(&base_name(program)) {
        runner
            .args
            .iter()
            .map(word)
            .find(|it| !it.starts_with('-'))?
    } else {
        program
    };
    let name = script
        .rsplit('/')
        .next()
        .filter(|it| !it.is_empty() && *it != UNKNOWN)?;
    downloads.iter().find_map(|(earlier, file, url)| {
        let same = *earlier < at && file.rsplit('/').next() == Some(name);
        same.then(|| judge_address(url).effect(script))
    })
}

/// The file that a download writes, and where it comes from.
pub(super) fn download(invocation: &Invocation) -> Option<(&str, &str)> {
    let parsed = match invocation.program.as_deref()? {
        "curl" => parse(
            &invocation.args,
            &Spec::gnu(&[
                "o", "output", "H", "header", "A", "e", "u", "d", "X", "request",
            ]),
        ),
        "wget" | "aria2c" => parse(
            &invocation.args,
            &Spec::gnu(&["O", "output-document", "P", "o", "header", "U"]),
        ),
        // `host:file`, copied to here.
        "scp" => {
            let words = invocation.args.iter().map(word);
            let mut from = words.filter(|it| it.contains(':') && !it.starts_with('-'));
            let source = from.next()?;
            let (_, path) = source.split_once(':')?;
            return Some((path.rsplit('/').next()?, source));
        }
        _ => return None,
    };
    let url = parsed
        .words
        .iter()
        .copied()
        .find(|it| it.contains(['.', '/']))?;
    let written = invocation
        .opened
        .iter()
        .find(|it| !matches!(it.how, Opening::Read))
        .map(|it| word(&it.file));
    let named = parsed
        .value(&["o", "output", "O", "output-document"])
        .filter(|it| *it != "-");
    let last = url
        .split(['?', '#'])
        .next()
        .and_then(|it| it.rsplit('/').next());
    Some((written.or(named).or(last)?, url))
}
