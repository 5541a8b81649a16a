//! What kind of place a path is: the ground on which deletions and overwrites are judged.

use super::products::product_by_name;
use super::{ResolvedPath, Shape, TrailingSlash, Unknown, World, glob, is_within, usual_home};

/// What kind of place a path is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The root of the file system.
    Root,
    /// A directory of the operating system or of its services, or below one.
    System,
    /// The user's home as a whole.
    HomeItself,
    /// Something in the user's home, outside the project.
    InHome(HomeKind),
    /// The home of somebody else, or something in it.
    OtherHome,
    /// The project as a whole.
    ProjectRoot,
    /// A directory that the project lies in, but no home and no system directory.
    AboveProject,
    /// The version control's own data.
    GitDir,
    /// Something in the project.
    InProject(Rebuildable),
    /// A temporary directory, or something in it.
    Temp,
    /// Anything else outside the project.
    OutsideProject,
    /// A device.
    Device(DeviceKind),
    /// It cannot be known from the text.
    Unknown(Unknown),
}

/// What a thing in a home is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomeKind {
    /// Filled again by the tool that owns it.
    Cache,
    /// Settings.
    Config,
    /// One thing among the downloads.
    Download,
    /// The user's own data.
    Data,
}

/// Whether the project can make a file again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuildable {
    /// Build output, dependencies or a tool's cache, by name.
    Output,
    /// A scratch file, by name.
    Scratch,
    /// Ignored by git, and named like what a tool makes.
    Ignored,
    /// Sources, data, or unknown.
    No,
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// Reading or writing it does no harm: `/dev/null`, a terminal, a stream.
    Harmless,
    /// It holds data: disks, partitions, memory.
    Storage,
    /// Another device.
    Other,
}

#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "/Applications", "/Library", "/Network", "/System", "/bin", "/boot", "/cores", "/dev", "/efi",
    "/etc", "/export", "/home", "/lib", "/lib32", "/lib64", "/libx32", "/lost+found", "/nix",
    "/opt", "/private", "/proc", "/run", "/sbin", "/snap", "/srv", "/sys", "/usr", "/var",
    "/Users", "/Volumes",
];

/// What package managers fetch and index again, outside any home.
#[rustfmt::skip]
const PACKAGE_CACHES: &[&str] = &[
    "/var/lib/apt/lists", "/var/cache/apt", "/var/cache/apk", "/var/cache/dnf", "/var/cache/yum",
    "/var/cache/libdnf5", "/var/cache/zypp", "/var/cache/pacman/pkg", "/var/cache/xbps",
];

const TEMP: &[&str] = &["/tmp", "/var/tmp", "/dev/shm", "/var/folders", "/usr/tmp"];

/// Directories that a build, an installation or a tool makes again.
#[rustfmt::skip]
const OUTPUT_DIRECTORIES: &[&str] = &[
    ".angular", ".astro", ".build", ".bundle", ".cache", ".ccache", ".cxx", ".dart_tool",
    ".docusaurus", ".eggs", ".expo", ".gradle", ".hypothesis", ".ipynb_checkpoints", ".jest",
    ".mypy_cache", ".next", ".nox", ".nuxt", ".nyc_output", ".output", ".parcel-cache", ".pnp",
    ".pnpm-store", ".pytest_cache", ".pytype", ".ruff_cache", ".sass-cache", ".serverless",
    ".stack-work", ".svelte-kit", ".terraform", ".tox", ".turbo", ".venv", ".virtualenv", ".vite",
    ".vuepress", ".webpack", ".wrangler", "__pycache__", "_build", "_site", "bazel-bin",
    "bazel-out", "bazel-testlogs", "bower_components", "build", "buck-out", "cdk.out",
    "cmake-build-debug", "cmake-build-release", "cmakefiles", "coverage", "deriveddata", "dist",
    "dist-newstyle", "elm-stuff", "htmlcov", "jspm_packages", "node_modules", "obj", "out",
    "playwright-report", "pods", "site-packages", "storybook-static", "target", "test-results",
    "venv", "zig-cache", "zig-out", ".zig-cache", "carthage", "lcov-report", ".yarn/cache", "tmp",
    "temp", ".tmp", ".temp", "logs", "log", "cache", "caches", "public/build", "public/assets",
    "public/packs", "storage/framework/cache", "var/cache", "bootstrap/cache", ".eslintcache",
    ".stylelintcache", ".idea/shelf", ".scannerwork", ".kotlin", ".swiftpm", ".vs",
    "vendor/bundle", "vendor/cache", ".phpunit.cache", ".vercel", ".netlify", ".gocache",
    ".nx/cache", ".open-next", ".aws-sam/build", "bin/debug", "bin/release",
];

