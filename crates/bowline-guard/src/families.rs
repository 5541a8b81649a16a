//! What the programs of each family do: the knowledge behind the guard.

mod files;
mod rule;

use crate::effect::Effect;
use crate::invocation::Invocation;
use crate::paths::World;

/// What a program run would do, as far as a guard should care. Nothing for everyday work.
pub fn effects(invocation: &Invocation, world: &dyn World) -> Vec<Effect> {
    files::effects(invocation, world)
}
