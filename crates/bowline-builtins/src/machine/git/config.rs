//! Git's settings: one file of them.

use crate::machine::cache::MemoryUse;

/// At most this many settings. A larger file is not judged.
const MAX_SETTINGS: usize = 20_000;

/// The settings of one file, in its order.
#[derive(Debug, Default)]
pub(super) struct Config {
    settings: Vec<Setting>,
}

#[derive(Debug, PartialEq, Eq)]
struct Setting {
    /// In lower case, like the name.
    section: String,
    subsection: Option<String>,
    name: String,
    value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A name without `=`, which git takes for true.
    Implied,
    Text(String),
}

impl Value {
    /// Whether git takes the value for true; `None` if it is neither true nor false.
    pub(super) fn is_true(&self) -> Option<bool> {
        let Self::Text(text) = self else {
            return Some(true);
        };
        match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(true),
            "false" | "no" | "off" | "" => Some(false),
            number => number.parse::<i64>().ok().map(|number| number != 0),
        }
    }

    /// The text, if it is in UTF-8.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) if !text.contains(char::REPLACEMENT_CHARACTER) => Some(text),
            Self::Text(_) | Self::Implied => None,
        }
    }
}

impl Config {
    /// Reads a file of settings; `None` if git would refuse it.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(text);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let text = text.replace("\r\n", "\n");
        let mut rest = text.as_str();
        let mut section: Option<(String, Option<String>)> = None;
        let mut settings = Vec::new();
        loop {
            rest = rest.trim_start_matches(|it: char| it.is_ascii_whitespace());
            match rest.chars().next() {
                None => return Some(Self { settings }),
                Some('#' | ';') => rest = rest.split_once('\n').map_or("", |(_, after)| after),
                Some('[') => {
                    let (found, after) = read_section(rest.get(1..)?)?;
                    section = Some(found);
                    rest = after;
                }
                Some(first) if first.is_ascii_alphabetic() => {
                    let (name, value, after) = read_setting(rest)?;
                    let (section, subsection) = section.clone()?;
                    settings.push(Setting {
                        section,
                        subsection,
                        name,
                        value,
                    });
                    rest = after;
                }
                Some(_) => return None,
            }
            if settings.len() > MAX_SETTINGS {
                return None;
            }
        }
    }

    /// All values of a setting, in order. The section and the name are given in lower case.
    pub(super) fn values(
        &self,
        section: &str,
        subsection: Option<&str>,
        name: &str,
    ) -> Vec<&Value> {
        let matching = self.settings.iter().filter(|it| {
            it.section == section && it.subsection.as_deref() == subsection && it.name == name
        });
        matching.map(|it| &it.value).collect()
    }

    /// The value of a setting that counts.
    pub(super) fn last(
        &self,
        section: &str,
        subsection: Option<&str>,
        name: &str,
    ) -> Option<&Value> {
        self.values(section, subsection, name).pop()
    }

    /// The names in a section without a subsection.
    pub(super) fn names<'it>(&'it self, section: &'it str) -> impl Iterator<Item = &'it str> {
        let matching = self
            .settings
            .iter()
            .filter(move |it| it.section == section && it.subsection.is_none());
        matching.map(|it| it.name.as_str())
    }

    /// Whether the file takes in others, which are not read here.
    pub(super) fn includes_others(&self) -> bool {
        self.settings
            .iter()
            .any(|it| matches!(it.section.as_str(), "include" | "includeif"))
    }
}

impl MemoryUse for Config {
    fn memory_use(&self) -> u64 {
        let texts = self.settings.iter().map(|it| {
            let value = match &it.value {
                Value::Implied => 0,
                Value::Text(text) => text.len(),
            };
            let subsection = it.subsection.as_ref().map_or(0, String::len);
            it.section.len() + it.name.len() + subsection + value
        });
        (self.settings.capacity() * size_of::<Setting>() + texts.sum::<usize>()) as u64
    }
}

type Section = (String, Option<String>);

/// Reads `section]`, `section.subsection]` or `section "subsection"]`.
fn read_section(text: &str) -> Option<(Section, &str)> {
    let end = text.find(|it: char| !(it.is_ascii_alphanumeric() || it == '-' || it == '.'))?;
    let (name, rest) = text.split_at_checked(end)?;
    let name = name.to_ascii_lowercase();
    if let Some(after) = rest.strip_prefix(']') {
        // The old way to write a subsection, without regard to case.
        let section = match name.split_once('.') {
            Some((section, subsection)) => (section.to_owned(), Some(subsection.to_owned())),
            None => (name, None),
        };
        return (!section.0.is_empty()).then_some((section, after));
    }
    let quoted = rest.trim_start_matches([' ', '\t']).strip_prefix('"')?;
    let mut subsection = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\n' => return None,
            '\\' => match chars.next()? {
                '\n' => return None,
                escaped => subsection.push(escaped),
            },
            other => subsection.push(other),
        }
    }
    let after = chars.as_str().strip_prefix(']')?;
    (!name.is_empty() && !name.contains('.')).then_some(((name, Some(subsection)), after))
}

