//! Which programs could do harm wherever their names stand, and which take the names of programs as plain words.

/// The name of a program without its folder.
pub(crate) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// A sorted list of names, and where the names with each first letter begin: every program run is looked up in some.
#[derive(Debug)]
pub(crate) struct Names {
    sorted: &'static [&'static str],
    starts: [u16; 129],
}

impl Names {
    #[expect(clippy::indexing_slicing, reason = "a mistake would not compile")]
    pub(crate) const fn new(sorted: &'static [&'static str]) -> Self {
        let mut starts = [0; 129];
        let mut letter = 0;
        let mut at = 0;
        while letter < 129 {
            while at < sorted.len() && (sorted[at].as_bytes()[0] as usize) < letter {
                at += 1;
            }
            #[expect(clippy::cast_possible_truncation, reason = "the lists are short")]
            {
                starts[letter] = at as u16;
            }
            letter += 1;
        }
        Self { sorted, starts }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        let Some(first) = name.as_bytes().first().map(|it| usize::from(*it)) else {
            return false;
        };
        let (Some(from), Some(to)) = (self.starts.get(first), self.starts.get(first + 1)) else {
            return false;
        };
        let group = self.sorted.get(usize::from(*from)..usize::from(*to));
        group.is_some_and(|it| it.contains(&name))
    }

    #[cfg(test)]
    pub(crate) fn is_sorted(&self) -> bool {
        self.sorted.is_sorted()
    }
}

/// Whether a program is worth following when another program's words name it.
pub(crate) fn could_harm(program: &str) -> bool {
    // Most words are longer, or begin with what no such name begins with.
    (2..=16).contains(&program.len())
        && program.starts_with(|c: char| c.is_ascii_lowercase())
        && (HARMFUL.has(program) || program.starts_with("mkfs."))
}

/// The programs that are worth following when another program's words name them.
pub(crate) fn harmful() -> impl Iterator<Item = &'static str> {
    HARMFUL.sorted.iter().copied()
}

/// Programs that delete or wipe whatever they are given.
pub(crate) fn deletes(program: &str) -> bool {
    DELETING.has(program) || program.starts_with("mkfs.")
}

/// Names that other programs have for commands of their own: `devbox rm`, `simctl shutdown`.
pub(crate) fn is_common_verb(program: &str) -> bool {
    matches!(
        program,
        "rm" | "rmdir"
            | "unlink"
            | "wipe"
            | "truncate"
            | "cp"
            | "mv"
            | "ln"
            | "cat"
            | "find"
            | "env"
            | "tee"
            | "node"
            | "cmd"
            | "git"
            | "dd"
            | "docker"
            | "shutdown"
            | "reboot"
            | "halt"
            | "poweroff"
    )
}

/// Programs whose words are texts, patterns, names of packages or of files, and programs that are followed elsewhere:
/// a dangerous name among their words is only a name.
pub(crate) fn takes_names(program: &str) -> bool {
    NAMING.has(program)
}

/// Shells, interpreters, programs that delete, and programs that families know well.
#[rustfmt::skip]
static HARMFUL: Names = Names::new(&[
    "alembic", "artisan", "ash", "aws", "az", "bash", "blkdiscard", "bunx", "busybox", "cat", "chmod", "chown", "cmd",
    "cp", "crontab", "csh", "curl", "dash", "dd", "del-cli", "doas", "docker", "dropdb", "drush", "elvish", "env",
    "fd", "fdisk", "find", "fish", "flyway", "gcloud", "git", "grm", "halt", "helm", "hg", "jj", "killall", "ksh",
    "ksh93", "kubectl", "ln", "mariadb", "mkfs", "mksh", "mongo", "mongosh", "mv", "mysql", "node", "nohup", "npx",
    "nu", "osh", "parted", "perl", "php", "pkill", "podman", "poweroff", "powershell", "printenv", "prisma", "psql",
    "pulumi", "pwsh", "python", "python3", "rails", "rake", "rbash", "reboot", "redis-cli", "rimraf", "rm", "rmdir",
    "rsync", "ruby", "scp", "sgdisk", "sh", "shred", "shutdown", "sqlite3", "srm", "sudo", "svn", "systemctl", "tcsh",
    "tee", "terraform", "timeout", "tofu", "toybox", "truncate", "unlink", "wget", "wipe", "wipefs", "xargs", "xonsh",
    "yash", "zsh",
]);

/// Programs that delete.
#[rustfmt::skip]
static DELETING: Names = Names::new(&[
    "blkdiscard", "dd", "del-cli", "dropdb", "fdisk", "grm", "mkfs", "parted", "rimraf", "rm", "rmdir", "sgdisk",
    "shred", "srm", "truncate", "unlink", "wipe", "wipefs",
]);

