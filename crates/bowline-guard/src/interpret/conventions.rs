//! Files that the text writes and that others run: by convention (`Makefile`, hooks, start-up files), or because a
//! later command names them.

use std::rc::Rc;

use super::Interpreter;
use super::call::{ExpandedCommand, quoted};
use super::carriers::recipe;
use super::embedded::schedule;
use super::scope::Scope;
use super::value::{Item, Output};
use crate::invocation::Arg;

impl Interpreter<'_> {
    /// What can be read through an argument: `<( )`, or a file that the text has written.
    pub(super) fn readable(&self, item: &Item, scope: &Scope) -> Option<String> {
        if let Some(feed) = &item.feed {
            return Some(feed.text.clone());
        }
        if self.files.is_empty() {
            return None;
        }
        let word = item.marked();
        let file = match word.split_once('=') {
            Some((option, file)) if option.starts_with('-') => Arg::known(file),
            _ => item.arg.clone(),
        };
        let path = self.absolute(&file, scope)?;
        self.files.get(&path).map(|output| output.text.clone())
    }

    /// Follows the files that a program reads by convention, if the text has written them.
    pub(super) fn conventional(&mut self, name: &str, call: &ExpandedCommand, scope: &Scope) {
        if self.files.is_empty() {
            return;
        }
        let wanted: &[&str] = match name {
            "make" | "gmake" => &["Makefile", "makefile", "GNUmakefile"],
            "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
            "just" => &["justfile", "Justfile", ".justfile"],
            "task" => &["Taskfile.yml", "Taskfile.yaml"],
            "rake" => &["Rakefile"],
            "git" => &[".git/config", ".gitconfig"],
            _ => &[],
        };
        let mut texts = Vec::new();
        for file in wanted {
            let written = self
                .absolute(&Arg::known(*file), scope)
                .and_then(|path| self.files.get(&path));
            texts.extend(
                written
                    .map(|output| recipe(&output.text))
                    .into_iter()
                    .flatten(),
            );
        }
        if matches!(name, "make" | "gmake" | "task" | "pre-commit" | "npm") {
            let named = call
                .args()
                .iter()
                .filter_map(|item| self.readable(item, scope));
            texts.extend(named.flat_map(|text| recipe(&text)));
        }
        if name == "crontab" {
            let named = call
                .args()
                .iter()
                .filter_map(|item| self.readable(item, scope));
            texts.extend(
                named.flat_map(|text| text.lines().filter_map(schedule).collect::<Vec<_>>()),
            );
        }
        if matches!(name, "mongosh" | "mongo") {
            let named = call
                .args()
                .iter()
                .filter_map(|item| self.readable(item, scope));
            texts.extend(named.map(|text| format!("{name} --eval {}", quoted(&text))));
        }
        if texts.is_empty() {
            return;
        }
        let inner = self.within(name, call, scope);
        for text in texts {
            self.nested(&text, &inner, None);
        }
    }

    /// Judges what is written to a file that somebody's shell, git or a scheduler runs later.
    pub(super) fn written_for_later(&mut self, file: &Arg, output: &Output, scope: &Scope) {
        if !output.says_something() {
            return;
        }
        let Some(path) = self.absolute(file, scope) else {
            return;
        };
        if is_run_later(&path) {
            let inner = self.copy(scope);
            self.nested(&output.text.clone(), &inner, None);
        }
    }

    /// `dd of=x`, `install /dev/stdin x`, `cp a b`: files that get what is known already.
    pub(super) fn copied_text(&mut self, name: &str, call: &ExpandedCommand, scope: &mut Scope) {
        if self.files.is_empty() && call.input.is_none() {
            return;
        }
        let known = |interpreter: &Self, item: &Item| -> Option<Rc<Output>> {
            if matches!(item.text(), Some("/dev/stdin" | "-")) {
                return call.input.clone();
            }
            let path = interpreter.absolute(&item.arg, scope)?;
            interpreter.files.get(&path).cloned()
        };
        let mut operands = call
            .args()
            .iter()
            .filter(|it| !it.marked().starts_with('-'));
        let (output, to) = match name {
            "dd" => {
                let target = call
                    .args()
                    .iter()
                    .find_map(|it| it.marked().strip_prefix("of="));
                (call.input.clone(), target.map(Arg::known))
            }
            "cp" | "mv" | "install" | "ln" => {
                let to = operands.next_back().map(|it| it.arg.clone());
                let from = operands.next_back().and_then(|it| known(self, it));
                (from, to)
            }
            _ => return,
        };
        if let (Some(output), Some(to)) = (output, to)
            && output.says_something()
        {
            self.written(&to, &output, scope);
        }
    }
}

/// Files that are run without anybody naming them.
fn is_run_later(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        ".bashrc"
            | ".zshrc"
            | ".profile"
            | ".bash_profile"
            | ".bash_login"
            | ".bash_logout"
            | ".zprofile"
            | ".zshenv"
            | ".zlogin"
            | ".kshrc"
            | ".cshrc"
            | ".tcshrc"
            | "config.fish"
            | ".envrc"
            | ".xprofile"
            | ".xinitrc"
    ) || path.contains("/.git/hooks/")
        || path.contains("/.husky/")
        || path.starts_with("/etc/profile.d/")
        || path.starts_with("/etc/cron.daily/")
}
