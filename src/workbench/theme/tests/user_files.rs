//! Theme files of users, good and bad.

use std::fs;

use tempfile::TempDir;

use crate::workbench::theme::{AnsiColor, Color, Modifier, Modifiers, Scope, Theme, ThemeSource, Themes};

/// Writes the files to a folder.
fn folder(files: &[(&str, &str)]) -> (TempDir, Themes) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let themes = Themes::with_folder(folder.path());
    (folder, themes)
}

fn check(files: &[(&str, &str)], name: &str, expected: &[&str]) -> Theme {
    let (folder, themes) = folder(files);
    let (theme, warnings) = themes.load(name);
    let prefix = format!("{}/", folder.path().display());
    let warnings: Vec<String> =
        warnings.iter().map(|warning| warning.to_string().replace(&prefix, "")).collect();
    assert_eq!(warnings, expected);
    theme
}

const RED: Option<Color> = Some(Color::Ansi(AnsiColor::Red));

#[test]
fn the_built_in_themes_have_no_warnings() {
    let names: Vec<String> = Themes::built_in().list().into_iter().map(|listed| listed.name).collect();
    assert_eq!(names, ["dark", "light", "high-contrast", "color-blind", "sixteen", "mono"]);
    for name in names {
        let (theme, warnings) = Themes::built_in().load(&name);
        assert_eq!((theme.name(), warnings), (name.as_str(), vec![]));
    }
    let (_, warnings) = Themes::built_in().load("colour-blind");
    assert_eq!(warnings, [], "the name of earlier versions");
}

#[test]
fn scopes_fall_back_to_shorter_names_and_then_to_mono() {
    let theme = check(&[("mine.toml", "ui = \"red\"\n\"ui.text\" = \"blue\"\n")], "mine", &[]);
    assert_eq!(theme.style(Scope::UiTextDim).fg, Some(Color::Ansi(AnsiColor::Blue)));
    assert_eq!(theme.style(Scope::UiTab).fg, RED);
    assert_eq!(theme.style(Scope::Changed).modifiers, Modifiers::from_iter([Modifier::Underlined]));
}

#[test]
fn the_palette_of_a_child_replaces_inherited_colors() {
    let theme = check(
        &[("mine.toml", "inherits = \"dark\"\nhit = { bg = \"accent\" }\n[palette]\naccent = \"red\"\n")],
        "mine",
        &[],
    );
    assert_eq!(theme.style(Scope::UiGauge).fg, RED);
    assert_eq!((theme.style(Scope::Hit).bg, theme.style(Scope::Hit).fg), (RED, None));
    assert_eq!(theme.style(Scope::Math), Theme::default().style(Scope::Math));
}

#[test]
fn a_users_theme_overrides_a_built_in_one_and_may_inherit_it() {
    let files = [("dark.toml", "inherits = \"dark\"\nmath = \"red\""), ("mine.toml", "inherits = \"dark\"")];
    for name in ["dark", "mine"] {
        let theme = check(&files, name, &[]);
        assert_eq!(theme.style(Scope::Math).fg, RED);
        assert_eq!(theme.style(Scope::Text), Theme::default().style(Scope::Text));
    }
    let (folder, themes) = folder(&files);
    let listed = themes.list();
    assert_eq!(listed[0].source, ThemeSource::File(folder.path().join("dark.toml")));
    assert_eq!((listed[1].source.clone(), listed[6].name.as_str()), (ThemeSource::BuiltIn, "mine"));
}

#[test]
fn missing_themes_become_dark() {
    let is_dark =
        |theme: Theme| assert_eq!(theme.style(Scope::UiTitle), Theme::default().style(Scope::UiTitle));
    is_dark(check(&[], "nope", &["themes: there is no theme `nope`; the theme dark is used"]));
    is_dark(check(&[], "../dark", &["themes: there is no theme `../dark`; the theme dark is used"]));
    is_dark(check(
        &[("a.toml", "\n\ninherits = \"b\"")],
        "a",
        &["a.toml:3: there is no theme `b` to inherit from; dark is used instead"],
    ));
    is_dark(check(
        &[("a.toml", "inherits = \"b\""), ("b.toml", "inherits = \"a\"")],
        "a",
        &["b.toml:1: themes inherit from each other in a cycle: a <- b <- a; dark is used instead"],
    ));
    is_dark(check(
        &[("a.toml", "inherits = \"a\"")],
        "a",
        &["a.toml:1: themes inherit from each other in a cycle: a <- a; dark is used instead"],
    ));
    is_dark(check(
        &[("dark.toml", "inherits = \"nope\"")],
        "dark",
        &["dark.toml:1: there is no theme `nope` to inherit from; dark is used instead"],
    ));
}

#[test]
fn a_damaged_file_is_used_as_far_as_it_goes() {
    let (folder, themes) = folder(&[("a.toml", "math = \"red\"\nhit = [\n")]);
    let (theme, warnings) = themes.load("a");
    assert!(warnings[0].to_string().contains("a.toml:2: not TOML: "), "{}", warnings[0]);
    assert_eq!(theme.style(Scope::Text), Theme::default().style(Scope::Text));
    fs::write(folder.path().join("a.toml"), [0xff, 0xfe]).unwrap();
    let (theme, warnings) = themes.load("a");
    assert!(warnings[0].to_string().contains("cannot be read (it is not UTF-8)"), "{}", warnings[0]);
    assert_eq!(theme.style(Scope::Math), Theme::default().style(Scope::Math));
}

#[test]
fn a_scope_with_an_unknown_color_falls_back() {
    let theme = check(
        &[("a.toml", "math = \"red\"\n\n\"math.number\" = \"reddish\"")],
        "a",
        &[
            "a.toml:3: unknown color `reddish` for `math.number`; use #rrggbb, 0 to 255, the name of a color or one of [palette]",
        ],
    );
    assert_eq!(theme.style(Scope::MathNumber).fg, RED);
}

#[test]
fn a_theme_cannot_hide_the_selection() {
    let theme = check(&[("a.toml", "ui = { fg = \"white\", bg = \"black\" }")], "a", &[]);
    assert!(theme.style(Scope::UiSelection).modifiers.contains(Modifier::Reversed));
}
