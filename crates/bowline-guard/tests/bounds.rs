//! Judging is bounded: hostile texts neither overflow the stack nor take more than their size deserves.

mod long;

use bowline_guard::effect::Gravity;
use bowline_guard::judge::{judge, judge_powershell};
use bowline_guard::paths::{StaticWorld, World};
use proptest::prelude::*;

fn gravity(text: &str) -> Gravity {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    judge(text, &world).verdict.gravity
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn what_is_nested_too_deep_is_asked_about() {
    let mut text = "rm -rf /".to_owned();
    for _ in 0..12 {
        text = format!("bash -c {}", quoted(&text));
        if text.len() > 100_000 {
            break;
        }
        assert!(gravity(&text) > Gravity::Harmless);
    }
    let mut text = "rm -rf /".to_owned();
    for _ in 0..200 {
        text = format!("sudo {text}");
    }
    assert!(gravity(&text) > Gravity::Harmless);
    let mut text = "rm -rf /".to_owned();
    for _ in 0..60 {
        text = format!("echo $({text})");
    }
    assert!(gravity(&text) > Gravity::Harmless);
}

/// What a pattern of a build stands for, after the shell has expanded it.
#[test]
fn a_long_list_of_files_is_judged_like_a_short_one() {
    for count in [3, 300, 900] {
        let names = (0..count).map(|number| format!("build/part-{number}.o"));
        let files = names.collect::<Vec<_>>().join(" ");
        for command in ["cat", "grep -l main", "git add"] {
            let text = format!("{command} {files}");
            assert_eq!(gravity(&text), Gravity::Harmless, "{command} {count}");
        }
        assert_eq!(
            gravity(&format!("rm -f {files}")),
            gravity("rm -f build/part-1.o"),
            "{count}"
        );
        for (command, last) in [("cat", "~/.aws/credentials"), ("rm -rf", "~")] {
            let text = format!("{command} {files} {last}");
            let alone = gravity(&format!("{command} {last}"));
            assert!(alone > Gravity::Harmless);
            assert_eq!(gravity(&text), alone, "{command} {count}");
        }
    }
}

#[test]
fn what_is_too_much_is_asked_about() {
    for text in [
        format!("{} rm -rf /", "true;".repeat(40_000)),
        format!("{} rm -rf /", "x=1; ".repeat(30_000)),
        format!("rm -rf {}", "a ".repeat(60_000)),
        format!(
            "{} rm -rf /",
            "f() { f2; f2; }; f2() { f3; f3; }; f3() { f; f; }; f; ".repeat(500)
        ),
        format!(
            "for a in {0}; do for b in {0}; do for c in {0}; do rm -rf $c; done; done; done",
            "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"
        ),
        format!("x=aaaaaaaaaa; {} rm -rf $x", "x=$x$x$x$x; ".repeat(40)),
        format!(
            "python3 -c '{} import os; os.system(\"rm -rf /\")'",
            "a(b(c(".repeat(2_000)
        ),
        format!("bash -c '{} rm -rf /'", "{ ".repeat(30_000)),
        format!("bash -c \"{} rm -rf /\"", "& { ".repeat(15_000)),
        format!(
            "set -- {}; bash -c \"{} rm -rf /\"",
            "x ".repeat(200),
            "set -- \"$@\" x; ".repeat(1_100)
        ),
    ] {
        assert!(
            gravity(&text) > Gravity::Harmless,
            "{}",
            text.chars().take(80).collect::<String>()
        );
    }
}

#[test]
fn what_stands_behind_too_much_is_asked_about() {
    let padding = (0..700)
        .map(|at| format!("ls a{at}; "))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(gravity("git push -f origin main"), Gravity::Grave);
    assert!(gravity(&format!("{padding} git push -f origin main")) > Gravity::Harmless);
    let padding = "x=1; (true); ".repeat(4_000);
    assert!(gravity(&format!("{padding} git push -f origin main")) > Gravity::Harmless);
}

/// A value that would become too long is unknown, and may be anything: each of these is harmless while it is short.
#[test]
fn what_grows_too_long_is_asked_about() {
    type Make = fn(&str) -> String;
    let rows: &[Make] = &[
        |a| format!("a={a}; sed \"s/a/$a/g\" <<< $a | sh"),
        |a| format!("a={a}; b=${{a//a/{a}}}; eval \"echo $b\""),
        |a| {
            format!(
                "a={a}; {} sh -c \"echo $a\"",
                "a=$a$a; ".repeat(a.len() / 100)
            )
        },
        |a| {
            format!(
                "a={a}; {} sh -c \"echo $a\"",
                "a+=$a; ".repeat(a.len() / 100)
            )
        },
        |a| format!("xargs -I{{}} echo {} <<< {a}", "{}".repeat(a.len())),
        |a| format!("parallel echo {} ::: {a}", "{}".repeat(a.len())),
        |a| format!("echo {a}{}", "{b,c}".repeat(3)),
        |a| format!("a={a}; echo {}", "\"$a\" ".repeat(a.len() / 10)),
        |a| format!("a={a}; {}", "(echo $a); ".repeat(a.len() / 40)),
        |a| {
            format!(
                "python3 -c 'a = \"{a}\"\n{}print(a)'",
                "a = a + a\n".repeat(a.len() / 100)
            )
        },
    ];
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    for make in rows {
        let text = make("aaa");
        let short = judge(&text, &world);
        assert_eq!(
            short.verdict.gravity,
            Gravity::Harmless,
            "{text}: {short:?}"
        );
        let text = make(&"a".repeat(20_000));
        let start: String = text.chars().rev().take(80).collect();
        assert!(
            judge(&text, &world).verdict.gravity > Gravity::Harmless,
            "{start}"
        );
    }
}

#[test]
fn what_grows_too_long_in_powershell_is_asked_about() {
    type Make = fn(&str) -> String;
    let rows: &[Make] = &[
        |a| format!("$a = '{a}'; {} echo $a", "$a += $a; ".repeat(a.len() / 100)),
        |a| format!("$a = '{a}'; echo \"{}\"", "$a".repeat(a.len())),
        |a| format!("echo ('{}' -f '{a}')", "{0}".repeat(a.len())),
    ];
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    for make in rows {
        let gravity = |text: &str| judge_powershell(text, &world).verdict.gravity;
        assert_eq!(gravity(&make("aaa")), Gravity::Harmless, "{}", make("aaa"));
        let text = make(&"a".repeat(20_000));
        let start: String = text.chars().rev().take(80).collect();
        assert!(gravity(&text) > Gravity::Harmless, "{start}");
    }
}

/// What a person may well send is not cut short.
#[test]
fn long_texts_that_do_not_grow_are_followed() {
    let line = "    let total = items.iter().map(|item| item.price).sum::<u64>(); // it's $5\n";
    let code = line.repeat(60_000 / line.len());
    let files: Vec<String> = (0..200)
        .map(|at| format!("src/module{at}/file{at}.rs"))
        .collect();
    let files = files.join(" ");
    for text in [
        format!("cat > src/gen.rs <<'EOF'\n{code}EOF\n"),
        format!("cat > src/gen.rs <<EOF\n{}EOF\n", code.replace('$', "")),
        format!(
            "python3 - <<'EOF'\nprint('a')\n{}EOF\n",
            "x = [1, 2, 3]\n".repeat(400)
        ),
        format!("git add {files}"),
        format!(
            "git commit -m \"{}\"",
            "A long (but plain) message; with marks & signs.\n".repeat(1_000)
        ),
        format!("for i in 1 2 3; do echo {}; done", "word ".repeat(80)),
        format!("x='{}'; echo \"$x\" | wc -c", "text ".repeat(4_000)),
    ] {
        let start: String = text.chars().take(60).collect();
        let verdict = judge(&text, &StaticWorld::new("/home/dev/project", "/home/dev")).verdict;
        assert_eq!(verdict.gravity, Gravity::Harmless, "{start}: {verdict:?}");
    }
}

/// The reason counts, too: several limits ask about the same text.
#[test]
fn every_limit_says_that_it_was_reached() {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let numbered =
        |count: usize, make: fn(usize) -> String| (0..count).map(make).collect::<Vec<_>>().concat();
    for (text, rule, expected) in [
        // Nothing in it is dangerous: what asks is that it was cut short.
        (
            numbered(90, |at| format!("a{at} | ")) + "wc",
            "shell.unverified",
            "could not be read to the end (a pipe is longer than is followed)",
        ),
        (
            format!(
                "(\nls {{x\n{}\n)",
                numbered(150, |at| format!("ls a{at}; "))
            ),
            "shell.unverified",
            "contains `more than can be looked at piece by piece`",
        ),
        (
            format!("(\nls {{x {}\n)", numbered(120, |at| format!("a/b{at} "))),
            "shell.unverified",
            "contains `120 paths`",
        ),
        (
            "$x ".repeat(3_000),
            "shell.unverified",
            "the text has more than 2000 commands and expansions",
        ),
        (
            format!("bash <<EOF\n{}\nEOF\n", "$* ".repeat(3_000)),
            "shell.unverified",
            "the text has more than 2000 commands and expansions",
        ),
    ] {
        let verdict = judge(&text, &world).verdict;
        let start: String = text.chars().take(60).collect();
        assert_eq!(verdict.gravity, Gravity::Doubtful, "{start}");
        assert_eq!(verdict.rule.map(|(_, rule)| rule), Some(rule), "{start}");
        let reason = verdict.reason.unwrap_or_default();
        assert!(reason.contains(expected), "{start}: {reason}");
    }
}

/// A world that has no more answers.
struct Exhausted(StaticWorld);

impl World for Exhausted {
    fn cwd(&self) -> &str {
        self.0.cwd()
    }
    fn project_root(&self) -> &str {
        self.0.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.0.home()
    }
    fn is_exhausted(&self) -> bool {
        true
    }
}

#[test]
fn a_world_without_answers_is_asked_about() {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    assert_eq!(judge("ls src", &world).verdict.gravity, Gravity::Harmless);
    let verdict = judge("ls src", &Exhausted(world)).verdict;
    assert_eq!(verdict.gravity, Gravity::Doubtful);
    let rule = verdict.rule.map(|(_, rule)| rule);
    assert_eq!(rule, Some("shell.too-many-paths"));
}

#[test]
fn what_cannot_be_read_as_a_whole_is_judged_in_pieces() {
    for text in [
        "(\ngit push -f origin main {x\n)",
        "{\ngit push -f origin main > {x\n}",
        "(\n>a>{x\n)",
        "(\ntrue | >{x\n)",
        "(\nnpm deprecate acme-ui@1 'use v2' > {x\n)",
    ] {
        assert!(gravity(text) > Gravity::Harmless, "{text}");
    }
    assert_eq!(gravity("(\nls -la {x\n)"), Gravity::Harmless);
}

/// Twice the text may be twice the work, and a little; not four times. Copies of scopes do grow faster than the text, until
/// the steps end: at 4 KB they have.
#[test]
fn work_grows_as_the_text_does() {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let mut steep = Vec::new();
    for (name, make) in long::KINDS {
        let steps: Vec<usize> = [4, 8, 16, 32]
            .map(|size| judge(&make(size * 1024), &world).steps)
            .to_vec();
        let grows = |pair: &[usize]| match pair {
            // A fixed part counts more for a short text.
            [shorter, longer] => longer * 10 > shorter * 26 + 1_000,
            _ => false,
        };
        if steps.windows(2).any(grows) {
            steep.push(format!("{name}: {steps:?}"));
        }
    }
    assert!(steep.is_empty(), "{}", steep.join("\n"));
}

#[test]
fn recursion_ends() {
    for text in [
        "f() { f; }; f",
        "f() { g; }; g() { f; }; f",
        "alias a=b b=a; a",
        "eval 'eval \"$0\"'",
        "x='eval \"$x\"'; eval \"$x\"",
        "echo 'bash x.sh' > x.sh; bash x.sh",
        "git -c alias.x='!git x' x",
    ] {
        gravity(text);
    }
}

#[test]
fn a_function_that_multiplies_is_grave() {
    for text in [":(){ :|:& };:", "f() { f | f; }; f", "x(){ x & x & }; x"] {
        assert_eq!(gravity(text), Gravity::Grave, "{text}");
    }
    assert_eq!(gravity("f() { echo; }; f | f; f &"), Gravity::Harmless);
}

/// Pieces from which hostile texts are made.
const PIECES: &[&str] = &[
    "rm -rf /",
    "bash -c '",
    "'",
    "\"",
    "$(",
    ")",
    "`",
    "${x",
    "}",
    "${x:-",
    "<<EOF\n",
    "EOF\n",
    "<(",
    "|",
    "&&",
    ";",
    "\n",
    "{",
    "(",
    "for i in a b; do ",
    "done",
    "x=",
    "$x",
    "eval ",
    "sudo ",
    "xargs -I{} ",
    "{}",
    "find . -exec ",
    "\\;",
    "python3 -c '",
    "os.system(",
    "[",
    "]",
    "'''",
    "%x(",
    "qx{",
    "…",
    "\u{202e}",
    "~",
    "*",
    "base64 -d",
    "echo ",
    "printf '%s' ",
    "\\",
    "f() {",
    "case x in x)",
    "esac",
    "awk '{print \"rm \" $1}'",
    "sed s/^/rm/",
    "ssh h ",
    "alias a=",
    "trap ",
    "$((",
    "))",
    "$'\\x",
    "-",
    "--",
    "=",
    "é",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24)) {
        gravity(&pieces.concat());
        gravity(&pieces.join(" "));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}") {
        gravity(&text);
        gravity(&format!("python3 -c {}", quoted(&text)));
        gravity(&format!("perl -e {}", quoted(&text)));
        gravity(&format!("bash -c {}", quoted(&text)));
    }
}
