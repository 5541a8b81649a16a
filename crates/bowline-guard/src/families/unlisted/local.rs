//! Tools whose verbs are about this machine, or that families of their own know.

use crate::interpret::known::{Names, takes_names};

/// Tools that work on this machine, and tools whose families know all that they do.
pub(crate) fn is_local(name: &str) -> bool {
    (takes_names(name) && !TICKETS.has(name)) || LOCAL.has(name)
}

/// Tools that take texts, and keep what others work with.
#[rustfmt::skip]
static TICKETS: Names = Names::new(&[
    "jira", "linear", "mutt", "notion", "ollama", "sl", "slack", "trello",
]);

/// Builders, test runners, linters, interpreters, environments, and tools of the machine.
#[rustfmt::skip]
static LOCAL: Names = Names::new(&[
    "adb", "alembic", "alr", "ansible", "ansible-galaxy", "ansible-playbook", "ant", "artisan", "astro", "attr",
    "autoreconf", "az", "bazel", "bazelisk", "biome", "black", "bluetoothctl", "boot", "buck", "buck2", "buf",
    "bundle", "cabal", "cap", "capacitor", "cargo", "carthage", "ccache", "chruby", "clang-format", "clang-tidy",
    "clj", "clojure", "cmake", "concurrently", "console", "convert", "cordova", "cross-env", "crystal", "ctest",
    "cypress", "dart", "dbmate", "dconf", "defaults", "del-cli", "deno", "depcheck", "devbox", "devenv", "diesel",
    "direnv", "distcc", "django-admin", "dmsetup", "docusaurus", "dotenv", "dotnet", "drizzle-kit", "dub", "dune",
    "electron-builder", "eleventy", "elm", "entr", "env-cmd", "esbuild", "eslint", "exiftool", "exiv2", "expo",
    "ffmpeg", "firewall-cmd", "flask", "flutter", "forever", "gatsby", "gcloud", "gdb", "gmake", "go", "goenv",
    "golangci-lint", "goose", "gopass", "gpg", "gprbuild", "gradle", "gradlew", "gsettings", "guix", "gvm", "hatch",
    "hugo", "husky", "hyperfine", "hyprctl", "i3-msg", "id3v2", "invoke", "ionic", "ip", "ipset", "iptables", "isort",
    "jekyll", "jest", "just", "k6", "keyctl", "knip", "latexmk", "lefthook", "lein", "lerna", "libtool", "lldb",
    "losetup", "magick", "make", "manage", "manage.py", "meson", "migrate", "mill", "minitest", "mix", "mkdocs",
    "mocha", "mogrify", "msbuild", "mvn", "mvnw", "mypy", "n", "ncu", "newman", "next", "nft", "ng", "nimble",
    "ninja", "nix", "nix-channel", "nix-store", "nmcli", "node", "nodemon", "nodenv", "nox", "npm-check-updates",
    "nuxt", "nx", "openssl", "overmind", "pactl", "pandoc", "pants", "parcel", "pass", "pdm", "perf", "perl", "pest",
    "php", "phpunit", "pipenv", "pixi", "playwright", "pm2", "pod", "poetry", "premake", "prettier", "protoc", "purs",
    "pyright", "pytest", "python", "python3", "rails", "rake", "react-native", "rebar3", "rimraf", "rollup", "rspec",
    "ruby", "ruff", "rush", "rvm", "rye", "sb", "sbt", "sccache", "scons", "screen", "setfacl", "shards", "shx",
    "spago", "sphinx-build", "sqlx", "ssh", "ssh-add", "ssh-keygen", "stack", "storybook", "strace", "stylelint",
    "supervisorctl", "swaymsg", "swift", "swiftlint", "tc", "tmux", "tmuxinator", "tox", "trash", "ts-node", "tsc",
    "tsx", "turbo", "typeorm", "uv", "uvx", "v", "valgrind", "vite", "vitest", "vue", "waf", "watchexec", "webpack",
    "xattr", "xcodebuild", "xcrun", "xctool", "xmake", "xrandr", "zellij", "zig", "zola",
]);

#[cfg(test)]
mod tests {
    use super::{LOCAL, TICKETS};

    #[test]
    fn lists_are_sorted() {
        assert!(LOCAL.is_sorted() && TICKETS.is_sorted());
    }
}
