//! Reads a text into a tree, for those who look for a few keys and leave the findings to others.

use super::findings::Findings;
use super::json::Reader;
use super::node::{Node, SyntaxError};
use crate::settings::hooks::read::Syntax;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where the text begins, after a byte order mark.
pub(in crate::settings) fn start(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len_utf8()
    } else {
        0
    }
}

/// The tree of a text; `None` when there is nothing in it, or no front matter with hooks.
pub(in crate::settings) fn tree(text: &str, syntax: Syntax) -> Result<Option<Node>, SyntaxError> {
    let base = start(text);
    let body = text.get(base..).unwrap_or_default();
    let mut findings = Findings::new(text, base, None);
    crate::settings::hooks::read::tree(body, base, syntax, Reader::Other, &mut findings)
}
