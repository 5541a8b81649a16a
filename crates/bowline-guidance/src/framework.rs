//! Which frameworks a project uses, in which versions, from its manifests.

use serde_json::Value;

/// A framework, with the version that a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Framework {
    /// Its name for people.
    pub name: &'static str,
    /// The version, as it is written.
    pub version: String,
}

impl std::fmt::Display for Framework {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// Packages, with their names for people. Of those with the same name the first counts.
type Known = &'static [(&'static str, &'static str)];

const COMPOSER: Known = &[
    ("drupal/core", "Drupal"),
    ("drupal/core-recommended", "Drupal"),
    ("laravel/framework", "Laravel"),
    ("symfony/framework-bundle", "Symfony"),
    ("php", "PHP"),
];
const NODE: Known = &[
    ("next", "Next.js"),
    ("nuxt", "Nuxt"),
    ("react", "React"),
    ("vue", "Vue"),
    ("@angular/core", "Angular"),
    ("svelte", "Svelte"),
    ("express", "Express"),
    ("typescript", "TypeScript"),
    ("vite", "Vite"),
];
const CARGO: Known = &[
    ("rust-version", "Rust"),
    ("edition", "Rust edition"),
    ("axum", "axum"),
    ("actix-web", "actix-web"),
    ("tokio", "tokio"),
    ("bevy", "Bevy"),
];
const PYTHON: Known = &[
    ("requires-python", "Python"),
    ("python", "Python"),
    ("django", "Django"),
    ("fastapi", "FastAPI"),
    ("flask", "Flask"),
];

/// The frameworks of a project. `read` gives the text of a manifest, if there is one.
pub fn of_project(read: impl Fn(&str) -> Option<String>) -> Vec<Framework> {
    let mut found = Vec::new();
    if let Some(manifest) = read("composer.json").and_then(|it| json(&it)) {
        from_json(&manifest, &["require"], COMPOSER, &mut found);
    }
    if let Some(manifest) = read("package.json").and_then(|it| json(&it)) {
        let sections = ["dependencies", "devDependencies"];
        from_json(&manifest, &sections, NODE, &mut found);
    }
    if let Some(manifest) = read("Cargo.toml") {
        from_toml(&manifest, CARGO, &mut found);
    }
    if let Some(manifest) = read("pyproject.toml") {
        from_toml(&manifest, PYTHON, &mut found);
        from_requirements(&manifest, &mut found);
    }
    found
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn add(found: &mut Vec<Framework>, name: &'static str, version: &str) {
    let is_usable = !version.is_empty() && version.chars().count() <= 40;
    if is_usable && !found.iter().any(|it| it.name == name) {
        let version = version.to_owned();
        found.push(Framework { name, version });
    }
}

fn from_json(manifest: &Value, sections: &[&str], known: Known, found: &mut Vec<Framework>) {
    for (package, name) in known {
        let mut versions = sections.iter().filter_map(|section| {
            let version = manifest.get(section)?.get(package)?;
            version.as_str()
        });
        if let Some(version) = versions.next() {
            add(found, name, version);
        }
    }
}

/// Lines such as `tokio = "1"` and `tokio = { version = "1" }`.
fn from_toml(manifest: &str, known: Known, found: &mut Vec<Framework>) {
    for (package, name) in known {
        let versions = manifest.lines().filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let is_meant = key.trim().trim_matches('"').eq_ignore_ascii_case(package);
            let value = value.trim();
            let value = match value.strip_prefix('{') {
                Some(table) => table.split_once("version")?.1.split_once('=')?.1.trim(),
                None => value,
            };
            is_meant.then(|| quoted(value)).flatten()
        });
        if let Some(version) = versions.into_iter().next() {
            add(found, name, version);
        }
    }
}

/// The text between the first quotes, if the value begins with them.
fn quoted(value: &str) -> Option<&str> {
    let mut parts = value.splitn(3, ['"', '\'']);
    let before = parts.next()?;
    parts.next().filter(|_| before.is_empty())
}

/// Requirements in a list: `"django>=4.2"`.
fn from_requirements(manifest: &str, found: &mut Vec<Framework>) {
    for requirement in manifest.split(['"', '\'', '\n']) {
        let end = requirement.find(['=', '<', '>', '~', '!']);
        let Some((package, version)) = end.and_then(|end| requirement.split_at_checked(end)) else {
            continue;
        };
        let package = package.split('[').next().unwrap_or(package).trim();
        let known = PYTHON
            .iter()
            .find(|(it, _)| package.eq_ignore_ascii_case(it));
        let is_version = version.trim_start_matches(['=', '<', '>', '~', '!']);
        let is_version = is_version.starts_with(|c: char| c.is_ascii_digit());
        if let Some((_, name)) = known.filter(|_| is_version) {
            add(found, name, version.trim());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<String> {
        let read = |name: &str| (name == file).then(|| text.to_owned());
        of_project(read).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn f43_b_the_versions_of_frameworks_are_read_from_manifests() {
        for (file, text, expected) in [
            (
                "composer.json",
                r#"{"require": {"drupal/core-recommended": "^10.3", "php": ">=8.1"}}"#,
                &["Drupal ^10.3", "PHP >=8.1"][..],
            ),
            (
                "composer.json",
                r#"{"require": {"drupal/core-recommended": "^10.3", "drupal/core": "^11"}}"#,
                &["Drupal ^11"],
            ),
            (
                "package.json",
                r#"{"dependencies": {"react": "^18.2.0"}, "devDependencies": {"typescript": "5.4"}}"#,
                &["React ^18.2.0", "TypeScript 5.4"],
            ),
            (
                "Cargo.toml",
                "[package]\nedition = '2024'\n[dependencies]\ntokio = { features = [], version = \"1.40\" }\naxum = \"0.8\"\n",
                &["Rust edition 2024", "axum 0.8", "tokio 1.40"],
            ),
            (
                "pyproject.toml",
                "[project]\nrequires-python = \">=3.11\"\ndependencies = [\n  \"Django[argon2]>=4.2\",\n  'fastapi==0.110',\n]\n",
                &["Python >=3.11", "Django >=4.2", "FastAPI ==0.110"],
            ),
            (
                "pyproject.toml",
                "[tool.poetry.dependencies]\nflask = \"^3\"\n",
                &["Flask ^3"],
            ),
            ("package.json", "{}", &[]),
            ("package.json", "not JSON", &[]),
            ("Cargo.toml", "edition.workspace = true\n", &[]),
            ("other", "", &[]),
        ] {
            assert_eq!(found(file, text), expected, "{file}: {text}");
        }
    }
}
