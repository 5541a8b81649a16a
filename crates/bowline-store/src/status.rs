//! The words for how far something is. One vocabulary is stored; others are understood on the way in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// No status has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no status is called `{0}`: expected {expected}", expected = .1)]
pub struct UnknownStatus(String, &'static str);

macro_rules! statuses {
    ($(#[$doc:meta])* $name:ident: $expected:literal { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal $(| $alias:literal)*, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum $name {
            $( $(#[$variant_doc])* $variant, )*
        }

        impl $name {
            /// The canonical word, as it is stored.
            pub const fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownStatus;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text.trim().to_ascii_lowercase().as_str() {
                    $( $word $(| $alias)* => Ok(Self::$variant), )*
                    _ => Err(UnknownStatus(text.to_owned(), $expected)),
                }
            }
        }
    };
}

statuses! {
    /// How a tool call went.
    TraceStatus: "started, completed (or Ok), failed (or Error), timeout or cancelled" {
        /// It runs, or nobody said how it ended.
        Started = "started",
        /// It succeeded; shown as `Ok`.
        Completed = "completed" | "ok",
        /// It failed; shown as `Error`.
        Failed = "failed" | "error",
        /// It was never heard of again.
        Timeout = "timeout",
        /// It was called off.
        Cancelled = "cancelled" | "canceled",
    }
}

statuses! {
    /// How far a session is. It is never reopened: what goes on later is a new session of the same chain.
    SessionStatus: "created, active or ended" {
        /// It was announced, and nothing happened yet.
        Created = "created",
        /// Events arrive.
        Active = "active",
        /// It is over.
        Ended = "ended" | "completed",
    }
}

statuses! {
    /// How far a delegation is.
    DelegationStatus: "started, completed, failed or cancelled" {
        /// A sub-agent works on it.
        Started = "started" | "pending" | "accepted",
        /// The sub-agent is done.
        Completed = "completed" | "ok",
        /// It failed.
        Failed = "failed" | "error",
        /// It was called off, or refused.
        Cancelled = "cancelled" | "canceled" | "rejected",
    }
}

impl TraceStatus {
    /// How it is shown: `Ok` and `Error` for the two ordinary ends.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Completed => "Ok",
            Self::Failed => "Error",
            other => other.as_str(),
        }
    }

    /// Whether it counts as an error: failed, timeout, cancelled.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Failed | Self::Timeout | Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f21_d_both_vocabularies_are_understood_and_one_is_stored() {
        for (text, expected, stored, shown) in [
            ("Ok", TraceStatus::Completed, "completed", "Ok"),
            ("completed", TraceStatus::Completed, "completed", "Ok"),
            ("Error", TraceStatus::Failed, "failed", "Error"),
            (" FAILED ", TraceStatus::Failed, "failed", "Error"),
            ("started", TraceStatus::Started, "started", "started"),
            ("timeout", TraceStatus::Timeout, "timeout", "timeout"),
            (
                "cancelled",
                TraceStatus::Cancelled,
                "cancelled",
                "cancelled",
            ),
        ] {
            let status: TraceStatus = text.parse().unwrap();
            assert_eq!(
                (status, status.as_str(), status.shown()),
                (expected, stored, shown)
            );
        }
        let error = "done".parse::<TraceStatus>().unwrap_err().to_string();
        assert!(
            error.contains("`done`") && error.contains("started"),
            "{error}"
        );
    }
}
