//! What the programs are made of: a bill of materials in the CycloneDX format.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Release;
use crate::programs::{self, Network};

/// A crate that is in one of the programs.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// The folder with its sources.
    pub(super) folder: std::path::PathBuf,
    /// Whether it comes from elsewhere.
    pub(super) origin: Origin,
    depends_on: Vec<String>,
    id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Ours,
    Registry,
}

pub(super) fn document(release: &Release, network: Network) -> Result<String> {
    let parts = parts(release, network)?;
    let reference = |part: &Part| format!("pkg:cargo/{}@{}", part.name, part.version);
    let references: BTreeMap<&str, String> = parts
        .iter()
        .map(|part| (part.id.as_str(), reference(part)))
        .collect();
    let components: Vec<Value> = parts
        .iter()
        .map(|part| {
            json!({
                "type": "library",
                "bom-ref": reference(part),
                "name": part.name,
                "version": part.version,
                "purl": reference(part),
                "licenses": part.licence.iter().map(|it| json!({"expression": it})).collect::<Vec<_>>(),
            })
        })
        .collect();
    let dependencies: Vec<Value> = parts
        .iter()
        .map(|part| {
            let on = part
                .depends_on
                .iter()
                .filter_map(|id| references.get(id.as_str()));
            json!({"ref": reference(part), "dependsOn": on.collect::<Vec<_>>()})
        })
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "bowline",
                "version": release.version,
                "properties": [
                    {"name": "commit", "value": release.commit},
                    {"name": "target", "value": release.platform.target},
                ],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// The crates of both programs on this kind of machine, by name. Those that only build or test are not among them.
pub(super) fn parts(release: &Release, network: Network) -> Result<Vec<Part>> {
    let asked = programs::command(network)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--all-features",
        ])
        .args(["--filter-platform", release.platform.target])
        .output()
        .context("cannot run cargo")?;
    ensure!(
        asked.status.success(),
        "`cargo metadata` failed: {}",
        String::from_utf8_lossy(&asked.stderr).trim()
    );
    let metadata: Value = serde_json::from_slice(&asked.stdout)?;
    of_metadata(&metadata).context("cargo's metadata has another form")
}

fn of_metadata(metadata: &Value) -> Option<Vec<Part>> {
    let packages = metadata.get("packages")?.as_array()?;
    let nodes = metadata.pointer("/resolve/nodes")?.as_array()?;
    let id_of = |value: &Value| Some(value.get("id")?.as_str()?.to_owned());
    let depends_on: BTreeMap<String, Vec<String>> = nodes
        .iter()
        .filter_map(|node| Some((id_of(node)?, normal(node)?)))
        .collect();
    let programs = packages.iter().filter(|package| {
        let name = package.get("name").and_then(Value::as_str);
        matches!(name, Some("bowline-cli" | "bowline-client"))
    });
    let mut open: Vec<String> = programs.filter_map(id_of).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id.clone()) {
            open.extend(depends_on.get(&id).into_iter().flatten().cloned());
        }
    }
    let mut parts: Vec<Part> = packages
        .iter()
        .filter_map(|package| {
            let id = id_of(package).filter(|id| seen.contains(id))?;
            let text = |key| package.get(key).and_then(Value::as_str).map(str::to_owned);
            let manifest = std::path::PathBuf::from(text("manifest_path")?);
            Some(Part {
                name: text("name")?,
                version: text("version")?,
                licence: text("license"),
                folder: manifest.parent()?.to_owned(),
                origin: match package.get("source") {
                    Some(Value::String(_)) => Origin::Registry,
                    _ => Origin::Ours,
                },
                depends_on: depends_on.get(&id).cloned().unwrap_or_default(),
                id,
            })
        })
        .collect();
    parts.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Some(parts)
}

/// What a crate needs to run.
fn normal(node: &Value) -> Option<Vec<String>> {
    let dependencies = node.get("deps")?.as_array()?;
    let is_normal = |it: &&Value| {
        let kinds = it.get("dep_kinds").and_then(Value::as_array);
        kinds.is_some_and(|kinds| {
            kinds
                .iter()
                .any(|kind| kind.get("kind") == Some(&Value::Null))
        })
    };
    Some(
        dependencies
            .iter()
            .filter(is_normal)
            .filter_map(|it| Some(it.get("pkg")?.as_str()?.to_owned()))
            .collect(),
    )
}
