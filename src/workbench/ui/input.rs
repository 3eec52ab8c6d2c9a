//! Terminal events as messages.

use crossbeam_channel::Sender;
use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use crate::workbench::app::{
    area::Size,
    key::{Key, KeyPress},
    message::{Mouse, MouseEvent, Msg},
};

/// What the input thread sends.
pub enum Input {
    Msg(Msg),
    /// The terminal is gone.
    Closed,
}

/// Reads events until the terminal or the workbench is gone.
pub fn read(out: &Sender<Input>) {
    loop {
        let input = match event::read() {
            Ok(event) => match message(event) {
                Some(msg) => Input::Msg(msg),
                None => continue,
            },
            Err(_) => Input::Closed,
        };
        let is_last = matches!(input, Input::Closed);
        if out.send(input).is_err() || is_last {
            return;
        }
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => key_press(key).map(Msg::Key),
        Event::Mouse(mouse) => {
            let event = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseEvent::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseEvent::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseEvent::Release,
                MouseEventKind::ScrollUp => MouseEvent::WheelUp,
                MouseEventKind::ScrollDown => MouseEvent::WheelDown,
                _ => return None,
            };
            Some(Msg::Mouse(Mouse { event, x: mouse.column, y: mouse.row }))
        }
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(Size { width, height })),
        Event::FocusGained | Event::FocusLost => None,
    }
}

fn key_press(event: KeyEvent) -> Option<KeyPress> {
    // Windows reports the release of every key too.
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let key = match event.code {
        KeyCode::Char(letter) => Key::Character(letter),
        KeyCode::F(number) => Key::Function(number),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => Key::BackTab,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    };
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let alt = event.modifiers.contains(KeyModifiers::ALT);
    // AltGr reaches Windows programs as both at once, and means the character.
    match (control, alt, key) {
        (true, true, Key::Character(_)) if cfg!(windows) => Some(KeyPress::plain(key)),
        _ => Some(KeyPress { key, control, alt }),
    }
}
