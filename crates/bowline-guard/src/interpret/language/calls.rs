//! The calls that matter in a program text.

use super::UNKNOWN;
use super::lexer::{Family, Token, tokens};
use super::value::{Names, Value, arguments, closing, evaluate};
use crate::interpret::Interpreter;
use crate::interpret::call::Call;
use crate::interpret::scope::Scope;
use crate::interpret::value::{Content, Item, Output};
use crate::invocation::{Arg, Opened, Opening, Value as ShellValue};

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// Deletes its argument and everything in it.
    DeleteTree,
    /// Deletes its arguments.
    Delete,
    /// Gives its argument to a shell, or runs the words of a list.
    Run,
    /// Runs its arguments as the words of a command.
    RunWords,
    /// Opens a file; the mode decides.
    Open,
    /// Replaces a file's contents.
    Write,
    /// Reads a file.
    Read,
    /// Moves a file.
    Move,
    Print,
    /// Runs its argument as code.
    Evaluate,
}

/// What is put into a file that is opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    Nothing,
    Something,
}

/// What a called name does, by its last part and by what stands before it.
fn deed(name: &str, before: &str, family: Family) -> Option<Deed> {
    let on_files = before.is_empty()
        || [
            "os",
            "fs",
            "File",
            "FileUtils",
            "shutil",
            "Path",
            "promises",
            "fse",
            "Dir",
            "Deno",
            "sh",
            "shell",
            "fsp",
            "pathlib",
            "Files",
        ]
        .iter()
        .any(|it| before == *it || before.ends_with(&format!(".{it}")))
        || before.ends_with(')');
    Some(match name {
        "rmtree"
        | "rmSync"
        | "rm_rf"
        | "rm_r"
        | "removeSync"
        | "rimraf"
        | "rimrafSync"
        | "remove_tree"
        | "deleteDirectory"
        | "deleteDir"
        | "emptyDirSync"
        | "removeDirectory"
        | "remove_entry"
        | "remove_entry_secure"
        | "remove_dir"
        | "deltree"
        | "del_tree"
        | "rmdir_r"
        | "deleteRecursively"
        | "rm_rf!"
        | "remove_dir_all" => Deed::DeleteTree,
        "rm" | "remove" | "emptyDir" if on_files && family == Family::JavaScript => {
            Deed::DeleteTree
        }
        "unlink" | "unlinkSync" | "rmdir" | "rmdirSync" | "removedirs" | "rm_f" => Deed::Delete,
        "remove" | "rm" | "delete" | "truncate" | "truncateSync" | "safe_unlink"
            if on_files && !(before.is_empty() && matches!(name, "delete" | "truncate")) =>
        {
            Deed::Delete
        }
        "system"
        | "popen"
        | "shell_exec"
        | "passthru"
        | "proc_open"
        | "getoutput"
        | "getstatusoutput"
        | "check_output"
        | "check_call"
        | "Popen"
        | "execSync"
        | "capture2"
        | "capture2e"
        | "capture3"
        | "popen3"
        | "create_subprocess_shell"
        | "execCommand"
        | "os_execute"
        | "subprocess_run" => Deed::Run,
        "execute" if before == "os" => Deed::Run,
        "run" | "call" => Deed::Run,
        "exec" | "pcntl_exec" => match family {
            Family::Python => Deed::Evaluate,
            Family::JavaScript
                if !(before.is_empty()
                    || on_files
                    || before.contains("process")
                    || before == "cp") =>
            {
                return None;
            }
            Family::JavaScript | Family::Ruby | Family::Perl | Family::Php | Family::Other => {
                Deed::Run
            }
        },
        "spawn"
        | "spawnSync"
        | "execFile"
        | "execFileSync"
        | "execa"
        | "execaSync"
        | "execvp"
        | "execv"
        | "execve"
        | "execvpe"
        | "execl"
        | "execlp"
        | "spawnlp"
        | "spawnvp"
        | "spawnl"
        | "spawnv"
        | "create_subprocess_exec"
        | "Command"
        | "posix_spawn" => Deed::RunWords,
        "eval" | "Function" | "instance_eval" | "runInThisContext" => Deed::Evaluate,
        "open" | "fopen" | "fdopen" | "openSync" => Deed::Open,
        "writeFileSync" | "writeFile" | "file_put_contents" | "write_text" | "write_bytes"
        | "createWriteStream" | "binwrite" | "writeTextFile" | "writeTextFileSync"
        | "outputFileSync" => Deed::Write,
        "write" if matches!(before, "File" | "IO") => Deed::Write,
        "readFileSync" | "readFile" | "file_get_contents" | "read_text" | "read_bytes"
        | "readlines" | "createReadStream" | "readTextFile" | "readTextFileSync" | "readfile"
        | "foreach_line" | "slurp" => Deed::Read,
        "read" | "binread" | "foreach" if matches!(before, "File" | "IO") => Deed::Read,
        "file" if family == Family::Php => Deed::Read,
        "move" | "rename" | "renameSync" | "replace" | "mv"
            if on_files && !before.is_empty() && !before.ends_with(')') =>
        {
            Deed::Move
        }
        "print" | "puts" | "log" | "echo" | "say" | "printf" | "pp" | "p" | "write" | "print_r"
        | "var_dump" => Deed::Print,
        _ => return None,
    })
}

