//! A passage in JSON.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
    ser::{SerializeSeq, SerializeStruct},
};

use crate::corpus::{Formula, Passage, Run, readable};

/// A passage being written.
pub struct Written<'a>(pub &'a Passage);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Passage", 2)?;
        object.serialize_field("readable", &readable(self.0))?;
        object.serialize_field("runs", &WrittenRuns(self.0))?;
        object.end()
    }
}

struct WrittenRuns<'a>(&'a Passage);

impl Serialize for WrittenRuns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.runs().map(WrittenRun))
    }
}

struct WrittenRun<'a>(Run<'a>);

impl Serialize for WrittenRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = match self.0 {
            Run::Text(text) => ["text", text, "", "", ""],
            Run::Math(formula) => ["math", formula.linear, formula.layout, formula.tex, joints(&formula)],
        };
        let length = fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1).max(2);
        let mut list = serializer.serialize_seq(Some(length))?;
        for field in &fields[..length] {
            list.serialize_element(field)?;
        }
        list.end()
    }
}

fn joints(formula: &Formula<'_>) -> &'static str {
    match (formula.joined_left, formula.joined_right) {
        (false, false) => "",
        (true, false) => "l",
        (false, true) => "r",
        (true, true) => "lr",
    }
}

/// A passage that was read.
pub struct Read {
    pub passage: Passage,
    /// It was a plain string, so formulas cannot be distinguished from text.
    pub is_plain: bool,
}

impl Read {
    /// The text, if it was a plain string.
    pub fn plain(&self) -> Option<&str> {
        match self.passage.runs().next() {
            Some(Run::Text(text)) if self.is_plain => Some(text),
            _ => None,
        }
    }

    fn of_text(text: &str) -> Read {
        let mut passage = Passage::new();
        passage.push_text(text);
        Read { passage, is_plain: true }
    }
}

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Read, D::Error> {
        deserializer.deserialize_any(ReadVisitor)
    }
}

struct ReadVisitor;

impl<'de> Visitor<'de> for ReadVisitor {
    type Value = Read;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string or an object with `runs`")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Read, E> {
        Ok(Read::of_text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let mut shown = None;
        let mut read = None;
        while let Some(Text(key)) = map.next_key()? {
            match key.as_ref() {
                "runs" => read = Some(map.next_value::<ReadRuns>()?),
                "readable" | "text" => shown = Some(map.next_value::<Text<'de>>()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (read, shown) {
            (Some(ReadRuns(passage)), _) => Ok(Read { passage, is_plain: false }),
            (None, Some(Text(text))) => Ok(Read::of_text(&text)),
            (None, None) => Err(A::Error::missing_field("runs")),
        }
    }
}

struct ReadRuns(Passage);

impl<'de> Deserialize<'de> for ReadRuns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ReadRuns, D::Error> {
        deserializer.deserialize_seq(RunsVisitor)
    }
}

struct RunsVisitor;

impl<'de> Visitor<'de> for RunsVisitor {
    type Value = ReadRuns;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of runs")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ReadRuns, A::Error> {
        let mut passage = Passage::new();
        while let Some(fields) = list.next_element::<RunFields<'de>>()? {
            let [kind, content, layout, tex, joints] = fields.0.each_ref().map(|Text(field)| field.as_ref());
            match kind {
                "text" => passage.push_text(content),
                "math" => passage.push_formula(Formula {
                    linear: content,
                    layout,
                    tex,
                    joined_left: joints.contains('l'),
                    joined_right: joints.contains('r'),
                }),
                other => {
                    return Err(A::Error::custom(format_args!("a run is `text` or `math`, not `{other}`")));
                }
            }
        }
        Ok(ReadRuns(passage))
    }
}

#[derive(Default)]
struct RunFields<'a>([Text<'a>; 5]);

impl<'de> Deserialize<'de> for RunFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RunFields<'de>, D::Error> {
        deserializer.deserialize_seq(RunVisitor)
    }
}

struct RunVisitor;

impl<'de> Visitor<'de> for RunVisitor {
    type Value = RunFields<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a run: [\"text\", words] or [\"math\", tokens, layout, tex, joints]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<RunFields<'de>, A::Error> {
        let mut fields = RunFields::default();
        let mut length = 0;
        while let Some(text) = list.next_element()? {
            match fields.0.get_mut(length) {
                Some(field) => *field = text,
                None => return Err(A::Error::invalid_length(length + 1, &self)),
            }
            length += 1;
        }
        if length < 2 { Err(A::Error::invalid_length(length, &self)) } else { Ok(fields) }
    }
}

/// A string that borrows from the line unless it has escapes.
#[derive(Default)]
pub struct Text<'a>(pub Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'a>, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}
