//! What the shell knows at one point of a text: variables, functions, its directory.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::value::{Content, Output};
use crate::invocation::{Destination, Directory, Invocation, Links, Through, Value};
use crate::loss::{Act, Loss};
use crate::paths::{OwnPlaces, Presence, World};
use crate::sensitive::SensitivePolicy;
use crate::shell::tree::Statement;

/// Stands for a directory that cannot be known: nothing of ours lies there.
pub(crate) const NOWHERE: &str = "/nowhere/unknown";

/// A shell variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Variable {
    One(Content),
    Many(Vec<Content>),
}

/// What can be read from descriptors, by number.
pub(super) type Descriptors = BTreeMap<i32, Rc<Output>>;

/// Everything that a subshell inherits, and loses at its end.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) functions: BTreeMap<String, Rc<Statement>>,
    pub(super) aliases: BTreeMap<String, String>,
    /// `$0`, where the text was given one.
    pub(super) zeroth: Option<Content>,
    /// `$1` and so on; `None` when whoever runs the text decides.
    pub(super) positional: Option<Rc<Vec<Content>>>,
    pub(super) directory: Directory,
    pub(super) previous_directory: Directory,
    pub(super) stack: Vec<Directory>,
    /// Where the shell still is, after a change of directory that fails.
    pub(super) stay: Option<Stay>,
    pub(super) err_exit: ErrExit,
    pub(super) through: Vec<Through>,
    /// Where what is printed goes.
    pub(super) output: Destination,
    /// What can be read from descriptors beyond the standard ones.
    pub(super) descriptors: Descriptors,
    /// Whether the text came from an expansion, so that its `…` stand for what is unknown.
    pub(super) marks: Marks,
}

/// Where the shell is, and may go back to.
#[derive(Debug, Clone)]
pub(super) struct Stay {
    directory: Directory,
    previous_directory: Directory,
    pub(super) stack: Vec<Directory>,
}

/// Whether the shell exits when a command fails (`set -e`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrExit {
    Off,
    On,
}

/// What `…` means in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Plain,
    Unknown,
}

impl Scope {
    pub(super) fn new(world: &dyn World) -> Self {
        let here = Directory::Known(world.cwd().to_owned());
        Self {
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            zeroth: None,
            positional: None,
            directory: here.clone(),
            previous_directory: here,
            stack: Vec::new(),
            stay: None,
            err_exit: ErrExit::Off,
            through: Vec::new(),
            output: Destination::Shown,
            descriptors: Descriptors::new(),
            marks: Marks::Plain,
        }
    }

    pub(super) fn set(&mut self, name: &str, content: Content) {
        self.variables
            .insert(name.to_owned(), Variable::One(content));
    }

    /// A scalar's value; of an array, its first.
    pub(super) fn get(&self, name: &str) -> Option<&Content> {
        match self.variables.get(name)? {
            Variable::One(content) => Some(content),
            Variable::Many(contents) => contents.first(),
        }
    }

    pub(super) fn enter(&mut self, directory: Directory) {
        self.previous_directory = std::mem::replace(&mut self.directory, directory);
    }

    /// Remembers where the shell stays if it cannot go where it is told to. What is chained to the change does not run then,
    /// and is followed as if it could.
    pub(super) fn may_stay(&mut self) {
        if self.stay.is_none() {
            self.stay = Some(Stay {
                directory: self.directory.clone(),
                previous_directory: self.previous_directory.clone(),
                stack: self.stack.clone(),
            });
        }
    }

    /// Goes back to where the shell is after a change of directory that failed.
    pub(super) fn settle(&mut self) {
        if let Some(stay) = self.stay.take() {
            self.directory = stay.directory;
            self.previous_directory = stay.previous_directory;
            self.stack = stay.stack;
        }
    }

    /// The same, when the next command comes: there is none if the shell ends at a failure.
    pub(super) fn go_on(&mut self) {
        match self.err_exit {
            ErrExit::Off => self.settle(),
            ErrExit::On => self.stay = None,
        }
    }

