//! What a name says by its words and its ending: templates, code, and names that sound secret.

#[rustfmt::skip]
const TEMPLATE_WORDS: &[&str] = &[
    "boilerplate", "default", "defaults", "demo", "dist", "dummy", "example", "examples", "fake",
    "j2", "mock", "placeholder", "sample", "samples", "schema", "skel", "skeleton", "spec", "stub",
    "template", "templates", "tmpl", "tpl",
];

/// Endings of source code and documentation.
#[rustfmt::skip]
const CODE_ENDINGS: &[&str] = &[
    "adoc", "asciidoc", "astro", "bash", "bats", "c", "cc", "clj", "cljs", "cpp", "cs", "css",
    "cjs", "cts", "dart", "ejs", "elm", "erb", "erl", "ex", "exs", "fish", "fs", "go", "gradle",
    "graphql", "groovy", "h", "haml", "hbs", "hcl", "hpp", "hrl", "hs", "html", "ipynb", "java",
    "jinja", "js", "jsx", "kt", "kts", "less", "lua", "m", "markdown", "md", "mdx", "mjs", "ml",
    "mm", "mts", "nim", "nix", "php", "pl", "pm", "png", "proto", "ps1", "py", "pyi", "r", "rake",
    "rb", "rs", "rst", "scala", "scss", "sh", "slim", "snap", "sol", "sql", "svelte", "svg",
    "swift", "tex", "tf", "ts", "tsx", "twig", "vb", "vue", "zig", "zsh",
];

/// Endings of files that hold data, so that a secret-sounding name means a secret.
#[rustfmt::skip]
const DATA_ENDINGS: &[&str] = &[
    "cfg", "conf", "config", "csv", "db", "doc", "docx", "ini", "json", "json5", "jsonc", "kdb",
    "numbers", "ods", "odt", "pages", "pickle", "pkl", "plist", "properties", "rtf", "sqlite",
    "sqlite3", "toml", "tsv", "txt", "xls", "xlsx", "xml", "yaml", "yml",
];

/// What a name must end in, once separators are taken out, to sound secret.
#[rustfmt::skip]
const SECRET_WORDS: &[&str] = &[
    "accesskey", "accesskeys", "accesstoken", "accesstokens", "apikey", "apikeys", "apisecret",
    "apitoken", "apitokens", "authtoken", "authtokens", "bearertoken", "clientsecret",
    "clientsecrets", "cred", "creds", "credential", "credentials", "githubtoken", "gitlabtoken",
    "masterkey", "npmtoken", "oauthtoken", "passphrase", "passphrases", "passwd", "password",
    "passwords", "privatekey", "privatekeys", "refreshtoken", "secret", "secretkey", "secrets",
    "serviceaccount", "serviceaccountkey", "serviceaccounts", "sessiontoken", "signingkey",
    "slacktoken", "vaultpass",
];

/// Words after which a secret-sounding word means something else.
#[rustfmt::skip]
const HARMLESS_BEFORE: &[&str] = &[
    "change", "external", "encrypted", "fake", "forgot", "forgotten", "mock", "no", "public",
    "reset", "sealed", "test", "update", "validate", "verify", "without",
];

/// Words at the end of a name that only say which one: `secrets-prod.yml`.
#[rustfmt::skip]
const VARIANTS: &[&str] = &[
    "backup", "ci", "dev", "development", "local", "old", "prd", "prod", "production", "qa",
    "stage", "staging", "live", "new", "final", "master", "shared", "my",
];

/// Names that many harmless files share.
#[rustfmt::skip]
const ORDINARY_NAMES: &[&str] = &[
    "", "alias", "apps", "bookmarks", "cache", "cli", "config", "configs", "connections", "data",
    "environment", "history", "hosts", "id", "local", "port", "profiles", "rc", "registries",
    "repositories", "settings", "state",
];

