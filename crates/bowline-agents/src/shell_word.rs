//! Words of a line for a POSIX shell.

/// A word as one writes it in a shell, so that it is read as it stands and its ends can be seen.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_their_ends_would_be_lost() {
        for (word, expected) in [
            ("--flag=1", "--flag=1"),
            ("a@b:1", "a@b:1"),
            ("", "''"),
            ("my data", "'my data'"),
            ("it's", r"'it'\''s'"),
            ("~", "'~'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }
}
