//! Feasibility: Hopcroft and Karp's maximum matching (1973), and a violator of Hall's condition (1935) as the
//! proof if not all can be matched.

use std::{collections::VecDeque, fmt};

use serde::Serialize;

use super::{graph::Graph, number::Number, solver::NONE};
use crate::base::task::{CancelToken, Cancelled, Task};

/// One side of the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Rows,
    Columns,
}

/// Members of one side with fewer neighbors than members: a proof that not all can be matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HallViolator {
    pub side: Side,
    pub members: Vec<usize>,
    /// All neighbors on the other side.
    pub neighbors: Vec<usize>,
}

/// A maximum matching.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    pub column_of_row: Vec<Option<usize>>,
    pub size: usize,
}

/// A matching of all of the smaller side, or why there is none.
pub fn check<T: Number>(graph: &Graph<T>) -> Result<Matching, HallViolator> {
    check_unless(graph, &CancelToken::new())
}

/// Like [`check`], for a task that can be cancelled.
pub fn check_with<T: Number>(
    graph: &Graph<T>,
    task: &Task<'_>,
) -> Result<Result<Matching, HallViolator>, Cancelled> {
    let found = check_unless(graph, task.cancel_token());
    task.check().map(|()| found)
}

/// The result of a cancelled search is meaningless.
fn check_unless<T: Number>(graph: &Graph<T>, cancel: &CancelToken) -> Result<Matching, HallViolator> {
    if graph.rows() > graph.columns() {
        let matching = check_unless(&graph.transposed(), cancel).map_err(HallViolator::transposed)?;
        let mut column_of_row = vec![None; graph.rows()];
        for (column, row) in matching.column_of_row.iter().enumerate() {
            if let Some(row) = *row {
                column_of_row[row] = Some(column);
            }
        }
        return Ok(Matching { column_of_row, size: matching.size });
    }
    let mut search = HopcroftKarp::new(graph);
    search.run(cancel);
    match search.column_of_row.iter().position(|&column| column == NONE) {
        None => Ok(search.matching()),
        Some(row) => Err(search.violator(row)),
    }
}

/// A maximum matching, which may leave rows and columns unmatched.
pub fn maximum_matching<T: Number>(graph: &Graph<T>) -> Matching {
    let mut search = HopcroftKarp::new(graph);
    search.run(&CancelToken::new());
    search.matching()
}

impl HallViolator {
    /// The columns that have no edge at all.
    pub(super) fn without_edges(column_minima: &[f64]) -> Self {
        let empty = column_minima.iter().enumerate().filter(|(_, least)| least.is_infinite());
        Self {
            side: Side::Columns,
            members: empty.map(|(column, _)| column).collect(),
            neighbors: Vec::new(),
        }
    }

    pub(super) fn transposed(self) -> Self {
        let side = match self.side {
            Side::Rows => Side::Columns,
            Side::Columns => Side::Rows,
        };
        Self { side, ..self }
    }

    /// Whether the graph confirms this proof.
    pub fn holds<T: Number>(&self, graph: &Graph<T>) -> bool {
        if self.side == Side::Columns {
            return self.clone().transposed().holds(&graph.transposed());
        }
        let mut members = self.members.clone();
        members.sort_unstable();
        members.dedup();
        let mut is_neighbor = vec![false; graph.columns()];
        for &column in self.neighbors.iter().filter(|column| **column < graph.columns()) {
            is_neighbor[column] = true;
        }
        members.len() == self.members.len()
            && self.neighbors.len() < members.len()
            && members.iter().all(|&row| {
                row < graph.rows() && graph.targets(row).iter().all(|&column| is_neighbor[column as usize])
            })
    }
}

impl fmt::Display for HallViolator {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let (one, other) = match self.side {
            Side::Rows => ("rows", "columns"),
            Side::Columns => ("columns", "rows"),
        };
        let (members, neighbors) = (self.members.len(), self.neighbors.len());
        match (members, neighbors) {
            (1, 0) => write!(out, "{} {} has no edges", &one[..one.len() - 1], self.members[0]),
            (_, 0) => write!(out, "{members} {one} have no edges"),
            _ => write!(out, "{members} {one} have edges to only {neighbors} {other}"),
        }
    }
}

struct HopcroftKarp<'a, T> {
    graph: &'a Graph<T>,
    column_of_row: Vec<u32>,
    row_of_column: Vec<u32>,
    /// The layer of each row in the current phase.
    layer: Vec<u32>,
    /// The next edge of each row to search.
    next: Vec<u32>,
}

