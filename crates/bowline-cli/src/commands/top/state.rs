//! What is shown, and what becomes of it when something happens. Nothing here draws, asks or waits.

use bowline_builtins::inbox::{Extent, Preview, Question, Said};
use bowline_daemon::board::{Board, Row, State};
use bowline_daemon::rpc::traces::WholeTree;
use bowline_store::{Findings, RecordedEvent, Trace};
use chrono::{DateTime, TimeDelta, Utc};

use super::keys::{Input, is_back, moved};
use super::{rows, view};

/// A notice is shown for so long.
const NOTICE: TimeDelta = TimeDelta::seconds(8);

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
    /// In which records these words are.
    Search(String),
    /// All that is known of the call of this id.
    Call(String),
    /// What allowing the question of this id so far would write.
    Preview(String, Extent),
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
    Found(String, Findings),
    Call(String, Option<Box<Call>>),
    /// Why nothing can be written is told in words.
    Preview(String, Extent, Result<Preview, String>),
    /// What became of an answer, in words.
    Answered(String),
    /// Why something could not be asked, in words.
    Failed(String),
}

/// A call, with the events that were decided about it.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) trace: Trace,
    pub(super) events: Vec<RecordedEvent>,
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    Ask(Ask),
    Suspend,
    Redraw,
    Leave,
}

/// Whether this program may do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum May {
    Yes,
    /// Why not.
    No(String),
}

/// What can be done here beside looking.
#[derive(Debug, Clone)]
pub(super) struct Rights {
    /// Questions are answered.
    pub(super) answer: May,
    /// What the guard says is silenced with `bowline allow`.
    pub(super) silence: May,
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
    /// One of the denials, in full.
    Denial {
        event: Box<RecordedEvent>,
        place: Place,
    },
    Found {
        words: String,
        findings: Option<Findings>,
        chosen: usize,
    },
    Call {
        id: String,
        call: Option<Box<Call>>,
        place: Place,
    },
    Answer {
        question: Box<Question>,
        place: Place,
        step: Step,
        seen: Seen,
    },
    Keys(Place),
}

/// How far a person is with an answer.
#[derive(Debug)]
pub(super) enum Step {
    Choose,
    /// What the model is told is typed.
    Tell(String),
    /// What a permission that lasts would write is shown, once it is known, and has to be confirmed. If nothing can be written, why is
    /// told in words.
    Confirm(Extent, Option<Result<Preview, String>>),
}

/// What of a question was on the screen to its end. Nobody shall allow what is not shown in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    Beginning,
    Question,
    /// Also what a permission that lasts would write.
    Preview,
}

/// Something that is said for a while.
#[derive(Debug)]
pub(super) struct Notice {
    pub(super) text: String,
    until: DateTime<Utc>,
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
    /// The places of the sessions that are listed: those that have the words of the filter.
    listed: Vec<usize>,
    pub(super) link: Link,
    /// The session that is chosen.
    pub(super) selected: Option<String>,
    pub(super) filter: String,
    pub(super) screen: Screen,
    /// The screens that one goes back to, the last one first.
    pub(super) behind: Vec<Screen>,
    /// Until the next key.
    pub(super) notice: Option<Notice>,
    pub(super) now: DateTime<Utc>,
    pub(super) columns: u16,
    pub(super) lines: u16,
    pub(super) rights: Rights,
}

impl Top {
    pub(super) fn new(rights: Rights, now: DateTime<Utc>, (columns, lines): (u16, u16)) -> Self {
        Self {
            board: None,
            listed: Vec::new(),
            link: Link::Asked,
            selected: None,
            filter: String::new(),
            screen: Screen::Board,
            behind: Vec::new(),
            notice: None,
            now,
            columns,
            lines,
            rights,
        }
    }

    /// The sessions that are listed.
    pub(super) fn rows(&self) -> Vec<&Row> {
        let sessions = self.board.as_ref().map_or(&[][..], |it| &it.sessions);
        let listed = self.listed.iter();
        listed.filter_map(|place| sessions.get(*place)).collect()
    }

