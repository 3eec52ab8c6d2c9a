//! What `--version` prints.

use std::sync::OnceLock;

use crate::study::version::version_number;

/// The features that this build was made with.
const FEATURES: [(&str, bool); 3] = [
    ("cuda", cfg!(feature = "cuda")),
    ("cudnn", cfg!(feature = "cudnn")),
    ("metal", cfg!(feature = "metal")),
];

/// The version, the commit and the features: `0.1.0 (1234abcd) [cuda]`.
pub fn text() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let enabled: Vec<&str> =
            FEATURES.into_iter().filter(|(_, enabled)| *enabled).map(|(name, _)| name).collect();
        let features = if enabled.is_empty() { "CPU only".to_owned() } else { enabled.join(", ") };
        format!("{} [{features}]", version_number())
    })
}
