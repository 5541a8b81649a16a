//! Passwords in sentences of languages other than English: `Das Passwort lautet …`, `la contraseña es …`.

use std::ops::Range;

use super::assign::Key;
use super::judge::{Form, accepts};
use super::keys::KeyKind;
use super::slots::{Slot, bare, quoted_value};
use super::text::{Text, contains_ignore_case, is_quote};
use super::values::{is_password_like, is_wordy};

/// A word for a password, and what connects it with the password.
struct Language {
    nouns: &'static [&'static str],
    verbs: &'static [&'static str],
}

/// The languages. The verbs are with all that may stand before the password; the longest comes first.
#[rustfmt::skip]
const LANGUAGES: &[Language] = &[
    // German
    Language {
        nouns: &["passwort", "kennwort", "passphrase"],
        verbs: &["lautet", "heißt", "heisst", "ist", "war", "wird", "wurde auf", "wurde in", "geändert in", "geändert zu", "gesetzt auf"],
    },
    // Spanish, Catalan, Galician
    Language {
        nouns: &["contraseña", "contrasena", "contrasenya", "contrasinal", "la clave", "clave de acceso"],
        verbs: &["es", "era", "será", "és", "é", "cambió a", "cambiada a", "cambiado a"],
    },
    // French
    Language {
        nouns: &["mot de passe", "mots de passe", "mot-de-passe", "mdp"],
        verbs: &["est", "était", "sera", "devient", "changé en", "changé pour", "remplacé par"],
    },
    // Italian, and others who use the English word
    Language {
        nouns: &["password"],
        verbs: &["è", "e\u{300}", "era", "sarà", "lautet", "ist", "est", "es", "é", "är", "luidt", "to", "je", "cambiata in"],
    },
    // Portuguese
    Language {
        nouns: &["senha", "palavra-passe", "palavra passe"],
        verbs: &["é", "era", "será", "mudou para", "alterada para"],
    },
    // Dutch
    Language {
        nouns: &["wachtwoord"],
        verbs: &["is", "luidt", "was", "wordt", "gewijzigd in", "veranderd in"],
    },
    // Polish
    Language {
        nouns: &["hasło", "Hasło", "haslo"],
        verbs: &["to", "brzmi", "jest", "jest to", "zmieniono na", "zmienione na"],
    },
    // Swedish, Danish, Norwegian, Icelandic
    Language {
        nouns: &["lösenord", "losenord", "adgangskode", "kodeord", "passord", "lykilorð"],
        verbs: &["är", "er", "var", "blir", "ändrats till", "ændret til", "endret til"],
    },
    // Czech, Slovak, Slovene, Croatian, Serbian, Bosnian
    Language {
        nouns: &["heslo", "geslo", "lozinka", "lozinku", "zaporka"],
        verbs: &["je", "zní", "znie", "bylo", "bolo", "glasi", "změněno na", "zmenené na"],
    },
    // Finnish, Estonian
    Language { nouns: &["salasana", "parool"], verbs: &["on", "oli"] },
    // Hungarian
    Language { nouns: &["jelszó", "jelszav", "jelszo"], verbs: &["a következő", "ez"] },
    // Romanian, Turkish
    Language { nouns: &["parola", "şifre", "Şifre", "sifre"], verbs: &["este", "e", "era", "şu"] },
    // Lithuanian, Latvian
    Language { nouns: &["slaptažodis", "parole"], verbs: &["yra", "ir"] },
    // Greek
    Language { nouns: &["κωδικός", "Κωδικός"], verbs: &["είναι", "ήταν"] },
    // Russian, Ukrainian, Bulgarian, Serbian
    Language {
        nouns: &["пароль", "Пароль", "парола", "Парола", "лозинка", "Лозинка"],
        verbs: &["е", "є", "это", "—", "-", "је", "такой"],
    },
];

/// Words that may stand between the verb and the password.
const FILLERS: &[&str] = &[
    "jetzt ",
    "nun ",
    "aktuell ",
    "derzeit ",
    "ahora ",
    "actualmente ",
    "maintenant ",
    "désormais ",
    "ora ",
    "adesso ",
    "agora ",
    "nu ",
    "nå ",
    "teraz ",
    "nyní ",
    "teď ",
    "teraz: ",
    "temporär ",
    "wie folgt",
    "la siguiente",
    "le suivant",
    "la seguente",
    "a seguinte",
    "als volgt",
];

/// Opening quotes besides those of ASCII.
const QUOTES: &[&str] = &["„", "“", "”", "«", "»", "‚", "‘", "’", "‹", "›"];

/// How far the verb may stand from its noun, in bytes.
const REACH: usize = 64;

/// The words that the gate looks for, each with the number of its language.
pub(super) fn nouns() -> impl Iterator<Item = (&'static str, usize)> {
    LANGUAGES
        .iter()
        .enumerate()
        .flat_map(|(number, language)| language.nouns.iter().map(move |noun| (*noun, number)))
}

