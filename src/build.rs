//! Records the commit of a release build, for the line below tables. A build without git, or outside of a clone, has none,
//! and neither has a debug build, which would otherwise be rebuilt after every commit.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/build.rs");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    // a tarball inside another repository is not a clone of this one
    let is_ours = git(&["ls-files", "src/build.rs"]).is_some_and(|found| found == "src/build.rs");
    if !is_ours {
        return;
    }
    for reference in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", reference]) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    if let Some(commit) = git(&["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]) {
        println!("cargo:rustc-env=MATCHBOOK_COMMIT={commit}");
    }
}