    /// After something that may or may not have run: whatever differs is unknown.
    pub(super) fn merge(&mut self, other: Self) {
        if self.directory != other.directory {
            self.directory = Directory::Unknown;
        }
        for (name, variable) in other.variables {
            match self.variables.get(&name) {
                Some(mine) if *mine == variable => {}
                Some(_) => self.set(&name, unknown_of(&variable)),
                // What was not set before has this value or none.
                None => {
                    self.variables.insert(name, variable);
                }
            }
        }
        self.functions.extend(other.functions);
        self.aliases.extend(other.aliases);
    }

    /// Size, as far as copying it costs.
    pub(super) fn weight(&self) -> usize {
        1 + self.variables.len()
            + self.descriptors.len()
            + self.functions.len()
            + self.aliases.len()
    }
}

fn unknown_of(variable: &Variable) -> Content {
    match variable {
        Variable::One(content) => Content {
            value: Value::Unknown,
            sources: content.sources.clone(),
        },
        Variable::Many(_) => Content::unknown(),
    }
}

/// The same world, within the same budget, seen from another directory or from where a program runs.
pub struct At<'w> {
    world: &'w dyn World,
    cwd: &'w str,
    /// The links that the text has made, and which of their readings counts.
    links: Option<(&'w Links, usize)>,
}

impl std::fmt::Debug for At<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("At").field(&self.cwd).finish()
    }
}

impl<'w> At<'w> {
    /// The world from another directory.
    pub fn directory(cwd: &'w str, world: &'w dyn World) -> Self {
        Self {
            world,
            cwd,
            links: None,
        }
    }

    /// The world as a program run sees it, through one reading of the links that were made before.
    pub(crate) fn run(invocation: &'w Invocation, reading: usize, world: &'w dyn World) -> Self {
        Self {
            links: Some((&invocation.links, reading)),
            ..Self::without_links(invocation, world)
        }
    }

    /// The world as a program run sees it if none of the links was made.
    pub(crate) fn without_links(invocation: &'w Invocation, world: &'w dyn World) -> Self {
        let cwd = match &invocation.directory {
            Directory::Known(path) => path,
            Directory::Unknown => NOWHERE,
        };
        Self::directory(cwd, world)
    }
}

impl World for At<'_> {
    fn cwd(&self) -> &str {
        self.cwd
    }
    fn project_root(&self) -> &str {
        self.world.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.world.home()
    }
    fn temp_dirs(&self) -> &[String] {
        self.world.temp_dirs()
    }
    fn variable(&self, name: &str) -> Option<std::borrow::Cow<'_, str>> {
        self.world.variable(name)
    }
    fn symlink_target(&self, path: &str) -> Option<String> {
        let made = self
            .links
            .and_then(|(links, reading)| links.target(path, reading));
        made.or_else(|| self.world.symlink_target(path))
    }
    fn is_ignored(&self, path: &str) -> Option<bool> {
        self.world.is_ignored(path)
    }
    fn is_tracked(&self, path: &str) -> Option<bool> {
        self.world.is_tracked(path)
    }
    fn presence(&self, path: &str) -> Option<Presence> {
        self.world.presence(path)
    }
    fn loss(&self, act: &Act, earlier: &[Act]) -> Loss {
        self.world.loss(act, earlier)
    }
    fn holds_brought_work(&self, path: &str) -> bool {
        self.world.holds_brought_work(path)
    }
    fn is_exhausted(&self) -> bool {
        self.world.is_exhausted()
    }
    fn sensitive_policy(&self) -> &SensitivePolicy {
        self.world.sensitive_policy()
    }
    fn own_places(&self) -> &OwnPlaces {
        self.world.own_places()
    }
    fn own_script(&self, path: &str) -> Option<String> {
        self.world.own_script(path)
    }
    fn git_alias(&self, directory: &str, name: &str) -> Option<String> {
        self.world.git_alias(directory, name)
    }
}
