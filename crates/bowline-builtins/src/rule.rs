//! The user's own rules: `[[rule]]` of Bowline's files, compiled into hooks.
//!
//! ```toml
//! [[rule]]
//! id = "uv-not-pip"
//! command = "pip install *"         # one program run, however it is wrapped
//! verdict = "rewrite"               # deny, ask, allow, context or rewrite
//! rewrite = "uv pip install"        # in place of the words that `command` begins with
//! message = "this project uses uv"
//! [rule.examples]
//! match = ["pip install requests"]
//! not_match = ["uv pip install requests"]
//! ```
//!
//! Also `event` (else PreToolUse), `tool` (a matcher), `effect` (a category or rule of the guard), `path`, `when` and
//! `suggestion`. All conditions that are given must hold; of a list, any one. An `allow` holds for a command only if
//! every part of it is meant and in plain sight: programs by their bare names, one after another. A folder before a
//! program, a variable, a pipe, a `cd`, a redirection or a wrapper beyond `nohup`, `nice` and `timeout` is never allowed.
//!
//! `when` is an expression in CEL. It knows `event`, `tool`, `tool_input`, `prompt`, `command`, `path`, `cwd`,
//! `project`, `session_id`, `agent` (such as `claude-code`), `agent_id` and `agent_type` (the sub-agent's) and `effects`, a list of
//! `{category, rule, gravity, what}`; texts that an event does not have are empty. `matches(text, "regex")` and
//! `glob(text, "pattern")` take patterns that are written out. A field that may be left out has to be asked for first:
//! `has(tool_input.timeout) && tool_input.timeout > 600000`. Where it is not there, a rule that denies or asks cannot be
//! evaluated, and asks; for any other the condition is false.
//!
//! A rule of a project that is not trusted counts if it denies or asks, and only on events where that prevents something
//! (gates); on others a block is an instruction to the agent.
//!
//! A rule that denies or asks is never switched off by a mistake in it: what cannot be judged is asked about.
//! One that allows, explains or rewrites is only in force when everything about it is right.

mod apply;
mod compile;
mod condition;
mod doubt;
mod examples;
mod exception;
mod files;
mod grant;
mod hook;
mod rewrite;
mod subject;

pub use compile::{Compiled, compile, compile_rules};
pub(crate) use exception::exception;
pub use exception::{Exception, NoException};
pub use hook::RuleHook;
