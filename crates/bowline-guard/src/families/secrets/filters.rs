//! Programs that let no secret through: counts, yes-or-no questions, and names without their values.

use crate::families::args::UNKNOWN;

/// What of its input a program prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lets {
    /// Nothing that discloses: a number, an answer, keys, or what is no secret in it.
    Nothing,
    /// Of lines like `NAME=value` the names.
    Names,
    Everything,
}

/// What a program with these arguments lets through.
pub(super) fn lets(name: &str, args: &[&str]) -> Lets {
    if args.contains(&UNKNOWN) {
        return Lets::Everything;
    }
    let found = match name {
        "wc" | "md5sum" | "sha1sum" | "sha256sum" | "sha512sum" | "shasum" | "cksum" | "b2sum"
        | "test" | "[" | "true" => Some(Lets::Nothing),
        "grep" | "egrep" | "fgrep" | "rg" | "ggrep" => grep(args),
        "cut" | "gcut" => cut(args),
        "awk" | "gawk" | "mawk" | "nawk" => awk(args),
        "sed" | "gsed" => sed(args),
        "jq" | "yq" | "gojq" | "jaq" => query(args),
        _ => None,
    };
    found.unwrap_or(Lets::Everything)
}

/// The value of an option, glued to it or in the next word.
fn value<'arg>(args: &[&'arg str], short: &str, long: &str) -> Option<&'arg str> {
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if *arg == short || *arg == long {
            return rest.next().copied();
        }
        let glued = arg.strip_prefix(short).filter(|_| !arg.starts_with("--"));
        let joined = arg.strip_prefix(long).and_then(|it| it.strip_prefix('='));
        if let Some(found) = glued.or(joined) {
            return Some(found);
        }
    }
    None
}

/// Whether single letters or long options of these names are given.
fn has(args: &[&str], letters: &[char], longs: &[&str]) -> bool {
    args.iter().any(|arg| match arg.strip_prefix("--") {
        Some(long) => longs.contains(&long),
        None => arg
            .strip_prefix('-')
            .is_some_and(|it| it.contains(letters) && it.chars().all(|c| c.is_ascii_alphabetic())),
    })
}

fn cut(args: &[&str]) -> Option<Lets> {
    let delimiter = value(args, "-d", "--delimiter")?;
    let fields = value(args, "-f", "--fields")?;
    let complement = has(args, &[], &["complement"]);
    (delimiter == "=" && fields == "1" && !complement).then_some(Lets::Names)
}

fn grep(args: &[&str]) -> Option<Lets> {
    if has(
        args,
        &['c', 'q', 'l', 'L'],
        &[
            "count",
            "quiet",
            "silent",
            "files-with-matches",
            "files-without-match",
        ],
    ) {
        return Some(Lets::Nothing);
    }
    let pattern = args.iter().find(|it| !it.starts_with('-'))?;
    let only = has(args, &['o'], &["only-matching"]);
    (only && matches_names(pattern)).then_some(Lets::Names)
}

/// Whether an expression matches no more than a name at the beginning of a line: `^[A-Z_]*`.
fn matches_names(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else {
        return false;
    };
    let rest = rest.strip_prefix("export ").unwrap_or(rest);
    let rest = rest.strip_suffix("(?==)").unwrap_or(rest);
    let mut rest = rest.strip_suffix('=').unwrap_or(rest);
    while let Some(c) = rest.chars().next() {
        let after = if c == '[' {
            let Some((class, after)) = rest.get(1..).and_then(|it| it.split_once(']')) else {
                return false;
            };
            let leaves_values_out = match class.strip_prefix('^') {
                Some(excluded) => excluded.contains('='),
                None => !class.contains('='),
            };
            if !leaves_values_out {
                return false;
            }
            after
        } else if let Some(after) = rest.strip_prefix("\\w") {
            after
        } else if c.is_alphanumeric() || c == '_' {
            rest.get(c.len_utf8()..).unwrap_or_default()
        } else {
            return false;
        };
        rest = after.trim_start_matches(['*', '+', '?', '\\']);
    }
    true
}

fn awk(args: &[&str]) -> Option<Lets> {
    let separator = value(args, "-F", "--field-separator");
    let mut words = args.iter().enumerate().filter(|(at, it)| {
        let is_value = at
            .checked_sub(1)
            .and_then(|before| args.get(before))
            .is_some_and(|before| matches!(*before, "-F" | "-v" | "--field-separator"));
        !it.starts_with('-') && !is_value
    });
    let (_, program) = words.next()?;
    if prints_no_line(program) {
        return Some(Lets::Nothing);
    }
    let compact: String = program.chars().filter(|c| !c.is_whitespace()).collect();
    let splits = separator == Some("=") || compact.contains("FS=\"=\"");
    (splits && prints_first_field(&compact)).then_some(Lets::Names)
}

