//! The search: words that rows must have, and the records in which they are.

use bowline_store::{Findings, Found, is_searchable};

use super::keys::{Input, is_back, moved, typed};
use super::state::{Ask, Call, Effect, Place, Screen, Top};
use super::view;

/// Longer texts are not searched for.
const LONGEST_FILTER: usize = 200;

impl Top {
    pub(super) fn on_filter(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Enter => return self.search(),
            Input::Escape => {
                self.filter.clear();
                self.show_board();
            }
            input => typed(&mut self.filter, &input, LONGEST_FILTER),
        }
        Vec::new()
    }

    /// Looks for the words in what was recorded. Back leads to the sessions that have them.
    fn search(&mut self) -> Vec<Effect> {
        self.show_board();
        let words = self.filter.trim().to_owned();
        if words.is_empty() {
            self.filter.clear();
            return Vec::new();
        }
        if !is_searchable(&words) {
            self.say("In records only letters and digits are searched for");
            return Vec::new();
        }
        self.open(Screen::Found {
            words: words.clone(),
            findings: None,
            chosen: 0,
        });
        vec![Effect::Ask(Ask::Search(words))]
    }

    pub(super) fn found(&mut self, asked: &str, new: Findings) {
        if let Screen::Found {
            words, findings, ..
        } = &mut self.screen
            && *words == asked
        {
            *findings = Some(new);
        }
    }

    pub(super) fn on_found(&mut self, input: &Input) -> Vec<Effect> {
        let page = view::rows_shown(self);
        let Screen::Found {
            findings, chosen, ..
        } = &mut self.screen
        else {
            return Vec::new();
        };
        let found = findings.as_ref().map_or(&[][..], |it| &it.found);
        match input {
            Input::Enter => {
                let found = found.get(*chosen).cloned();
                return found.map_or_else(Vec::new, |found| self.open_record(found));
            }
            Input::Sign('/') => {
                self.show_board();
                self.screen = Screen::Filter;
            }
            input if is_back(input) => self.back(),
            input => {
                if let Some(place) = moved(*chosen, input, page) {
                    *chosen = place.min(found.len().saturating_sub(1));
                }
            }
        }
        Vec::new()
    }

    /// A call with all that is known of it, or what followed from a prompt. Its group has the name of the event that gave it.
    fn open_record(&mut self, found: Found) -> Vec<Effect> {
        let Some(id) = found.tool_use_id else {
            return self.open_tree(found.session, found.event_id, Place::Below(0));
        };
        self.open(Screen::Call {
            id: id.clone(),
            call: None,
            place: Place::Below(0),
        });
        vec![Effect::Ask(Ask::Call(id))]
    }

    pub(super) fn call_told(&mut self, asked: &str, new: Option<Box<Call>>) {
        if let Screen::Call { id, call, .. } = &mut self.screen
            && *id == asked
        {
            *call = new;
            if call.is_none() {
                self.back();
                self.say("This call is not recorded any more");
            }
        }
    }

    pub(super) fn on_call(&mut self, input: &Input) -> Vec<Effect> {
        match (input, &self.screen) {
            (
                Input::Enter | Input::Sign('t'),
                Screen::Call {
                    call: Some(call), ..
                },
            ) => {
                let trace = &call.trace;
                let (session, group) = (trace.session.clone(), trace.group.clone());
                return self.open_tree(session, group, Place::Below(0));
            }
            (input, _) if is_back(input) => self.back(),
            (input, _) => self.scroll(input),
        }
        Vec::new()
    }
}
