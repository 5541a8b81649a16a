//! The generated files are those of the code.

use std::fs;
use std::path::Path;

use crate::settings::keys::{json_schema, presets_page, settings_page};

#[test]
fn the_checked_in_files_are_up_to_date() {
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap() + "\n";
    for (name, generated) in [
        ("bowline.schema.json", schema),
        ("docs/settings.md", settings_page()),
        ("docs/presets.md", presets_page()),
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(name);
        if std::env::var_os("BOWLINE_UPDATE").is_some_and(|value| value == "1") {
            fs::write(&file, &generated).unwrap();
        }
        let checked_in = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            checked_in == generated,
            "{name} is out of date: run this test with BOWLINE_UPDATE=1"
        );
    }
}
