//! Texts of which much more is made than stands in them, or much that is carried along.

use crate::long::{Kind, filled, numbered};

/// A value of half the size, and what is done with it.
fn with_value(size: usize, rest: &str) -> String {
    format!("a={}; {rest}", "a".repeat(size / 2))
}

/// A value of half the size, and something as often as it fits.
fn with_value_and(size: usize, piece: &str) -> String {
    with_value(size, &filled(size / 2, piece))
}

/// A value of many words, and something as often as it fits.
fn with_words_and(size: usize, piece: &str) -> String {
    let words = numbered(size / 2, |at| format!("w/{at} "));
    format!("a='{words}'; {}", filled(size / 2, piece))
}

/// Shell texts.
pub(crate) const SHELL: &[Kind] = &[
    ("a value put into itself by sed", |size| {
        with_value(size, "sed \"s/a/$a/g\" <<< $a | sh")
    }),
    ("lines put into lines by sed", |size| {
        let lines = "a\n".repeat(size / 8);
        let with = "&".repeat(size / 2);
        format!("sed 's/.*/{with}/' <<'E' | sh\n{lines}E\n")
    }),
    ("a value put into another", |size| {
        let with = "b".repeat(size / 2);
        with_value(size, &format!("b=${{a//a/{with}}}; eval $b"))
    }),
    ("a value that is doubled", |size| {
        format!("a=aaaaaaaa; {} eval $a", filled(size, "a=$a$a; "))
    }),
    ("an output that is doubled", |size| {
        format!("a=$(ls); {} eval $a", filled(size, "a=$a$a; "))
    }),
    ("a value that is appended", |size| {
        with_value_and(size, "a+=$a; ")
    }),
    ("arguments that are doubled", |size| {
        format!("set -- a b c; {}", filled(size, "set -- \"$@\" \"$@\"; "))
    }),
    ("a list that grows", |size| filled(size, "r+=(x); ")),
    ("a list of long values", |size| {
        with_value_and(size, "r+=($a); ")
    }),
    ("many variables of a long value", |size| {
        let set = numbered(size / 2, |at| format!("v{at}=$a; "));
        with_value(size, &set)
    }),
    ("a long value in subshells", |size| {
        with_value_and(size, "(ls); ")
    }),
    ("a long value in branches", |size| {
        with_value_and(size, "if a; then b=$a; fi; ")
    }),
    ("a long value for functions", |size| {
        let calls = filled(size / 4, "f \"$a\" \"$a\"; ");
        with_value(size / 2, &format!("f() {{ ls \"$@\"; }}; {calls}"))
    }),
    ("a long value in one command", |size| {
        with_value(size, &format!("echo {}", filled(size / 2, "$a ")))
    }),
    ("a long value in here-strings", |size| {
        with_value_and(size, "cat <<< $a > f; ")
    }),
    ("a long value in here-documents", |size| {
        with_value_and(size, "cat <<E\n$a$a\nE\n")
    }),
    ("a long value in files", |size| {
        let files = numbered(size / 2, |at| format!("echo $a > f{at}; "));
        with_value(size, &files)
    }),
    ("a file that is read again and again", |size| {
        let body = "x".repeat(size / 2);
        let reads = filled(size / 2, "cat f f f f | sh; source f; ");
        format!("cat > f <<'E'\n{body}\nE\n{reads}")
    }),
    ("words that are split again and again", |size| {
        with_words_and(size, "printf -v p %s $a; ")
    }),
    ("many arguments of many programs", |size| {
        with_words_and(size, "rm -rf $a; ")
    }),
    ("many files of many programs", |size| {
        with_words_and(size, "cat $a; ")
    }),
    ("items in a template", |size| {
        let template = "{}".repeat(size / 4);
        with_value(size, &format!("xargs -I{{}} sh -c {template} <<< $a"))
    }),
    ("items in a command of parallel", |size| {
        let template = "{}".repeat(size / 4);
        with_value(size, &format!("parallel sh -c {template} ::: $a"))
    }),
    ("found files in a template", |size| {
        format!("find . -exec sh -c {} \\;", "{}".repeat(size / 2))
    }),
    ("a format of many values", |size| {
        let format = "%s".repeat(size / 4);
        with_value(size, &format!("printf {format} $a $a $a $a $a $a | sh"))
    }),
    ("choices in a long word", |size| {
        let word = "a".repeat(size / 2);
        format!("rm {word}{}", "{b,c}".repeat(5))
    }),
    ("values in upper case", |size| {
        with_value_and(size, "echo ${a^^}; ")
    }),
    ("values without their beginning", |size| {
        with_value_and(size, "echo ${a#a} ${a%%x*}; ")
    }),
    ("folders in folders", |size| filled(size, "cd a; ")),
    ("folders in folders, and removals", |size| {
        filled(size, "cd a; rm -rf b; ")
    }),
    ("a deep path", |size| {
        format!(
            "cd {0}; {1}",
            "p/".repeat(400),
            filled(size - 900, "rm -rf x; cd .; ")
        )
    }),
    ("deep paths", |size| {
        let path = "p/".repeat(400);
        filled(size, &format!("cat {path}x; "))
    }),
    ("links", |size| {
        numbered(size, |at| format!("ln -s /a b{at}; "))
    }),
    ("sources of a text", |size| {
        let commands = numbered(size, |at| format!("$(c{at} {at})"));
        format!("x=\"{commands}\"; eval \"$x\"")
    }),
    ("calls in one word", |size| filled(size, "chr(114)+")),
    ("lists in one line", |size| filled(size, "a=(b) ")),
    ("words of one letter", |size| {
        format!("bash -c '{}'", filled(size, "x "))
    }),
    ("quoted letters", |size| {
        format!("bash -c {}", filled(size, "'a'\"b\""))
    }),
    ("a substitution of many words", |size| {
        format!("x=\"$(echo {})\"; eval \"$x\"", filled(size, "-name a -o "))
    }),
    ("a script that is run twice", |size| {
        let body = filled(size, "A=b ");
        format!("cat > s.sh <<'EOF'\n{body}\nEOF\nbash s.sh; sh s.sh\n")
    }),
    ("a python value that is doubled", |size| {
        let lines = numbered(size.min(31 * 1024), |at| {
            format!("a{} = a{at} + a{at}\n", at + 1)
        });
        format!("python3 <<'E'\na0 = \"rm -rf /\"\n{lines}import os; os.system(a24)\nE\n")
    }),
    ("a python value of many others", |size| {
        let sum = "a+".repeat(100);
        let lines = numbered(size.min(31 * 1024), |_| format!("a = {sum}a\nb = {sum}b\n"));
        format!("python3 -c 'a = \"x\"\nb = \"y\"\n{lines}'")
    }),
    ("open calls of one program text", |size| {
        format!("python3 -c '{}'", filled(size.min(31 * 1024), "open(a("))
    }),
    ("receivers of one program text", |size| {
        format!(
            "python3 -c '{}'",
            filled(size.min(31 * 1024), "a.unlink() ")
        )
    }),
    ("assignments of one program text", |size| {
        format!("node -e '{}'", filled(size.min(31 * 1024), "x=(y=f("))
    }),
    ("numbers of one program text", |size| {
        format!(
            "python3 -c 'exec({})'",
            filled(size.min(31 * 1024), "chr(114)+")
        )
    }),
    ("a Tcl script", |size| {
        format!(
            "tclsh <<'E'\n{}\nE\n",
            filled(size, "set a $a$a; [exec ls] ")
        )
    }),
    ("unclosed quotes before commands", |size| {
        format!("echo \"$(echo '\"')\"; {}", filled(size, "a;b("))
    }),
];

