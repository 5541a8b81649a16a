//! Reads `[[rule]]`: each key checked, each text with its place, for those who look deeper into it later.

use super::definition::{
    FilePosition, MeantTool, RuleDefinition, RuleOrigin, RuleVerdict, Written,
};
use super::examples;
use super::keys::RULE;
use crate::event::{EventClass, HookEvent};
use crate::matcher::{Matcher, listed_names, meant_pattern, misspelt};
use crate::settings::hooks::model::Scope;
use crate::settings::keys::Chosen;
use crate::settings::syntax::fields::{Fields, Reported, described, shortened};
use crate::settings::syntax::findings::Findings;
use crate::settings::syntax::node::{Node, Span, Value};

const EXAMPLE: &str = "for example `[[rule]]`, `id = \"no-force\"`, `command = \"git push --force *\"`, \
     `verdict = \"deny\"`";

/// Every rule costs something on every event.
const MAX_RULES: usize = 500;
/// And so does every pattern of its lists.
const MAX_PATTERNS: usize = 1_000;

/// Reads the value of the key `rule`.
pub(in crate::settings) fn read(
    node: &Node,
    scope: Scope,
    findings: &mut Findings<'_>,
) -> Vec<RuleDefinition> {
    let nodes = match &node.value {
        Value::List(nodes) => nodes.as_slice(),
        // `[rule]` with one pair of brackets: one rule.
        Value::Map(_) => std::slice::from_ref(node),
        _ => {
            findings.error(
                "wrong-type",
                &node.span,
                format!("`rule` is {}; expected tables", described(node)),
                EXAMPLE,
            );
            &[]
        }
    };
    if let Some(more) = nodes.get(MAX_RULES) {
        findings.error(
            "too-many-rules",
            &more.span,
            format!(
                "a file has at most {MAX_RULES} rules; this one and those after it are left out"
            ),
            "join rules: `command`, `path` and `effect` take lists",
        );
    }
    let mut rules = Vec::new();
    let mut patterns = 0;
    for node in nodes.iter().take(MAX_RULES) {
        let Some(rule) = Reader::new(node, scope, findings).map(Reader::rule) else {
            continue;
        };
        patterns += rule.commands.len() + rule.paths.len() + rule.effects.len();
        if patterns > MAX_PATTERNS {
            findings.error(
                "too-many-patterns",
                &node.span,
                format!(
                    "the rules of a file have at most {MAX_PATTERNS} patterns; this rule and those after it are left out"
                ),
                "use wildcards: `git push *`",
            );
            break;
        }
        rules.push(rule);
    }
    rules
}

struct Reader<'n, 'f, 't> {
    fields: Fields<'n>,
    findings: &'f mut Findings<'t>,
    scope: Scope,
    fault: Option<String>,
}

impl<'n, 'f, 't> Reader<'n, 'f, 't> {
    fn new(node: &'n Node, scope: Scope, findings: &'f mut Findings<'t>) -> Option<Self> {
        let Some(fields) = Fields::of(node, findings) else {
            findings.error(
                "wrong-type",
                &node.span,
                format!("a rule is {}; expected a table", described(node)),
                EXAMPLE,
            );
            return None;
        };
        Some(Self {
            fields,
            findings,
            scope,
            fault: None,
        })
    }

    fn rule(mut self) -> RuleDefinition {
        let id = self.id();
        let verdict = self.verdict();
        let events = self.events();
        let (tools, meant_tools) = self.tools(&events);
        let rule = RuleDefinition {
            tools,
            meant_tools,
            commands: self.texts("command"),
            effects: self.texts("effect"),
            paths: self.texts("path"),
            when: self.text("when"),
            rewrite: self.text("rewrite"),
            message: self.text("message").map(|message| message.text),
            suggestion: self.text("suggestion"),
            examples: examples::read(&mut self.fields, self.findings),
            origin: self.origin(),
            fault: None,
            id,
            verdict,
            events,
        };
        self.unknown_keys();
        self.check(&rule);
        RuleDefinition {
            fault: self.fault,
            ..rule
        }
    }

    /// A rule whose name is wrong goes by the line that it begins on.
    fn id(&mut self) -> String {
        match self.fields.string("id", self.findings) {
            Ok(Some(id)) if is_id(id.text) => return id.text.to_owned(),
            Ok(Some(id)) => self.broken(
                "wrong-value",
                id.span,
                format!(
                    "`{}` is not an id; expected small letters, digits, `-` and `.`",
                    shortened(id.text)
                ),
                "write it like `uv-not-pip`",
            ),
            Ok(None) => self.missing("id", "give it a name, such as `id = \"uv-not-pip\"`"),
            Err(Reported) => self.note_fault("its `id` is no text"),
        }
        format!("line-{}", position(self.fields.span, self.findings).line)
    }

