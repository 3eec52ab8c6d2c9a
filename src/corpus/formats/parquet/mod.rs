//! A Parquet table of pairs, one row per pair, for pandas, Polars and Hugging Face datasets.
//!
//! Two columns hold each side in full (`statement_runs`, `proof_runs`: the internal encoding of a
//! [`Passage`](crate::corpus::Passage)), so a table can be imported again without loss. The other
//! columns are for people: the linear form, the readable form, the numbers of tokens. A table from
//! another program needs `id`, `statement` and `proof`; these are then read as text.

mod pages;
mod reader;
mod writer;

pub use self::{reader::read, writer::ParquetWriter};

/// The columns, in order. There are no nulls: unknown values are empty.
const SCHEMA: &str = "
message pairs {
    required binary id (STRING);
    required binary article (STRING);
    required binary title (STRING);
    required group categories (LIST) {
        repeated group list {
            required binary element (STRING);
        }
    }
    required binary kind (STRING);
    required binary label (STRING);
    required binary statement_title (STRING);
    required binary anchor (STRING);
    required binary file (STRING);
    required binary dialect (STRING);
    required binary statement (STRING);
    required binary proof (STRING);
    required binary statement_readable (STRING);
    required binary proof_readable (STRING);
    required int32 statement_text_tokens;
    required int32 statement_math_tokens;
    required int32 proof_text_tokens;
    required int32 proof_math_tokens;
    required binary statement_runs (STRING);
    required binary proof_runs (STRING);
}";

/// The columns with recurring values, which get a dictionary.
const RECURRING: [&str; 6] = ["article", "title", "kind", "file", "dialect", "label"];
