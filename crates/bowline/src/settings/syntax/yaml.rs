//! YAML front matter: the part between two `---` lines at the head of a Markdown file.

use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, Tag};

use super::findings::Findings;
use super::limits::MAX_DEPTH;
use super::node::{Entry, Key, Node, Span, SyntaxError, Value, shifted};

/// How much anchors and aliases may copy, counted in [`weight`]: enough for people, too little for a bomb.
const COPY_BUDGET: usize = 1 << 20;

/// Reads the front matter of a Markdown text that begins at byte `base` of the file; `None` when it has none, or
/// none that speaks of hooks.
pub(in crate::settings) fn read(
    text: &str,
    base: usize,
    findings: &mut Findings<'_>,
) -> Result<Option<Node>, SyntaxError> {
    let (first, yaml) = match front_matter(text) {
        FrontMatter::Between(first, yaml) => (first, yaml),
        FrontMatter::Missing => return Ok(None),
        FrontMatter::Unclosed => {
            findings.warning(
                "unclosed-front-matter",
                &(base..base + FENCE.len()),
                "the front matter has no closing `---` line; nothing in it is read",
                "add a line `---` after it",
            );
            return Ok(None);
        }
    };
    let start = base + first;
    // Descriptions in agents' files are often not valid YAML. Without hooks that does not matter here.
    if !yaml.contains("hooks") {
        return Ok(None);
    }
    let error = match Builder::default().read(yaml, start) {
        Ok(root) => return Ok(root),
        Err(error) => error,
    };
    // For the same reason, hooks are not lost with a broken neighbour.
    let Some((offset, block)) = hooks_block(yaml) else {
        return Err(error);
    };
    match Builder::default().read(block, start + offset) {
        Ok(root) => {
            findings.warning(
                "broken-front-matter",
                &error.span,
                format!("{}; `hooks` is read without the rest", error.message),
                "quote the value",
            );
            Ok(root)
        }
        Err(_) => Err(error),
    }
}

const FENCE: &str = "---";

/// What stands at the head of a Markdown text.
enum FrontMatter<'t> {
    Missing,
    /// It begins, and never ends.
    Unclosed,
    /// The YAML, and where it begins in the text.
    Between(usize, &'t str),
}

fn front_matter(text: &str) -> FrontMatter<'_> {
    let is_fence = |line: &str| line.trim_end() == FENCE;
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return FrontMatter::Missing;
    };
    let length: Option<usize> = {
        let mut length = 0;
        lines.find_map(|line| {
            let before = length;
            length += line.len();
            is_fence(line).then_some(before)
        })
    };
    length
        .and_then(|length| text.get(first.len()..first.len() + length))
        .map_or(FrontMatter::Unclosed, |yaml| {
            FrontMatter::Between(first.len(), yaml)
        })
}

/// Whether a Markdown text, without a byte order mark, opens its front matter and never closes it.
pub(in crate::settings) fn is_unclosed(text: &str) -> bool {
    matches!(front_matter(text), FrontMatter::Unclosed)
}

/// The lines of the top-level key `hooks`, and where they begin.
fn hooks_block(yaml: &str) -> Option<(usize, &str)> {
    let mut offset = 0;
    let mut start = None;
    for line in yaml.split_inclusive('\n') {
        let top_level = !line.starts_with([' ', '\t', '#', '-', '\r', '\n']);
        match start {
            None if line.starts_with("hooks:") => start = Some(offset),
            Some(start) if top_level => return Some((start, yaml.get(start..offset)?)),
            _ => {}
        }
        offset += line.len();
    }
    start.and_then(|start| Some((start, yaml.get(start..)?)))
}

/// Builds the tree from the parser's events, without recursion.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    anchors: HashMap<usize, Node>,
    spent: usize,
}

/// A list or map that has not ended yet.
struct Open {
    kind: OpenKind,
    start: usize,
    anchor: usize,
}

enum OpenKind {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<Key>,
    },
}

