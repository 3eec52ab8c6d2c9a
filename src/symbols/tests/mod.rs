//! Examples, laws and the clock for symbol replacement.

mod examples;
mod laws;
mod sample;
