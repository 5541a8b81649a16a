//! The keys of `[guard]`.

use bowline_agents::Strictness;
use bowline_guard::effect::Category;

use super::describe::{Key, Kind, Map, Table, Unknown, WordList, any_name};
use super::guard::{GuardLayer, GuardMode, SecretWriting};
use super::patterns::{CategoryStrictness, PathPatterns, ProgramPatterns, RulePatterns};
use super::sections::Config;
use super::slot::{
    KeyPath, Put,
    Tightens::{Always, Never, When},
};
use super::value::{Choice, Chosen};

pub(super) static GUARD: Table = Table {
    name: "Guard",
    about: "Lists of all files add up.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting("mode", MODE, PUT_MODE).default("`enforce`"),
        Key::settings("categories", CATEGORIES, &BY_CATEGORY, PUT_CATEGORY)
            .default("the guard's own verdicts"),
        Key::new("allow", "What is let pass.", Kind::Table(&ALLOW)),
        Key::new(
            "sensitive",
            "Files that hold secrets, and files that do not.",
            Kind::Table(&SENSITIVE),
        ),
        Key::setting(
            "secrets",
            "What happens to a file, a commit or a prompt with a secret in it.",
            &Put(
                |config, _, secrets: SecretWriting| config.guard.secrets = secrets,
                When("what is not milder", |secrets, weaker| {
                    *secrets >= weaker.guard.secrets
                }),
            ),
        ),
        Key::new("worktree", "In a linked git worktree.", Kind::Table(&LAYER)),
        Key::new(
            "agents",
            "For one agent, such as `claude-code`.",
            Kind::Map(&AGENTS),
        )
        .example("claude-code"),
        Key::new(
            "subagents",
            "For one type of sub-agent. It only tightens, because whoever defines a sub-agent chooses its name.",
            Kind::Map(&SUBAGENTS),
        ),
    ],
};

static AGENTS: Map = by_name(Kind::Table(&LAYER));

static SUBAGENTS: Map = by_name(Kind::Table(&SUBAGENT_LAYER));

const fn by_name(of: Kind) -> Map {
    Map {
        name: None,
        about: "",
        key: "NAME",
        names: any_name,
        others: Unknown::Fine,
        of,
    }
}

static LAYER: Table = Table {
    name: "GuardLayer",
    about: "What it says counts over `[guard]`.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting("mode", MODE, PUT_MODE).default(AS_IN_GUARD),
        Key::settings("categories", CATEGORIES, &BY_CATEGORY, PUT_CATEGORY).default(AS_IN_GUARD),
        Key::new("allow", "What is let pass.", Kind::Table(&ALLOW)),
    ],
};

static SUBAGENT_LAYER: Table = Table {
    name: "SubagentLayer",
    about: "What is milder than `[guard]` has no effect.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting("mode", MODE, PUT_MODE).default(AS_IN_GUARD),
        Key::settings("categories", CATEGORIES, &BY_CATEGORY, PUT_CATEGORY).default(AS_IN_GUARD),
    ],
};

const AS_IN_GUARD: &str = "as in `[guard]`";
const MODE: &str = "What becomes of a verdict.";
const CATEGORIES: &str = "The verdict of everything that a category finds.";

const PUT_MODE: &Put<GuardMode> = &Put(
    |config, path, mode| layer(config, path).mode = Some(mode),
    When("`enforce`", |mode, _| *mode == GuardMode::Enforce),
);

const PUT_CATEGORY: &Put<CategoryStrictness> = &Put(
    |config, path, answer| {
        let category = path.last().to_owned();
        layer(config, path).categories.insert(category, answer.0);
    },
    When("`deny`", |answer, _| answer.0 == Strictness::Deny),
);

/// The layer that a path leads into.
fn layer<'c>(config: &'c mut Config, path: &KeyPath) -> &'c mut GuardLayer {
    let guard = &mut config.guard;
    match path.names() {
        [_, of, ..] if of == "worktree" => &mut guard.worktree,
        [_, of, name, ..] if of == "agents" => guard.agents.entry(name.clone()).or_default(),
        [_, of, name, ..] if of == "subagents" => guard.subagents.entry(name.clone()).or_default(),
        _ => &mut guard.base,
    }
}

static BY_CATEGORY: Map = Map {
    name: Some("Categories"),
    about: CATEGORIES,
    key: "CATEGORY",
    names: || Category::ALL.iter().map(|it| it.name()).collect(),
    others: Unknown::Wrong,
    of: Kind::Words(Strictness::LIST),
};

static ALLOW: Table = Table {
    name: "Allow",
    about: "Nothing here lets changes to the guard's own settings pass.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "rules",
            "Rules by their id, such as `git.reset-hard` or `git.*`, or whole categories.",
            &Put(
                |config, path, rules: RulePatterns| layer(config, path).allow.rules.extend(rules.0),
                Never,
            ),
        )
        .default("none")
        .adding_up(),
        Key::setting(
            "paths",
            "Paths, as in `.gitignore`.",
            &Put(
                |config, path, paths: PathPatterns| layer(config, path).allow.paths.extend(paths.0),
                Never,
            ),
        )
        .default("none")
        .adding_up(),
        Key::setting(
            "commands",
            "Program runs, such as `make clean *`.",
            &Put(
                |config, path, commands: ProgramPatterns| {
                    layer(config, path).allow.commands.extend(commands.0);
                },
                Never,
            ),
        )
        .default("none")
        .adding_up(),
    ],
};

static SENSITIVE: Table = Table {
    name: "Sensitive",
    about: "Patterns are written as in `.gitignore`.",
    others: Unknown::Wrong,
    keys: &[
        Key::setting(
            "deny",
            "These hold secrets, too.",
            &Put(
                |config, _, files: PathPatterns| config.guard.sensitive.deny.extend(files.0),
                Always,
            ),
        )
        .adding_up(),
        Key::setting(
            "allow",
            "These do not, whatever they are called.",
            &Put(
                |config, _, files: PathPatterns| config.guard.sensitive.allow.extend(files.0),
                Never,
            ),
        )
        .adding_up(),
    ],
};

impl Chosen for GuardMode {
    const LIST: &'static WordList = &WordList {
        name: "GuardMode",
        about: "`enforce`: the verdict counts. `one-strike`: it counts the first time, and the same call again in the \
                same session passes. `observe`: it is only recorded.",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("enforce", Self::Enforce),
            ("one-strike", Self::OneStrike),
            ("observe", Self::Observe),
        ],
        also: &[],
    };
}

impl Chosen for Strictness {
    const LIST: &'static WordList = &WordList {
        name: "Answer",
        about: "",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[
            ("deny", Self::Deny),
            ("ask", Self::Ask),
            ("allow", Self::Allow),
        ],
        also: &[],
    };
}

impl Chosen for SecretWriting {
    const LIST: &'static WordList = &WordList {
        name: "SecretWriting",
        about: "",
        words: || Self::CHOICE.names(),
    };
    const CHOICE: &'static Choice<Self> = &Choice {
        words: &[("off", Self::Off), ("ask", Self::Ask), ("deny", Self::Deny)],
        also: &[],
    };
}