/// Whether a program prints names of files and counts, and nothing of what is in them.
fn prints_no_line(program: &str) -> bool {
    let words = [
        "print", "printf", "FILENAME", "NR", "FNR", "NF", "next", "nextfile", "exit",
    ];
    let mut parts = program.split('{');
    let first = parts.next().unwrap_or_default();
    // A condition without a block prints the line.
    let is_condition = |text: &str| !text.contains([';', '\n', '$', '|', '>']);
    let mut before = first;
    let mut blocks = 0;
    for part in parts {
        let Some((block, after)) = part.split_once('}') else {
            return false;
        };
        let bare: String = block.split('"').step_by(2).collect::<Vec<_>>().join(" ");
        let names = bare.split(|c: char| !(c.is_alphanumeric() || "$_|>".contains(c)));
        let mut names = names.filter(|it| !it.is_empty());
        let harmless = |it: &str| words.contains(&it) || it.chars().all(|c| c.is_ascii_digit());
        let mut statements = bare.split([';', '\n']);
        let whole = |it: &str| it.trim() == "print" && !block.contains('"');
        if !is_condition(before) || statements.any(whole) || !names.all(harmless) {
            return false;
        }
        before = after.trim_start_matches([';', '\n', ' ']);
        blocks += 1;
    }
    blocks > 0 && before.trim().is_empty()
}

/// Whether a program without blanks prints nothing of a line but its first field.
fn prints_first_field(program: &str) -> bool {
    let mut blocks = program
        .split('{')
        .skip(1)
        .filter_map(|it| it.split('}').next());
    let mut prints = false;
    let clean = blocks.all(|block| {
        let bare: String = block.split('"').step_by(2).collect::<Vec<_>>().join("\"");
        let bare = ["length($2)", "length($0)"]
            .iter()
            .fold(bare, |text, it| text.replace(it, ""));
        let fields_fine = bare.split('$').skip(1).all(|it| {
            it.starts_with('1')
                && !it.starts_with(|c: char| c.is_ascii_digit() && c != '1')
                && !it
                    .get(1..)
                    .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        });
        let mut statements = bare.split(';').filter(|it| it.contains("print"));
        let whole = statements.any(|it| !it.contains("$1") && !it.contains('"'));
        prints |= bare.contains("print$1") || bare.contains("printf");
        fields_fine && !whole && !bare.contains("getline") && !bare.contains("system(")
    });
    clean && prints
}

/// `s/=.*//`: everything behind the sign goes.
fn sed(args: &[&str]) -> Option<Lets> {
    let scripts: Vec<&str> = {
        let mut given = Vec::new();
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if matches!(*arg, "-e" | "--expression") {
                given.extend(rest.next());
            }
        }
        given
    };
    let script = match scripts.as_slice() {
        [only] => *only,
        [] => args.iter().find(|it| !it.starts_with('-'))?,
        _ => return None,
    };
    let rest = script.trim().strip_prefix('s')?;
    let delimiter = rest.chars().next()?;
    let mut parts = rest.get(delimiter.len_utf8()..)?.split(delimiter);
    let (pattern, with, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let all_behind = matches!(
        pattern,
        "=.*" | "=.*$" | "=.+" | "=.+$" | "=.\\+" | "\\(=\\).*" | "(=).*" | "\\(=\\).*$" | "(=).*$"
    );
    let groups = pattern.contains('(');
    let keeps = with.contains('&') || (with.contains('\\') && !groups);
    let plain = parts.next().is_none() && flags.chars().all(|c| "gpiI".contains(c));
    (all_behind && !keeps && plain).then_some(Lets::Names)
}

/// What says nothing about a secret in what tools print about one.
#[rustfmt::skip]
const HARMLESS_FIELDS: &[&str] = &[
    "ttl", "expire_time", "creation_time", "creation_ttl", "explicit_max_ttl", "renewable", "policies",
    "display_name", "path", "type", "num_uses", "orphan", "issue_time", "lease_duration", "version",
    "created_time", "deletion_time", "destroyed", "current_version", "expires_in", "expiresOn", "expiration",
    "token_type", "kind", "apiVersion", "namespace", "creationTimestamp", "labels", "ARN", "CreatedDate",
    "VersionId", "Name", "scope", "scopes", "project_id", "client_email", "name", "server", "cluster",
];

/// Queries for keys, lengths and answers.
fn query(args: &[&str]) -> Option<Lets> {
    let mut words = args.iter().filter(|it| !it.starts_with('-'));
    let mut expression = *words.next()?;
    // Some take a command first.
    if matches!(expression, "e" | "eval" | "ea") {
        expression = words.next()?;
    }
    let bare: String = expression.split('"').step_by(2).collect();
    let depth_of_commas = bare
        .chars()
        .fold((0_i32, false), |(depth, found), c| match c {
            '(' | '[' | '{' => (depth + 1, found),
            ')' | ']' | '}' => (depth - 1, found),
            ',' if depth == 0 => (depth, true),
            _ => (depth, found),
        });
    if depth_of_commas.1 || bare.contains("input") || bare.contains("env") || bare.contains('{') {
        return None;
    }
    let stages: Vec<&str> = bare.split('|').map(str::trim).collect();
    let tells_keys = stages.iter().any(|it| {
        let plain = it.trim_end_matches("[]").trim_end_matches('?');
        matches!(plain, "keys" | "keys_unsorted" | "length" | "type")
            || plain.starts_with("has(")
            || plain.ends_with("|keys")
    });
    let last = stages.last().copied().unwrap_or_default();
    let answers = last.contains("==") || last.contains("!=");
    let is_path = last.starts_with('.')
        && last
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '?' | '[' | ']'));
    let harmless = is_path
        && last
            .rsplit('.')
            .next()
            .is_some_and(|it| HARMLESS_FIELDS.contains(&it.trim_end_matches(['?', '[', ']'])));
    (tells_keys || answers || harmless).then_some(Lets::Nothing)
}
