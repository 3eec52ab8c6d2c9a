//! `matchbook compare`: shows a user's own pair at several levels.

use std::{io, path::PathBuf};

use super::{level::LevelArguments, open, output::Output, show};
use crate::{
    corpus::exchange::{read_pair, read_pair_from},
    symbols::Level,
    workbench::backend::{OpenOptions, PairFile},
    workbench::ui,
};

/// Compare a pair of your own at several levels, side by side
///
/// FILE holds a statement, a line of dashes and a proof, with mathematics between dollar signs, or one pair as a line
/// of JSON; - reads standard input and prints the pair. A first line "categories: math.PR" determines what +p protects. Without a terminal, prints the pair at the level.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  printf 'Let $x>0$.\\n---\\nThen $x^2>0$.\\n' > pair.txt\n  matchbook compare pair.txt --level full"
)]
pub struct Arguments {
    /// File with the pair; - for standard input
    file: PathBuf,
    #[command(flatten)]
    level: LevelArguments,
    #[command(flatten)]
    options: open::Options,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    let is_standard_input = arguments.file.as_os_str() == "-";
    let (article, pair) = match is_standard_input {
        true => read_pair_from(io::stdin().lock())?,
        false => read_pair(&arguments.file)?,
    };
    let replacer = arguments.level.replacer()?;
    if is_standard_input || !ui::has_terminal() {
        let pair = replacer.prepare(&pair).into_owned();
        return show::print_at(&article, &pair, &replacer, output);
    }
    let file = arguments.file.display().to_string();
    // The first column has the proof as it is; a level goes to the second.
    let column = (replacer.setting.level != Level::Conservation).then_some((replacer.setting, replacer.seed));
    let content = OpenOptions {
        corpus: Some(crate::corpus::demo::DEMO.to_owned()),
        compare: Some(PairFile { path: file, column }),
        protected: arguments
            .level
            .replacement
            .protected
            .map(|path| (replacer.protected, path.display().to_string())),
        ..OpenOptions::default()
    };
    open::open(content, arguments.options, output)
}
