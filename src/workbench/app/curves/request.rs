//! What Curves asks the backend.

use crate::{
    runs::curves::{Metric, PlotRequest, Plotted, RasterOptions},
    workbench::app::prompt::{ExportTarget, Exported},
};

#[derive(Clone, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(name(Slot), derive(Hash))]
pub enum Request {
    Plot {
        request: PlotRequest,
        look: Box<RasterOptions>,
    },
    /// The charts of a page of the grid, each with how it is rasterized.
    Grid {
        requests: Vec<PlotRequest>,
        looks: Vec<RasterOptions>,
    },
    /// Reads the metrics of runs that were drawn from their summaries.
    ReadLines {
        runs: Vec<String>,
    },
    /// Writes curves to a file.
    Export {
        request: PlotRequest,
        target: ExportTarget,
    },
}

#[derive(Debug)]
pub enum Response {
    Plotted(Box<Plotted>),
    Grid(Vec<(Metric, Plotted)>),
    /// Whether a plot would show more now.
    LinesRead(bool),
    Exported(Exported),
}
