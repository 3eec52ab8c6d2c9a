//! The workbench in a real pseudo-terminal: what a user types, what a user sees.
#![cfg(unix)]

use std::{
    fs,
    io::{Read, Write},
    num::NonZero,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::support::program;

/// A terminal with a program in it.
struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    screen: Arc<Mutex<vt100::Parser>>,
    raw: Arc<Mutex<Vec<u8>>>,
    /// Keeps what the program remembers away from the user's own.
    home: Arc<tempfile::TempDir>,
    reader: thread::JoinHandle<()>,
    /// The reader ends with what it reads next.
    closes: Arc<AtomicBool>,
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).unwrap()
}

/// Long enough for a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

impl Terminal {
    fn open(arguments: &[&str], environment: &[(&str, &str)], rows: u16, cols: u16) -> Terminal {
        let home = Arc::new(tempfile::tempdir().unwrap());
        let program = program();
        // Not a first start, which would show the tour.
        fs::create_dir_all(home.path().join("work/sessions")).unwrap();
        fs::write(home.path().join("work/sessions/.seen"), "").unwrap();
        Terminal::open_at(home, program, arguments, environment, (rows, cols))
    }

    /// The first start shows the tour.
    fn leave_tour(&mut self) {
        self.wait_for("tour 1 of");
        self.send("\x1b");
        self.wait_until("no tour", |text| !text.contains("tour 1 of"));
    }

    fn open_at(
        home: Arc<tempfile::TempDir>,
        program: &str,
        arguments: &[&str],
        environment: &[(&str, &str)],
        (rows, cols): (u16, u16),
    ) -> Terminal {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_remove("NO_COLOR");
        command.env_remove("TMUX");
        command.env("MATCHBOOK_WORKSPACE", home.path().join("work"));
        command.env("XDG_CONFIG_HOME", home.path().join("config"));
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
        let closes = Arc::new(AtomicBool::new(false));
        let is_closing = Arc::clone(&closes);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().process(&buffer[..count]);
                written.lock().unwrap().extend_from_slice(&buffer[..count]);
                if is_closing.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let writer = pair.master.take_writer().unwrap();
        Terminal { master: pair.master, writer, child, screen, raw, home, reader, closes }
    }

