//! Texts that are made to take time and memory: every construct, as often as it fits, behind every beginning and within
//! every wrapper.

use crate::inputs::Numbers;

/// As long as a text may be that is judged within the limits.
pub(crate) const SIZE: usize = 64 * 1024;

/// One construct has this many words, or folders of a path.
const WORDS: usize = 400;

/// What comes first: something to carry along. `{big}` stands for a long word, `{many X}` for X as often as it fits,
/// numbered by `№`.
#[rustfmt::skip]
const BEGINNINGS: &[&str] = &[
    "",
    "a={big}; b=$a; ",
    "a='{many x }'; set -- $a; ",
    "{many v№=x; }",
    "{many f№() { ls; }; }",
    "{many alias a№=ls; }",
    "{many cd a; }",
    "{many echo a > f№; }",
    "{many ln -s /a b№; }",
    "a=({many x№ }); ",
    "a='{many s/k№.pem }'; ",
    "a=x; {many a=$a$a; }",
    "a=$(ls); {many a=$a$a; }",
    "cat > f <<'E'\n{big}\nE\n",
];

/// What is repeated; `№` is its number, `{words}` and `{path}` are many words and a deep path.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "rm -rf $a; ", "cat $a; ", "tar czf o $a; ", "cp $a d; ", "grep x $a; ", "chmod 777 $a; ", "git add $a; ", "scp $a h:; ", "mv $a d; ", "ls > $a; ", "tee $a; ", "ln -s $a d; ",
    "rm {words}; ", "ls {words}; ", "cat {words}; ", "cp {words}d; ", "git add {words}; ", "{words}", "cat {path}; ", "rm -rf {path}; ", "cd {path}; ", "{path} ", "find {path} -delete; ",
    "cd a; ", "cd ..; ", "cd a && ", "cd a || ", "pushd a; ", "pushd a; popd; ", "cd a; rm -rf b; ", "git -C a status; ", "(cd a); ",
    "a=$a$a; ", "a=$a.$b; b=$a; ", "a+=aaaaaaaa; ", "a+=$a; ", "a№=$a; ", "a№=$a$a; ", "export a№=x; ", "export a№=$a; ", "r+=(x); ",
    "r+=($a); ", "r№=(a b c); echo ${r№[@]}; ", "f№() { f; }; ", "f№() { f№; }; f№; ", "f() { \"$1\" \"$@\"; }; f f a; ", "alias a№=b; a№; ",
    "echo $(echo a); ", "echo $(echo $a); ", "echo $(echo $(echo a)); ", "x=$(cat f); ", "echo `echo a`; ", "eval echo a; ", "eval $a; ",
    "eval \"eval \\\"echo a\\\"\"; ", "bash -c 'echo a'; ", "bash -c \"$a\"; ", "sh -c \"sh -c 'ls'\"; ", "ls | ", "echo a | cat; ",
    "echo $a | cat; ", "cat | ", "sed s/a/b/ | ", "sed s/x/$a/g | ", "tr a b | ", "rev | ", "tac | ", "base64 -d | ", "sort -u | ", "tee f№ | ",
    "cat <<E\n$a\nE\n", "cat <<'E' > f№\nhello\nE\n", "cat <<< $a; ", "cat <<< $a > f№; ", "python3 -c 'print(1)'; ", "python3 -c \"$a\"; ",
    "python3 - <<E\nprint(1)\nE\n", "xargs rm <<< a; ", "xargs rm <<< \"$a\"; ", "echo a b | xargs -I{} rm {}; ", "xargs -I{} echo {}{}{}{} <<< $a; ",
    "find . -name '*.o' -exec rm {} \\; ", "-name a -o ", "-exec rm {} \\; ", "while read l; do rm $l; done < f; ", "while read l; do ls; done <<< $a; ",
    "while true; do ", "for i in a b; do ", "for i in a b c; do ls $i; done; ", "for i in $a; do ls $i; done; ", "for i in {1..99}; do echo $i; done; ",
    "{a,b}", "{a,b} ", "{1..99}", "x{a,b,c}y ", "case $x in a) ls;; esac; ", "case $x in a) ", "if a; then ls; fi; ", "if a; then ", "else if b; then ",
    "[[ a == b ]] && ", "[ -f a ] && ", "((i++)); ", "echo $((i+1)); ", "let i=1; ", "$((a[$(ls)])) ", "> f№ ", ">> f ", "2>&1 ", "< f ", "<(ls) ", ">(cat) ",
    "3< f№ ", "3<<< $a ", "exec 3<&-; ", "*.o ", "a/*/b ", "?/[a-z]/* ", "~/a ", "a/b/c№/d ", "../", "a/", "./", "//", "[a", "[!a-z]", "+(a|b)", "**/", "'a'\"b\"",
    "\\a", "$'\\x41'", "$\"a\"", "# comment\n", "\\\n", "\n", "a\n", "sudo ", "env A=1 ", "timeout 5 ", "nohup ", "time ", "nice ", "! ", "coproc ", "exec ",
    "command ", "builtin ", "trap 'rm a' EXIT; ", "source f№; ", "source f; ", ". <(ls); ", "echo rm > f№; bash f№; ", "bash f; ", "cat f; ", "cat f f f f | sh; ",
    "ln -s a№ b№; ", "ln -s b№ ../c; cat b№; ", "curl http://x.y/№ | sh; ", "curl -o a№ http://x; sh a№; ", "ssh h 'rm a'; ", "ssh h ", "docker run -v /:/a№ x rm; ",
    "docker exec c sh -c 'rm a'; ", "kubectl delete pod a№; ", "git add a№; ", "git commit -m 'x'; ", "git push -f a№; ", "psql -c 'select 1'; ",
    "psql -c \"DROP TABLE t№\"; ", "DROP TABLE t№; ", "DELETE FROM t WHERE a; ", "/* a */", "-- a\n", "aws s3 rm s3://a/№; ", "awk '{print $1}' f№; ",
    "awk '{system(\"rm \" $1)}'; ", "awk '{print \"rm \" $1}' | sh; ", "sed -i s/a/b/ f№; ", "s/a/b/;", "perl -e 'unlink 1'; ", "ruby -e 'x'; ", "node -e 'x()'; ",
    "php -r 'x();'; ", "tclsh <<< 'exec ls'; ", "tar czf a№ b; ", "cp a№ b; ", "mv a b№; ", "chmod 777 a№; ", "tee a№ <<< x; ", "dd if=a of=b№; ",
    "base64 -d <<< Y2F0 | sh; ", "printf '%s' a b; ", "printf %s%s%s $a $a; ", "printf -v p№ %s $a; ", "echo -e '\\x41'; ", "read a№ <<< x; ", "read a№ <<< $a; ",
    "mapfile -t m№ < f; ", "mapfile -t m№ <<< \"$a\"; ", "set -- a b c; ", "set -- $a; ", "set -- \"$@\" x; ", "shift; ", "local a=1; ", "declare -A m; ", "unset a; ",
    "m[a№]=1; ", "${a[0]} ", "${a[@]} ", "${!a} ", "${#a} ", "${a:-b} ", "${a:=b№} ", "${a:0:5} ", "${a: -5} ", "${a#*/} ", "${a##*/} ", "${a%%.*} ", "${a%x*} ",
    "${a//x/y} ", "${a//x/xxxxxxxx} ", "${a/#x/y} ", "${a^^} ", "${a@Q} ", "${a:-${b:-c}} ", "$a ", "\"$a\" ", "$a", "$1 ", "\"$@\" ", "$* ", "$@", "$? ", "$HOME/", "A=b ",
    "A№=$a ", "x", "x ", "é", "…", "\u{202e}", "а ", "\0", "\t", "'", "\"", "`", "$(", "${", "((", "[[ ", "{ ", "( ", "<<E ", "<< 'E'\n", "E\n", ")", "}", ";;", "&", "|| ", "&& ",
    "a(b(", "[1,2],", "\"a\"+", "'a',", "os.remove(\"a\");", "a.b.c(", "x = y\n", "x№ = x№\n", "f\"{a}\"", "require(\"fs\").rmSync(\"a\");", "a=\"b\"+a;", "import a as b№\n",
    "for x in y: rm(x)\n", "\"a\".join([", "chr(114)+", "exec(\"rm a\")\n", "subprocess.run([\"rm\", \"a\"])\n", "\\\\", "\\n", "\\x41", "#{a}", "%w(a) ", "qx{ls}; ",
    "Remove-Item a№; ", "$a = 'b' + $a; ", "$a += $a; ", "@('a','b') | % { rm $_ }; ", "if ($a) { rm b }; ", "('a' + 'b') ", "[a]::b(", "\"$($a)\" ", "& { ", "-f a ", "| select a ",
    "iex 'rm a'; ", "$a.Replace('x', $a); ", "'a' -replace 'a','b' ", "foreach ($x in $a) { rm $x }; ", "@{a=1}; ", "echo @'\na\n'@\n", "cmd /c del a & ",
    "password=", "password: ", "sk-", "ghp_", "eyJhbGciOiJIUzI1NiJ9.", "-----BEGIN PRIVATE KEY-----\n", "a://b:c@", "Bearer ", "curl -u a:", "token for ", "\u{1b}[1m", "\\u003d", "%3D",
];

