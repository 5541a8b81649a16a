//! What a value looks like: a reference, a placeholder, words, or something random.

use super::text::{contains_ignore_case, is_word};
use super::wordlist::WordList;

/// Parts that only stand-ins hold.
static STAND_INS: WordList = WordList::new(
    "your example placeholder changeme change-me change_me replace insert redacted xxxx dummy \
     sample < todo **** .... ... \u{2026} \u{2022} goes-here goes_here goeshere my-secret \
     my_secret mysecret my-token my_token mytoken mypassword my_password my-password abcdef123456 \
     some- some_ lorem foobar masked hidden enter- enter_ put- put_",
);

/// Words that say what belongs in a place.
static SAID: WordList = WordList::new(
    "your my the here goes replace insert change changeme enter put some this example \
     placeholder token key secret password redacted dummy sample",
);

/// Literals of languages, types, and words of forms.
static EVERYDAY: WordList = WordList::new(
    "true false null none nil undefined string str text bytes int integer number bool boolean any \
     object password passwd secret token required optional hidden yes no on off default empty \
     self this basic bearer digest oauth oauth2 oidc saml ldap jwt prompt stdin env file auto \
     always never public private unknown enabled disabled write read varchar char uuid date error \
     warn info debug invalid expired missing value values username user login email name key keys \
     unset blank foo bar baz opaque pass pwd credentials authentication authorization plain \
     plaintext option secretstring securestring tbd n/a var let const new type sensitive masked \
     generated random encrypted hashed bcrypt argon2 argon2id scrypt sha256 omitted removed and \
     or not is the for reset change confirm update forgot show hide field input label passwort \
     kennwort wachtwoord contraseña contrasena senha hasło haslo heslo geslo lozinka lösenord \
     losenord adgangskode kodeord passord salasana jelszó jelszo parola пароль",
);

/// Parts of names that hold digits and are still words.
static TECHNICAL: WordList = WordList::new(
    "oauth2 oauth1 base64 base32 base58 sha256 sha512 sha384 sha1 md5 utf8 utf16 s3 k8s x509 i18n \
     l10n a11y ipv4 ipv6 http2 http3 ec2 pkcs12 pkcs8 pkcs1 p12 e2e v1 v2 v3 v4 web3 auth0 \
     argon2id argon2 pbkdf2 ed25519 secp256k1 rs256 hs256 es256 int64 int32 uint8 u64 u32 u8 i64 \
     i32 f64 h264 mp4 log4j junit5 boto3 psycopg2 aes256 aes128 rsa2048 rsa4096 sha3 blake3 \
     blake2b crc32 win32 x86 x64 arm64 amd64 py3 python3 vue3 lib2 b64 c99",
);

/// How a value starts that points elsewhere.
static LEADS: WordList = WordList::new(
    "process.env os.environ os.getenv env. env[ env: getenv std::env config. settings. self. \
     this. secrets. vars. var. local. data. module. arn: vault: op:// ref+ file: ssm: aws: sops: \
     enc[ secretsmanager projects/ keyvault !ref !sub !vault !env !secret @microsoft.keyvault \
     import.meta deno.env $env: system.getenv bws: [redacted keyring: resolve: input( getpass \
     &lt; &#60; &#x3c; \\u003c",
);

/// How the base64 of an SSH public key starts.
const SSH_PUBLIC: &[u8] = b"AAAA";

/// How many of each class a value holds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shape {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digits: usize,
    pub(super) symbols: usize,
    pub(super) spaces: usize,
    pub(super) distinct: usize,
}

impl Shape {
    pub(super) fn of(value: &[u8]) -> Self {
        let mut shape = Self::default();
        let mut seen = [false; 256];
        for &byte in value {
            match byte {
                b'a'..=b'z' => shape.lower += 1,
                b'A'..=b'Z' => shape.upper += 1,
                b'0'..=b'9' => shape.digits += 1,
                b' ' | b'\t' | b'\r' | b'\n' => shape.spaces += 1,
                _ => shape.symbols += 1,
            }
            if let Some(seen) = seen.get_mut(usize::from(byte)) {
                shape.distinct += usize::from(!*seen);
                *seen = true;
            }
        }
        shape
    }

