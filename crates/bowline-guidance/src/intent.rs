//! What a prompt wants, and what helps an agent before it begins.

use crate::text::Text;

/// What a prompt wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    /// To go on with what is being done.
    Continuation,
    /// Something new.
    Implementation,
    /// Something that is broken to be put right.
    Bug,
    /// To know something.
    Investigation,
    /// Cannot be told.
    Unclear,
}

/// Whether there is something that the session works on, such as an effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActiveWork {
    /// There is.
    Some,
    /// There is not.
    None,
}

const IMPLEMENTATION: Text = Text {
    key: "intent.implementation",
    says: "This is new work, and no effort is active. If it may need more than one session, begin one (`bowline effort start`). Say first how you will know that it is done.",
    names: &[],
};
const BUG: Text = Text {
    key: "intent.bug",
    says: "This is about something broken. Reproduce it first, with a test that fails, then put it right.",
    names: &[],
};
const INVESTIGATION: Text = Text {
    key: "intent.investigation",
    says: "This asks for an answer. Look before you change anything, and name the files and lines that the answer rests on.",
    names: &[],
};
const UNCLEAR: Text = Text {
    key: "intent.unclear",
    says: "If this leads to changes in several files, begin an effort first (`bowline effort start`), so that the next session can continue it.",
    names: &[],
};

/// The texts of this rule.
pub const TEXTS: &[Text] = &[IMPLEMENTATION, BUG, INVESTIGATION, UNCLEAR];

/// A prompt that cannot be told and has fewer words is small talk or a single step: a reminder would be noise.
const WORDS_OF_A_TASK: usize = 8;
/// A change that is told in fewer words is a single step.
const WORDS_OF_A_CHANGE: usize = 7;
/// A wish that is told in fewer words is about the conversation.
const WORDS_OF_A_WISH: usize = 5;
/// What is said in fewer words is about what was just done: `which one?`, `that looks wrong`.
const WORDS_OF_A_STATEMENT: usize = 4;
/// A chore that is told in more words is none.
const WORDS_OF_A_CHORE: usize = 10;

/// Prompts that only send an agent on, as a whole.
const CONTINUATIONS: &[&str] = &[
    "continue",
    "continue please",
    "please continue",
    "go on",
    "go ahead",
    "keep going",
    "carry on",
    "proceed",
    "next",
    "resume",
    "yes",
    "yes please",
    "ok",
    "okay",
    "do it",
    "yes do it",
    "sounds good",
    "lgtm",
    "weiter",
];

/// Beginnings of prompts that send an agent on.
const CONTINUING: &[&str] = &[
    "continue with",
    "continue the",
    "continue where",
    "carry on with",
    "go on with",
    "keep working",
    "pick up where",
    "resume the",
    "resume where",
    "back to",
];

/// Words that ask for something to be made.
const MAKING: &[&str] = &[
    "implement",
    "add",
    "create",
    "build",
    "write",
    "introduce",
    "refactor",
    "extend",
    "port",
    "migrate",
    "integrate",
    "support",
    "set up",
    "baue",
    "füge",
    "erstelle",
    "implementiere",
    "ajoute",
    "crée",
    "añade",
    "implementa",
];

/// Words that ask for a change, which may be a single step.
const CHANGING: &[&str] = &[
    "make",
    "generate",
    "hook",
    "replace",
    "convert",
    "move",
    "split",
    "rename",
    "upgrade",
    "rewrite",
    "restructure",
    "extract",
    "unify",
    "reduce",
    "clean up",
    "get rid of",
];

/// Words with which a wish begins.
const WISHING: &[&str] = &[
    "i need",
    "i want",
    "i'd like",
    "i would like",
    "we need",
    "we want",
    "we'd like",
    "we should",
    "can we have",
    "could we have",
];

/// What is written, made or put right in one step.
const CHORES: &[&str] = &[
    "comment",
    "comments",
    "newline",
    "blank line",
    "branch",
    "commit",
    "commit message",
    "pr",
    "pull request",
    "summary",
    "changelog",
    "gitignore",
    "typo",
    "typos",
    "lint",
    "linter",
    "formatting",
    "indentation",
    "whitespace",
    "spelling",
    "wording",
];

/// What shows that something is broken.
const BROKEN: &[&str] = &[
    "bug",
    "broken",
    "crash",
    "crashes",
    "crashed",
    "fail",
    "fails",
    "failing",
    "failed",
    "error",
    "errors",
    "exception",
    "regression",
    "doesn't",
    "does not",
    "won't",
    "not working",
    "isn't working",
    "no longer",
    "stopped working",
    "stack trace",
    "traceback",
    "panics",
    "hangs",
    "hanging",
    "stuck",
    "segfault",
    "deadlock",
    "leaks",
    "wrong",
    "since the upgrade",
    "since the update",
    "since yesterday",
    "funktioniert nicht",
    "geht nicht",
    "kaputt",
    "ne marche",
    "ne fonctionne",
    "no funciona",
];

/// Words after "error" with which it is a subject, not a symptom.
const ABOUT_ERRORS: &[&str] = &[
    "handling", "handler", "message", "messages", "type", "types", "code", "codes", "log", "page",
];

