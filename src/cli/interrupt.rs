//! Ctrl-C and SIGTERM: finish cleanly.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Signals that come this soon after the first are the first.
const SAME_WISH: Duration = Duration::from_millis(500);

/// A flag that is set by every Ctrl-C or SIGTERM, and nothing more happens: a cluster signals a job more than once.
pub fn patient_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    ctrlc::set_handler(move || seen.store(true, Ordering::Relaxed))?;
    Ok(flag)
}

/// A flag that is set by the first Ctrl-C or SIGTERM; the second ends the program at once.
pub fn flag() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let mut first = None;
    ctrlc::set_handler(move || {
        seen.store(true, Ordering::Relaxed);
        // `timeout` and terminals signal a process and its group, which is one wish told twice.
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
            std::process::exit(1);
        }
    })?;
    Ok(flag)
}