    pub(super) fn letters(self) -> usize {
        self.lower + self.upper
    }
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in value {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX)).max(1.0);
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = f64::from(count) / total;
            -share * share.log2()
        })
        .sum()
}

/// Whether the value only points to where the secret is: a variable, a template, a path, a call.
pub(super) fn is_reference(value: &[u8]) -> bool {
    match value {
        [b'$', b'{' | b'(', ..]
        | [b'{' | b'<' | b'[' | b'(', ..]
        | [b'%', b'(' | b's' | b'd' | b'v' | b'{', ..]
        | [b'~' | b'.', b'/', ..]
        | [b'.', b'.', b'/', ..] => return true,
        [b'%', middle @ .., b'%'] if middle.iter().all(|&b| is_word(b)) => return true,
        [b'$', rest @ ..] if is_identifier_path(rest) && !rest.contains(&b'$') => return true,
        [b'&' | b'*' | b'@' | b'!', rest @ ..]
            if rest
                .first()
                .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'_')
                && is_identifier_path(rest)
                && is_wordy(rest) =>
        {
            return true;
        }
        [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic() => return true,
        [b'/', ..] if is_wordy(value) || has_extension(value) => return true,
        _ => {}
    }
    LEADS.starts(value)
        || value.windows(3).any(|w| w == b"://")
        || contains_ignore_case(value, b"${")
        || contains_ignore_case(value, b"{{")
}

/// Whether the value is a stand-in: `your-api-key`, `xxx`, `…`, `<token>`, one repeated letter.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    shape.distinct <= 2
        || (shape.distinct <= 4 && value.len() >= 16)
        || STAND_INS.is_part_of(value)
        || is_sequence(value)
}

/// Whether a stand-in says in words what belongs there: `your-key-goes-here`.
pub(super) fn is_spelled_out(value: &[u8]) -> bool {
    let mut words = value.split(|b| matches!(b, b'-' | b'_' | b'.'));
    words.clone().count() > 1
        && words.clone().any(|word| SAID.contains_ignore_case(word))
        && words.all(|word| word.len() <= 12 && word.iter().all(u8::is_ascii_alphabetic))
}

/// `0123456789abcdef…`, `abcdefgh`: bytes that only count up.
fn is_sequence(value: &[u8]) -> bool {
    let steps = value
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if *b == a.wrapping_add(1)))
        .count();
    value.len() >= 12 && steps * 10 >= value.len() * 8
}

/// A literal of a language, a type, or a word of a form.
pub(super) fn is_everyday_word(value: &[u8]) -> bool {
    EVERYDAY.contains_ignore_case(value)
}

/// A name, or names joined as members: `config.password`, `Foo::BAR`, `a?.b`.
pub(super) fn is_identifier_path(value: &[u8]) -> bool {
    let mut at_start = true;
    for &byte in value {
        match byte {
            b'.' | b':' | b'?' => at_start = true,
            b'0'..=b'9' if at_start => return false,
            _ if is_word(byte) || byte == b'$' => at_start = false,
            _ => return false,
        }
    }
    !value.is_empty()
}

fn has_extension(value: &[u8]) -> bool {
    let name = value.rsplit(|&b| b == b'/').next().unwrap_or_default();
    let mut parts = name.rsplitn(2, |&b| b == b'.');
    let extension = parts.next().unwrap_or_default();
    parts.next().is_some()
        && (1..=5).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_lowercase)
}

