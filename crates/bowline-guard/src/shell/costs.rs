//! What reading a text will cost, counted before it is read.

/// A text of at most this many bytes is read in no time: counting what is in it would cost more than reading it.
pub(crate) const UNCOUNTED: usize = 1_000;

/// How many commands and expansions there are, outside of here-documents and quotes as far as these are plain to see.
pub(super) fn parts(text: &str) -> usize {
    let mut count = 0;
    for_each_plain(text, |byte, quotes| {
        count += usize::from(match byte {
            b'$' | b'`' | b'\n' => true,
            b';' | b'|' | b'&' | b'<' | b'>' | b'(' => quotes == Quotes::None,
            _ => false,
        });
    });
    count
}

/// How often substituted text is read: with the text around it, and by itself.
const SUBSTITUTED: usize = 3;

/// How many words, operators and quotes there are, outside of here-documents and quotes as far as these are plain to see.
pub(crate) fn words(text: &str) -> usize {
    let mut count = 1;
    let mut previous = b' ';
    let mut substitutions = 0_usize;
    for_each_plain(text, |byte, quotes| {
        let is_blank = |it: u8| matches!(it, b' ' | b'\t');
        let bare = quotes == Quotes::None || substitutions > 0;
        let counts = match byte {
            b'$' | b'`' | b'"' | b'\'' | b'\n' => true,
            b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b'{' => bare,
            other => bare && is_blank(previous) && !is_blank(other),
        };
        let times = if substitutions > 0 { SUBSTITUTED } else { 1 };
        count += if counts { times } else { 0 };
        match byte {
            b'(' if previous == b'$' => substitutions += 1,
            b')' => substitutions = substitutions.saturating_sub(1),
            _ => {}
        }
        previous = byte;
    });
    count
}

/// How often something opens whose end has to be searched.
pub(super) fn openings(text: &str) -> usize {
    let mut previous = 0;
    let mut count = 0;
    for_each_certain(text, |_, byte, quotes| {
        let bare = quotes == Quotes::None;
        count += usize::from(match byte {
            b'`' => true,
            b'{' => bare || previous == b'$',
            b'(' => previous == b'$' || (bare && matches!(previous, b'<' | b'>')),
            b'<' => bare && previous == b'<',
            b'[' => previous == b'$',
            _ => false,
        });
        previous = byte;
    });
    count
}

/// How far the parser looks ahead, all in all: from each `(` to the blank or operator that ends its word.
pub(super) fn looked_ahead(text: &str) -> usize {
    if !text.contains('(') {
        return 0;
    }
    // For each level of parentheses, how many of them are closed, and in a word that goes on.
    let mut closed: Vec<usize> = vec![0];
    let mut looking = 0_usize;
    let mut total = 0_usize;
    let mut last = 0;
    for_each_certain(text, |at, byte, quotes| {
        total = total.saturating_add(looking.saturating_mul(at - last));
        last = at;
        if quotes != Quotes::None {
            return;
        }
        match byte {
            b'(' => {
                looking += 1;
                closed.push(0);
            }
            b')' if closed.len() > 1 => {
                looking -= closed.pop().unwrap_or(0);
                if let Some(level) = closed.last_mut() {
                    *level += 1;
                }
            }
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b')' => {
                if let Some(level) = closed.last_mut() {
                    looking -= std::mem::take(level);
                }
            }
            _ => {}
        }
    });
    total
}

/// How far the parser looks for the ends of braces, all in all: from each `{` to its `}`, whether they are quoted or not.
pub(super) fn looked_for_braces(text: &str) -> usize {
    let mut open = 0_usize;
    let mut total = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'{' => open += 1,
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        total = total.saturating_add(open);
    }
    total
}

/// What a byte of a text stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    None,
    /// Double quotes, or a here-document that is expanded.
    Double,
    Single,
    /// `$'…'`, in which a quote may be escaped.
    Ansi,
}

/// Goes through the bytes of a text that are not escaped, not in single quotes, not in a comment, and not in a
/// here-document, as far as these are plain to see. Of a here-document only the beginnings of expansions count. A text made
/// for it can hide some.
fn for_each_plain(text: &str, mut see: impl FnMut(u8, Quotes)) {
    let mut document: Option<HereDocument<'_>> = None;
    let mut quotes = Quotes::None;
    for line in text.split('\n') {
        if let Some(HereDocument {
            delimiter,
            expanded,
        }) = document
        {
            if line.trim_start_matches('\t') == delimiter {
                document = None;
            } else if expanded {
                let begins = line.bytes().filter(|byte| matches!(byte, b'$' | b'`'));
                begins.for_each(|byte| see(byte, Quotes::Double));
            }
            continue;
        }
        let mut previous = b' ';
        let mut escaped = false;
        for byte in line.bytes() {
            match (quotes, byte) {
                _ if escaped => escaped = false,
                (Quotes::Single | Quotes::Ansi, b'\'') | (Quotes::Double, b'"') => {
                    quotes = Quotes::None;
                }
                (Quotes::None | Quotes::Double | Quotes::Ansi, b'\\') => escaped = true,
                (Quotes::Single | Quotes::Ansi, _) => {}
                (Quotes::None, b'"' | b'\'') => {
                    see(byte, quotes);
                    quotes = match (byte, previous) {
                        (b'"', _) => Quotes::Double,
                        (_, b'$') => Quotes::Ansi,
                        _ => Quotes::Single,
                    };
                }
                (Quotes::None, b'#') if previous.is_ascii_whitespace() => break,
                (Quotes::None | Quotes::Double, other) => see(other, quotes),
            }
            previous = byte;
        }
        if matches!(quotes, Quotes::None | Quotes::Double) {
            see(b'\n', quotes);
        }
        document = here_document(line).filter(|_| quotes == Quotes::None);
    }
}

