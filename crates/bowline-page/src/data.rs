//! What views show, read from the store and the inbox. Plain data, so that views are pure.

pub(crate) mod call;
pub(crate) mod costs;
pub(crate) mod false_alarm;
pub(crate) mod guards;
pub(crate) mod hooks;
pub(crate) mod inbox;
pub(crate) mod known;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod timeline;