/// Of those, the words that also name packages of source code, when they lie in one of
/// [`SOURCE_PARENTS`].
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "build", "cache", "caches", "coverage", "dist", "log", "logs", "obj", "out", "target", "temp",
    "tmp",
];
const SOURCE_PARENTS: &[&str] = &["src", "lib", "internal", "pkg", "cmd", "crates"];

/// The same, where a pattern is needed; all in small letters.
const OUTPUT_PATTERNS: &[&str] = &[
    "*.egg-info",
    "*.dist-info",
    "cmake-build-*",
    "bazel-*",
    "*.dsym",
];

/// Files that come and go: logs, compiled objects, editors' and systems' leftovers.
#[rustfmt::skip]
const SCRATCH_FILES: &[&str] = &[
    "*.log", "*.log.*", "*.tmp", "*.temp", "*.pyc", "*.pyo", "*.pyd", "*.class", "*.o", "*.obj",
    "*.swp", "*.swo", "*~", "*.bak", "*.orig", "*.rej", "*.pid", "*.map", "*.tsbuildinfo",
    "*.gcda", "*.gcno", "*.prof", "*.profraw", "*.lcov", "*.hprof", "*.stackdump", ".ds_store",
    "thumbs.db", "desktop.ini", ".coverage", ".coverage.*", "coverage.xml", "coverage.out",
    "lcov.info", "junit.xml", ".eslintcache", ".stylelintcache", "npm-debug.log", "nohup.out",
    "core", "core.*", "a.out", "scratch.*", "scratch-*", "scratch_*", "tmp.*", "tmp-*", "tmp_*",
    "temp.*", "temp-*", "temp_*", "*_tmp.*", "*-tmp.*", "*.scratch", "package-lock.json",
    "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "*.aux", "*.bbl", "*.blg", "*.fls",
    "*.synctex.gz", "*.fdb_latexmk", ".phpunit.result.cache",
];

#[rustfmt::skip]
const HOME_CACHES: &[&str] = &[
    ".bun/install/cache", ".bundle/cache", ".cache", ".cargo/git", ".cargo/registry", ".ccache",
    ".cocoapods/repos", ".composer/cache", ".conda/pkgs", ".cpan", ".cpanm", ".deno",
    ".electron-gyp", ".eslintcache", ".expo/cache", ".gradle/caches", ".gradle/daemon",
    ".gradle/wrapper/dists", ".ivy2/cache", ".keras", ".local/share/Trash",
    ".local/share/pnpm/store", ".m2/repository", ".node-gyp", ".npm", ".nuget/packages",
    ".nv/ComputeCache", ".parcel-cache", ".pnpm-store", ".pub-cache", ".rustup/downloads",
    ".rustup/tmp", ".sbt/boot", ".stack/pantry", ".terraform.d/plugin-cache", ".thumbnails",
    ".vscode-server/data/logs", ".yarn/berry/cache", ".yarn/cache", "Library/Caches",
    "Library/Developer/Xcode/DerivedData", "Library/Logs", "go/pkg/mod", "snap/*/common/.cache",
];

#[rustfmt::skip]
const HARMLESS_DEVICES: &[&str] = &[
    "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "ptmx",
    "console", "fd", "pts",
];

#[rustfmt::skip]
const STORAGE_DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "loop", "dm-", "md", "disk", "rdisk", "mapper",
    "block", "mem", "kmem", "port", "nbd", "zd", "zvol", "sr", "ram", "bcache", "rbd",
];

/// What kind of place `resolved` is. Of a pattern, the directory counts that it draws from when
/// it accepts everything there (`/*` is the root), else the pattern's own name.
pub fn place(resolved: &ResolvedPath, world: &dyn World) -> Place {
    match &resolved.shape {
        Shape::Unknown(why) => Place::Unknown(why.clone()),
        // With a slash at its end, a link is the directory that it leads to.
        Shape::Exact => match (&resolved.target, resolved.trailing_slash) {
            (Some(target), TrailingSlash::Yes) => place_of(target, world),
            _ => place_of(&resolved.path, world),
        },
        Shape::Pattern => place_of_pattern(resolved, world),
    }
}

