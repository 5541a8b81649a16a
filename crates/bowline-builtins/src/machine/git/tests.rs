//! What the reader says, compared with what git itself says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use bowline_testkit::Sandbox;

use super::{GitReader, ObjectId, Repository};
use crate::machine::{Machine, MachineWorld};

mod damage;
mod held;
mod history;
mod status;
mod tracked;

/// A sandbox whose project is a repository, and the machine as the guard sees it.
struct Ground {
    sandbox: Sandbox,
    machine: Machine,
}

impl Ground {
    fn new() -> Self {
        let sandbox = Sandbox::with_project("home/project");
        let machine = Machine::new(Some(sandbox.home()), Vec::new());
        sandbox.git(&["init", "-q", "-b", "main"]);
        Self { sandbox, machine }
    }

    fn home(&self) -> PathBuf {
        self.sandbox.home()
    }

    fn project(&self) -> PathBuf {
        self.sandbox.project().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        self.sandbox.write_in_project(name, text);
    }

    /// What git says in the project, without the newline at its end.
    fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.project(), args)
    }

    fn git_in(&self, folder: &Path, args: &[&str]) -> String {
        let output = self.try_git(folder, args);
        assert!(output.status.success(), "git {args:?}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim_end_matches('\n').to_owned()
    }

    fn try_git(&self, folder: &Path, args: &[&str]) -> Output {
        self.command(folder, args).output().unwrap()
    }

    fn command(&self, folder: &Path, args: &[&str]) -> Command {
        let mut command = self.sandbox.git_command(args);
        command.current_dir(folder);
        command
    }

    /// Commits all that the checkout has.
    fn commit(&self, message: &str) -> ObjectId {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.id("HEAD")
    }

    fn id(&self, rev: &str) -> ObjectId {
        id(&self.git(&["rev-parse", "--verify", "-q", rev]))
    }

    fn world(&self) -> MachineWorld<'_> {
        let project = self.project();
        let project = project.to_str().unwrap();
        self.machine.world(project, project)
    }

    /// Asks in the project, with a full budget.
    fn ask<T>(&self, question: impl FnOnce(GitReader<'_>, &Repository) -> T) -> T {
        self.ask_in(&self.project(), question)
    }

    fn ask_in<T>(
        &self,
        folder: &Path,
        question: impl FnOnce(GitReader<'_>, &Repository) -> T,
    ) -> T {
        let world = self.world();
        let reader = world.git();
        let repository = reader.repository(folder).unwrap();
        question(reader, &repository)
    }
}

fn id(text: &str) -> ObjectId {
    ObjectId::from_hex(text.as_bytes()).unwrap_or_else(|| panic!("{text}"))
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}
