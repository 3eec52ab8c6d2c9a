//! `matchbook themes`: lists the themes, their files and the warnings about them.

use strum::VariantArray;

use super::{
    global,
    output::{Output, printable},
    painted::Painted,
    swatch,
};
use crate::{
    base::workspace,
    workbench::theme::{ColorDepth, Scope, Theme, ThemeEntry, ThemeWarning, Themes},
};

/// List the themes of the workbench
///
/// Your own themes are files NAME.toml in the folder printed on the last line. A theme assigns styles to scopes; --scopes
/// lists them.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  matchbook themes\n  matchbook themes --color 256\n  matchbook themes --scopes"
)]
pub struct Arguments {
    /// List and describe the scopes that a theme can style
    #[arg(long)]
    scopes: bool,
    /// Print the themes as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: Arguments, output: &mut Output) -> anyhow::Result<()> {
    if arguments.scopes {
        return list_scopes(arguments.json, output);
    }
    let folder = workspace::user_themes();
    let themes = folder.as_ref().map_or_else(Themes::built_in, Themes::with_folder);
    let loaded: Vec<(ThemeEntry, Theme, Vec<ThemeWarning>)> = themes
        .list()
        .into_iter()
        .map(|entry| {
            let (theme, warnings) = themes.load(&entry.name);
            (entry, theme, warnings)
        })
        .collect();
    if arguments.json {
        return output.json(&as_json(&loaded));
    }
    let depth = ColorDepth::detect(global::color_depth(), |name| std::env::var(name).ok());
    let with_samples = output.has_colors() || global::given_depth().is_some();
    let width = loaded.iter().map(|(entry, ..)| entry.name.chars().count()).max().unwrap_or_default();
    for (entry, theme, warnings) in &loaded {
        let mut line = Painted::from(format!("{:<width$}  ", printable(&entry.name)).as_str());
        if with_samples {
            line.append(&swatch::render(&theme.at(depth)));
        }
        output.painted(line.push(&format!("  {}", printable(&entry.source.to_string()))))?;
        for warning in warnings {
            output.line(&format!("  warning: {warning}"))?;
        }
    }
    match folder {
        Some(folder) => output.line(&format!("\nput your own themes in {}", folder.display())),
        None => Ok(()),
    }
}

fn list_scopes(json: bool, output: &mut Output) -> anyhow::Result<()> {
    if json {
        let scopes: Vec<_> = Scope::VARIANTS
            .iter()
            .map(|scope| serde_json::json!({ "name": scope.to_string(), "words": scope.description() }))
            .collect();
        return output.json(&scopes);
    }
    for scope in Scope::VARIANTS {
        output.line(&format!("{:<22} {}", scope.to_string(), scope.description()))?;
    }
    Ok(())
}

fn as_json(loaded: &[(ThemeEntry, Theme, Vec<ThemeWarning>)]) -> serde_json::Value {
    let themes = loaded.iter().map(|(entry, _, warnings)| {
        let warnings: Vec<String> = warnings.iter().map(ThemeWarning::to_string).collect();
        serde_json::json!({
            "name": entry.name, "source": entry.source.to_string(), "warnings": warnings,
        })
    });
    themes.collect()
}
