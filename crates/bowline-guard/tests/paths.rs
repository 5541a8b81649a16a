//! Where paths lead and what places they are.

use bowline_guard::paths::{
    DeviceKind, HomeKind, Place, Rebuildable, ResolvedPath, Shape, StaticWorld, Unknown, World,
    place, resolve, resolve_literal, resolve_words,
};
use proptest::prelude::*;

fn world() -> StaticWorld {
    StaticWorld::new("/home/ada/shop", "/home/ada")
}

#[test]
fn words_become_absolute_paths() {
    for (word, expected) in [
        ("a/b", "/home/ada/shop/a/b"),
        ("./a//b/", "/home/ada/shop/a/b"),
        ("..", "/home/ada"),
        ("../../../../..", "/"),
        ("~", "/home/ada"),
        ("~/x", "/home/ada/x"),
        ("~root/x", "/root/x"),
        ("~bo", "/home/bo"),
        ("~+/x", "/home/ada/shop/x"),
        ("$HOME", "/home/ada"),
        ("${HOME}/x", "/home/ada/x"),
        ("${HOME:?}/x", "/home/ada/x"),
        ("$PWD/dist", "/home/ada/shop/dist"),
        ("/home/$USER/x", "/home/ada/x"),
        ("$TMPDIR/x", "/tmp/x"),
        ("/", "/"),
        ("//", "/"),
        ("/.", "/"),
        ("/proc/self/cwd/x", "/home/ada/shop/x"),
        ("/proc/self/root/etc", "/etc"),
        ("/private/tmp/x", "/tmp/x"),
        ("file:///etc/hosts", "/etc/hosts"),
        ("file:///a%20b", "/a b"),
        ("a$", "/home/ada/shop/a$"),
        ("C:\\Users\\ada", "C:/Users/ada"),
    ] {
        let resolved = resolve(word, &world());
        assert_eq!(
            (resolved.path.as_str(), &resolved.shape),
            (expected, &Shape::Exact),
            "{word}"
        );
    }
}

#[test]
fn unknown_parts_are_named() {
    let variable = |name: &str| Shape::Unknown(Unknown::Variable(name.to_owned()));
    for (word, path, shape) in [
        ("$DIR", "*", variable("DIR")),
        ("\u{24}DIR/../x", "*/../x", variable("DIR")),
        ("a/${B}/c", "/home/ada/shop/a/*/c", variable("B")),
        ("~-/x", "*/x", variable("OLDPWD")),
        ("${HOME%/*}", "*", variable("HOME%/*")),
        ("$(pwd)/x", "*/x", Shape::Unknown(Unknown::Command)),
        ("`pwd`", "*", Shape::Unknown(Unknown::Command)),
        ("$1", "*", variable("1")),
        ("", "", Shape::Unknown(Unknown::Empty)),
    ] {
        let resolved = resolve(word, &world());
        assert_eq!(
            (resolved.path.as_str(), resolved.shape),
            (path, shape),
            "{word}"
        );
    }
    let literal = resolve_literal("a*$B", &world());
    assert_eq!(
        (literal.path.as_str(), literal.shape),
        ("/home/ada/shop/a*$B", Shape::Exact)
    );
    assert_eq!(
        resolve(&"x".repeat(10_000), &world()).shape,
        Shape::Unknown(Unknown::TooLong)
    );
}

#[test]
fn patterns_keep_their_fixed_part() {
    for (word, prefix) in [
        ("/etc/*", "/etc"),
        ("/*", "/"),
        ("*", "/home/ada/shop"),
        ("src/**/x", "/home/ada/shop/src"),
        ("~/.e?v", "/home/ada"),
    ] {
        let resolved = resolve(word, &world());
        assert_eq!(
            (resolved.fixed_prefix(), &resolved.shape),
            (prefix, &Shape::Pattern),
            "{word}"
        );
    }
    let paths: Vec<String> = resolve_words("/{a,b/{c,d}}", &world())
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert_eq!(paths, ["/a", "/b/c", "/b/d"]);
}

struct Known {
    base: StaticWorld,
    links: &'static [(&'static str, &'static str)],
    ignored: &'static [&'static str],
    tracked: &'static [&'static str],
}

