//! Secrets by what stands around them: colours, escapes, line breaks, sentences of many languages. And tokens that are
//! made up, which go all the same.

use bowline_guard::secrets::{expand, redact};

/// Tokens of several makers and shapes.
const TOKENS: &[&str] = &[
    "ghp_{a36}",
    "glpat-{a20}",
    "sk-ant-api03-{a93}AA",
    "xoxb-{d12}-{d13}-{a24}",
    "AKIA{A16}",
    "npm_{a36}",
    "AIza{a35}",
    "sk_live_{a24}",
    "dop_v1_{h64}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3{a20}.{a43}",
];

/// What may stand right before a token, and right behind it.
const CONTEXTS: &[(&str, &str)] = &[
    // Colours, as a terminal gets them.
    ("\u{1b}[1m", "\u{1b}[0m"),
    ("\u{1b}[1;31m", "\u{1b}[m"),
    ("\u{1b}[38;2;10;20;30m", "\u{1b}[39m"),
    ("token: \u{1b}[32m", "\u{1b}[0m ok"),
    ("a\u{1b}[01;31m\u{1b}[K", "\u{1b}[m\u{1b}[Kb"),
    ("word\u{1b}[1m", "\u{1b}[22mword"),
    // Colours as text.
    ("\\u001b[1;31m", "\\u001b[0m"),
    ("\\u001B[1m", "\\u001B[0m"),
    ("\\x1b[31m", "\\x1b[0m"),
    ("\\x1B[1;31m", "\\x1B[0m"),
    ("\\033[1m", "\\033[0m"),
    ("\\e[1m", "\\e[0m"),
    ("^[[1m", "^[[0m"),
    // Escapes.
    ("token\\u003d", "\\u0026x"),
    ("token\\x3d", "\\x26x"),
    ("{\\u0022token\\u0022:\\u0022", "\\u0022}"),
    ("token%3D", "%26x"),
    ("token%3A%20", "%0A"),
    ("token\\075", "\\040"),
    ("&quot;", "&quot;"),
    ("&#34;", "&#34;"),
    ("token&#61;", "&#38;x"),
    ("\\\"", "\\\""),
    ("\\n", "\\n"),
    // Marks of texts.
    ("_", "_"),
    ("**", "**"),
    ("`", "`"),
    ("key_", " "),
    ("(", ")"),
    ("<td>", "</td>"),
];

#[test]
fn a_token_is_found_whatever_stands_around_it() {
    for token in TOKENS {
        let token = expand(token);
        for (before, behind) in CONTEXTS {
            for text in [
                format!("{before}{token}{behind}"),
                format!("some words {before}{token}{behind} and more\nport: 8080"),
            ] {
                let redacted = redact(&text);
                assert!(!redacted.contains(&token), "{text:?}: {redacted:?}");
                assert!(redacted.contains("[REDACTED:"), "{text:?}: {redacted:?}");
                let kept = text.contains("port: 8080");
                assert!(
                    !kept || redacted.ends_with("and more\nport: 8080"),
                    "{redacted:?}"
                );
                assert_eq!(redact(&redacted), redacted);
            }
        }
    }
}

/// `grep` colours what it was asked for, be it a part of the token.
#[test]
fn colours_within_a_token_do_not_hide_it() {
    let body = expand("{a36}");
    for text in [
        format!("value \u{1b}[01;31m\u{1b}[Kghp_\u{1b}[m\u{1b}[K{body}\n"),
        format!("value \\u001b[01;31m\\u001b[Kghp_\\u001b[m\\u001b[K{body}\\n"),
        format!("\u{1b}[32mexport\u{1b}[0m value g\u{1b}[1mhp_\u{1b}[0m{body}"),
    ] {
        let redacted = redact(&text);
        assert!(!redacted.contains(&body), "{redacted:?}");
    }
}

