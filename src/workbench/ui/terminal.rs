//! Takes the terminal over, and restores it.
//!
//! Whatever ends the workbench (quitting, an error, a panic, a signal), the screen, the cursor, the mouse and
//! the input mode must be as before. All of it is undone in one function, which may be called
//! at any time and any number of times.

use std::{
    io::{self, BufWriter, IsTerminal, Stdout, Write},
    mem::ManuallyDrop,
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

use crate::{base::printable::Printable, workbench::app::area::Size};

/// The terminal in use by the workbench; dropping it restores the terminal.
pub struct Screen {
    /// Never dropped: ratatui prints when it cannot show the cursor, and printing panics if the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<BufWriter<Stdout>>>>,
    captures_mouse: bool,
    /// Frames appear at once instead of line by line, if the terminal supports it.
    synchronized: bool,
}

/// Holds a frame of a large terminal, so that it is written in one call.
const BUFFER: usize = 1 << 17;

impl Screen {
    pub fn enter(captures_mouse: bool) -> io::Result<Screen> {
        // With NO_COLOR crossterm would send resets that also remove reverse and bold, the marks of the selection.
        // The styles have no colors then, which is all that is needed.
        force_color_output(true);
        restore_on_panic();
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(BUFFER, io::stdout())))?;
        // tmux buffers frames itself, and some of its versions stall on this.
        let synchronized = std::env::var_os("TMUX").is_none();
        let mut screen = Screen { terminal: ManuallyDrop::new(terminal), captures_mouse, synchronized };
        screen.take_over()?;
        Ok(screen)
    }

    pub fn draw(&mut self, view: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if self.synchronized {
            queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        }
        self.terminal.draw(view)?;
        if self.synchronized {
            execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        }
        Ok(())
    }

    /// Returns the current size of the terminal.
    pub fn size(&self) -> io::Result<Size> {
        let size = self.terminal.size()?;
        Ok(Size { width: size.width, height: size.height })
    }

    /// Makes the next frame draw everything.
    pub fn invalidate(&mut self) -> io::Result<()> {
        // `clear` would query the cursor position and wait in vain for the reply, which the input thread
        // reads; a resize clears the screen without a query.
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

    /// Copies a text to the clipboard of the terminal, also over ssh (OSC 52).
    pub fn copy(&mut self, text: &Printable) -> io::Result<()> {
        execute!(self.terminal.backend_mut(), CopyToClipboard::to_clipboard_from(text.as_str()))
    }

    /// Restores the terminal, calls `work`, and takes the terminal over again.
    pub fn suspend_for(&mut self, work: impl FnOnce()) -> io::Result<()> {
        restore();
        work();
        self.take_over()?;
        self.invalidate()
    }

    fn take_over(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(self.terminal.backend_mut(), EnterAlternateScreen, Hide, EnableBracketedPaste)?;
        self.capture_mouse(self.captures_mouse)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Writes a line to standard error, once the terminal is restored. Failures are ignored: the terminal may be gone.
pub fn notice(text: &Printable) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether both input and output are a terminal.
pub fn has_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The width of the terminal, if it reports one.
pub fn columns() -> Option<u16> {
    crossterm::terminal::size().ok().map(|(width, _)| width).filter(|width| *width > 0)
}

/// Restores the terminal. Errors are ignored: the terminal may be gone.
fn restore() {
    let _ = write_restore(&mut io::stdout());
    let _ = disable_raw_mode();
}

/// Sends the escape codes that restore the terminal.
fn write_restore(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, DisableBracketedPaste, Show, LeaveAlternateScreen)
}

/// Restores the terminal before the message of a panic is printed. Panics of workers become replies instead.
fn restore_on_panic() {
    let owner: ThreadId = thread::current().id();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |information| {
        if thread::current().id() == owner {
            restore();
            before(information);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to end sends these codes.
    #[test]
    fn every_mode_is_restored() {
        let mut sent = Vec::new();
        write_restore(&mut sent).unwrap();
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