impl Interpreter<'_> {
    /// Finds the calls of a program text, and follows what they do. Gives what it prints.
    pub(super) fn program_text(
        &mut self,
        code: &str,
        family: Family,
        scope: &mut Scope,
    ) -> Option<Output> {
        if !self.enter() {
            return None;
        }
        let tokens = tokens(code, family);
        let names = bindings(&tokens);
        let mut printed = Output::nothing();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                Token::Shell(text) => {
                    let text = text.clone();
                    self.nested(&text, scope, None);
                }
                Token::Name(name) => {
                    self.named_call(name, at, &tokens, &names, family, scope, &mut printed)
                }
                Token::Text(_) | Token::Number(_) | Token::Symbol(_) | Token::Newline => {}
            }
            at += 1;
        }
        self.leave();
        Some(printed)
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one token in all that surrounds it"
    )]
    fn named_call(
        &mut self,
        name: &str,
        at: usize,
        tokens: &[Token],
        names: &Names,
        family: Family,
        scope: &mut Scope,
        printed: &mut Output,
    ) {
        if matches!(name, "environ" | "env" | "ENV" | "$_ENV" | "getenv") {
            self.environment_dump(name, at, tokens, scope);
        }
        let before = before_name(tokens, at);
        let Some(deed) = deed(name, &before, family) else {
            return;
        };
        let Some(inside) = arguments_at(tokens, at, family) else {
            return;
        };
        let mut values: Vec<Value> = arguments(inside)
            .into_iter()
            .filter(|it| !is_keyword(it))
            .map(|it| evaluate(it, names, 0))
            .collect();
        // `Path("x").unlink()`: the receiver is what it is done to.
        let on_receiver = matches!(
            deed,
            Deed::Delete | Deed::DeleteTree | Deed::Read | Deed::Write
        ) && (values.is_empty() || matches!(name, "write_text" | "write_bytes"));
        if on_receiver {
            let Some(receiver) = receiver(tokens, at, names) else {
                return;
            };
            values = vec![receiver];
        }
        match deed {
            Deed::DeleteTree | Deed::Delete => {
                // Unknown: a name that says nothing, such as a method of the text's own.
                let flags = if deed == Deed::DeleteTree {
                    "-rf"
                } else {
                    "-f"
                };
                let targets: Vec<Value> = values
                    .into_iter()
                    .take(if family == Family::JavaScript { 1 } else { 16 })
                    .collect();
                let targets: Vec<Value> = match targets.as_slice() {
                    [Value::List(items)] => items.clone(),
                    _ => targets,
                };
                if !targets.is_empty() {
                    let mut words = vec![Item::known("rm"), Item::known(flags)];
                    words.extend(targets.iter().map(item));
                    self.emit_words(words, scope);
                }
            }
            Deed::Run => match values.first() {
                Some(Value::List(words)) => self.run_words(words, scope),
                Some(Value::Text(text)) => {
                    let rest = values.get(1..).unwrap_or_default();
                    // Perl and Ruby take the words of a command as a list of arguments.
                    if matches!(family, Family::Perl | Family::Ruby)
                        && matches!(rest.first(), Some(Value::Text(_)))
                    {
                        self.run_words(&values, scope);
                    } else {
                        let text = text.clone();
                        self.nested(&text, scope, None);
                    }
                }
                Some(Value::Unknown) | None => {}
            },
            Deed::RunWords => {
                let mut words = Vec::new();
                for (index, value) in values.iter().enumerate() {
                    match value {
                        // The list that `execvp` takes begins with the name once more.
                        Value::List(items)
                            if name.starts_with("exec")
                                && name != "execFile"
                                && name != "execFileSync"
                                && !name.starts_with("execa")
                                && index > 0 =>
                        {
                            words.extend(items.iter().skip(1).cloned());
                        }
                        Value::List(items) => words.extend(items.iter().cloned()),
                        other => words.push(other.clone()),
                    }
                }
                if matches!(name, "execl" | "execlp" | "spawnl" | "spawnlp") && words.len() > 1 {
                    words.remove(1);
                }
                match words.as_slice() {
                    [Value::Text(text)] if text.contains(' ') => {
                        let text = text.clone();
                        self.nested(&text, scope, None);
                    }
                    _ => self.run_words(&words, scope),
                }
            }
            Deed::Open => {
                let writes = tokens.iter().any(|it| matches!(it, Token::Name(word) if word.starts_with("write") || matches!(word.as_str(), "dump" | "print" | "puts" | "fwrite" | "copyfileobj")));
                let contents = if writes {
                    Contents::Something
                } else {
                    Contents::Nothing
                };
                self.open(&values, family, contents, scope);
            }
            Deed::Write => {
                if let Some(path) = values.first() {
                    self.opened(path, Opening::Overwrite, Contents::Something, scope);
                }
            }
            Deed::Read => {
                if let Some(path) = values.first() {
                    self.emit_words(vec![Item::known("cat"), item(path)], scope);
                }
            }
            Deed::Move => {
                if let [from, to, ..] = values.as_slice() {
                    self.emit_words(vec![Item::known("mv"), item(from), item(to)], scope);
                }
            }
            Deed::Print => {
                let text = values.iter().map(Value::text).collect::<Vec<_>>().join(" ");
                printed.append(Output::text(text + "\n"));
            }
            Deed::Evaluate => self.evaluated(inside, &values, family, scope),
        }
    }

    /// `exec(urlopen("http://…").read())`: code that is fetched.
    fn evaluated(&mut self, inside: &[Token], values: &[Value], family: Family, scope: &mut Scope) {
        let url = inside.iter().find_map(|token| match token {
            Token::Text(text) if text.contains("://") => Some(text.clone()),
            _ => None,
        });
        if let Some(url) = url {
            let mut call = Call::of(vec![Item::known("bash")], scope);
            call.input = Some(std::rc::Rc::new(Output::unknown(vec![format!(
                "curl {url}"
            )])));
            self.emit_call(&call, scope);
            return;
        }
        if let Some(Value::Text(code)) = values.first() {
            let code = code.clone();
            self.program_text(&code, family, scope);
        }
    }

    fn open(&mut self, values: &[Value], family: Family, contents: Contents, scope: &mut Scope) {
        // Perl: open(my $f, '>', path).
        let (path, mode) = match (family, values) {
            (Family::Perl, [_, Value::Text(mode), path, ..]) => (path, mode.clone()),
            (Family::Perl, [_, Value::Text(text)]) => {
                let mode = if text.starts_with('>') { ">" } else { "<" };
                if text.ends_with('|') || text.starts_with('|') {
                    let text = text.trim_matches('|').to_owned();
                    self.nested(&text, scope, None);
                    return;
                }
                let path = Value::Text(text.trim_start_matches(['<', '>', ' ']).to_owned());
                return self.open_as(&path, mode, contents, scope);
            }
            (_, [path, Value::Text(mode), ..]) => (path, mode.clone()),
            (_, [path, ..]) => (path, "r".to_owned()),
            (_, []) => return,
        };
        self.open_as(path, &mode, contents, scope);
    }

    fn open_as(&mut self, path: &Value, mode: &str, contents: Contents, scope: &mut Scope) {
        if mode.starts_with(['w', 'x', '>']) && !mode.starts_with(">>") {
            self.opened(path, Opening::Overwrite, contents, scope);
        } else if mode.starts_with('a') || mode.starts_with(">>") {
            self.opened(path, Opening::Append, contents, scope);
        } else {
            self.emit_words(vec![Item::known("cat"), item(path)], scope);
        }
    }

    fn opened(&mut self, path: &Value, how: Opening, contents: Contents, scope: &mut Scope) {
        let Item { arg, .. } = item(path);
        let words = match contents {
            Contents::Nothing => vec![Item::known(":")],
            Contents::Something => vec![Item::known("printf"), Item::of(Content::unknown())],
        };
        let mut call = Call::of(words, scope);
        call.opened.push(Opened { how, file: arg });
        self.emit_call(&call, scope);
    }

    fn run_words(&mut self, words: &[Value], scope: &mut Scope) {
        let words: Vec<Item> = words.iter().map(item).collect();
        if words.first().is_some_and(|it| it.text().is_some()) {
            self.emit_words(words, scope);
        }
    }

    fn emit_words(&mut self, words: Vec<Item>, scope: &mut Scope) {
        let call = Call::of(words, scope);
        self.call(call, scope);
    }

    /// The environment as a whole: `print(os.environ)`, `console.log(process.env)`.
    fn environment_dump(&mut self, name: &str, at: usize, tokens: &[Token], scope: &mut Scope) {
        let before = before_name(tokens, at);
        let whole = match name {
            "environ" => before == "os",
            "env" => before == "process",
            "ENV" | "$_ENV" => before.is_empty(),
            _ => matches!(
                (tokens.get(at + 1), tokens.get(at + 2)),
                (Some(Token::Symbol('(')), Some(Token::Symbol(')')))
            ),
        };
        let used_whole = match tokens.get(at + 1) {
            None | Some(Token::Symbol(')' | ',') | Token::Newline) => true,
            Some(Token::Symbol('(')) => name == "getenv",
            Some(Token::Symbol('.')) => matches!(
                tokens.get(at + 2),
                Some(Token::Name(member)) if matches!(member.as_str(), "items" | "to_h" | "inspect" | "each" | "values" | "copy")
            ),
            Some(_) => false,
        };
        let shown = tokens.iter().any(|it| matches!(it, Token::Name(name) if matches!(name.as_str(), "print" | "log" | "puts" | "p" | "pp" | "dumps" | "stringify" | "var_dump" | "print_r" | "echo" | "urlopen" | "post" | "fetch" | "request")));
        if whole && used_whole && shown {
            self.emit_words(vec![Item::known("printenv")], scope);
        }
    }
}

