//! The `matchbook` program: parse the arguments, run the command, set the exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    matchbook::cli::main()
}
