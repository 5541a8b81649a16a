use std::cell::Cell;

use super::check_lines;
use crate::effect::Gravity;
use crate::judge::judge;
use crate::paths::{StaticWorld, World};
use crate::shell::Understanding;

/// A world with a repository whose config has aliases, and one elsewhere that has another.
struct Aliases {
    inner: StaticWorld,
    asked: Cell<usize>,
}

impl World for Aliases {
    fn cwd(&self) -> &str {
        self.inner.cwd()
    }
    fn project_root(&self) -> &str {
        self.inner.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.inner.home()
    }
    fn git_alias(&self, directory: &str, name: &str) -> Option<String> {
        self.asked.set(self.asked.get() + 1);
        let alias = match (directory, name) {
            ("/home/ann/other", "there") => "clean -fdx",
            ("/home/ann/other", _) => return None,
            (_, "boom") => "reset --hard",
            (_, "gone") => "!rm -rf ~/",
            (_, "out") => "!git clean -fd",
            (_, "out-build") => "!rm -rf build",
            (_, "up") => "push --force",
            (_, "st") => "status --short",
            (_, "lg") => "log --graph --format='%h %s'",
            (_, "twice") => "boom",
            (_, "round") => "round",
            (_, "say") => "!echo",
            (_, "run") => "!f() { git \"$@\"; }; f",
            _ => return None,
        };
        Some(alias.to_owned())
    }
}

fn world() -> Aliases {
    Aliases {
        inner: super::world(),
        asked: Cell::new(0),
    }
}

#[test]
fn aliases_of_the_repository_are_what_they_stand_for() {
    for (command, expected) in [
        ("git boom", Gravity::Grave),
        ("git boom HEAD~1", Gravity::Grave),
        ("git -c color.ui=never boom", Gravity::Grave),
        ("sudo git boom", Gravity::Grave),
        ("bash -c 'git boom'", Gravity::Grave),
        ("git gone", Gravity::Grave),
        ("git out", Gravity::Grave),
        ("cd src && git out", Gravity::Grave),
        ("git up", Gravity::Grave),
        ("git twice", Gravity::Grave),
        ("git run reset --hard", Gravity::Grave),
        ("git -C ../other there", Gravity::Grave),
        ("cd ../other && git there", Gravity::Grave),
        ("git there", Gravity::Harmless),
        ("git -C ../other boom", Gravity::Harmless),
        ("git out-build", Gravity::Harmless),
        ("git st", Gravity::Harmless),
        ("git lg -5", Gravity::Harmless),
        ("git say 'rm -rf ~'", Gravity::Harmless),
        ("git round", Gravity::Harmless),
        ("git unknown", Gravity::Harmless),
        ("git log boom", Gravity::Harmless),
    ] {
        let verdict = judge(command, &world()).verdict;
        assert_eq!(verdict.gravity, expected, "{command} {verdict:?}");
    }
}

#[test]
fn what_git_knows_is_not_asked_about() {
    let world = world();
    judge("git status && git push && git -c a.b=c commit -m x", &world);
    assert_eq!(world.asked.get(), 0);
    judge("git st", &world);
    assert_eq!(world.asked.get(), 1);
}

#[test]
fn settings_are_taken_once() {
    for command in [
        "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=a.b GIT_CONFIG_VALUE_0=c; git status",
        "X=c git --config-env=a.b=X status",
    ] {
        let judgement = judge(command, &super::world());
        assert_eq!(judgement.understanding, Understanding::Clean, "{command}");
        assert_eq!(judgement.invocations.len(), 1, "{command}");
    }
}

#[test]
fn settings_that_come_with_a_call() {
    check_lines(
        r#"deny GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='reset --hard' git x
         deny GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm -rf ~' git x
         deny export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='reset --hard'; git x
         deny env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='push -f' git x
         deny GIT_CONFIG_PARAMETERS="'alias.x=reset --hard'" git x
         deny X='reset --hard' git --config-env=alias.x=X x
         deny git -c remote.origin.push=+main push
         deny git -c remote.origin.push=+refs/heads/*:refs/heads/* push origin
         deny git -c remote.origin.mirror=true push
         deny git config remote.origin.push +main
         deny git config set remote.origin.mirror true
         deny GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.push GIT_CONFIG_VALUE_0=+main git push
         ask git -c remote.origin.push=:topic push
         deny git push --forc
         deny git push --forc origin main
         deny git push --mirr
         allow git push --force-with
         allow git config remote.origin.push main
         allow git -c remote.origin.push=main push
         allow git -c remote.origin.push=+main fetch
         allow GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=cat git log
         allow GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=/x git status
         allow GIT_PAGER=cat git log"#,
    );
}
