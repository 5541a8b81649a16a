//! What a program run does to files and to repositories, as far as content can be lost or saved by it, and what would
//! really be gone.
//!
//! The guard lists the acts of a line from its text alone; [`crate::paths::World::loss`] says what one of them would take away,
//! here and now. What nobody can say stays [`Loss::Unknown`], and is judged by the text.

mod found;
mod renaming;

use crate::paths::{ResolvedPath, Shape};

pub use found::{Found, Links, Lister};
pub use renaming::{Renaming, Times};

/// Something that a run does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Act {
    /// Makes a file or folder unless it is there.
    Make(Target),
    /// Writes to a file, also through a link.
    Write {
        /// The file.
        to: Target,
        /// What becomes of its contents.
        how: Writing,
    },
    /// Deletes a file, or a folder with everything in it.
    Delete {
        /// What is deleted. A link is deleted itself.
        target: Target,
        /// How much of it.
        depth: Depth,
    },
    /// Deletes what a search finds below folders.
    DeleteFound(Found),
    /// Writes to what a search finds below folders.
    WriteFound(Found),
    /// Moves what a search finds to a place, one after another.
    MoveFound {
        /// What is found.
        found: Found,
        /// A file, or a folder to put it into.
        to: Target,
    },
    /// Puts copies or links at a place, over what is there.
    Copy {
        /// What is copied.
        from: Vec<Target>,
        /// A file, or a folder to put it into.
        to: Target,
        /// What becomes of a link at the place.
        at_link: AtLink,
    },
    /// Moves files to another place, over what is there.
    Move {
        /// What is moved.
        from: Vec<Target>,
        /// A file, or a folder to put it into.
        to: Target,
    },
    /// Gives files other names, each by itself: packed, unpacked, renamed by a rule.
    Rename {
        /// Which files.
        from: Vec<Target>,
        /// The rule.
        rule: Renaming,
        /// Whether folders stand for every file in them.
        depth: Depth,
        /// What becomes of a file that has the name already.
        over: Over,
    },
    /// Makes a link. What is done to it afterwards is done to what it leads to.
    Link {
        /// Where it leads.
        from: Target,
        /// The link, or a folder to put it into.
        to: Target,
        /// How it leads there.
        kind: LinkKind,
    },
    /// Unpacks an archive into a folder.
    Unpack(Unpacking),
    /// Something that an earlier run does, if it runs at all and does not fail.
    Perhaps(Box<Act>),
    /// Does something to a repository.
    Git {
        /// Where git runs: an absolute path.
        directory: String,
        /// What it does.
        act: GitAct,
    },
}

/// An archive that is unpacked, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unpacking {
    /// The archive; without one, nobody can say what it holds.
    pub archive: Option<Target>,
    /// The folder that it is unpacked into.
    pub into: Target,
    /// The members that are taken, each with all below it; none for all.
    pub only: Vec<String>,
    /// How many folders are cut off at the beginning of each name.
    pub strip: usize,
    /// What becomes of a file that is there already.
    pub over: Over,
}

/// A path that an act names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// Absolute, without `.` and `..`; links are followed except in the last component.
    pub path: String,
    /// Where the last component leads, if it is a link.
    pub link: Option<String>,
    /// Whether the shell finds several paths by it.
    pub kind: TargetKind,
}

/// How a path is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Exactly this.
    Exact,
    /// Exactly this, written as a folder: `link/` is where the link leads.
    Folder,
    /// What is in this folder, and not the folder itself: `cp -r from/. to`.
    Contents,
    /// Whatever matches it.
    Pattern,
    /// A part of it is not known.
    Unknown,
}

impl Target {
    /// The same, with a link at its end followed.
    pub fn followed(&self) -> Self {
        Self {
            path: self.link.clone().unwrap_or_else(|| self.path.clone()),
            link: None,
            kind: self.kind,
        }
    }
}