#[test]
fn passwords_behind_colours_and_escapes_go() {
    for (text, kept) in [
        ("password=\u{1b}[31mGr33nTea_77\u{1b}[0m", "password="),
        (
            "\u{1b}[36mpassword\u{1b}[0m: \u{1b}[33mGr33nTea_77\u{1b}[0m",
            "password",
        ),
        ("password\\u003dGr33nTea_77", "password\\u003d"),
        (
            "{\\u0022password\\u0022:\\u0022Gr33nTea_77\\u0022,\\u0022user\\u0022:1}",
            "user",
        ),
        ("&lt;password&gt;Gr33nTea_77&lt;/password&gt;", "password"),
        ("{&quot;password&quot;:&quot;Gr33nTea_77&quot;}", "password"),
        ("password&#61;Gr33nTea_77", "password"),
    ] {
        let redacted = redact(text);
        assert!(!redacted.contains("Gr33nTea_77"), "{text:?}: {redacted:?}");
        assert!(redacted.contains(kept), "{text:?}: {redacted:?}");
    }
}

/// A text as a terminal of so many columns shows it.
fn wrapped(text: &str, columns: usize, indent: &str) -> String {
    let mut lines = Vec::new();
    let mut rest = text;
    let mut room = columns;
    while rest.len() > room {
        let (line, after) = rest.split_at(room);
        lines.push(line.to_owned());
        rest = after;
        room = columns - indent.len();
    }
    lines.push(rest.to_owned());
    lines.join(&format!("\n{indent}"))
}

#[test]
fn a_token_is_found_although_a_line_break_cuts_it() {
    for token in TOKENS {
        let token = expand(token);
        for columns in [72, 80, 100, 120] {
            for indent in ["", "  ", "        "] {
                // The break is at every place of the token.
                for shift in 1..token.len().min(60) {
                    let lead = "x".repeat(columns - 1 - shift);
                    let text = wrapped(&format!("{lead} {token}"), columns, indent);
                    let text = format!("{text}\nnext line, port 8080\n");
                    let redacted = redact(&text);
                    let left = token.chars().rev().take(12).collect::<String>();
                    let left: String = left.chars().rev().collect();
                    assert!(!redacted.contains(&left), "{columns} {shift}: {redacted}");
                    assert!(redacted.contains(&lead), "{redacted}");
                    assert!(redacted.ends_with("next line, port 8080\n"), "{redacted}");
                }
            }
        }
    }
}

#[test]
fn a_token_over_several_lines_goes_as_a_whole() {
    let token = expand("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3{a200}.{a43}");
    for (columns, indent) in [(76, ""), (64, "    "), (80, "\t")] {
        let text = format!("token: {}\nport: 8080\n", wrapped(&token, columns, indent));
        let redacted = redact(&text);
        for part in token.as_bytes().chunks(30) {
            let part = String::from_utf8_lossy(part);
            assert!(part.len() < 30 || !redacted.contains(&*part), "{redacted}");
        }
        assert!(redacted.ends_with("\nport: 8080\n"), "{redacted}");
    }
}

/// Lines that only happen to follow each other.
#[test]
fn line_breaks_make_no_tokens() {
    let line = "a".repeat(60);
    for text in [
        format!(
            "{line} see https://example.com/docs/ghp_\ntokens_are_described_here_in_some_detail_today\n"
        ),
        format!("{line} the prefix is npm_\nconfig_registry_and_other_settings_of_the_user\n"),
        format!("{line} commit 3f2a9c8b7d6e5f4a3b2c\n1d0e9f8a7b6c5d4e3f2a9c8b7d6e5f4a3b2c1d0e\n"),
        format!("{line} use the prefix sk-\nproject-wide-settings-for-everything-that-is-there\n"),
        format!(
            "{line} sha256:3f2a9c8b7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a\n9c8b7d6e5f4a3b2c1d0e9f8a\n"
        ),
    ] {
        assert_eq!(redact(&text), text);
    }
    // The token is whole, and what follows it is not part of it.
    let token = expand("ghp_{a36}");
    for next in ["Done in 3s", "port=8080", "src/main.rs", "README"] {
        let text = format!("{line} {token}\n{next}\n");
        let redacted = redact(&text);
        assert!(redacted.ends_with(&format!("\n{next}\n")), "{redacted}");
        assert!(!redacted.contains(&token));
    }
}

