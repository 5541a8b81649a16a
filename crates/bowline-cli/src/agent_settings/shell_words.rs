//! Words in a line for a shell, as Bowline writes them into settings.

use bowline_agents::shell_word;

/// A word of the line of a hook. Some agents (Grok) put the values of variables into it before the shell sees it, also between single
/// quotes, and do not run it where one is not set: so no name follows a `$`.
pub(crate) fn for_a_hook(word: &str) -> String {
    shell_word(word).replace('$', "$''")
}

/// The words of a line as [`shell_word`] writes them: plain, or between single quotes.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next()? {
                        '\'' => break,
                        letter => word.push(letter),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(letters.next()?),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let said = ["/opt/my bin/x", "it's", "--home=/h", "", "a\\b", "$HOME"];
        let line: Vec<String> = said.into_iter().map(shell_word).collect();
        assert_eq!(words(&line.join(" ")).unwrap(), said);
        assert_eq!(words("'open"), None);
    }

    #[test]
    fn a_word_of_a_hook_is_what_it_was() {
        for (word, expected) in [
            ("/opt/bin/bowline-hook", "/opt/bin/bowline-hook"),
            ("/opt/my bin", "'/opt/my bin'"),
            ("/opt/ann's", r"'/opt/ann'\''s'"),
            ("/opt/$HOME/x", "'/opt/$''HOME/x'"),
        ] {
            assert_eq!(for_a_hook(word), expected);
            let said = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", for_a_hook(word))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), word);
        }
    }
}
