//! What is shown, and what becomes of it when something happens. Nothing here draws, asks or waits.

use bowline_builtins::inbox::{Extent, Question, Said};
use bowline_daemon::board::{Board, Row, State};
use bowline_daemon::rpc::traces::WholeTree;
use bowline_store::RecordedEvent;
use chrono::{DateTime, Utc};

use super::keys::Input;
use super::{rows, view};

/// Longer messages to a model are not typed here.
const LONGEST_MESSAGE: usize = 2_000;
/// Longer filters mean nothing.
const LONGEST_FILTER: usize = 200;

/// Something that happens.
#[derive(Debug)]
pub(super) enum Event {
    /// A person did something.
    Input(Input),
    /// The terminal has this size now, in columns and lines.
    Resized(u16, u16),
    /// It is this time.
    Tick(DateTime<Utc>),
    /// The daemon answered.
    Told(Told),
}

/// What the daemon is asked.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ask {
    Board,
    /// What followed from the prompt of this group.
    Tree(String),
    /// What was denied in this session, or in all.
    Denials(Option<String>),
    /// Answers the question of this id.
    Answer(String, Said),
}

/// What the daemon says.
#[derive(Debug)]
pub(super) enum Told {
    /// Why there is no board is told in words.
    Board(Result<Board, String>),
    Tree(String, Option<WholeTree>),
    Denials(Option<String>, Vec<RecordedEvent>),
    /// What became of an answer, in words.
    Answered(String),
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    Ask(Ask),
    Suspend,
    Redraw,
    Leave,
}

/// Whether this program may answer questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answering {
    Allowed,
    /// Why not.
    Refused(String),
}

/// Whether the daemon answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Link {
    /// It was asked for the first time.
    Asked,
    Fine,
    /// It does not; why.
    Lost(String),
}

/// What fills the screen.
#[derive(Debug)]
pub(super) enum Screen {
    Board,
    /// The board, while words are typed that its rows must have.
    Filter,
    Tree {
        session: String,
        group: String,
        tree: Option<WholeTree>,
        place: Place,
        sign: Sign,
    },
    Denials {
        of: Option<String>,
        events: Option<Vec<RecordedEvent>>,
        chosen: usize,
        sign: Sign,
    },
    Answer {
        question: Question,
        place: Place,
        /// What the model is told, while it is typed.
        message: Option<String>,
    },
    Keys,
}

/// How far a text is scrolled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// So many lines are above.
    Below(usize),
    /// At its end, also when it grows.
    End,
}

/// Differs when something happened in a session.
pub(super) type Sign = Vec<(u64, DateTime<Utc>, u64)>;

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct Top {
    pub(super) board: Option<Board>,
    pub(super) link: Link,
    /// The session that is chosen.
    pub(super) selected: Option<String>,
    pub(super) filter: String,
    pub(super) screen: Screen,
    /// Said once, until the next key.
    pub(super) notice: Option<String>,
    pub(super) now: DateTime<Utc>,
    pub(super) columns: u16,
    pub(super) lines: u16,
    answering: Answering,
}

impl Top {
    pub(super) fn new(
        answering: Answering,
        now: DateTime<Utc>,
        (columns, lines): (u16, u16),
    ) -> Self {
        Self {
            board: None,
            link: Link::Asked,
            selected: None,
            filter: String::new(),
            screen: Screen::Board,
            notice: None,
            now,
            columns,
            lines,
            answering,
        }
    }

    /// The sessions that are listed.
    pub(super) fn rows(&self) -> Vec<&Row> {
        let rows = self.board.iter().flat_map(|board| &board.sessions);
        rows.filter(|row| rows::has(row, &self.filter)).collect()
    }

    /// The place of the chosen session among them.
    pub(super) fn chosen(&self) -> usize {
        let session = self.selected.as_deref();
        let place = (self.rows().iter()).position(|row| Some(row.session.as_str()) == session);
        place.unwrap_or(0)
    }