    /// Presses a key and closes the terminal as soon as the program begins to draw. Returns its exit code.
    fn close_after(mut self, key: &str) -> u32 {
        self.closes.store(true, Ordering::Relaxed);
        self.send(key);
        let Terminal { master, writer, mut child, reader, .. } = self;
        reader.join().unwrap();
        drop((master, writer));
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.exit_code();
            }
            assert!(start.elapsed() < PATIENCE, "the program did not end");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    fn text(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// Waits for a text; `false` when the program has ended before.
    fn shows_before_it_ends(&mut self, what: &str) -> bool {
        let start = Instant::now();
        while !self.text().contains(what) {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            assert!(start.elapsed() < PATIENCE, "waited for {what} in vain:\n{}", self.text());
            thread::sleep(Duration::from_millis(10));
        }
        true
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

    /// Goes down the form of a new run to a setting.
    fn go_to_field(&mut self, name: &str) {
        if !self.text().contains(&format!(" {name} ")) && self.text().contains("▸ optimizer") {
            self.send("Z");
            self.wait_for("▾ optimizer");
        }
        let chosen = |text: &str| text.lines().find(|line| line.starts_with('▌')).map(str::to_owned);
        let is_there =
            |line: &Option<String>| line.as_ref().is_some_and(|line| line.contains(&format!(" {name} ")));
        loop {
            let before = chosen(&self.text());
            if is_there(&before) {
                return;
            }
            self.send("\x1b[B");
            self.wait_until(name, |text| chosen(text).is_some() && chosen(text) != before);
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

/// The terminal may fail anywhere in the event loop, so one attempt proves little.
#[test]
fn a_closed_terminal_keeps_the_session() {
    let mut complete = 0;
    for attempt in 0..12 {
        let mut terminal = Terminal::open(&[], &[], 40, 120);
        terminal.wait_for("Sums of two squares");
        terminal.send("jj");
        terminal.wait_for("demo.01#3 ·");
        let home = Arc::clone(&terminal.home);
        let code = terminal.close_after("j");
        assert_ne!(code, 101, "attempt {attempt} panicked");
        let last = fs::read_to_string(home.path().join("work/sessions/last.toml"));
        let last = last.unwrap_or_else(|error| panic!("attempt {attempt}, code {code}: {error}"));
        // Closing a pseudo-terminal may send an end-of-transmission character first, which scrolls half a page. The system
        // may also discard a key that was not read yet, so the last one arrives nearly always.
        let has_last_key = last.contains("demo.01#4") || last.contains("demo.03#8");
        assert!(has_last_key || last.contains("demo.01#3"), "attempt {attempt}, code {code}: {last}");
        complete += usize::from(has_last_key);
    }
    assert!(complete >= 9, "the last key was kept in {complete} of 12 attempts");
}

/// The session is saved or the one before is still there, whatever fails or is killed while it is saved.
#[test]
#[cfg(target_os = "linux")]
fn faults_while_a_session_is_saved() {
    use crate::faults::{FAULTS, Fault, Points, SHIM, wanted};
    let Some(shim) = &*SHIM else { return };
    let before = {
        let mut terminal = Terminal::open(&[], &[], 40, 120);
        terminal.wait_for("Sums of two squares");
        terminal.send("j");
        terminal.wait_for("demo.01#2 ·");
        terminal.send("q");
        let home = Arc::clone(&terminal.home);
        terminal.expect_end();
        home
    };
    let attempt = |fault: Option<(Fault, u64)>| {
        let home = Arc::new(tempfile::tempdir().unwrap());
        let sessions = home.path().join("work/sessions");
        // With the built-in runs, which a first start writes, so that the faults hit the session.
        let mut copy = std::process::Command::new("cp");
        let copied = copy.arg("-r").arg(before.path().join("work")).arg(home.path()).status().unwrap();
        assert!(copied.success());
        fs::remove_file(sessions.join(".seen")).unwrap();
        let environment = shim.environment(home.path(), fault);
        let environment: Vec<(&str, &str)> =
            environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let program = program();
        let mut terminal = Terminal::open_at(Arc::clone(&home), program, &[], &environment, (40, 120));
        // A fault may end it at any moment, also before it draws.
        for (keys, shown) in [("", "demo.01#2 ·"), ("j", "demo.01#3 ·"), ("q", "")] {
            let _ = terminal.writer.write_all(keys.as_bytes());
            if !terminal.shows_before_it_ends(shown) {
                break;
            }
        }
        let start = Instant::now();
        while terminal.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "the program did not end");
            thread::sleep(Duration::from_millis(5));
        }
        let text = fs::read_to_string(sessions.join("last.toml")).unwrap();
        assert!(text.parse::<toml::Table>().is_ok(), "{fault:?}: {text}");
        let is_new = text.contains("demo.01#3");
        assert!(is_new || text.contains("demo.01#2"), "{fault:?}: {text}");
        // The next look sweeps what a killed process left.
        let mut terminal = Terminal::open_at(Arc::clone(&home), program, &[], &[], (40, 120));
        terminal.wait_for(if is_new { "demo.01#3 ·" } else { "demo.01#2 ·" });
        terminal.send("q");
        assert!(terminal.expect_end());
        let files: Vec<_> =
            fs::read_dir(&sessions).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(files, ["last.toml"], "{fault:?}");
        shim.count(home.path())
    };
    let count = attempt(None);
    assert!(count > 3, "{count}");
    let mut tried = 0;
    for (number, fault) in FAULTS.into_iter().enumerate() {
        for point in 1..=count {
            if wanted() == Some(Points::Sample(u64::MAX)) || point % 4 == number as u64 % 4 {
                attempt(Some((fault, point)));
                tried += 1;
            }
        }
    }
    println!("session: {count} changes, {tried} faults tried, nothing lost");
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
    terminal.wait_until("one panel", |text| !text.contains("categories"));
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// A key and a change of size that arrive at the same moment both count.
#[test]
fn a_key_pressed_during_a_resize_is_not_lost() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    for round in 0..30 {
        let (rows, cols) = if round % 2 == 0 { (30, 100) } else { (40, 120) };
        terminal.screen.lock().unwrap().screen_mut().set_size(cells(rows), cells(cols));
        terminal.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        terminal.send("?");
        // The border of the help, and the hints on the last line of the new size.
        terminal.wait_until("the help at the new size", |text| {
            text.contains("╭") && text.lines().count() == usize::from(rows)
        });
        terminal.send("q");
        terminal.wait_until("no help", |text| !text.contains("╭"));
    }
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// The tour goes through the panes by the keys that it names, ends on the finding, and does not come again.
#[test]
fn the_tour_leads_to_the_finding_and_is_shown_once() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let program = program();
    let mut terminal = Terminal::open_at(Arc::clone(&home), program, &[], &[], (24, 80));
    for (step, named, key) in [
        ("tour 1 of 7", "press enter", "\r"),
        ("tour 2 of 7", "press 5", "5"),
        ("tour 3 of 7", "press t", "t"),
        ("tour 4 of 7", "press i", "i"),
        ("tour 5 of 7", "press x", "x"),
        ("tour 6 of 7", "press enter", "\r"),
    ] {
        terminal.wait_until(step, |text| text.contains(step) && text.contains(named));
        terminal.send(key);
    }
    terminal.wait_until("the finding", |text| {
        text.contains("tour 7 of 7") && text.contains("% of the proofs as they were written")
    });
    terminal.send("\r");
    terminal.wait_until("no tour", |text| !text.contains("tour 7"));
    terminal.send("q");
    assert!(terminal.expect_end());
    let mut again = Terminal::open_at(Arc::clone(&home), program, &[], &[], (24, 80));
    again.wait_until("no tour", |text| text.contains("proofs found") && !text.contains("tour 1"));
    again.send(":tour\r");
    again.wait_for("tour 1 of 7");
    again.send("\x1b");
    again.wait_until("what was shown before", |text| text.contains("proofs found"));
    again.send("q");
    assert!(again.expect_end());
}

/// The session is saved too: the marked pair is there at the next start.
#[test]
fn signals_to_end_restore_the_terminal_and_keep_the_session() {
    for signal in ["-TERM", "-HUP"] {
        let mut terminal = Terminal::open(&["open", "demo"], &[], 24, 80);
        terminal.wait_for("Sums of two squares");
        terminal.send(" ");
        terminal.wait_for("●1");
        let process = terminal.child.process_id().unwrap().to_string();
        let killed = std::process::Command::new("kill").args([signal, &process]).status().unwrap();
        assert!(killed.success());
        let home = Arc::clone(&terminal.home);
        assert!(terminal.expect_end());
        let session = fs::read_to_string(home.path().join("work/sessions/last.toml")).unwrap();
        assert!(session.contains("marked = [\"demo.01#1\"]"), "{signal}: {session}");
    }
}

/// Not a test of its own: the next one runs it in a terminal and makes it panic.
#[test]
#[ignore = "needs a terminal"]
fn a_workbench_whose_corpus_panics() {
    let calls = std::cell::Cell::new(0);
    let open_corpus = |_: &str| {
        calls.set(calls.get() + 1);
        assert!(calls.get() == 1, "a defect that was made on purpose");
        matchbook::corpus::demo::corpus().map_err(|error| error.to_string())
    };
    let workspace = matchbook::base::workspace::Workspace::find(None, |name| std::env::var_os(name)).ok();
    let environment = matchbook::workbench::backend::Environment { workspace, open_corpus: &open_corpus };
    matchbook::workbench::ui::open(&environment, &matchbook::workbench::backend::OpenOptions::default())
        .unwrap();
}

#[test]
fn a_panic_restores_the_terminal_and_is_told_there() {
    let program = std::env::current_exe().unwrap().display().to_string();
    let arguments = ["terminal::a_workbench_whose_corpus_panics", "--exact", "--ignored", "--nocapture"];
    let home = Arc::new(tempfile::tempdir().unwrap());
    let mut terminal = Terminal::open_at(home, &program, &arguments, &[], (24, 80));
    terminal.leave_tour();
    terminal.wait_for("Sums of two squares");
    terminal.send("\x0f");
    terminal.wait_for("demo-browse");
    terminal.send("\r");
    terminal.wait_for("a defect that was made on purpose");
    assert!(!terminal.expect_end());
}

/// What a first user does, and finds again the next day.
#[test]
fn browse_search_compare_leave_and_come_back() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    terminal.send("hjj");
    terminal.wait_until("a category", |text| !text.contains("311 pairs  "));
    terminal.send("\r/continuous\r");
    terminal.wait_until("hits", |text| text.contains("13 pairs /continuous"));
    terminal.send("j");
    terminal.wait_until("the next pair", |text| !text.contains("demo.22#5 ·"));
    terminal.send("c");
    terminal.wait_until("two levels", |text| text.contains("conservation") && text.contains("full"));
    terminal.send("r");
    terminal.wait_for("seed 1");
    terminal.send("\tr");
    terminal.wait_for("seed 2");
    terminal.send("\x14");
    terminal.wait_for("high-contrast");
    terminal.send("light\r");
    terminal.wait_until("no picker", |text| !text.contains("╭"));
    let ground = |terminal: &Terminal| {
        terminal.screen.lock().unwrap().screen().cell(20, 60).map(|cell| cell.bgcolor()).unwrap()
    };
    let light = ground(&terminal);
    assert_eq!(light, vt100::Color::Rgb(0xfb, 0xfa, 0xf7));
    terminal.send("!");
    terminal.wait_for("messages");
    terminal.send("q");
    terminal.wait_until("no messages", |text| !text.contains("╭"));
    thread::sleep(Duration::from_millis(200));
    let before = terminal.text();
    terminal.send("q");
    let home = Arc::clone(&terminal.home);
    assert!(terminal.expect_end());
    let program = program();
    let mut again = Terminal::open_at(Arc::clone(&home), program, &[], &[], (40, 120));
    again.wait_until("the same screen", |text| text == before);
    assert_eq!(ground(&again), light);
    again.send("1");
    again.wait_until("the search", |text| text.contains("/continuous"));
    again.send("q");
    assert!(again.expect_end());
    // Naming the corpus restores its session too.
    let mut named = Terminal::open_at(Arc::clone(&home), program, &["open", "demo"], &[], (40, 120));
    named.wait_until("the search", |text| text.contains("/continuous"));
    named.send("q");
    assert!(named.expect_end());
    // A session that cannot be read is set aside, and said so.
    fs::write(home.path().join("work/sessions/last.toml"), "version = 1\npane = [").unwrap();
    let mut broken = Terminal::open_at(Arc::clone(&home), program, &[], &[], (40, 120));
    broken.wait_for("could not be read");
    broken.send("q");
    assert!(broken.expect_end());
    assert!(home.path().join("work/sessions/last.broken-1").exists());
}

#[test]
fn what_was_recorded_can_be_replayed() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let tape = home.path().join("tape.jsonl").display().to_string();
    let program = program();
    let mut terminal = Terminal::open_at(Arc::clone(&home), program, &["--record", &tape], &[], (40, 120));
    terminal.wait_for("Sums of two squares");
    terminal.send("jj");
    terminal.wait_for("demo.01#3 ·");
    terminal.send("q");
    assert!(terminal.expect_end());
    let last = fs::read(home.path().join("work/sessions/last.toml")).unwrap();
    let arguments = ["--replay", &tape, "--speed", "50"];
    let mut terminal = Terminal::open_at(Arc::clone(&home), program, &arguments, &[], (40, 120));
    terminal.wait_for("the recording is over");
    terminal.wait_for("demo.01#3 ·");
    terminal.send("q");
    assert!(terminal.expect_end());
    assert_eq!(
        fs::read(home.path().join("work/sessions/last.toml")).unwrap(),
        last,
        "a replay is no session"
    );
    let arguments = ["--replay", &tape, "--speed", "50", "--then-quit"];
    assert!(Terminal::open_at(home, program, &arguments, &[], (40, 120)).expect_end());
}

/// A recording has the sizes it was made at, and the user the terminal's.
#[test]
fn a_replay_changes_its_size_as_the_recording_did() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let tape = home.path().join("tape.jsonl");
    let lines = [
        r#"{"matchbook-recording":1,"size":{"width":110,"height":30}}"#,
        r#"{"at":1000,"resize":{"width":70,"height":20}}"#,
        r#"{"at":2500,"key":"j"}"#,
    ];
    fs::write(&tape, lines.join("\n") + "\n").unwrap();
    let tape = tape.display().to_string();
    let program = program();
    let mut terminal = Terminal::open_at(home, program, &["--replay", &tape], &[], (40, 120));
    let last_line = |text: &str| text.trim_end().lines().count();
    terminal.wait_until("the size of the recording", |text| last_line(text) == 30);
    terminal.wait_until("its other size", |text| last_line(text) == 20);
    terminal.wait_for("the recording is over");
    terminal.wait_until("the terminal's own size", |text| last_line(text) == 40);
    terminal.send("q");
    assert!(terminal.expect_end());
}

