//! What is tried: mutated rows of the tests, generated shell, and noise. The same number gives the same input.

use serde_json::Value;

use crate::hostile;

/// A small generator of numbers (splitmix64): good enough to vary texts, and the same everywhere.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        Self(seed ^ input.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below the limit, which is not zero.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % limit).unwrap_or(0)
    }

    fn pick<'list, T: ?Sized>(&mut self, list: &[&'list T]) -> Option<&'list T> {
        list.get(self.below(list.len())).copied()
    }

    pub(crate) fn word(&mut self, list: &[&'static str]) -> &'static str {
        self.pick(list).unwrap_or_default()
    }
}

/// What texts are glued together from.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "rm -rf /", "rm -rf build", "git reset --hard", "cat .env", "cat ~/.ssh/id_rsa", "curl http://x.y/a", "| sh",
    "bash -c '", "'", "\"", "$(", ")", "`", "${x", "}", "${x:-", "${x//a/b}", "$x", "$1", "\"$@\"", "<<EOF\n", "\nEOF\n",
    "<<-'E'\n", "\nE\n", "<(", ">(", "|", "||", "&&", "&", ";", ";;", "\n", "{ ", "; }", "(", "for i in a b; do ", "; done",
    "while read l; do ", "if true; then ", "; fi", "case x in x) ", ";; esac", "x=", "x=(a b)", "eval ", "sudo ", "env A=1 ",
    "xargs -I{} ", "{}", "find . -exec ", " \\;", " +", "python3 -c '", "import os; os.system(\"", "node -e \"", "perl -e '",
    "[", "]", "[[", "]]", "'''", "%x(", "…", "\u{202e}", "\u{200b}", "~", "~root/", "*", "?", "[a-c]", "{a,b}", "{1..9}", "base64 -d",
    "echo ", "printf '%s' ", "\\", "\\\n", "f() {", "function f ", "awk '{print $1}'", "sed s/^/rm/e", "ssh h ", "alias a=",
    "trap ", "$((", "))", "$'\\x41'", "$\"", "-", "--", "=", "é", "а", "\t", "\r", "# ", "!", "> out", ">> ~/.bashrc", "2>&1", "< in",
    "<<< ", "/dev/sda", "/etc/passwd", "C:\\Users\\x", "..", "/", "time ", "coproc ", "psql -c \"DROP TABLE a\"", "kubectl delete ns a",
    "docker run -v /:/h a ", "AKIAIOSFODNN7EXAMPLE", "password=hunter2 ", "\u{feff}", "\u{1f600}", "\0",
];

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "rm", "ls", "git", "cat", "echo", "cp", "mv", "chmod", "dd", "find", "tar", "grep", "sed", "bash", "sh", "curl", "npm", "cargo",
    "docker", "kubectl", "python3", "tee", "touch", "true", "cd", "export", "unknown",
];

#[rustfmt::skip]
const ARGUMENTS: &[&str] = &[
    "-rf", "-r", "-f", "--force", "a", "build", "src/main.rs", "/", "~", "~/.ssh/id_rsa", ".env", "/etc/passwd", "$HOME", "\"$x\"",
    "$(pwd)", "'a b'", "*", "*.pem", "push", "reset", "--hard", "origin", "main", "-c", "--", "/tmp/a", "..", "-exec", "+x", "777",
];

/// The commands of the tests' rows.
pub(crate) fn seeds() -> Vec<String> {
    include_str!("../../tests/data/commands.jsonl")
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|row| Some(row.get("command")?.as_str()?.to_owned()))
        .collect()
}

/// One of this many inputs is long and hostile; each takes as long as a thousand others.
const HOSTILE: usize = 2_000;

/// One input.
pub(crate) fn input(seeds: &[String], numbers: &mut Numbers) -> String {
    if numbers.below(HOSTILE) == 0 {
        return hostile::any(numbers);
    }
    match numbers.below(10) {
        0..=4 => mutated(seeds, numbers),
        5..=7 => script(numbers, 3),
        8 => pieces(numbers),
        _ => noise(numbers),
    }
}

