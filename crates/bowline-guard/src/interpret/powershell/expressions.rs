//! PowerShell's words and expressions: quotes, variables, methods of .NET.

use super::reader::{Token, inside, leading_bracket, methods, tokens};
use super::{path_item, variable_key};
use crate::interpret::bounds::{MAX_TEXT, Size, TooLong, add_sources, replaced};
use crate::interpret::call::ExpandedCommand;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item, Output, UNKNOWN};
use crate::interpret::{Interpreter, decode};
use crate::invocation::{Arg, Opened, Opening, Value};

impl Interpreter<'_> {
    /// A statement that is an expression: what it gives is printed.
    pub(super) fn ps_expression(
        &mut self,
        words: &[String],
        opened: Vec<Opened>,
        scope: &mut Scope,
    ) -> Output {
        let mut items = vec![Item::known("echo")];
        for word in words {
            items.push(self.ps_item(word, scope));
        }
        let silent = items.iter().skip(1).all(|it| it.arg.source.is_empty());
        if silent && opened.is_empty() {
            let mut sources = Vec::new();
            for item in &items {
                add_sources(&mut sources, &item.sources);
            }
            return Output::unknown(sources);
        }
        let mut call = ExpandedCommand::of(items, scope);
        call.opened = opened;
        self.call(call, scope)
    }

    /// What a word as written stands for.
    pub(super) fn ps_item(&mut self, word: &str, scope: &mut Scope) -> Item {
        if !self.pay(1 + word.len() / 32) || !self.enter() {
            return Item::of(Content::unknown());
        }
        let item = self.ps_value(word, scope);
        self.leave();
        // A value that a variable has made long costs as much as a long word.
        self.pay(item.marked().len() / 32);
        item
    }

    fn ps_value(&mut self, word: &str, scope: &mut Scope) -> Item {
        if let Some(inner) = inside(word, '(') {
            return self.ps_grouped(inner, scope);
        }
        if word.starts_with(['(', '[', '$']) && word.contains('(') && !word.starts_with("$(") {
            return self.ps_methods(word, scope);
        }
        let here = |open: &str, close: &str| {
            let text = word.strip_prefix(open)?.strip_suffix(close)?;
            Some(
                text.split_once('\n')
                    .map_or("", |(_, body)| body)
                    .to_owned(),
            )
        };
        if let Some(text) = here("@'", "\n'@") {
            return Item::known(text);
        }
        if let Some(text) = here("@\"", "\n\"@") {
            return self.ps_expand(&text, scope);
        }
        if let Some(text) = enclosed(word, '\'') {
            return Item::known(text.replace("''", "'"));
        }
        if let Some(text) = enclosed(word, '"') {
            return self.ps_expand(&text.replace("\"\"", "\""), scope);
        }
        self.ps_expand(word, scope)
    }

    /// What stands in round brackets: a command, or an expression that is not printed by itself.
    fn ps_grouped(&mut self, inner: &str, scope: &mut Scope) -> Item {
        let (tokens, _) = tokens(inner);
        if let Some(item) = self.ps_joined(&tokens, scope) {
            return item;
        }
        let output = self.powershell(inner, scope, &None);
        let item = Item::of(Content {
            sources: output.sources,
            ..Content::of_text(output.text.trim_end().to_owned())
        });
        Item {
            arg: Arg {
                source: String::new(),
                ..item.arg
            },
            ..item
        }
    }

    /// `'a' + 'b'`, `'x','y'`: the value of an expression; `None` for a command.
    pub(super) fn ps_joined(&mut self, tokens: &[Token], scope: &mut Scope) -> Option<Item> {
        let words: Vec<&String> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Word(word) => Some(word),
                _ => None,
            })
            .collect();
        if words.len() != tokens.len() || !super::is_expression(words.first()?) {
            return None;
        }
        let separator = if words.iter().any(|it| it.as_str() == "+") {
            ""
        } else {
            "\n"
        };
        let (mut texts, mut source, mut sources) = (Vec::new(), String::new(), Vec::new());
        for word in words.into_iter().filter(|it| it.as_str() != "+") {
            let item = self.ps_item(word, scope);
            if !self.make(item.size()) {
                break;
            }
            texts.push(item.marked().to_owned());
            source.push_str(&item.arg.source);
            add_sources(&mut sources, &item.sources);
        }
        let text = match texts.split_first() {
            // `"{0}{1}" -f 'a','b'`
            Some((format, [operator, values @ ..])) if operator == "-f" => {
                let numbered = values.iter().take(32).enumerate();
                numbered
                    .into_iter()
                    .try_fold(format.clone(), |text, (number, value)| {
                        replaced(&text, &format!("{{{number}}}"), value)
                    })
            }
            _ => Ok(texts.join(separator)),
        };
        let text = match text {
            Ok(text) if text.len() <= MAX_TEXT => text,
            Ok(_) | Err(TooLong) => {
                self.too_long();
                UNKNOWN.to_string()
            }
        };
        let item = Item::of(Content {
            sources,
            ..Content::of_text(text)
        });
        Some(Item {
            arg: Arg { source, ..item.arg },
            ..item
        })
    }

    /// A text in which variables and `$( )` are replaced. The source names the shell's way to write the variables.
    fn ps_expand(&mut self, text: &str, scope: &mut Scope) -> Item {
        let mut out = String::new();
        let mut source = String::new();
        let mut sources = Vec::new();
        let mut pattern = text.starts_with('~') || text.contains(['*', '?']);
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
            match c {
                '`' => {
                    let next = rest.chars().next().unwrap_or_default();
                    rest = rest.get(next.len_utf8()..).unwrap_or_default();
                    let meant = match next {
                        'n' => '\n',
                        't' => '\t',
                        other => other,
                    };
                    out.push(meant);
                    source.push(meant);
                }
                '$' if rest.starts_with('(') => {
                    let length = group_length(rest);
                    let group = rest.get(..length).unwrap_or_default();
                    rest = rest.get(length..).unwrap_or_default();
                    let item = self.ps_item(group, scope);
                    if !self.fits(&out, item.marked()) {
                        out.push(UNKNOWN);
                        break;
                    }
                    out.push_str(item.marked());
                    source.push_str(&item.arg.source);
                    add_sources(&mut sources, &item.sources);
                }
                '$' => {
                    let (name, after) = variable(rest);
                    rest = after;
                    if name.is_empty() {
                        out.push('$');
                        continue;
                    }
                    let value = meaning(name, scope);
                    if !self.fits(&out, &value.text) {
                        out.push(UNKNOWN);
                        break;
                    }
                    pattern |= value.text.starts_with('$');
                    out.push_str(&value.text);
                    source.push_str(&value.source);
                    add_sources(&mut sources, &value.sources);
                }
                c => {
                    out.push(c);
                    source.push(c);
                }
            }
        }
        let value = match Content::of_text(out).value {
            Value::Known(text) if pattern => Value::Pattern(text),
            other => other,
        };
        Item {
            arg: Arg { source, value },
            ..Item::of(Content {
                value: Value::Unknown,
                sources,
            })
        }
    }

    /// Whether a value may be added to a text.
    fn fits(&mut self, text: &str, value: &str) -> bool {
        let short = text.len() + value.len() <= MAX_TEXT;
        if !short {
            self.too_long();
        }
        self.make(value.len()) && short
    }

    /// Methods of .NET that read, write, delete, fetch or run.
    fn ps_methods(&mut self, expression: &str, scope: &mut Scope) -> Item {
        let mut result = Item {
            arg: Arg {
                source: String::new(),
                value: Value::Unknown,
            },
            ..Item::of(Content::unknown())
        };
        let calls = methods(expression);
        if calls.is_empty() {
            // `(…).Content`
            if let Some(group) = leading_bracket(expression) {
                result.sources = self.ps_item(group, scope).sources;
            }
            return result;
        }
        for (name, receiver, words) in calls {
            let items: Vec<Item> = words.iter().map(|it| self.ps_item(it, scope)).collect();
            let first = items.first().map(path_item);
            let on_files = receiver.to_ascii_lowercase().contains("io.")
                || receiver.to_ascii_lowercase().contains("[file");
            match (name.as_str(), first) {
                ("downloadstring" | "downloaddata" | "getstringasync" | "openread", Some(_))
                    if !on_files =>
                {
                    let url = items.first().cloned().unwrap_or_else(|| Item::known(""));
                    let output = self.ps_run(vec![Item::known("curl"), url], scope, &None);
                    add_sources(&mut result.sources, &output.sources);
                }
                ("downloadfile", Some(_)) => {
                    let mut words = vec![Item::known("curl"), Item::known("-o")];
                    words.extend(items.get(1).map(path_item));
                    words.extend(items.first().cloned());
                    self.ps_run(words, scope, &None);
                }
                ("uploadfile" | "uploaddata" | "uploadstring", Some(_)) => {
                    let mut words = vec![Item::known("curl"), Item::known("-T")];
                    words.extend(items.last().map(path_item));
                    words.extend(items.first().cloned());
                    self.ps_run(words, scope, &None);
                }
                (
                    "readalltext" | "readalllines" | "readallbytes" | "opentext" | "openread"
                    | "readlines",
                    Some(path),
                ) => {
                    let output = self.ps_run(vec![Item::known("cat"), path], scope, &None);
                    add_sources(&mut result.sources, &output.sources);
                }
                ("writealltext" | "writealllines" | "writeallbytes", Some(path)) => {
                    let mut words = vec![Item::known("printf")];
                    words.extend(items.get(1).cloned());
                    let mut call = ExpandedCommand::of(words, scope);
                    call.opened.push(Opened {
                        how: Opening::Overwrite,
                        file: path.arg,
                    });
                    self.call(call, scope);
                }
                ("delete", Some(path)) if on_files => {
                    let words = vec![Item::known("rm"), Item::known("-rf"), path];
                    self.ps_run(words, scope, &None);
                }
                ("delete", None) => {
                    let target = path_item(&self.ps_item(receiver, scope));
                    let words = vec![Item::known("rm"), Item::known("-rf"), target];
                    self.ps_run(words, scope, &None);
                }
                ("getenvironmentvariable", Some(name)) => {
                    self.ps_run(vec![Item::known("printenv"), name], scope, &None);
                }
                ("getenvironmentvariables", _) => {
                    self.ps_run(vec![Item::known("printenv")], scope, &None);
                }
                ("frombase64string", Some(_)) => {
                    let wide = expression.to_ascii_lowercase().contains("unicode");
                    let text = items.first().and_then(Item::text).unwrap_or_default();
                    let decoded = if wide {
                        decode::base64_utf16(text)
                    } else {
                        decode::base64(text)
                    };
                    if let Some(text) = decoded {
                        result = Item::known(text);
                    }
                }
                ("create", Some(_)) if receiver.to_ascii_lowercase().contains("scriptblock") => {
                    if let Some(code) = items.first() {
                        self.ps_evaluate(code, scope);
                    }
                }
                ("start", Some(_)) if receiver.to_ascii_lowercase().contains("process") => {
                    let text: Vec<&str> = items.iter().map(Item::marked).collect();
                    let text = text.join(" ");
                    self.powershell(&text, scope, &None);
                }
                _ => {}
            }
        }
        result
    }
}

