//! `apply_patch`, which agents run in a shell, too: each file of its patch becomes the plain command that does the same.

use std::rc::Rc;

use bowline_agents::patch::{FileChange, parse};

use super::Interpreter;
use super::call::ExpandedCommand;
use super::scope::Scope;
use super::value::{Item, Output};

impl Interpreter<'_> {
    /// Follows what a patch does to files.
    pub(super) fn patched(&mut self, name: &str, call: &ExpandedCommand, scope: &Scope) {
        if !matches!(name, "apply_patch" | "applypatch") {
            return;
        }
        let text = match (call.arg(0), &call.input) {
            (Some(argument), _) => argument.text().map(str::to_owned),
            (None, Some(input)) => input.is_known().then(|| input.text.clone()),
            (None, None) => None,
        };
        let Some(text) = text else {
            self.problem("a patch that is not known before it runs");
            return;
        };
        match parse(&text) {
            Ok(changes) => {
                for change in &changes {
                    self.changed(change, scope);
                }
            }
            Err(unread) => {
                for file in &unread.files {
                    self.does(&["tee", "-a", "--", file], None, scope);
                }
                self.problem(unread.to_string());
            }
        }
    }

    fn changed(&mut self, change: &FileChange<'_>, scope: &Scope) {
        match change {
            FileChange::Add { path, content } => {
                self.does(&["tee", "--", path], Some(content), scope);
            }
            FileChange::Delete { path } => self.does(&["rm", "--", path], None, scope),
            FileChange::Update { path, to, new, .. } => {
                // What it takes away it names.
                self.does(&["tee", "-a", "--", path], Some(new), scope);
                if let Some(to) = to {
                    self.does(&["mv", "--", path, to], None, scope);
                    self.does(&["tee", "-a", "--", to], Some(new), scope);
                }
            }
        }
    }

    fn does(&mut self, words: &[&str], text: Option<&str>, scope: &Scope) {
        let words = words.iter().map(|word| Item::known(*word)).collect();
        let mut call = ExpandedCommand::of(words, scope);
        call.input = text.map(|text| Rc::new(Output::text(text)));
        self.emit_call(&call);
    }
}
