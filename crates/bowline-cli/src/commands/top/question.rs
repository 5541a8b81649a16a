//! Answering a question that waits.

use bowline_builtins::inbox::{Extent, Preview, Said};
use bowline_daemon::approvals::LONGEST_MESSAGE;
use bowline_daemon::board::State;

use super::keys::{Input, is_back, typed};
use super::state::{Ask, Effect, May, Place, Screen, Seen, Step, Top};
use super::view;
use crate::ui::counted;

impl Top {
    pub(super) fn open_question(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else {
            return Vec::new();
        };
        let question = row.questions.first().cloned();
        let is_waiting = matches!(row.state, State::WaitingForYou { .. });
        let is_blocked = matches!(row.state, State::Blocked { .. });
        let session = row.session.clone();
        match (question, self.rights.answer.clone()) {
            (Some(_), May::No(why)) => self.say(why),
            (Some(question), May::Yes) => self.open(Screen::Answer {
                question: Box::new(question),
                place: Place::Below(0),
                step: Step::Choose,
                seen: Seen::Beginning,
            }),
            (None, _) if is_waiting => self.say("It asks in its own terminal: answer there"),
            (None, _) if !is_blocked && self.choose_question() => {
                self.say("This session waits: a again answers it");
            }
            (None, _) => {
                let effects = self.open_denials(Some(session));
                self.say("No question waits here; this was denied");
                return effects;
            }
        }
        Vec::new()
    }

    /// Chooses the first session with a question; says whether there is one.
    fn choose_question(&mut self) -> bool {
        let rows = self.rows();
        let asks = rows.iter().position(|row| !row.questions.is_empty());
        asks.inspect(|place| self.choose(*place)).is_some()
    }

    pub(super) fn on_answer(&mut self, input: Input) -> Vec<Effect> {
        let Screen::Answer { step, .. } = &self.screen else {
            return Vec::new();
        };
        match step {
            Step::Choose => self.on_question(&input),
            Step::Tell(_) => self.on_message(input),
            Step::Confirm(extent, preview) => {
                let shown = matches!(preview, Some(Ok(_))).then_some(*extent);
                self.on_preview(&input, shown)
            }
        }
    }

    /// Remembers of a question that its end is on the screen.
    pub(super) fn look(&mut self) {
        let Screen::Answer { step, seen, .. } = &self.screen else {
            return;
        };
        let end = match step {
            Step::Confirm(_, Some(Ok(_))) => Seen::Preview,
            _ => Seen::Question,
        };
        if *seen >= end || view::lines_below(self) > 0 {
            return;
        }
        if let Screen::Answer { seen, .. } = &mut self.screen {
            *seen = end;
        }
    }

    /// Whether so much of the question was on the screen.
    fn has_seen(&self, wanted: Seen) -> bool {
        matches!(&self.screen, Screen::Answer { seen, .. } if *seen >= wanted)
    }

    fn read_on(&mut self) {
        let more = counted(view::lines_below(self), "more line");
        self.say(format!("Read to the end first: {more} ↓"));
    }

    fn on_question(&mut self, input: &Input) -> Vec<Effect> {
        match input {
            Input::Sign('y' | 's' | 'f') if !self.has_seen(Seen::Question) => self.read_on(),
            Input::Sign('y') => return self.answer(Said::Allow(Extent::Once)),
            Input::Sign('s') => return self.ask_for_preview(Extent::Session),
            Input::Sign('f') => return self.ask_for_preview(Extent::Always),
            Input::Sign('n') => self.go_to(Step::Tell(String::new())),
            input if is_back(input) => self.back(),
            input => self.scroll(input),
        }
        Vec::new()
    }

    fn on_message(&mut self, input: Input) -> Vec<Effect> {
        let Screen::Answer {
            step: Step::Tell(message),
            ..
        } = &mut self.screen
        else {
            return Vec::new();
        };
        match input {
            Input::Enter => {
                let told = Some(message.trim().to_owned());
                return self.answer(Said::Deny(told.filter(|text| !text.is_empty())));
            }
            Input::Escape => self.go_to(Step::Choose),
            input => {
                typed(message, &input, LONGEST_MESSAGE);
                if message.chars().count() >= LONGEST_MESSAGE {
                    self.say(format!(
                        "A message has at most {LONGEST_MESSAGE} characters; no more fits"
                    ));
                }
            }
        }
        Vec::new()
    }

    fn ask_for_preview(&mut self, extent: Extent) -> Vec<Effect> {
        self.go_to(Step::Confirm(extent, None));
        match &self.screen {
            Screen::Answer { question, .. } => {
                vec![Effect::Ask(Ask::Preview(question.id.clone(), extent))]
            }
            _ => Vec::new(),
        }
    }

    /// What a permission would write, or why it cannot be.
    pub(super) fn preview_told(&mut self, id: &str, of: Extent, told: Result<Preview, String>) {
        let above = view::body_length(self);
        let Screen::Answer {
            question,
            place,
            step: Step::Confirm(extent, preview),
            ..
        } = &mut self.screen
        else {
            return;
        };
        if question.id != id || *extent != of {
            return;
        }
        *preview = Some(told);
        // It is below the question and a blank line.
        *place = Place::Below(above + 1);
    }

    /// What is written has to be shown before somebody agrees to it.
    fn on_preview(&mut self, input: &Input, shown: Option<Extent>) -> Vec<Effect> {
        match (input, shown) {
            (Input::Sign('y'), Some(_)) if !self.has_seen(Seen::Preview) => self.read_on(),
            (Input::Sign('y'), Some(extent)) => return self.answer(Said::Allow(extent)),
            (Input::Sign('n'), _) => self.go_to(Step::Choose),
            (input, _) if is_back(input) => self.go_to(Step::Choose),
            (input, _) => self.scroll(input),
        }
        Vec::new()
    }

    fn go_to(&mut self, next: Step) {
        if let Screen::Answer {
            step, place, seen, ..
        } = &mut self.screen
        {
            *step = next;
            *place = Place::Below(0);
            // Another preview is another text.
            *seen = (*seen).min(Seen::Question);
        }
    }

    fn answer(&mut self, said: Said) -> Vec<Effect> {
        let Screen::Answer { question, .. } = &self.screen else {
            return Vec::new();
        };
        let answer = Ask::Answer(question.id.clone(), said);
        self.show_board();
        vec![Effect::Ask(answer), Effect::Ask(Ask::Board)]
    }
}
