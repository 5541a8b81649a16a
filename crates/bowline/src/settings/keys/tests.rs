//! What holds for all keys, and what each section says.

mod generated;
mod guard;
mod presets;
mod schema;
mod sections;
mod table;

use std::path::PathBuf;

use super::{Config, FileConfig, resolve};
use crate::settings::files::FileText;
use crate::settings::trust::store::TrustState;
use crate::settings::{Diagnostic, Scope};

/// What these files say, and what is wrong with them.
fn load(files: &[(Scope, &str)], trust: TrustState) -> (Config, Vec<Diagnostic>) {
    let files: Vec<(Scope, FileText)> = files
        .iter()
        .map(|(scope, text)| {
            let file = FileText {
                path: PathBuf::from("bowline.toml"),
                text: Ok(Some((*text).to_owned())),
            };
            (*scope, file)
        })
        .collect();
    let mut configs: Vec<_> = files
        .iter()
        .map(|(scope, file)| FileConfig::of(file, *scope).unwrap())
        .collect();
    let config = resolve(&mut configs, trust);
    let findings = configs
        .into_iter()
        .flat_map(|it| it.findings.finish())
        .collect();
    (config, findings)
}
