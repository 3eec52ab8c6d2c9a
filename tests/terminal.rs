//! The workbench in a real pseudo-terminal: what a user types, what a user sees.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::{
    io::{Read, Write},
    num::NonZero,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// A terminal with a program in it.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// Long enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

impl Terminal {
    fn open(arguments: &[&str], environment: &[(&str, &str)], rows: u16, cols: u16) -> Terminal {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_matchbook"));
        command.args(arguments);
        command.env_remove("NO_COLOR");
        command.env_remove("TMUX");
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(rows), cells(cols), 0)));
        let raw = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (seen, written) = (Arc::clone(&screen), Arc::clone(&raw));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().process(&buffer[..count]);
                written.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Terminal { master: pair.master, writer, child, screen, raw }
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    fn wait_for(&self, what: &str) {
        self.wait_until(what, |text| text.contains(what));
    }

    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) {
        let start = Instant::now();
        while !is_there(&self.text()) {
            assert!(start.elapsed() < PATIENCE, "waited for {what} in vain:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for the program to end and checks that the terminal is as it was.
    fn expect_end(mut self) -> bool {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < PATIENCE, "the program did not end");
            thread::sleep(Duration::from_millis(10));
        };
        // Give the reader the last of the output.
        thread::sleep(Duration::from_millis(100));
        let parser = self.screen.lock().unwrap();
        let screen = parser.screen();
        assert!(!screen.alternate_screen(), "the alternate screen was left");
        assert!(!screen.hide_cursor(), "the cursor is back");
        assert!(!screen.bracketed_paste(), "pasting is as before");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse is free");
        status.success()
    }
}

#[test]
fn start_move_search_help_leave() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
    terminal.send("jj");
    terminal.wait_for("demo.01#3 ·");
    terminal.send("/hausdorff\r");
    terminal.wait_until("hits", |text| text.contains("/hausdorff") && text.contains("by relevance"));
    terminal.send("\x1b");
    terminal.wait_until("all pairs", |text| !text.contains("/hausdorff"));
    terminal.send("?");
    terminal.wait_for("Browse, list");
    terminal.send("q");
    terminal.wait_until("no help", |text| !text.contains("╭"));
    let size = PtySize { rows: 12, cols: 40, pixel_width: 0, pixel_height: 0 };
    terminal.screen.lock().unwrap().screen_mut().set_size(cells(12), cells(40));
    terminal.master.resize(size).unwrap();
    terminal.wait_until("one panel", |text| !text.contains("categories") && text.contains("311 pairs"));
    terminal.send("q");
    assert!(terminal.expect_end());
}

#[test]
fn a_signal_to_end_restores_the_terminal() {
    let terminal = Terminal::open(&["open", "demo"], &[], 24, 80);
    terminal.wait_for("Sums of two squares");
    let process = terminal.child.process_id().unwrap().to_string();
    let killed = std::process::Command::new("kill").args(["-TERM", &process]).status().unwrap();
    assert!(killed.success());
    assert!(terminal.expect_end());
}

#[test]
fn suspending_gives_the_terminal_back_for_a_while() {
    let mut terminal = Terminal::open(&[], &[], 24, 80);
    terminal.wait_for("Sums of two squares");
    terminal.send("\x1a");
    let start = Instant::now();
    while terminal.screen.lock().unwrap().screen().alternate_screen() {
        assert!(start.elapsed() < PATIENCE, "the terminal was not given back");
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(Duration::from_millis(200));
    let process = terminal.child.process_id().unwrap().to_string();
    std::process::Command::new("kill").args(["-CONT", &process]).status().unwrap();
    let start = Instant::now();
    while !terminal.screen.lock().unwrap().screen().alternate_screen() {
        assert!(start.elapsed() < PATIENCE, "the workbench did not come back");
        thread::sleep(Duration::from_millis(10));
    }
    terminal.wait_for("Sums of two squares");
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// With NO_COLOR no colour is ever sent, and the selected line is still reversed and has its sign.
#[test]
fn without_colours_the_selection_is_seen() {
    let mut terminal = Terminal::open(&[], &[("NO_COLOR", "1")], 24, 80);
    terminal.wait_for("Sums of two squares");
    {
        let parser = terminal.screen.lock().unwrap();
        let screen = parser.screen();
        let selected =
            (0..24).find(|&row| screen.rows(0, 80).nth(row).is_some_and(|line| line.starts_with('▌')));
        let cell = screen.cell(selected.unwrap() as u16, 6).unwrap();
        assert!(cell.inverse());
    }
    terminal.send("q");
    let raw = Arc::clone(&terminal.raw);
    assert!(terminal.expect_end());
    let raw = String::from_utf8_lossy(&raw.lock().unwrap()).into_owned();
    assert!(!raw.contains("\x1b[38;") && !raw.contains("\x1b[48;"), "no colours");
}

#[test]
fn without_a_terminal_it_says_so() {
    let run = |arguments: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_matchbook"))
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    };
    let opened = run(&["open", "demo"]);
    assert_eq!(opened.status.code(), Some(1));
    let told = String::from_utf8_lossy(&opened.stderr);
    assert!(told.contains("needs a terminal") && told.contains("matchbook show"), "{told}");
    let keys = run(&["keys"]);
    assert!(String::from_utf8_lossy(&keys.stdout).contains("| `q` "));
}

#[test]
fn lengths_symbols_sources_and_a_pasted_pair() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    terminal.send("rL");
    terminal.wait_until("fewer pairs", |text| text.contains("lengths · ") && !text.contains("lengths · 311"));
    terminal.send("\rx");
    terminal.wait_for("in both");
    terminal.send("xT");
    terminal.wait_for("<div id=");
    terminal.send("2\x1b[200~Let $a<b$.\r---\rSo $b>a$.\x1b[201~");
    terminal.wait_for("a pair of your own");
    terminal.send("\x13");
    terminal.wait_for("typed#1");
    terminal.send("q");
    assert!(terminal.expect_end());
}