/// Printing and searching, files, version control, packages, assistants, notes, and what families read by themselves.
#[rustfmt::skip]
static NAMING: Names = Names::new(&[
    "7z", ":", "[", "[[", "ack", "ag", "aichat", "aider", "alias", "apk", "apropos", "apt", "apt-cache", "apt-get",
    "aptitude", "asdf", "ast-grep", "awk", "aws", "banner", "base32", "base64", "basename", "bat", "bind", "bowline",
    "bowline-hook", "brew", "bro", "brz", "bun", "bzip2", "bzr", "cargo-binstall", "cat", "chatgpt", "cheat", "chgrp",
    "chmod", "choco", "chown", "cksum", "claude", "cmp", "code", "codex", "column", "comby", "comm", "command",
    "compgen", "complete", "composer", "conan", "conda", "copilot", "cowsay", "cp", "cpan", "cpanm", "crontab",
    "curl", "cursor", "cursor-agent", "cut", "date", "dd", "df", "dialog", "diff", "dirname", "disown", "dnf",
    "dnote", "docker", "docker-compose", "dpkg", "du", "echo", "ed", "eg", "egrep", "emacs", "emerge", "espeak", "ex",
    "exa", "exit", "explain", "explainshell", "expr", "eza", "fabric", "false", "fc", "fd", "fgrep", "figlet", "file",
    "find", "flatpak", "fmt", "fnm", "fold", "fossil", "fzf", "gawk", "gem", "gemini", "gh", "git", "gitk",
    "gitleaks", "glab", "goose", "grep", "gron", "gtar", "gum", "gunzip", "gzip", "hash", "head", "helm", "hexdump",
    "hg", "history", "howdoi", "htop", "http", "hub", "idea", "info", "install", "jenv", "jira", "jj", "jobs",
    "journalctl", "jq", "jrnl", "k9s", "kb", "kill", "killall", "krew", "kubectl", "launchctl", "lazygit", "ldd",
    "less", "let", "linear", "llm", "ln", "locate", "logger", "lolcat", "ls", "lsof", "luarocks", "mail", "mailx",
    "mamba", "man", "mariadb", "mawk", "md5sum", "micromamba", "mise", "mkdir", "mktemp", "mods", "mongo", "mongosh",
    "more", "mutt", "mv", "mysql", "nala", "nano", "navi", "nb", "nerdctl", "nix-env", "nl", "nm", "notify-send",
    "notion", "npm", "nvim", "nvm", "objdump", "obsidian", "oc", "od", "ollama", "opam", "open", "opencode", "opkg",
    "osd_cat", "otool", "p4", "pacman", "paru", "paste", "patch", "pbcopy", "pgrep", "pidof", "pip", "pip3", "pipx",
    "pkg", "pkgin", "pkill", "pnpm", "podman", "podman-compose", "port", "pre-commit", "print", "printf", "ps",
    "psql", "pyenv", "rbenv", "read", "readelf", "readlink", "realpath", "redis-cli", "return", "rev", "rg", "rm",
    "rmdir", "rpm", "rsync", "rtx", "rustup", "say", "scoop", "scp", "sdk", "sed", "semgrep", "seq", "service",
    "sftp", "sg", "sgpt", "sha1sum", "sha256sum", "shasum", "shopt", "shred", "sift", "sk", "sl", "slack", "sleep",
    "snap", "sort", "sqlite3", "stat", "strings", "strip", "subl", "svn", "systemctl", "tac", "tail", "tar", "task",
    "tee", "terminal-notifier", "terraform", "terragrunt", "test", "tfenv", "thefuck", "tig", "timew", "tldr", "todo",
    "todo.sh", "tofu", "toilet", "top", "touch", "tr", "trap", "tree", "trello", "true", "trufflehog", "truncate",
    "type", "ugrep", "ulimit", "umask", "unalias", "uniq", "unlink", "unzip", "update-alternatives", "vcpkg", "vi",
    "vim", "volta", "wait", "wall", "watson", "wc", "wget", "whatis", "whereis", "which", "whiptail", "winget",
    "wl-copy", "write", "xbps-install", "xclip", "xdg-open", "xh", "xmllint", "xsel", "xxd", "xz", "yad", "yarn",
    "yay", "yq", "yum", "zeal", "zenity", "zgrep", "zip", "zoxide", "zstd", "zypper",
]);

#[cfg(test)]
mod tests {
    use super::{DELETING, HARMFUL, NAMING};

    #[test]
    fn lists_are_sorted() {
        for list in [&HARMFUL, &DELETING, &NAMING] {
            assert!(list.is_sorted());
        }
    }
}
