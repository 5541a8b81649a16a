//! Tracked files that tools write, by their names.

/// Those that builds and tests bring up to date by themselves.
pub(super) fn is_kept_by_tools(path: &str) -> bool {
    let name = name_of(path);
    matches!(
        ending_of(name),
        Some("lock" | "lockb" | "snap" | "tsbuildinfo")
    ) || matches!(
        name,
        "package-lock.json"
            | "packages.lock.json"
            | "pnpm-lock.yaml"
            | "npm-shrinkwrap.json"
            | "go.sum"
            | "go.mod"
            | "go.work.sum"
            | "gradle.lockfile"
            | "Package.resolved"
            | ".terraform.lock.hcl"
    ) || path.contains("/__snapshots__/")
}

/// Those in which package managers write down what a project needs.
pub(super) fn is_manifest(path: &str) -> bool {
    let name = name_of(path);
    matches!(ending_of(name), Some("csproj" | "fsproj"))
        || matches!(
            name,
            "package.json"
                | "pnpm-workspace.yaml"
                | "Cargo.toml"
                | "pyproject.toml"
                | "Pipfile"
                | "Gemfile"
                | "composer.json"
                | "deno.json"
                | "deno.jsonc"
                | "Package.swift"
        )
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending_of(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, ending)| ending)
}
