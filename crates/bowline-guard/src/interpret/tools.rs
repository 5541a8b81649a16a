//! Variables that by custom name a program: `$CC`, `$PYTHON`, `$KUBECTL`.

/// Names that say more than the program's own.
#[rustfmt::skip]
const CUSTOMARY: &[(&str, &str)] = &[
    ("ar", "ar"), ("as", "as"), ("browser", "xdg-open"), ("cc", "cc"), ("compose", "docker-compose"),
    ("cpp", "cpp"), ("cxx", "c++"), ("dc", "docker-compose"), ("editor", "editor"), ("fc", "gfortran"),
    ("javacmd", "java"), ("ld", "ld"), ("pager", "less"), ("py", "python3"), ("visual", "editor"),
];

/// Programs that variables are named after.
#[rustfmt::skip]
const NAMED: &[&str] = &[
    "adb", "ansible", "apt", "apt-get", "autoconf", "aws", "awk", "bash", "bazel", "black", "bowline", "brew", "bun", "bundle", "cargo",
    "cat", "ccache", "chmod", "chown", "chrome", "chromium", "clang", "clang-format", "clang-tidy", "cmake", "composer",
    "conda", "cp", "curl", "dart", "dd", "deno", "diff", "docker", "docker-compose", "dotnet", "egrep", "emacs", "esbuild",
    "eslint", "ffmpeg", "find", "firefox", "flake8", "flutter", "gcc", "gcloud", "gdb", "gem", "gh", "ghc", "git", "go",
    "gofmt", "gradle", "gradlew", "grep", "gzip", "helm", "install", "java", "javac", "jest", "jq", "kill", "kubectl",
    "libtool", "lldb", "ln", "lua", "make", "meson", "mkdir", "mktemp", "mv", "mvn", "mypy", "mysql", "nano", "nasm",
    "nginx", "ninja", "nm", "node", "npm", "npx", "nvcc", "nvim", "objcopy", "objdump", "openssl", "patch", "perl", "php",
    "phpunit", "pip", "pip3", "pnpm", "podman", "poetry", "prettier", "protoc", "psql", "pulumi", "pytest", "python",
    "python2", "python3", "ranlib", "readelf", "redis-cli", "rm", "rmdir", "rsync", "rubocop", "ruby", "ruff", "rustc",
    "rustup", "sbt", "scp", "sed", "sh", "shellcheck", "sort", "sqlite3", "ssh", "strace", "strip", "sudo", "swift", "tar",
    "tee", "terraform", "time", "tofu", "tox", "tr", "truncate", "tsc", "unzip", "uv", "valgrind", "vi", "vim",
    "vite", "webpack", "wget", "xargs", "xcodebuild", "yarn", "yq", "zip", "zsh",
];

/// What may stand around the program's name.
const AROUND: &[&str] = &[
    "_bin",
    "_binary",
    "_cmd",
    "_command",
    "_exe",
    "_executable",
    "_path",
    "_tool",
];

/// The program that a word stands for which is nothing but such a variable.
pub(super) fn named_by(word: &str) -> Option<&'static str> {
    let name = variable(word)?.to_ascii_lowercase();
    let name = AROUND
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(&name);
    // `CLOUDSDK_PYTHON` is a python.
    let last = name.rsplit('_').next().unwrap_or(name);
    let versionless = last.trim_end_matches(|it: char| it.is_ascii_digit());
    program(name)
        .or_else(|| program(last))
        .or_else(|| program(versionless))
}

fn program(name: &str) -> Option<&'static str> {
    let customary = CUSTOMARY.iter().find(|(it, _)| *it == name);
    customary.map(|(_, program)| *program).or_else(|| {
        let spelled = name.replace('_', "-");
        NAMED.iter().find(|it| **it == spelled).copied()
    })
}

/// The name in `$NAME`, `"${NAME}"`.
fn variable(word: &str) -> Option<&str> {
    let word = word.trim_matches('"').strip_prefix('$')?;
    let word = word
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .unwrap_or(word);
    let plain = |c: char| c == '_' || c.is_ascii_alphanumeric();
    (!word.is_empty() && word.chars().all(plain)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::named_by;

    #[test]
    fn variables_that_name_a_program() {
        for (word, program) in [
            ("$PYTHON", Some("python")),
            ("\"${PYTHON_BIN}\"", Some("python")),
            ("$DOCKER_COMPOSE", Some("docker-compose")),
            ("$CC", Some("cc")),
            ("$git", Some("git")),
            ("$MAYBE_SUDO", Some("sudo")),
            ("$HOST_CC", Some("cc")),
            ("$PYTHON311", Some("python")),
            ("$CMD", None),
            ("$X", None),
            ("git", None),
            ("$(cat git)", None),
            ("$PYTHON$X", None),
        ] {
            assert_eq!(named_by(word), program, "{word}");
        }
    }
}
