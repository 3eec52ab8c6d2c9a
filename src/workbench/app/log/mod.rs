//! Log: the log of a run, followed while it is written.

mod actions;
mod lines;
mod request;
mod snapshot;

pub use lines::{LevelFilter, LogLine, LogLines, MOST_LINES};
pub use request::{LogChunk, Request, Response, Slot};
pub use snapshot::LogSnapshot;

use super::{
    action::{ActionId, Context},
    area::Area,
    line_editor::{LineEditor, TextTooLong},
    list_cursor::offset_in_sight,
    message::{Mouse, MouseEvent},
    overlay::Choice,
    pane::Pane,
    pane_host::PaneHost,
    prompt::Prompt,
    work::PaneReply,
};

/// Milliseconds between two requests.
const EVERY: u64 = 500;
/// Lines that the wheel scrolls at a time.
const WHEEL: isize = 3;

/// The state of the pane.
#[derive(Debug, Default)]
pub struct Log {
    area: Area,
    run: Option<String>,
    lines: LogLines,
    asked_at: Option<u64>,
    /// An index into the filtered lines.
    cursor: usize,
    offset: usize,
    /// The number of columns scrolled to the left.
    left: usize,
    /// Whether the view follows the end of the log.
    follows: bool,
    search: String,
    /// The search being typed, with the previous one.
    search_line: Option<Prompt<String>>,
}

impl Log {
    pub fn area(&self) -> Area {
        self.area
    }

    /// The header and the lines.
    pub fn parts(&self) -> (Area, Area) {
        self.area.split_top(u16::from(self.area.height >= 2))
    }

    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    pub fn lines(&self) -> &LogLines {
        &self.lines
    }

    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn left(&self) -> usize {
        self.left
    }

    pub fn follows(&self) -> bool {
        self.follows
    }

    pub fn search(&self) -> &str {
        &self.search
    }

    /// Shows the log of a run, from its end.
    pub fn open(&mut self, run: &str) {
        if self.run.as_deref() != Some(run) {
            let shown = self.lines.shown();
            self.run = Some(run.to_owned());
            self.lines = LogLines::new(shown);
            (self.cursor, self.offset, self.left, self.asked_at) = (0, 0, 0, None);
            self.follows = true;
        }
    }

    fn height(&self) -> usize {
        usize::from(self.parts().1.height).max(1)
    }

    fn ask(&mut self, host: &mut PaneHost) {
        let Some(run) = self.run.clone() else { return };
        let is_due = self.asked_at.is_none_or(|then| host.now.saturating_sub(then) >= EVERY);
        if is_due && !host.slots.is_waiting(Slot::Lines) {
            self.asked_at = Some(host.now);
            host.request(Request::Lines { run, anchor: self.lines.anchor().clone() });
        }
    }

    pub(super) fn receive(&mut self, reply: PaneReply<Slot, Response>, host: &mut PaneHost) {
        if !host.slots.close(&reply) {
            return;
        }
        match reply.result {
            Ok(Response::Lines(chunk)) if Some(chunk.run.as_str()) == self.run() => self.lines.take(chunk),
            Ok(Response::Lines(_)) => {}
            Err(error) => host.report_error(error),
        }
    }
}

impl Pane for Log {
    fn contexts(&self) -> Vec<Context> {
        match self.search_line {
            Some(_) => vec![Context::LogSearch, Context::Typing],
            None => vec![Context::Log, Context::Moving, Context::Workbench],
        }
    }

    fn act(&mut self, action: ActionId, host: &mut PaneHost) {
        self.do_action(action, host);
    }

    fn typed(&mut self, text: &str, _host: &mut PaneHost) -> Result<(), TextTooLong> {
        if let Some(prompt) = &mut self.search_line {
            prompt.line.insert(text)?;
            self.search_typed();
        }
        Ok(())
    }

    fn mouse(&mut self, mouse: Mouse, _host: &mut PaneHost) {
        let (_, area) = self.parts();
        if !area.contains(mouse.x, mouse.y) {
            return;
        }
        match mouse.event {
            MouseEvent::WheelDown => self.scroll_by(WHEEL),
            MouseEvent::WheelUp => self.scroll_by(-WHEEL),
            MouseEvent::Press => {
                self.go_to(self.offset + usize::from(mouse.y - area.y));
            }
            MouseEvent::Drag | MouseEvent::Release => {}
        }
    }

    fn chosen(&mut self, choice: Choice, _host: &mut PaneHost) {
        if let Choice::Run(run) = choice {
            self.open(&run);
        }
    }

    fn resize(&mut self, area: Area) {
        self.area = area;
    }

    fn settle(&mut self, host: &mut PaneHost) {
        host.refresh_runs();
        if host.runs.is_known() {
            self.run.take_if(|run| host.runs.line(run).is_none());
            if self.run.is_none()
                && let Some(newest) = host.runs.to_begin_with().first()
            {
                self.open(newest);
            }
        }
        self.ask(host);
        let (count, height) = (self.lines.shown_count(), self.height());
        if self.follows {
            self.cursor = count.saturating_sub(1);
        }
        self.cursor = self.cursor.min(count.saturating_sub(1));
        self.offset = offset_in_sight(self.offset, self.cursor, height, count);
    }

    fn prompt(&self, _is_narrow: bool) -> Option<(&'static str, &LineEditor)> {
        Some(("/", &self.search_line.as_ref()?.line))
    }
}
