//! Examples and laws of symbol replacement.

mod examples;
mod laws;
mod leaks;
mod sample;
