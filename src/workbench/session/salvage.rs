//! Reading a session of which something may be wrong.
//!
//! A wrong value costs its own key and nothing else: when the whole does not fit, every key is tried
//! alone, and within a section every key of the section.

use serde::Deserialize;
use toml::{Table, Value};

use super::{Session, VERSION};

/// Why a text is not a session at all.
#[derive(Debug, PartialEq, Eq)]
pub enum NoSession {
    Broken(String),
    Newer(u32),
}

/// Reads a session and names the keys that had to be left out.
pub fn read(text: &str) -> Result<(Session, Vec<String>), NoSession> {
    let mut table: Table = toml::from_str(text).map_err(|error| {
        let line =
            error.span().map(|span| 1 + text.bytes().take(span.start).filter(|&byte| byte == b'\n').count());
        let place = line.map_or(String::new(), |line| format!("line {line}: "));
        NoSession::Broken(format!("{place}{}", error.message().lines().next().unwrap_or("not TOML")))
    })?;
    match table.get("version") {
        Some(&Value::Integer(version)) if version == i64::from(VERSION) => {}
        Some(&Value::Integer(version)) if version > i64::from(VERSION) => {
            return Err(NoSession::Newer(u32::try_from(version).unwrap_or(u32::MAX)));
        }
        _ => return Err(NoSession::Broken("its version is missing or invalid".to_owned())),
    }
    if let Ok(session) = Session::deserialize(table.clone()) {
        return Ok((session, Vec::new()));
    }
    let left_out = drop_what_does_not_fit(&mut table);
    match Session::deserialize(table) {
        Ok(session) => Ok((session, left_out)),
        Err(error) => Err(NoSession::Broken(error.message().to_owned())),
    }
}

fn drop_what_does_not_fit(table: &mut Table) -> Vec<String> {
    let mut left_out = Vec::new();
    table.retain(|key, value| {
        if fits(key, value.clone()) {
            return true;
        }
        let Value::Table(section) = value else {
            left_out.push(key.to_owned());
            return false;
        };
        section.retain(|inner, value| {
            let alone = Table::from_iter([(inner.to_owned(), value.clone())]);
            let fits = fits(key, Value::Table(alone));
            if !fits {
                left_out.push(format!("{key}.{inner}"));
            }
            fits
        });
        // Keys that fit alone fit together; should that ever change, the section goes and is named.
        let fits = fits(key, Value::Table(section.clone()));
        if !fits {
            left_out.push(key.to_owned());
        }
        fits
    });
    left_out
}

fn fits(key: &str, value: Value) -> bool {
    Session::deserialize(Table::from_iter([(key.to_owned(), value)])).is_ok()
}
