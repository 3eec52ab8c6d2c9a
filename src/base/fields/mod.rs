//! Settings as tables: one row a setting, with its flag, its words, and how it is read and written as text.
//!
//! Whoever has settings writes such a table beside them ([`Fields`]). The flags of a command are made from it, the form of
//! the Train pane is made from it, and so is the command that a filled-in form stands for ([`flags`]). So a setting that is
//! in a table is in all three, with the same words.

/// A setting of `S`.
pub struct Field<S: 'static> {
    /// The flag without its dashes: `lr-decay`.
    pub flag: &'static str,
    /// What it is, for the command's help and the form.
    pub words: &'static str,
    pub kind: FieldKind,
    /// Whether there is such a setting beside the others as they are.
    pub applies: fn(&S) -> bool,
    pub get: fn(&S) -> String,
    pub set: fn(&mut S, &str) -> Result<(), String>,
}

/// What a field can hold.
#[derive(Clone, Copy, Debug)]
pub enum FieldKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A flag that is there or not: `yes` or `no`.
    Switch,
    Whole,
    Real,
    /// A number, or nothing, which is written `0` on the command line.
    OptionalWhole,
    OptionalReal,
    /// These words, and others that can be read; what the value is called.
    Open {
        words: &'static [&'static str],
        name: &'static str,
        check: fn(&str) -> Result<(), String>,
    },
    /// Any text or nothing, and what it is called.
    Text(&'static str),
}

/// A row without its values: what a form or a command's help shows.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub flag: &'static str,
    pub words: &'static str,
    pub kind: FieldKind,
}

/// Settings with a table. The order counts: a setting that changes others stands before them.
pub trait Fields: Clone + 'static {
    const FIELDS: &'static [Field<Self>];
    /// The flag without which those of this table mean nothing.
    const GO_WITH: Option<&'static str> = None;

    /// The field of a flag.
    fn field(flag: &str) -> Option<&'static Field<Self>> {
        Self::FIELDS.iter().find(|field| field.flag == flag)
    }
}

impl<S> Field<S> {
    pub fn about(&self) -> About {
        About { flag: self.flag, words: self.words, kind: self.kind }
    }

    pub fn get(&self, settings: &S) -> String {
        (self.get)(settings)
    }

    /// Changes the setting, or says what is wrong with the text.
    pub fn set(&self, settings: &mut S, text: &str) -> Result<(), String> {
        let text = text.trim();
        if (self.applies)(settings) {
            self.kind.check(text)?;
        }
        (self.set)(settings, text)
    }

    /// What the command line needs to say to come from one settings to others; nothing when they agree here.
    fn arguments(&self, from: &S, to: &S) -> Vec<String> {
        let (before, after) = (self.get(from), self.get(to));
        let flag = format!("--{}", self.flag);
        match self.kind {
            _ if before == after || !(self.applies)(to) => Vec::new(),
            FieldKind::Switch => vec![flag],
            FieldKind::OptionalWhole | FieldKind::OptionalReal if after.is_empty() => {
                vec![flag, "0".to_owned()]
            }
            _ => vec![flag, after],
        }
    }
}

/// The flags that come from some settings to others.
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
    /// The words that can be gone through one by one.
    pub fn choices(self) -> &'static [&'static str] {
        match self {
            FieldKind::Choice(words) | FieldKind::Open { words, .. } => words,
            FieldKind::Switch => &["no", "yes"],
            _ => &[],
        }
    }

    /// Whether something else than a few words can be typed.
    pub fn is_typed(self) -> bool {
        !matches!(self, FieldKind::Choice(_) | FieldKind::Switch)
    }

    /// Whether a text can be such a value at all.
    pub fn check(self, text: &str) -> Result<(), String> {
        let is_number = match self {
            FieldKind::Whole => text.parse::<u64>().is_ok(),
            FieldKind::Real => text.parse::<f64>().is_ok(),
            FieldKind::OptionalWhole => text.is_empty() || text.parse::<u64>().is_ok(),
            FieldKind::OptionalReal => text.is_empty() || text.parse::<f64>().is_ok(),
            FieldKind::Open { check, .. } => return check(text),
            FieldKind::Text(_) => return Ok(()),
            FieldKind::Choice(_) | FieldKind::Switch => {
                let words = self.choices();
                return match words.contains(&text) {
                    true => Ok(()),
                    false => Err(format!("`{text}` is none of {}", words.join(", "))),
                };
            }
        };
        if is_number { Ok(()) } else { Err(format!("`{text}` is no such number")) }
    }
}

