//! From articles to pairs.

pub mod article;
pub mod decode;
pub mod filters;
pub mod heading;
pub mod language;
pub mod manifest;
pub mod mathml;
pub mod options;
pub mod own_metadata;
pub mod pair_rule;
pub mod problem;
pub mod reading;
pub mod source;
pub mod tree;