/// What a variable stands for.
struct Meaning {
    text: String,
    source: String,
    sources: Vec<String>,
}

fn meaning(name: &str, scope: &Scope) -> Meaning {
    let known = |text: &str| Meaning {
        text: text.to_owned(),
        source: text.to_owned(),
        sources: Vec::new(),
    };
    let lower = name.to_ascii_lowercase();
    let environment = lower.strip_prefix("env:");
    match environment.unwrap_or(&lower) {
        "userprofile" | "home" => return known("$HOME"),
        "pwd" => return known("$PWD"),
        "temp" | "tmp" | "tmpdir" if environment.is_some() => return known("/tmp"),
        "systemroot" | "windir" if environment.is_some() => return known("/mnt/c/Windows"),
        "null" if environment.is_none() => return known(""),
        "true" if environment.is_none() => return known("true"),
        "false" if environment.is_none() => return known("false"),
        _ => {}
    }
    let set = scope
        .get(&variable_key(name))
        .filter(|_| environment.is_none());
    match set {
        Some(content) => Meaning {
            text: content.marked().to_owned(),
            source: format!("${name}"),
            sources: content.sources.clone(),
        },
        None => Meaning {
            text: UNKNOWN.to_string(),
            source: format!("${}", name.rsplit(':').next().unwrap_or(name)),
            sources: Vec::new(),
        },
    }
}