/// A number of a type of its own, which may be narrower than its kind.
pub fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no such number"))
}

/// A number, or nothing for nothing and for `0`.
pub fn optional<T: std::str::FromStr>(text: &str) -> Result<Option<T>, String> {
    match text {
        "" | "0" => Ok(None),
        text => number(text).map(Some),
    }
}

/// A value, or nothing.
pub fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A field of a number that is always there: `numbers!(Whole, "epochs", "How often", epochs)`.
macro_rules! numbers {
    ($kind:ident, $flag:literal, $words:literal, $($place:ident).+) => {
        $crate::base::fields::numbers!($kind, $flag, $words, $($place).+, |_| true)
    };
    ($kind:ident, $flag:literal, $words:literal, $($place:ident).+, $applies:expr) => {
        $crate::base::fields::Field {
            flag: $flag,
            words: $words,
            kind: $crate::base::fields::FieldKind::$kind,
            applies: $applies,
            get: |settings| settings.$($place).+.to_string(),
            set: |settings, text| {
                settings.$($place).+ = $crate::base::fields::number(text)?;
                Ok(())
            },
        }
    };
}

/// A field that is one of a few words, which its type knows: `words!("split", "By pair or by article", SPLITS, split)`.
macro_rules! words {
    ($flag:literal, $words:literal, $choices:expr, $place:ident, $read:expr, $write:expr) => {
        $crate::base::fields::Field {
            flag: $flag,
            words: $words,
            kind: $crate::base::fields::FieldKind::Choice($choices),
            applies: |_| true,
            get: |settings| ($write)(&settings.$place).to_string(),
            set: |settings, text| {
                settings.$place = ($read)(text).ok_or_else(|| format!("`{text}` cannot be read"))?;
                Ok(())
            },
        }
    };
}

/// A field that is there or not.
macro_rules! switch {
    ($flag:literal, $words:literal, $place:ident, $applies:expr) => {
        $crate::base::fields::Field {
            flag: $flag,
            words: $words,
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

pub(crate) use {numbers, switch, words};

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
                words: "Whether it burns",
                kind: FieldKind::Switch,
                applies: |_| true,
                get: |lamp| if lamp.is_on { "yes" } else { "no" }.to_owned(),
                set: |lamp, text| {
                    lamp.is_on = text == "yes";
                    // A lamp that is lit is warm before anybody says more.
                    lamp.colour = if lamp.is_on { "warm" } else { "" }.to_owned();
                    Ok(())
                },
            },
            Field {
                flag: "watts",
                words: "How bright",
                kind: FieldKind::OptionalWhole,
                applies: |_| true,
                get: |lamp| shown(lamp.watts),
                set: |lamp, text| {
                    lamp.watts = optional(text)?;
                    Ok(())
                },
            },
            Field {
                flag: "colour",
                words: "Its colour",
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
    fn flags_say_what_differs_and_no_more() {
        let off = Lamp::default();
        let warm = Lamp { is_on: true, watts: Some(40), colour: "warm".to_owned() };
        let cold = Lamp { colour: "cold".to_owned(), ..warm.clone() };
        assert_eq!(flags(&off, &warm), ["--on", "--watts", "40"], "warm comes with the light");
        assert_eq!(flags(&off, &cold), ["--on", "--watts", "40", "--colour", "cold"]);
        assert_eq!(flags(&warm, &Lamp { watts: None, ..warm.clone() }), ["--watts", "0"]);
        assert!(flags(&cold, &cold).is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        let mut lamp = Lamp { is_on: true, ..Lamp::default() };
        let mut wrong = |flag: &str, text: &str| Lamp::field(flag).unwrap().set(&mut lamp, text).unwrap_err();
        assert_eq!(wrong("watts", "many"), "`many` is no such number");
        assert_eq!(wrong("colour", "dark"), "`dark` is none of warm, cold");
    }
}
