//! One line of metrics: `{"step":12,"epoch":0.5,"time":1794811608.25,"loss":0.73,"rate":0.01}`.
//!
//! An evaluation also has a name: `{"evaluation":"dev","step":500,...,"mrr":0.61}`. JSON has no
//! values that are not finite, and those are the ones a reader must not miss, so they are written as the strings
//! `"NaN"`, `"Infinity"` and `"-Infinity"`, which Python's `float` and JavaScript's `Number` read. A reader skips
//! values that are not numbers, so that later versions may add some.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
    ser::{Error as _, SerializeMap},
};

use crate::runs::Timestamp;

/// The keys that every line has; values must have other names.
const RESERVED: [&str; 4] = ["evaluation", "step", "epoch", "time"];

/// What was measured at a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsRow<'a> {
    /// The name of the evaluation; none for a step of training.
    pub evaluation: Option<Cow<'a, str>>,
    pub step: u64,
    /// Completed epochs, with the fraction of the current one.
    pub epoch: f64,
    pub time: Timestamp,
    pub values: Vec<(Cow<'a, str>, f64)>,
}

impl<'a> MetricsRow<'a> {
    /// A training step without values.
    pub fn step(step: u64, epoch: f64, time: Timestamp) -> MetricsRow<'a> {
        MetricsRow { evaluation: None, step, epoch, time, values: Vec::new() }
    }

    /// An evaluation without values.
    pub fn evaluation(
        name: impl Into<Cow<'a, str>>,
        step: u64,
        epoch: f64,
        time: Timestamp,
    ) -> MetricsRow<'a> {
        MetricsRow { evaluation: Some(name.into()), ..MetricsRow::step(step, epoch, time) }
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'a, str>>, value: impl Into<f64>) -> MetricsRow<'a> {
        self.values.push((name.into(), value.into()));
        self
    }

    pub fn value(&self, name: &str) -> Option<f64> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// Copies the strings that it borrows.
    pub fn into_owned(self) -> MetricsRow<'static> {
        MetricsRow {
            evaluation: self.evaluation.map(|name| Cow::Owned(name.into_owned())),
            step: self.step,
            epoch: self.epoch,
            time: self.time,
            values: self.values.into_iter().map(|(name, value)| (name.into_owned().into(), value)).collect(),
        }
    }
}

impl Serialize for MetricsRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(name) = &self.evaluation {
            map.serialize_entry("evaluation", name)?;
        }
        map.serialize_entry("step", &self.step)?;
        map.serialize_entry("epoch", &Number(Some(self.epoch)))?;
        map.serialize_entry("time", &self.time)?;
        for (name, value) in &self.values {
            if RESERVED.contains(&name.as_ref()) {
                return Err(S::Error::custom(format!("{name} is not a valid metric name")));
            }
            map.serialize_entry(name, &Number(Some(*value)))?;
        }
        map.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MetricsRow<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<MetricsRow<'a>, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

#[derive(Deserialize)]
struct Word<'a>(#[serde(borrow)] Cow<'a, str>);

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = MetricsRow<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a line of metrics")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MetricsRow<'de>, A::Error> {
        let mut row = MetricsRow { values: Vec::with_capacity(8), ..MetricsRow::default() };
        let mut has_step = false;
        while let Some(Word(name)) = map.next_key()? {
            match name.as_ref() {
                "evaluation" => row.evaluation = Some(map.next_value::<Word<'de>>()?.0),
                "step" => (row.step, has_step) = (map.next_value()?, true),
                "epoch" => row.epoch = map.next_value::<Number>()?.0.unwrap_or_default(),
                "time" => row.time = map.next_value()?,
                _ => {
                    if let Number(Some(value)) = map.next_value()? {
                        row.values.push((name, value));
                    }
                }
            }
        }
        match has_step {
            true => Ok(row),
            false => Err(de::Error::missing_field("step")),
        }
    }
}

/// A number that need not be finite; none where the value is not a number.
pub struct Number(pub Option<f64>);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.unwrap_or(f64::NAN) {
            value if value.is_nan() => serializer.serialize_str("NaN"),
            f64::INFINITY => serializer.serialize_str("Infinity"),
            f64::NEG_INFINITY => serializer.serialize_str("-Infinity"),
            value => serializer.serialize_f64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl<'de> Visitor<'de> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number")
    }

    fn visit_f64<E>(self, value: f64) -> Result<Number, E> {
        Ok(Number(Some(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Number, E> {
        Ok(Number(Some(value as f64)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Number, E> {
        Ok(Number(match value {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        }))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Number, E> {
        Ok(Number(None))
    }

    fn visit_unit<E>(self) -> Result<Number, E> {
        Ok(Number(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Number, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Number(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Number, A::Error> {
        while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Number(None))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_reads_like_one() {
        let row = MetricsRow::evaluation("dev", 12, 0.5, Timestamp::from_milliseconds(1_500))
            .with("loss", 0.25f32)
            .with("gap", f64::NAN)
            .with("low", f64::NEG_INFINITY);
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(
            text,
            r#"{"evaluation":"dev","step":12,"epoch":0.5,"time":1.5,"loss":0.25,"gap":"NaN","low":"-Infinity"}"#
        );
        let read: MetricsRow = serde_json::from_str(&text).unwrap();
        assert!(read.value("gap").unwrap().is_nan());
        assert_eq!(read.value("low"), Some(f64::NEG_INFINITY));
    }

    #[test]
    fn what_a_later_version_adds_is_passed_over() {
        let row: MetricsRow = serde_json::from_str(
            r#"{"step":1,"note":"x","list":[1,{"a":2}],"on":true,"none":null,"map":{"b":[]},"loss":1}"#,
        )
        .unwrap();
        assert_eq!(row, MetricsRow::step(1, 0.0, Timestamp::default()).with("loss", 1.0));
        assert!(serde_json::from_str::<MetricsRow>(r#"{"loss":1}"#).is_err());
        let clash = MetricsRow::step(1, 0.0, Timestamp::default()).with("step", 2.0);
        assert!(
            serde_json::to_string(&clash)
                .unwrap_err()
                .to_string()
                .contains("step is not a valid metric name")
        );
    }

    fn same(left: f64, right: f64) -> bool {
        left == right || (left.is_nan() && right.is_nan())
    }

    proptest! {
        #[test]
        fn a_row_is_read_as_it_was_written(
            step: u64, epoch in 0.0f64..1e6, milliseconds in 0u64..4_000_000_000_000,
            name in prop::option::of("\\PC*"), values in prop::collection::vec(("v\\PC*", prop::num::f64::ANY), 0..6)
        ) {
            let time = Timestamp::from_milliseconds(milliseconds);
            let mut row = MetricsRow { evaluation: name.map(Into::into), ..MetricsRow::step(step, epoch, time) };
            for (name, value) in values {
                row = row.with(name, value);
            }
            let text = serde_json::to_string(&row).unwrap();
            prop_assert!(!text.contains('\n'));
            let read: MetricsRow = serde_json::from_str(&text).unwrap();
            prop_assert_eq!((&read.evaluation, read.step, read.time), (&row.evaluation, step, time));
            prop_assert!(same(read.epoch, epoch) && read.values.len() == row.values.len());
            for ((name, value), (expected_name, expected)) in read.values.iter().zip(&row.values) {
                prop_assert!(name == expected_name && same(*value, *expected), "{} {}", value, expected);
            }
        }
    }
}
