//! Settings as tables: one row per setting, with its flag, its help text, and how it is read and written as text.
//!
//! A type with settings implements [`Fields`]. The flags of a command, the form of the Train pane and the command line that
//! is equivalent to a form ([`flags`]) are all built from the table, so they offer the same settings with the same help.

mod range;

use std::str::FromStr;

pub use range::{RealRange, WholeRange};

use super::printable;

/// A setting of `S`.
pub struct Field<S: 'static> {
    /// The flag without its dashes: `lr-decay`.
    pub flag: &'static str,
    /// The help text of the flag and of the row of the form.
    pub help: &'static str,
    pub kind: FieldKind,
    /// Whether the setting applies, given the others.
    pub applies: fn(&S) -> bool,
    pub get: fn(&S) -> String,
    pub set: fn(&mut S, &str) -> Result<(), String>,
}

/// The values of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// One of these values.
    Choice(&'static [&'static str]),
    /// A flag without a value: `yes` or `no`.
    Switch,
    Whole(WholeRange),
    Real(RealRange),
    /// A number or nothing, which is written `0` on the command line.
    OptionalWhole(WholeRange),
    OptionalReal(RealRange),
    /// The values that are offered, a check that accepts others too, and the placeholder of the value in help texts.
    Open {
        choices: &'static [&'static str],
        name: &'static str,
        check: fn(&str) -> Result<(), String>,
    },
    /// Any text or nothing, with the placeholder of the value in help texts.
    Text(&'static str),
}

/// A row without its values: what a form or the help of a command shows.
#[derive(Clone, Copy, Debug)]
pub struct FieldInfo {
    pub flag: &'static str,
    pub help: &'static str,
    pub kind: FieldKind,
}

/// Settings with a table. The order matters: a setting that changes others precedes them.
pub trait Fields: Clone + 'static {
    const FIELDS: &'static [Field<Self>];
    /// The flag that all flags of this table require.
    const REQUIRES: Option<&'static str> = None;

    /// Returns the field of a flag.
    fn field(flag: &str) -> Option<&'static Field<Self>> {
        Self::FIELDS.iter().find(|field| field.flag == flag)
    }

    /// Checks every setting that applies against its row. Settings that were read from a file have not passed through
    /// [`Field::set`].
    fn check_fields(&self) -> Result<(), String> {
        Self::FIELDS.iter().filter(|field| (field.applies)(self)).try_for_each(|field| {
            field
                .kind
                .check(&field.get(self))
                .map_err(|problem| format!("{}: {problem}", field.flag.replace('-', "_")))
        })
    }
}

impl<S> Field<S> {
    pub fn info(&self) -> FieldInfo {
        FieldInfo { flag: self.flag, help: self.help, kind: self.kind }
    }

    pub fn get(&self, settings: &S) -> String {
        (self.get)(settings)
    }

    /// Changes the setting. Fails if the text is not a value of it.
    pub fn set(&self, settings: &mut S, text: &str) -> Result<(), String> {
        let text = text.trim();
        if (self.applies)(settings) {
            self.kind.check(text)?;
        }
        (self.set)(settings, text)
    }

    /// Returns the arguments that change this setting from one value to another; none if the values are equal.
    fn arguments(&self, from: &S, to: &S) -> Vec<String> {
        let (before, after) = (self.get(from), self.get(to));
        let flag = format!("--{}", self.flag);
        match self.kind {
            _ if before == after || !(self.applies)(to) => Vec::new(),
            FieldKind::Switch => vec![flag],
            FieldKind::OptionalWhole(_) | FieldKind::OptionalReal(_) if after.is_empty() => {
                vec![flag, "0".to_owned()]
            }
            _ => vec![flag, after],
        }
    }
}

/// Returns the flags that turn some settings into others.
pub fn flags<S: Fields>(from: &S, to: &S) -> Vec<String> {
    let mut at = from.clone();
    let mut flags = Vec::new();
    for field in S::FIELDS {
        flags.extend(field.arguments(&at, to));
        // A setting may change others: another optimizer has other constants.
        let value = field.get(to);
        if field.get(&at) != value {
            let _ = field.set(&mut at, &value);
        }
    }
    flags
}

