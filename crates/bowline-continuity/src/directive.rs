//! Directives: the files that tell an agent how to work in a folder (`AGENTS.md`, `.directives/TESTING.md`).

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

/// Files that count in every effort.
const CORE: [&str; 5] = [
    "AGENTS.md",
    "CLAUDE.md",
    "INVARIANTS.md",
    "ARCHITECTURE.md",
    "COMMANDS.md",
];

/// Files that count if the effort's skill names them.
const OF_SKILLS: [&str; 5] = [
    "TESTING.md",
    "PITFALLS.md",
    "CONTRIBUTING.md",
    "TEMPLATE.md",
    "CHECKLIST.md",
];

/// The folder in which directives are looked for first.
const FOLDER: &str = ".directives";

/// At most this many folders are searched for one that is touched.
const MAX_FOLDERS: usize = 32;

/// At most this many commands of one folder count.
const MAX_COMMANDS: usize = 50;

/// What may be asked about files. All paths are absolute.
pub trait Files {
    /// Whether this is a file, or a link to one.
    fn is_file(&self, path: &str) -> bool;
    /// The path without links, if it is known.
    fn real(&self, path: &str) -> Option<String>;
    /// The names in a folder; none if there is no such folder.
    fn list(&self, folder: &str) -> Vec<String>;
}

/// The folders whose directives apply to a folder: itself and those above it up to the project's, the nearest first. None if it is
/// outside the project.
fn folders_above(folder: &str, project: &str) -> Vec<String> {
    let (Some(folder), Some(project)) = (plain(folder), plain(project)) else {
        return Vec::new();
    };
    folder
        .ancestors()
        .take_while(|above| above.starts_with(&project))
        .take(MAX_FOLDERS)
        .map(|above| above.to_string_lossy().into_owned())
        .collect()
}

/// The directive files that apply to a folder of a project, those of the nearest folder first. `directives` are the files that the
/// effort's skill names. No file is listed twice, whatever leads to it.
pub fn applying(
    files: &dyn Files,
    project: &str,
    folder: &str,
    directives: &[String],
) -> Vec<String> {
    let named = |file: &&str| directives.iter().any(|directive| names(directive, file));
    let wanted: Vec<&str> = CORE
        .into_iter()
        .chain(OF_SKILLS.into_iter().filter(named))
        .collect();

    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for folder in folders_above(folder, project) {
        let folder = folder.trim_end_matches('/');
        let of_names = wanted.iter().filter_map(|name| {
            let places = [
                format!("{folder}/{FOLDER}/{name}"),
                format!("{folder}/{name}"),
            ];
            places.into_iter().find(|path| files.is_file(path))
        });
        let paths: Vec<String> = of_names.chain(commands(files, folder)).collect();
        for path in paths {
            let real = files.real(&path).unwrap_or_else(|| path.clone());
            if seen.insert(real) {
                found.push(path);
            }
        }
    }
    found
}

/// Whether a skill that names `directive` (`TESTING`, `testing.md`, `.directives/TESTING.md`) means this file.
fn names(directive: &str, file: &str) -> bool {
    let name = directive.rsplit('/').next().unwrap_or(directive).trim();
    name.eq_ignore_ascii_case(file)
        || file
            .strip_suffix(".md")
            .is_some_and(|stem| name.eq_ignore_ascii_case(stem))
}

fn commands(files: &dyn Files, folder: &str) -> Vec<String> {
    let folder = format!("{folder}/{FOLDER}/commands");
    let mut names = files.list(&folder);
    names.retain(|name| {
        let stem = name.strip_suffix(".md");
        stem.is_some_and(|stem| stem.starts_with("CMD_"))
    });
    names.sort();
    names.truncate(MAX_COMMANDS);
    names
        .into_iter()
        .map(|name| format!("{folder}/{name}"))
        .filter(|path| files.is_file(path))
        .collect()
}