/// An expression's value as an argument.
fn item(value: &Value) -> Item {
    let text = value.text();
    let value = if text.chars().all(|c| c == UNKNOWN) {
        ShellValue::Unknown
    } else if text.contains(UNKNOWN) {
        ShellValue::Partly(text.clone())
    } else if text.starts_with('~') || text.contains(['*', '?']) {
        ShellValue::Pattern(text.clone())
    } else {
        ShellValue::Known(text.clone())
    };
    let mut item = Item::of(Content {
        value,
        sources: Vec::new(),
    });
    item.arg = Arg {
        source: text,
        ..item.arg
    };
    item
}

/// What stands before a called name: `os`, `fs.promises`, `)` for a call.
fn before_name(tokens: &[Token], at: usize) -> String {
    let mut parts = Vec::new();
    let mut index = at;
    while index >= 1 && parts.len() < 6 {
        let separator = match tokens.get(index - 1) {
            Some(Token::Symbol('.')) => 1,
            Some(Token::Symbol(':'))
                if index >= 2 && tokens.get(index - 2) == Some(&Token::Symbol(':')) =>
            {
                2
            }
            Some(Token::Symbol('>'))
                if index >= 2 && tokens.get(index - 2) == Some(&Token::Symbol('-')) =>
            {
                2
            }
            _ => break,
        };
        index -= separator;
        match index.checked_sub(1).and_then(|it| tokens.get(it)) {
            Some(Token::Name(name)) => {
                parts.push(name.clone());
                index -= 1;
            }
            Some(Token::Symbol(')')) => {
                parts.push(")".to_owned());
                break;
            }
            _ => break,
        }
    }
    parts.reverse();
    parts.join(".")
}

