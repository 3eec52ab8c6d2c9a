//! Progress of long commands: a bar on a terminal, otherwise a plain line now and then.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::output::{grouped, has_progress_bars, notice, printable};
use crate::base::task::Throttle;

/// Interval between lines when there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// A progress bar on standard error. Can be updated from several threads.
pub struct Meter {
    bar: ProgressBar,
    is_terminal: bool,
    started: Instant,
    lines: Throttle,
    /// What is counted, in the plural.
    noun: &'static str,
}

impl Meter {
    pub fn new() -> Meter {
        Meter::counting("items")
    }

    /// A meter whose [`Meter::update`] counts `noun`, a plural.
    pub fn counting(noun: &'static str) -> Meter {
        let is_terminal = has_progress_bars();
        let target =
            if is_terminal { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        // The template is a constant; should it ever be invalid, the default bar still works.
        if let Ok(style) = ProgressStyle::with_template("{bar:32} {percent:>3}%  {msg}  {eta} left") {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Meter { bar, is_terminal, started: Instant::now(), lines: Throttle::delayed(LINE_INTERVAL), noun }
    }

    /// Shows `done` of `total`, in any unit, with the count so far and its rate.
    pub fn update(&self, done: u64, total: u64, count: u64, more: &str) {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-3);
        let rate = count as f64 / seconds;
        self.show(done, total, &format!("{} {}, {rate:.0}/s{more}", grouped(count), self.noun));
    }

    /// Shows `done` of `total` with a message of the caller's, for items that take too long to have a rate.
    pub fn show(&self, done: u64, total: u64, message: &str) {
        if self.is_terminal {
            self.bar.set_length(total);
            self.bar.set_position(done);
            self.bar.set_message(printable(message).into_owned());
        } else if self.lines.is_due() {
            let percent = if total == 0 { 100.0 } else { 100.0 * done as f64 / total as f64 };
            notice(&format!("{percent:.0}%: {message}"));
        }
    }

    /// Names a step that has no measurable progress.
    pub fn set_message(&self, text: &str) {
        self.bar.set_message(printable(text).into_owned());
    }

    /// Clears the bar. Returns the time since the meter was made.
    pub fn finish(&self) -> Duration {
        self.bar.finish_and_clear();
        self.started.elapsed()
    }
}
