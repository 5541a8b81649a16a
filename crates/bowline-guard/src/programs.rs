//! The programs that the guard knows harm of, by their names: those that are worth a look by themselves, wherever they are started.
//!
//! The names are those of the families' tables, those that are followed in other programs' words, and those in the typical call of a rule.
//! So a program that a family learns is here, too.

use std::collections::BTreeSet;

use crate::effect::Gravity;
use crate::families;
use crate::interpret;
use crate::invocation::{Arg, Invocation, Value};
use crate::judge::judge;
use crate::paths::StaticWorld;
use crate::rules::rules;
use crate::shell::Understanding;

pub use crate::interpret::Reads;

/// What a shell does itself. A program of this name does no more than print.
const PRINTS: &[&str] = &["echo", "printf"];

/// All of them.
pub fn known() -> BTreeSet<String> {
    let world = StaticWorld::new("/project", "/home/dev");
    let followed = interpret::harmful().chain(interpret::privileged());
    let listed = families::programs().chain(followed);
    let mut known: BTreeSet<String> = listed.map(str::to_owned).collect();
    for rule in rules() {
        let typical = rule.typical().map(|it| it.example);
        let Some(command) = typical.filter(|it| it.tool == "Bash") else {
            continue;
        };
        let judged = judge(command.text, &world);
        let harmful = judged
            .effects
            .iter()
            .filter(|(effect, _)| effect.gravity > Gravity::Harmless);
        let runs =
            harmful.filter_map(|(_, run)| judged.invocations.get((*run)?)?.program.as_deref());
        known.extend(runs.map(str::to_owned));
    }
    known.retain(|name| is_name(name) && !PRINTS.contains(&name.as_str()));
    known
}

/// Whether a program of this name is a shell.
pub fn is_shell(name: &str) -> bool {
    interpret::is_shell(name)
}

/// What a shell of this name runs, by the arguments after it.
pub fn shell_reads(name: &str, args: &[&str]) -> Reads {
    let args: Vec<_> = args.iter().copied().map(Some).collect();
    interpret::reads(name, &args)
}

/// Whether a program of this name runs code of its own language, of which its arguments tell little.
pub fn is_interpreter(name: &str) -> bool {
    families::is_interpreter(name)
}

/// Whether a shell line says what this program is given, so that whoever judged the line has judged the program, too: word by word, or
/// because no word of the line is open until it runs.
pub fn foresees(line: &str, program: &str, args: &[&str]) -> bool {
    let world = StaticWorld::new("/project", "/home/dev");
    let line = interpret::interpret(line, &world);
    let says = |run: &Invocation| {
        let words = run.args.iter().map(Arg::text);
        run.program.as_deref() == Some(program) && words.eq(args.iter().copied().map(Some))
    };
    let is_read = line.understanding == Understanding::Clean;
    line.invocations.iter().any(says) || is_read && !line.invocations.iter().any(is_open)
}

/// Whether only running shows what this is. What a pattern stands for is known before, and is looked at.
fn is_open(run: &Invocation) -> bool {
    let is_open = |arg: &Arg| matches!(arg.value, Value::Partly(_) | Value::Unknown);
    run.program.is_none() || run.args.iter().any(is_open)
}

/// A program, and no path, pattern or part of one.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    !name.is_empty() && !name.starts_with(['.', '-']) && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_destroys_is_known_and_what_looks_is_not() {
        let known = known();
        for name in [
            "rm",
            "rmdir",
            "git",
            "dd",
            "shred",
            "truncate",
            "find",
            "chmod",
            "chown",
            "rsync",
            "docker",
            "podman",
            "kubectl",
            "terraform",
            "npm",
            "cargo",
            "psql",
            "sudo",
            "doas",
            "xargs",
            "bash",
            "sh",
            "zsh",
            "fish",
            "python3",
            "node",
            "cp",
            "mv",
            "ln",
            "tee",
            "crontab",
            "systemctl",
            "borg",
            "gh",
            "aws",
            "umount",
            "fdisk",
            "mkfs",
            "bowline",
            "claude",
            "curl",
            "cat",
        ] {
            assert!(known.contains(name), "{name}");
        }
        for name in [
            "ls", "echo", "printf", "pwd", "date", "true", "make", "rustc", "gcc", "", "$X",
            "./x.sh",
        ] {
            assert!(!known.contains(name), "{name}");
        }
        assert!(known.iter().all(|it| !it.contains(['/', ' ', '*'])));
    }

    #[test]
    fn a_line_foresees_what_it_says_and_nothing_that_only_running_shows() {
        let given = |words: &'static str| words.split(' ').collect::<Vec<_>>();
        for line in [
            "xargs git push",
            "cat f | xargs git push",
            "git push $(cat f)",
            "git push `cat f`",
            "read x < f; git push $x",
            "read x < f; git $x",
            "read x < f; $x --force",
            "git push $FLAGS",
            "eval \"$(cat f)\"",
            "bash -c \"$(cat f)\"",
            "for x in $(cat f); do git push $x; done",
            "while read x; do git push $x; done < f",
            "mapfile -t x < f; git push \"${x[@]}\"",
            "git push \"$1\"",
            "find . -exec git push {} +",
            "git push (",
        ] {
            assert!(!foresees(line, "git", &given("push --force")), "{line}");
        }
        for (line, words) in [
            ("git status | cat; (git diff)", "git diff"),
            ("bash -c 'git show'; env git tag", "git tag"),
            ("echo x | xargs git add", "git add x"),
            ("for f in a b; do rm $f; done", "rm b"),
            ("f=a; rm $f", "rm a"),
            ("rm *.txt", "rm a.txt"),
            ("rm ~/x", "rm /home/ada/x"),
            // Of several, this one is said.
            ("git commit -m \"$(date)\"; git status -s", "git status -s"),
            ("cd $(mktemp -d) && git init", "git init"),
            // What a program starts is a part of it.
            ("git status && make", "cp a b"),
        ] {
            let words = given(words);
            assert!(foresees(line, words[0], &words[1..]), "{line}");
        }
    }

    #[test]
    fn shells_and_interpreters_are_told_apart() {
        for (name, shell, interpreter) in [
            ("bash", true, false),
            ("fish", true, false),
            ("python3.12", false, true),
            ("node", false, true),
            ("perl", false, true),
            ("rm", false, false),
        ] {
            assert_eq!(
                (is_shell(name), is_interpreter(name)),
                (shell, interpreter),
                "{name}"
            );
        }
    }
}
