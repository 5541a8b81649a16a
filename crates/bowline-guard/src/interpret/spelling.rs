//! Programs in capitals: the file systems of many desktops do not tell `RM` from `rm`. Elsewhere there is no such program, and to
//! judge it does no harm.

use super::call::ExpandedCommand;
use super::value::Item;
use crate::invocation::Value;

/// What is looked up without its capitals. A name of somebody's own keeps its spelling.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "ansible", "apt", "apt-get", "at", "awk", "aws", "az", "base64", "bash", "brew", "bun", "bunx", "busybox", "cargo",
    "cat", "chattr", "chgrp", "chmod", "chown", "chroot", "cp", "crontab", "curl", "cut", "dash", "dd", "deno", "diskutil",
    "dnf", "doas", "docker", "docker-compose", "dropdb", "env", "fdisk", "find", "firebase", "fish", "flyctl", "gcloud",
    "gh", "git", "gpg", "grep", "gsutil", "halt", "head", "helm", "heroku", "iptables", "kill", "killall", "kubectl",
    "launchctl", "ln", "mkfs", "mongo", "mongosh", "mount", "mv", "mysql", "mysqladmin", "nc", "node", "nohup", "npm", "npx",
    "openssl", "osascript", "parted", "perl", "php", "pip", "pip3", "pkill", "pnpm", "podman", "poweroff", "prisma", "psql",
    "pulumi", "pwsh", "python", "python3", "reboot", "redis-cli", "rm", "rmdir", "rsync", "ruby", "scp", "sed", "setsid",
    "sh", "shred", "shutdown", "sqlite3", "ssh", "su", "sudo", "systemctl", "tail", "tee", "terraform", "timeout", "tofu",
    "truncate", "umount", "unlink", "vercel", "wget", "wipefs", "xargs", "xxd", "yarn", "yum", "zsh",
];

impl ExpandedCommand {
    /// The same call of the program that its name in capitals finds where case does not count.
    pub(super) fn without_capitals(&self) -> Option<Self> {
        let (first, rest) = self.words.split_first()?;
        let Value::Known(written) = &first.arg.value else {
            return None;
        };
        if !written.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let (folder, name) = match written.rsplit_once('/') {
            Some((folder, name)) => (Some(folder), name),
            None => (None, written.as_str()),
        };
        let plain = name.to_ascii_lowercase();
        if plain == name || PROGRAMS.binary_search(&plain.as_str()).is_err() {
            return None;
        }
        let plain = match folder {
            Some(folder) => format!("{folder}/{plain}"),
            None => plain,
        };
        let mut first: Item = first.clone();
        first.arg.value = Value::Known(plain);
        let mut call = self.clone();
        call.words = std::iter::once(first).chain(rest.iter().cloned()).collect();
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_order() {
        assert!(PROGRAMS.is_sorted());
    }
}