/// Sentences in which exactly what stands between « and » must vanish.
const SENTENCES: &[&str] = &[
    // German
    "Das Passwort lautet «Gr33nTea_77»",
    "Das Passwort lautet: «Gr33nTea_77»",
    "Das Passwort ist «Gr33nTea_77», bitte nach dem Login ändern",
    "Das neue Kennwort ist jetzt «Gr33nTea_77».",
    "Kennwort: «Gr33nTea_77»",
    "WLAN-Passwort: «Gr33nTea_77»",
    "Das Passwort für den Server lautet „«Gr33nTea_77»“.",
    "Benutzer admin, Kennwort «Gr33nTea_77»",
    "Das Passwort wurde auf «Gr33nTea_77» geändert",
    // Spanish
    "La contraseña es «Gr33nTea_77»",
    "la contraseña es: «Gr33nTea_77»",
    "Contraseña: «Gr33nTea_77»",
    "La contraseña de la base de datos es «Gr33nTea_77»",
    "La clave es «Gr33nTea_77» y el usuario es ana",
    // French
    "Le mot de passe est «Gr33nTea_77»",
    "Le mot de passe est : «Gr33nTea_77»",
    "Mot de passe : «Gr33nTea_77»",
    "Le mot de passe du serveur est « «Gr33nTea_77» »",
    // Italian
    "La password è «Gr33nTea_77»",
    "La password del database è: «Gr33nTea_77»",
    "la password è \"«Gr33nTea_77»\"",
    // Portuguese
    "A senha é «Gr33nTea_77»",
    "Senha: «Gr33nTea_77»",
    "a palavra-passe é «Gr33nTea_77»",
    // Dutch
    "Het wachtwoord is «Gr33nTea_77»",
    "Wachtwoord: «Gr33nTea_77»",
    "Het nieuwe wachtwoord luidt «Gr33nTea_77»",
    // Polish
    "Hasło to «Gr33nTea_77»",
    "hasło brzmi «Gr33nTea_77»",
    "Hasło: «Gr33nTea_77»",
    // Scandinavian
    "Lösenordet är «Gr33nTea_77»",
    "Lösenord: «Gr33nTea_77»",
    "Adgangskoden er «Gr33nTea_77»",
    "Passordet er «Gr33nTea_77»",
    "Passord: «Gr33nTea_77»",
    // Czech, Slovak, Slovene, Croatian
    "Heslo je «Gr33nTea_77»",
    "Heslo: «Gr33nTea_77»",
    "Geslo je «Gr33nTea_77»",
    "Lozinka je «Gr33nTea_77»",
    // Others
    "Salasana on «Gr33nTea_77»",
    "A jelszó: «Gr33nTea_77»",
    "Parola este «Gr33nTea_77»",
    "Şifre: «Gr33nTea_77»",
    "La contrasenya és «Gr33nTea_77»",
    "Ο κωδικός είναι «Gr33nTea_77»",
    "Пароль: «Gr33nTea_77»",
    "пароль «Gr33nTea_77»",
    "Паролата е «Gr33nTea_77»",
    // As names
    "senha = \"«Gr33nTea_77»\"",
    "MOT_DE_PASSE=«Gr33nTea_77»",
    "contrasena: «Gr33nTea_77»",
    "kennwort=«Gr33nTea_77»",
];