impl World for Known {
    fn cwd(&self) -> &str {
        self.base.cwd()
    }
    fn project_root(&self) -> &str {
        self.base.project_root()
    }
    fn home(&self) -> Option<&str> {
        self.base.home()
    }
    fn symlink_target(&self, path: &str) -> Option<String> {
        self.links
            .iter()
            .find(|(link, _)| *link == path)
            .map(|(_, target)| (*target).to_owned())
    }
    fn is_ignored(&self, path: &str) -> Option<bool> {
        Some(self.ignored.contains(&path))
    }
    fn is_tracked(&self, path: &str) -> Option<bool> {
        Some(self.tracked.contains(&path))
    }
}

fn known() -> Known {
    Known {
        base: world(),
        links: &[
            ("/home/ada/shop/up", ".."),
            ("/home/ada/shop/etc", "/etc"),
            ("/home/ada/shop/a", "b"),
            ("/home/ada/shop/b", "a"),
        ],
        ignored: &[
            "/home/ada/shop/gen",
            "/home/ada/shop/.env",
            "/home/ada/shop/dev.sqlite3",
        ],
        tracked: &["/home/ada/shop/dist"],
    }
}

#[test]
fn links_are_followed_as_a_system_does() {
    let resolved = |word| resolve(word, &known());
    let link = resolved("etc");
    assert_eq!(
        (link.path.as_str(), link.target.as_deref()),
        ("/home/ada/shop/etc", Some("/etc"))
    );
    assert_eq!(resolved("etc/hosts").path, "/etc/hosts");
    assert_eq!(resolved("etc/..").path, "/");
    assert_eq!(resolved("up/x").path, "/home/ada/x");
    assert_eq!(resolved("up/shop/up/y").path, "/home/ada/y");
    assert_eq!(resolved("a/x").shape, Shape::Unknown(Unknown::Links));
}

#[test]
fn git_says_what_can_be_made_again() {
    for (word, expected) in [
        ("gen", Rebuildable::Ignored),
        (".env", Rebuildable::No),
        ("dev.sqlite3", Rebuildable::No),
        ("dist", Rebuildable::No),
        ("build", Rebuildable::Output),
    ] {
        let found = place(&resolve(word, &known()), &known());
        assert_eq!(found, Place::InProject(expected), "{word}");
    }
}

