//! What the name of a field says about its value, judged word by word: `api_key` holds a secret,
//! `keyboard`, `author`, `max_tokens` and `token_count` do not.

use super::wordlist::WordList;

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyKind {
    /// Nothing secret.
    Plain,
    /// Perhaps a secret (`key`, `session`, `salt`): only a random value counts.
    Hint,
    /// A machine-made secret: token, API key, client secret.
    Token,
    /// A secret that people choose: any literal counts.
    Password,
    /// An `Authorization` value: scheme and credentials.
    Authorization,
    /// A recovery phrase of dictionary words.
    Mnemonic,
}

/// Words that name a password, alone or in a compound.
static PASSWORDS: WordList = WordList::new(
    "password passwd pwd passphrase passcode pass pw pswd passwort psk userpass dbpass \
     requirepass masterauth storepass keypass userpassword dbpassword pgpassword mysqlpassword \
     rootpassword adminpassword dbpasswd passwords pgpass bindpw rootpw kennwort wachtwoord \
     contrasena contrasenya senha heslo geslo haslo lozinka salasana losenord adgangskode \
     kodeord passord jelszo mdp \
     motdepasse",
);

/// Words that name a machine-made secret, alone or in a compound.
static TOKENS: WordList = WordList::new(
    "secret secrets token jwt bearer credential credentials creds apikey apikeys authtoken \
     accesstoken refreshtoken idtoken apitoken secretkey privatekey accesskey clientsecret \
     appsecret apisecret accountkey authkey sharedaccesskey sharedkey signingkey encryptionkey \
     masterkey csrftoken pat xsrftoken phpsessid jsessionid sessiontoken bottoken webhooksecret \
     appkey subscriptionkey secretaccesskey authpass usertoken deploytoken kubetoken",
);

/// What a `key` must open, sign or identify to be a secret.
static SECRET_KEYS: WordList = WordList::new(
    "api access secret private auth encryption encrypt signing sign master account app \
     application subscription consumer shared hmac jwt cipher aes crypto admin write ingest \
     ingestion integration webhook license licence deploy service storage root functions function \
     rest live server recovery unseal wallet fernet session interactive sas apikey bearer decrypt \
     decryption ssh maps user",
);

/// What makes a `key` an everyday word.
static PLAIN_KEYS: WordList = WordList::new(
    "socket public primary foreign sort partition cache row index unique hash range object map dict json \
     yaml idempotency lookup local message translation i18n query search group routing event \
     state react i18 list node host hot arrow enter escape option config registry record \
     publishable sequence natural composite candidate locale item pub anon feature metric trace \
     any press shortcut bucket s3",
);

/// Words that may name something secret if the value looks random.
static HINTS: WordList = WordList::new(
    "key keys auth session sess sid sessid sessionid cookie salt seed otp totp tokens \
     authentication pin",
);

/// A last word that turns the name into something about a secret.
static ABOUT: WordList = WordList::new(
    "id ids name names count counts counter type types kind length len size limit limits max min \
     expiry expires expiration ttl age url uri path file filename dir policy hash hashed digest \
     field label placeholder hint prompt input regex pattern format status state enabled required \
     version index ref provider manager service store stdin reset strength rotation usage budget \
     bucket algorithm alg method mode scheme host env var command column table class error errors \
     message text title description at date time timestamp in issuer endpoint header param params \
     cache ring fingerprint thumbprint arn validator generator parser handler helper rate per \
     used remaining position offset start end is has new exists valid invalid missing stream list \
     set map schema config options settings user username email domain group role scope scopes \
     audience lifetime duration interval timeout window source encoding request response link \
     page form view screen button component test tests spec example docs guide change changed \
     update updated created backend engine plugin module lib code verify check confirm match \
     agent socket sock sha sha256 md5",
);

/// A first word that turns the name into a measure or a question.
static MEASURES: WordList = WordList::new(
    "max min num total input output count is has no prompt completion reasoning cached get use \
     uses public publishable show hide forgot reset validate verify invalid missing next eos bos \
     pad unk expected unexpected require requires skip allow ask",
);

/// Whether the value of a field of this name is to be hidden whatever it holds.
///
/// ```
/// use bowline_guard::secrets::is_sensitive_key;
///
/// assert!(is_sensitive_key("DB_PASSWORD"));
/// assert!(is_sensitive_key("x-api-key"));
/// assert!(!is_sensitive_key("max_tokens"));
/// assert!(!is_sensitive_key("author"));
/// ```
pub fn is_sensitive_key(key: &str) -> bool {
    match classify(key.as_bytes()) {
        KeyKind::Password | KeyKind::Token | KeyKind::Authorization | KeyKind::Mnemonic => true,
        KeyKind::Hint => words(key.as_bytes())
            .last()
            .is_some_and(|word| word == "auth" || word == "cookie"),
        KeyKind::Plain => false,
    }
}

