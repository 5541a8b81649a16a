//! Words as a shell separates them.
//!
//! This reads no more than the few lines with which an agent talks to Bowline. Whoever asks what a line could destroy needs the guard's
//! parser. What is not understood here is `None`, and counts as ordinary work.

/// The words of a text that no shell runs: only space, quotes and backslashes separate them. `None` if a quote is not closed.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
    let mut reader = Reader {
        rest: text,
        syntax: Syntax::Text,
    };
    let mut words = Words::default();
    while let Some(character) = reader.next() {
        match character {
            space if space.is_whitespace() => words.end_word(),
            quote @ ('\'' | '"') => reader.quoted(quote, words.word())?,
            '\\' => words.word().push(reader.next()?),
            other => words.word().push(other),
        }
    }
    words.end_word();
    Some(words.command)
}

/// The commands of a shell line, each as its words, if it does nothing but run them one after another. `None` if it does more: pipes,
/// substitutions, background jobs, output into files. The bodies of here-documents are left out.
pub(crate) fn commands(line: &str) -> Option<Vec<Vec<String>>> {
    let mut reader = Reader {
        rest: line,
        syntax: Syntax::Shell,
    };
    let mut words = Words::default();
    let mut commands = Vec::new();
    let mut documents = Vec::new();
    while let Some(character) = reader.next() {
        match character {
            ' ' | '\t' | '\r' => words.end_word(),
            '\n' => {
                commands.push(words.end_command());
                for end in documents.drain(..) {
                    reader.skip_document(end);
                }
            }
            ';' => commands.push(words.end_command()),
            '&' if reader.eat("&") => commands.push(words.end_command()),
            '|' if reader.eat("|") => commands.push(words.end_command()),
            '#' if words.is_between() => reader.skip_comment(),
            '<' => {
                words.end_word();
                // A file or a here-string only gives text to the command. Its word is taken for an argument, which does no harm.
                if !reader.eat("<<") && reader.eat("<") {
                    documents.push(reader.document_end()?);
                }
            }
            '>' => {
                words.drop_descriptor();
                reader.discarded_output()?;
            }
            '&' if reader.eat(">") => {
                words.end_word();
                reader.discarded_output()?;
            }
            '&' | '|' | '(' | ')' | '`' => return None,
            '$' if reader.rest.starts_with('\'') => return None,
            '$' => reader.expansion(words.word())?,
            quote @ ('\'' | '"') => reader.quoted(quote, words.word())?,
            '\\' if reader.eat("\n") => {}
            '\\' => words.word().push(reader.next()?),
            other => words.word().push(other),
        }
    }
    commands.push(words.end_command());
    commands.retain(|command| !command.is_empty());
    Some(commands)
}

/// The command that is being read, and its last word.
#[derive(Default)]
struct Words {
    command: Vec<String>,
    word: Option<String>,
}

impl Words {
    fn word(&mut self) -> &mut String {
        self.word.get_or_insert_default()
    }

    fn is_between(&self) -> bool {
        self.word.is_none()
    }

    fn end_word(&mut self) {
        self.command.extend(self.word.take());
    }

    fn end_command(&mut self) -> Vec<String> {
        self.end_word();
        std::mem::take(&mut self.command)
    }

    /// Ends the word before a `>`. Digits alone are no word, but say which output is meant.
    fn drop_descriptor(&mut self) {
        let word = self.word.take();
        let is_descriptor = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        self.command
            .extend(word.filter(|word| !is_descriptor(word)));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Text,
    Shell,
}

struct Reader<'a> {
    rest: &'a str,
    syntax: Syntax,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let character = characters.next()?;
        self.rest = characters.as_str();
        Some(character)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    fn skip_comment(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.rest = self.rest.get(end..).unwrap_or_default();
    }

    fn skip_line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Reads to the end of a quoted part.
    fn quoted(&mut self, quote: char, word: &mut String) -> Option<()> {
        let expands = quote == '"' && self.syntax == Syntax::Shell;
        loop {
            match self.next()? {
                end if end == quote => return Some(()),
                '\\' if quote == '"' => match self.next()? {
                    '\n' => {}
                    escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                    other => word.extend(['\\', other]),
                },
                '`' if expands => return None,
                '$' if expands => self.expansion(word)?,
                other => word.push(other),
            }
        }
    }

    /// What follows a `$`. A variable stays as it is written. The one substitution that runs nothing is `$(cat <<'EOF' … EOF)`.
    fn expansion(&mut self, word: &mut String) -> Option<()> {
        if !self.eat("(") {
            word.push('$');
            return Some(());
        }
        self.skip_blanks();
        let is_document = self.eat("cat") && {
            self.skip_blanks();
            self.eat("<<")
        };
        if !is_document {
            return None;
        }
        let end = self.document_end()?;
        if !self.skip_line().trim().is_empty() {
            return None;
        }
        self.skip_document(end);
        self.rest = self.rest.trim_start();
        self.eat(")").then_some(())
    }

