//! What a person does with keyboard and mouse.

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

/// A key, a paste or a movement of the mouse that means something here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    /// One step back.
    Escape,
    /// Take the last character back.
    Erase,
    /// A letter, a digit or another sign.
    Sign(char),
    /// Text that was pasted: it is no command.
    Pasted(String),
    /// A click on this line of the screen.
    Click(u16),
    /// Leave, wherever it is pressed.
    Interrupt,
    /// Let the shell have the terminal.
    Suspend,
    /// Draw everything anew.
    Redraw,
}

impl Input {
    /// What an event of the terminal means, if anything.
    pub(super) fn of(event: Event) -> Option<Self> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Self::of_key(key),
            Event::Paste(text) => Some(Self::Pasted(text)),
            Event::Mouse(mouse) => match mouse.kind {
                MouseEventKind::ScrollUp => Some(Self::Up),
                MouseEventKind::ScrollDown => Some(Self::Down),
                MouseEventKind::Down(MouseButton::Left) => Some(Self::Click(mouse.row)),
                _ => None,
            },
            _ => None,
        }
    }

    fn of_key(key: KeyEvent) -> Option<Self> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        Some(match key.code {
            KeyCode::Char('c') if control => Self::Interrupt,
            KeyCode::Char('z') if control => Self::Suspend,
            KeyCode::Char('l') if control => Self::Redraw,
            KeyCode::Char(_) if control || alt => return None,
            KeyCode::Char(sign) => Self::Sign(sign),
            KeyCode::Up => Self::Up,
            KeyCode::Down => Self::Down,
            KeyCode::PageUp => Self::PageUp,
            KeyCode::PageDown => Self::PageDown,
            KeyCode::Home => Self::Home,
            KeyCode::End => Self::End,
            KeyCode::Enter => Self::Enter,
            KeyCode::Esc => Self::Escape,
            KeyCode::Backspace => Self::Erase,
            _ => return None,
        })
    }
}

pub(super) fn is_back(input: &Input) -> bool {
    matches!(input, Input::Escape | Input::Sign('q'))
}

/// Where a movement leads from a place; the end is far away.
pub(super) fn moved(place: usize, input: &Input, page: usize) -> Option<usize> {
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
pub(super) fn typed(line: &mut String, input: &Input, most: usize) {
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

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEventState;

    use super::*;

    #[test]
    fn keys_mean_what_people_expect() {
        let none = KeyModifiers::NONE;
        let control = KeyModifiers::CONTROL;
        for (code, modifiers, expected) in [
            (KeyCode::Char('q'), none, Some(Input::Sign('q'))),
            (
                KeyCode::Char('?'),
                KeyModifiers::SHIFT,
                Some(Input::Sign('?')),
            ),
            (KeyCode::Char('c'), control, Some(Input::Interrupt)),
            (KeyCode::Char('z'), control, Some(Input::Suspend)),
            (KeyCode::Char('a'), control, None),
            (KeyCode::Char('y'), KeyModifiers::ALT, None),
            (KeyCode::Esc, none, Some(Input::Escape)),
            (KeyCode::F(1), none, None),
        ] {
            let key = KeyEvent {
                code,
                modifiers,
                kind: KeyEventKind::Press,
                state: KeyEventState::NONE,
            };
            assert_eq!(Input::of(Event::Key(key)), expected, "{code:?}");
            let released = KeyEvent {
                kind: KeyEventKind::Release,
                ..key
            };
            assert_eq!(Input::of(Event::Key(released)), None);
        }
        let pasted = Event::Paste("ay".to_owned());
        assert_eq!(Input::of(pasted), Some(Input::Pasted("ay".to_owned())));
    }
}
