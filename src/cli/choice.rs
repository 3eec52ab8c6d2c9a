//! Arguments that are one variant of an enum.

use std::{error::Error, str::FromStr};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use strum::VariantNames;

/// Parses the name of a variant. Help and error messages list all names.
pub fn choice<T>() -> impl TypedValueParser<Value = T>
where
    T: VariantNames + FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS).try_map(|name| name.parse::<T>())
}
