//! What a browser asked the network for, by its own log: its workers' requests are in it, too.

use std::path::Path;

use serde_json::Value;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    /// The origin of the page or the worker that asked; none if the browser did it for itself or for a person.
    pub(super) by: Option<String>,
    pub(super) address: String,
}

/// All requests, in order. The log is complete when the browser has ended.
pub(super) fn read(file: &Path) -> Vec<Asked> {
    let text = std::fs::read_to_string(file).unwrap();
    let log: Value = serde_json::from_str(&text).unwrap();
    let start = &log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
    assert!(start.is_u64(), "the log has another form");
    let events = log["events"].as_array().unwrap().iter();
    events
        .filter(|event| event["type"] == *start)
        .filter_map(|event| {
            let by = event["params"]["initiator"].as_str();
            Some(Asked {
                by: by.filter(|by| by.contains("://")).map(ToOwned::to_owned),
                address: event["params"]["url"].as_str()?.to_owned(),
            })
        })
        .collect()
}