impl Builder {
    /// The first document of a text that begins at byte `base` of the file.
    fn read(mut self, yaml: &str, base: usize) -> Result<Option<Node>, SyntaxError> {
        let options = granit_parser::options! {
            disallow_directives: true,
            emit_comments: false,
            flow_nesting_limit: MAX_DEPTH,
            block_nesting_limit: MAX_DEPTH,
        };
        for step in Parser::new_from_str_with_options(yaml, options) {
            let (event, span) = step.map_err(|error| {
                let at = base + error.marker().byte_offset().unwrap_or(0);
                SyntaxError {
                    span: at..at + 1,
                    message: format!("not valid YAML: {}", error.info()),
                }
            })?;
            let span = shifted(span.byte_range().unwrap_or(0..0), base);
            match event {
                Event::Scalar(text, style, anchor, tag) => {
                    let value = scalar(text.into_owned(), style, tag.as_deref());
                    self.add(Node::new(value, span), anchor)?;
                }
                Event::SequenceStart(_, anchor, _) => {
                    self.open(OpenKind::List(Vec::new()), &span, anchor)?;
                }
                Event::MappingStart(_, anchor, _) => {
                    let kind = OpenKind::Map {
                        entries: Vec::new(),
                        key: None,
                    };
                    self.open(kind, &span, anchor)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close(&span)?,
                Event::Alias(id) => self.alias(id, span)?,
                Event::DocumentEnd => return Ok(self.root),
                _ => {}
            }
        }
        Ok(self.root)
    }

    fn open(&mut self, kind: OpenKind, span: &Span, anchor: usize) -> Result<(), SyntaxError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(SyntaxError {
                span: span.clone(),
                message: format!("nested more than {MAX_DEPTH} levels deep"),
            });
        }
        self.open.push(Open {
            kind,
            start: span.start,
            anchor,
        });
        Ok(())
    }

    fn close(&mut self, span: &Span) -> Result<(), SyntaxError> {
        let Some(Open {
            kind,
            start,
            anchor,
        }) = self.open.pop()
        else {
            return Ok(());
        };
        let value = match kind {
            OpenKind::List(nodes) => Value::List(nodes),
            OpenKind::Map { entries, .. } => Value::Map(entries),
        };
        self.add(Node::new(value, start..span.end.max(start)), anchor)
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<(), SyntaxError> {
        let Some(target) = self.anchors.get(&id) else {
            return Err(SyntaxError {
                span,
                message: "not valid YAML: an alias inside the value that it stands for".to_owned(),
            });
        };
        let (cost, value) = (weight(target), target.value.clone());
        self.spend(cost, &span)?;
        self.add(Node::new(value, span), 0)
    }

    fn spend(&mut self, cost: usize, span: &Span) -> Result<(), SyntaxError> {
        self.spent = self.spent.saturating_add(cost);
        if self.spent > COPY_BUDGET {
            return Err(SyntaxError {
                span: span.clone(),
                message: "the anchors and aliases stand for more than a settings file may hold"
                    .to_owned(),
            });
        }
        Ok(())
    }

    /// Puts a finished node where it belongs: into a list, as a key, or as the value of one.
    fn add(&mut self, node: Node, anchor: usize) -> Result<(), SyntaxError> {
        if anchor != 0 {
            self.spend(weight(&node), &node.span)?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.kind) {
            None => self.root = Some(node),
            Some(OpenKind::List(nodes)) => nodes.push(node),
            Some(OpenKind::Map { entries, key }) => match key.take() {
                Some(key) => entries.push(Entry { key, value: node }),
                None => *key = Some(as_key(node)?),
            },
        }
        Ok(())
    }
}

/// What a copy of a node costs. Every node counts for 16 bytes beside its text.
fn weight(node: &Node) -> usize {
    16 + match &node.value {
        Value::Null | Value::Bool(_) => 0,
        Value::Number(text) | Value::String(text) => text.len(),
        Value::List(nodes) => nodes.iter().map(weight).sum(),
        Value::Map(entries) => entries
            .iter()
            .map(|entry| entry.key.text.len() + weight(&entry.value))
            .sum(),
    }
}

fn as_key(node: Node) -> Result<Key, SyntaxError> {
    let text = match node.value {
        Value::String(text) | Value::Number(text) => text,
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::List(_) | Value::Map(_) => {
            return Err(SyntaxError {
                span: node.span,
                message: "a list or an object as a key; expected a name".to_owned(),
            });
        }
    };
    Ok(Key {
        text,
        span: node.span,
    })
}

/// YAML 1.2's core schema: what is not quoted may be null, true or false, or a number.
fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    if style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str")) {
        return Value::String(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        other => match number(other) {
            Some(digits) => Value::Number(digits),
            None => Value::String(text),
        },
    }
}