/// Judges a name.
pub(super) fn classify(key: &[u8]) -> KeyKind {
    let words = words(key);
    let Some(last) = words.last().map(String::as_str) else {
        return KeyKind::Plain;
    };
    let first = words.first().map_or("", String::as_str);
    let earlier = words.get(..words.len() - 1).unwrap_or_default();
    let has = |list: &WordList| earlier.iter().any(|word| list.contains(word));
    let has_word = |wanted: &[&str]| earlier.iter().any(|word| wanted.contains(&word.as_str()));

    if words.len() > 1 && MEASURES.contains(first) {
        return KeyKind::Plain;
    }
    match last {
        "authorization" => return KeyKind::Authorization,
        "header" | "headers" if has_word(&["auth", "authorization"]) => {
            return KeyKind::Authorization;
        }
        "mnemonic" => return KeyKind::Mnemonic,
        "phrase" if has_word(&["seed", "recovery", "mnemonic", "secret", "backup"]) => {
            return KeyKind::Mnemonic;
        }
        "id" if matches!(earlier, [one] if one == "phpsess" || one == "jsession") => {
            return KeyKind::Token;
        }
        // `mot_de_passe`
        "passe" if has_word(&["mot"]) => return KeyKind::Password,
        "dn" | "cn" => return KeyKind::Plain,
        _ => {}
    }
    if PASSWORDS.contains(last) {
        return KeyKind::Password;
    }
    if TOKENS.contains(last) {
        return KeyKind::Token;
    }
    if last == "data" && has_word(&["key"]) && has_word(&["client"]) {
        return KeyKind::Token;
    }
    // `password1`, `token_2`, `PASSWORD_PROD`, `api_key_staging`: the secret word is not the last.
    if ABOUT.contains(last) {
        return KeyKind::Plain;
    }
    if last == "key" || last == "keys" {
        return if has(&PLAIN_KEYS) {
            KeyKind::Plain
        } else if has(&SECRET_KEYS) || has(&TOKENS) || has(&PASSWORDS) {
            KeyKind::Token
        } else {
            KeyKind::Hint
        };
    }
    if last == "tokens" && !earlier.is_empty() && has_word(&["access", "auth", "api", "refresh"]) {
        return KeyKind::Token;
    }
    if HINTS.contains(last) {
        return KeyKind::Hint;
    }
    if is_qualifier(last) {
        if has(&PASSWORDS) {
            return KeyKind::Password;
        }
        if has(&TOKENS) || (has_word(&["key"]) && has(&SECRET_KEYS)) {
            return KeyKind::Token;
        }
    }
    KeyKind::Plain
}

/// Words that say where a secret is used: they may follow the word that names it.
fn is_qualifier(word: &str) -> bool {
    matches!(
        word,
        "prod"
            | "production"
            | "staging"
            | "stage"
            | "dev"
            | "development"
            | "live"
            | "sandbox"
            | "base"
            | "base32"
            | "base64"
            | "b64"
            | "value"
            | "plain"
            | "plaintext"
            | "old"
            | "primary"
            | "secondary"
            | "default"
            | "encoded"
            | "raw"
            | "main"
            | "backup"
            | "bedrock"
    )
}

/// The lower-case words of a name: split at separators, at a change to upper case, and without
/// digits at the end of a word (`password1`).
fn words(key: &[u8]) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut previous = 0u8;
    for (i, &byte) in key.iter().enumerate() {
        let next = key.get(i + 1).copied().unwrap_or(0);
        let starts_word = byte.is_ascii_uppercase()
            && (previous.is_ascii_lowercase()
                || previous.is_ascii_digit()
                || (previous.is_ascii_uppercase() && next.is_ascii_lowercase()));
        if !byte.is_ascii_alphanumeric() || starts_word {
            push_word(&mut words, &mut word);
        }
        if byte.is_ascii_alphanumeric() {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        previous = byte;
    }
    push_word(&mut words, &mut word);
    words
}

fn push_word(words: &mut Vec<String>, word: &mut String) {
    let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let kept = match word.as_str() {
        "base64" | "base32" | "sha256" | "md5" | "s3" => word.as_str(),
        _ => bare,
    };
    if !kept.is_empty() {
        words.push(kept.to_owned());
    }
    word.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_case_and_separators() {
        for (key, expected) in [
            ("apiKey", "api key"),
            ("X-API-KEY", "x api key"),
            ("DBPassword1", "db password"),
            ("__token__", "token"),
            ("HTTPServerKey", "http server key"),
        ] {
            assert_eq!(words(key.as_bytes()).join(" "), expected, "{key}");
        }
    }

    #[test]
    fn sensitive_names() {
        for key in [
            "password",
            "DB_PASSWORD",
            "passwd",
            "user.pwd",
            "apiKey",
            "api_key",
            "x-api-key",
            "API_KEYS",
            "token",
            "accessToken",
            "GITHUB_TOKEN",
            "client_secret",
            "clientSecret",
            "credentials",
            "aws_secret_access_key",
            "private_key",
            "auth",
            "Authorization",
            "auth_header",
            "privateKeyBase64",
            "PASSWORD_PROD",
            "_authToken",
            "Ocp-Apim-Subscription-Key",
            "requirepass",
            "AccountKey",
            "signingSecret",
            "passphrase",
            "Cookie",
            "set-cookie",
            "client-key-data",
            "seed_phrase",
            "password1",
            "jwt",
            "PGPASSWORD",
        ] {
            assert!(is_sensitive_key(key), "{key}");
        }
    }

    #[test]
    fn everyday_names() {
        for key in [
            "author",
            "authority",
            "keyboard",
            "monkey",
            "max_tokens",
            "token_count",
            "tokens",
            "input_tokens",
            "password_hash",
            "tokenType",
            "PASSWORD_MAX_AGE",
            "secretName",
            "public_key",
            "cache-key",
            "primaryKey",
            "key",
            "session_id",
            "passenger",
            "compass",
            "tokenizer",
            "authors",
            "key_id",
            "AWS_ACCESS_KEY_ID",
            "password-file",
            "secretary",
            "with-token-file",
            "password_reset",
            "bypass",
            "",
            "___",
            "nextToken",
            "sid",
            "keyword",
        ] {
            assert!(!is_sensitive_key(key), "{key}");
        }
    }
}
