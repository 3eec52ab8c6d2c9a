//! What panes and frame are drawn with.

pub mod bottom_line;
pub mod overlays;
pub mod panel;
pub mod tabs;