fn number(text: &str) -> Option<String> {
    if let Some(digits) = text.strip_prefix("0x") {
        return Some(u64::from_str_radix(digits, 16).ok()?.to_string());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return Some(u64::from_str_radix(digits, 8).ok()?.to_string());
    }
    match text.trim_start_matches(['+', '-']) {
        ".inf" | ".Inf" | ".INF" => return Some("inf".to_owned()),
        ".nan" | ".NaN" | ".NAN" => return Some("nan".to_owned()),
        _ => {}
    }
    let numeric = text
        .chars()
        .all(|c| matches!(c, '0'..='9' | '.' | '+' | '-' | 'e' | 'E'))
        && text.contains(|c: char| c.is_ascii_digit());
    (numeric && text.parse::<f64>().is_ok()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Node>, SyntaxError> {
        read(text, 0, &mut Findings::new(text, 0, None))
    }

    #[test]
    fn front_matter_lies_between_two_lines_of_dashes() {
        for (text, found) in [
            ("---\nhooks: 1\n---\nbody", true),
            ("---  \r\nhooks: 1\r\n---\r\nbody", true),
            ("---\nhooks: 1\n---", true),
            ("---\nname: x\n---\n", false),
            ("hooks: 1\n", false),
            ("---\nhooks: 1\n", false),
            ("----\nhooks: 1\n---\n", false),
            ("", false),
            ("---", false),
            ("---\n---\n", false),
        ] {
            assert_eq!(parse(text).unwrap().is_some(), found, "{text:?}");
        }
    }

    #[test]
    fn scalars_follow_the_core_schema() {
        let text = "---\nhooks: [~, true, 10, 1.5, 0x10, -3, .inf, yes, '10', 1.2.3, e, \"a\", !!str 7, +.nan]\n---\n";
        let root = parse(text).unwrap().unwrap();
        let Value::List(nodes) = &root.get("hooks").unwrap().value else {
            panic!("not a list")
        };
        let number = |text: &str| Value::Number(text.to_owned());
        let string = |text: &str| Value::String(text.to_owned());
        let values: Vec<_> = nodes.iter().map(|node| node.value.clone()).collect();
        assert_eq!(
            values,
            [
                Value::Null,
                Value::Bool(true),
                number("10"),
                number("1.5"),
                number("16"),
                number("-3"),
                number("inf"),
                string("yes"),
                string("10"),
                string("1.2.3"),
                string("e"),
                string("a"),
                string("7"),
                number("nan"),
            ]
        );
    }

    #[test]
    fn spans_are_those_of_the_whole_file() {
        let text = "---\nname: é\nhooks:\n  Stop: [ab]\n---\n";
        let root = parse(text).unwrap().unwrap();
        let stop = root.get("hooks").unwrap().get("Stop").unwrap();
        assert_eq!(&text[stop.span.clone()], "[ab]");
    }

    #[test]
    fn aliases_work_within_a_budget() {
        let text = "---\na: &a {x: 1}\nhooks: [*a, *a]\n---\n";
        let root = parse(text).unwrap().unwrap();
        assert!(
            matches!(&root.get("hooks").unwrap().value, Value::List(nodes) if nodes.len() == 2)
        );

        let level = |level: usize| {
            let list = vec![format!("*a{}", level - 1); 10].join(", ");
            format!("a{level}: &a{level} [{list}]\n")
        };
        let mut bomb = "---\na0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
        bomb.extend((1..12).map(level));
        bomb.push_str("hooks: *a11\n---\n");
        assert!(parse(&bomb).unwrap_err().message.contains("aliases"));

        let big = "x".repeat(300_000);
        let text = format!("---\na: &a {big}\nhooks: [*a, *a, *a, *a]\n---\n");
        assert!(parse(&text).unwrap_err().message.contains("aliases"));
        assert!(parse("---\nhooks: &a [*a]\n---\n").is_err());
        assert!(parse("---\nhooks: *nowhere\n---\n").is_err());
    }

    #[test]
    fn deep_nesting_is_refused() {
        for text in [
            format!("---\nhooks: {}\n---\n", "[".repeat(100_000)),
            format!("---\nhooks: {}\n---\n", "{a: ".repeat(200)),
            format!("---\nhooks:\n {}\n---\n", "- ".repeat(10_000)),
        ] {
            assert!(parse(&text).is_err());
        }
    }

    #[test]
    fn hooks_survive_a_broken_neighbour() {
        let text = "---\nname: x\ndescription: Use it when: always\nhooks:\n  Stop: [a]\n# note\nmodel: y: z\n---\n";
        let mut findings = Findings::new(text, 0, None);
        let root = read(text, 0, &mut findings).unwrap().unwrap();
        let stop = root.get("hooks").unwrap().get("Stop").unwrap();
        assert_eq!(&text[stop.span.clone()], "[a]");
        let list = findings.finish();
        assert_eq!((list[0].code, list[0].line), ("broken-front-matter", 3));
        assert!(parse("---\nhooks: [\nname: x\n---\n").is_err());
    }
}
