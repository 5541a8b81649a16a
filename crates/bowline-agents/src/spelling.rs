//! How agents spell events.

use crate::event::HookEvent;
use crate::registry;

/// An agent's names of events. Several may be one event: Cursor reports a shell command and a call of a server apart.
pub type Spellings = &'static [(&'static str, HookEvent)];

/// The spellings of agents that have no file here yet, so that an answer of last resort knows what is at stake.
pub(crate) const ELSEWHERE: Spellings = &[
    // Amp and pi
    ("tool.call", HookEvent::PreToolUse),
    ("agent.end", HookEvent::Stop),
    // Mistral Vibe
    ("pre_tool", HookEvent::PreToolUse),
];

/// The name without its spelling: `PreToolUse`, `preToolUse`, `pre_tool_use` and `pre.tool.use` are one.
pub(crate) fn plain(event: &str) -> String {
    let letters = event.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The event of this name among these.
pub(crate) fn find(name: &str, spellings: Spellings) -> Option<HookEvent> {
    let wanted = plain(name);
    let mut all = spellings.iter();
    all.find_map(|(spelling, event)| (plain(spelling) == wanted).then_some(*event))
}

/// The event of this name, as any agent spells it.
pub(crate) fn find_anywhere(name: &str) -> Option<HookEvent> {
    let agents = registry::all_spellings();
    agents
        .chain([ELSEWHERE])
        .find_map(|spellings| find(name, spellings))
}
