//! Which programs could do harm wherever their names stand, and which take the names of programs as plain words.

/// The name of a program without its folder.
pub(crate) fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a program is worth following when another program's words name it.
pub(crate) fn could_harm(program: &str) -> bool {
    // Most words are longer, or hold what no such name holds.
    if program.len() > 16 || program.len() < 2 {
        return false;
    }
    super::shells::is_shell(program)
        || deletes(program)
        || matches!(
            program,
            "find"
                | "fd"
                | "git"
                | "hg"
                | "svn"
                | "jj"
                | "mv"
                | "cp"
                | "ln"
                | "tee"
                | "cat"
                | "sudo"
                | "doas"
                | "env"
                | "xargs"
                | "nohup"
                | "timeout"
                | "busybox"
                | "toybox"
                | "python"
                | "python3"
                | "node"
                | "perl"
                | "ruby"
                | "php"
                | "npx"
                | "bunx"
                | "rails"
                | "rake"
                | "artisan"
                | "prisma"
                | "flyway"
                | "alembic"
                | "drush"
                | "terraform"
                | "tofu"
                | "pulumi"
                | "aws"
                | "gcloud"
                | "az"
                | "kubectl"
                | "helm"
                | "docker"
                | "podman"
                | "psql"
                | "mysql"
                | "mariadb"
                | "sqlite3"
                | "mongosh"
                | "mongo"
                | "redis-cli"
                | "curl"
                | "wget"
                | "rsync"
                | "scp"
                | "chmod"
                | "chown"
                | "crontab"
                | "systemctl"
                | "shutdown"
                | "reboot"
                | "poweroff"
                | "halt"
                | "killall"
                | "pkill"
                | "printenv"
                | "cmd"
                | "powershell"
                | "pwsh"
        )
}

/// Programs that delete or wipe whatever they are given.
pub(crate) fn deletes(program: &str) -> bool {
    matches!(
        program,
        "rm" | "grm"
            | "rmdir"
            | "unlink"
            | "shred"
            | "srm"
            | "wipe"
            | "rimraf"
            | "del-cli"
            | "dd"
            | "mkfs"
            | "wipefs"
            | "truncate"
            | "dropdb"
            | "fdisk"
            | "parted"
            | "sgdisk"
            | "blkdiscard"
    ) || program.starts_with("mkfs.")
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
#[rustfmt::skip]
pub(crate) fn takes_names(program: &str) -> bool {
    matches!(
        program,
        // Printing, searching, looking things up.
        "echo" | "printf" | "print" | "cat" | "head" | "tail" | "less" | "more" | "bat" | "ls" | "eza" | "exa" | "tree"
            | "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ugrep" | "zgrep" | "sift" | "ast-grep" | "sg" | "comby"
            | "semgrep" | "fzf" | "sk" | "locate" | "fd" | "find" | "wc" | "sort" | "uniq" | "cut" | "tr" | "diff" | "cmp"
            | "comm" | "sed" | "awk" | "gawk" | "mawk" | "jq" | "yq" | "gron" | "xmllint" | "column" | "paste" | "nl"
            | "tac" | "rev" | "fold" | "fmt" | "tee" | "file" | "stat" | "du" | "df" | "basename" | "dirname" | "realpath"
            | "readlink" | "man" | "info" | "tldr" | "cheat" | "howdoi" | "apropos" | "whatis" | "which" | "whereis" | "type"
            | "hash" | "command" | "explain" | "explainshell" | "thefuck" | "navi" | "eg" | "bro" | "kb" | "zeal"
            | "say" | "espeak" | "notify-send" | "terminal-notifier" | "osd_cat" | "figlet" | "toilet" | "cowsay" | "banner"
            | "lolcat" | "logger" | "wall" | "write" | "mail" | "mailx" | "mutt" | "xclip" | "xsel" | "pbcopy" | "wl-copy"
            | "zenity" | "dialog" | "whiptail" | "yad" | "gum" | "test" | "[" | "[[" | "expr" | "let" | "seq" | "date"
            | "true" | "false" | ":" | "sleep" | "read" | "exit" | "return" | "trap" | "history" | "fc" | "bind" | "complete"
            | "compgen" | "alias" | "unalias" | "shopt" | "ulimit" | "umask" | "wait" | "jobs" | "disown"
            // Files.
            | "rm" | "rmdir" | "cp" | "mv" | "ln" | "mkdir" | "touch" | "chmod" | "chown" | "chgrp" | "install" | "truncate"
            | "dd" | "shred" | "unlink" | "tar" | "gtar" | "zip" | "unzip" | "gzip" | "gunzip" | "bzip2" | "xz" | "zstd"
            | "7z" | "rsync" | "scp" | "sftp" | "curl" | "wget" | "http" | "xh" | "md5sum" | "sha1sum" | "sha256sum"
            | "shasum" | "cksum" | "base64" | "base32" | "xxd" | "od" | "hexdump" | "strings" | "objdump" | "nm" | "readelf"
            | "ldd" | "otool" | "strip" | "patch" | "mktemp" | "open" | "xdg-open" | "code" | "cursor" | "subl" | "idea"
            | "vim" | "vi" | "nvim" | "nano" | "emacs" | "ed" | "ex"
            // Version control and code hosts: their own families read them.
            | "git" | "hub" | "gh" | "glab" | "hg" | "svn" | "jj" | "sl" | "fossil" | "bzr" | "brz" | "p4" | "tig" | "lazygit"
            | "gitk" | "pre-commit" | "gitleaks" | "trufflehog"
            // Packages.
            | "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "pipx" | "conda" | "mamba" | "micromamba" | "brew" | "apt"
            | "apt-get" | "apt-cache" | "aptitude" | "nala" | "dpkg" | "rpm" | "yum" | "dnf" | "zypper" | "pacman" | "yay"
            | "paru" | "apk" | "snap" | "flatpak" | "port" | "choco" | "winget" | "scoop" | "emerge" | "xbps-install" | "opkg"
            | "nix-env" | "gem" | "composer" | "cpan" | "cpanm" | "luarocks" | "opam" | "rustup" | "cargo-binstall" | "sdk"
            | "asdf" | "mise" | "rtx" | "nvm" | "fnm" | "volta" | "pyenv" | "rbenv" | "tfenv" | "jenv" | "pkg" | "pkgin"
            | "update-alternatives" | "vcpkg" | "conan" | "helm" | "krew"
            // Read by families of their own.
            | "docker" | "podman" | "nerdctl" | "docker-compose" | "podman-compose" | "kubectl" | "oc" | "k9s" | "terraform"
            | "tofu" | "terragrunt" | "aws" | "psql" | "mysql" | "mariadb" | "sqlite3" | "mongosh" | "mongo" | "redis-cli"
            | "crontab" | "kill" | "pkill" | "killall" | "pgrep" | "pidof" | "ps" | "top" | "htop" | "lsof" | "service"
            | "systemctl" | "journalctl" | "launchctl"
            // Assistants take a question.
            | "claude" | "codex" | "gemini" | "aider" | "llm" | "ollama" | "opencode" | "goose" | "cursor-agent" | "copilot"
            | "chatgpt" | "sgpt" | "aichat" | "mods" | "fabric" | "bowline" | "bowline-hook"
            // Notes, tickets, messages.
            | "jira" | "linear" | "slack" | "todo" | "todo.sh" | "task" | "timew" | "watson" | "zoxide" | "jrnl" | "nb"
            | "dnote" | "obsidian" | "notion" | "trello"
    )
}
