//! The keys of `[effort]`, `[handover]`, `[leases]` and `[fleet]`.

use std::time::Duration;

use super::describe::{Key, Table, Unknown, WordList};
use super::sections::{HandoverDetail, LeaseMode, OnAutoCompaction};
use super::slot::{
    Put,
    Tightens::{Never, When},
};
use super::value::{Choice, Chosen, Percent};

pub(super) static EFFORT: Table = Table {
    name: "Effort",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "block_after",
            "How many tool calls an agent may make without a log entry; the next one is denied until it logs. An effort may say it for itself.",
            &Put(|config, _, calls| config.effort.block_after = calls, Never),
        ),
        Key::setting(
            "overflow_percent",
            "From this part of the context window on, the agent is told to leave a summary for the next session.",
            &Put(
                |config, _, part: Percent| config.effort.overflow_percent = part.0,
                Never,
            ),
        ),
        Key::setting(
            "on_auto_compaction",
            "What happens to an agent in an effort whose context is compacted by itself.",
            &Put(
                |config, _, what: OnAutoCompaction| config.effort.on_auto_compaction = what,
                Never,
            ),
        ),
    ],
};

impl Chosen for OnAutoCompaction {
    const LIST: &'static WordList = &WordList {
        name: "OnAutoCompaction",
        about: "`record` only records it; `end` also ends the agent's process, for `bowline supervise` to start it again with a fresh context.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("record", Self::Record), ("end", Self::End)],
        also: &[],
    };
}

pub(super) static HANDOVER: Table = Table {
    name: "Handover",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "detail",
            "How much a new session is told about the one before.",
            &Put(
                |config, _, detail: HandoverDetail| config.handover.detail = detail,
                Never,
            ),
        ),
        Key::setting(
            "max_tokens",
            "At most about this many tokens are handed over, and never more than the agent takes.",
            &Put(
                |config, _, tokens| config.handover.max_tokens = tokens,
                Never,
            ),
        ),
    ],
};

impl Chosen for HandoverDetail {
    const LIST: &'static WordList = &WordList {
        name: "HandoverDetail",
        about: "`summary` is pinned notes, how the last prompt begins, open to-dos and the files that were edited last; `full` is the same \
                uncut, as far as there is room; `off` is nothing but what an effort needs.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("off", Self::Off),
            ("summary", Self::Summary),
            ("full", Self::Full),
        ],
        also: &[],
    };
}

pub(super) static LEASES: Table = Table {
    name: "Leases",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "mode",
            "What happens to a session that writes a file that another session is working on.",
            &Put(
                |config, _, mode: LeaseMode| config.leases.mode = mode,
                When("what is not milder", |mode, weaker| {
                    *mode >= weaker.leases.mode
                }),
            ),
        ),
        Key::setting(
            "expires_secs",
            "A session that did nothing for this long no longer holds its files.",
            &Put(
                |config, _, expires: Duration| config.leases.expires = expires,
                Never,
            ),
        ),
    ],
};

impl Chosen for LeaseMode {
    const LIST: &'static WordList = &WordList {
        name: "LeaseMode",
        about: "`ask` asks a person, `deny` refuses; both name the session that holds the file. `off` lets both write.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("off", Self::Off), ("ask", Self::Ask), ("deny", Self::Deny)],
        also: &[],
    };
}

pub(super) static FLEET: Table = Table {
    name: "Fleet",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::setting(
        "notify",
        "Show a desktop notification when an agent waits for a person.",
        &Put(|config, _, notify| config.fleet.notify = notify, Never),
    )],
};