    /// A rule whose verdict is invalid asks, because it was meant to decide.
    fn verdict(&mut self) -> RuleVerdict {
        if !self.fields.has("verdict") {
            self.missing(
                "verdict",
                "add `verdict = \"deny\"`, or ask, allow, context or rewrite",
            );
            return RuleVerdict::Ask;
        }
        let verdict = self
            .fields
            .word("verdict", RuleVerdict::CHOICE, self.findings);
        verdict.unwrap_or_else(|| {
            self.note_fault("its `verdict` is none that Bowline knows");
            RuleVerdict::Ask
        })
    }

    fn events(&mut self) -> Vec<HookEvent> {
        if !self.fields.has("event") {
            return vec![HookEvent::PreToolUse];
        }
        let mut events = Vec::new();
        for written in self.texts("event") {
            match written.text.parse::<HookEvent>() {
                Ok(event) if events.contains(&event) => {}
                Ok(event) => events.push(event),
                Err(unknown) => {
                    self.broken(
                        "unknown-event",
                        &written.position.span,
                        unknown.to_string(),
                        "`bowline events` lists them all",
                    );
                    events.extend(unknown.nearest);
                }
            }
        }
        if events.is_empty() {
            // What it would have stopped is unknown, so it asks where most is at stake.
            events.push(HookEvent::PreToolUse);
        }
        events
    }

    fn tools(&mut self, events: &[HookEvent]) -> (Vec<Matcher>, Vec<MeantTool>) {
        let mut tools = Vec::new();
        let mut meant = Vec::new();
        let written = self.texts("tool");
        let names_tools = events.iter().any(|event| event.is_tool_event());
        for written in &written {
            if names_tools {
                meant.extend(self.meant_tools(written));
            }
            match Matcher::in_any_casing(&written.text) {
                Ok(matcher) => tools.push(matcher),
                Err(error) => self.broken(
                    "invalid-matcher",
                    &written.position.span,
                    format!("invalid matcher: {error}"),
                    "write a pattern such as \"Bash|Write\"",
                ),
            }
        }
        if tools.len() < written.len() {
            tools.clear();
        }
        (tools, meant)
    }

    /// The tools that misspelt names were probably meant for. Agents may have tools of any name, so that the names count all the
    /// same.
    fn meant_tools(&mut self, written: &Written) -> Vec<MeantTool> {
        let mut tools = Vec::new();
        if let Some(meant) = meant_pattern(&written.text) {
            self.findings.warning(
                "matches-nothing",
                &written.position.span,
                format!(
                    "in `{}` the `*` repeats the character before it",
                    shortened(&written.text)
                ),
                format!("write `{meant}` for every tool that begins so"),
            );
        }
        for name in listed_names(&written.text) {
            let Some(meant) = misspelt(name) else {
                continue;
            };
            let why = format!("no tool is known that is called `{name}`");
            self.findings.warning(
                "unknown-tool",
                &written.position.span,
                why.clone(),
                format!("did you mean `{meant}`? If there is such a tool, write `^{name}$`"),
            );
            tools.extend(Matcher::in_any_casing(meant).ok().map(|matcher| MeantTool {
                why: format!("{why}; if `{meant}` is meant, correct it"),
                matcher,
            }));
        }
        tools
    }

