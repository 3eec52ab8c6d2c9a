//! Taking the terminal over, and giving it back as it was.
//!
//! Whatever ends the workbench (leaving, an error, a panic, a signal), the screen, the cursor, the mouse and
//! the way keys are read must be as before. So all of it is undone in one place, which may be called
//! at any time and any number of times.

use std::{
    io::{self, BufWriter, Stdout, Write},
    panic,
    thread::{self, ThreadId},
};

use crossterm::{
    clipboard::CopyToClipboard,
    cursor::{Hide, Show},
    event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture},
    execute, queue,
    style::force_color_output,
    terminal::{
        BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
        disable_raw_mode, enable_raw_mode,
    },
};
use ratatui::{Frame, Terminal, backend::CrosstermBackend, layout::Rect};

use crate::workbench::app::area::Size;

/// The terminal while it is ours; dropping it gives it back.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    captures_mouse: bool,
    /// Frames appear at once instead of line by line, where the terminal knows how.
    synchronised: bool,
}

/// A frame of a large terminal fits, so that it is written in one go.
const BUFFER: usize = 1 << 17;

impl Screen {
    pub fn enter(captures_mouse: bool) -> io::Result<Screen> {
        // crossterm would answer NO_COLOR with resets that also take the marks of selection away; the
        // table of styles has no colours then, which is all that is needed.
        force_color_output(true);
        restore_on_panic();
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(BUFFER, io::stdout())))?;
        // tmux holds frames back by itself, and some of its versions stall on this.
        let synchronised = std::env::var_os("TMUX").is_none();
        let mut screen = Screen { terminal, captures_mouse, synchronised };
        screen.take()?;
        Ok(screen)
    }

    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if self.synchronised {
            queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        }
        self.terminal.draw(view)?;
        if self.synchronised {
            execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        }
        Ok(())
    }

    /// How large the terminal is now.
    pub fn size(&self) -> io::Result<Size> {
        let size = self.terminal.size()?;
        Ok(Size { width: size.width, height: size.height })
    }

    /// Forgets what the terminal is thought to show, so that the next frame draws everything.
    pub fn forget(&mut self) -> io::Result<()> {
        // `clear` would ask the terminal where its cursor is, and wait in vain for an answer that the
        // thread of the input reads; a change of size empties the screen without asking.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))
    }

    pub fn capture_mouse(&mut self, capture: bool) -> io::Result<()> {
        self.captures_mouse = capture;
        match capture {
            true => execute!(self.terminal.backend_mut(), EnableMouseCapture),
            false => execute!(self.terminal.backend_mut(), DisableMouseCapture),
        }
    }

    /// Puts a text on the clipboard of the terminal, even at the other end of an ssh connection (OSC 52).
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(text))
    }

    /// Gives the terminal back, does something, and takes it again.
    pub fn while_away(&mut self, work: impl FnOnce()) -> io::Result<()> {
        give_back();
        work();
        self.take()?;
        self.forget()
    }

    fn take(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(self.terminal.backend_mut(), EnterAlternateScreen, Hide, EnableBracketedPaste)?;
        self.capture_mouse(self.captures_mouse)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Undoes everything. A terminal that is gone cannot be told, which is no reason to fail.
fn give_back() {
    let _ = undo(&mut io::stdout());
    let _ = disable_raw_mode();
}

/// Tells the terminal to be as it was.
fn undo(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, DisableBracketedPaste, Show, LeaveAlternateScreen)
}

/// A panic's message is printed on the screen of before. Workers report theirs as answers instead.
fn restore_on_panic() {
    let owner: ThreadId = thread::current().id();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |information| {
        if thread::current().id() == owner {
            give_back();
            before(information);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a panic and every other end send to the terminal.
    #[test]
    fn everything_is_undone() {
        let mut sent = Vec::new();
        undo(&mut sent).unwrap();
        let sent = String::from_utf8(sent).unwrap();
        for (sequence, what) in [
            ("\x1b[?1049l", "screen"),
            ("\x1b[?25h", "cursor"),
            ("\x1b[?1000l", "mouse"),
            ("\x1b[?2004l", "paste"),
        ] {
            assert!(sent.contains(sequence), "{what}: {sent:?}");
        }
    }
}
