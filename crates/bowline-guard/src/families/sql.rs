//! A small reader of SQL: statements, and which of them lose data.
//!
//! Comments and the contents of strings are data; blocks that run at once are code.

/// More tokens than this are not looked at; real statements are far shorter.
const MAX_TOKENS: usize = 20_000;

/// The search for bodies ends after this many dollars that open none.
const MAX_BODIES: usize = 64;

/// Whether a backslash in a string hides the next character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backslash {
    /// As in MySQL.
    Escapes,
    /// As in the standard.
    Plain,
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) loss: Loss,
    /// In words: "drops the table users".
    pub(super) what: String,
    /// What it is done to, lower case.
    pub(super) object: String,
}

/// How much a statement loses, from the mildest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Loss {
    /// Some rows, or what can be made again.
    Part,
    /// A table, a database, a column, or all rows.
    Whole,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A word, in capitals.
    Word(String),
    /// A quoted name, as written.
    Name(String),
    Text(String),
    Symbol(char),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(it) if it == word)
    }

    fn is_any(&self, words: &[&str]) -> bool {
        matches!(self, Self::Word(it) if words.contains(&it.as_str()))
    }

    fn shown(&self) -> String {
        match self {
            Self::Word(text) => text.to_lowercase(),
            Self::Name(text) | Self::Text(text) => text.clone(),
            Self::Symbol(symbol) => symbol.to_string(),
        }
    }
}

/// What the statements in `text` lose. What they have made themselves is no loss.
pub(super) fn findings(text: &str, backslash: Backslash) -> Vec<Finding> {
    let tokens = tokens(text, backslash);
    let mut found = Vec::new();
    let mut made: Vec<String> = Vec::new();
    for statement in tokens.split(|token| *token == Token::Symbol(';')) {
        let mut lost = Vec::new();
        judge(statement, backslash, &mut lost);
        found.extend(lost.into_iter().filter(|it| !made.contains(&it.object)));
        made.extend(makes(statement));
    }
    found
}

/// The tables that the statements in `text` make anew, lower case.
pub(super) fn made_by(text: &str) -> Vec<String> {
    tokens(text, Backslash::Plain)
        .split(|token| *token == Token::Symbol(';'))
        .filter_map(makes)
        .collect()
}

/// The table that a statement makes. One that may have been there before is not made.
fn makes(statement: &[Token]) -> Option<String> {
    let (first, rest) = statement.split_first()?;
    let at = rest.iter().position(|it| it.is("TABLE"))?;
    let (kind, named) = rest.split_at_checked(at)?;
    let made = first.is("CREATE")
        && kind
            .iter()
            .all(|it| it.is_any(&["TEMP", "TEMPORARY", "UNLOGGED", "VIRTUAL"]))
        && !named.get(1).is_some_and(|it| it.is("IF"));
    made.then(|| object(named, &["TABLE"]).to_lowercase())
}

/// Whether a text of a program is a statement rather than a word or a sentence: `delete`, `drop me a line`.
pub(super) fn is_statement(text: &str) -> bool {
    let tokens = tokens(text, Backslash::Escapes);
    tokens
        .split(|token| *token == Token::Symbol(';'))
        .any(|statement| {
            (0..statement.len()).any(|at| {
                let (verb, rest) = match statement.get(at..).and_then(<[Token]>::split_first) {
                    Some((Token::Word(verb), rest)) => (verb.as_str(), rest),
                    _ => return false,
                };
                let has = |words: &[&str]| rest.iter().any(|it| it.is_any(words));
                match verb {
                    "DELETE" => has(&["FROM", "WHERE"]),
                    "UPDATE" => has(&["SET"]),
                    "DROP" => rest.first().is_some_and(|it| it.is_any(DROPPED)),
                    "TRUNCATE" => names_tables(rest),
                    "ALTER" => rest.first().is_some_and(|it| it.is_any(DROPPED)),
                    "MERGE" | "COPY" | "DO" | "EXECUTE" | "EXEC" | "PREPARE" | "SHUTDOWN"
                    | "PURGE" | "RESET" => true,
                    _ => false,
                }
            })
        })
}