/// The value that a method is called on.
fn receiver(tokens: &[Token], at: usize, names: &Names) -> Option<Value> {
    let dot = at.checked_sub(1)?;
    if tokens.get(dot) != Some(&Token::Symbol('.')) {
        return None;
    }
    let mut depth = 0_usize;
    let mut start = dot;
    while start > 0 {
        match tokens.get(start - 1)? {
            Token::Symbol(')' | ']') => depth += 1,
            Token::Symbol('(' | '[') => {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            }
            Token::Symbol(';' | '=' | ',' | '{' | '}') | Token::Newline if depth == 0 => break,
            _ => {}
        }
        start -= 1;
    }
    let expression = tokens.get(start..dot)?;
    // `new File("x")`, `await`, `for f in`: the name that counts comes last.
    let begin = expression
        .iter()
        .rposition(|it| matches!(it, Token::Name(name) if matches!(name.as_str(), "new" | "await" | "in" | "if" | "and" | "return")))
        .map_or(0, |it| it + 1);
    match evaluate(expression.get(begin..)?, names, 0) {
        Value::Unknown => None,
        value => Some(value),
    }
}

/// The tokens of a call's arguments, in parentheses or, where the language allows it, without.
fn arguments_at(tokens: &[Token], at: usize, family: Family) -> Option<&[Token]> {
    match tokens.get(at + 1)? {
        Token::Symbol('(') => {
            let end = closing(tokens, at + 1);
            tokens.get(at + 2..end)
        }
        Token::Text(_) | Token::Name(_) | Token::Symbol('[' | '<' | '*')
            if matches!(
                family,
                Family::Ruby | Family::Perl | Family::Php | Family::Other
            ) =>
        {
            let rest = tokens.get(at + 1..)?;
            let end = rest
                .iter()
                .position(|it| match it {
                    Token::Newline | Token::Symbol(';' | '}') => true,
                    Token::Name(name) => {
                        matches!(name.as_str(), "if" | "unless" | "or" | "and" | "for" | "do")
                    }
                    _ => false,
                })
                .unwrap_or(rest.len());
            rest.get(..end)
        }
        _ => None,
    }
}