/// Words with which many harmless names begin.
const ORDINARY_BEGINNINGS: &[&str] = &[
    "access", "api", "app", "client", "root", "server", "service", "user",
];

const TEXT_FOLDERS: &[&str] = &[
    "doc",
    "docs",
    "i18n",
    "lang",
    "locale",
    "locales",
    "translations",
    "workflows",
];

/// Folders in which a secret-sounding name is about secrets, not one.
#[rustfmt::skip]
const ABOUT_SECRETS: &[&str] = &[
    ".github", "__fixtures__", "__mocks__", "__snapshots__", "__tests__", "doc", "docs",
    "documentation", "examples", "fixtures", "i18n", "lang", "langs", "languages", "locale",
    "locales", "messages", "node_modules", "schemas", "spec", "specs", "templates", "test",
    "testdata", "tests", "translations", "views", "site-packages", "vendor",
];

/// Whether a folded file name says that it is a template: `.env.example`, `default.settings.php`.
pub(super) fn is_template(name: &str) -> bool {
    name.split(['.', '-', '_', ' '])
        .any(|word| TEMPLATE_WORDS.contains(&word))
}

/// Whether a folded file name ends like source code or documentation.
pub(super) fn is_code(name: &str) -> bool {
    ending(name).is_some_and(|ending| CODE_ENDINGS.contains(&ending))
}

pub(super) fn ending(name: &str) -> Option<&str> {
    name.rsplit_once('.')
        .filter(|(stem, _)| !stem.is_empty())
        .map(|(_, ending)| ending)
}

/// Endings that many harmless files share: spelling one out is not spelling out a secret.
pub(super) fn is_ordinary_ending(ending: &str) -> bool {
    DATA_ENDINGS.contains(&ending) || CODE_ENDINGS.contains(&ending)
}

/// Whether the name of a rule's file says nothing by itself: `config.json`, `history*`.
pub(super) fn is_ordinary_name(name: &str) -> bool {
    ORDINARY_NAMES.contains(&stem(name))
}

/// Whether the plain text of a pattern says nothing by itself: `root*`, `api-*.txt`.
pub(super) fn is_ordinary_beginning(text: &str) -> bool {
    ORDINARY_BEGINNINGS.contains(&stem(text))
}

/// A name without an ordinary ending and the marks around it.
fn stem(name: &str) -> &str {
    let closed = name.trim_end_matches('*');
    let stem = match ending(closed) {
        Some(ending) if is_ordinary_ending(ending) => closed.strip_suffix(ending).unwrap_or(closed),
        _ => closed,
    };
    stem.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a folder is about secrets (documentation, tests, translations) rather than of them.
pub(super) fn is_about_secrets(folder: &str) -> bool {
    ABOUT_SECRETS.contains(&folder)
}

/// Whether a folder holds documentation, translations or workflows, whose files share names with
/// settings: `locales/en/auth.json`.
pub(super) fn is_text_folder(folder: &str) -> bool {
    TEXT_FOLDERS.contains(&folder)
}

/// Whether a data file is named after the secret in it: `db-password.txt`, `secrets.prod.yaml`.
pub(super) fn is_named_secret(name: &str) -> bool {
    let Some(ending) = ending(name).filter(|it| DATA_ENDINGS.contains(it)) else {
        return false;
    };
    let stem = name.strip_suffix(ending).unwrap_or(name);
    let words: Vec<&str> = stem
        .split(|it: char| !it.is_alphanumeric())
        .filter(|it| !it.is_empty())
        .collect();
    let end = words
        .iter()
        .rposition(|word| !VARIANTS.contains(word) && !word.chars().all(|it| it.is_ascii_digit()))
        .map_or(0, |at| at + 1);
    let joined = words.get(..end).unwrap_or_default().concat();
    SECRET_WORDS.iter().any(|word| {
        joined.strip_suffix(word).is_some_and(|before| {
            !HARMLESS_BEFORE
                .iter()
                .any(|harmless| before.ends_with(harmless))
        })
    })
}