/// Words that ask for something to be put right.
const REPAIRING: &[&str] = &["fix", "repair", "debug", "hotfix"];
/// The same, behind what is wrong.
const AND_REPAIR: &[&str] = &["please fix", "and fix", "sort it out", "sort this out"];

/// Words with which questions begin.
const ASKING: &[&str] = &[
    "why",
    "how",
    "what",
    "what's",
    "where",
    "where's",
    "which",
    "who",
    "when",
    "explain",
    "investigate",
    "analyze",
    "analyse",
    "find out",
    "look into",
    "explore",
    "research",
    "understand",
    "compare",
    "review",
    "summarize",
    "summarise",
    "walk me through",
    "check whether",
    "check if",
    "can you explain",
    "can you tell",
    "tell me what",
    "tell me why",
    "tell me how",
    "tell me which",
    "wie",
    "warum",
    "wo",
    "welche",
    "pourquoi",
    "où",
    "comment",
    "dónde",
    "cómo",
    "por qué",
];

/// Words with which a sentence begins that is a question if it ends as one.
const MAYBE_ASKING: &[&str] = &[
    "is", "are", "do", "does", "did", "has", "have", "was", "were", "will", "should", "would",
];

/// What refers to the conversation where the object of a sentence stands: `write it down`.
const REFERRING: &[&str] = &["it", "this", "that", "these", "those", "them", "yourself"];

/// Words that tell of work in many places.
const WIDE: &[&str] = &[
    "all",
    "every",
    "each",
    "both",
    "whole",
    "entire",
    "several",
    "everywhere",
    "throughout",
    "across",
];

/// What a prompt wants. What an agent reads is not what a person asks: text in fences, quotes and tags does not count.
pub fn intent(prompt: &str) -> Intent {
    let said = said_by_a_person(prompt).to_lowercase();
    let words: Vec<&str> = words(&said).collect();
    let line = words.join(" ");
    if line.is_empty() || prompt.trim_start().starts_with('/') {
        return Intent::Unclear;
    }
    if CONTINUATIONS.contains(&line.as_str()) || CONTINUING.iter().any(|it| line.starts_with(it)) {
        return Intent::Continuation;
    }
    let sentence = said.trim_start();
    let is_question = sentence.find(['?', '.', '!', '\n']).is_some_and(|end| {
        sentence
            .get(end..)
            .is_some_and(|rest| rest.starts_with('?'))
    });
    let line = without_wish(&line);
    let at_least = |count: usize| words.len() >= count;
    let is_chore = has(line, CHORES) && !at_least(WORDS_OF_A_CHORE);
    let asks = begins(line, ASKING) || (is_question && begins(line, MAYBE_ASKING));
    match () {
        () if is_chore && (begins(line, MAKING) || begins(line, REPAIRING)) => Intent::Unclear,
        () if begins(line, MAKING) && refers(line) => Intent::Unclear,
        () if begins(line, REPAIRING) || has(line, AND_REPAIR) => Intent::Bug,
        () if begins(line, MAKING) => Intent::Implementation,
        () if begins(line, CHANGING) && at_least(WORDS_OF_A_CHANGE) => Intent::Implementation,
        () if begins(line, WISHING) && at_least(WORDS_OF_A_WISH) => Intent::Implementation,
        // About the agent itself, or about what it just said.
        () if asks && (has(line, &["you"]) || words.len() < 3) => Intent::Unclear,
        () if asks => Intent::Investigation,
        () if is_broken(line) && at_least(WORDS_OF_A_STATEMENT) => Intent::Bug,
        () => Intent::Unclear,
    }
}

/// A line without a wish in front of what is asked: `please`, `can you`.
fn without_wish(line: &str) -> &str {
    [
        "please ",
        "bitte ",
        "can you ",
        "could you ",
        "would you ",
        "now ",
        "let's ",
        "then ",
    ]
    .iter()
    .fold(line, |line, wish| line.strip_prefix(wish).unwrap_or(line))
}

