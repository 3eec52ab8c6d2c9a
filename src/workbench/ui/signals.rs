//! Signals of the system: to leave, to step aside, to come back.

use crossbeam_channel::Sender;

/// What the system asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Leave,
    Suspend,
    Continue,
}

/// Listens in a thread of its own until the workbench is gone.
#[cfg(unix)]
pub fn listen(out: Sender<Signal>) -> std::io::Result<()> {
    use signal_hook::{
        consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
    let report = move || {
        for signal in signals.forever() {
            let signal = match signal {
                SIGTSTP => Signal::Suspend,
                SIGCONT => Signal::Continue,
                _ => Signal::Leave,
            };
            if out.send(signal).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(report).map(drop)
}

/// Stops this process, as Ctrl-Z does, until the shell continues it.
#[cfg(unix)]
pub fn stop() {
    // Nothing can be done when the system refuses; the workbench then simply comes back.
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}

#[cfg(not(unix))]
pub fn listen(_: Sender<Signal>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn stop() {}
