//! What keeps the detectors of secrets busy, when it is repeated.

/// All of it.
pub(crate) const HOSTILE: &[&str] = &[
    "password=",
    "password=\"",
    "password: ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n",
    "-----END PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
    " eyJ-eyJ",
    "eyJhbGciOiJIUzI1NiJ9.",
    "sk-",
    "a://b:",
    "curl -u ",
    "mysql curl ",
    "kind: Secret\ndata:\n",
    "cookie:a=b;",
    "echo x|sudo -S ",
    "key-us10:AA.",
    "$6$",
    "\\\\\"token\\\"",
    "token for ",
    "IDENTIFIED BY ",
    ":5432:",
];
