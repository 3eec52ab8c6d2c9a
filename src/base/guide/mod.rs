//! The guide: chapters in `assets/guide`, embedded in the program.
//!
//! `matchbook guide` and the workbench show the same lines. A test in `cli/guide.rs` writes the chapters that are generated
//! (keys, command line).

mod render;

pub use render::{GuideLine, LineStyle, render};

/// A chapter of the guide.
pub struct Chapter {
    /// What `matchbook guide NAME` calls it; also the name of its file.
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! chapters {
    ($($name:literal)*) => {
        &[$(Chapter { name: $name, text: include_str!(concat!("../../../assets/guide/", $name, ".md")) }),*]
    };
}

/// The chapters, in reading order.
pub static CHAPTERS: &[Chapter] = chapters! {
    "tutorial"
    "your-own-corpus"
    "replacement-levels"
    "training"
    "gpus-and-clusters"
    "matching-and-decoders"
    "find"
    "match"
    "explanations"
    "studies"
    "runs-and-files"
    "workbench"
    "keys"
    "command-line"
    "formats"
    "benchmarks"
    "robustness"
    "design-notes"
};

impl Chapter {
    /// Finds a chapter by its name or by the beginning of its name, if only one begins like that.
    pub fn find(name: &str) -> Option<&'static Chapter> {
        let mut similar = Chapter::beginning_with(name);
        match CHAPTERS.iter().find(|chapter| chapter.name == name) {
            Some(chapter) => Some(chapter),
            None => similar.next().filter(|_| similar.next().is_none()),
        }
    }

    /// The chapters whose names begin with a text.
    pub fn beginning_with(start: &str) -> impl Iterator<Item = &'static Chapter> {
        CHAPTERS.iter().filter(move |chapter| chapter.name.starts_with(start))
    }

    /// The heading of the chapter.
    pub fn title(&self) -> &'static str {
        self.text.lines().next().unwrap_or(self.name).trim_start_matches(['#', ' '])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chapter_has_a_title_is_short_and_is_found_by_a_prefix() {
        for chapter in CHAPTERS {
            assert!(chapter.text.starts_with("# "), "{}", chapter.name);
            let is_generated = ["keys", "command-line"].contains(&chapter.name);
            assert!(is_generated || chapter.text.lines().count() < 200, "{}", chapter.name);
            assert_eq!(Chapter::find(chapter.name).unwrap().name, chapter.name);
        }
        assert_eq!(Chapter::find("expl").unwrap().title(), "Explanations");
        assert!(Chapter::find("no such chapter").is_none());
        assert!(Chapter::find("").is_none());
    }

    #[test]
    fn every_file_of_the_folder_is_a_chapter_and_links_lead_to_chapters() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/guide");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".md")?.to_owned()))
            .collect();
        let mut names: Vec<&str> = CHAPTERS.iter().map(|chapter| chapter.name).collect();
        files.sort_unstable();
        names.sort_unstable();
        assert_eq!(files, names);
        for chapter in CHAPTERS {
            for link in chapter.text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
                let Some(name) = link.0.split('#').next().and_then(|target| target.strip_suffix(".md"))
                else {
                    continue;
                };
                assert!(names.contains(&name), "{} links to {name}, which is no chapter", chapter.name);
            }
        }
    }
}