fn place_of_pattern(resolved: &ResolvedPath, world: &dyn World) -> Place {
    let prefix = resolved.fixed_prefix();
    let below = resolved
        .path
        .get(prefix.len()..)
        .unwrap_or_default()
        .trim_start_matches('/');
    if below.split('/').all(glob::accepts_everything) {
        return match place_of(prefix, world) {
            // All of the downloads are no longer one download.
            Place::InHome(HomeKind::Download) => Place::InHome(HomeKind::Data),
            other => other,
        };
    }
    match place_of(prefix, world) {
        Place::Root => match below.split('/').next().unwrap_or_default() {
            first if first == below && !below.contains("home") => Place::System,
            _ => place_of(&resolved.path, world),
        },
        Place::ProjectRoot | Place::InProject(_) | Place::HomeItself => {
            place_of(&resolved.path, world)
        }
        other => other,
    }
}

fn place_of(path: &str, world: &dyn World) -> Place {
    if path.is_empty() {
        return Place::Unknown(Unknown::Empty);
    }
    if path == "/" {
        return Place::Root;
    }
    if let Some(device) = path
        .strip_prefix("/dev/")
        .filter(|_| !is_within(path, "/dev/shm"))
    {
        return Place::Device(device_kind(device));
    }
    if is_stream_of_process(path) {
        return Place::Device(DeviceKind::Harmless);
    }
    let home = world
        .home()
        .map(|home| home.trim_end_matches('/'))
        .filter(|home| !home.is_empty());
    if home == Some(path) {
        return Place::HomeItself;
    }
    let project = world.project_root().trim_end_matches('/');
    // A home or the root is never a project, even if an agent was started there.
    let has_project =
        !project.is_empty() && home != Some(project) && usual_home(project) != Some(project);
    if has_project && is_within(path, project) {
        return place_in_project(path, project, world);
    }
    if is_version_control(path) {
        return Place::GitDir;
    }
    if let Some(home) = home.filter(|home| is_within(path, home)) {
        return if has_project && is_within(project, path) {
            Place::AboveProject
        } else {
            let below = path.get(home.len() + 1..).unwrap_or_default();
            Place::InHome(home_kind(below))
        };
    }
    if is_package_cache(path) {
        return Place::Temp;
    }
    if usual_home(path).is_some() {
        return Place::OtherHome;
    }
    let own_temp = world.temp_dirs().iter().map(|it| it.trim_end_matches('/'));
    if TEMP
        .iter()
        .copied()
        .chain(own_temp)
        .any(|temp| is_within(path, temp))
    {
        return Place::Temp;
    }
    let system = SYSTEM.iter().find(|system| is_within(path, system));
    match system {
        Some(_) => Place::System,
        None if has_project && is_within(project, path) => Place::AboveProject,
        None => Place::OutsideProject,
    }
}

/// What a package manager fills again, for the machine or for its administrator.
fn is_package_cache(path: &str) -> bool {
    let of_root = path.strip_prefix("/root/");
    PACKAGE_CACHES.iter().any(|cache| is_within(path, cache))
        || of_root.is_some_and(|below| home_kind(below) == HomeKind::Cache)
}

fn place_in_project(path: &str, project: &str, world: &dyn World) -> Place {
    let below = path
        .get(project.len()..)
        .unwrap_or_default()
        .trim_matches('/');
    if below.is_empty() {
        return Place::ProjectRoot;
    }
    let tracked = world.is_tracked(path) == Some(true);
    if rebuildable_by_name(below) && !tracked {
        return Place::InProject(Rebuildable::Output);
    }
    if is_version_control(below) {
        return Place::GitDir;
    }
    if scratch_by_name(below) && !tracked {
        return Place::InProject(Rebuildable::Scratch);
    }
    if world.is_ignored(path) == Some(true) && !tracked && product_by_name(below) {
        return Place::InProject(Rebuildable::Ignored);
    }
    Place::InProject(Rebuildable::No)
}

/// Whether a path relative to a project lies in build output, dependencies or a tool's cache.
/// Folders inside a version control's own data do not count.
pub fn rebuildable_by_name(relative: &str) -> bool {
    let folded = relative.to_ascii_lowercase();
    let components: Vec<&str> = folded.split('/').filter(|it| !it.is_empty()).collect();
    let mut previous: Option<&str> = None;
    for component in components {
        if VERSION_CONTROL.contains(&component) {
            return false;
        }
        if previous.is_some_and(|it| SOURCE_PARENTS.contains(&it)) && ORDINARY.contains(&component)
        {
            previous = Some(component);
            continue;
        }
        let named = |name: &&str| match name.strip_suffix(component) {
            Some("") => true,
            Some(parent) => parent
                .strip_suffix('/')
                .is_some_and(|it| Some(it) == previous),
            None => false,
        };
        if OUTPUT_DIRECTORIES.iter().any(named)
            || is_virtual_environment(component)
            || OUTPUT_PATTERNS
                .iter()
                .any(|pattern| glob::star_match(pattern, component))
        {
            return true;
        }
        previous = Some(component);
    }
    false
}