/// Whether the value reads like a name or words, perhaps with numbers: `staging-db-2`,
/// `nextPageToken`, `sha256_sum`. Random text and words with digits inside do not.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let mut alphanumeric = 0;
    let mut in_words = 0;
    let mut mixed = 0;
    for part in value.split(|b| !b.is_ascii_alphanumeric()) {
        alphanumeric += part.len();
        if part.iter().all(u8::is_ascii_digit) {
            in_words += part.len().min(4);
            continue;
        }
        if is_technical(part) {
            in_words += part.len();
            continue;
        }
        let bare = trim_digits(part);
        let trailing = part.len() - bare.len();
        in_words += trailing.min(4);
        let mut previous_digit = false;
        for segment in segments(bare) {
            let digits = segment.first().is_some_and(u8::is_ascii_digit);
            if digits {
                mixed += 1;
            } else if is_pronounceable(segment) {
                in_words += segment.len();
            }
            previous_digit = digits;
        }
        mixed += usize::from(previous_digit);
    }
    mixed == 0 && in_words * 10 >= alphanumeric * 7
}

/// Whether digits remain once technical words such as `sha256` and `oauth2` are set aside.
pub(super) fn has_own_digits(value: &[u8]) -> bool {
    value
        .split(|b| !b.is_ascii_alphanumeric())
        .any(|part| !is_technical(part) && part.iter().any(u8::is_ascii_digit))
}

fn is_technical(part: &[u8]) -> bool {
    const LONGEST: usize = 24;
    if part.len() > LONGEST || !part.iter().any(u8::is_ascii_digit) {
        return false;
    }
    TECHNICAL.iter().any(|word| {
        let Some(rest) = part.get(word.len()..) else {
            return false;
        };
        part.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
            && rest.iter().all(u8::is_ascii_alphabetic)
    })
}

fn trim_digits(part: &[u8]) -> &[u8] {
    let kept = part
        .iter()
        .rposition(|b| !b.is_ascii_digit())
        .map_or(0, |i| i + 1);
    part.get(..kept).unwrap_or_default()
}

/// Splits where the class changes: `camelCase`, `abc123`.
fn segments(part: &[u8]) -> impl Iterator<Item = &[u8]> {
    part.chunk_by(|a, b| {
        a.is_ascii_digit() == b.is_ascii_digit()
            && !(a.is_ascii_lowercase() && b.is_ascii_uppercase())
    })
}

/// A segment that could be a word of a natural language: vowels, and no long run of consonants.
fn is_pronounceable(segment: &[u8]) -> bool {
    let segment = without_acronym(segment);
    if segment.len() < 3 {
        return segment.len() == 2 && segment.iter().all(u8::is_ascii_lowercase);
    }
    let is_vowel = |b: &u8| {
        matches!(
            b.to_ascii_lowercase(),
            b'a' | b'e' | b'i' | b'o' | b'u' | b'y'
        )
    };
    let vowels = segment.iter().filter(|b| is_vowel(b)).count();
    let consonants = segment
        .split(is_vowel)
        .map(<[u8]>::len)
        .max()
        .unwrap_or_default();
    // An upper-case letter after the first only in words that are upper case as a whole.
    let upper = segment.iter().filter(|b| b.is_ascii_uppercase()).count();
    let regular = upper == 0
        || upper == segment.len()
        || (upper == 1 && segment.first().is_some_and(u8::is_ascii_uppercase))
        || segment.get(1..).is_some_and(|rest| {
            rest.iter()
                .skip_while(|b| b.is_ascii_uppercase())
                .all(u8::is_ascii_lowercase)
        });
    vowels > 0 && consonants <= 4 && regular
}

/// `Server` of `HTTPServer`.
fn without_acronym(segment: &[u8]) -> &[u8] {
    let upper = segment
        .iter()
        .take_while(|b| b.is_ascii_uppercase())
        .count();
    let has_more = segment.len() >= upper + 3;
    match upper.checked_sub(1) {
        Some(acronym) if has_more && (1..=4).contains(&acronym) => {
            segment.get(acronym..).unwrap_or_default()
        }
        _ => segment,
    }
}

/// 8-4-4-4-12 hexadecimal digits.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(i, &b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// An id without the word that says of what it is: `session_123e4567-…`.
fn without_kind(id: &[u8]) -> &[u8] {
    let letters = id.iter().take_while(|b| b.is_ascii_lowercase()).count();
    match id.split_at(letters) {
        ([_, ..], [b'_' | b'-', rest @ ..]) => rest,
        _ => id,
    }
}