/// The folders of the files that a tool call names, each once and only those of the project. `cwd` is where a relative path begins.
pub fn folders_touched<'a>(
    paths: impl IntoIterator<Item = &'a str>,
    cwd: &str,
    project: &str,
) -> Vec<String> {
    let Some(project) = plain(project) else {
        return Vec::new();
    };
    let mut folders = Vec::new();
    for path in paths.into_iter().filter(|path| !path.is_empty()) {
        let absolute = plain(Path::new(cwd).join(path));
        let folder = absolute.as_deref().and_then(Path::parent);
        let Some(folder) = folder.filter(|folder| folder.starts_with(&project)) else {
            continue;
        };
        let folder = folder.to_string_lossy().into_owned();
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// An absolute path without `.` and `..`. It is read as text: links are not followed.
fn plain(path: impl AsRef<Path>) -> Option<PathBuf> {
    let path = path.as_ref();
    if !path.is_absolute() {
        return None;
    }
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use super::*;

    /// Files by their paths; a link has the path that it leads to.
    #[derive(Default)]
    struct Tree {
        files: BTreeMap<String, Option<String>>,
        asked: Cell<usize>,
    }

    impl Tree {
        fn new(files: &[&str]) -> Self {
            let files = files.iter().map(|&file| match file.split_once(" -> ") {
                Some((link, target)) => (link.to_owned(), Some(target.to_owned())),
                None => (file.to_owned(), None),
            });
            Self {
                files: files.collect(),
                asked: Cell::new(0),
            }
        }

        fn count(&self) {
            self.asked.set(self.asked.get() + 1);
        }
    }

    impl Files for Tree {
        fn is_file(&self, path: &str) -> bool {
            self.count();
            self.files.contains_key(path)
        }

        fn real(&self, path: &str) -> Option<String> {
            self.count();
            let target = self.files.get(path)?;
            Some(target.clone().unwrap_or_else(|| path.to_owned()))
        }

        fn list(&self, folder: &str) -> Vec<String> {
            self.count();
            let below = self.files.keys().rev();
            below
                .filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'))
                .map(|rest| rest.split('/').next().unwrap_or(rest).to_owned())
                .collect()
        }
    }

    fn check(files: &[&str], folder: &str, directives: &[&str], expected: &[&str]) {
        let directives: Vec<String> = directives.iter().map(|&name| name.to_owned()).collect();
        let found = applying(&Tree::new(files), "/p/shop", folder, &directives);
        assert_eq!(found, expected, "{folder}");
    }

    #[test]
    fn the_nearest_folder_comes_first_and_the_project_last() {
        let files = [
            "/AGENTS.md",
            "/p/AGENTS.md",
            "/p/shop/AGENTS.md",
            "/p/shop/CLAUDE.md",
            "/p/shop/src/ARCHITECTURE.md",
            "/p/shop/src/INVARIANTS.md",
            "/p/shop/src/web/COMMANDS.md",
            "/p/shop/src/web/README.md",
            "/p/shop/docs/AGENTS.md",
            "/p/shopping/AGENTS.md",
        ];
        let project = ["/p/shop/AGENTS.md", "/p/shop/CLAUDE.md"];
        let src = [
            "/p/shop/src/INVARIANTS.md",
            "/p/shop/src/ARCHITECTURE.md",
            "/p/shop/AGENTS.md",
            "/p/shop/CLAUDE.md",
        ];
        let web = [&["/p/shop/src/web/COMMANDS.md"], &src[..]].concat();
        check(&files, "/p/shop", &[], &project);
        check(&files, "/p/shop/", &[], &project);
        check(&files, "/p/shop/src", &[], &src);
        check(&files, "/p/shop/src/web", &[], &web);
        check(&files, "/p/shop/src/./web/gone/..", &[], &web);
        // Outside, however it is written.
        for outside in [
            "/",
            "/p",
            "/p/shopping",
            "/p/shop/..",
            "/p/shop/../shopping",
            "src",
            "",
        ] {
            check(&files, outside, &[], &[]);
        }
    }

    #[test]
    fn files_of_skills_count_only_if_the_skill_names_them() {
        let files = [
            "/p/shop/AGENTS.md",
            "/p/shop/TESTING.md",
            "/p/shop/PITFALLS.md",
            "/p/shop/CONTRIBUTING.md",
            "/p/shop/SECRETS.md",
        ];
        let agents = "/p/shop/AGENTS.md";
        check(&files, "/p/shop", &[], &[agents]);
        for name in [
            "TESTING.md",
            "testing",
            " Testing ",
            ".directives/TESTING.md",
        ] {
            check(&files, "/p/shop", &[name], &[agents, "/p/shop/TESTING.md"]);
        }
        let both = ["PITFALLS", "TESTING", "TESTING"];
        let expected = [agents, "/p/shop/TESTING.md", "/p/shop/PITFALLS.md"];
        check(&files, "/p/shop", &both, &expected);
        for name in ["SECRETS.md", "TEST", "", "../PITFALL"] {
            check(&files, "/p/shop", &[name], &[agents]);
        }
    }

    #[test]
    fn the_folder_for_directives_wins_over_the_place_beside_it() {
        let files = [
            "/p/shop/AGENTS.md",
            "/p/shop/.directives/AGENTS.md",
            "/p/shop/CLAUDE.md",
            "/p/shop/src/.directives/CLAUDE.md",
        ];
        let expected = [
            "/p/shop/src/.directives/CLAUDE.md",
            "/p/shop/.directives/AGENTS.md",
            "/p/shop/CLAUDE.md",
        ];
        check(&files, "/p/shop/src", &[], &expected);
    }

    #[test]
    fn commands_are_found_in_their_folder() {
        let files = [
            "/p/shop/.directives/commands/CMD_TEST.md",
            "/p/shop/.directives/commands/CMD_BUILD.md",
            "/p/shop/.directives/commands/CMD_FOLDER.md/x",
            "/p/shop/.directives/commands/README.md",
            "/p/shop/.directives/commands/CMD_X.txt",
            "/p/shop/.directives/CMD_ELSEWHERE.md",
            "/p/shop/AGENTS.md",
        ];
        let expected = [
            "/p/shop/AGENTS.md",
            "/p/shop/.directives/commands/CMD_BUILD.md",
            "/p/shop/.directives/commands/CMD_TEST.md",
        ];
        check(&files, "/p/shop", &[], &expected);
    }

    #[test]
    fn a_file_is_listed_once_whatever_leads_to_it() {
        let files = [
            "/p/shop/AGENTS.md",
            "/p/shop/CLAUDE.md -> /p/shop/AGENTS.md",
            "/p/shop/src/AGENTS.md -> /p/shop/AGENTS.md",
            "/p/shop/src/CLAUDE.md -> /elsewhere/CLAUDE.md",
        ];
        let expected = ["/p/shop/src/AGENTS.md", "/p/shop/src/CLAUDE.md"];
        check(&files, "/p/shop/src", &[], &expected);
    }

    #[test]
    fn the_root_may_be_the_project() {
        let tree = Tree::new(&["/AGENTS.md", "/a/CLAUDE.md"]);
        let found = applying(&tree, "/", "/a", &[]);
        assert_eq!(found, ["/a/CLAUDE.md", "/AGENTS.md"]);
    }

    #[test]
    fn the_number_of_look_ups_is_bounded() {
        let deep = format!("/p/shop{}", "/a".repeat(500));
        let commands: Vec<String> = (0..1000)
            .map(|number| format!("{deep}/.directives/commands/CMD_{number:04}.md"))
            .collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        let tree = Tree::new(&commands);
        let all = OF_SKILLS.map(str::to_owned);
        let found = applying(&tree, "/p/shop", &deep, &all);
        assert_eq!(found.len(), MAX_COMMANDS);
        let most = MAX_FOLDERS * (2 * (CORE.len() + OF_SKILLS.len()) + 1) + 2 * MAX_COMMANDS;
        assert!(tree.asked.get() <= most, "{}", tree.asked.get());
    }

    #[test]
    fn the_folders_of_files_are_touched() {
        for (paths, expected) in [
            (&["/p/shop/src/main.rs"][..], &["/p/shop/src"][..]),
            (&["main.rs"], &["/p/shop/src"]),
            (
                &["../docs/a.md", "./b/c.md"],
                &["/p/shop/docs", "/p/shop/src/b"],
            ),
            (&["a.rs", "b.rs", "/p/shop/src/c.rs"], &["/p/shop/src"]),
            (&["/p/shop/README.md"], &["/p/shop"]),
            (
                &["/p/shopping/a", "/etc/hosts", "../../x", "/p/shop", "/"],
                &[],
            ),
            (&["/p/shop/../../etc/hosts"], &[]),
            (&[""], &[]),
            (&[], &[]),
        ] {
            let touched = folders_touched(paths.iter().copied(), "/p/shop/src", "/p/shop");
            assert_eq!(touched, expected, "{paths:?}");
        }
        let nowhere = folders_touched(["a.rs"], "", "/p/shop");
        assert!(nowhere.is_empty(), "a relative path needs a folder");
    }
}