    /// A text, or a list of texts; empty when it is not there, or wrong.
    fn texts(&mut self, name: &str) -> Vec<Written> {
        let Some(entry) = self.fields.take(name) else {
            return Vec::new();
        };
        let nodes = match &entry.value.value {
            Value::List(nodes) => nodes.as_slice(),
            _ => std::slice::from_ref(&entry.value),
        };
        let mut texts = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.value {
                Value::String(text) if !text.trim().is_empty() => {
                    texts.push(written(text, &node.span, self.findings));
                }
                _ => self.wrong_text(name, node),
            }
        }
        if nodes.is_empty() {
            self.wrong_text(name, &entry.value);
        }
        // A list with a mistake might match more without it.
        if texts.len() < nodes.len() {
            texts.clear();
        }
        texts
    }

    fn text(&mut self, name: &str) -> Option<Written> {
        let entry = self.fields.take(name)?;
        match &entry.value.value {
            Value::String(text) if !text.trim().is_empty() => {
                Some(written(text, &entry.value.span, self.findings))
            }
            _ => {
                self.wrong_text(name, &entry.value);
                None
            }
        }
    }

    fn wrong_text(&mut self, name: &str, node: &Node) {
        let found = match &node.value {
            Value::String(_) => "empty".to_owned(),
            Value::List(nodes) if nodes.is_empty() => "an empty list".to_owned(),
            _ => described(node),
        };
        self.broken(
            "wrong-type",
            &node.span,
            format!("`{name}` is {found}; expected a text"),
            "write a text in quotes, or leave the key out",
        );
    }

    /// An unknown key may be a misspelt condition, without which the rule would apply to far more.
    fn unknown_keys(&mut self) {
        for name in self.fields.left() {
            self.fault
                .get_or_insert_with(|| format!("`{}` is not known", shortened(name)));
        }
        self.fields.finish(&RULE.names(), self.findings);
    }

    fn check(&mut self, rule: &RuleDefinition) {
        let at = rule.origin.position.span.clone();
        let needs = |what: &str| format!("rule `{}` {what}", rule.id);
        match (rule.verdict, &rule.rewrite) {
            (RuleVerdict::Rewrite, None) => self.broken(
                "missing-field",
                &at,
                needs("rewrites, and does not say to what"),
                "add `rewrite = \"uv pip install\"`, which replaces the words that `command` begins with",
            ),
            (RuleVerdict::Rewrite, Some(_)) if rule.commands.is_empty() => self.broken(
                "missing-field",
                &at,
                needs("rewrites, and has no `command`"),
                "add `command = \"pip install *\"`: its fixed words are what is replaced",
            ),
            (RuleVerdict::Rewrite, Some(_)) | (_, None) => {}
            (_, Some(rewrite)) => self.broken(
                "misplaced-field",
                &rewrite.position.span,
                format!("`rewrite` has no effect with the verdict {}", rule.verdict.name()),
                "write `verdict = \"rewrite\"`, or remove it",
            ),
        }
        if rule.verdict == RuleVerdict::Context && rule.message.is_none() {
            self.broken(
                "missing-field",
                &at,
                needs("gives context, and has no `message`"),
                "add `message = \"…\"`: what the model is told",
            );
        }
        for event in &rule.events {
            let name = event.name();
            match (rule.verdict, event.class()) {
                (RuleVerdict::Allow, _)
                    if !matches!(event, HookEvent::PreToolUse | HookEvent::PermissionRequest) =>
                {
                    self.broken(
                        "misplaced-field",
                        &at,
                        needs(&format!("allows on {name}, where nobody asks")),
                        "allow is for PreToolUse and PermissionRequest",
                    );
                }
                (RuleVerdict::Rewrite, _) if *event != HookEvent::PreToolUse => self.broken(
                    "misplaced-field",
                    &at,
                    needs(&format!(
                        "rewrites on {name}, where no command is about to run"
                    )),
                    "rewrite is for PreToolUse",
                ),
                (RuleVerdict::Deny | RuleVerdict::Ask, EventClass::Observe) => {
                    self.findings.warning(
                        "cannot-block",
                        &at,
                        needs(&format!(
                            "has the verdict {} on {name}, which nothing can prevent",
                            rule.verdict.name()
                        )),
                        "`bowline events` shows the events that can be blocked",
                    );
                }
                _ => {}
            }
            let about_calls = !rule.commands.is_empty() || !rule.effects.is_empty();
            if about_calls && !event.is_tool_event() {
                self.broken(
                    "misplaced-field",
                    &at,
                    needs(&format!("looks at commands, and {name} has none")),
                    "use `command` and `effect` on events about a tool",
                );
            }
        }
    }

    fn missing(&mut self, key: &str, help: &str) {
        let span = self.fields.span.clone();
        self.broken(
            "missing-field",
            &span,
            format!("a rule has no `{key}`"),
            help,
        );
    }

    /// Remembers what was reported already.
    fn note_fault(&mut self, fault: &str) {
        self.fault.get_or_insert_with(|| fault.to_owned());
    }

    /// Reports what keeps the rule from being judged as it is meant.
    fn broken(&mut self, code: &'static str, span: &Span, message: String, help: &str) {
        self.fault.get_or_insert_with(|| message.clone());
        self.findings.error(code, span, message, help);
    }

    fn origin(&self) -> RuleOrigin {
        RuleOrigin {
            scope: self.scope,
            file: self.findings.file().map(ToOwned::to_owned),
            position: position(self.fields.span, self.findings),
        }
    }
}

fn is_id(text: &str) -> bool {
    let first = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 80
        && text.starts_with(first)
        && text.chars().all(|c| first(c) || matches!(c, '-' | '.'))
}

pub(in crate::settings) fn position(span: &Span, findings: &Findings<'_>) -> FilePosition {
    let (line, column) = findings.position(span.start);
    FilePosition {
        line,
        column,
        span: span.clone(),
    }
}

fn written(text: &str, span: &Span, findings: &Findings<'_>) -> Written {
    // With escapes in it the text does not stand in the file as it is.
    let inside = findings.source(span).find(text).map(|before| {
        let start = span.start + before;
        position(&(start..start + text.len()), findings)
    });
    Written {
        text: text.to_owned(),
        position: position(span, findings),
        inside,
    }
}