#[test]
fn keys_of_the_settings_are_used_and_shown() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let folder = home.path().join("config/matchbook");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[keys]\nquit = \"Q\"\nfly = \"x\"\n").unwrap();
    let program = program();
    let mut terminal = Terminal::open_at(home, program, &[], &[], (24, 100));
    // A problem of the start is shown below the first card, again after the tour, and in the list of messages.
    let notice = "config.toml, [keys]: there is no action `fly`";
    terminal.wait_until("the notice in the tour", |text| text.contains("tour 1 of") && text.contains(notice));
    terminal.leave_tour();
    terminal.wait_for(notice);
    terminal.send("j!");
    terminal.wait_until("messages", |text| text.contains("╭") && text.contains(notice));
    terminal.send("\x1b");
    terminal.wait_until("no messages", |text| !text.contains("╭"));
    terminal.send("qj");
    terminal.send(":quit");
    terminal.wait_until("the key in the palette", |text| {
        text.lines().any(|line| line.contains("quit") && line.contains(" Q "))
    });
    terminal.send("\x1b");
    terminal.wait_until("no palette", |text| !text.contains("╭"));
    terminal.send("Q");
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
        std::process::Command::new(program())
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
    };
    let opened = run(&["open", "demo"]);
    assert_eq!(opened.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&opened.stderr);
    assert!(printed.contains("needs a terminal") && printed.contains("matchbook show"), "{printed}");
    let keys = run(&["keys"]);
    assert!(String::from_utf8_lossy(&keys.stdout).contains("| `q` "));
}

