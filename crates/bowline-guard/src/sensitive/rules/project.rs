//! Secrets that lie in projects: environment files, frameworks' settings, service accounts.

use super::{Level, Rule, Templates};

#[rustfmt::skip] // Patterns stand side by side, as the words of a list.
pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "environment-loader",
        read: Level::Maybe,
        change: Level::Maybe,
        templates: Templates::Pass,
        patterns: &[
            ".envrc", ".envrc.*", ".flaskenv", ".env.vault", ".env.enc", ".env.encrypted",
            ".env.*.enc", ".env.*.encrypted", ".env.gpg", ".env.age", ".env.sops", ".env.sops.*",
        ],
        why: "this file often sets passwords and tokens",
        instead: "read the template beside it, or list the names without values",
    },
    Rule {
        id: "environment-file",
        read: Level::Secret,
        change: Level::Maybe,
        templates: Templates::Pass,
        patterns: &[
            ".env", ".env.*", ".env-*", ".env_*", ".env~*", "*.env", "*.env.local", "*.env.json",
            ".*.env", "env.local", "env.production", "env.prod", ".environment", ".envs/**",
            ".env copy*", ".env (*",
        ],
        why: "environment files hold live passwords and tokens",
        instead: "read the template (`.env.example`), or list the names without values \
                  (`cut -d= -f1 .env.example`)",
    },
    Rule {
        id: "framework-settings",
        read: Level::Secret,
        change: Level::Maybe,
        templates: Templates::Pass,
        patterns: &[
            "settings.php", "settings.*.php", "*.settings.php", "settings_*.php", "wp-config.php",
            "wp-config-*.php", "wp-config.*.php", "localsettings.php", "localconfiguration.php",
            "config.inc.php", "app/etc/env.php", "app/etc/local.xml", "parameters.yml",
            "parameters.yaml", "parameters.*.yml", "parameters_*.yml", "parameters.ini",
            "secrets.yml", "secrets.yaml", "secrets.*.yml", "secrets.*.yaml", "secrets.json",
            "secrets.*.json", "secrets.toml", ".secrets.toml", ".secrets.json", ".secrets.yml",
            ".secrets.yaml", "secrets.ini", "secrets.xml", "secrets.properties", "secrets.conf",
            "secrets.php", "secret.php", "local_settings.py", "secret_settings.py",
            "secret_key.txt", "secret.key", ".streamlit/secrets.toml", "local.settings.json",
            "usersecrets/*/secrets.json", "user-secrets/**", "connectionstrings.config",
            "connectionstrings.json", "appsettings.production.json", "appsettings.staging.json",
            "appsettings.local.json", "appsettings.secrets.json", "appsettings.secret.json",
            "config/master.key", "master.key", "config/credentials/*.key", "prod.secret.exs",
            "*.secret.exs", "application-prod.yml", "application-prod.properties",
            "application-production.yml", "application-production.properties",
            "application-secrets.*", "application-secret.*", "application-local.properties",
            "application-local.yml", "database.local.php", "credentials.json", "credentials.yml",
            "credentials.yaml", "credentials.xml", "credentials.ini", "credentials.toml",
            "credentials.properties", "credentials.txt", "credentials.conf", "creds.json",
            "creds.txt", "creds.yml", "creds.yaml", "*.dec.yaml", "*.dec.yml", "*.dec.json",
            "*.decrypted.*", "play-store-credentials.json", "playstore*.json", "fastlane/.env*",
            "match_password*", "android/key.properties", "local-secrets.*", "dev-secrets.*",
        ],
        why: "the application keeps its passwords and keys here",
        instead: "read the template or the default settings beside it, or the code that reads it",
    },
    Rule {
        id: "application-settings",
        read: Level::Maybe,
        change: Level::Maybe,
        templates: Templates::Pass,
        patterns: &[
            "config/database.yml", "database.yml", "database.yaml", "local.services.yml",
            "dev.services.yml", "settings_local.py", "settings_prod.py", "settings_secret.py",
            "vault.yml", "vault.yaml", "group_vars/*/vault*", "host_vars/*/vault*",
            "development.services.yml", "local.properties", "mongoid.yml", "ormconfig.json",
            "application-dev.properties", "config/local.json", "config.local.json",
            "config.local.php", "config.local.yml", "config.local.yaml", "config.local.toml",
            "values-secret*.y*ml", "values.secret*.y*ml", "dbconfig.json", "config.secret.*",
            "odoo.conf", "dbt/profiles.yml", "tomcat-users.xml", "pgbouncer/userlist.txt",
            "users.acl",
        ],
        why: "settings of this kind often hold a password",
        instead: "read the template beside it, or the code that reads it",
    },
];