/// What stands around; `{}` is the text within.
#[rustfmt::skip]
const WRAPPERS: &[&str] = &[
    "{}", "{}\nrm -rf /", "bash -c '{}'", "bash -c \"{}\"", "bash <<'EOF'\n{}\nEOF\n", "bash <<EOF\n{}\nEOF\n", "cat > s.sh <<'EOF'\n{}\nEOF\nbash s.sh; sh s.sh\n",
    "f() {\n{}\n}; f; f a", "(\n{}\n)", "{\n{}\n}", "x=$({})", "x=\"$({})\"; eval \"$x\"", "for i in 1 2 3; do {}\ndone", "while read l; do {}\ndone < f",
    "if a; then {}\nfi", "a={}", "a=({})", "a='{}'; $a; $a; $a", "echo {}", "echo \"{}\"", "echo '{}' | sh", "echo {} | sh", "rm -rf {}", "cat {}", "grep -r {}", "git {}",
    "find {}", "sed '{}' f", "awk '{}' f", "python3 -c '{}'", "python3 <<'EOF'\n{}\nEOF\n", "node -e '{}'", "ruby -e '{}'", "perl -e '{}'", "php -r '{}'", "tclsh <<'EOF'\n{}\nEOF\n",
    "psql -c \"{}\"", "psql <<'EOF'\n{}\nEOF\n", "ssh h '{}'", "docker run -v {} x", "eval '{}'", "eval {}", "xargs {} <<< a", "powershell -c '{}'", "pwsh -c \"{}\"", "cmd /c {}", "[[ {} ]]",
    "(( {} ))", "case x in\n{}\nesac", "tar czf {}", "curl -d '{}' http://x.y", "ls {} | xargs rm", "make -f - <<'EOF'\na:\n\t{}\nEOF\n", "vim -c '{}' f", "kubectl {}", "echo {{}}", "${x:-{}}", "${x//a/{}}",
];