    /// Finds out once for each change which sessions are listed: every drawing asks for them several times.
    fn list(&mut self) {
        let rows = self.board.iter().flat_map(|board| &board.sessions);
        let has_words = |(place, row): (usize, &Row)| rows::has(row, &self.filter).then_some(place);
        self.listed = rows.enumerate().filter_map(has_words).collect();
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
        let effects = match event {
            Event::Input(input) => {
                let effects = self.input(input);
                self.list();
                effects
            }
            Event::Resized(columns, lines) => {
                (self.columns, self.lines) = (columns, lines);
                Vec::new()
            }
            Event::Tick(now) => {
                self.now = now;
                self.notice.take_if(|notice| notice.until <= now);
                Vec::new()
            }
            Event::Told(told) => self.told(told),
        };
        self.look();
        effects
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
                    if tree.is_none() {
                        self.back();
                        self.say("Nothing is recorded of it any more");
                    }
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
            Told::Found(asked, new) => self.found(&asked, new),
            Told::Call(asked, new) => self.call_told(&asked, new),
            Told::Preview(id, extent, preview) => self.preview_told(&id, extent, preview),
            Told::Answered(notice) | Told::Failed(notice) => self.say(notice),
        }
        Vec::new()
    }

    /// Says something for a while.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice {
            text: text.into(),
            until: self.now + NOTICE,
        });
    }

    /// Shows a screen; back leads to this one.
    pub(super) fn open(&mut self, screen: Screen) {
        let behind = std::mem::replace(&mut self.screen, screen);
        self.behind.push(behind);
    }

    /// Shows the screen from which this one was opened.
    pub(super) fn back(&mut self) {
        self.screen = self.behind.pop().unwrap_or(Screen::Board);
    }

    /// Shows the board, and nothing is behind it.
    pub(super) fn show_board(&mut self) {
        self.behind.clear();
        self.screen = Screen::Board;
    }

    /// Another board. The chosen session stays the chosen one, and if it left, the one in its place is.
    fn show(&mut self, board: Board) {
        let place = self.chosen();
        self.board = Some(board);
        self.list();
        let rows = self.rows();
        let kept = |row: &&&Row| Some(&row.session) == self.selected.as_ref();
        let chosen = (rows.iter().find(kept))
            .or_else(|| rows.get(place.min(rows.len().saturating_sub(1))))
            .map(|row| row.session.clone());
        self.selected = chosen;
        if let Screen::Answer { question, .. } = &self.screen
            && !self.waits(&question.id)
        {
            self.show_board();
            self.say(
                "That question waits no longer: it was answered, its time is over, or its agent ended",
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

    pub(super) fn sign(&self, session: Option<&str>) -> Sign {
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
            Screen::Denial { .. } => self.on_denial(&input),
            Screen::Found { .. } => self.on_found(&input),
            Screen::Call { .. } => self.on_call(&input),
            Screen::Answer { .. } => self.on_answer(input),
            Screen::Keys(_) => {
                if is_back(&input) || input == Input::Sign('?') {
                    self.back();
                } else {
                    self.scroll(&input);
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
            Input::Sign('?') => self.open(Screen::Keys(Place::Below(0))),
            Input::Sign('a') => return self.open_question(),
            Input::Sign('d') => {
                let of = self.row().map(|row| row.session.clone());
                return self.open_denials(of);
            }
            Input::Enter => return self.open_last_prompt(),
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

    pub(super) fn choose(&mut self, place: usize) {
        let rows = self.rows();
        let place = place.min(rows.len().saturating_sub(1));
        self.selected = rows.get(place).map(|row| row.session.clone());
    }

    fn open_last_prompt(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else {
            return Vec::new();
        };
        let session = row.session.clone();
        let Some(group) = row.group.clone() else {
            self.say("No prompt of this session is recorded yet");
            return Vec::new();
        };
        self.open_tree(session, group, Place::End)
    }

    /// Shows what followed from a prompt; any call of it names it, too.
    pub(super) fn open_tree(
        &mut self,
        session: String,
        group: String,
        place: Place,
    ) -> Vec<Effect> {
        self.open(Screen::Tree {
            sign: self.sign(Some(&session)),
            session,
            group: group.clone(),
            tree: None,
            place,
        });
        vec![Effect::Ask(Ask::Tree(group))]
    }

    fn on_tree(&mut self, input: &Input) -> Vec<Effect> {
        if is_back(input) || *input == Input::Enter {
            self.back();
        } else {
            self.scroll(input);
        }
        Vec::new()
    }

    pub(super) fn scroll(&mut self, input: &Input) {
        let shown = view::room(self);
        let last = view::body_length(self).saturating_sub(shown);
        let (Screen::Tree { place, .. }
        | Screen::Denial { place, .. }
        | Screen::Call { place, .. }
        | Screen::Answer { place, .. }
        | Screen::Keys(place)) = &mut self.screen
        else {
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
