//! Private keys and the public material that must not be taken for them.

use super::{Level, Rule, Templates};

#[rustfmt::skip] // Patterns stand side by side, as the words of a list.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "tunnel-credentials",
        read: Level::Secret,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &[".cloudflared/cert.pem", ".cloudflared/*.json"],
        why: "this file is the login of a tunnel service",
        instead: "ask the service's own command for the state (`cloudflared tunnel list`)",
    },
    Rule {
        id: "public-material",
        read: Level::Public,
        change: Level::Public,
        templates: Templates::Count,
        patterns: &[
            "*.pub", "*.crt", "*.cer", "*.csr", "*.crl", "*.p7b", "*public*.pem", "pub*.pem",
            "*-pub.pem", "*_pub.pem", "*.pub.pem", "*pubkey*.pem", "/etc/ssl/certs/**",
            "/usr/share/ca-certificates/**", "/etc/pki/ca-trust/**", "*public*.key",
            "*public*.asc", "certifi/cacert.pem",
        ],
        why: "public keys and certificates are made to be shown",
        instead: "",
    },
    Rule {
        id: "login-keys",
        read: Level::Maybe,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &["authorized_keys", "authorized_keys2", ".ssh/rc", ".ssh/environment"],
        why: "this file decides who may log in",
        instead: "let the person add the key (`ssh-copy-id`)",
    },
    Rule {
        id: "ssh-hosts",
        read: Level::Maybe,
        change: Level::Maybe,
        templates: Templates::Count,
        patterns: &[
            ".ssh/config", ".ssh/config.d/**", ".ssh/known_hosts*", "known_hosts", "known_hosts2",
            "ssh_known_hosts",
        ],
        why: "this file lists hosts, users and key files",
        instead: "ask for one host's settings (`ssh -G host`) or let the person name it",
    },
    Rule {
        id: "ssh-key",
        read: Level::Secret,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &[
            ".ssh/**", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk",
            "id_ed25519_sk", "id_xmss", "*_rsa", "*_ed25519", "*_ecdsa", "*_dsa", "id_rsa_*",
            "id_rsa-*", "id_ed25519_*", "id_ed25519-*", "id_ecdsa_*", "id_dsa_*", "ssh_host_*_key",
            "*.ppk", "google_compute_engine", "deploy_key", "deploy-key",
        ],
        why: "this is a private SSH key or lies among them",
        instead: "read the public half (`*.pub`), or use the key without showing it (`ssh -i`)",
    },
    Rule {
        id: "gpg-settings",
        read: Level::Public,
        change: Level::Maybe,
        templates: Templates::Count,
        patterns: &[".gnupg/*.conf", ".gnupg/pubring.*", ".gnupg/trustdb.gpg", ".gnupg/sshcontrol"],
        why: "this file steers how keys are used and asked for",
        instead: "let the person change the key agent's settings",
    },
    Rule {
        id: "gpg-key",
        read: Level::Secret,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &[
            ".gnupg/**", "gnupg/private-keys-v1.d/**", "private-keys-v1.d/**", "secring.gpg",
            "secring.pgp", "*private*.asc", "*secret*.asc", "*priv*.gpg", "*secret*key*.gpg",
        ],
        why: "this is a private OpenPGP key or lies among them",
        instead: "list the keys (`gpg --list-keys`) or export the public one",
    },
    Rule {
        id: "private-key",
        read: Level::Secret,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &[
            "*key*.pem", "*priv*.pem", "*key*.der", "*priv*.der", "*private*key*.txt",
            "*private*key", "privkey*", "*private*.key", "letsencrypt/archive/*/privkey*",
        ],
        why: "this is a private key",
        instead: "read the certificate or the public key that belongs to it",
    },
    Rule {
        id: "public-material",
        read: Level::Public,
        change: Level::Public,
        templates: Templates::Count,
        patterns: &[
            "cert*.pem", "*-cert.pem", "*_cert.pem", "*.cert.pem", "*.crt.pem", "*-cert-*.pem",
            "*certificate*.pem", "fullchain*.pem", "chain*.pem", "*-chain.pem", "*_chain.pem",
            "ca.pem", "*-ca.pem", "*_ca.pem", "ca-*.pem", "ca_*.pem", "cacert*.pem",
            "*bundle*.pem", "root*.pem", "*-root.pem", "intermediate*.pem", "*csr*.pem",
            "dhparam*.pem", "dh*.pem", "isrg*.pem", "crl*.pem", "*-ca-*.pem", "*rootca*.pem",
            "*root-ca*.pem",
        ],
        why: "certificates are made to be shown",
        instead: "",
    },
    Rule {
        id: "private-key",
        read: Level::Secret,
        change: Level::Secret,
        templates: Templates::Count,
        patterns: &[
            "*.pem", "*.key", "*.p8", "*.pk8", "*.p12", "*.pfx", "*.jks", "*.jceks", "*.bcfks",
            "*.keystore", "*.pvk", "*.keytab", "*.ovpn", "*.agekey", "*.age.key", "age.key",
            "sops/age/keys.txt", "*.snk", "keystore.properties", "key.properties",
            "signing.properties", "*.kirbi", "*.ccache",
        ],
        why: "files of this kind hold private keys",
        instead: "read the certificate (`*.crt`) or the public key, or use the key by its path \
                  without showing it",
    },
];
