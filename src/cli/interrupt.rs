//! Ctrl-C and SIGTERM as a cancel token, so that commands end cleanly.

use std::time::{Duration, Instant};

use crate::base::task::CancelToken;

/// Signals this soon after the first one count as the same signal.
const SAME_SIGNAL: Duration = Duration::from_millis(500);

/// A token that every Ctrl-C or SIGTERM cancels. Repeated signals do nothing more: a cluster signals a job several times.
pub fn patient_token() -> anyhow::Result<CancelToken> {
    let token = CancelToken::new();
    let seen = token.clone();
    ctrlc::set_handler(move || seen.cancel())?;
    Ok(token)
}

/// A token that the first Ctrl-C or SIGTERM cancels; the second ends the program at once.
pub fn token() -> anyhow::Result<CancelToken> {
    let token = CancelToken::new();
    let seen = token.clone();
    let mut first = None;
    ctrlc::set_handler(move || {
        seen.cancel();
        // `timeout` and terminals signal both the process and its group, so one interrupt may arrive twice.
        if first.get_or_insert_with(Instant::now).elapsed() > SAME_SIGNAL {
            std::process::exit(1);
        }
    })?;
    Ok(token)
}
