//! The files of Bowline and of the agents' hook settings, and the programs that change them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use bowline_agents::folder_variables;

use super::{SETTINGS, STATE};
use crate::effect::Effect;
use crate::families::args::{Spec, UNKNOWN, parse, word};
use crate::interpret::known::Names;
use crate::invocation::{Arg, Invocation, Opening, Through};
use crate::paths::{TrailingSlash, World, glob, is_within, resolve};

pub(super) fn effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    let mut found = Vec::new();
    let mut changed: Vec<&Arg> = written(invocation);
    for arg in touched(invocation) {
        if !changed.contains(&arg) && names_own_file(arg, world) {
            changed.push(arg);
        }
    }
    for arg in changed {
        if names_own(arg, world) {
            found.push(change_of(word(arg), world));
        }
    }
    let named = put_into_folder(invocation);
    for path in inner_paths(invocation)
        .into_iter()
        .chain(named.iter().map(String::as_str))
    {
        if is_own(path, world) {
            found.push(change_of(path, world));
        }
    }
    for path in removed(invocation) {
        if path != UNKNOWN && holds_own(path, world) {
            found.push(SETTINGS.doubtful(format!(
                "takes away {path}, with the settings of the guard itself"
            )));
        }
    }
    found.extend(each_of(invocation, world));
    found.extend(mounted(invocation, world));
    found
}

/// A person may want settings to change. What Bowline keeps is nobody else's to write.
fn change_of(path: &str, world: &dyn World) -> Effect {
    if path != UNKNOWN && is_kept(path, world) {
        return STATE.grave(format!("changes {path}, which Bowline itself keeps"));
    }
    SETTINGS.doubtful(format!("changes {path}, the settings of the guard itself"))
}

/// Whether a path is in the folder of Bowline's records, or one of its records elsewhere.
fn is_kept(path: &str, world: &dyn World) -> bool {
    let own = &world.own_places().own;
    resolve(path, world).spellings().any(|spelling| {
        let lower = spelling.to_ascii_lowercase();
        let parts: Vec<&str> = lower.split('/').filter(|it| !it.is_empty()).collect();
        let name = parts.last().copied().unwrap_or_default();
        let mut pairs = parts.windows(2);
        pairs.any(|pair| matches!(pair, ["share" | "state", "bowline"]))
            || (name != "config.toml"
                && is_kept_file(name)
                && own.iter().any(|it| is_within(spelling, it)))
    })
}

fn program_of(invocation: &Invocation) -> &str {
    invocation.program.as_deref().unwrap_or_default()
}

fn operands(args: &[Arg]) -> impl DoubleEndedIterator<Item = &Arg> {
    args.iter().filter(|it| !word(it).starts_with('-'))
}

