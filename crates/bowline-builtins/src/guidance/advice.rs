//! What agents are told by advice: each text once a session unless it changes, and not more than the settings allow for one event.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bowline::hooks::{HookContext, HookInput};
use bowline::settings::AdviceConfig;
use bowline_guidance::text::Text;
use serde::{Deserialize, Serialize};

use super::Memory;

/// Under which this is remembered.
const NAME: &str = "advice";
/// So many texts are remembered for a session, the first ones longest.
const MAX_SAID: usize = 256;

/// Says texts to agents.
#[derive(Debug)]
pub(super) struct Advice {
    config: AdviceConfig,
    memory: Arc<Memory>,
}

/// What a session was told, by the texts' keys: a number that differs where the text does.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Said {
    texts: BTreeMap<String, u64>,
}

/// How many characters of advice an event already has.
#[derive(Debug, Default)]
struct Spent(AtomicUsize);

impl Advice {
    pub(super) fn new(config: AdviceConfig, memory: Arc<Memory>) -> Self {
        Self { config, memory }
    }

    /// The text, unless the session was told exactly this before, or the event has no room for it.
    ///
    /// `about` names what it is about where a text is for several things: each is said once.
    pub(super) fn once(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        text: &Text,
        about: &str,
        values: &[(&str, &str)],
    ) -> Option<String> {
        let rendered = self.render(text, values)?;
        let digest = digest(&rendered);
        let is_new = self.is_new(input, ctx, text, about, digest, &rendered);
        is_new.then_some(rendered)
    }

    /// Whether a text is to be said. It then counts as said under this number.
    fn is_new(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        text: &Text,
        about: &str,
        digest: u64,
        rendered: &str,
    ) -> bool {
        let key = if about.is_empty() {
            text.key.to_owned()
        } else {
            format!("{}:{about}", text.key)
        };
        self.memory.of_session(NAME, input, ctx, |said: &mut Said| {
            if said.texts.get(&key) == Some(&digest) {
                return false;
            }
            // Room is taken before the text counts as said.
            if !self.has_room(ctx, rendered) {
                return false;
            }
            if said.texts.len() < MAX_SAID || said.texts.contains_key(&key) {
                said.texts.insert(key, digest);
            }
            true
        })
    }

    /// The text, unless the session was told it before, whatever was filled in then.
    pub(super) fn first(
        &self,
        input: &HookInput,
        ctx: &HookContext,
        text: &Text,
        about: &str,
        values: &[(&str, &str)],
    ) -> Option<String> {
        let rendered = self.render(text, values)?;
        let is_new = self.is_new(input, ctx, text, about, 0, &rendered);
        is_new.then_some(rendered)
    }

    /// The text of a decision: always said, whatever room there is.
    pub(super) fn render(&self, text: &Text, values: &[(&str, &str)]) -> Option<String> {
        text.render(&self.config.texts, values)
    }

    fn has_room(&self, ctx: &HookContext, text: &str) -> bool {
        let spent = ctx.extensions().get::<Spent>();
        let length = text.chars().count();
        let most = self.config.budget_chars;
        spent
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |spent| {
                let spent = spent + length;
                (spent <= most).then_some(spent)
            })
            .is_ok()
    }
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use bowline::settings::TEXT_KEYS;
    use bowline_guidance::text;

    #[test]
    fn every_text_has_a_key_in_the_settings() {
        let mut said: Vec<&str> = text::all().map(|it| it.key).collect();
        said.sort_unstable();
        assert_eq!(
            TEXT_KEYS, said,
            "the list is in settings/keys/sections/advice.rs"
        );
    }
}
