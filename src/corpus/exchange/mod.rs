//! Import and export of files of pairs: connects the [store](crate::corpus::store) with the
//! [formats](crate::corpus::formats), which do not depend on each other.

mod collection;
mod export;
mod import;
mod pair_file;

pub use collection::{Collection, CollectionError, CollectionSide, is_corpus};
pub use export::{ExportError, Selection, Transform, export, export_to};
pub use import::{ImportFailed, Importer};
pub use pair_file::{PairFileError, read_pair, read_pair_from};

use crate::corpus::split::{Part, Scheme};

/// The key of the table `meta` that stores the header of an imported released file, for export.
fn header_key(origin: Option<(Scheme, Part)>) -> String {
    match origin {
        Some((scheme, part)) => format!("match_header:{scheme}:{part}"),
        None => "match_header".to_owned(),
    }
}
