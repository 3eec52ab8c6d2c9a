//! One module per pane. A pane is a widget that draws the pane's state in `app`.

pub mod assignments;
pub mod browse;
pub mod compare;
pub mod curves;
pub mod find;
pub mod importance;
pub mod log;
pub mod studies;
pub mod training;
