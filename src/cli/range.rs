//! Ranges of numeric flags that do not come from a table of settings.

use clap::builder::RangedU64ValueParser;

use crate::base::fields::RealRange;

/// A whole number between two bounds, both included.
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    least: u64,
    most: u64,
) -> RangedU64ValueParser<T>
where
    <T as TryFrom<u64>>::Error: Send + Sync + 'static + std::error::Error,
{
    RangedU64ValueParser::<T>::new().range(least..=most)
}

/// A finite number in a range.
pub fn real(range: RealRange) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        range.check(text)?;
        text.parse().map_err(|_| format!("it must be {range}"))
    }
}
