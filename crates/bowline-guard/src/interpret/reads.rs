//! What a shell runs, by its arguments.

/// How a shell finds what it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// A text in its arguments, and where the words after it begin.
    Text(usize),
    /// Its standard input; the words after it begin there.
    StandardInput(usize),
    /// A file.
    File(usize),
    /// It runs nothing, and only checks syntax or tells about itself.
    Nothing,
}

/// How a shell's arguments tell what it runs. One that is not known is nothing.
pub(crate) fn reads(name: &str, args: &[Option<&str>]) -> Reads {
    let mut at = 0;
    while let Some(item) = args.get(at) {
        let Some(text) = *item else {
            return Reads::File(at);
        };
        match text {
            "--" | "-" => {
                return if args.get(at + 1).is_some() {
                    Reads::File(at + 1)
                } else {
                    Reads::StandardInput(at + 1)
                };
            }
            "--command" | "--commands" => return Reads::Text(at + 1),
            "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O" => at += 2,
            "--version" | "--help" | "--dump-strings" => return Reads::Nothing,
            _ if text.starts_with("--") => at += 1,
            _ if text.starts_with(['-', '+']) => {
                let letters = text.get(1..).unwrap_or_default();
                if letters.contains('n') && !letters.contains('c') && name != "fish" {
                    return Reads::Nothing;
                }
                // `-eo pipefail -c text`: letters may be gathered, and `o` takes the next word.
                let takes_word =
                    usize::from(letters.contains(['o', 'O']) && !text.starts_with("--"));
                if letters.contains('c') {
                    let mut text_at = at + 1 + takes_word;
                    while let Some(next) = args.get(text_at).copied().flatten() {
                        if next == "--" {
                            text_at += 1;
                        } else if next.len() > 1
                            && next.starts_with(['-', '+'])
                            && !next.contains(' ')
                        {
                            text_at += if matches!(next, "-o" | "+o" | "-O" | "+O") {
                                2
                            } else {
                                1
                            };
                        } else {
                            break;
                        }
                    }
                    return Reads::Text(text_at);
                }
                if letters.contains('s') {
                    let next =
                        at + 1 + usize::from(args.get(at + 1).copied().flatten() == Some("--"));
                    return Reads::StandardInput(next);
                }
                at += 1 + takes_word;
            }
            _ => return Reads::File(at),
        }
    }
    Reads::StandardInput(args.len())
}
