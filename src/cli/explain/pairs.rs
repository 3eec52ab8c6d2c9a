//! Selection of the pairs to explain.

use std::io::{self, Read};

use anyhow::{Context, bail};

use super::Arguments;
use crate::{
    base::outside,
    corpus::{PairId, split::Split, store::Store},
};

/// Maximum length of a list of pairs in bytes.
const MAX_LIST: u64 = 64 * 1024 * 1024;

/// The ids of the pairs: those given, those of a file, or those of a part.
pub fn selected(arguments: &Arguments, store: &Store, split: &Split) -> anyhow::Result<Vec<PairId>> {
    let mut pairs = match (&arguments.pairs, arguments.part) {
        (Some(path), _) => {
            let name = path.display().to_string();
            let text =
                if path.as_os_str() == "-" { read(io::stdin()) } else { outside::open(path).and_then(read) };
            parse_list(&text.with_context(|| format!("cannot read {name}"))?)
                .with_context(|| format!("in {name}"))?
        }
        (None, Some(part)) => {
            let rows: Vec<u32> = split.rows(part).collect();
            store.summaries(&rows)?.into_iter().map(|summary| summary.id).collect()
        }
        (None, None) => {
            arguments.pair.iter().map(|pair| Ok(pair.trim().parse()?)).collect::<anyhow::Result<_>>()?
        }
    };
    if let Some(limit) = arguments.limit.map(|limit| limit as usize) {
        let all = pairs.len();
        let mut position = 0;
        pairs.retain(|_| {
            position += 1;
            // One of every all / limit.
            all <= limit || position * limit / all > (position - 1) * limit / all
        });
    }
    match pairs.is_empty() {
        true => bail!("there is no pair to explain"),
        false => Ok(pairs),
    }
}

fn read(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    source.take(MAX_LIST).read_to_string(&mut text)?;
    Ok(text)
}

/// Parses a list: the first word of each line is a pair; empty lines and lines that start with % are skipped.
fn parse_list(text: &str) -> anyhow::Result<Vec<PairId>> {
    let lines = text
        .lines()
        .enumerate()
        .filter_map(|(number, line)| Some((number + 1, line.split_whitespace().next()?)));
    let pairs = lines.filter(|(_, name)| !name.starts_with('%'));
    pairs.map(|(number, name)| name.parse().with_context(|| format!("line {number}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_a_pair_on_each_line_and_a_wrong_line_is_named() {
        let names =
            |text| parse_list(text).map(|pairs| pairs.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(names("a#1\n\n% note\n b/0704#2\tmore\n").unwrap(), ["a#1", "b/0704#2"]);
        let error = format!("{:#}", names("a#1\nb").unwrap_err());
        assert!(error.starts_with("line 2: `b` is not a pair id"), "{error}");
    }
}
