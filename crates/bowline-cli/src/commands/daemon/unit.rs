//! What systemd and launchd need to keep the daemon running.

use std::path::PathBuf;

use crate::error::{Error, Result};

fn program() -> Result<PathBuf> {
    std::env::current_exe()
        .map_err(|source| Error::file("find", "the running program".as_ref(), source))
}

pub(super) fn systemd() -> Result<String> {
    let program = systemd_word(&program()?.to_string_lossy());
    Ok(format!(
        "\
# systemctl --user enable --now bowline.service
# Without this unit the daemon starts with the first event, and ends when nobody has needed it for 30 minutes.
[Unit]
Description=Bowline, the hook engine for AI coding agents

[Service]
# --keep: it does not exit when idle, and waits while a daemon that an agent started is running.
ExecStart={program} daemon run --keep
# It ends of its own accord when its program is replaced, and by `bowline daemon stop`: then too it starts again. To stop it
# for good: systemctl --user stop bowline.service
Restart=always
RestartSec=1
UMask=0077

[Install]
WantedBy=default.target
"
    ))
}

/// A word as systemd reads it.
fn systemd_word(word: &str) -> String {
    let escaped = word
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%")
        .replace('$', "$$");
    format!("\"{escaped}\"")
}

pub(super) fn launchd() -> Result<String> {
    let program = xml_text(&program()?.to_string_lossy());
    Ok(format!(
        "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!-- launchctl load ~/Library/LaunchAgents/dev.bowline.daemon.plist -->
<!-- It is started again however it ends; `launchctl unload` with the same file stops it for good. -->
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>dev.bowline.daemon</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>daemon</string>
    <string>run</string>
    <string>--keep</string>
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
"
    ))
}

fn xml_text(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strange_paths_are_escaped() {
        assert_eq!(systemd_word("/a b/100%/$x\"\\"), r#""/a b/100%%/$$x\"\\""#);
        assert_eq!(xml_text("/a & <b>"), "/a &amp; &lt;b&gt;");
    }
}
