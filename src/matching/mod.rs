//! From scores to answers.

pub mod assignment;