/// The files that a run changes, by the usual programs that do, and those that the shell opens for it.
pub(super) fn written(invocation: &Invocation) -> Vec<&Arg> {
    let args = &invocation.args;
    let opened = invocation
        .opened
        .iter()
        .filter(|it| !matches!(it.how, Opening::Read))
        .map(|it| &it.file);
    let changed: Vec<&Arg> = match program_of(invocation) {
        "rm" | "unlink" | "shred" | "truncate" | "tee" | "chmod" | "chown" | "chattr" | "rmdir"
        | "sponge" | "ed" | "ex" | "patch" | "trash" | "srm" | "gio" | "touch" | "mv" | "ln"
        | "trash-put" | "chflags" | "setfacl" | "xattr" | "strip" => operands(args).collect(),
        "cp" | "install" | "rsync" | "scp" => operands(args).next_back().into_iter().collect(),
        "sed" | "gsed" | "perl" | "ruby" | "yq" | "awk" | "gawk" | "dasel" | "tomlq" | "jq"
            if in_place(args) =>
        {
            operands(args).collect()
        }
        "find" | "gfind" | "bfs" if args.iter().any(|it| word(it) == "-delete") => args
            .iter()
            .take_while(|it| !word(it).starts_with('-'))
            .collect(),
        "tar" | "gtar" | "bsdtar" if unpacks(args) => operands(args).skip(1).collect(),
        "unzip" | "7z" | "7za" => operands(args).skip(1).collect(),
        "git" => {
            let mut rest = operands(args);
            let command = rest.next().map(word);
            let index_only = args.iter().any(|it| word(it) == "--cached");
            match command {
                Some("checkout" | "restore" | "rm" | "mv" | "stash") if !index_only => {
                    rest.collect()
                }
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    };
    opened.chain(changed).collect()
}

/// Files that are named within a word: `of=file`, `--output=file`, `print > "file"`.
fn inner_paths(invocation: &Invocation) -> Vec<&str> {
    let args = &invocation.args;
    match program_of(invocation) {
        "awk" | "gawk" | "mawk" | "nawk" => args
            .iter()
            .map(word)
            .filter(|it| it.contains('>'))
            .flat_map(|it| it.split('"').skip(1).step_by(2))
            .collect(),
        "dd" => args
            .iter()
            .filter_map(|it| word(it).strip_prefix("of="))
            .collect(),
        "curl" | "wget" => {
            let parsed = parse(args, &Spec::gnu(&["o", "O", "output", "output-document"]));
            parsed
                .values(&["o", "output", "O", "output-document"])
                .collect()
        }
        _ => Vec::new(),
    }
}

/// `cp x/bowline-hook ~/.cargo/bin/`: the new file has the old one's name.
fn put_into_folder(invocation: &Invocation) -> Vec<String> {
    if !matches!(
        program_of(invocation),
        "cp" | "mv" | "install" | "ln" | "rsync" | "scp"
    ) {
        return Vec::new();
    }
    let words: Vec<&str> = operands(&invocation.args).map(word).collect();
    let Some((folder, sources)) = words.split_last() else {
        return Vec::new();
    };
    let folder = folder.trim_end_matches('/');
    let last = folder.rsplit('/').next().unwrap_or(folder);
    if !matches!(last, "bin" | "sbin" | "libexec" | ".") {
        return Vec::new();
    }
    let names = sources.iter().filter_map(|it| it.rsplit('/').next());
    let ours = |name: &&str| is_own_name(name) || is_own_program(name, "bin", &[]);
    names
        .filter(ours)
        .map(|name| format!("{folder}/{name}"))
        .collect()
}

fn in_place(args: &[Arg]) -> bool {
    args.iter()
        .map(word)
        .any(|it| it.starts_with("-i") || it.starts_with("--in-place") || it.contains("pi"))
}

fn unpacks(args: &[Arg]) -> bool {
    args.iter().map(word).enumerate().any(|(at, it)| {
        matches!(it, "--extract" | "--get")
            || (!it.starts_with("--") && (at == 0 || it.starts_with('-')) && it.contains('x'))
    })
}

/// Programs that only look at the files that they are given, or take them elsewhere.
#[rustfmt::skip]
static READERS: Names = Names::new(&[
    ".", "7z", ":", "[", "ack", "ag", "awk", "b2sum", "basename", "bat", "batcat", "bowline", "bowline-hook", "bsdtar", "cat",
    "cksum", "claude", "cline", "cmp", "code", "codex", "column", "comm", "copilot", "cp", "curl", "cursor", "cut", "dd", "delta",
    "diff", "dirname", "docker", "droid", "du", "echo", "egrep", "emacs", "exa", "eza", "fd", "fgrep", "file", "find", "fold", "fx",
    "gawk", "gemini",
    "gfind", "git", "gojq", "grep", "grok", "gron", "gsed", "gtar", "head", "hexdump", "if", "jq", "kimi", "ldd", "less", "ls", "md5sum", "mkdir",
    "more", "nano", "nl", "nm", "nvim", "objdump", "od", "open", "opencode", "otool", "podman", "printf", "pwd", "qwen", "readelf", "readlink",
    "realpath", "rg", "rsync", "scp", "sed", "sha1sum", "sha256sum", "sha512sum", "shasum", "size", "sort", "source", "stat",
    "strings", "tac", "tail", "tar", "test", "tokei", "tomlq", "tr", "tree", "type", "uniq", "unzip", "vi", "view", "vim", "wc",
    "wget", "whereis", "which", "windsurf", "xargs", "xdg-open", "xxd", "yq", "zip", "{",
]);

/// The words of a program that is not known to leave files as they are.
fn touched(invocation: &Invocation) -> Vec<&Arg> {
    let program = program_of(invocation);
    if READERS.has(program) {
        return Vec::new();
    }
    let args = &invocation.args;
    let looks_only = args.iter().map(word).any(|it| {
        matches!(
            it,
            "--check"
                | "--dry-run"
                | "--diff"
                | "--list"
                | "lint"
                | "check"
                | "validate"
                | "get"
                | "json.tool"
        )
    });
    if looks_only {
        return Vec::new();
    }
    operands(args).collect()
}

/// What a deletion or a change is run for comes from a listing that names our files.
fn each_of(invocation: &Invocation, world: &dyn World) -> Option<Effect> {
    let listing = invocation.through.iter().find_map(|it| match it {
        Through::EachOf(listing) => Some(listing),
        _ => None,
    })?;
    let unknown = |it: &&Arg| word(it) == UNKNOWN;
    if !written(invocation).iter().any(unknown) && !touched(invocation).iter().any(unknown) {
        return None;
    }
    let named = listing
        .split_whitespace()
        .map(|it| it.trim_matches(['"', '\'']))
        .find(|it| {
            matches!(
                *it,
                "settings.json" | "settings.local.json" | "bowline.toml" | "bowline-hook"
            ) || (it.contains(['/', '.']) && is_own(it, world))
        })?;
    Some(SETTINGS.doubtful(format!("changes {named}, the settings of the guard itself")))
}

/// A container that gets our files to write to.
fn mounted(invocation: &Invocation, world: &dyn World) -> Option<Effect> {
    if !matches!(program_of(invocation), "docker" | "podman" | "nerdctl") {
        return None;
    }
    let words: Vec<&str> = invocation.args.iter().map(word).collect();
    let values = words.iter().enumerate().filter_map(|(at, it)| match *it {
        "-v" | "--volume" | "--mount" => words.get(at + 1).copied(),
        _ => it
            .strip_prefix("--volume=")
            .or_else(|| it.strip_prefix("--mount="))
            .or_else(|| it.strip_prefix("-v")),
    });
    values
        .filter_map(|value| {
            if let Some(fields) = value.contains("source=").then(|| value.split(',')) {
                let only_reads = value.split(',').any(|it| matches!(it, "ro" | "readonly"));
                let mut sources = fields.filter_map(|it| it.strip_prefix("source="));
                return sources.next().filter(|_| !only_reads);
            }
            let mut parts = value.split(':');
            let source = parts.next()?;
            let only_reads = parts.any(|it| it.split(',').any(|it| it == "ro"));
            (!only_reads).then_some(source)
        })
        .find(|source| source.contains('/') && is_own(source, world))
        .map(|source| {
            SETTINGS.doubtful(format!(
                "lets a container write to {source}, the settings of the guard itself"
            ))
        })
}

/// The folders that a program deletes or moves away.
fn removed(invocation: &Invocation) -> Vec<&str> {
    let words = || operands(&invocation.args).map(word);
    match program_of(invocation) {
        "rm" | "shred" | "srm" | "trash" | "trash-put" | "rimraf" => words().collect(),
        "mv" => {
            let count = words().count().saturating_sub(1);
            words().take(count).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a folder is one that the settings of a person lie in. A link without a slash at its end is only a link.
fn holds_own(path: &str, world: &dyn World) -> bool {
    let mut resolved = resolve(path, world);
    if resolved.trailing_slash == TrailingSlash::No {
        resolved.target = None;
    }
    resolved.spellings().any(|spelling| {
        let below = spelling.trim_end_matches("/*").trim_end_matches('/');
        let usual = world
            .home()
            .and_then(|home| below.strip_prefix(home))
            .is_some_and(|rest| {
                matches!(
                    rest,
                    "" | "/.config"
                        | "/.cargo"
                        | "/.cargo/bin"
                        | "/.local"
                        | "/.local/bin"
                        | "/.local/share"
                )
            });
        let places = world.own_places();
        let mut moved = places.own.iter().chain(&places.agents);
        usual || (below.len() > 1 && moved.any(|it| is_within(it, below)))
    })
}

/// Variables that name folders in which ours is.
const ABOVE_OURS: &[&str] = &[
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
];

fn names_own(arg: &Arg, world: &dyn World) -> bool {
    let path = word(arg);
    path != UNKNOWN && is_own(path, world) || behind_variable(arg)
}

/// A file of ours, and not only a folder that they lie in.
fn names_own_file(arg: &Arg, world: &dyn World) -> bool {
    let path = word(arg);
    (path != UNKNOWN && may_be_own(path, world) && kind_of(path, world) == Some(Kind::File))
        || behind_variable(arg)
}

/// Whether a path's text does not rule out that it is ours: looking where it leads takes time.
fn may_be_own(path: &str, world: &dyn World) -> bool {
    let places = world.own_places();
    let mut moved = places.own.iter().filter_map(|it| it.rsplit('/').next());
    path.contains(['.', '/']) && (mentions_own(path) || moved.any(|it| path.contains(it)))
}

/// Whether a path has a name in it that ours have, or could have one by a pattern.
fn mentions_own(path: &str) -> bool {
    const NAMES: &[&str] = &[
        "bowline",
        "settings",
        "hooks",
        "config.toml",
        "trust.json",
        "allowed.json",
        "paused.json",
        "daemon.",
        "sensitive-files",
        "*",
        "?",
        "[",
        "{",
    ];
    static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        let of_agents = AGENT_FOLDERS.iter().map(AgentFolder::word);
        let names = of_agents.chain(NAMES.iter().copied());
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).build(names).ok()
    });
    FINDER.as_ref().is_none_or(|it| it.is_match(path))
}

/// `$XDG_CONFIG_HOME/bowline`, `$CLAUDE_CONFIG_DIR/settings.json`: the variable says where it leads.
fn behind_variable(arg: &Arg) -> bool {
    if !arg.source.contains(['$', '%']) {
        return false;
    }
    let names = |variable: &str| arg.source.contains(variable);
    let path = word(arg).to_ascii_lowercase();
    let mut parts = path.split('/').filter(|it| !it.is_empty());
    if ABOVE_OURS.iter().any(|it| names(it)) {
        return parts.any(|it| it == "bowline");
    }
    if folder_variables().any(names) {
        let name = parts.next_back().unwrap_or_default();
        let of_hooks = parts.next_back() == Some(HOOKS);
        return name == UNKNOWN || is_agents_file(name) || of_hooks;
    }
    names("BOWLINE_SOCKET")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

/// Whether a path is a setting of Bowline or of the agent's hooks, or holds them.
fn is_own(path: &str, world: &dyn World) -> bool {
    kind_of(path, world).is_some()
}

fn kind_of(path: &str, world: &dyn World) -> Option<Kind> {
    let resolved = resolve(path, world);
    resolved
        .spellings()
        .find_map(|spelling| kind_of_spelling(spelling, world))
}

fn kind_of_spelling(spelling: &str, world: &dyn World) -> Option<Kind> {
    let places = world.own_places();
    if places.own.iter().any(|it| is_within(spelling, it)) {
        return Some(Kind::File);
    }
    if places.agents.iter().any(|it| it == spelling) {
        return Some(Kind::Folder);
    }
    if !mentions_own(spelling) {
        return None;
    }
    let lower = spelling.to_ascii_lowercase();
    let parts: Vec<&str> = lower.split('/').filter(|it| !it.is_empty()).collect();
    let (name, above) = parts.split_last().unwrap_or((&"", &[]));
    let parent = above.last().copied().unwrap_or_default();
    let folder = spelling.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_in = |protects: &[Protects]| {
        let mut folders = AGENT_FOLDERS.iter();
        folders.any(|it| protects.contains(&it.protects) && it.is(above))
    };
    let of_agent = is_in(&[Protects::Folder, Protects::Files])
        || parent == "claude-code"
        || places.agents.iter().any(|it| it == folder);
    // The agent's folder may be anywhere.
    let holds = |agents: &String| folder.strip_prefix(agents.as_str()) == Some("/hooks");
    if is_own_name(name)
        || places.agents.iter().any(holds)
        || is_own_program(name, parent, &parts)
        || is_in_own_folder(&parts)
        || (of_agent && is_agents_file(name))
        || is_in(&[Protects::Programs])
    {
        return Some(Kind::File);
    }
    let agent_folder = AGENT_FOLDERS
        .iter()
        .any(|it| it.protects != Protects::Files && it.is(&parts));
    (agent_folder && parts.len() > 1).then_some(Kind::Folder)
}

/// The folder in an agent's own of which it reads every file.
const HOOKS: &str = "hooks";

/// A folder that an agent keeps its settings or its programs in.
struct AgentFolder {
    /// The end of its path.
    name: &'static str,
    protects: Protects,
}

impl AgentFolder {
    /// Whether the folder with these parts is this one.
    fn is(&self, parts: &[&str]) -> bool {
        let mut rest = parts.iter().rev();
        let mut names = self.name.rsplit('/');
        names.all(|name| rest.next().is_some_and(|part| same(part, name)))
    }

    /// What a path to it always has.
    fn word(&self) -> &'static str {
        let word = self.name.split('/').rfind(|it| !it.starts_with("plugin"));
        word.unwrap_or(self.name).trim_start_matches('.')
    }
}

/// What is protected of an agent's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protects {
    /// The folder as a whole, and the settings in it.
    Folder,
    /// Only the settings in it.
    Files,
    /// Everything in it, because the agent runs it.
    Programs,
}

#[rustfmt::skip]
const AGENT_FOLDERS: &[AgentFolder] = &[
    AgentFolder { name: ".claude", protects: Protects::Folder },
    AgentFolder { name: ".cline", protects: Protects::Files },
    AgentFolder { name: ".cline/hooks", protects: Protects::Programs },
    AgentFolder { name: ".cline/plugins", protects: Protects::Programs },
    AgentFolder { name: ".clinerules", protects: Protects::Files },
    AgentFolder { name: ".clinerules/hooks", protects: Protects::Programs },
    AgentFolder { name: ".codeium/windsurf", protects: Protects::Folder },
    AgentFolder { name: ".codex", protects: Protects::Folder },
    AgentFolder { name: ".config/opencode", protects: Protects::Folder },
    AgentFolder { name: ".copilot", protects: Protects::Folder },
    AgentFolder { name: ".copilot/hooks", protects: Protects::Programs },
    AgentFolder { name: ".cursor", protects: Protects::Folder },
    AgentFolder { name: ".factory", protects: Protects::Folder },
    AgentFolder { name: ".gemini", protects: Protects::Folder },
    AgentFolder { name: ".github/copilot", protects: Protects::Files },
    AgentFolder { name: ".github/hooks", protects: Protects::Programs },
    AgentFolder { name: ".grok", protects: Protects::Folder },
    AgentFolder { name: ".grok/hooks", protects: Protects::Programs },
    AgentFolder { name: ".kimi-code", protects: Protects::Folder },
    AgentFolder { name: ".opencode", protects: Protects::Files },
    AgentFolder { name: ".opencode/plugin", protects: Protects::Programs },
    AgentFolder { name: ".opencode/plugins", protects: Protects::Programs },
    AgentFolder { name: "documents/cline", protects: Protects::Folder },
    AgentFolder { name: "documents/cline/hooks", protects: Protects::Programs },
    AgentFolder { name: "documents/cline/plugins", protects: Protects::Programs },
    AgentFolder { name: "opencode/plugin", protects: Protects::Programs },
    AgentFolder { name: "opencode/plugins", protects: Protects::Programs },
    AgentFolder { name: ".qwen", protects: Protects::Folder },
    AgentFolder { name: ".windsurf", protects: Protects::Files },
];

/// Whether a name, or a pattern that spells out a part of it, is this one. An ending alone says nothing: `*.toml` is meant for others.
fn same(component: &str, name: &str) -> bool {
    if component == name {
        return true;
    }
    if !glob::has_wildcard(component) {
        return false;
    }
    let ending = component.rfind('.').filter(|at| *at > 0);
    let stem = ending.and_then(|at| component.get(..at));
    glob::literals(stem.unwrap_or(component)).len() > 1 && glob::meet(component, name, 0).is_some()
}

fn is_own_name(name: &str) -> bool {
    [
        "bowline.toml",
        "bowline.local.toml",
        ".bowline.toml",
        ".mcp-hooks.json",
        "opencode.json",
        "opencode.jsonc",
    ]
    .iter()
    .any(|it| same(name, it))
}

/// The programs that agents start. A build's own are made again.
fn is_own_program(name: &str, parent: &str, parts: &[&str]) -> bool {
    let built = parts.contains(&"target");
    let plain = name.strip_suffix(".exe").unwrap_or(name);
    match parent {
        "bin" | "sbin" | "libexec" => ["bowline", "bowlined", "bowline-hook"]
            .iter()
            .any(|it| same(plain, it)),
        _ => plain == "bowline-hook" && !built,
    }
}

fn is_in_own_folder(parts: &[&str]) -> bool {
    let usual = parts.windows(2).any(|pair| match pair {
        [
            ".config" | "share" | "state" | ".local" | ".cache" | "application support" | "etc",
            "bowline",
        ] => true,
        ["bowline", file] => is_kept_file(file),
        // The folder of a user's socket, in the one for temporary files.
        [folder, file] => {
            let name = folder.strip_prefix("bowline-").unwrap_or_default();
            let (user, home) = name.split_once('-').unwrap_or((name, ""));
            !user.is_empty()
                && user.bytes().all(|it| it.is_ascii_digit())
                && home.bytes().all(|it| it.is_ascii_hexdigit())
                && is_kept_file(file)
        }
        _ => false,
    });
    let runtime = matches!(parts, ["run", "user", _, "bowline", ..]);
    usual || runtime || parts.contains(&".bowline")
}

/// What Bowline keeps, wherever its folder is.
fn is_kept_file(name: &str) -> bool {
    matches!(
        name,
        "trust.json"
            | "allowed.json"
            | "paused.json"
            | "daemon.sock"
            | "daemon.lock"
            | "daemon.starting"
            | "losses"
            | "spool"
            | "config.toml"
    ) || name.starts_with("bowline.db")
        || name
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "spool")
}

fn is_agents_file(name: &str) -> bool {
    (name.starts_with("settings") && name.ends_with("json"))
        || (name.contains('*') && (name.ends_with("json") || name == "*"))
        || matches!(
            name,
            "hooks.json"
                | "sensitive-files.json"
                | "config.toml"
                | "managed-settings.json"
                | "hooks"
                | "disabled-hooks"
                | "hooks-paths"
                // Where a folder is not trusted, its hooks do not run.
                | "trustedfolders.json"
        )
}
