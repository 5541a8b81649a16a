//! `bowline demo --open`.

use std::fs;

use serde_json::Value;

use super::stage::Stage;

#[test]
fn the_demo_has_a_page_until_somebody_has_seen_it() {
    let stage = Stage::with_scratch("scratch");
    // Its stdin ends at once, so that nobody looks.
    let said = stage.told_a_person("demo --open --json");
    let demo: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    let address = demo["page"]["address"].as_str().unwrap();
    assert!(address.starts_with("http://127.0.0.1:"), "{address}");
    let socket = demo["page"]["socket"].as_str().unwrap();
    assert!(socket.starts_with(stage.path("scratch").to_str().unwrap()));
    let left: Vec<_> = fs::read_dir(stage.path("scratch")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
