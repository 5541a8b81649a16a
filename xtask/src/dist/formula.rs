//! A formula for Homebrew.

use super::{Made, Release};

pub(super) fn text(release: &Release, made: &[Made]) -> String {
    let archive = format!("{}.tar.gz", release.name());
    let sha256 = made
        .iter()
        .find(|file| file.name == archive)
        .map_or("", |file| &file.sha256);
    format!(
        r##"class Bowline < Formula
  desc "Hook engine for AI coding agents"
  homepage "{homepage}"
  url "{url}"
  version "{version}"
  sha256 "{sha256}"
  license any_of: ["MIT", "Apache-2.0"]

  def install
    bin.install "bin/bowline", "bin/bowline-hook"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/bowline.bash" => "bowline"
    zsh_completion.install "completions/_bowline"
    fish_completion.install "completions/bowline.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/bowline --version")
  end
end
"##,
        homepage = super::REPOSITORY,
        url = release.address(&archive),
        version = release.version,
    )
}
