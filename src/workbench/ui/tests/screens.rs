//! What people see, at the sizes they have.

use super::{Workbench, picture};
use crate::workbench::theme::{ColorDepth, Theme};

#[test]
fn browse_at_80_by_24() {
    insta::assert_snapshot!(picture(&Workbench::demo(80, 24).buffer()));
}

#[test]
fn browse_at_120_by_40() {
    insta::assert_snapshot!(picture(&Workbench::demo(120, 40).buffer()));
}

#[test]
fn browse_at_200_by_50() {
    insta::assert_snapshot!(picture(&Workbench::demo(200, 50).buffer()));
}

#[test]
fn browse_at_20_by_5() {
    let mut workbench = Workbench::demo(20, 5);
    let mut screens = String::new();
    for _ in 0..3 {
        screens.push_str(&picture(&workbench.buffer()));
        workbench.press("tab");
    }
    insta::assert_snapshot!(screens);
}

#[test]
fn a_search_with_hits() {
    let mut workbench = Workbench::demo(120, 40);
    workbench.press("/").write("compact hausdorff");
    insta::assert_snapshot!(picture(&workbench.buffer()));
}

#[test]
fn help_above_browse() {
    insta::assert_snapshot!(Workbench::demo(100, 30).press("?").text());
}

#[test]
fn the_palette_above_browse() {
    insta::assert_snapshot!(picture(&Workbench::demo(80, 24).press(":").write("copy").buffer()));
}

#[test]
fn the_question_before_leaving_with_marks() {
    insta::assert_snapshot!(Workbench::demo(80, 24).press("space q").text());
}

/// Without colours, signs still mark the selected line and the panel with the focus.
#[test]
fn browse_without_colours() {
    let buffer = Workbench::demo(80, 24).buffer_with(&Theme::default().at(ColorDepth::None));
    let picture = picture(&buffer);
    assert!(picture.contains('▌') && picture.contains('▸'));
    assert!(
        picture.lines().filter(|line| line.contains(" on ")).all(|line| line.contains("Reset on Reset")),
        "{picture}"
    );
}