impl From<&ResolvedPath> for Target {
    fn from(resolved: &ResolvedPath) -> Self {
        Self {
            path: resolved.path.clone(),
            link: resolved.target.clone(),
            // A name that is not text was read as something else.
            kind: match (&resolved.shape, resolved.trailing_slash) {
                _ if resolved.path.contains('\u{fffd}') => TargetKind::Unknown,
                (Shape::Exact, crate::paths::TrailingSlash::No) => TargetKind::Exact,
                (Shape::Exact, crate::paths::TrailingSlash::Yes) => TargetKind::Folder,
                (Shape::Pattern, _) => TargetKind::Pattern,
                (Shape::Unknown(_), _) => TargetKind::Unknown,
            },
        }
    }
}

/// What becomes of the contents of a file that is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// They are replaced.
    Replace,
    /// They are edited in place by a script that nobody watches.
    Edit,
    /// Something is added at the end.
    Add,
    /// They are put in order and keep their meaning: a formatter.
    Tidy,
    /// The agent's own tool changes them, and shows the agent what it does.
    ByTool,
    /// The agent's own tool puts a text in the place of another, which it names.
    TextByTool,
}

/// What is done about a link where something is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtLink {
    /// What it leads to is written over.
    Follow,
    /// It is replaced itself.
    Replace,
}

/// How a link leads to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// It is another name of the same file.
    Hard,
    /// It holds a path.
    Symbolic,
}

/// How much of a path is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// A file or a link.
    One,
    /// A folder with everything in it, too.
    Tree,
}

/// What a program does about a file in its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// It is replaced.
    Replace,
    /// It stays, and the program does nothing there.
    Keep,
}

/// What git does to a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GitAct {
    /// Sets tree, index and branch to a commit; without one, to where the branch is.
    ResetHard {
        /// The commit, as written.
        to: Option<String>,
    },
    /// Sets files back.
    Restore {
        /// The commit that they come from; without one, from the index.
        source: Option<String>,
        /// Which files, as written.
        paths: Vec<String>,
        /// Whether what is staged of them goes, too.
        index: IndexToo,
    },
    /// Checks out a branch and throws away what is in the way.
    ForceSwitch {
        /// The commit, as written; without one, where we are.
        to: Option<String>,
    },
    /// Deletes files that are not tracked.
    Clean(Clean),
    /// Puts changes aside.
    StashPush {
        /// Which files; none for all.
        paths: Vec<String>,
        /// Whether files that are not tracked are put aside, too.
        untracked: Untracked,
    },
    /// Brings a stash back, and deletes it.
    StashPop {
        /// Its number.
        number: Option<usize>,
    },
    /// Brings a stash back, and keeps it.
    StashApply {
        /// Its number.
        number: Option<usize>,
    },
    /// Deletes a stash.
    StashDrop {
        /// Its number; `None` if it cannot be known.
        number: Option<usize>,
    },
    /// Deletes all stashes.
    StashClear,
    /// Makes another work tree.
    WorktreeAdd {
        /// Where, as written.
        path: String,
    },
    /// Removes a work tree with everything in it.
    WorktreeRemove {
        /// Which, as written.
        path: String,
    },
    /// Removes a work tree in which nothing would be lost: git refuses otherwise.
    WorktreeGone,
    /// Deletes files from the tree and the index, although they were changed.
    RemoveForced {
        /// Which, as written.
        paths: Vec<String>,
    },
    /// Deletes files from the tree and the index; git refuses where something would be lost.
    RemoveUnchanged {
        /// Which, as written.
        paths: Vec<String>,
    },
    /// Deletes refs.
    DeleteRefs {
        /// Their full names.
        names: Vec<String>,
    },
    /// Sets a branch to another commit.
    MoveRef {
        /// Its full name.
        name: String,
        /// The commit, as written; without one, where we are.
        to: Option<String>,
    },
    /// Renames or copies a branch over another.
    OverwriteRef {
        /// The full name of the other.
        name: String,
        /// The branch that takes its place, as written; without one, where we are.
        with: Option<String>,
    },
    /// Makes a branch, and goes there or not.
    CreateBranch {
        /// Its full name; a tag's is as good.
        name: String,
        /// The commit, as written; without one, where we are.
        at: Option<String>,
        /// Whether it is checked out.
        switch: Switching,
    },
    /// Checks out another branch, and keeps what is not committed; if there is no such branch, sets files back.
    Switch {
        /// The branch or file, as written.
        to: Option<String>,
    },
    /// Takes files out of the index, and leaves them where they are.
    Untrack,
    /// Writes the files of a commit over those that are in the folder.
    Export {
        /// The commit, as written.
        of: String,
    },
    /// Adds names to the rules by which files are ignored in the folder.
    Ignore {
        /// Which, as written.
        names: Vec<String>,
    },
    /// Puts files into the index: those that are named, or all.
    Add {
        /// Which, as written; none for all.
        paths: Vec<String>,
    },
    /// Tells the index of files, and leaves their contents out: `git add -N`.
    Announce {
        /// Which, as written; none for all.
        paths: Vec<String>,
    },
    /// Commits what is staged.
    Commit {
        /// Whether all tracked files are taken.
        all: Untracked,
    },
    /// Takes the commits of these into the branch.
    Merge {
        /// Which, as written.
        names: Vec<String>,
    },
    /// Gives commits to another machine.
    Push {
        /// The branches, as written.
        names: Vec<String>,
    },
    /// Moves or makes commits in another way.
    Other,
    /// Gives up a merge, a rebase or the like, with what was resolved in it.
    Abort,
    /// Gives up a rebase, with whatever is not committed.
    AbortRebase,
    /// Leaves out the commit at which a rebase has stopped, with whatever is not committed.
    SkipCommit,
    /// Puts the commits after one of a branch onto another commit; what the branch had before them is left behind.
    RebaseOnto {
        /// The commit that they are put onto, as written.
        onto: String,
        /// The commit after which they come, as written.
        after: String,
        /// The branch, as written; without one, where we are.
        branch: Option<String>,
    },
    /// Checks out a branch and sets it to what another machine has, with whatever is not committed.
    TakeOver {
        /// Its full name, where it is known.
        branch: Option<String>,
    },
    /// Takes one side of a conflict.
    TakeSide {
        /// In which files, as written.
        paths: Vec<String>,
    },
    /// Throws away what is in submodules.
    SubmoduleDeinit {
        /// Which, as written; none for all.
        paths: Vec<String>,
    },
    /// Does the same in every submodule.
    InSubmodules(Vec<GitAct>),
    /// Copies a repository into a new folder.
    Clone {
        /// The folder.
        into: Target,
    },
}

