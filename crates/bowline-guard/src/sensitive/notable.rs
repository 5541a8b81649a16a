//! Names that are worth a note when a file is read, though nothing is said against it.

use crate::paths::ResolvedPath;

/// Endings of data that was taken out of a database.
const DATA_ENDINGS: &[&str] = &[".sql", ".dump", ".backup"];

/// What a name may speak of.
const SPEAKING: &[&str] = &[
    "secret",
    "password",
    "credential",
    "token",
    "apikey",
    "api_key",
    "api-key",
];

/// Why a file's name is worth a note; `None` for most. It changes no verdict: code about passwords
/// and dumps without secrets are read every day.
pub fn notable(path: &ResolvedPath) -> Option<&'static str> {
    path.spellings().find_map(|spelling| {
        let name = spelling.rsplit('/').next()?.to_ascii_lowercase();
        if DATA_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            Some("a dump of a database may hold personal data")
        } else if SPEAKING.iter().any(|word| name.contains(word)) {
            Some("its name speaks of a secret")
        } else {
            None
        }
    })
}
