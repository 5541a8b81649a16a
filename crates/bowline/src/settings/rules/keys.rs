//! The keys of `[[rule]]`. The readers in this folder ask for them by name.

use super::definition::RuleVerdict;
use crate::settings::keys::{Choice, Chosen, Key, Kind, Table, TextLike, Union, Unknown, WordList};

/// One rule.
pub(in crate::settings) static RULE: Table = Table {
    name: "Rule",
    about: "All conditions that are given must hold; of a list, any one.",
    others: Unknown::Wrong,
    keys: &[
        Key::new(
            "id",
            "Its name, unique: small letters, digits, `-` and `.`.",
            Kind::TextLike(&TextLike {
                pattern: r"^[a-z0-9][a-z0-9.-]*$",
                max_length: Some(80),
                what: "a name",
            }),
        )
        .required(),
        Key::new("event", "The event; else PreToolUse.", TEXT_OR_TEXTS),
        Key::new(
            "tool",
            "The tool, as in a matcher of hooks: `Bash`, `Edit|Write`.",
            TEXT_OR_TEXTS,
        ),
        Key::new(
            "command",
            "A program run, however it is wrapped: `pip install *`.",
            TEXT_OR_TEXTS,
        ),
        Key::new(
            "effect",
            "What a command would do: a category such as `delete`, or a rule of the guard such as `git.*`.",
            TEXT_OR_TEXTS,
        ),
        Key::new(
            "path",
            "A file that the tool or the command touches: `migrations/**`.",
            TEXT_OR_TEXTS,
        ),
        Key::new(
            "when",
            "A further condition in CEL: `has(tool_input.timeout) && tool_input.timeout > 600000`.",
            Kind::Text,
        ),
        Key::new(
            "verdict",
            "What the rule says when it applies.",
            Kind::Words(RuleVerdict::LIST),
        )
        .required(),
        Key::new(
            "rewrite",
            "With the verdict `rewrite`: what takes the place of the words that `command` begins with.",
            Kind::Text,
        ),
        Key::new("message", "Why, for the model and the person.", Kind::Text),
        Key::new("suggestion", "A safer way.", Kind::Text),
        Key::new(
            "examples",
            "What the rule must apply to, and what not. Checked whenever the file is loaded.",
            Kind::Table(&EXAMPLES),
        ),
    ],
};

const TEXT_OR_TEXTS: Kind = Kind::AnyOf(&Union {
    name: "TextOrTexts",
    about: "",
    of: &[Kind::Text, Kind::List(&Kind::Text)],
});

/// `[rule.examples]`.
pub(in crate::settings) static EXAMPLES: Table = Table {
    name: "Examples",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::new("match", "The rule must apply to these.", LIST_OF_EXAMPLES),
        Key::new(
            "not_match",
            "The rule must not apply to these.",
            LIST_OF_EXAMPLES,
        ),
    ],
};

const LIST_OF_EXAMPLES: Kind = Kind::List(&Kind::AnyOf(&Union {
    name: "Example",
    about: "A command, a file or a prompt, whichever the rule is about; or a call.",
    of: &[Kind::Text, Kind::Table(&CALL), Kind::Table(&PROMPT)],
}));

static CALL: Table = Table {
    name: "ExampleCall",
    about: "",
    others: Unknown::Wrong,
    keys: &[
        Key::new("tool", "The tool.", Kind::Text).required(),
        Key::new("input", "What it is called with.", Kind::Object),
    ],
};

static PROMPT: Table = Table {
    name: "ExamplePrompt",
    about: "",
    others: Unknown::Wrong,
    keys: &[Key::new("prompt", "What the user writes.", Kind::Text).required()],
};

impl Chosen for RuleVerdict {
    const LIST: &'static WordList = &WordList {
        name: "Verdict",
        about: "",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            (Self::Deny.name(), Self::Deny),
            (Self::Ask.name(), Self::Ask),
            (Self::Allow.name(), Self::Allow),
            (Self::Context.name(), Self::Context),
            (Self::Rewrite.name(), Self::Rewrite),
        ],
        also: &[],
    };
}
