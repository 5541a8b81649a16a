//! Claude Code's files: where its hooks are, what switches them off, and what else they say.
//!
//! | module | what it has |
//! |---|---|
//! | `plugins`, `front_matter` | where hooks are, beside the settings files |
//! | `hooks` | a project's hooks, which other agents run once they are trusted |
//! | `switches`, `url_patterns` | what switches hooks off, and which URLs they may use |
//! | `traps` | where Claude Code does something else than an author expects |
//! | `sensitive` | `.claude/sensitive-files.json` |
//! | `steering` | variables by which a project would steer Bowline |
//! | `mcp_servers` | where MCP servers are looked for |

pub(super) mod front_matter;
pub(super) mod hooks;
pub(super) mod mcp_servers;
pub(super) mod plugins;
pub(super) mod sensitive;
pub(super) mod steering;
pub(super) mod switches;
pub(super) mod traps;
pub(super) mod url_patterns;
