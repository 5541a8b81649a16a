//! Here-documents whose text is only text: what bounds the work need not count it.

use std::borrow::Cow;

/// The text without the bodies of here-documents with a quoted delimiter, where it is plain that they are such:
/// nothing before the operator quotes, comments, substitutes or calculates.
pub(super) fn without_bodies(text: &str) -> Cow<'_, str> {
    if !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let Some(delimiter) = delimiter(line) else {
            // What is not plain may quote what follows.
            if !is_plain(line) {
                break;
            }
            kept.push_str(line);
            kept.push('\n');
            rest = after;
            continue;
        };
        kept.push_str(line);
        kept.push('\n');
        let end = after
            .split_inclusive('\n')
            .scan(0, |at, body| {
                *at += body.len();
                Some((*at, body.trim_end_matches('\n')))
            })
            .find(|(_, body)| *body == delimiter);
        let Some((end, _)) = end else {
            break;
        };
        kept.push_str(delimiter);
        kept.push('\n');
        rest = after.get(end..).unwrap_or_default();
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

fn is_plain(line: &str) -> bool {
    !line.contains([
        '\'', '"', '`', '\\', '#', '(', ')', '[', ']', '{', '}', '$', '\r',
    ])
}

/// The delimiter of the one here-document that begins in a line, if it is quoted.
fn delimiter(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("<<")?;
    let quote = ['\'', '"'].into_iter().find(|it| after.starts_with(*it))?;
    let (delimiter, rest) = after.get(1..)?.split_once(quote)?;
    let word = !delimiter.is_empty() && delimiter.chars().all(|c| c.is_alphanumeric() || c == '_');
    (word && is_plain(before) && is_plain(rest) && !rest.contains("<<") && !before.contains('<'))
        .then_some(delimiter)
}

#[cfg(test)]
mod tests {
    use super::without_bodies;

    #[test]
    fn only_plain_documents_are_left_out() {
        for (text, kept) in [
            ("cat > x <<'E'\n((((\nE\nls\n", "cat > x <<'E'\nE\nls\n"),
            (
                "cd a && cat <<\"E\" > x\n${${\nE\n",
                "cd a && cat <<\"E\" > x\nE\n",
            ),
            (
                "cat <<'A'\n(\nA\ncat <<'B'\n(\nB\n",
                "cat <<'A'\nA\ncat <<'B'\nB\n",
            ),
        ] {
            assert_eq!(without_bodies(text), kept, "{text}");
        }
        for text in [
            "cat <<E\n((((\nE\n",
            "echo \"<<'E'\"\n((((\nE\n",
            "echo 'x\n<<'E'\n((((\nE\n",
            "# <<'E'\n((((\nE\n",
            "x=$((1 <<'E'\n((((\nE\n",
            "cat <<<'E'\n((((\nE\n",
            "cat <<'E'\n((((\n",
            "cat <<'A' <<'B'\n((((\nA\nB\n",
            "echo \\\ncat <<'E'\n(\nE\n",
        ] {
            assert_eq!(without_bodies(text), text, "{text}");
        }
    }
}
