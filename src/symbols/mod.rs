//! Symbol replacement.

pub mod constants;
pub mod family;
pub mod fresh;
pub mod letter;
pub mod letter_set;
pub mod level;
pub mod mapping;
pub mod operators;
pub mod protected;
pub mod random;
pub mod reading;
pub mod replace;
pub mod rewrite;
pub mod scripts;
pub mod transpose;
