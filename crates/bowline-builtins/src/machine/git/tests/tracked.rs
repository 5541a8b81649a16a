//! Which tracked files hold something else than git's index.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use bowline_testkit::needs;

use super::Ground;

fn unsettled(ground: &Ground) -> Vec<String> {
    let names = ground.ask(|git, repository| git.unsettled(repository, 100, |_| true));
    let text = |name: Vec<u8>| String::from_utf8(name).unwrap();
    names.unwrap().into_iter().map(text).collect()
}

#[needs(git)]
#[test]
fn whatever_is_not_as_the_index_says_is_unsettled() {
    let ground = Ground::new();
    for name in ["a/one", "a/two", "b/one", "c/one", "mode", "same", "top"] {
        ground.write(name, "the first text\n");
    }
    ground.commit("first");
    assert_eq!(unsettled(&ground), Vec::<String>::new());
    ground.write("a/two", "another text of the same person\n");
    ground.write("same", "the first text\n");
    fs::set_permissions(ground.path("mode"), Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(ground.path("c/one")).unwrap();
    // What git tracks is not there, although a file of that name is.
    fs::rename(ground.path("b"), ground.path("elsewhere")).unwrap();
    symlink("elsewhere", ground.path("b")).unwrap();
    assert_eq!(unsettled(&ground), ["a/two", "b/one", "c/one", "mode"]);
}

#[needs(git)]
#[test]
fn a_look_is_at_few_files_and_leaves_out_what_nobody_wants() {
    let ground = Ground::new();
    for name in ["a", "b", "c"] {
        ground.write(name, "the first text\n");
    }
    ground.commit("first");
    ground.write("b", "another text\n");
    ground.ask(|git, repository| {
        let found = git.unsettled(repository, 1, |name| name == b"b");
        assert_eq!(found, Some(vec![b"b".to_vec()]));
        assert_eq!(git.unsettled(repository, 2, |_| true), None);
    });
}
