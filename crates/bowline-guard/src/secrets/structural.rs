//! The rules whose detectors are code of their own, with their examples.

use std::ops::Range;

use super::keys::KeyKind;
use super::rule::Rule;
use super::text::{Text, is_base64};
use super::values::{Shape, is_hex};

/// The rule that says least about what it found.
pub(super) const HIGH_ENTROPY: &str = "high-entropy";

/// The rule under which a literal of this kind of name is reported.
pub(super) fn rule_of(kind: KeyKind) -> &'static str {
    match kind {
        KeyKind::Password => "password",
        KeyKind::Token => "secret",
        KeyKind::Authorization => "authorization",
        KeyKind::Mnemonic => "mnemonic",
        KeyKind::Hint | KeyKind::Plain => HIGH_ENTROPY,
    }
}

/// An AWS secret key beside its id, in a table or a line of a CSV file.
pub(super) fn aws_secret_near(text: Text<'_>, id: &Range<usize>) -> Option<Range<usize>> {
    const REACH: usize = 160;
    const LENGTH: usize = 40;
    let limit = (id.end + REACH).min(text.len());
    let mut at = id.end;
    while at < limit {
        let end = text.run(at, REACH, is_base64);
        let value = text.slice(at..end);
        let shape = Shape::of(value);
        if value.len() == LENGTH
            && !is_hex(value)
            && shape.upper > 2
            && shape.lower > 2
            && shape.digits > 0
        {
            return Some(at..end);
        }
        at = end + 1;
    }
    None
}

pub(super) const RULES: &[Rule] = &[
    Rule::structural(
        "aws-secret-key",
        "AWS secret key beside its id",
        &["ci,AKIA{A16},{a38}Zk"],
        &["ci,{a38}Zk"],
    ),
    Rule::structural(
        "private-key",
        "Private key in PEM or PGP armour",
        &[
            "-----BEGIN RSA PRIVATE KEY-----\n{a64}\n{a64}\n-----END RSA PRIVATE KEY-----",
            "key=\"-----BEGIN PRIVATE KEY-----\\n{a64}\\n-----END PRIVATE KEY-----\\n\"",
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{a70}\n{a70}",
        ],
        &[
            "-----BEGIN PUBLIC KEY-----\n{a64}\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\n{a64}\n-----END CERTIFICATE-----",
            "look for -----BEGIN PRIVATE KEY----- in the file",
        ],
    ),
    Rule::structural(
        "putty-key",
        "Private part of a PuTTY key",
        &["Private-Lines: 2\n{a64}\n{a40}\nPrivate-MAC: x"],
        &["Public-Lines: 2\n{a64}\n{a40}"],
    ),
    Rule::structural(
        "jwt",
        "JSON web token",
        &["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ7{a20}.{a43}"],
        &["eyJhbGciOiJIUzI1NiJ9", "eyJ.eyJ.eyJ"],
    ),
    Rule::structural(
        "discord-bot-token",
        "Discord bot token",
        &["MTA{a23}.G{a5}.{a38}"],
        &["Module.member.function", "MTA{a23}.x.y"],
    ),
    Rule::structural(
        "url-password",
        "Password in an address",
        &[
            "postgres://app:{a12}@db.test/x",
            "redis://:{a9}@cache.test",
            "app:{a9}@tcp(db.test:3306)/x",
        ],
        &[
            "https://user@host.test/x",
            "postgres://app:${PASS}@db/x",
            "http://localhost:3000/@vite/client",
            "https://<user>:<token>@git.test/x.git",
            "git@host.test:a/b.git",
        ],
    ),
    Rule::structural(
        "authorization",
        "Credentials of an authorization header",
        &[
            "Authorization: Bearer {a32}",
            "authorization: Basic Y2k6aHVudGVyMjI=",
            "-H 'Authorization: token {h40}'",
        ],
        &[
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "a basic example",
        ],
    ),
    Rule::structural(
        "cookie",
        "Session cookie",
        &[
            "Set-Cookie: app.sid={a32}; Path=/; Secure",
            "Cookie: theme=dark; session={a24}",
        ],
        &["Set-Cookie: theme=dark; Path=/", "Cookie: <cookie>"],
    ),
    Rule::structural(
        "command-secret",
        "Secret given to a command by a flag",
        &[
            "mysql -u root -p{a10} shop",
            "curl -u ci:{a10} https://x.test",
            "sshpass -p {a10} ssh x",
            "redis-cli -a {a12} PING",
        ],
        &[
            "mysql -u root -p shop",
            "docker run -p 8080:80 x",
            "curl -u \"$USER:$PASS\" https://x.test",
            "redis-cli -a $PASS",
        ],
    ),
    Rule::structural(
        "piped-secret",
        "Secret piped into a login",
        &["echo {a14} | docker login -u ci --password-stdin x.test"],
        &[
            "echo \"$PASS\" | docker login --password-stdin",
            "cat f | docker login --password-stdin",
        ],
    ),
    Rule::structural(
        "password-hash",
        "Hash of a password",
        &[
            "root:$6$abcdefgh${a86}:19000:0:99999",
            "ci:$2y$10${a53}",
            "ci:$apr1$abcdefgh${a22}",
        ],
        &["cost $1$ each", "$2y$10$"],
    ),
    Rule::structural(
        "pgpass",
        "Password in a .pgpass line",
        &["db.test:5432:shop:app:{a10}"],
        &["src/client.ts:5432:11:9:x", "db:5432:x"],
    ),
    Rule::structural(
        "kubernetes-secret",
        "Value of a Kubernetes secret",
        &["kind: Secret\nmetadata:\n  name: x\ndata:\n  config: Zm9vOmJhcjEyMw=="],
        &["kind: SecretStore\ndata:\n  config: plain-text-value"],
    ),
    Rule::structural(
        "password",
        "Password under its name",
        &[
            "password: \"{a10}\"",
            "DB_PASSWORD={a8}",
            "<password>{a9}</password>",
            "--password {a9}",
            "Server=x;Password={a9}!;Encrypt=true",
            "The password is {a12}",
            "IDENTIFIED BY '{a9}'",
        ],
        &[
            "password: str",
            "passphrase = prompt(\"Passphrase?\")",
            "DB_PASSWORD=${SECRET}",
            "PASSWORD_MAX_AGE=90",
            "password=password",
            "if password is None:",
            "the password is required",
            "MasterUserPassword: !Ref AdminPw",
        ],
    ),
    Rule::structural(
        "secret",
        "Token or key under its name",
        &[
            "api_key={h32}",
            "\"clientSecret\": \"{a32}\"",
            "token = '{a24}'",
            "X-Api-Key: {a32}",
            "?access_token={a30}&x=1",
            "https://x.test/f?sv=1&sig={a43}%3D",
        ],
        &[
            "MAPS_API_KEY=<paste yours here>",
            "token = next_token",
            "\"max_tokens\": 4096",
            "const mapsKey = import.meta.env.VITE_MAPS_KEY",
            "cache_key: {h40}",
            "token_type: \"bearer\"",
        ],
    ),
    Rule::structural(
        HIGH_ENTROPY,
        "Random value under a name that hints at a secret",
        &["hash_salt = '{a32}'"],
        &[
            "session_id: {h8}-{h4}-{h4}-{h4}-{h12}",
            "key: Linux-node-{h40}",
        ],
    ),
    Rule::structural(
        "mnemonic",
        "Recovery phrase",
        &["mnemonic = \"alpha beach cargo delta eagle fancy giant habit igloo jelly koala lemon\""],
        &["mnemonic = \"see the manual\""],
    ),
];
