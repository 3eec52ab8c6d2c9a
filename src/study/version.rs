//! Which program made a table.

/// The name, the version, and the commit if the build knew it.
pub fn version() -> String {
    format!("matchbook {}", version_number())
}

/// The version, and the commit if the build knew it: `0.1.0 (1234abcd)`.
pub fn version_number() -> String {
    let number = env!("CARGO_PKG_VERSION");
    match option_env!("MATCHBOOK_COMMIT").filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("{number} ({commit})"),
        None => number.to_owned(),
    }
}
