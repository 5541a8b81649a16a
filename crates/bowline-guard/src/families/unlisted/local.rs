//! Tools whose verbs are about this machine, or that families of their own know.

use crate::interpret::known::takes_names;

/// Tools that work on this machine, and tools whose families know all that they do.
#[rustfmt::skip]
pub(super) fn is_local(name: &str) -> bool {
    let ticket = matches!(name, "jira" | "linear" | "slack" | "notion" | "trello" | "mutt" | "sl" | "ollama");
    (takes_names(name) && !ticket)
        || matches!(
            name,
            "cargo" | "go" | "make" | "gmake" | "cmake" | "ctest" | "ninja" | "meson" | "gradle" | "gradlew" | "mvn" | "mvnw"
                | "sbt" | "mill" | "ant" | "mix" | "rebar3" | "dart" | "flutter" | "swift" | "xcodebuild" | "dotnet"
                | "msbuild" | "bazel" | "bazelisk" | "buck" | "buck2" | "pants" | "nx" | "turbo" | "lerna" | "rush" | "ng"
                | "vue" | "vite" | "webpack" | "rollup" | "parcel" | "esbuild" | "tsc" | "jest" | "mocha" | "vitest"
                | "playwright" | "cypress" | "pytest" | "tox" | "nox" | "ruff" | "black" | "isort" | "mypy" | "pyright"
                | "eslint" | "prettier" | "stylelint" | "biome" | "golangci-lint" | "clang-tidy" | "clang-format" | "k6"
                | "newman" | "protoc" | "buf" | "python" | "python3" | "node" | "ruby" | "perl" | "php" | "deno" | "tsx"
                | "ts-node" | "poetry" | "uv" | "uvx" | "pdm" | "hatch" | "rye" | "pipenv" | "pixi" | "bundle" | "devbox"
                | "devenv" | "direnv" | "nix" | "nix-store" | "nix-channel" | "guix" | "tmux" | "screen" | "zellij"
                | "ffmpeg" | "convert" | "magick" | "mogrify" | "exiftool" | "pandoc" | "latexmk" | "just" | "invoke"
                | "rake" | "rails" | "artisan" | "manage.py" | "django-admin" | "manage" | "console" | "flask" | "alembic"
                | "ansible" | "ansible-playbook" | "ansible-galaxy" | "ssh" | "ssh-keygen" | "ssh-add" | "openssl" | "gpg"
                | "rspec" | "minitest" | "phpunit" | "pest" | "lefthook" | "husky" | "swiftlint" | "xctool" | "pod"
                | "carthage" | "expo" | "react-native" | "ionic" | "cordova" | "capacitor" | "cap" | "electron-builder"
                | "storybook" | "sb" | "hugo" | "jekyll" | "mkdocs" | "sphinx-build" | "docusaurus" | "gatsby" | "next"
                | "nuxt" | "astro" | "zola" | "eleventy" | "stack" | "cabal" | "dune" | "lein" | "boot" | "clj" | "clojure"
                | "elm" | "purs" | "spago" | "shards" | "crystal" | "nimble" | "zig" | "v" | "dub" | "gprbuild" | "alr"
                | "xmake" | "premake" | "scons" | "waf" | "autoreconf" | "libtool" | "ccache" | "sccache" | "distcc"
                | "adb" | "xcrun" | "gcloud" | "az" | "valgrind" | "gdb" | "lldb" | "strace" | "perf" | "iptables" | "ip"
                | "firewall-cmd" | "nmcli" | "bluetoothctl" | "pactl" | "xrandr" | "gsettings" | "dconf" | "defaults"
                | "keyctl" | "pass" | "gopass" | "nft" | "ipset" | "tc" | "losetup" | "dmsetup" | "setfacl" | "attr"
                | "xattr" | "exiv2" | "id3v2" | "tmuxinator" | "rvm" | "chruby" | "n" | "nodenv" | "goenv" | "gvm"
                | "hyperfine" | "watchexec" | "entr" | "nodemon" | "concurrently" | "cross-env" | "dotenv" | "env-cmd"
                | "rimraf" | "shx" | "del-cli" | "trash" | "ncu" | "npm-check-updates" | "depcheck" | "knip" | "typeorm"
                | "drizzle-kit" | "sqlx" | "diesel" | "goose" | "dbmate" | "migrate" | "pm2" | "forever" | "supervisorctl" | "overmind" | "hyprctl" | "swaymsg" | "i3-msg"
        )
}
