//! What holds for themes as a whole.

mod eyes;
mod files;
