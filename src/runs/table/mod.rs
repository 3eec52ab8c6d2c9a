//! The run table: columns, order and filters, for `matchbook runs` and for the Train pane.
//!
//! A [`RunColumn`] is a property of a run or any of its settings; it can be shown, sorted by and filtered by. A
//! [`RunFilter`] is a line of terms, and [`SavedFilters`] keeps such lines by name.

mod column;
mod difference;
mod filter;
mod groups;
mod order;
mod saved;

pub use column::{RunColumn, SortKey, UnknownColumn};
pub use difference::{Differences, settings_of};
pub use filter::RunFilter;
pub use groups::GroupedRuns;
pub use order::RunOrder;
pub use saved::SavedFilters;
