//! `#[needs(…)]`: a test is ignored, with the reason, where something that it needs is not there.
//!
//! The test harness of stable Rust can only be told so while a test is compiled, so that is when this looks. What was taken away
//! since makes the test fail; what was added since counts when the test is compiled again, and at once if it is a variable.

mod need;

use std::fmt::Write as _;

use proc_macro::{Delimiter, TokenStream, TokenTree};

use need::{Missing, Need};

/// Ignores the test that follows unless all of these are there:
///
/// | name | what |
/// |---|---|
/// | `axe` | the accessibility check `axe-core` of npm, whose `axe.min.js` is the file that `AXE_CORE` names |
/// | `cc_safety_net` | the hook `cc-safety-net` of npm, which `CC_SAFETY_NET` names, and node |
/// | `chromium` | Chromium, or Chrome |
/// | `client` | Claude Code, which `CLAUDE_BIN` names, and `python3` |
/// | `cline` | Cline's CLI, which `CLINE_BIN` names, and `python3` |
/// | `codex` | Codex, which `CODEX_BIN` names, and `python3` |
/// | `copilot` | Copilot CLI, which `COPILOT_BIN` names, and `python3` |
/// | `corpus` | the labelled corpora, in the folder that `BOWLINE_SHARED` names, or else `../shared` |
/// | `droid` | Factory Droid, which `DROID_BIN` names, and `python3` |
/// | `fuse` | permission to mount a file system that a process of the user serves, for the user's own processes |
/// | `gemini` | Gemini CLI, which `GEMINI_BIN` names, and `python3` |
/// | `git` | git 2.29 or newer |
/// | `git_reftable` | git 2.45 or newer |
/// | `grok` | Grok Build, which `GROK_BIN` names, and `python3` |
/// | `kimi` | Kimi Code, which `KIMI_BIN` names, and `python3`; `NODE_BIN` may name its node 22 |
/// | `mounts` | permission to mount file systems, for the user's own processes |
/// | `no_agent` | no coding agent that started all this |
/// | `no_root` | a user whom permissions of files hold back |
/// | `node` | node 20 or newer, with npm |
/// | `opencode` | OpenCode, which `OPENCODE_BIN` names, and `python3` |
/// | `python` | `python3` |
/// | `pytest` | `python3 -m pytest` |
/// | `qwen` | Qwen Code, which `QWEN_BIN` names, and `python3`; `NODE_BIN` may name its node 22 |
/// | `root` | a user who may give files away |
/// | `terminal` | `script`, which plays a terminal |
/// | `tmux` | tmux 3.0 or newer |
///
/// It stands above `#[test]`.
#[proc_macro_attribute]
pub fn needs(names: TokenStream, test: TokenStream) -> TokenStream {
    match missing(names) {
        Ok((missing, variables)) => {
            let mut tokens = parsed(&variables);
            if !missing.is_empty() {
                tokens.extend(parsed(&format!("#[ignore = {:?}]", reason(&missing))));
            }
            tokens.extend(test);
            tokens
        }
        Err(message) => parsed(&format!("compile_error!({message:?});")),
    }
}

/// What is not there, and code by which the compiler knows that it depends on variables.
fn missing(names: TokenStream) -> Result<(Vec<Missing>, String), String> {
    let (mut missing, mut variables) = (Vec::new(), String::new());
    for token in names {
        let name = match token {
            TokenTree::Ident(name) => name.to_string(),
            TokenTree::Punct(comma) if comma.as_char() == ',' => continue,
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => group.to_string(),
            other => return Err(format!("`{other}` is no name of something that is needed")),
        };
        let need =
            Need::of(&name).ok_or_else(|| format!("nobody knows how to look for `{name}`"))?;
        if let Some(variable) = need.variable() {
            let _ = write!(
                variables,
                "const _: Option<&str> = option_env!({variable:?});"
            );
        }
        missing.extend(need.missing());
    }
    Ok((missing, variables))
}

fn reason(missing: &[Missing]) -> String {
    let missing: Vec<&str> = missing.iter().map(|it| it.0).collect();
    format!("needs {}", missing.join(", and "))
}

/// Code of ours, which parses.
fn parsed(code: &str) -> TokenStream {
    code.parse().unwrap_or_default()
}
