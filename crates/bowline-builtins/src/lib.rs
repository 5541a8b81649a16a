//! The hooks that Bowline ships, one file each, every one an ordinary [`bowline::hooks::Hook`].
//!
//! [`assemble`] makes the manager of a project: its own hooks, then ours. `bowline-guard` judges text and knows
//! nothing but text; [`machine`] says what is really there: where links lead, what git tracks and ignores.
//!
//! ```
//! use bowline::hooks::{Decision, HookContext, HookInput, Services};
//! use bowline::settings::{self, Locations};
//! use bowline_builtins::machine::Machine;
//! use bowline_builtins::{SharedState, assemble};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), std::io::Error> {
//! # let folder = tempfile::tempdir()?;
//! # let (project, locations) = (folder.path(), Locations::under(folder.path()));
//! // Once for the program, and once for each project:
//! let shared = SharedState::new(Machine::from_env());
//! let settings = settings::load(project, &locations);
//! let manager = assemble(&settings, Services::default(), &shared);
//!
//! let call = HookInput::pre_tool_use("s1", "Bash", serde_json::json!({ "command": "git push -f" }));
//! let result = manager.trigger(call, &HookContext::new("s1").with_cwd(project)).await;
//! assert_eq!(result.output.decision(), Decision::Deny);
//! # Ok(())
//! # }
//! ```
//! [`rule`] runs the rules that people write themselves; [`recorder`] notes what happened, for the store.

mod analyst;
mod assemble;
mod caught_up;
pub mod continuity;
pub mod false_alarm;
pub mod guard;
pub mod guidance;
pub mod inbox;
mod loss;
pub mod machine;
mod own_places;
pub mod recorder;
pub mod rule;
mod sanitise;
mod work;

pub use analyst::Analyst;
pub use assemble::{BuiltinHook, Builtins, SharedState, assemble};
pub use own_places::{OWN_PLACE_VARIABLES, own_places, own_places_unseen};
pub use sanitise::{REDACTED, mask, sanitise};
pub use work::Ledger;
