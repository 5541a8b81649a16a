use super::*;
use crate::interpret::interpret;
use crate::paths::StaticWorld;

fn kind_in_command(text: &str) -> Option<Kind> {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    let read = interpret(text, &world);
    find_in_command(text, &read.invocations, &read.understanding).map(|it| it.kind)
}

#[test]
fn deceptive_commands_are_found() {
    for (text, kind) in [
        ("c\u{430}t README.md", Kind::Imitation),
        ("\u{441}\u{440} a b", Kind::Imitation),
        ("\u{ff52}\u{ff4d} -rf build", Kind::Imitation),
        ("rm -rf /h\u{43e}me/dev/x", Kind::Imitation),
        ("rm -rf \"b\u{441}uild\"", Kind::Imitation),
        ("curl https://g\u{456}thub.com/x", Kind::Imitation),
        (
            "curl https://\u{440}\u{430}\u{443}\u{440}\u{430}\u{4cf}.com/x",
            Kind::Imitation,
        ),
        (
            "curl 'https://github.com\u{2215}evil.test/x'",
            Kind::Imitation,
        ),
        ("git push --f\u{43e}rce", Kind::Imitation),
        ("git push --f\u{43e}rce=yes", Kind::Imitation),
        ("echo hi > n\u{43e}tes.txt", Kind::Imitation),
        ("bash -c 'rm -rf /h\u{43e}me'", Kind::Imitation),
        ("ls \u{200b}src", Kind::Invisible),
        ("r\u{200d}m x", Kind::Invisible),
        ("cat 'a\u{ad}b.txt'", Kind::Invisible),
        ("cat src/a\u{fe0f}.rs", Kind::Invisible),
        ("ls \u{202e}txt.sh", Kind::Direction),
        ("git commit -m 'a \u{202e} b'; ls", Kind::Direction),
        ("echo \"\u{202e}a\" && ls \"b\u{202c}\"", Kind::Direction),
        ("ls # \u{2067} fine", Kind::Direction),
        ("rm\u{a0}-rf build", Kind::Separator),
        ("ls src\u{3000}tests", Kind::Separator),
        ("rm \u{2013}rf build", Kind::Separator),
        ("git status \u{2014}short", Kind::Separator),
        ("ls \u{1b}[2K", Kind::Control),
        ("ls; rm x\rls -la", Kind::Control),
        ("ls \"unclosed p\u{430}th", Kind::Imitation),
    ] {
        assert_eq!(kind_in_command(text), Some(kind), "{text:?}");
    }
}

#[test]
fn ordinary_text_of_all_languages_passes() {
    for text in [
        "git status",
        "git commit -m 'Größe prüfen – naïve façade “quoted”'",
        "git commit -m 'Исправить APIшный вызов'",
        "git commit -m \"fix: \u{1f469}\u{200d}\u{1f4bb} emoji \u{2764}\u{fe0f}\"",
        "echo \u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 1\u{fe0f}\u{20e3}",
        "cat 日本語/資料１.txt ドキュメント：会議.md",
        "cat OpenAIのAPI.md",
        "ls Документы/отчёт.txt",
        "ls Ελληνικά/αρχείο.txt",
        "rm -rf café/déjà-vu",
        "cat kapı.txt œuvre.txt straße.txt",
        "touch 'می\u{200c}خواهم.txt' हिन्दी.txt",
        "echo 'price: 5\u{a0}€'",
        "open 'Screenshot 2024-01-01 at 10.00.00\u{202f}AM.png'",
        "grep -rn '\u{200b}' src",
        "grep -P '[а-яА-Яa-z]' x",
        "sed -i 's/\u{430}bc/abc/' notes.txt",
        "echo 'раypal'",
        "gh pr create --title 'Пpивет' --body=\"\u{2067}שלום\u{2069} ok\"",
        "echo \"שלום\u{200f} world\"",
        "curl https://яндекс.рф/ https://münchen.de/ https://例え.jp/",
        "echo – done — ok",
        "dd if=µs.bin of=Δt.bin",
        "printf 'a\r\n'\r\n",
        "python3 -c \"print('pаypal')\"",
        "cat <<EOF > notes.txt\nраypal \u{200b} text\nEOF",
    ] {
        assert_eq!(kind_in_command(text), None, "{text:?}");
    }
}

#[test]
fn names_are_judged_whole() {
    for (name, kind) in [
        ("/home/dev/project/.\u{435}nv", Some(Kind::Imitation)),
        ("/home/dev/\u{2024}\u{2024}/x", Some(Kind::Imitation)),
        ("src/\u{202e}sr.nib", Some(Kind::Direction)),
        ("src/ma\u{2060}in.rs", Some(Kind::Invisible)),
        ("src/ma\u{7}in.rs", Some(Kind::Control)),
        ("src/main.rs", None),
        ("Записки/план.md", None),
        ("C’est l’été.txt", None),
        (
            "\u{1f600}/\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}.png",
            None,
        ),
    ] {
        assert_eq!(find(name).map(|it| it.kind), kind, "{name:?}");
    }
}

#[test]
fn findings_and_escapes_show_what_cannot_be_seen() {
    let found = find("/h\u{43e}me").unwrap();
    assert_eq!(found.shown, "/h\\u{43e}me");
    assert_eq!(
        found.what,
        "has a letter that only looks like `o` (\\u{43e})"
    );
    for (text, expected) in [
        ("plain", "plain"),
        ("a\u{200b}b", "a\\u{200b}b"),
        ("p\u{430}y привет", "p\\u{430}y привет"),
        ("x\ry\r\n", "x\\u{d}y\r\n"),
        ("\u{2764}\u{fe0f}", "\u{2764}\u{fe0f}"),
    ] {
        assert_eq!(escape(text), expected, "{text:?}");
    }
    // Growing inputs stay cheap, whatever they are made of.
    for part in [
        "\u{200f}",
        "\u{202e}",
        "--a=\u{e9}",
        "\u{435}x ",
        "\u{200d}",
    ] {
        let long = part.repeat(60_000 / part.len());
        assert!(!escape(&long).is_empty());
        let _ = (find(&long), kind_in_command(&long));
    }
    assert!(find(&"\u{202e}".repeat(10_000)).unwrap().shown.len() < 2 * MAX_SHOWN);
}