/// `.venv311`, `venv-test`: a Python environment with a mark of its own, but no file `venv.md`.
fn is_virtual_environment(component: &str) -> bool {
    let name = component.strip_prefix('.').unwrap_or(component);
    let mark = name
        .strip_prefix("venv")
        .or_else(|| name.strip_prefix("virtualenv"));
    mark.is_some_and(|mark| {
        let has_ending = mark
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_alphabetic()));
        !mark.starts_with(|c: char| c.is_alphabetic()) && !has_ending
    })
}

/// Whether the last component is named like a scratch file: a log, a compiled object, a leftover.
pub fn scratch_by_name(path: &str) -> bool {
    let folded = path.to_ascii_lowercase();
    let name = folded.rsplit('/').next().unwrap_or_default();
    let ended = name.trim_end_matches('*');
    if ended.is_empty()
        || glob::accepts_everything(name)
        || PRECIOUS_BACKUPS
            .iter()
            .any(|pattern| glob::star_match(pattern, name))
    {
        return false;
    }
    SCRATCH_FILES.iter().any(|pattern| {
        glob::star_match(pattern, name)
            || (ended.len() < name.len() && glob::star_match(pattern, ended))
    })
}

/// Of the scratch files, those that a person may have put there: no program makes them again.
#[rustfmt::skip]
const LEFTOVERS: &[&str] = &[
    "*~",
    "*.bak",
    "*.orig",
    "*.rej",
    "*.swp",
    "scratch.*",
    "scratch-*",
    "scratch_*",
    "tmp.*",
    "tmp-*",
    "tmp_*",
    "temp.*",
    "temp-*",
    "temp_*",
    "*_tmp.*",
    "*-tmp.*",
    "*.scratch",
];

/// Whether the last component is named like something that was left behind, by whomever.
pub fn leftover_by_name(path: &str) -> bool {
    let folded = path.to_ascii_lowercase();
    let name = folded.rsplit('/').next().unwrap_or_default();
    LEFTOVERS
        .iter()
        .any(|pattern| glob::star_match(pattern, name))
}

/// Backups of what is precious are precious.
const PRECIOUS_BACKUPS: &[&str] = &[".env*", "*.sqlite*.bak", "*.db.bak", "*.sql.bak", "*.key*"];

const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr"];

fn is_version_control(path: &str) -> bool {
    path.split('/').any(|component| {
        VERSION_CONTROL
            .iter()
            .any(|name| component.eq_ignore_ascii_case(name))
    })
}

fn home_kind(below: &str) -> HomeKind {
    let in_cache = HOME_CACHES.iter().any(|cache| {
        let depth = cache.split('/').count();
        let start: Vec<&str> = below.split('/').take(depth).collect();
        start.len() == depth
            && start
                .iter()
                .zip(cache.split('/'))
                .all(|(have, want)| glob::star_match(want, have))
    });
    let first = below.split('/').next().unwrap_or_default();
    if in_cache {
        HomeKind::Cache
    } else if first == "Downloads" && below.len() > first.len() {
        HomeKind::Download
    } else if below.starts_with("Library/Preferences/")
        || (first.starts_with('.') && first != ".local")
    {
        HomeKind::Config
    } else {
        HomeKind::Data
    }
}

fn device_kind(device: &str) -> DeviceKind {
    let first = device.split('/').next().unwrap_or_default();
    if HARMLESS_DEVICES.contains(&first) || first.starts_with("tty") {
        DeviceKind::Harmless
    } else if STORAGE_DEVICES
        .iter()
        .any(|prefix| first.starts_with(prefix))
    {
        DeviceKind::Storage
    } else {
        DeviceKind::Other
    }
}

/// `/proc/self/fd/1` and the like: a stream that is already open.
fn is_stream_of_process(path: &str) -> bool {
    path.strip_prefix("/proc/")
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(_, rest)| rest.starts_with("fd/"))
}