pub(super) fn is_hex(value: &[u8]) -> bool {
    value.iter().all(u8::is_ascii_hexdigit)
}

/// Whether the value looks machine-made: long, mixed and without words. Digests and UUIDs are
/// left out, since only their name can tell.
pub(super) fn is_random(value: &[u8], least: usize) -> bool {
    let shape = Shape::of(value);
    value.len() >= least
        && shape.spaces == 0
        && shape.digits >= 2
        && shape.letters() >= 4
        && value.iter().all(|&b| {
            is_word(b) || matches!(b, b'-' | b'+' | b'/' | b'=' | b'.' | b'~' | b'%' | b':')
        })
        && !is_uuid(without_kind(value))
        && !is_hex(value)
        && !is_wordy(value)
        && !is_name_with_digest(value)
        && !value.starts_with(SSH_PUBLIC)
        && entropy(value) >= 3.3
}

/// `linux-build-3f2a…`: words, numbers and hexadecimal digests, joined.
fn is_name_with_digest(value: &[u8]) -> bool {
    let mut parts = value.split(|b| !b.is_ascii_alphanumeric());
    let is_joined = value.iter().any(|b| !b.is_ascii_alphanumeric());
    is_joined && parts.all(|part| is_wordy(part) || (part.len() >= 7 && is_hex(part)))
}

/// Whether the value looks like a password within a sentence: letters, digits of its own, and
/// either no words at all or a symbol among them.
pub(super) fn is_password_like(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    value.len() >= 8
        && shape.spaces == 0
        && shape.letters() >= 3
        && shape.digits >= 1
        && has_own_digits(value)
        && !is_uuid(value)
        && !is_version_or_date(value)
        && (!is_wordy(value) || shape.symbols >= 1)
}

/// `1.2.3-rc.1`, `v3.12.4`, `2023-11-30T08:15:42Z`, `12ms`.
pub(super) fn is_version_or_date(value: &[u8]) -> bool {
    let shape = Shape::of(value);
    let starts_with_number = match value {
        [b'v' | b'V', second, ..] => second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    starts_with_number && shape.letters() <= 4 && shape.digits >= shape.letters()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_seen() {
        for value in [
            "$TOKEN",
            "${DB_PASS}",
            "$(cat f)",
            "{{ secret }}",
            "<token>",
            "%s",
            "%PASSWORD%",
            "process.env.X",
            "os.environ",
            "!Ref",
            "/run/secrets/db_password",
            "./key.pem",
            "op://vault/item",
            "https://x.test/a",
            "~/.ssh/id",
            "[REDACTED:x]",
            "env(TOKEN)",
        ] {
            assert!(
                is_reference(value.as_bytes()) || is_wordy(value.as_bytes()),
                "{value}"
            );
        }
        for value in ["Zq9!vT$7k15", "pa55w0rd", "Pa$$w0rd!", "$2y$10$abc"] {
            assert!(!is_reference(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn words_and_randomness_differ() {
        for value in [
            "nextPageToken",
            "staging-db-2",
            "sha256_sum",
            "oauth2_token",
            "AbstractProvider",
            "user_password",
            "config.db.password",
            "HTTPServer",
            "models.CharField",
        ] {
            assert!(is_wordy(value.as_bytes()), "{value}");
        }
        for value in [
            "x7Kpm2Qw3",
            "c0rrect-h0rse",
            "Spr1ngTime",
            "aB3dE5gH7jK9",
            "QwErTy_54",
        ] {
            assert!(!is_wordy(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn digests_and_uuids_are_not_random() {
        for value in [
            "d41d8cd98f00b204e9800998ecf8427e",
            "123e4567-e89b-42d3-a456-426614174000",
            "session_123e4567-e89b-42d3-a456-426614174000",
            "2023-11-30T08:15:42Z",
            "src/components/TokenList.tsx",
        ] {
            assert!(!is_random(value.as_bytes(), 16), "{value}");
        }
        assert!(is_random(b"k3Jx9Qm2Zt7Lw5Rb", 16));
    }
}
