//! Writes curves of several runs to one file.

use std::{
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use super::{Colours, Library, PlotRequest, csv, svg};
use crate::base::atomic;

/// The kind of a file of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveFormat {
    /// A chart.
    Svg,
    /// Every value.
    Csv,
}

/// Why curves could not be written.
#[derive(Debug, thiserror::Error)]
pub enum CurveFileError {
    #[error("cannot tell the format from the name {}; use the extension .svg or .csv", .0.display())]
    NoFormat(PathBuf),
    #[error("cannot write the curves to {}: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl CurveFormat {
    pub fn from_file_name(path: &Path) -> Result<CurveFormat, CurveFileError> {
        let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match ending.as_deref() {
            Some("svg") => Ok(CurveFormat::Svg),
            Some("csv") => Ok(CurveFormat::Csv),
            _ => Err(CurveFileError::NoFormat(path.to_owned())),
        }
    }
}

impl Library {
    /// Writes a chart or all values, depending on the extension of the file, atomically.
    pub fn write(&self, request: &PlotRequest, path: &Path) -> Result<(), CurveFileError> {
        let written = match CurveFormat::from_file_name(path)? {
            CurveFormat::Svg => {
                let plotted = self.plot_complete(request);
                atomic::write_output(
                    path,
                    svg(&plotted.plot, &request.metric, &Colours::default()).as_bytes(),
                )
            }
            CurveFormat::Csv => atomic::write_output_with(path, |out| {
                let mut out = BufWriter::new(out);
                for (index, run) in request.runs.iter().enumerate() {
                    let lines = self.lines(run).map_err(io::Error::other)?;
                    csv(&mut out, run, &lines, &request.metric, (request.view.smoothing, index == 0))?;
                }
                out.flush()
            }),
        };
        written.map_err(|source| CurveFileError::Write { path: path.to_owned(), source })
    }
}