/// Whether the index is set back with the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexToo {
    /// It stays.
    No,
    /// It is.
    Yes,
}

/// Whether more is meant than tracked files, or than what is staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untracked {
    /// It is not.
    No,
    /// It is.
    Yes,
    /// It is, and files that git ignores are meant, too.
    IgnoredToo,
}

/// Whether a new branch is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// It is only made.
    No,
    /// It is.
    Yes,
}

/// What `git clean` deletes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clean {
    /// Below which paths, as written; none for everything.
    pub paths: Vec<String>,
    /// What is left alone, as written.
    pub excludes: Vec<String>,
    /// What it does about ignored files.
    pub ignored: IgnoredFiles,
    /// What it does about folders.
    pub folders: Folders,
}

/// What is done about files that git ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoredFiles {
    /// They stay.
    Keep,
    /// They go, too.
    Also,
    /// Only they go.
    Only,
}

/// What is done about folders that hold nothing tracked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// They stay.
    Keep,
    /// They go.
    Delete,
    /// They go, even if they are repositories.
    DeleteRepositories,
}

/// What an act would take away for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// Nobody can say: the text alone is judged.
    Unknown,
    /// Nothing, and why.
    Nothing(String),
    /// What somebody has in a path or folder, and what that is.
    Part(String),
    /// What somebody has in the whole tree, a stash, a branch or a work tree, and what that is.
    Whole(String),
}

impl Loss {
    const fn rank(&self) -> u8 {
        match self {
            Self::Nothing(_) => 0,
            Self::Unknown => 1,
            Self::Part(_) => 2,
            Self::Whole(_) => 3,
        }
    }

    /// The graver of both. What is unknown is graver than nothing, but does not hide what is known.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing(one), Self::Nothing(two)) if one != two && one.len() < 200 => {
                Self::Nothing(format!("{one}; {two}"))
            }
            (one, two) if two.rank() > one.rank() => two,
            (one, _) => one,
        }
    }
}
