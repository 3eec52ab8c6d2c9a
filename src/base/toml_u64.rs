//! `u64` in TOML, for `#[serde(with = "...")]`.
//!
//! TOML integers are signed, so a number above `i64::MAX`, such as a random seed, is written as a string.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(u64),
    Text(String),
}

pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match i64::try_from(*number) {
        Ok(small) => serializer.serialize_i64(small),
        Err(_) => serializer.collect_str(number),
    }
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    match Written::deserialize(deserializer) {
        Ok(Written::Number(number)) => Ok(number),
        Ok(Written::Text(text)) => {
            text.parse().map_err(|_| D::Error::custom(format!("{text:?} is not a whole number below 2^64")))
        }
        Err(_) => Err(D::Error::custom("not a whole number from 0 to 2^64 - 1")),
    }
}

/// The same for a number that may be absent; use it with `default` and `skip_serializing_if`.
pub mod optional {
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(number: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => super::serialize(number, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
        super::deserialize(deserializer).map(Some)
    }
}