    /// The word that ends a here-document.
    fn document_end(&mut self) -> Option<&'a str> {
        self.eat("-");
        self.skip_blanks();
        let quote = self
            .rest
            .get(..1)
            .filter(|first| matches!(*first, "'" | "\""));
        let (end, rest) = if let Some(quote) = quote {
            self.rest.strip_prefix(quote)?.split_once(quote)?
        } else {
            let is_end = |next: char| next.is_whitespace() || ";&|<>()".contains(next);
            let length = self.rest.find(is_end).unwrap_or(self.rest.len());
            self.rest.split_at_checked(length)?
        };
        self.rest = rest;
        Some(end).filter(|end| !end.is_empty())
    }

    fn skip_document(&mut self, end: &str) {
        while !self.rest.is_empty() {
            let line = self.skip_line();
            if line.trim_start_matches('\t').trim_end_matches('\r') == end {
                return;
            }
        }
    }

    /// The target of a `>` that loses nothing: another output, or nowhere.
    fn discarded_output(&mut self) -> Option<()> {
        self.eat(">");
        if !(self.eat("&1") || self.eat("&2")) {
            self.skip_blanks();
            if !self.eat("/dev/null") {
                return None;
            }
        }
        let ends_word = |next: char| next.is_whitespace() || ";&|)".contains(next);
        let ends = self.rest.is_empty() || self.rest.starts_with(ends_word);
        ends.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_at_space_outside_quotes() {
        for (text, expected) in [
            ("", Some(&[][..])),
            ("  a  b\n c ", Some(&["a", "b", "c"])),
            ("'a b' \"c d\"", Some(&["a b", "c d"])),
            ("a'b c'd", Some(&["ab cd"])),
            ("''", Some(&[""])),
            ("\"a \\\"b\\\" \\n\"", Some(&["a \"b\" \\n"])),
            ("'a\\'", Some(&["a\\"])),
            ("a\\ b", Some(&["a b"])),
            (
                "a; b | c > d $(e) `f`",
                Some(&["a;", "b", "|", "c", ">", "d", "$(e)", "`f`"]),
            ),
            ("\"$(e) `f`\"", Some(&["$(e) `f`"])),
            ("it's", None),
            ("\"a", None),
            ("a\\", None),
        ] {
            let expected =
                expected.map(|words| words.iter().map(|&word| word.to_owned()).collect());
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_is_split_into_commands() {
        for (line, expected) in [
            ("", Some("")),
            ("a b", Some("a,b")),
            ("a && b || c; d\ne", Some("a/b/c/d/e")),
            ("a 'x; y | z' \"&& `\\`\"", None),
            (
                "a 'x; y | z $(q) `q`' \"&& \\` \\$(q)\"",
                Some("a,x; y | z $(q) `q`,&& ` $(q)"),
            ),
            ("a \\\n b", Some("a,b")),
            ("a \"$HOME/x\" ${y}", Some("a,$HOME/x,${y}")),
            ("a # b; c | d\ne", Some("a/e")),
            ("a b#c", Some("a,b#c")),
            ("a 2>&1", Some("a")),
            ("a >/dev/null 2>&1; b", Some("a/b")),
            ("a x2 > /dev/null", Some("a,x2")),
            ("a &>/dev/null && b", Some("a/b")),
            ("a > file", None),
            ("a >> file", None),
            ("a > /dev/nullx", None),
            ("a >&3", None),
            ("a | b", None),
            ("a |& b", None),
            ("a & b", None),
            ("(a)", None),
            ("a $(b)", None),
            ("a \"$(b)\"", None),
            ("a `b`", None),
            ("a <(b)", None),
            ("a $'b\\'c'", None),
            ("a 'b", None),
            ("a < file", Some("a,file")),
            ("a <<< text", Some("a,text")),
            ("a <<EOF\nb; c | d\nEOF\ne", Some("a/e")),
            ("a <<'EOF' && b\nc\nEOF", Some("a/b")),
            ("a <<-\"E F\"\n\tc\n\tE F\nd", Some("a/d")),
            ("a <<A <<B\n1\nA\n2\nB\nc", Some("a/c")),
            ("a <<EOF\r\nb | c\r\nEOF\r\n", Some("a")),
            ("a <<EOF\nb | c", Some("a")),
            ("a <<", None),
            ("a \"$(cat <<'EOF'\nb \"c\" | `d`\nEOF\n)\"", Some("a,")),
            ("a $( cat << EOF\nb\nEOF\n) e", Some("a,,e")),
            ("a \"$(cat <<'EOF' | b\nc\nEOF\n)\"", None),
            ("a \"$(cat <<'EOF'\nb\nEOF\nc\n)\"", None),
            ("a \"$(cat file)\"", None),
            ("a \"$(cat <<'EOF'\nb", None),
        ] {
            let found = commands(line).map(|commands| {
                let commands: Vec<String> = commands.iter().map(|words| words.join(",")).collect();
                commands.join("/")
            });
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_too_strange(line in "([a-c '\"$()<>|&;#\\\\\n\r`0-9é]|<<EOF|\nEOF\n|\\$\\(cat ){0,30}") {
            let _ = (words(&line), commands(&line));
        }
    }
}
