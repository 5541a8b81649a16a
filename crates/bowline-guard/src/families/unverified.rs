//! What nobody can know before it runs: text for a shell or an interpreter, and the names of programs.

mod printers;

use crate::effect::Effect;
use crate::invocation::{Arg, Invocation, Stdin, Through, Value};

use super::Run;
use super::args::word;
use super::fetched_code::{INTERPRETERS, SHELLS};
use super::launch::base_name;
use super::rule::rules;
pub(super) use printers::prints_for_shells;

rules! {
    UNSEEN_TEXT = Unverified, "shell.unseen-text", "Runs text that cannot be known before it runs",
        instead "write the commands out, or print the text first and read it";
    UNSEEN_PROGRAM = Unverified, "shell.unseen-program", "Runs a program that cannot be known before it runs",
        instead "write the program's name out instead of a variable or the output of a program";
}

/// Text that reaches a shell or an interpreter, and is not known.
pub(super) fn effects(run: Run<'_>) -> Vec<Effect> {
    let name = base_name(run.name);
    // What a schedule is made of is asked about anyway.
    let runs_text = (SHELLS.contains(&name) && name != "crontab") || INTERPRETERS.contains(&name);
    if !runs_text {
        return Vec::new();
    }
    let unseen = match code(name, run.args) {
        Code::Given(arg) => {
            matches!(arg.value, Value::Unknown) && !given_by_printer(run.invocation)
        }
        Code::Input => is_unseen(&run.invocation.stdin),
        Code::File => false,
    };
    let text = || UNSEEN_TEXT.doubtful(format!("runs with {} what cannot be known", run.name));
    unseen.then(text).into_iter().collect()
}

/// A program whose name is not known.
pub(super) fn program(invocation: &Invocation) -> Option<Effect> {
    let written = invocation.program_path.as_deref()?;
    let everyday = match written.split_once('…') {
        Some((before, after)) => says_enough(before, after),
        None => {
            !written.contains(['$', '`'])
                || is_everyday_variable(written, EVERYDAY)
                || (invocation.args.is_empty() && is_everyday_variable(written, FLAGS))
        }
    };
    if everyday || names_a_file(invocation) || given_by_printer(invocation) {
        return None;
    }
    let what = match written {
        "…" => "runs a program that cannot be known".to_owned(),
        _ => format!("runs the program in {written}, which cannot be known"),
    };
    Some(UNSEEN_PROGRAM.doubtful(what))
}

/// Where a program finds the code that it runs.
enum Code<'a> {
    /// In its arguments.
    Given(&'a Arg),
    /// In what it reads.
    Input,
    /// In a file, which is read by nobody here.
    File,
}

fn code<'a>(name: &str, args: &'a [Arg]) -> Code<'a> {
    match (name, args) {
        ("eval", [only]) => return Code::Given(only),
        ("eval", [first, ..]) if args.iter().all(|it| it.value == Value::Unknown) => {
            return Code::Given(first);
        }
        ("eval", _) => return Code::File,
        ("source" | ".", [file, ..]) => return of_file(file),
        _ => {}
    }
    let shell = SHELLS.contains(&name);
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let text = word(arg);
        let letters = text.strip_prefix('-').unwrap_or_default();
        let cluster = !letters.is_empty() && !letters.starts_with('-');
        let gives = match text {
            "--eval" | "-Command" | "-command" | "--command" | "--print" => true,
            _ if cluster && shell => letters.contains('c'),
            _ if cluster && name == "python" => letters.ends_with('c'),
            _ if cluster && name == "php" => letters == "r",
            _ => cluster && letters.ends_with('e') || letters == "p" && name == "node",
        };
        match text {
            _ if gives => return rest.next().map_or(Code::File, Code::Given),
            "-" | "-s" | "--" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => break,
            "-m" => return Code::File,
            "-o" | "-O" | "-W" | "-X" | "-I" | "--rcfile" | "--init-file" => {
                rest.next();
            }
            // `perl -n`, `ruby -rjson`: the code comes yet.
            _ if text.starts_with('-') => {}
            _ => return of_file(arg),
        }
    }
    Code::Input
}

fn of_file<'a>(file: &Arg) -> Code<'a> {
    if file.source.contains("<(") {
        Code::Input
    } else {
        Code::File
    }
}

/// Whether an input is a text of which nothing is known, and no file as it stands.
fn is_unseen(stdin: &Stdin) -> bool {
    match stdin {
        Stdin::None | Stdin::File(_) => false,
        Stdin::Text(text) => {
            text.contains('…') && text.chars().all(|it| it == '…' || it.is_whitespace())
        }
        Stdin::Pipe(programs) => {
            let is_file = |it: &String| printers::prints_files(it);
            !programs.iter().all(is_file) && !prints_for_shells(programs)
        }
    }
}

/// Whether what is unknown among the words is printed by a program for shells.
fn given_by_printer(invocation: &Invocation) -> bool {
    let listed = invocation.through.iter().any(|it| match it {
        Through::EachOf(listing) => prints_for_shells(&split(listing)),
        _ => false,
    });
    listed || matches!(&invocation.stdin, Stdin::Pipe(programs) if prints_for_shells(programs))
}

fn split(listing: &str) -> Vec<String> {
    listing.split(" | ").map(str::to_owned).collect()
}

/// Whether the name is one that a search has found: a file of the project, which is run as it is.
fn names_a_file(invocation: &Invocation) -> bool {
    let listing = invocation.through.iter().rev().find_map(|it| match it {
        Through::EachOf(listing) => listing.split_whitespace().next(),
        _ => None,
    });
    matches!(listing, Some("find" | "fd" | "fdfind" | "ls" | "which"))
}

/// What is known around an unknown part: a folder of one's own, or most of a name.
fn says_enough(before: &str, after: &str) -> bool {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).count();
    let system = ["/bin/", "/sbin/", "/usr/"]
        .iter()
        .any(|it| before.starts_with(it));
    let name = before.rsplit('/').next().unwrap_or(before);
    (before.contains('/') && !system)
        || letters(name) > 2
        // `do_$name`, `x-$name`: one of a kind.
        || (letters(name) > 0 && name.ends_with(['_', '-']))
        // `eval "$name=1"`: no program.
        || after.starts_with(['=', '+', '['])
        || (letters(after) > 1 && !after.contains(['…', ' ']))
}

/// Words of variables' names that hold the name of one program, or what may stand before a command.
#[rustfmt::skip]
const EVERYDAY: &[&str] = &[
    "app", "bin", "binary", "compiler", "dry", "dryrun", "echo", "entrypoint", "exe", "execpath", "executable", "interpreter",
    "launcher", "linker", "prefix", "prog", "program", "runner", "script", "sudo", "timeout", "tool", "wrapper",
];

/// Words of variables' names that say yes or no: `if $VERBOSE; then`.
const FLAGS: &[&str] = &[
    "ci", "debug", "enable", "enabled", "force", "has", "is", "quiet", "skip", "trace", "use",
    "verbose",
];

/// `"$@"`, `$1`, `"${args[@]}"`, `$APP_BIN`: whoever wrote the line has it from elsewhere.
fn is_everyday_variable(written: &str, everyday: &[&str]) -> bool {
    let name = written.trim_matches('"');
    let Some(name) = name.strip_prefix('$') else {
        return false;
    };
    let name = name
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(name);
    if name.contains("[@]") || matches!(name, "@" | "*") {
        return true;
    }
    let end = name.find(|it: char| it != '_' && !it.is_ascii_alphanumeric());
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && (name.chars().all(|it| it.is_ascii_digit())
            || lower.split('_').any(|part| everyday.contains(&part)))
}