impl FieldKind {
    /// Returns the values that a form steps through.
    pub fn choices(self) -> &'static [&'static str] {
        match self {
            FieldKind::Choice(choices) | FieldKind::Open { choices, .. } => choices,
            FieldKind::Switch => &["no", "yes"],
            _ => &[],
        }
    }

    /// Whether values other than the choices can be typed.
    pub fn is_typed(self) -> bool {
        !matches!(self, FieldKind::Choice(_) | FieldKind::Switch)
    }

    /// Checks whether a text can be a value of this kind.
    pub fn check(self, text: &str) -> Result<(), String> {
        match self {
            FieldKind::OptionalWhole(_) | FieldKind::OptionalReal(_) if matches!(text, "" | "0") => Ok(()),
            FieldKind::Whole(range) | FieldKind::OptionalWhole(range) => range.check(text),
            FieldKind::Real(range) | FieldKind::OptionalReal(range) => range.check(text),
            FieldKind::Open { check, .. } => check(text),
            FieldKind::Text(_) => Ok(()),
            FieldKind::Choice(_) | FieldKind::Switch => {
                let choices = self.choices();
                match choices.contains(&text) {
                    true => Ok(()),
                    false => Err(format!("`{}` is not one of {}", shown(text), choices.join(", "))),
                }
            }
        }
    }

    pub const fn whole(least: u64, most: u64) -> FieldKind {
        FieldKind::Whole(WholeRange { least, most })
    }

    pub const fn optional_whole(least: u64, most: u64) -> FieldKind {
        FieldKind::OptionalWhole(WholeRange { least, most })
    }

    pub const fn real(least: f64, most: f64) -> FieldKind {
        FieldKind::Real(RealRange::new(least, most))
    }

    /// A number above zero.
    pub const fn positive(most: f64) -> FieldKind {
        FieldKind::Real(RealRange::new(0.0, most).above())
    }

    /// A number above zero, or nothing.
    pub const fn optional_positive(most: f64) -> FieldKind {
        FieldKind::OptionalReal(RealRange::new(0.0, most).above())
    }

    /// A number from 0 to less than 1.
    pub const fn unit() -> FieldKind {
        FieldKind::Real(RealRange::new(0.0, 1.0).below())
    }

    /// A number between 0 and 1, without the bounds.
    pub const fn share() -> FieldKind {
        FieldKind::Real(RealRange::new(0.0, 1.0).above().below())
    }

    /// Any number that a random stream can start from.
    pub const fn seed() -> FieldKind {
        FieldKind::whole(0, u64::MAX)
    }
}

/// A value as an error message quotes it.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    printable::quoted(text, LONGEST)
}

