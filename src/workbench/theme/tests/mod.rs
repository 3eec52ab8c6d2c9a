//! Properties of whole themes.

mod legibility;
mod user_files;