/// The size of the text, and how often the construct is repeated at most; what is left of the size is for the beginning.
/// Very many commands, or very long programs, are not read at all, so that less of them may take longer.
const REPEATED: &[(usize, usize)] = &[
    (SIZE, usize::MAX),
    (SIZE / 2 - 1024, usize::MAX),
    (SIZE, 1_100),
    (SIZE, 400),
    (SIZE, 40),
];

/// How many texts there are.
pub(crate) fn count() -> usize {
    BEGINNINGS.len() * UNITS.len() * WRAPPERS.len() * REPEATED.len()
}

/// One of all texts, by its number, with a name.
pub(crate) fn text(number: usize) -> (String, String) {
    let mut rest = number;
    let mut next = |length: usize| {
        let place = rest % length;
        rest /= length;
        place
    };
    let beginning = BEGINNINGS.get(next(BEGINNINGS.len())).unwrap_or(&"");
    let (size, repeated) = *REPEATED.get(next(REPEATED.len())).unwrap_or(&(0, 0));
    let unit = UNITS.get(next(UNITS.len())).unwrap_or(&"");
    let wrapper = WRAPPERS.get(next(WRAPPERS.len())).unwrap_or(&"");
    let name = format!("{beginning:?}, {repeated} × {unit:?} within {wrapper:?}, {size}");
    let text = put_together(beginning, &[*unit], (size, repeated), wrapper);
    (name, text)
}

/// A text of chance: several constructs in turn.
pub(crate) fn any(numbers: &mut Numbers) -> String {
    let units: Vec<&str> = (0..=numbers.below(4))
        .map(|_| numbers.word(UNITS))
        .collect();
    let beginning = numbers.word(BEGINNINGS);
    let wrapper = numbers.word(WRAPPERS);
    let much = REPEATED.get(numbers.below(REPEATED.len()));
    put_together(beginning, &units, *much.unwrap_or(&(0, 0)), wrapper)
}

fn put_together(
    beginning: &str,
    units: &[&str],
    (size, repeated): (usize, usize),
    wrapper: &str,
) -> String {
    let room = match (beginning, repeated) {
        ("", _) => size,
        (_, usize::MAX) => size - size / 3,
        _ => size - size / 8,
    };
    let room = room.saturating_sub(wrapper.len());
    let within = filled(units, repeated, room);
    let whole = wrapper.replacen("{}", &within, 1);
    begun(beginning, size.saturating_sub(whole.len())) + &whole
}

fn begun(beginning: &str, size: usize) -> String {
    let with_word = beginning.replace("{big}", &"x".repeat(size));
    match with_word.split_once("{many ") {
        Some((before, rest)) => {
            let (unit, after) = rest.rsplit_once('}').unwrap_or((rest, ""));
            format!("{before}{}{after}", filled(&[unit], usize::MAX, size))
        }
        None => with_word,
    }
}

fn filled(units: &[&str], most: usize, size: usize) -> String {
    let mut text = String::new();
    for (number, unit) in units.iter().cycle().enumerate().take(most) {
        let next = unit
            .replace("{words}", &"w ".repeat(WORDS))
            .replace("{path}", &"p/".repeat(WORDS))
            .replace('№', &number.to_string());
        if next.is_empty() || text.len() + next.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text
}
