//! A table of texts in the formats that people paste: aligned columns, Markdown, LaTeX, CSV, HTML.

use unicode_width::UnicodeWidthStr;

use super::{csv::CsvText, latex, markdown, markup::Markup};

/// A table with a heading for each column. The first column is text, the others are aligned on the right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextTable {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// Sentences below the table.
    pub notes: Vec<String>,
    /// The content of the sentences as rows for programs; CSV has these rows instead of the sentences.
    pub data_rows: Vec<Vec<String>>,
}

/// The format of a table.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString, strum::VariantNames,
)]
#[strum(serialize_all = "lowercase")]
pub enum TextFormat {
    #[default]
    Text,
    Markdown,
    Latex,
    Csv,
    Html,
}

impl TextFormat {
    /// The format of a file name: `.md`, `.tex`, `.csv`, `.html`; text for any other.
    pub fn of_file(path: &std::path::Path) -> TextFormat {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("md" | "markdown") => TextFormat::Markdown,
            Some("tex") => TextFormat::Latex,
            Some("csv") => TextFormat::Csv,
            Some("html" | "htm") => TextFormat::Html,
            _ => TextFormat::Text,
        }
    }
}

impl TextTable {
    pub fn written(&self, format: TextFormat) -> String {
        match format {
            TextFormat::Text => self.text(),
            TextFormat::Markdown => self.markdown(),
            TextFormat::Latex => self.latex(),
            TextFormat::Csv => self.csv(),
            TextFormat::Html => self.html(),
        }
    }

    /// Aligned columns.
    pub fn text(&self) -> String {
        let lines = || std::iter::once(&self.header).chain(&self.rows);
        let width = |place: usize| {
            lines().filter_map(|line| line.get(place)).map(|cell| cell.width()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.header.len()).map(width).collect();
        let mut out = String::new();
        for line in lines() {
            let mut text = String::new();
            for (place, (cell, width)) in line.iter().zip(&widths).enumerate() {
                let gap = " ".repeat(width.saturating_sub(cell.width()));
                match place {
                    0 => text.push_str(&format!("{cell}{gap}")),
                    _ => text.push_str(&format!("  {gap}{cell}")),
                }
            }
            out.push_str(text.trim_end());
            out.push('\n');
        }
        self.notes.iter().for_each(|note| out.push_str(&format!("{note}\n")));
        out
    }

    pub fn markdown(&self) -> String {
        let mut out = match self.title.as_str() {
            "" => String::new(),
            title => format!("# {title}\n\n"),
        };
        out.push_str(&markdown::row(self.header.iter().map(|cell| markdown::escape(cell))));
        out.push_str(&format!("|---|{}\n", "---:|".repeat(self.header.len().saturating_sub(1))));
        for row in &self.rows {
            out.push_str(&markdown::row(row.iter().map(|cell| markdown::escape(cell))));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        self.notes.iter().for_each(|note| out.push_str(&format!("- {note}\n")));
        out
    }

    /// For the package booktabs.
    pub fn latex(&self) -> String {
        let row = |cells: &[String]| latex::row(cells.iter().map(|cell| latex::escape(cell)));
        let mut out = format!(
            "\\begin{{table}}\n\\centering\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{}\\midrule\n",
            "r".repeat(self.header.len().saturating_sub(1)),
            row(&self.header)
        );
        self.rows.iter().for_each(|cells| out.push_str(&row(cells)));
        let caption: Vec<String> =
            std::iter::once(&self.title).chain(&self.notes).map(|line| latex::escape(line)).collect();
        out.push_str(&format!(
            "\\bottomrule\n\\end{{tabular}}\n\\caption{{{}}}\n\\end{{table}}\n",
            caption.join(". ").replace("..", ".")
        ));
        out
    }

    pub fn csv(&self) -> String {
        let write = || {
            let mut text = CsvText::new(&self.header)?;
            self.rows.iter().chain(&self.data_rows).try_for_each(|row| text.row(row))?;
            text.finish()
        };
        // Rows of other lengths than the header are a defect of the caller; they are left out.
        write().unwrap_or_default()
    }

    /// A table element, without the page around it.
    pub fn html(&self) -> String {
        let mut out = Markup::new();
        out.raw("<table><thead><tr>");
        for cell in &self.header {
            out.element("th", &[], cell);
        }
        out.raw("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            out.raw("<tr>");
            for cell in row {
                out.element("td", &[], cell);
            }
            out.raw("</tr>\n");
        }
        out.raw("</tbody></table>\n");
        for note in &self.notes {
            out.raw("<p><small>").text(note).raw("</small></p>\n");
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_in_every_format() {
        let table = TextTable {
            title: "Runs".to_owned(),
            header: ["", "a", "b"].map(str::to_owned).into(),
            rows: vec![["level", "full", "a|b & c"].map(str::to_owned).into()],
            notes: vec!["Scores in percent.".to_owned()],
            ..TextTable::default()
        };
        let all =
            [TextFormat::Text, TextFormat::Markdown, TextFormat::Latex, TextFormat::Csv, TextFormat::Html];
        insta::assert_snapshot!(all.map(|format| table.written(format)).join("----\n"));
    }
}
