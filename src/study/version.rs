//! Which program made a table.

/// The version, and the commit if the build knew it.
pub fn version() -> String {
    let number = env!("CARGO_PKG_VERSION");
    match option_env!("MATCHBOOK_COMMIT").filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("matchbook {number} ({commit})"),
        None => format!("matchbook {number}"),
    }
}