impl<'a, T: Number> HopcroftKarp<'a, T> {
    fn new(graph: &'a Graph<T>) -> Self {
        let rows = graph.rows();
        let mut new = Self {
            graph,
            column_of_row: vec![NONE; rows],
            row_of_column: vec![NONE; graph.columns()],
            layer: vec![NONE; rows],
            next: vec![0; rows],
        };
        for row in 0..rows {
            let free = graph.targets(row).iter().find(|&&column| new.row_of_column[column as usize] == NONE);
            if let Some(&column) = free {
                new.join(row as u32, column);
            }
        }
        new
    }

    fn join(&mut self, row: u32, column: u32) {
        self.column_of_row[row as usize] = column;
        self.row_of_column[column as usize] = row;
    }

    fn run(&mut self, cancel: &CancelToken) {
        while !cancel.is_cancelled() && self.build_layers() {
            self.next.fill(0);
            for row in 0..self.graph.rows() as u32 {
                if self.column_of_row[row as usize] == NONE {
                    if cancel.is_cancelled() {
                        return;
                    }
                    self.augment(row);
                }
            }
        }
    }

    /// Computes the layer of each row, its distance from the free rows; false if no free column is reachable.
    fn build_layers(&mut self) -> bool {
        self.layer.fill(NONE);
        let mut queue = VecDeque::new();
        for row in 0..self.graph.rows() {
            if self.column_of_row[row] == NONE {
                self.layer[row] = 0;
                queue.push_back(row);
            }
        }
        let mut last = NONE;
        while let Some(row) = queue.pop_front() {
            if self.layer[row] >= last {
                break;
            }
            for &column in self.graph.targets(row) {
                let owner = self.row_of_column[column as usize];
                if owner == NONE {
                    last = self.layer[row];
                } else if self.layer[owner as usize] == NONE {
                    self.layer[owner as usize] = self.layer[row] + 1;
                    queue.push_back(owner as usize);
                }
            }
        }
        last != NONE
    }

    /// Follows the layers from a free row to a free column, without recursion.
    fn augment(&mut self, start: u32) -> bool {
        let mut path = vec![start];
        while let Some(&row) = path.last() {
            let targets = self.graph.targets(row as usize);
            let mut place = self.next[row as usize] as usize;
            let mut deeper = None;
            while place < targets.len() && deeper.is_none() {
                let owner = self.row_of_column[targets[place] as usize];
                if owner == NONE {
                    self.flip(&path, targets[place]);
                    return true;
                }
                if self.layer[owner as usize] == self.layer[row as usize] + 1 {
                    deeper = Some(owner);
                } else {
                    place += 1;
                }
            }
            self.next[row as usize] = place as u32;
            match deeper {
                Some(owner) => path.push(owner),
                None => {
                    self.layer[row as usize] = NONE;
                    path.pop();
                }
            }
        }
        false
    }

    fn flip(&mut self, path: &[u32], free: u32) {
        let mut column = free;
        for &row in path.iter().rev() {
            let before = self.column_of_row[row as usize];
            self.join(row, column);
            self.layer[row as usize] = NONE;
            column = before;
        }
    }

    fn matching(&self) -> Matching {
        let column_of_row: Vec<Option<usize>> =
            self.column_of_row.iter().map(|&column| (column != NONE).then_some(column as usize)).collect();
        let size = column_of_row.iter().flatten().count();
        Matching { column_of_row, size }
    }

    /// The rows that alternating paths from an unmatched row reach, once no path leads to a free column. In a
    /// square problem the unreachable columns are a proof too; the smaller one is returned.
    fn violator(&self, start: usize) -> HallViolator {
        let mut is_member = vec![false; self.graph.rows()];
        let mut is_neighbor = vec![false; self.graph.columns()];
        is_member[start] = true;
        let mut waiting = vec![start];
        while let Some(row) = waiting.pop() {
            for &column in self.graph.targets(row) {
                is_neighbor[column as usize] = true;
                let owner = self.row_of_column[column as usize];
                if owner != NONE && !std::mem::replace(&mut is_member[owner as usize], true) {
                    waiting.push(owner as usize);
                }
            }
        }
        let chosen = |flags: &[bool], wanted: bool| -> Vec<usize> {
            flags.iter().enumerate().filter(|(_, flag)| **flag == wanted).map(|(place, _)| place).collect()
        };
        let rows = chosen(&is_member, true);
        let others = chosen(&is_neighbor, false);
        if self.graph.rows() == self.graph.columns() && others.len() < rows.len() {
            return HallViolator {
                side: Side::Columns,
                members: others,
                neighbors: chosen(&is_member, false),
            };
        }
        HallViolator { side: Side::Rows, members: rows, neighbors: chosen(&is_neighbor, true) }
    }
}
