//! Whatever a denied command is wrapped in, it does not become an allowed one.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a broken row must fail the test"
)]

use bowline_guard::effect::Gravity;
use bowline_guard::judge::judge;
use bowline_guard::paths::StaticWorld;
use proptest::prelude::*;
use serde_json::Value;

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn base64(text: &str) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let number = chunk
            .iter()
            .fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..4 {
            if place <= chunk.len() {
                let index = (number >> (18 - 6 * place)) & 63;
                out.push(char::from(LETTERS[index as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

/// With a delimiter that no here-document inside can have: the first line that equals it ends the text.
fn here_document(text: &str) -> String {
    let end = format!("END{}", text.len());
    format!("<<'{end}'\n{text}\n{end}\n")
}

type Wrapper = fn(&str) -> String;

const WRAPPERS: &[Wrapper] = &[
    |it| format!("bash -c {}", quoted(it)),
    |it| format!("sh -ec {}", quoted(it)),
    |it| format!("zsh -lc {}", quoted(it)),
    |it| format!("bash -o pipefail -c {}", quoted(it)),
    |it| format!("sudo -u root bash -c {}", quoted(it)),
    |it| format!("doas sh -c {}", quoted(it)),
    |it| format!("su root -c {}", quoted(it)),
    |it| format!("env -i A=1 bash -c {}", quoted(it)),
    |it| format!("nohup bash -c {} &", quoted(it)),
    |it| format!("timeout -k 5 10m bash -c {}", quoted(it)),
    |it| format!("nice -n 5 setsid bash -c {}", quoted(it)),
    |it| format!("stdbuf -oL bash -c {}", quoted(it)),
    |it| format!("flock /tmp/lock -c {}", quoted(it)),
    |it| format!("script -qc {} /dev/null", quoted(it)),
    |it| format!("watch -n 2 {}", quoted(it)),
    |it| format!("eval {}", quoted(it)),
    |it| format!("trap {} EXIT", quoted(it)),
    |it| format!("command=1 exec bash -c {}", quoted(it)),
    |it| format!("busybox sh -c {}", quoted(it)),
    |it| format!("echo x | xargs -I{{}} bash -c {}", quoted(it)),
    |it| format!("find . -maxdepth 0 -exec sh -c {} \\;", quoted(it)),
    |it| format!("parallel -N0 ::: 1 -- 2; bash -c {}", quoted(it)),
    |it| format!("X={}; eval \"$X\"", quoted(it)),
    |it| format!("printf '%s\\n' {} | bash", quoted(it)),
    |it| format!("echo {} | base64 -d | sh", base64(it)),
    |it| format!("bash <<< {}", quoted(it)),
    |it| format!("bash -s {}", here_document(it)),
    |it| format!("cat {}", here_document(it).replacen('\n', " | sh\n", 1)),
    |it| format!("source <(printf '%s' {})", quoted(it)),
    |it| format!("echo \"$(bash -c {})\"", quoted(it)),
    |it| format!("(\n{it}\n)"),
    |it| format!("{{\n{it}\n}}"),
    |it| format!("if true; then\n{it}\nfi"),
    |it| format!("for i in 1 2; do\n{it}\ndone"),
    |it| format!("wrapped() {{\n{it}\n}}; wrapped"),
    |it| format!("ls && bash -c {} || true", quoted(it)),
    |it| {
        format!(
            "python3 -c {}",
            quoted(&format!("import os; os.system({})", python(it)))
        )
    },
    |it| format!("perl -e {}", quoted(&format!("system({});", python(it)))),
    |it| format!("tmux new-session -d {}", quoted(it)),
    |it| format!("ssh host {}", quoted(it)),
    |it| format!("docker exec web sh -c {}", quoted(it)),
];

/// A string literal that Python and Perl read alike.
fn python(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('\'', "\\'")
        .replace('\n', "\\n");
    format!("'{escaped}'").replace("\\n", "\\x0a")
}

fn denied() -> Vec<String> {
    include_str!("data/commands.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|row| row["verdict"] == "deny")
        .map(|row| row["command"].as_str().unwrap().to_owned())
        .filter(|command| gravity(command) == Gravity::Grave)
        // A wrapper would put its own items in place of these.
        .filter(|command| !command.contains("{}"))
        .collect()
}

fn gravity(command: &str) -> Gravity {
    let world = StaticWorld::new("/home/dev/project", "/home/dev");
    judge(command, &world).verdict.gravity
}

#[test]
fn no_single_wrapper_hides_a_denied_command() {
    let mut hidden = Vec::new();
    for (row, command) in denied().into_iter().enumerate() {
        // Every wrapper meets every fifth row; the test below mixes them all.
        for wrapper in WRAPPERS.iter().skip(row % 5).step_by(5) {
            let wrapped = wrapper(&command);
            if gravity(&wrapped) == Gravity::Harmless {
                hidden.push(wrapped);
            }
        }
    }
    assert!(
        hidden.is_empty(),
        "{} hidden:\n{}",
        hidden.len(),
        hidden.join("\n")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_three_wrappers_hide_a_denied_command(
        command in proptest::sample::select(denied()),
        wrappers in proptest::collection::vec(proptest::sample::select(WRAPPERS), 1..=3),
    ) {
        let wrapped = wrappers.iter().fold(command, |inner, wrapper| wrapper(&inner));
        prop_assert!(gravity(&wrapped) > Gravity::Harmless, "{wrapped}");
    }
}