#[test]
fn places() {
    use Place::{
        AboveProject, Device, GitDir, HomeItself, InHome, InProject, OtherHome, OutsideProject,
        ProjectRoot, Root, System, Temp,
    };
    let output = InProject(Rebuildable::Output);
    let scratch = InProject(Rebuildable::Scratch);
    let kept = InProject(Rebuildable::No);
    let table: &[(&Place, &[&str])] = &[
        (
            &Root,
            &["/", "//", "/*", "/.", "/../", "../../../*", "/{,}"],
        ),
        (
            &System,
            &[
                "/etc",
                "/etc/nginx",
                "/usr/local/*",
                "/var/lib/x",
                "/opt/x",
                "/home",
                "/boot",
                "/sy?",
                "/System/x",
                "/Library/x",
                "/proc/sys/x",
                "/srv/x",
                "/dev",
                "/Volumes/x",
                "/bin/[a-c]*",
            ],
        ),
        (
            &HomeItself,
            &[
                "~",
                "$HOME",
                "~/",
                "~/*",
                "..",
                "../*",
                "~ada",
                "/home/ada",
                "~/.[!.]*",
            ],
        ),
        (
            &InHome(HomeKind::Cache),
            &[
                "~/.cache",
                "~/.npm/_cacache",
                "~/.cargo/registry",
                "~/.gradle/caches/x",
                "~/.cache/*",
                "~/Library/Caches/x",
                "~/go/pkg/mod",
            ],
        ),
        (
            &InHome(HomeKind::Config),
            &[
                "~/.config",
                "~/.bashrc",
                "~/.ssh",
                "~/.cargo",
                "~/.config/*",
            ],
        ),
        (
            &InHome(HomeKind::Data),
            &[
                "~/Documents",
                "../other",
                "~/Library",
                "~/Downloads",
                "~/Downloads/*",
                "~/.local/share/x",
            ],
        ),
        (&InHome(HomeKind::Download), &["~/Downloads/setup.zip"]),
        (
            &OtherHome,
            &["/home/bo", "~bo/x", "/Users/cy/y", "/root", "/root/.ssh"],
        ),
        (
            &ProjectRoot,
            &[
                ".",
                "./",
                "*",
                "./*",
                "$PWD",
                "../shop",
                "**",
                "/home/ada/shop",
                ".*",
            ],
        ),
        (
            &GitDir,
            &[
                ".git",
                ".git/",
                ".git/HEAD",
                ".GIT/refs",
                "../other/.git",
                "sub/.git",
                ".git/*",
            ],
        ),
        (
            &output,
            &[
                "node_modules",
                "./dist",
                "web/node_modules/x",
                "target/debug",
                "app/build",
                "**/node_modules",
                "packages/*/dist",
                "src/*.egg-info",
                "__pycache__",
                ".venv/",
                "coverage",
                ".next",
                "dist/*",
                "ios/Pods",
                "tmp/cache",
                "node_modules/a/.git",
                "DIST",
            ],
        ),
        (
            &scratch,
            &[
                "x.log",
                "*.pyc",
                "a/.DS_Store",
                "npm-debug.log*",
                "scratch.py",
                "yarn.lock",
                "x~",
            ],
        ),
        (
            &kept,
            &[
                "src",
                "data",
                "uploads/*",
                "app/models",
                "*.rs",
                ".env.local",
                "src/build",
                "vendor",
                "dev.db",
                "docs/*",
                ".gitignore",
                "src/log",
                ".env.bak",
                "migrations",
            ],
        ),
        (
            &Temp,
            &[
                "/tmp/x",
                "/tmp/a-*",
                "/var/tmp/x",
                "$TMPDIR/x",
                "/private/tmp/x",
                "/dev/shm/x",
            ],
        ),
        (&OutsideProject, &["/data/x", "/mnt/x", "/media/usb/*"]),
        (
            &Device(DeviceKind::Harmless),
            &["/dev/null", "/dev/stdout", "/dev/fd/3", "/dev/tty1"],
        ),
        (
            &Device(DeviceKind::Storage),
            &["/dev/sda", "/dev/nvme0n1p1", "/dev/mapper/x", "/dev/disk2"],
        ),
        (&Device(DeviceKind::Other), &["/dev/dri/card0"]),
    ];
    let mut wrong = Vec::new();
    for (expected, words) in table {
        for word in *words {
            for resolved in resolve_words(word, &world()) {
                let found = place(&resolved, &world());
                if found != **expected {
                    wrong.push(format!("{word}: {found:?}, not {expected:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let deep = StaticWorld::new("/data/team/shop", "/home/ada");
    assert_eq!(place(&resolve("..", &deep), &deep), AboveProject);
    let nested = StaticWorld::new("/home/ada/work/shop", "/home/ada");
    assert_eq!(place(&resolve("..", &nested), &nested), AboveProject);
}

#[test]
fn a_home_is_never_a_project() {
    let world = StaticWorld::new("/home/ada", "/home/ada");
    assert_eq!(place(&resolve("*", &world), &world), Place::HomeItself);
    assert_eq!(
        place(&resolve(".ssh", &world), &world),
        Place::InHome(HomeKind::Config)
    );
    let temporary = StaticWorld::new("/tmp/shop", "/home/ada");
    assert_eq!(
        place(&resolve(".", &temporary), &temporary),
        Place::ProjectRoot
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_word_resolves(word in "\\PC{0,60}", odd in "[~$./{}*?`()a-c:%-]{0,40}") {
        for text in [&word, &odd] {
            for resolved in resolve_words(text, &world()) {
                place(&resolved, &world());
                resolved.fixed_prefix();
            }
        }
    }

    #[test]
    fn detours_change_nothing(parts in prop::collection::vec("[a-z.]{1,6}", 1..5)) {
        prop_assume!(parts.iter().all(|part| part.chars().any(|it| it != '.')));
        let plain = resolve(&parts.join("/"), &world());
        for other in [parts.join("//"), parts.join("/./"), parts.join("/q/../")] {
            let other = resolve(&other, &world());
            prop_assert_eq!(&ResolvedPath { written: plain.written.clone(), ..other }, &plain);
        }
    }
}
