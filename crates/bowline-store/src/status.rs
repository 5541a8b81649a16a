//! The words for statuses. One vocabulary is stored, one is shown. Both are understood as input, and others too.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// No status has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no status is called `{0}`: expected {expected}", expected = .1)]
pub struct UnknownStatus(String, &'static str);

macro_rules! statuses {
    ($(#[$doc:meta])* $name:ident: $expected:literal { $( $(#[$variant_doc:meta])* $variant:ident = $word:literal $(| $alias:literal)*, )* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
                f.pad(self.shown())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.shown())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let word = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                word.parse().map_err(serde::de::Error::custom)
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
    TraceStatus: "started, ok, error, denied, refused, cancelled or timeout" {
        /// It runs, or its end was not reported.
        Started = "started",
        /// It succeeded; shown as `ok`.
        Completed = "completed" | "ok",
        /// It failed; shown as `error`.
        Failed = "failed" | "error",
        /// It was never reported again.
        Timeout = "timeout",
        /// It was cancelled.
        Cancelled = "cancelled" | "canceled",
        /// It never ran: a hook denied it.
        Denied = "denied",
        /// It never ran: a person, or the agent's own rules, refused it after we had let it pass.
        Refused = "refused",
    }
}

statuses! {
    /// The status of a session. A session is never reopened: a resumed one is a new session of the same chain.
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
    /// The status of a delegation.
    DelegationStatus: "started, completed, failed or cancelled" {
        /// A sub-agent works on it.
        Started = "started" | "pending" | "accepted",
        /// The sub-agent is done.
        Completed = "completed" | "ok",
        /// It failed.
        Failed = "failed" | "error",
        /// It was cancelled or refused.
        Cancelled = "cancelled" | "canceled" | "rejected",
    }
}

impl TraceStatus {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Started,
        Self::Completed,
        Self::Failed,
        Self::Denied,
        Self::Refused,
        Self::Cancelled,
        Self::Timeout,
    ];

    /// The word that people and programs read, and write in filters.
    pub const fn shown(self) -> &'static str {
        match self {
            Self::Completed => "ok",
            Self::Failed => "error",
            other => other.as_str(),
        }
    }

    /// Whether it counts as an error: failed, timeout, cancelled. A call that never ran did not fail.
    pub const fn is_error(self) -> bool {
        matches!(self, Self::Failed | Self::Timeout | Self::Cancelled)
    }
}

impl SessionStatus {
    /// The word that people and programs read.
    pub const fn shown(self) -> &'static str {
        self.as_str()
    }
}

impl DelegationStatus {
    /// The word that people and programs read.
    pub const fn shown(self) -> &'static str {
        self.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f21_d_both_vocabularies_are_understood_and_one_is_stored() {
        for (text, expected, stored, shown) in [
            ("Ok", TraceStatus::Completed, "completed", "ok"),
            ("completed", TraceStatus::Completed, "completed", "ok"),
            ("Error", TraceStatus::Failed, "failed", "error"),
            (" FAILED ", TraceStatus::Failed, "failed", "error"),
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
            let as_json: TraceStatus = serde_json::from_value(text.into()).unwrap();
            assert_eq!(as_json, status);
            assert_eq!(
                (status, status.as_str(), status.shown()),
                (expected, stored, shown)
            );
        }
        for status in TraceStatus::ALL {
            let word = status.shown();
            assert_eq!(serde_json::to_value(status).unwrap(), word);
            assert_eq!(status.to_string(), word);
            for word in [word, status.as_str()] {
                assert_eq!(word.parse(), Ok(status));
            }
        }
        let errors = TraceStatus::ALL
            .into_iter()
            .filter(|status| status.is_error());
        let errors: Vec<&str> = errors.map(TraceStatus::shown).collect();
        assert_eq!(errors, ["error", "cancelled", "timeout"]);
        let error = "done".parse::<TraceStatus>().unwrap_err().to_string();
        assert!(
            error.contains("`done`") && error.contains("started"),
            "{error}"
        );
    }
}