/// What a DROP or an ALTER names.
#[rustfmt::skip]
const DROPPED: &[&str] = &[
    "AGGREGATE", "BUCKET", "CATALOG", "COLLECTION", "COLUMN", "CONSTRAINT", "DATABASE", "DOMAIN", "EVENT",
    "EXTENSION", "FUNCTION", "GRAPH", "INDEX", "KEYSPACE", "MATERIALIZED", "MEASUREMENT", "OWNED", "POLICY",
    "PROCEDURE", "ROLE", "SCHEMA", "SEQUENCE", "SERIES", "SERVER", "STREAM", "TABLE", "TABLESPACE", "TRIGGER", "TYPE", "USER",
    "VIEW", "WAREHOUSE",
];

/// `TRUNCATE [TABLE] a, b [CASCADE]`: names and nothing else.
fn names_tables(rest: &[Token]) -> bool {
    let mut wants_name = true;
    let mut names = 0_usize;
    for token in rest.iter().filter(|it| {
        !it.is_any(&[
            "TABLE", "ONLY", "RESTART", "IDENTITY", "CONTINUE", "CASCADE", "RESTRICT",
        ])
    }) {
        match token {
            Token::Word(_) | Token::Name(_) | Token::Text(_) if !wants_name => return false,
            Token::Word(_) | Token::Name(_) | Token::Text(_) => {
                names += 1;
                wants_name = false;
            }
            Token::Symbol(_) => {
                wants_name = true;
                names += 1;
            }
        }
    }
    names > 0
}

fn tokens(text: &str, backslash: Backslash) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut line_start = true;
    let mut bodies_left = MAX_BODIES;
    while let Some(first) = rest.chars().next() {
        if found.len() >= MAX_TOKENS {
            break;
        }
        let starts_line = line_start;
        line_start = first == '\n' || (line_start && first.is_whitespace());
        let after = |count: usize| rest.get(count..).unwrap_or_default();
        rest = match first {
            '-' if rest.starts_with("--") => after(rest.find('\n').unwrap_or(rest.len())),
            '#' if starts_line => after(rest.find('\n').unwrap_or(rest.len())),
            // MySQL runs what stands in `/*! … */`.
            '/' if rest.starts_with("/*!") => {
                after(3).trim_start_matches(|it: char| it.is_ascii_digit())
            }
            '*' if rest.starts_with("*/") => after(2),
            '/' if rest.starts_with("/*") => after(rest.find("*/").map_or(rest.len(), |at| at + 2)),
            '\'' => {
                let extended = found.last().is_some_and(|it: &Token| it.is("E"));
                let mode = if extended {
                    Backslash::Escapes
                } else {
                    backslash
                };
                let (content, left) = quoted(after(1), '\'', mode);
                found.push(Token::Text(content));
                left
            }
            '"' | '`' => {
                let (content, left) = quoted(after(1), first, Backslash::Plain);
                found.push(Token::Name(content));
                left
            }
            '$' if bodies_left > 0 => {
                if let Some((body, left)) = dollar_body(rest) {
                    found.push(Token::Text(body.to_owned()));
                    left
                } else {
                    bodies_left -= 1;
                    after(1)
                }
            }
            _ if is_word(first) => {
                let end = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
                found.push(Token::Word(
                    rest.get(..end).unwrap_or_default().to_ascii_uppercase(),
                ));
                after(end)
            }
            _ if first.is_whitespace() => after(first.len_utf8()),
            _ => {
                found.push(Token::Symbol(first));
                after(first.len_utf8())
            }
        };
    }
    found
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '…'
}

/// The content up to the closing quote, which is doubled to stand for itself, and what follows.
fn quoted(text: &str, quote: char, backslash: Backslash) -> (String, &str) {
    let mut content = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && backslash == Backslash::Escapes {
            content.extend(characters.next().map(|(_, it)| it));
        } else if character == quote {
            let left = text.get(at + quote.len_utf8()..).unwrap_or_default();
            if !left.starts_with(quote) {
                return (content, left);
            }
            characters.next();
            content.push(quote);
        } else {
            content.push(character);
        }
    }
    (content, "")
}

/// `$$ … $$` or `$tag$ … $tag$`.
fn dollar_body(rest: &str) -> Option<(&str, &str)> {
    let end = rest.get(1..)?.find('$')? + 2;
    let (tag, after) = rest.split_at_checked(end)?;
    let named = tag.trim_matches('$');
    if !named.chars().all(is_word) || named.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    after.split_once(tag)
}