/// The password that a sentence tells, whose noun stands at `start..end`.
pub(super) fn find(
    text: Text<'_>,
    number: usize,
    start: usize,
    end: usize,
) -> Option<Range<usize>> {
    let language = LANGUAGES.get(number)?;
    let noun = text.slice(start..end);
    let is_name = is_name(noun);
    // What also means a key may be told by a name.
    let is_key = contains_ignore_case(noun, b"clave");
    // `-et`, `-s`, `-ul`: a few letters more.
    let end = text.run(end, 8, |b| b.is_ascii_alphabetic() || b >= 0x80);
    let key = Key {
        span: start..end,
        kind: KeyKind::Password,
    };
    let slot = if is_name {
        // What a setting or a table says is read by the name.
        told(text, language, text.skip_blanks(end))?
    } else {
        named(text, end).or_else(|| told(text, language, text.skip_blanks(end)))?
    };
    accepts(text, &key, &slot).filter(|span| !is_key || !is_wordy(text.slice(span.clone())))
}

/// Whether the noun is one word of plain letters, which is a name like any other; or one that means many things.
fn is_name(noun: &[u8]) -> bool {
    noun.is_ascii() && !noun.contains(&b' ') || noun.eq_ignore_ascii_case(b"la clave")
}

/// `Contraseña: …`, `Mot de passe : …`, `hasło „…”`, `пароль …`.
fn named(text: Text<'_>, end: usize) -> Option<Slot> {
    let at = text.skip_blanks(end);
    if let Some(value) = after_separator(text, at) {
        return value_at(text, value, Form::Spaced);
    }
    let slot = quoted(text, at).or_else(|| bare(text, at, Form::Prose))?;
    let is_told = slot.form == Form::QuotedProse || is_password_like(text.slice(slot.span.clone()));
    (at > end && is_told).then_some(slot)
}

/// `… lautet …`, `… für den Server ist …`, `… pour le serveur : …`.
fn told(text: Text<'_>, language: &Language, at: usize) -> Option<Slot> {
    let limit = text.line_end(at).min(at + REACH);
    let mut word = at;
    while word < limit {
        if let Some(value) = after_verb(text, language, word) {
            return value_at(text, value, Form::Prose);
        }
        // `le mot de passe du serveur : …`
        if text.byte(word) == b':' && word > at && text.byte(word + 1) == b' ' {
            return value_at(text, text.skip_blanks(word + 1), Form::Prose);
        }
        let word_end = text.run(word, REACH, is_letter);
        if text.byte(word_end) == b':' && word > at && word_end > word {
            return value_at(text, text.skip_blanks(word_end + 1), Form::Prose);
        }
        word = text.skip_blanks(word_end);
        if word == word_end {
            break;
        }
    }
    None
}

/// What words between a noun and its verb are made of.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'-' | b'\'' | b'.' | b'#' | b'@' | b'_' | b'/')
}

/// Where the value begins behind a colon or a sign.
fn after_separator(text: Text<'_>, at: usize) -> Option<usize> {
    match text.byte(at) {
        b':' if !matches!(text.byte(at + 1), b':' | b'/') => Some(text.skip_blanks(at + 1)),
        b'=' if text.byte(at + 1) != b'=' => Some(text.skip_blanks(at + 1)),
        _ => None,
    }
}

/// Where the value begins behind a verb that stands at `at`, with what may stand in between.
fn after_verb(text: Text<'_>, language: &Language, at: usize) -> Option<usize> {
    let ends = |verb: &&&str| {
        text.starts_with_ignore_case(at, verb.as_bytes())
            && matches!(text.byte(at + verb.len()), b' ' | b':')
    };
    let verb = language
        .verbs
        .iter()
        .filter(ends)
        .max_by_key(|it| it.len())?;
    let mut value = text.run(at + verb.len(), 4, |b| b == b' ' || b == b':');
    for filler in FILLERS {
        if text.starts_with_ignore_case(value, filler.as_bytes()) {
            value = text.run(value + filler.len(), 4, |b| b == b' ' || b == b':');
        }
    }
    Some(value)
}

fn value_at(text: Text<'_>, at: usize, form: Form) -> Option<Slot> {
    quoted(text, at).or_else(|| bare(text, at, form))
}

/// A value in quotes of any kind.
fn quoted(text: Text<'_>, at: usize) -> Option<Slot> {
    if is_quote(text.byte(at)) {
        return quoted_value(text, at, Form::QuotedProse);
    }
    let open = QUOTES
        .iter()
        .find(|quote| text.starts_with(at, quote.as_bytes()))?;
    let start = text.skip_blanks(at + open.len());
    let end = text.run(start, 128, |b| b < 0x80 && !b.is_ascii_whitespace());
    Some(Slot {
        span: start..end,
        form: Form::QuotedProse,
    })
}
