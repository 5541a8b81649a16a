//! What was denied, and how it is let pass.

use bowline_agents::shell_word;
use bowline_builtins::guard::{exact_call, guards_itself, is_rule};
use bowline_store::RecordedEvent;

use super::keys::{Input, is_back, moved};
use super::state::{Ask, Effect, May, Place, Screen, Top};
use super::view;
use crate::commands::log;
use crate::ui::reveal;

impl Top {
    pub(super) fn open_denials(&mut self, of: Option<String>) -> Vec<Effect> {
        let screen = self.denials(of.clone());
        self.open(screen);
        vec![Effect::Ask(Ask::Denials(of))]
    }

    fn denials(&self, of: Option<String>) -> Screen {
        Screen::Denials {
            sign: self.sign(of.as_deref()),
            of,
            events: None,
            chosen: 0,
        }
    }

    pub(super) fn on_denials(&mut self, input: &Input) -> Vec<Effect> {
        let page = view::rows_shown(self);
        let Screen::Denials {
            of, events, chosen, ..
        } = &mut self.screen
        else {
            return Vec::new();
        };
        match input {
            Input::Sign('d') => {
                let of = match of {
                    Some(_) => None,
                    None => self.row().map(|row| row.session.clone()),
                };
                self.screen = self.denials(of.clone());
                return vec![Effect::Ask(Ask::Denials(of))];
            }
            Input::Sign('a') => {
                let event = events.as_ref().and_then(|events| events.get(*chosen));
                if let Some(way) = event.map(|event| way(event, &self.rights.silence)) {
                    self.say(way);
                }
            }
            Input::Enter => {
                let event = events.as_ref().and_then(|events| events.get(*chosen));
                if let Some(event) = event.cloned().map(Box::new) {
                    let place = Place::Below(0);
                    self.open(Screen::Denial { event, place });
                }
            }
            input if is_back(input) => self.back(),
            input => {
                let last = events.as_ref().map_or(0, Vec::len).saturating_sub(1);
                if let Some(place) = moved(*chosen, input, page) {
                    *chosen = place.min(last);
                }
            }
        }
        Vec::new()
    }

    pub(super) fn on_denial(&mut self, input: &Input) -> Vec<Effect> {
        if is_back(input) || *input == Input::Enter {
            self.back();
        } else {
            self.scroll(input);
        }
        Vec::new()
    }
}

/// How a call that was denied is let pass, or why it cannot be.
pub(super) fn way(event: &RecordedEvent, silence: &May) -> String {
    let Some(rule) = event.decided.rule.as_deref() else {
        return "A hook of your own denied it: `bowline hooks` lists them".to_owned();
    };
    let shown = reveal::name(rule);
    if !is_rule(rule) {
        return format!(
            "Your own rule {shown} denied it: `bowline rules` tells in which file it is"
        );
    }
    if guards_itself(rule) {
        return format!("{shown} guards Bowline itself: it cannot be silenced");
    }
    if let May::No(why) = silence {
        return format!("Nothing can be allowed on this machine: {why}");
    }
    let tool = event.decided.tool.as_deref().unwrap_or_default();
    match event
        .input
        .as_ref()
        .and_then(|input| exact_call(tool, input))
    {
        Some(_) => {
            let id = shell_word(log::id(event));
            format!("To let it pass, run `bowline allow {id}` in a terminal; --once for one call")
        }
        None => {
            format!("To let one such call pass, run `bowline allow {shown} --once` in a terminal")
        }
    }
}