fn mutated(seeds: &[String], numbers: &mut Numbers) -> String {
    let seed = |numbers: &mut Numbers| seeds.get(numbers.below(seeds.len())).cloned();
    let mut text: Vec<char> = seed(numbers).unwrap_or_default().chars().collect();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(text.len() + 1);
        let end = (at + 1 + numbers.below(8)).min(text.len());
        match numbers.below(6) {
            0 => {
                text.drain(at..end);
            }
            1 => {
                let copy = text.get(at..end).unwrap_or_default().to_vec();
                text.splice(at..at, copy);
            }
            2 => {
                text.splice(at..at, numbers.word(PIECES).chars());
            }
            3 => {
                text.splice(at..end, numbers.word(PIECES).chars());
            }
            4 => {
                let other: Vec<char> = seed(numbers).unwrap_or_default().chars().collect();
                let from = numbers.below(other.len());
                text.splice(at..end, other.into_iter().skip(from));
            }
            _ => {
                text.truncate(at);
            }
        }
    }
    text.into_iter().collect()
}

/// Shell by its grammar, most of it valid.
fn script(numbers: &mut Numbers, depth: usize) -> String {
    if depth == 0 || numbers.below(3) == 0 {
        return command(numbers);
    }
    let one = script(numbers, depth - 1);
    match numbers.below(16) {
        0 => format!("{one}; {}", script(numbers, depth - 1)),
        1 => format!("{one} && {}", script(numbers, depth - 1)),
        2 => format!("{one} || {}", script(numbers, depth - 1)),
        3 => format!("{one} | {}", command(numbers)),
        4 => format!("({one})"),
        5 => format!("{{ {one}; }}"),
        6 => format!("if {}; then {one}; fi", command(numbers)),
        7 => format!("for x in a b; do {one}; done"),
        8 => format!("bash -c {}", quoted(&one)),
        9 => format!("eval {}", quoted(&one)),
        10 => format!("echo \"$({one})\""),
        11 => format!("x={}; {}", quoted(&one), command(numbers)),
        12 => format!("sudo {one}"),
        13 => format!("cat <<EOF | bash\n{one}\nEOF"),
        14 => format!("f() {{ {one}; }}; f"),
        _ => format!("echo {} | sh", quoted(&one)),
    }
}

fn command(numbers: &mut Numbers) -> String {
    let mut text = numbers.word(PROGRAMS).to_owned();
    for _ in 0..numbers.below(4) {
        text.push(' ');
        text.push_str(numbers.word(ARGUMENTS));
    }
    if numbers.below(8) == 0 {
        text.push_str(" > out.txt");
    }
    text
}

fn pieces(numbers: &mut Numbers) -> String {
    (0..=numbers.below(16))
        .map(|_| numbers.word(PIECES))
        .collect::<Vec<_>>()
        .join(if numbers.below(2) == 0 { "" } else { " " })
}

fn noise(numbers: &mut Numbers) -> String {
    (0..numbers.below(60))
        .filter_map(|_| match numbers.below(8) {
            0 => char::from_u32(u32::try_from(numbers.below(0x11_0000)).unwrap_or(0)),
            1 => "\n\t$`'\"\\(){}<>|&;*?[]#!~="
                .chars()
                .nth(numbers.below(25)),
            _ => char::from_u32(u32::try_from(32 + numbers.below(95)).unwrap_or(32)),
        })
        .collect()
}

/// A line of plain words, blanks and operators, with the words of each command.
pub(crate) fn simple_line(numbers: &mut Numbers) -> (String, Vec<Vec<String>>) {
    const LETTERS: &[u8] = b"abcxyz019./-_+@%:,";
    let mut text = String::new();
    let mut commands = Vec::new();
    for at in 0..=numbers.below(5) {
        if at > 0 {
            let operator = numbers.word(&[";", "&&", "||", "|", "\n", " ; ", " | ", " && "]);
            text.push_str(operator);
        }
        let mut words = Vec::new();
        for number in 0..=numbers.below(5) {
            let mut word: String = (0..=numbers.below(6))
                .filter_map(|_| LETTERS.get(numbers.below(LETTERS.len())))
                .map(|letter| char::from(*letter))
                .collect();
            if number == 0 {
                // No reserved word begins like this.
                word.insert(0, 'q');
            } else {
                text.push_str(numbers.word(&[" ", "  ", "\t", " \\\n"]));
            }
            text.push_str(&word);
            words.push(word);
        }
        commands.push(words);
    }
    (text, commands)
}

/// A text as one word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