/// Sentences about passwords that hold none.
const ABOUT: &[&str] = &[
    "Das Passwort ist erforderlich",
    "Das Passwort ist mindestens 12 Zeichen lang",
    "Das Passwort lautet wie oben beschrieben",
    "Bitte das Passwort ändern, siehe Ticket ABC-12345",
    "Kennwort: ********",
    "Kennwort: <ihr Kennwort>",
    "Passwort: $PASSWORT",
    "Das Kennwort steht in der Variable DB_PASSWORD2",
    "La contraseña es obligatoria",
    "La contraseña es demasiado corta (mínimo 8 caracteres)",
    "Contraseña: ${CONTRASENA}",
    "La clave es el nombre del campo user_id2",
    "La clave es la constancia",
    "Le mot de passe est requis",
    "Le mot de passe est trop court : 8 caractères au minimum",
    "Mot de passe : {{ password }}",
    "Mot de passe oublié ?",
    "La password è obbligatoria",
    "La password è stata cambiata il 2024-05-01",
    "A senha é obrigatória",
    "Senha: <sua senha>",
    "Het wachtwoord is verplicht",
    "Het wachtwoord is te kort (minimaal 8 tekens)",
    "Hasło jest wymagane",
    "Hasło to nie wszystko",
    "Lösenordet är för kort",
    "Adgangskoden er ugyldig",
    "Passordet er utløpt",
    "Heslo je povinné",
    "Heslo je příliš krátké",
    "Salasana on pakollinen",
    "Пароль: ********",
    "Пароль не должен быть короче 8 символов",
    "const kennwort = process.env.KENNWORT",
    "senha: string",
    "\"senha\": \"Senha\"",
    "if (senha.length < 8) throw new Error('senha curta')",
    "<label for=\"senha\">Senha</label>",
    "heslo = getHeslo(user)",
];

/// Empties the marked parts: `a «b» c` and `a [REDACTED:x] c` both become `a «» c`.
fn emptied(text: &str, open: &str, close: char) -> String {
    let mut rest = text;
    let mut emptied = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        let (_, tail) = after.split_once(close).unwrap_or((after, ""));
        emptied.push_str(before);
        emptied.push_str("«»");
        rest = tail;
    }
    emptied + rest
}

#[test]
fn passwords_in_sentences_of_many_languages_go() {
    for marked in SENTENCES {
        // French quotes are written with the same marks.
        let marked = marked
            .replace("« «", "\u{2039} «")
            .replace("» »", "» \u{203a}");
        let text = marked.replace(['«', '»'], "");
        let redacted = redact(&text);
        assert_eq!(
            emptied(&redacted, "[REDACTED:", ']'),
            emptied(&marked, "«", '»'),
            "{text}"
        );
    }
}

#[test]
fn sentences_about_passwords_stay() {
    for text in ABOUT {
        assert_eq!(redact(text), *text);
    }
}

/// Whoever makes up a token may have made up a real one.
#[test]
fn tokens_that_are_made_up_go() {
    for token in [
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "ghp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "ghp_000000000000000000000000000000000000",
        "ghp_NOTREALNOTREALNOTREALNOTREALNOTREAL1",
        "ghp_exampleexampleexampleexampleexample1",
        "ghp_0bad00bad00bad00bad00bad00bad00bad00",
        "ghp_dummydummydummydummydummydummydummy1",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "AKIAXXXXXXXXXXXXXXXX",
        "glpat-xxxxxxxxxxxxxxxxxxxx",
        "npm_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
        "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "xoxb-000000000000-0000000000000-xxxxxxxxxxxxxxxxxxxxxxxx",
        "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "dop_v1_0000000000000000000000000000000000000000000000000000000000000000",
        "SG.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "pypi-AgEIcHlwaS5vcmcXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    ] {
        for text in [
            token.to_owned(),
            format!("token: {token}\n"),
            format!("see {token}."),
        ] {
            let redacted = redact(&text);
            assert!(!redacted.contains(token), "{redacted}");
        }
    }
}

#[test]
fn placeholders_of_another_form_stay() {
    for text in [
        "ghp_xxxx",
        "ghp_xxxxxxxxxxxxxxxx",
        "ghp_...",
        "ghp_<token>",
        "ghp_your_token_here",
        "sk-...",
        "sk-xxxxxxxxxxxxxxxxxxxx",
        "sk-ant-api03-xxxx",
        "sk-ant-api03-your-key-goes-here-please",
        "glpat-your-token-goes-here",
        "github_pat_your_personal_access_token_goes_here_now",
        "AKIA...",
        "AKIAXXXX",
        "xoxb-your-token",
        "npm_...",
        "hf_xxx",
        "Bearer <token>",
        "key-00000000000000000000000000000000",
        "sdk-00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000000",
        "commit 0000000000000000000000000000000000000000",
    ] {
        assert_eq!(redact(text), text);
    }
}