/// Goes through all bytes of a text but those that surely are in single quotes or in a here-document that is not
/// expanded, each with its place. What is sure ends where something stands in which quotes may mean something else.
fn for_each_certain(text: &str, mut see: impl FnMut(usize, u8, Quotes)) {
    let mut document: Option<HereDocument<'_>> = None;
    let mut quotes = Quotes::None;
    let mut certain = true;
    let mut next = 0;
    for line in text.split('\n') {
        let start = next;
        next += line.len() + 1;
        if let Some(HereDocument {
            delimiter,
            expanded,
        }) = document
        {
            if line.trim_start_matches('\t') == delimiter {
                document = None;
            } else if expanded {
                for (at, byte) in line.bytes().enumerate() {
                    see(start + at, byte, Quotes::Double);
                }
            }
            continue;
        }
        let mut previous = b' ';
        let mut operator = None;
        for (at, byte) in line.bytes().enumerate() {
            // Escapes, substitutions, arithmetic and comments have quotes of their own.
            certain &= quotes == Quotes::Single
                || match byte {
                    b'\\' | b'`' => false,
                    b'#' => quotes == Quotes::Double,
                    b'(' => !matches!(previous, b'$' | b'('),
                    b'{' | b'\'' => previous != b'$',
                    _ => true,
                };
            if !certain {
                quotes = Quotes::None;
            }
            match (quotes, byte) {
                _ if !certain => see(start + at, byte, quotes),
                (Quotes::Single, b'\'') | (Quotes::Double, b'"') => quotes = Quotes::None,
                (Quotes::Single | Quotes::Ansi, _) => {}
                (Quotes::None, b'"') => quotes = Quotes::Double,
                (Quotes::None, b'\'') => quotes = Quotes::Single,
                (Quotes::None | Quotes::Double, other) => see(start + at, other, quotes),
            }
            if certain && quotes == Quotes::None && byte == b'<' && previous == b'<' {
                operator.get_or_insert(at - 1);
            }
            previous = byte;
        }
        if quotes != Quotes::Single {
            see(start + line.len(), b'\n', quotes);
        }
        document = operator
            .filter(|_| certain && quotes == Quotes::None)
            .and_then(|at| here_document(line.get(at..)?));
    }
}

/// A here-document that begins in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct HereDocument<'t> {
    delimiter: &'t str,
    expanded: bool,
}

fn here_document(line: &str) -> Option<HereDocument<'_>> {
    let (_, rest) = line.split_once("<<")?;
    let written = rest.trim_start_matches('-').trim_start();
    let rest = written.trim_start_matches(['\'', '"', '\\']);
    let length = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let delimiter = rest.get(..length).filter(|word| !word.is_empty())?;
    Some(HereDocument {
        delimiter,
        expanded: rest.len() == written.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_cost_what_lies_in_them() {
        assert_eq!(looked_for_braces("a {b} c"), 2);
        assert_eq!(looked_for_braces("{{}}"), 4);
        assert_eq!(looked_for_braces("'{ { '"), 8);
        assert_eq!(looked_for_braces("}}}"), 0);
    }

    #[test]
    fn what_is_only_text_costs_nothing() {
        let body = "{ a(b) `c` $(d) }\n".repeat(10);
        for text in [
            format!("cat > f <<'EOF'\n{body}EOF\n"),
            format!("cat > f <<\"EOF\" && ls\n{body}EOF\n"),
            format!("echo '{body}'"),
        ] {
            assert_eq!(openings(&text), usize::from(text.contains("<<")), "{text}");
            assert!(looked_ahead(&text) < 10, "{text}");
            assert!(words(&text) < 20 && parts(&text) < 20, "{text}");
        }
    }

    #[test]
    fn what_may_be_read_counts() {
        let body = "{ a(b) `c` $(d) }\n".repeat(10);
        for text in [
            body.clone(),
            format!("cat > f <<EOF\n{body}EOF\n"),
            // None of these begins a here-document, whatever it looks like.
            format!("((x = 1 <<'EOF'))\n{body}EOF\n"),
            format!("echo \"<<'EOF'\"\n{body}EOF\n"),
            format!("cat <<< 'EOF'\n{body}EOF\n"),
            format!("# it's <<'EOF'\n{body}EOF\n"),
            // What is quoted here is not what it seems.
            format!("echo \"$(echo '\"')\"\n{body}'"),
            format!("echo $'\\''\n{body}"),
            format!("echo \\'\n{body}"),
        ] {
            assert!(openings(&text) >= 30, "{text}");
        }
        assert!(looked_ahead(&"chr(1)+".repeat(100)) > 30_000);
        assert!(looked_ahead(&"chr(1) + ".repeat(100)) < 2_000);
        assert_eq!(parts(&"a;".repeat(9)), 10);
        assert_eq!(
            parts("cat <<E\n$a `b`\nE"),
            parts("cat <<'E'\n$a `b`\nE") + 3
        );
        assert_eq!(words("a bc  d; e"), 1 + 4 + 1 + 1);
        assert_eq!(words("x=$(a b)"), 1 + 1 + 1 + 1 + 3 + 1);
    }
}