#[test]
fn lengths_symbols_sources_and_a_pasted_pair() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    terminal.send("rL");
    terminal.wait_until("fewer pairs", |text| text.contains("lengths · ") && !text.contains("lengths · 311"));
    terminal.send("\rm");
    terminal.wait_for("in both");
    terminal.send("mT");
    terminal.wait_for("<div id=");
    terminal.send("2\x1b[200~Let $a<b$.\r---\rSo $b>a$.\x1b[201~");
    terminal.wait_for("a pair of your own");
    terminal.send("\x13");
    terminal.wait_for("typed#1");
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// The step in a run's status.
fn step_of(home: &tempfile::TempDir, run: &str) -> u64 {
    let path = home.path().join("work/runs").join(run).join("status.json");
    let status = fs::read_to_string(path).unwrap_or_default();
    let status: serde_json::Value = serde_json::from_str(&status).unwrap_or_default();
    status["step"].as_u64().unwrap_or_default()
}

/// The whole way of a run: launched from the form, watched, left alone by a workbench that is killed, found again, stopped,
/// resumed, and matched with.
#[test]
fn a_run_outlives_the_workbench_that_launched_it() {
    let program = program();
    let home = Arc::new(tempfile::tempdir().unwrap());
    let mut terminal = Terminal::open_at(Arc::clone(&home), program, &["open", "demo"], &[], (40, 120));
    terminal.wait_for("Sums of two squares");
    terminal.send("3");
    terminal.wait_for("demo-conservation");
    terminal.send("n");
    terminal.wait_for("a new run on demo");
    // Enough epochs that it does not end by itself.
    terminal.go_to_field("epochs");
    terminal.send("400\r");
    terminal.wait_for("--epochs 400");
    terminal.send("\x13");
    terminal.wait_until("a run at work", |text| text.contains("run-1") && text.contains("running"));
    terminal.send("\r");
    terminal.wait_until("a curve", |text| text.contains("loss") && text.contains("1 of 10 runs drawn"));
    let chart = |terminal: &Terminal| terminal.text().lines().take(36).collect::<Vec<_>>().join("\n");
    terminal
        .wait_until("dots", |text| text.chars().any(|letter| ('\u{2801}'..='\u{28ff}').contains(&letter)));
    let before = chart(&terminal);
    terminal.wait_until("the curve to move", |_| chart(&terminal) != before);
    let killed_at = step_of(&home, "run-1");
    let process = terminal.child.process_id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-9", &process]).status().unwrap().success());
    drop(terminal);

    let mut terminal = Terminal::open_at(Arc::clone(&home), program, &["open", "demo"], &[], (40, 120));
    terminal.wait_for("Sums of two squares");
    terminal.send("3");
    terminal.wait_until("the run", |text| text.contains("run-1") && text.contains("running"));
    terminal.wait_until("the run to go on", |_| step_of(&home, "run-1") > killed_at + 1);
    terminal.wait_until("an evaluation", |text| text.contains("run-1") && text.contains(" @"));
    terminal.send(".");
    terminal.wait_for("stopped");
    let stopped_at = step_of(&home, "run-1");
    terminal.send("r");
    terminal.wait_for("running");
    terminal.wait_until("more steps", |_| step_of(&home, "run-1") > stopped_at);
    terminal.send(".");
    terminal.wait_for("stopped");
    terminal.send("a");
    terminal.wait_until("the form", |text| text.contains("run-1") && text.contains("Assignments"));
    terminal.send("\r");
    terminal.wait_until("the matching", |text| text.contains("matched") && text.contains("MRR"));
    terminal.send("3v");
    terminal.wait_for("lines · all levels");
    let log = fs::read_to_string(home.path().join("work/runs/run-1/log.txt")).unwrap();
    assert!(log.contains("resuming after step"), "{log}");
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// The demo's two models explain the first pair; the next day the pane is as it was.
#[test]
fn importance_explains_drops_exports_and_is_remembered() {
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    terminal.send("i");
    terminal.wait_until("the first glimpse", |text| text.contains("demo-full") && text.contains("on math"));
    // gradients take no time, even here
    terminal.send("f");
    terminal
        .wait_until("both ranks", |text| text.contains("f gradients") && text.matches("rank ").count() >= 2);
    terminal.send("nx");
    terminal.wait_until("a what-if", |text| text.contains("what if −") && text.contains("lead "));
    terminal.send("u");
    terminal.wait_for("what if: x drops the token");
    let home = Arc::clone(&terminal.home);
    let page = home.path().join("page.html");
    terminal.send("e\x15");
    terminal.send(&format!("{}\r", page.display()));
    terminal.wait_for("written to");
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.contains("demo-conservation") && html.contains("demo-full"));
    terminal.send("]");
    terminal
        .wait_until("the next pair", |text| text.contains("demo.01#2") && text.matches("rank ").count() >= 2);
    thread::sleep(Duration::from_millis(200));
    terminal.send("q");
    assert!(terminal.expect_end());
    let program = program();
    let mut again = Terminal::open_at(home, program, &[], &[], (40, 120));
    again.wait_until("the same pair", |text| text.contains("demo.01#2") && text.contains("f gradients"));
    again.wait_until("both ranks again", |text| text.matches("rank ").count() >= 2);
    again.send("q");
    assert!(again.expect_end());
}