    /// The chosen session.
    pub(super) fn row(&self) -> Option<&Row> {
        self.rows().get(self.chosen()).copied()
    }

    /// Whether something may happen at any time, so that it is asked often.
    pub(super) fn is_lively(&self) -> bool {
        let mut rows = self.board.iter().flat_map(|board| &board.sessions);
        rows.any(|row| !matches!(row.state, State::Idle | State::Gone))
    }

    /// What becomes of it when something happens, and what has to be done.
    pub(super) fn update(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Input(input) => self.input(input),
            Event::Resized(columns, lines) => {
                (self.columns, self.lines) = (columns, lines);
                Vec::new()
            }
            Event::Tick(now) => {
                self.now = now;
                Vec::new()
            }
            Event::Told(told) => self.told(told),
        }
    }

    fn told(&mut self, told: Told) -> Vec<Effect> {
        match told {
            Told::Board(Ok(board)) => {
                self.link = Link::Fine;
                self.show(board);
                return self.renew();
            }
            Told::Board(Err(why)) => self.link = Link::Lost(why),
            Told::Tree(of, new) => {
                if let Screen::Tree { group, tree, .. } = &mut self.screen
                    && *group == of
                {
                    *tree = new;
                }
            }
            Told::Denials(asked, new) => {
                if let Screen::Denials {
                    of, events, chosen, ..
                } = &mut self.screen
                    && *of == asked
                {
                    *chosen = (*chosen).min(new.len().saturating_sub(1));
                    *events = Some(new);
                }
            }
            Told::Answered(notice) => self.notice = Some(notice),
        }
        Vec::new()
    }

    /// Another board. The chosen session stays the chosen one, and if it left, the one in its place is.
    fn show(&mut self, board: Board) {
        let place = self.chosen();
        self.board = Some(board);
        let rows = self.rows();
        let kept = |row: &&&Row| Some(&row.session) == self.selected.as_ref();
        let chosen = (rows.iter().find(kept))
            .or_else(|| rows.get(place.min(rows.len().saturating_sub(1))))
            .map(|row| row.session.clone());
        self.selected = chosen;
        if let Screen::Answer { question, .. } = &self.screen
            && !self.waits(&question.id)
        {
            self.screen = Screen::Board;
            self.notice = Some(
                "That question waits no longer: it was answered, its time is over, or its agent ended"
                    .to_owned(),
            );
        }
    }

    fn waits(&self, id: &str) -> bool {
        let mut rows = self.board.iter().flat_map(|board| &board.sessions);
        rows.any(|row| row.questions.iter().any(|question| question.id == id))
    }

    /// Asks again for what is shown beside the board, if something happened there.
    fn renew(&mut self) -> Vec<Effect> {
        let sign = match &self.screen {
            Screen::Tree { session, .. } => self.sign(Some(session)),
            Screen::Denials { of, .. } => self.sign(of.as_deref()),
            _ => return Vec::new(),
        };
        let ask = match &mut self.screen {
            Screen::Tree {
                group, sign: old, ..
            } if *old != sign => {
                *old = sign;
                Ask::Tree(group.clone())
            }
            Screen::Denials { of, sign: old, .. } if *old != sign => {
                *old = sign;
                Ask::Denials(of.clone())
            }
            _ => return Vec::new(),
        };
        vec![Effect::Ask(ask)]
    }

    fn sign(&self, session: Option<&str>) -> Sign {
        let rows = self.board.iter().flat_map(|board| &board.sessions);
        rows.filter(|row| session.is_none_or(|session| row.session == session))
            .map(|row| (row.calls, row.since, row.failed + row.denied))
            .collect()
    }

    fn input(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Interrupt => return vec![Effect::Leave],
            Input::Suspend => return vec![Effect::Suspend],
            Input::Redraw => return vec![Effect::Redraw],
            _ => self.notice = None,
        }
        match &self.screen {
            Screen::Board => self.on_board(input),
            Screen::Filter => self.on_filter(input),
            Screen::Tree { .. } => self.on_tree(&input),
            Screen::Denials { .. } => self.on_denials(&input),
            Screen::Answer { message: None, .. } => self.on_question(&input),
            Screen::Answer { .. } => self.on_message(input),
            Screen::Keys => {
                if is_back(&input) || input == Input::Sign('?') {
                    self.screen = Screen::Board;
                }
                Vec::new()
            }
        }
    }

    fn on_board(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Sign('q') => return vec![Effect::Leave],
            Input::Escape if self.filter.is_empty() => return vec![Effect::Leave],
            Input::Escape => self.filter.clear(),
            Input::Sign('/') => self.screen = Screen::Filter,
            Input::Sign('?') => self.screen = Screen::Keys,
            Input::Sign('a') => return self.open_question(),
            Input::Sign('d') => {
                let of = self.row().map(|row| row.session.clone());
                return self.open_denials(of);
            }
            Input::Enter => return self.open_tree(),
            Input::Click(line) => {
                if let Some(place) = view::row_at(self, line) {
                    self.choose(place);
                }
            }
            input => {
                let page = view::rows_shown(self);
                if let Some(place) = moved(self.chosen(), &input, page) {
                    self.choose(place);
                }
            }
        }
        Vec::new()
    }

    fn choose(&mut self, place: usize) {
        let rows = self.rows();
        let place = place.min(rows.len().saturating_sub(1));
        self.selected = rows.get(place).map(|row| row.session.clone());
    }

    fn on_filter(&mut self, input: Input) -> Vec<Effect> {
        match input {
            Input::Enter => self.screen = Screen::Board,
            Input::Escape => {
                self.filter.clear();
                self.screen = Screen::Board;
            }
            input => typed(&mut self.filter, &input, LONGEST_FILTER),
        }
        Vec::new()
    }

    fn open_tree(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else {
            return Vec::new();
        };
        let Some(group) = row.group.clone() else {
            self.notice = Some("No prompt of this session is recorded yet".to_owned());
            return Vec::new();
        };
        let session = row.session.clone();
        self.screen = Screen::Tree {
            sign: self.sign(Some(&session)),
            session,
            group: group.clone(),
            tree: None,
            place: Place::End,
        };
        vec![Effect::Ask(Ask::Tree(group))]
    }

    fn on_tree(&mut self, input: &Input) -> Vec<Effect> {
        if is_back(input) || *input == Input::Enter {
            self.screen = Screen::Board;
        } else {
            self.scroll(input);
        }
        Vec::new()
    }

    fn open_denials(&mut self, of: Option<String>) -> Vec<Effect> {
        self.screen = Screen::Denials {
            sign: self.sign(of.as_deref()),
            of: of.clone(),
            events: None,
            chosen: 0,
        };
        vec![Effect::Ask(Ask::Denials(of))]
    }

    fn on_denials(&mut self, input: &Input) -> Vec<Effect> {
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
                return self.open_denials(of);
            }
            Input::Sign('a') => {
                let event = events.as_ref().and_then(|events| events.get(*chosen));
                self.notice = event.map(|event| match &event.decided.rule {
                    Some(_) => format!(
                        "To let it pass, run `bowline allow {}` in a terminal; --once for one call",
                        view::id_of(event)
                    ),
                    None => "A hook of your own denied it: `bowline hooks` lists them".to_owned(),
                });
            }
            input if is_back(input) => self.screen = Screen::Board,
            input => {
                let last = events.as_ref().map_or(0, Vec::len).saturating_sub(1);
                if let Some(place) = moved(*chosen, input, page) {
                    *chosen = place.min(last);
                }
            }
        }
        Vec::new()
    }

    fn open_question(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else {
            return Vec::new();
        };
        let question = row.questions.first().cloned();
        let is_waiting = matches!(row.state, State::WaitingForYou { .. });
        let is_blocked = matches!(row.state, State::Blocked { .. });
        let session = row.session.clone();
        match (question, self.answering.clone()) {
            (Some(_), Answering::Refused(why)) => self.notice = Some(why),
            (Some(question), Answering::Allowed) => {
                self.screen = Screen::Answer {
                    question,
                    place: Place::Below(0),
                    message: None,
                };
            }
            (None, _) if is_waiting => {
                self.notice = Some("It asks in its own terminal: answer there".to_owned());
            }
            (None, _) if !is_blocked && self.choose_question() => {
                self.notice = Some("This session waits: a again answers it".to_owned());
            }
            (None, _) => {
                let effects = self.open_denials(Some(session));
                self.notice = Some("No question waits here; this was denied".to_owned());
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

    fn on_question(&mut self, input: &Input) -> Vec<Effect> {
        match input {
            Input::Sign('y') => return self.say(Said::Allow(Extent::Once)),
            Input::Sign('n') => {
                if let Screen::Answer { message, .. } = &mut self.screen {
                    *message = Some(String::new());
                }
            }
            input if is_back(input) => self.screen = Screen::Board,
            input => self.scroll(input),
        }
        Vec::new()
    }

    fn on_message(&mut self, input: Input) -> Vec<Effect> {
        let Screen::Answer { message, .. } = &mut self.screen else {
            return Vec::new();
        };
        match input {
            Input::Enter => {
                let told = message.take().map(|text| text.trim().to_owned());
                let told = told.filter(|text| !text.is_empty());
                return self.say(Said::Deny(told));
            }
            Input::Escape => *message = None,
            input => typed(message.get_or_insert_default(), &input, LONGEST_MESSAGE),
        }
        Vec::new()
    }

    fn say(&mut self, said: Said) -> Vec<Effect> {
        let screen = std::mem::replace(&mut self.screen, Screen::Board);
        let Screen::Answer { question, .. } = screen else {
            return Vec::new();
        };
        vec![
            Effect::Ask(Ask::Answer(question.id, said)),
            Effect::Ask(Ask::Board),
        ]
    }

    fn scroll(&mut self, input: &Input) {
        let shown = view::room(self);
        let last = view::body_length(self).saturating_sub(shown);
        let (Screen::Tree { place, .. } | Screen::Answer { place, .. }) = &mut self.screen else {
            return;
        };
        let Some(at) = moved(place.at(last), input, shown) else {
            return;
        };
        *place = if at < last {
            Place::Below(at)
        } else {
            Place::End
        };
    }
}

impl Place {
    /// How many lines are above, where at most so many can be.
    pub(super) fn at(self, last: usize) -> usize {
        match self {
            Self::Below(lines) => lines.min(last),
            Self::End => last,
        }
    }
}

fn is_back(input: &Input) -> bool {
    matches!(input, Input::Escape | Input::Sign('q'))
}

/// Where a movement leads from a place; the end is far away.
fn moved(place: usize, input: &Input, page: usize) -> Option<usize> {
    let page = page.max(1);
    Some(match input {
        Input::Up | Input::Sign('k') => place.saturating_sub(1),
        Input::Down | Input::Sign('j') => place.saturating_add(1),
        Input::PageUp => place.saturating_sub(page),
        Input::PageDown => place.saturating_add(page),
        Input::Home | Input::Sign('g') => 0,
        Input::End | Input::Sign('G') => usize::MAX,
        _ => return None,
    })
}

/// Adds what was typed or pasted to a line.
fn typed(line: &mut String, input: &Input, most: usize) {
    let room = most.saturating_sub(line.chars().count());
    let is_printed = |sign: &char| !sign.is_control();
    match input {
        Input::Sign(sign) => line.extend(Some(*sign).filter(is_printed).into_iter().take(room)),
        Input::Pasted(text) => line.extend(text.chars().filter(is_printed).take(room)),
        Input::Erase => {
            line.pop();
        }
        _ => {}
    }
}
