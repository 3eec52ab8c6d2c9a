//! Progress of long work: a bar on a terminal, a plain line now and then otherwise.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::grouped;

/// Without a terminal a line is printed this often.
const QUIET: Duration = Duration::from_secs(10);

/// Shows how far a piece of work is.
pub struct Meter {
    bar: ProgressBar,
    is_terminal: bool,
    started: Instant,
    last_line: Instant,
    /// What is counted, in the plural.
    noun: &'static str,
}

impl Meter {
    /// `total` is in whatever unit [`Meter::update`] is told.
    pub fn new(noun: &'static str) -> Meter {
        let is_terminal = io::stderr().is_terminal();
        let target =
            if is_terminal { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        // The template is a constant; should it ever be wrong, the default bar still works.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {percent:>3}%  {msg}  {eta} left") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        let now = Instant::now();
        Meter { bar, is_terminal, started: now, last_line: now, noun }
    }

    /// Says that `done` of `total` is behind us, which were `count` things.
    pub fn update(&mut self, done: u64, total: u64, count: u64, more: &str) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let rate = count as f64 / seconds;
        self.tell(done, total, &format!("{} {}, {rate:.0}/s{more}", grouped(count), self.noun));
    }

    /// The same in the caller's words, for things that take too long to count by the second.
    pub fn tell(&mut self, done: u64, total: u64, message: &str) {
        if self.is_terminal {
            self.bar.set_length(total);
            self.bar.set_position(done);
            self.bar.set_message(message.to_owned());
        } else if self.last_line.elapsed() >= QUIET {
            self.last_line = Instant::now();
            let percent = if total == 0 { 100.0 } else { 100.0 * done as f64 / total as f64 };
            let _ = writeln!(io::stderr(), "{percent:.0}%: {message}");
        }
    }

    /// A step that cannot be measured.
    pub fn say(&self, text: &str) {
        self.bar.set_message(text.to_owned());
    }

    pub fn finish(&self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}

/// `1.2 GiB`
pub fn bytes(count: u64) -> String {
    HumanBytes(count).to_string()
}