/// Shows the study `cross` in its pane, whatever was shown before.
fn show_study(terminal: &mut Terminal) {
    terminal.send("7");
    let study = |text: &str| {
        text.lines().find(|line| line.contains(" · preset tiny · ")).map(|line| line.trim_start().to_owned())
    };
    loop {
        terminal.wait_until("a study", |text| study(text).is_some());
        let shown = study(&terminal.text()).unwrap_or_default();
        if shown.starts_with("cross") {
            return;
        }
        terminal.send("]");
        terminal.wait_until("another study", |text| study(text).is_some_and(|line| line != shown));
    }
}

#[test]
fn a_study_outlives_the_workbench_that_started_it() {
    let mut terminal = Terminal::open(&[], &[], 50, 180);
    terminal.wait_for("Sums of two squares");
    show_study(&mut terminal);
    terminal.send("r");
    terminal.wait_for("on this machine)?");
    terminal.send("y");
    terminal.wait_for("running since");
    terminal.wait_until("a run that trains", |text| text.contains(" training"));
    let home = Arc::clone(&terminal.home);
    let pid = terminal.child.process_id().unwrap().to_string();
    assert!(std::process::Command::new("kill").args(["-9", &pid]).status().unwrap().success());
    terminal.child.wait().unwrap();

    // Another workbench finds it, stops it, resumes it and stops it again; nothing is lost.
    let program = program();
    let mut terminal = Terminal::open_at(home, program, &[], &[], (50, 180));
    terminal.wait_for("Studies");
    show_study(&mut terminal);
    for _ in 0..2 {
        terminal.wait_for("running since");
        terminal.send(".");
        terminal.wait_until("the study to stop", |text| !text.contains("running since"));
        terminal.send("r");
        terminal.wait_for("on this machine)?");
        terminal.send("y");
    }
    terminal.wait_for("running since");
    terminal.send(".");
    terminal.wait_until("the study to stop", |text| !text.contains("running since"));
    terminal.send("e");
    terminal.wait_for("the table was written to");
    let studies = terminal.home.path().join("work/studies");
    for ending in ["md", "tex", "csv", "json", "html"] {
        assert!(studies.join(format!("cross.{ending}")).is_file(), "{ending}");
    }
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// Input by a fixed seed that no keyboard sends so fast: keys, mouse reports, pastes with escapes, broken and unfinished
/// escape sequences, bytes that are not UTF-8, and changing sizes. Keys that start runs or write files are left out.
#[test]
fn a_storm_of_input_does_not_break_the_workbench() {
    const INPUTS: [&[u8]; 26] = [
        b"j",
        b"k",
        b"l",
        b"h",
        b"1",
        b"2",
        b"8",
        b"/",
        b"\x1b",
        b"\t",
        b"?",
        b"G",
        b"gg",
        b"\x1b[A",
        b"\x1b[6~",
        b"\x1b[5~",
        b"\x1b[<64;10;10M",
        b"\x1b[<0;30;12M\x1b[<0;30;12m",
        b"\x1b[<32;60;20M",
        b"\x1b[200~a\x1b]0;x\x07\xe2\x80\xae\x1b[201~",
        b"\x1b[",
        b"\x1b[999999999999;1H",
        b"\xff\xfe",
        b"\xe2\x80",
        b"\x0c",
        b" ",
    ];
    let mut terminal = Terminal::open(&[], &[], 40, 120);
    terminal.wait_for("Sums of two squares");
    let mut state = 1u64;
    let mut random = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for step in 0..1500 {
        terminal.writer.write_all(INPUTS[random(INPUTS.len())]).unwrap();
        if step % 50 == 0 {
            let (rows, cols) = (1 + random(60) as u16, 1 + random(200) as u16);
            terminal.screen.lock().unwrap().screen_mut().set_size(cells(rows), cells(cols));
            terminal.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
            thread::sleep(Duration::from_millis(10));
        }
        assert!(
            terminal.child.try_wait().unwrap().is_none(),
            "it ended at step {step}:\n{}",
            terminal.text()
        );
    }
    terminal.screen.lock().unwrap().screen_mut().set_size(cells(40), cells(120));
    terminal.master.resize(PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 }).unwrap();
    let start = Instant::now();
    // An unfinished sequence or paste may still swallow some keys.
    while terminal.child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE, "it cannot be left:\n{}", terminal.text());
        terminal.send("\x1b[201~");
        thread::sleep(Duration::from_millis(100));
        terminal.send("\x1b");
        thread::sleep(Duration::from_millis(100));
        // A text that was typed is discarded only after a question.
        let _ = terminal.writer.write_all(b"y");
        thread::sleep(Duration::from_millis(100));
        let _ = terminal.writer.write_all(b"q");
        thread::sleep(Duration::from_millis(300));
    }
    assert!(!String::from_utf8_lossy(&terminal.raw.lock().unwrap()).contains("panicked"));
    assert!(terminal.expect_end());
}

