//! Ctrl-C and SIGTERM: finish cleanly.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that is set by the first Ctrl-C or SIGTERM; the second ends the program at once.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    })?;
    Ok(flag)
}