/// Whether a line begins with one of these, as whole words.
fn begins(line: &str, list: &[&str]) -> bool {
    list.iter().any(|it| {
        line.strip_prefix(it)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Whether a line has one of these, as whole words.
fn has(line: &str, list: &[&str]) -> bool {
    let padded = format!(" {line} ");
    list.iter().any(|it| padded.contains(&format!(" {it} ")))
}

/// Whether the second word refers to the conversation.
fn refers(line: &str) -> bool {
    let second = line.split(' ').nth(1);
    second.is_some_and(|word| REFERRING.contains(&word))
}

fn is_broken(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let is_subject = words
        .windows(2)
        .any(|two| matches!(two, [error, next] if error.starts_with("error") && ABOUT_ERRORS.contains(next)));
    has(line, BROKEN) && !is_subject
}

/// What an agent is told about a prompt.
pub fn advice(prompt: &str, work: ActiveWork) -> Option<&'static Text> {
    match (intent(prompt), work) {
        (Intent::Implementation, ActiveWork::None) => Some(&IMPLEMENTATION),
        (Intent::Bug, _) => Some(&BUG),
        (Intent::Investigation, _) => Some(&INVESTIGATION),
        (Intent::Unclear, ActiveWork::None) if is_wide(prompt) => Some(&UNCLEAR),
        (Intent::Continuation | Intent::Implementation | Intent::Unclear, _) => None,
    }
}

/// Whether a prompt is a task of its own that leads to many places.
fn is_wide(prompt: &str) -> bool {
    let said = said_by_a_person(prompt).to_lowercase();
    let words: Vec<&str> = words(&said).collect();
    words.len() >= WORDS_OF_A_TASK && has(&words.join(" "), WIDE)
}

fn words(said: &str) -> impl Iterator<Item = &str> {
    said.split(|sign: char| !(sign.is_alphanumeric() || sign == '\'' || sign == '-'))
        .filter(|word| !word.is_empty())
}

/// A prompt without what was pasted into it.
fn said_by_a_person(prompt: &str) -> String {
    let mut said = String::with_capacity(prompt.len());
    let mut in_fence = false;
    let mut tag: Option<String> = None;
    for line in prompt.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            in_fence = !in_fence;
            continue;
        }
        if let Some(open) = &tag {
            if line.contains(&format!("</{open}>")) {
                tag = None;
            }
            continue;
        }
        if in_fence || line.starts_with('>') {
            continue;
        }
        let opened = line
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .map(|(name, _)| name)
            .filter(|name| {
                !name.is_empty()
                    && name
                        .bytes()
                        .all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it))
            });
        if let Some(name) = opened {
            if !line.contains(&format!("</{name}>")) {
                tag = Some(name.to_owned());
            }
            continue;
        }
        said.push_str(line);
        said.push('\n');
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f29_a_what_a_prompt_wants() {
        for (prompt, expected) in [
            ("implement the login feature", Intent::Implementation),
            (
                "Please add a --json flag to the export command.",
                Intent::Implementation,
            ),
            (
                "Can you write tests for the parser?",
                Intent::Implementation,
            ),
            ("continue", Intent::Continuation),
            ("Yes, please.", Intent::Continuation),
            ("Continue with phase 2", Intent::Continuation),
            ("go ahead!", Intent::Continuation),
            ("fix the flaky test", Intent::Bug),
            ("The app crashes when I click save", Intent::Bug),
            ("login doesn't work since yesterday", Intent::Bug),
            ("Add error handling to the client", Intent::Implementation),
            ("Why does the build take so long?", Intent::Investigation),
            ("How is the session stored?", Intent::Investigation),
            ("explain the retry logic", Intent::Investigation),
            ("List the files.", Intent::Unclear),
            ("Clean up the project folder.", Intent::Unclear),
            ("Say hello.", Intent::Unclear),
            ("also say goodbye", Intent::Unclear),
            ("Make a note.", Intent::Unclear),
            ("/greet Bob", Intent::Unclear),
            ("", Intent::Unclear),
            ("Use this:\n```\nerror: it crashes\n```", Intent::Unclear),
            (
                "<hook_context>The build is broken.</hook_context>\n\nSay hello.",
                Intent::Unclear,
            ),
            ("> why?\nthanks", Intent::Unclear),
        ] {
            assert_eq!(intent(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn f29_a_advice_depends_on_active_work() {
        let long = "The colours of all settings pages should be warmer than they are today";
        let narrow = "The colours of the settings page should be warmer than they are today";
        for (prompt, work, expected) in [
            (
                "implement the login feature",
                ActiveWork::None,
                Some("intent.implementation"),
            ),
            ("implement the login feature", ActiveWork::Some, None),
            ("continue", ActiveWork::Some, None),
            ("continue", ActiveWork::None, None),
            ("fix the login", ActiveWork::Some, Some("intent.bug")),
            (
                "why is it red?",
                ActiveWork::None,
                Some("intent.investigation"),
            ),
            (long, ActiveWork::None, Some("intent.unclear")),
            (long, ActiveWork::Some, None),
            (narrow, ActiveWork::None, None),
            ("List the files.", ActiveWork::None, None),
        ] {
            assert_eq!(
                advice(prompt, work).map(|text| text.key),
                expected,
                "{prompt}"
            );
        }
    }

    /// The prompts of recorded sessions of six agents. None of them wants advice about how to work but the question.
    #[test]
    fn f29_a_recorded_prompts_get_no_false_advice() {
        for (prompt, expected) in [
            ("List the files.", None),
            ("/greet Bob", None),
            ("Count the files in the project folder.", None),
            ("Make a note.", None),
            ("Clean up.", None),
            ("Ask a subagent to count the files.", None),
            ("also say goodbye", None),
            ("Clean up the project folder.", None),
            ("Say hello.", None),
            ("", None),
            (
                "<hook_context>The bike shed is green.</hook_context>\n\nWhat colour is the shed?",
                Some("intent.investigation"),
            ),
        ] {
            let said = advice(prompt, ActiveWork::None).map(|text| text.key);
            assert_eq!(said, expected, "{prompt}");
        }
    }
}