/// A folder of sessions may be copied from elsewhere.
#[test]
fn a_session_that_is_a_pipe_does_not_hold_up_the_start() {
    let home = Arc::new(tempfile::tempdir().unwrap());
    let sessions = home.path().join("work/sessions");
    fs::create_dir_all(&sessions).unwrap();
    fs::write(sessions.join(".seen"), "").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(sessions.join("last.toml")).status().unwrap().success());
    let mut terminal = Terminal::open_at(home, program(), &[], &[], (40, 120));
    let start = Instant::now();
    while !terminal.text().contains("Sums of two squares") {
        if start.elapsed() > Duration::from_secs(20) {
            terminal.child.kill().unwrap();
            panic!("it waits for the pipe:\n{}", terminal.text());
        }
        thread::sleep(Duration::from_millis(10));
    }
    terminal.send("q");
    assert!(terminal.expect_end());
}

/// Copying sends the text to the terminal in base64, which puts it into the clipboard: pasting it must do no harm.
#[test]
fn what_is_copied_holds_no_escapes() {
    let folder = tempfile::tempdir().unwrap();
    let words = "Let the group act on the compact space such that every orbit is closed and the quotient is separated";
    let hostile = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    let pair =
        format!("{{\"id\":\"a#1\",\"statement\":\"{words} {hostile}\",\"proof\":\"{words} {hostile}\"}}\n");
    fs::write(folder.path().join("pairs.jsonl"), pair).unwrap();
    let corpus = folder.path().join("x.corpus").display().to_string();
    let import = ["import", &folder.path().join("pairs.jsonl").display().to_string(), "-o", &corpus];
    assert!(std::process::Command::new(program()).args(import).status().unwrap().success());
    let mut terminal = Terminal::open(&["open", &corpus], &[], 40, 120);
    terminal.wait_for("a#1");
    terminal.send("y");
    let copied = |raw: &[u8]| {
        let at = memchr::memmem::find(raw, b"\x1b]52;")?;
        let text = raw[at + 5..].split(|&byte| byte == b';').nth(1)?;
        let end = text.iter().position(|&byte| byte == 7 || byte == 0x1b)?;
        Some(text[..end].to_vec())
    };
    let start = Instant::now();
    let packed = loop {
        if let Some(packed) = copied(&terminal.raw.lock().unwrap()) {
            break packed;
        }
        assert!(start.elapsed() < PATIENCE, "nothing was copied:\n{}", terminal.text());
        thread::sleep(Duration::from_millis(10));
    };
    let text = String::from_utf8(unpack_base64(&packed)).unwrap();
    assert!(text.contains("Let the group act"), "{text:?}");
    assert!(
        !text.contains(|letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}'),
        "{text:?}"
    );
    terminal.send("q");
    assert!(terminal.expect_end());
}

fn unpack_base64(packed: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for digit in packed.iter().filter_map(|byte| DIGITS.iter().position(|digit| digit == byte)) {
        bits = (bits << 6) | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