fn judge(statement: &[Token], backslash: Backslash, found: &mut Vec<Finding>) {
    let Some(first) = statement.first() else {
        return;
    };
    // An explanation does nothing; a block runs its text.
    if first.is("EXPLAIN") && !statement.iter().any(|it| it.is("ANALYZE")) {
        return;
    }
    if first.is_any(&["DO", "EXECUTE", "EXEC", "PREPARE"]) {
        for token in statement {
            if let Token::Text(body) = token {
                found.extend(block(body, backslash));
            }
        }
    }
    let verb = statement.iter().position(|it| {
        it.is_any(&[
            "DROP", "TRUNCATE", "DELETE", "UPDATE", "ALTER", "SELECT", "INSERT", "CREATE",
            "REPLACE", "MERGE", "COPY", "GRANT", "REVOKE", "COMMENT", "SHOW", "PURGE", "RESET",
            "SHUTDOWN", "DETACH", "EXPORT", "OPTIMIZE", "UPSERT", "REMOVE", "VACUUM", "ATTACH",
            "IMPORT", "LOAD", "PRAGMA",
        ])
    });
    let Some((verb, rest)) = verb.and_then(|at| statement.get(at..)?.split_first()) else {
        return;
    };
    let Token::Word(name) = verb else { return };
    match name.as_str() {
        "DROP" => found.extend(drop(rest)),
        "TRUNCATE" => found.push(whole(
            "empties the table",
            rest,
            &["TABLE", "ONLY", "IF", "EXISTS"],
        )),
        "DELETE" => found.push(delete(rest)),
        "UPDATE" => found.push(update(rest)),
        "ALTER" => found.extend(alter(rest)),
        "MERGE" if rest.iter().any(|it| it.is("DELETE")) => {
            found.push(part("deletes or changes rows of", rest, &["INTO"]));
        }
        "PURGE" | "RESET" if rest.iter().any(|it| it.is_any(&["BINARY", "MASTER"])) => {
            found.push(whole("deletes the binary logs", &[], &[]));
        }
        "SHUTDOWN" => found.push(whole("shuts the database server down", &[], &[])),
        "COPY" if rest.iter().any(|it| it.is("PROGRAM")) => {
            found.push(part("runs a program on the database server for", rest, &[]));
        }
        // `WITH gone AS (DELETE FROM …) SELECT …`
        "SELECT" | "INSERT" | "CREATE" => {
            if !first.is("WITH") {
                return;
            }
            let at = rest
                .iter()
                .position(|it| it.is_any(&["DELETE", "TRUNCATE"]));
            if let Some(tail) = at.and_then(|at| rest.get(at + 1..)) {
                found.push(delete(tail));
            }
        }
        _ => {}
    }
}

/// A block's statements; `EXECUTE 'text'` in it runs the text.
fn block(body: &str, backslash: Backslash) -> Vec<Finding> {
    let inner = tokens(body, backslash);
    let mut found = Vec::new();
    for statement in
        inner.split(|it| matches!(it, Token::Symbol(';')) || it.is("BEGIN") || it.is("LOOP"))
    {
        let dynamic = statement.iter().any(|it| it.is("EXECUTE"));
        for token in statement {
            if let Token::Text(text) = token
                && dynamic
            {
                for part in tokens(text, backslash).split(|it| *it == Token::Symbol(';')) {
                    judge_plain(part, &mut found);
                }
            }
        }
        judge_plain(statement, &mut found);
    }
    found
}

fn judge_plain(statement: &[Token], found: &mut Vec<Finding>) {
    if !statement
        .first()
        .is_some_and(|it| it.is_any(&["DO", "EXECUTE", "EXEC", "PREPARE"]))
    {
        judge(statement, Backslash::Plain, found);
    }
}

const FILLER: &[&str] = &[
    "IF",
    "EXISTS",
    "CONCURRENTLY",
    "ONLY",
    "NOT",
    "LOW_PRIORITY",
    "QUICK",
    "IGNORE",
];

