//! `[approvals]`.

use std::time::Duration;

use crate::settings::keys::describe::{Key, Kind, Table, TextLike, Unknown};
use crate::settings::keys::slot::{At, Put, Tightens::Never};
use crate::settings::keys::value::Value;
use crate::settings::syntax::node::{self, Node};

/// `[approvals]`: whether questions wait for a person in Bowline's inbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ApprovalConfig {
    /// How long a question waits there before the agent asks it itself.
    pub wait: Wait,
}

/// How long a question waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    #[default]
    Off,
    /// At most so long.
    For(Duration),
}

impl serde::Serialize for Wait {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Off => serializer.serialize_str("off"),
            Self::For(limit) => serializer.collect_str(&match limit.as_secs() {
                seconds if seconds % 60 == 0 => format!("{}m", seconds / 60),
                seconds => format!("{seconds}s"),
            }),
        }
    }
}

impl Value for Wait {
    const KIND: Kind = Kind::TextLike(&TextLike {
        pattern: "^(off|[1-9][0-9]{0,4}[sm])$",
        max_length: None,
        what: "`off`, or a time such as `2m` or `90s`",
    });

    fn read(node: &Node, at: &mut At<'_, '_, '_>) -> Option<Self> {
        let wait = match &node.value {
            node::Value::String(text) => parse(text),
            _ => None,
        };
        if wait.is_none() {
            at.wrong(node, "expected `off`, or a time such as `2m` or `90s`");
        }
        wait
    }
}

fn parse(text: &str) -> Option<Wait> {
    if text == "off" {
        return Some(Wait::Off);
    }
    let (digits, seconds_each) = match (text.strip_suffix('s'), text.strip_suffix('m')) {
        (Some(digits), _) => (digits, 1),
        (None, digits) => (digits?, 60),
    };
    let is_number = digits.len() <= 5 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count: u64 = digits.parse().ok().filter(|_| is_number)?;
    (count > 0).then(|| Wait::For(Duration::from_secs(count * seconds_each)))
}

pub(super) static TABLE: Table = Table {
    name: "Approvals",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "wait",
        "How long a question of the guard or of a rule waits in the inbox (`bowline approvals`, `bowline top`, `bowline open`) before the agent asks it itself. It ends before the agent's own limit for hooks does.",
        &Put(|config, _, wait: Wait| config.approvals.wait = wait, Never),
    )
    .default("\"off\"")
    .example("\"2m\"")],
};