/// The longest name between `${` and `}`.
const MAX_NAME: usize = 256;

/// The name after a `$`, and what follows it; members such as `.FullName` belong to the same thing.
fn variable(text: &str) -> (&str, &str) {
    if let Some(inside) = text.strip_prefix('{') {
        // Nobody's name is longer, and many of these may never end.
        let mut start = inside.char_indices().take(MAX_NAME);
        let end = start.find(|(_, c)| *c == '}').map(|(at, _)| at);
        if let Some((name, after)) = end.and_then(|at| inside.split_at_checked(at)) {
            return (name, after.get(1..).unwrap_or_default());
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    if let Some(scoped) = text.get(end..).and_then(|it| it.strip_prefix(':'))
        && scoped.starts_with(is_part)
    {
        end += 1 + scoped.find(|c| !is_part(c)).unwrap_or(scoped.len());
    }
    let (name, mut after) = text.split_at_checked(end).unwrap_or((text, ""));
    for member in [
        ".FullName",
        ".Name",
        ".Path",
        ".PSPath",
        ".BaseName",
        ".Value",
    ] {
        let found = after.get(..member.len());
        if found.is_some_and(|it| it.eq_ignore_ascii_case(member)) {
            after = after.get(member.len()..).unwrap_or_default();
        }
    }
    (name, after)
}

fn group_length(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// A word that is one quoted text.
fn enclosed(word: &str, quote: char) -> Option<&str> {
    word.strip_prefix(quote)?.strip_suffix(quote)
}
