//! What views show, read from the store and the inbox. Plain data, so that views are pure.

pub(crate) mod inbox;
pub(crate) mod now;
