//! A right matrix that many products share, packed once: a model's weights.

use super::{Avx512, Line, Panel, pack_right, panels};
use crate::model::kernels::product::View;

#[derive(Debug)]
pub struct PackedRight {
    cpu: Avx512,
    rows: usize,
    /// Each with where it begins.
    panels: Vec<(Panel, usize)>,
    lines: Vec<Line>,
}

impl PackedRight {
    /// Packs a matrix. No panel crosses one of the boundaries, so products can use the columns between any two of them.
    pub fn new(cpu: Avx512, matrix: View, boundaries: &[usize]) -> PackedRight {
        let pairs = matrix.rows.div_ceil(2);
        let mut packed = PackedRight { cpu, rows: matrix.rows, panels: vec![], lines: vec![] };
        let edges: Vec<usize> =
            std::iter::once(0).chain(boundaries.iter().copied()).chain([matrix.columns]).collect();
        let mut length = 0;
        for panel in
            edges.windows(2).filter(|edge| edge[0] < edge[1]).flat_map(|edge| panels(edge[0], edge[1]))
        {
            packed.panels.push((panel, length));
            length += pairs * panel.lines;
        }
        packed.lines = vec![Line::ZERO; length];
        for (panel, start) in &packed.panels {
            let lines = &mut packed.lines[*start..][..pairs * panel.lines];
            pack_right(cpu, matrix, *panel, 0, matrix.rows, lines);
        }
        packed
    }

    pub fn cpu(&self) -> Avx512 {
        self.cpu
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The panels between two boundaries, counted from the first of them, with a part of the inner dimension.
    pub(super) fn panels(
        &self,
        from: usize,
        to: usize,
        start: usize,
        depth: usize,
    ) -> impl Iterator<Item = (Panel, &[Line])> {
        let within = move |(panel, _): &&(Panel, usize)| from <= panel.first && panel.first < to;
        self.panels.iter().filter(within).map(move |&(panel, at)| {
            assert!(
                panel.first + panel.columns <= to,
                "the columns {from} to {to} were not packed separately"
            );
            let lines = &self.lines[at + start / 2 * panel.lines..][..depth.div_ceil(2) * panel.lines];
            (Panel { first: panel.first - from, ..panel }, lines)
        })
    }
}