/// PowerShell texts.
pub(crate) const POWERSHELL: &[Kind] = &[
    ("a value that is doubled", |size| {
        format!("$a = 'aaaa'; {} iex $a", filled(size, "$a += $a; "))
    }),
    ("a value in one text", |size| {
        let value = "a".repeat(size / 2);
        format!("$a = '{value}'; iex \"{}\"", filled(size / 2, "$a"))
    }),
    ("a value in a format", |size| {
        let value = "a".repeat(size / 2);
        format!("iex ('{}' -f '{value}')", "{0}".repeat(size / 6))
    }),
    ("folders in folders", |size| filled(size, "cd a; ")),
    ("words of one command", |size| {
        format!("rm -rf {}", filled(size, "nice "))
    }),
    ("files of one command", |size| {
        format!("git log{}", filled(size, " >> f"))
    }),
    ("brackets", |size| {
        format!("echo {}", filled(size, "('a' + 'b') "))
    }),
    ("open brackets", |size| filled(size, "(a ")),
    ("groups in texts", |size| {
        format!("echo \"{}\"", filled(size, "$(ls)"))
    }),
    ("methods", |size| filled(size, "[IO.File]::Delete('a'); ")),
    ("pipes", |size| filled(size, "ls | rm; ")),
    ("blocks", |size| filled(size, "if ($a) { rm b }; ")),
    ("links", |size| {
        numbered(size, |at| format!("ln -s /a b{at}; "))
    }),
    ("one word", |size| format!("echo {}", "a".repeat(size))),
];