/// `shell=True`, `recursive: true`, `{recursive: true}`: no value of its own.
fn is_keyword(tokens: &[Token]) -> bool {
    let mut significant = tokens.iter().filter(|it| **it != Token::Newline);
    match (significant.next(), significant.next()) {
        (Some(Token::Name(_)), Some(Token::Symbol('=' | ':'))) => {
            !matches!(significant.next(), Some(Token::Symbol('=' | ':')))
        }
        (Some(Token::Symbol('{')), _) => true,
        _ => false,
    }
}

/// The names that the text gives values to, and what its loops go over.
fn bindings(tokens: &[Token]) -> Names {
    let mut names = Names::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else {
            continue;
        };
        let (bound, start) = match tokens.get(at + 1) {
            Some(Token::Symbol('='))
                if !matches!(tokens.get(at + 2), Some(Token::Symbol('=' | '>'))) =>
            {
                (name, at + 2)
            }
            Some(Token::Name(word)) if matches!(word.as_str(), "in" | "of") => (name, at + 2),
            _ => continue,
        };
        let rest = tokens.get(start..).unwrap_or_default();
        let mut depth = 0_usize;
        let end = rest
            .iter()
            .position(|it| match it {
                Token::Symbol('(' | '[' | '{') => {
                    depth += 1;
                    false
                }
                Token::Symbol(')' | ']' | '}') => {
                    let outside = depth == 0;
                    depth = depth.saturating_sub(1);
                    outside
                }
                Token::Newline | Token::Symbol(';' | ',') => depth == 0,
                Token::Name(word) => depth == 0 && matches!(word.as_str(), "if" | "for" | "do"),
                _ => false,
            })
            .unwrap_or(rest.len())
            .min(256);
        let value = evaluate(rest.get(..end).unwrap_or_default(), &names, 0);
        // Set twice to different things: unknown.
        let value = match names.get(bound) {
            Some(before) if *before != value => Value::Unknown,
            _ => value,
        };
        names.insert(bound.clone(), value);
        if names.len() > 256 {
            break;
        }
    }
    names
}