/// The dotted name at the start of `rest`, after words that do not count.
fn object(rest: &[Token], skip: &[&str]) -> String {
    let mut name = String::new();
    let mut wants_more = true;
    for token in rest
        .iter()
        .skip_while(|it| it.is_any(skip) || it.is_any(FILLER))
    {
        match token {
            Token::Symbol('.') => wants_more = true,
            Token::Word(_) | Token::Name(_) | Token::Text(_) if wants_more => {
                if !name.is_empty() {
                    name.push('.');
                }
                name.push_str(&token.shown());
                wants_more = false;
            }
            _ => break,
        }
    }
    name
}

fn finding(loss: Loss, act: &str, rest: &[Token], skip: &[&str]) -> Finding {
    let object = object(rest, skip);
    let what = format!("{act} {object}").trim_end().to_owned();
    Finding {
        loss,
        what,
        object: object.to_lowercase(),
    }
}

fn whole(act: &str, rest: &[Token], skip: &[&str]) -> Finding {
    finding(Loss::Whole, act, rest, skip)
}

fn part(act: &str, rest: &[Token], skip: &[&str]) -> Finding {
    finding(Loss::Part, act, rest, skip)
}

fn drop(rest: &[Token]) -> Option<Finding> {
    let (kind, after) = rest.split_first()?;
    let Token::Word(kind) = kind else { return None };
    match kind.as_str() {
        "TEMPORARY" | "TEMP" => None,
        "TABLE" | "DATABASE" | "SCHEMA" | "KEYSPACE" | "COLLECTION" | "TABLESPACE" | "OWNED"
        | "CATALOG" | "MEASUREMENT" | "SERIES" | "BUCKET" | "GRAPH" | "WAREHOUSE" | "STREAM" => {
            let kind = kind.to_lowercase();
            Some(whole(&format!("drops the {kind}"), after, &["BY"]))
        }
        _ => Some(part(
            &format!("drops the {}", kind.to_lowercase()),
            after,
            &["VIEW"],
        )),
    }
}

fn delete(rest: &[Token]) -> Finding {
    let skip = ["FROM"];
    match condition(rest) {
        Condition::Narrow => part("deletes rows of", rest, &skip),
        Condition::None => whole("deletes all rows of", rest, &skip),
    }
}

fn update(rest: &[Token]) -> Finding {
    match condition(rest) {
        Condition::Narrow => part("changes rows of", rest, &[]),
        Condition::None => part("changes all rows of", rest, &[]),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    None,
    Narrow,
}

/// Whether a condition holds for less than everything.
fn condition(rest: &[Token]) -> Condition {
    if rest.iter().any(|it| it.is("LIMIT")) {
        return Condition::Narrow;
    }
    let at = rest.iter().position(|it| it.is("WHERE"));
    let Some(tail) = at.and_then(|at| rest.get(at + 1..)) else {
        return Condition::None;
    };
    let always = match tail.first() {
        None => true,
        Some(Token::Word(only)) if tail.len() == 1 => only == "TRUE" || only == "1",
        Some(left) => match tail {
            [_, Token::Symbol('='), right] => left == right,
            _ => false,
        },
    };
    if always {
        Condition::None
    } else {
        Condition::Narrow
    }
}

fn alter(rest: &[Token]) -> Option<Finding> {
    let at = rest.iter().position(|it| it.is("DROP"))?;
    let (before, after) = rest.split_at_checked(at)?;
    let dropped = after.get(1)?;
    let name = object(before.get(1..).unwrap_or_default(), &[]);
    // `ALTER COLUMN c DROP NOT NULL` loses nothing.
    if dropped.is_any(&["NOT", "DEFAULT", "IDENTITY", "EXPRESSION"]) {
        return None;
    }
    let small = [
        "CONSTRAINT",
        "INDEX",
        "KEY",
        "FOREIGN",
        "PRIMARY",
        "CHECK",
        "TRIGGER",
        "POLICY",
        "ATTRIBUTE",
        "VALUE",
    ];
    if dropped.is_any(&small) || !rest.first().is_some_and(|it| it.is("TABLE")) {
        return Some(Finding {
            loss: Loss::Part,
            what: format!("changes the structure of {name}"),
            object: name.to_lowercase(),
        });
    }
    Some(Finding {
        loss: Loss::Whole,
        what: format!("drops a column of {name} with its data"),
        object: name.to_lowercase(),
    })
}
