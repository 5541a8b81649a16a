use proptest::prelude::*;

use super::*;

fn names(text: &str) -> Vec<String> {
    let line = parse(text);
    assert_eq!(line.understanding, Understanding::Clean, "{text}");
    line.commands
        .iter()
        .map(|command| command.name().unwrap_or("?").to_owned())
        .collect()
}

#[test]
fn commands_are_listed_in_the_order_of_the_text() {
    for (text, expected) in [
        ("a | b |& c && d || e; f & g", "a b c d e f g"),
        (
            "(a; { b; }); if c; then d; elif e; then f; else g; fi",
            "a b c d e f g",
        ),
        ("while a; do b; done; until c; do d; done", "a b c d"),
        (
            "for i in $(a); do b; done; for ((i=$(c);;)); do d; done",
            "a b c d",
        ),
        (
            "case $(a) in x) b;; $(c)) d;; esac; select i in $(e); do f; done",
            "a b c d e f",
        ),
        ("f() { a; }; function g { b; }; f", "a b f"),
        ("a $(b `c` \"$(d)\") <(e) >(f)", "a b c d e f"),
        (
            "echo ${x:-$(a)} \"${y#$(b)}\" ${z/$(c)/`d`}",
            "echo a b c d",
        ),
        (
            "echo $(( $(a) + 1 )) $[ $(b) ]; (( x = $(c) ))",
            "echo a b c",
        ),
        ("cat <<E\n$(a) ${x:-`b`}\nE\nc", "cat a b c"),
        ("[[ -n $(a) && $(b) == $(c)* && x =~ $(d) ]]", "a b c d"),
        ("x=($(a) [$(b)]=$(c)) y[$(d)]=1 e", "e a b c d"),
        (
            "export X=$(a) Y=\"`b`\"; local z=($(c)); exit $(d)",
            "export a b local c exit d",
        ),
        ("coproc a; time -p b; ! c", "a b c"),
        ("a > $(b) 2>&1 <<< \"$(c)\"", "a b c"),
        ("{ a; } > $(b)", "a b"),
        ("! ! a; ! ! ! b", "a b"),
        ("echo `a \\`b\\``", "echo a b"),
        ("echo \"`a \\\"x\\\" \\`b\\``\"", "echo a b"),
    ] {
        let mut found = names(text);
        let mut expected: Vec<_> = expected.split(' ').map(str::to_owned).collect();
        if text.starts_with("x=(") {
            // The command's own span begins at its assignments.
            found.sort();
            expected.sort();
        }
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn text_that_is_not_run_is_no_command() {
    for text in [
        "echo 'a; $(b)' \"c && \\$(d) \\`e\\`\" $'$(f)' \\; g",
        "echo x # ; $(a)",
        "echo <<'E'\n$(a) `b`\nE\n",
        "echo <<\\E\n$(a)\nE\n",
        "echo <<E\n\\$(a) b; c\nE\n",
        "echo ${x:-a} ${#a} $((a)) {a,b}",
    ] {
        assert_eq!(names(text), ["echo"], "{text}");
    }
}

#[test]
fn words_know_their_value_and_what_is_still_open() {
    use Expansion::{Dynamic, None as Plain, Pattern};
    for (source, literal, expansion) in [
        ("rm", Some("rm"), Plain),
        ("r\\m", Some("rm"), Plain),
        ("r\"m\"''", Some("rm"), Plain),
        ("$'\\x72m'", Some("rm"), Plain),
        ("\"a\\\"\\$b\\c\"", Some("a\"$b\\c"), Plain),
        ("$\"a\"", Some("a"), Plain),
        ("a\\\nb", Some("ab"), Plain),
        ("\u{e9}'\u{1f389}'", Some("\u{e9}\u{1f389}"), Plain),
        ("''", Some(""), Plain),
        ("{}", Some("{}"), Plain),
        ("a~", Some("a~"), Plain),
        ("'*'\\?", Some("*?"), Plain),
        ("\"/etc\"/*", Some("/etc/*"), Pattern),
        ("~/x", Some("~/x"), Pattern),
        ("{a,b}", Some("{a,b}"), Pattern),
        ("{1..3}", Some("{1..3}"), Pattern),
        ("$x", None, Dynamic),
        ("\"a$x\"", None, Dynamic),
        ("a`b`", None, Dynamic),
        ("${x}y", None, Dynamic),
        ("$((1))", None, Dynamic),
    ] {
        let line = parse(&format!("echo {source}"));
        assert!(line.is_clean(), "{source}: {line:?}");
        let word = &line.commands[0].words[1];
        assert_eq!(word.source, source);
        assert_eq!(word.literal.as_deref(), literal, "{source}");
        assert_eq!(word.expansion, expansion, "{source}");
    }
}

#[test]
fn what_belongs_to_a_command() {
    let text = "A=1 B=\"$(x)\" C=(y) cmd -f 2>>log <in <<E\nbody $z\nE\n";
    let line = parse(text);
    assert!(line.is_clean(), "{line:?}");
    let command = line
        .commands
        .iter()
        .find(|c| c.name() == Some("cmd"))
        .unwrap();
    let assigned: Vec<_> = command
        .assignments
        .iter()
        .map(|a| a.name.as_str())
        .collect();
    assert_eq!(assigned, ["A", "B", "C"]);
    assert_eq!(
        command.assignments[0]
            .value
            .as_ref()
            .unwrap()
            .literal
            .as_deref(),
        Some("1")
    );
    assert_eq!(command.assignments[1].value.as_ref().unwrap().literal, None);
    assert_eq!(command.assignments[2].value, None);
    assert_eq!(command.words.len(), 2);
    let operators: Vec<_> = command.redirects.iter().map(|r| r.operator).collect();
    assert_eq!(
        operators,
        [
            RedirectOperator::Append,
            RedirectOperator::Read,
            RedirectOperator::HereDocument
        ]
    );
    assert_eq!(command.redirects[0].descriptor, Some(2));
    assert_eq!(
        command.redirects[2].target,
        RedirectTarget::HereDocument {
            body: "body $z\n".to_owned(),
            expanded: true
        }
    );
    let group = parse("{ a; } > out");
    assert_eq!(group.redirects.len(), 1);
    assert_eq!(parse("> out").commands[0].words, []);
}

#[test]
fn where_a_command_stands() {
    let text = "a; f() { b; }; c $(d) <(e); ( ( g ) )";
    let line = parse(text);
    let found: Vec<_> = line
        .commands
        .iter()
        .map(|c| (&text[c.span.clone()], c.context.construct, c.context.depth))
        .collect();
    assert_eq!(
        found,
        [
            ("a", Construct::TopLevel, 0),
            ("b", Construct::Function, 2),
            ("c $(d) <(e)", Construct::TopLevel, 0),
            ("d", Construct::Substitution, 1),
            ("e", Construct::ProcessSubstitution, 1),
            ("g", Construct::TopLevel, 2),
        ]
    );
    let escaped = "echo `a \\`b\\``";
    for command in &parse(escaped).commands[1..] {
        assert!(
            escaped
                .get(command.span.clone())
                .is_some_and(|text| text.contains('b'))
        );
    }
}

#[test]
fn what_is_not_understood_is_said() {
    for text in [
        "rm \"x",
        "echo $(if)",
        "echo \"$(echo $(fi))\"",
        "echo `if`",
        "cat <(then)",
        "cat <<E\nx",
        "cat <<E\nx\nEX\n",
        "echo $(cat <<E\nx\n)",
        "a=(1 2",
        "a=(",
        "echo ${x",
        "echo ${x:-${y",
        "echo ${ a; }",
        "echo \"${| a; }\"",
        "! ! { a; }",
        "! ! if a; then b; fi",
        "a b()",
        "(a)b",
        "echo \\$(a)",
        "a\0b",
        "shopt -s expand_aliases\nalias e=a\ne",
        "echo\u{a0}# $(a",
        "echo \"${x:-'$(a)'}\"",
        "a &&",
        "a ) b",
        "fi",
    ] {
        assert!(!parse(text).is_clean(), "{text:?}: {:?}", parse(text));
    }
}

#[test]
fn a_substitution_that_is_not_understood_does_not_hide_the_rest() {
    let line = parse("a $(if) && b");
    assert!(matches!(line.understanding, Understanding::Partial { .. }));
    let names: Vec<_> = line
        .commands
        .iter()
        .filter_map(SimpleCommand::name)
        .collect();
    assert_eq!(names, ["a", "b"]);
}

/// Deep and long texts on a small stack: an answer, and no overflow.
#[test]
fn hostile_texts_are_bounded() {
    let mut texts: Vec<String> = [
        "(",
        "{ ",
        "$(",
        "\"$(",
        "`",
        "<(",
        "$((",
        "${x:-",
        "${x/",
        "${a[",
        "if ",
        "while ",
        "case x in a) ",
        "[[ ( ",
        "a=(",
        "@(",
        "{a,",
        "{",
        "<<A ",
        "f() { ",
        "! ",
        "a && ",
        "a | ",
        "a\\",
        "'",
        "\"",
        "$'",
        "#",
        "echo \\\n",
        "time ",
        "time a | ",
        "time coproc ",
        "coproc -- ",
        "! time ",
        "time |#\n",
        "coproc ",
        "function f ",
        "select x in ",
        "for ((",
        "((",
        "a[",
        "$[",
    ]
    .iter()
    .flat_map(|piece| [piece.repeat(2_000), piece.repeat(20_000)])
    .collect();
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("$((", "))"),
        ("<(", ")"),
    ] {
        for depth in [10, 40, 90, 2_000] {
            texts.push(format!(
                "echo {}a{}",
                open.repeat(depth),
                close.repeat(depth)
            ));
        }
    }
    for piece in [
        "$(x)",
        "`x`",
        "<(x)",
        "${x}",
        "$x",
        "{a,b}",
        "\"$(x) \"",
        "a b ",
        "a;",
        "a|",
        "a&&a;",
        "#\n",
        "\u{1}\u{7f}",
    ] {
        texts.push(piece.repeat(8_000));
        texts.push(format!("cat <<E\n{}\nE", piece.repeat(8_000)));
    }
    texts.push("echo a\n".repeat(150_000));
    let work = move || {
        for text in texts {
            let line = parse(&text);
            if text.len() > MAX_LENGTH {
                assert!(matches!(line.understanding, Understanding::Failed { .. }));
            }
        }
    };
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap();
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,80}") {
        parse(&text);
    }

    #[test]
    fn no_shell_text_makes_it_panic(pieces in proptest::collection::vec(
        prop::sample::select(vec![
            "rm", " ", "\n", ";", "&&", "|", "(", ")", "{", "}", "$(", "`", "\\", "'", "\"", "$'", "${", "x",
            ":-", "<(", ">", "<<E", "\nE\n", "E", "if ", "then ", "fi", "case ", "in ", "esac", "for ", "do ",
            "done", "[[ ", " ]]", "((", "))", "#", "=", "a=(", "[", "]", "!", "&", "*", "~", "\u{e9}", "\r", "\t",
        ]),
        0..24,
    )) {
        let text = pieces.concat();
        let line = parse(&text);
        for command in &line.commands {
            prop_assert!(text.get(command.span.clone()).is_some(), "{:?}", command);
        }
    }
}

#[test]
fn a_text_that_makes_the_parser_panic_is_not_understood() {
    let text = "rm -rf ~; echo \"\u{c8e}\\\"`\u{ae}`\"0";
    assert!(!parse(text).is_clean(), "{text}");
    let world = crate::paths::StaticWorld::new("/p", "/home/dev");
    let verdict = crate::judge::judge(text, &world).verdict;
    assert!(verdict.gravity > crate::effect::Gravity::Harmless, "{text}");
}
