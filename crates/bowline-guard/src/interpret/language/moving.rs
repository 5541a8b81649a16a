//! The folder that a program text is in, and the one that it gives to what it runs.

use super::around::arguments_at;
use super::calls::{Program, item};
use super::deeds::{Deed, deed};
use super::lexer::{Family, Token};
use super::names::is_change_of_folder;
use super::value::{Value, arguments, closing, evaluate};
use crate::interpret::Interpreter;
use crate::interpret::scope::Scope;
use crate::invocation::Directory;

impl Interpreter<'_> {
    /// Goes to the folder that `os.chdir` and the like name; `false` if it is no such call.
    pub(super) fn moves(
        &mut self,
        name: &str,
        before: &str,
        at: usize,
        program: &Program,
        scope: &mut Scope,
    ) -> bool {
        let owner = before.rsplit('.').next().unwrap_or_default();
        let is_move = is_change_of_folder(name)
            && match owner {
                "os" | "process" | "Dir" | "FileUtils" | "shell" | "sh" | "contextlib" | "lfs"
                | "Deno" => true,
                _ => before.is_empty(),
            };
        let Some(inside) = arguments_at(&program.tokens, at, program.family).filter(|_| is_move)
        else {
            return false;
        };
        let first = arguments(inside).into_iter().next();
        let to = first.map_or(Value::Unknown, |it| evaluate(it, &program.names, 0));
        scope.directory = if happens_once(&program.tokens, at) {
            self.folder(&to, scope)
        } else {
            Directory::Unknown
        };
        true
    }

    /// The folder that a call runs its program in, where it says one.
    pub(super) fn folder_of_run(
        &mut self,
        name: &str,
        before: &str,
        at: usize,
        program: &Program,
        scope: &Scope,
    ) -> Option<Directory> {
        if before.rsplit('.').next() == Some("git") {
            return self.repository(program, scope);
        }
        if !matches!(
            deed(name, before, program.family),
            Some(Deed::Run | Deed::RunWords)
        ) {
            return None;
        }
        let says = |it: &Token| matches!(it, Token::Name(name) if is_folder_option(name));
        if !program.tokens.iter().any(says) {
            return None;
        }
        let inside = arguments_at(&program.tokens, at, program.family)?;
        let given = arguments(inside);
        let options = given.iter().flat_map(|it| match it {
            [Token::Symbol('{'), inner @ .., Token::Symbol('}')] => arguments(inner),
            other => vec![*other],
        });
        for option in options {
            match option {
                [Token::Name(name), Token::Symbol('=' | ':'), value @ ..]
                    if is_folder_option(name) =>
                {
                    return self.option_folder(value, program, scope);
                }
                [Token::Name(name)] if name == "cwd" && program.family == Family::JavaScript => {
                    return self.option_folder(option, program, scope);
                }
                _ => {}
            }
        }
        // `execSync(line, options)`: the options may say it.
        let by_name = |it: &&[Token]| {
            matches!(it, [Token::Name(_)])
                || matches!(it, [Token::Symbol('*'), Token::Symbol('*'), ..])
                || it.starts_with(&[Token::Symbol('{'), Token::Symbol('.')])
        };
        given
            .iter()
            .skip(1)
            .any(by_name)
            .then_some(Directory::Unknown)
    }

    fn option_folder(
        &mut self,
        value: &[Token],
        program: &Program,
        scope: &Scope,
    ) -> Option<Directory> {
        match value {
            [Token::Name(name)] if matches!(name.as_str(), "None" | "undefined" | "null") => None,
            _ => Some(self.folder(&evaluate(value, &program.names, 0), scope)),
        }
    }

    /// `Repo("vendor/a").git.reset("--hard")`: where the repository is that a library works in.
    fn repository(&mut self, program: &Program, scope: &Scope) -> Option<Directory> {
        let tokens = &program.tokens;
        let mut opened = (0..tokens.len()).filter(|at| {
            matches!(tokens.get(*at), Some(Token::Name(name)) if matches!(name.as_str(), "Repo" | "simpleGit"))
                && tokens.get(at + 1) == Some(&Token::Symbol('('))
        });
        let at = opened.next()?;
        let inside = tokens.get(at + 2..closing(tokens, at + 1))?;
        let first = arguments(inside).into_iter().next()?;
        if opened.next().is_some() {
            return Some(Directory::Unknown);
        }
        Some(self.folder(&evaluate(first, &program.names, 0), scope))
    }

    fn folder(&mut self, value: &Value, scope: &Scope) -> Directory {
        match value {
            Value::Text(_) => self.directory_of(Some(&item(value)), scope),
            Value::List(_) | Value::Unknown => Directory::Unknown,
        }
    }
}

fn is_folder_option(name: &str) -> bool {
    matches!(name, "cwd" | "chdir")
}

/// Whether what stands here surely happens, once, and for all that follows.
fn happens_once(tokens: &[Token], at: usize) -> bool {
    let before = tokens.get(..at).unwrap_or_default();
    let perhaps = before.iter().any(|it| {
        matches!(it, Token::Name(name) if matches!(
            name.as_str(),
            "for" | "while" | "until" | "if" | "unless" | "def" | "function" | "lambda" | "with"
                | "each" | "forEach" | "sub" | "foreach"
        ))
    });
    let in_arrow = before
        .windows(2)
        .any(|it| it == [Token::Symbol('='), Token::Symbol('>')]);
    // Ruby goes back after a block.
    let end = closing(tokens, at + 1);
    let has_block = match tokens.get(end + 1) {
        Some(Token::Symbol('{')) => true,
        Some(Token::Name(name)) => matches!(name.as_str(), "do" | "if" | "unless"),
        _ => false,
    };
    !perhaps && !in_arrow && !has_block
}
