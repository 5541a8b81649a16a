//! Styles and scripts. They are part of the program; nothing is fetched from elsewhere.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::security::hex;

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: [Asset; 4] = [
    Asset {
        name: "page.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("../assets/page.css"),
    },
    Asset {
        name: "page.js",
        kind: SCRIPT,
        text: include_str!("../assets/page.js"),
    },
    Asset {
        name: "morph.js",
        kind: SCRIPT,
        text: include_str!("../assets/morph.js"),
    },
    Asset {
        name: "worker.js",
        kind: SCRIPT,
        text: include_str!("../assets/worker.js"),
    },
];

/// Differs whenever one of them does, so that a browser may keep them for good.
pub(crate) fn version() -> String {
    let mut hash = hmac_sha256::Hash::new();
    for asset in &ASSETS {
        hash.update(asset.text);
    }
    let digest = hash.finalize();
    hex(digest.iter().take(6))
}

pub(crate) fn get(name: &str) -> Response {
    match ASSETS.iter().find(|asset| asset.name == name) {
        Some(asset) => (
            [
                (header::CONTENT_TYPE, asset.kind),
                (
                    header::CACHE_CONTROL,
                    "private, max-age=31536000, immutable",
                ),
            ],
            asset.text,
        )
            .into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
