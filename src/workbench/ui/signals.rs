//! Unix signals: terminate, suspend, continue.

use crossbeam_channel::Sender;

/// A signal that the event loop handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    Terminate,
    Suspend,
    Continue,
}

/// Forwards signals from a thread of its own until the receiver is gone.
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
                _ => Signal::Terminate,
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
    // If the system refuses, the workbench simply continues.
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}

#[cfg(not(unix))]
pub fn listen(_: Sender<Signal>) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub fn stop() {}