/// Reads `name = value` or `name`, up to the end of the line.
fn read_setting(text: &str) -> Option<(String, Value, &str)> {
    let end = text
        .find(|it: char| !(it.is_ascii_alphanumeric() || it == '-'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let name = name.to_ascii_lowercase();
    let rest = rest.trim_start_matches([' ', '\t']);
    match rest.chars().next() {
        None => Some((name, Value::Implied, rest)),
        Some('\n') => Some((name, Value::Implied, rest.get(1..)?)),
        Some('=') => {
            let (value, after) = read_value(rest.get(1..)?)?;
            Some((name, Value::Text(value), after))
        }
        // Git refuses even a comment there.
        Some(_) => None,
    }
}

fn read_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    // Spaces count only if something follows them.
    let mut spaces = String::new();
    let mut quoted = false;
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            '\n' if quoted => return None,
            '\n' => return Some((value, chars.as_str())),
            ' ' | '\t' if !quoted => {
                if !value.is_empty() {
                    spaces.push(next);
                }
                continue;
            }
            '#' | ';' if !quoted => {
                let after = chars
                    .as_str()
                    .split_once('\n')
                    .map_or("", |(_, after)| after);
                return Some((value, after));
            }
            _ => {}
        }
        value.push_str(&spaces);
        spaces.clear();
        match next {
            '"' => quoted = !quoted,
            '\\' => match chars.next()? {
                '\n' => {}
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'b' => value.push('\u{8}'),
                same @ ('\\' | '"') => value.push(same),
                _ => return None,
            },
            other => value.push(other),
        }
    }
    (!quoted).then_some((value, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(config: &str, section: &str, subsection: Option<&str>, name: &str) -> Option<String> {
        let config = Config::parse(config.as_bytes())?;
        let value = config.last(section, subsection, name)?;
        value.text().map(str::to_owned)
    }

    #[test]
    fn values_are_read_as_git_reads_them() {
        for (line, value) in [
            ("x = plain", "plain"),
            ("X=plain ; comment", "plain"),
            ("x = a  b  # c", "a  b"),
            ("x = \" a \" ", " a "),
            ("x = \"a#b\";c", "a#b"),
            ("x = a\\\n  b", "a  b"),
            ("x = !f() { echo \\\"$1\\\"; }; f", "!f() { echo \"$1\""),
            ("x = \"!f() { :; }; f\"", "!f() { :; }; f"),
            ("x = a\\tb\\\\", "a\tb\\"),
            ("x =", ""),
            ("x = 1\nx = 2", "2"),
            ("y = 1\r\nx = 2\r\n", "2"),
        ] {
            let found = text(&format!("[Alias]\n\t{line}"), "alias", None, "x");
            assert_eq!(found.as_deref(), Some(value), "{line}");
        }
    }

    #[test]
    fn sections_have_subsections() {
        let config =
            "[branch \"a \\\"b\\\\\"] remote = o # c\n[Branch.Old]remote=p\n[core]\nbare\n";
        assert_eq!(
            text(config, "branch", Some("a \"b\\"), "remote").unwrap(),
            "o"
        );
        assert_eq!(text(config, "branch", Some("old"), "remote").unwrap(), "p");
        assert_eq!(text(config, "branch", None, "remote"), None);
        let config = Config::parse(config.as_bytes()).unwrap();
        let bare = config.last("core", None, "bare");
        assert_eq!(bare, Some(&Value::Implied));
        assert_eq!(bare.and_then(Value::is_true), Some(true));
    }

    #[test]
    fn what_git_refuses_is_unknown() {
        for wrong in [
            "x = 1",
            "[a\nx = 1",
            "[a \"b]\nx = 1",
            "[]\nx = 1",
            "[a]\nx y",
            "[a]\n= y",
            "[a]\nx = \"y",
            "[a]\nx = \\q",
            "[a]\nx = \"y\nz\"",
            "[a]\nx # comment",
        ] {
            assert!(Config::parse(wrong.as_bytes()).is_none(), "{wrong}");
        }
        let strange = Config::parse(b"[a]\nx = \xff\ny = z").unwrap();
        let value = |name| strange.last("a", None, name).unwrap();
        assert_eq!(value("x").text(), None);
        assert_eq!(value("y").text(), Some("z"));
        assert!(Config::parse(b"").is_some());
        let including = Config::parse(b"[includeIf \"gitdir:x\"]\npath = y").unwrap();
        assert!(including.includes_others());
    }
}
