//! Values of the domain as they are written everywhere else: `demo.15#2`, `3f9a...`, and numbers that fit.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::symbols::{Seed, Share};

fn parse<T: FromStr<Err: Display>, E: Error>(written: &str) -> Result<T, E> {
    written.parse().map_err(E::custom)
}

pub mod option {
    use super::*;

    pub fn serialize<T: Display, S: Serializer>(value: &Option<T>, out: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(T::to_string).serialize(out)
    }

    pub fn deserialize<'de, T, D>(input: D) -> Result<Option<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        Option::<String>::deserialize(input)?.map(|written| parse(&written)).transpose()
    }
}

pub mod list {
    use super::*;

    pub fn serialize<T: Display, S: Serializer>(values: &[T], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(values.iter().map(T::to_string))
    }

    pub fn deserialize<'de, T, D>(input: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        Vec::<String>::deserialize(input)?.iter().map(|written| parse(written)).collect()
    }
}

/// TOML's numbers end at 2^63, seeds at 2^64: larger ones are written as text.
pub mod seed {
    use super::*;

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(i64),
        Text(String),
    }

    pub fn serialize<S: Serializer>(seed: &Seed, out: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(seed.0) {
            Ok(number) => Written::Number(number).serialize(out),
            Err(_) => Written::Text(seed.0.to_string()).serialize(out),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Seed, D::Error> {
        match Written::deserialize(input)? {
            Written::Number(number) => u64::try_from(number).map(Seed).map_err(D::Error::custom),
            Written::Text(text) => parse(&text).map(Seed),
        }
    }
}

pub mod share {
    use super::*;

    pub fn serialize<S: Serializer>(share: &Share, out: S) -> Result<S::Ok, S::Error> {
        share.value().serialize(out)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<Share, D::Error> {
        Share::new(f64::deserialize(input)?).map_err(D::Error::custom)
    }
}