/// Parses a number of any type, which may be narrower than the kind of its field.
pub fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{}` is not a valid number", shown(text)))
}

/// Parses an optional number; an empty text and `0` are `None`.
pub fn optional<T: FromStr>(text: &str) -> Result<Option<T>, String> {
    match text {
        "" | "0" => Ok(None),
        text => number(text).map(Some),
    }
}

/// Returns a value as text, or an empty text.
pub fn optional_text<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The field of a required number: `number_field!(whole(1, 100), "epochs", "Epochs", epochs)`.
macro_rules! number_field {
    ($kind:ident $bounds:tt, $flag:literal, $help:literal, $($place:ident).+) => {
        $crate::base::fields::number_field!($kind $bounds, $flag, $help, $($place).+, |_| true)
    };
    ($kind:ident $bounds:tt, $flag:literal, $help:literal, $($place:ident).+, $applies:expr) => {
        $crate::base::fields::Field {
            flag: $flag,
            help: $help,
            kind: $crate::base::fields::FieldKind::$kind $bounds,
            applies: $applies,
            get: |settings| settings.$($place).+.to_string(),
            set: |settings, text| {
                settings.$($place).+ = $crate::base::fields::number(text)?;
                Ok(())
            },
        }
    };
}

/// The field of an optional number: `optional_field!(optional_positive(9.0), "clip", "The maximum norm", clip)`.
macro_rules! optional_field {
    ($kind:ident $bounds:tt, $flag:literal, $help:literal, $place:ident) => {
        $crate::base::fields::Field {
            flag: $flag,
            help: $help,
            kind: $crate::base::fields::FieldKind::$kind $bounds,
            applies: |_| true,
            get: |settings| $crate::base::fields::optional_text(settings.$place),
            set: |settings, text| {
                settings.$place = $crate::base::fields::optional(text)?;
                Ok(())
            },
        }
    };
}

/// The field of an enum, whose values are the names of its variants:
/// `choice_field!("split", "Split: by pair (mixed) or by article (unmixed)", split: Scheme)`.
macro_rules! choice_field {
    ($flag:literal, $help:literal, $($place:ident).+ : $choice:ty) => {
        $crate::base::fields::Field {
            flag: $flag,
            help: $help,
            kind: $crate::base::fields::FieldKind::Choice(<$choice as strum::VariantNames>::VARIANTS),
            applies: |_| true,
            get: |settings| settings.$($place).+.to_string(),
            set: |settings, text| {
                let choice: Result<$choice, _> = text.parse();
                settings.$($place).+ = choice.map_err(|_| format!("`{text}` is not a valid value"))?;
                Ok(())
            },
        }
    };
}

/// The field of a flag without a value.
macro_rules! switch_field {
    ($flag:literal, $help:literal, $place:ident, $applies:expr) => {
        $crate::base::fields::Field {
            flag: $flag,
            help: $help,
            kind: $crate::base::fields::FieldKind::Switch,
            applies: $applies,
            get: |settings| if settings.$place { "yes" } else { "no" }.to_owned(),
            set: |settings, text| {
                settings.$place = text == "yes";
                Ok(())
            },
        }
    };
}

pub(crate) use {choice_field, number_field, optional_field, switch_field};

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq)]
    struct Lamp {
        is_on: bool,
        watts: Option<u64>,
        colour: String,
    }

    impl Fields for Lamp {
        const FIELDS: &'static [Field<Lamp>] = &[
            Field {
                flag: "on",
                help: "Whether it is on",
                kind: FieldKind::Switch,
                applies: |_| true,
                get: |lamp| if lamp.is_on { "yes" } else { "no" }.to_owned(),
                set: |lamp, text| {
                    lamp.is_on = text == "yes";
                    // Other fields may depend on this one.
                    lamp.colour = if lamp.is_on { "warm" } else { "" }.to_owned();
                    Ok(())
                },
            },
            Field {
                flag: "watts",
                help: "How bright",
                kind: FieldKind::optional_whole(1, 100),
                applies: |_| true,
                get: |lamp| optional_text(lamp.watts),
                set: |lamp, text| {
                    lamp.watts = optional(text)?;
                    Ok(())
                },
            },
            Field {
                flag: "colour",
                help: "Its colour",
                kind: FieldKind::Choice(&["warm", "cold"]),
                applies: |lamp| lamp.is_on,
                get: |lamp| lamp.colour.clone(),
                set: |lamp, text| {
                    lamp.colour = text.to_owned();
                    Ok(())
                },
            },
        ];
    }

    #[test]
    fn flags_list_the_differences_and_nothing_else() {
        let off = Lamp::default();
        let warm = Lamp { is_on: true, watts: Some(40), colour: "warm".to_owned() };
        let cold = Lamp { colour: "cold".to_owned(), ..warm.clone() };
        assert_eq!(flags(&off, &warm), ["--on", "--watts", "40"], "warm is set by --on");
        assert_eq!(flags(&off, &cold), ["--on", "--watts", "40", "--colour", "cold"]);
        assert_eq!(flags(&warm, &Lamp { watts: None, ..warm.clone() }), ["--watts", "0"]);
        assert!(flags(&cold, &cold).is_empty());
    }

    #[test]
    fn errors_name_the_wrong_value() {
        let mut lamp = Lamp { is_on: true, ..Lamp::default() };
        let mut wrong = |flag: &str, text: &str| Lamp::field(flag).unwrap().set(&mut lamp, text).unwrap_err();
        assert_eq!(wrong("watts", "many"), "`many` should be a whole number from 1 to 100");
        assert_eq!(wrong("colour", "dark"), "`dark` is not one of warm, cold");
    }
}
