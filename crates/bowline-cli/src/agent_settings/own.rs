//! Files that are Bowline's own as a whole. They say in one line that they are, and by a digest whether somebody has changed them since:
//! then they are nobody's to touch.

use super::Unfit;

/// How a language begins a comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comment(pub(super) &'static str);

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Own<'a> {
    /// There is nothing in it.
    Nothing,
    /// Bowline wrote it, whichever version: the text without its mark.
    Text(Vec<&'a str>),
}

/// What the mark says beside the version and the digest.
const MARK: &str =
    "written by `bowline init`, which brings it up to date; `bowline uninstall` removes it";

impl Comment {
    /// A file of Bowline's own, with its mark between these parts.
    pub(super) fn mark(self, before: &str, after: &str) -> String {
        let (version, digest) = (env!("CARGO_PKG_VERSION"), digest(&[before, after]));
        let comment = self.0;
        format!("{before}{comment} bowline {version} {digest}: {MARK}\n{after}")
    }

    /// What is in a file, unless it is somebody else's, or somebody has changed it.
    pub(super) fn read(self, text: &str) -> Result<Own<'_>, Unfit> {
        if text.trim().is_empty() {
            return Ok(Own::Nothing);
        }
        let (at, mark) = self
            .mark_in(text)
            .ok_or_else(|| unfit(1, "it is not Bowline's"))?;
        let lines = text.split_inclusive('\n').enumerate();
        let others = lines.filter(|(it, _)| *it != at);
        let others: Vec<&str> = others.map(|(_, line)| line).collect();
        let says = mark.split(' ').nth(3);
        if says.and_then(|it| it.strip_suffix(':')) != Some(digest(&others).as_str()) {
            return Err(unfit(at + 1, "somebody has changed what Bowline wrote"));
        }
        Ok(Own::Text(others))
    }

    /// Whether a text has the mark, whoever has changed it since.
    pub(super) fn marks(self, text: &str) -> bool {
        self.mark_in(text).is_some()
    }

    /// The line of the mark, and its place.
    fn mark_in(self, text: &str) -> Option<(usize, &str)> {
        let begins = format!("{} bowline ", self.0);
        let mut lines = text.split_inclusive('\n').enumerate();
        lines.find(|(_, line)| line.starts_with(&begins))
    }
}

fn unfit(line: usize, what: &str) -> Unfit {
    Unfit {
        line,
        message: format!("{what}, so that it stays as it is"),
    }
}

/// A short digest of a text in parts. It tells a change from none, and nothing else.
fn digest(parts: &[&str]) -> String {
    let mut hash = hmac_sha256::Hash::new();
    for part in parts {
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let bytes = digest.iter().take(8);
    let number = bytes.fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: Comment = Comment("#");

    #[test]
    fn what_bowline_wrote_is_told_from_what_others_did() {
        let ours = HASH.mark("#!/bin/sh\n", "exec x\n");
        assert!(
            ours.starts_with("#!/bin/sh\n# bowline ") && ours.ends_with("\nexec x\n"),
            "{ours}"
        );
        assert_eq!(
            HASH.read(&ours),
            Ok(Own::Text(vec!["#!/bin/sh\n", "exec x\n"]))
        );
        let older = ours.replacen(env!("CARGO_PKG_VERSION"), "0.0.1", 1);
        assert!(matches!(HASH.read(&older), Ok(Own::Text(_))));
        for nothing in ["", "\n", " \n\n"] {
            assert_eq!(HASH.read(nothing), Ok(Own::Nothing));
        }
        let changed = ours.replace("exec x", "exec y");
        let longer = format!("{ours}exit\n");
        let forged = "# bowline\n";
        for (text, line, what) in [
            (changed.as_str(), 2, "somebody has changed"),
            (&longer, 2, "somebody has changed"),
            ("#!/bin/sh\nexec x\n", 1, "it is not Bowline's"),
            (forged, 1, "it is not Bowline's"),
            ("# bowline 1\n", 1, "somebody has changed"),
        ] {
            let unfit = HASH.read(text).unwrap_err();
            assert_eq!(unfit.line, line, "{text}");
            assert!(unfit.message.starts_with(what), "{text}: {unfit}");
        }
    }
}
