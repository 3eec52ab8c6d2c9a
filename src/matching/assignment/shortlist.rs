//! Shortlists: the cheapest edges of each row at some earlier prices, and a lower bound of all others.
//!
//! Volgenant's core problem (1996), made exact on the fly: since prices only fall, an edge's reduced cost only
//! rises, and the lower bound of the unlisted edges stays valid. A search that reaches the bound renews the list.

use super::solver::Costs;

/// An edge of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub cost: f64,
    pub column: u32,
}

/// The initial length of a list.
const FEW: usize = 14;

/// All lists, in one allocation.
pub struct Shortlists {
    edges: Vec<Edge>,
    rows: Vec<Row>,
    scratch: Vec<Edge>,
}

#[derive(Clone, Copy)]
struct Row {
    start: u32,
    length: u32,
    capacity: u32,
    bound: f64,
}

/// A row's cheapest edge and the next.
pub struct Best {
    pub edge: Edge,
    pub reduced: f64,
    /// The second smallest reduced cost; infinite if there is no other edge.
    pub next: f64,
    /// Its edge.
    pub next_edge: Edge,
}

impl Shortlists {
    /// The lists of all rows at these prices.
    pub fn new(costs: &impl Costs, prices: &[f64]) -> Self {
        let mut lists = Self::on_demand(costs);
        lists.edges.reserve(costs.rows() * FEW * 2);
        for row in 0..costs.rows() {
            lists.refresh(costs, prices, row, FEW);
        }
        lists
    }

    /// Lists that are filled when a search reaches their rows, for searches that reach few.
    pub fn on_demand(costs: &impl Costs) -> Self {
        let unread = Row { start: 0, length: 0, capacity: 0, bound: f64::NEG_INFINITY };
        Self { edges: Vec::new(), rows: vec![unread; costs.rows()], scratch: Vec::with_capacity(4 * FEW) }
    }

    /// The listed edges of a row.
    #[inline]
    pub fn edges(&self, row: usize) -> &[Edge] {
        let Row { start, length, .. } = self.rows[row];
        &self.edges[start as usize..(start + length) as usize]
    }

    /// A lower bound of the reduced costs of the unlisted edges.
    #[inline]
    pub fn bound(&self, row: usize) -> f64 {
        self.rows[row].bound
    }

    /// Renews the list of a row at the current prices.
    pub fn renew(&mut self, costs: &impl Costs, prices: &[f64], row: usize) {
        self.refresh(costs, prices, row, FEW);
    }

    /// The two cheapest edges of a row at these prices; `None` for a row without edges.
    #[inline]
    pub fn best(&mut self, costs: &impl Costs, prices: &[f64], row: usize) -> Option<Best> {
        let best = self.best_at_hand(prices, row);
        let bound = self.rows[row].bound;
        if best.next <= bound {
            return (best.reduced < f64::INFINITY).then_some(best);
        }
        self.best_again(costs, prices, row)
    }

    #[cold]
    fn best_again(&mut self, costs: &impl Costs, prices: &[f64], row: usize) -> Option<Best> {
        self.refresh(costs, prices, row, FEW);
        let best = self.best_at_hand(prices, row);
        (best.reduced < f64::INFINITY).then_some(best)
    }

    #[inline]
    fn best_at_hand(&self, prices: &[f64], row: usize) -> Best {
        let nothing = Edge { cost: f64::INFINITY, column: u32::MAX };
        let mut best =
            Best { edge: nothing, reduced: f64::INFINITY, next: f64::INFINITY, next_edge: nothing };
        for &edge in self.edges(row) {
            let reduced = edge.cost - prices[edge.column as usize];
            if reduced < best.next {
                if reduced < best.reduced {
                    best = Best { edge, reduced, next: best.reduced, next_edge: best.edge };
                } else {
                    best.next = reduced;
                    best.next_edge = edge;
                }
            }
        }
        best
    }

    fn refresh(&mut self, costs: &impl Costs, prices: &[f64], row: usize, wanted: usize) {
        let bound = costs.shortlist(row, prices, wanted, &mut self.scratch);
        let place = &mut self.rows[row];
        if self.scratch.len() > place.capacity as usize {
            place.start = self.edges.len() as u32;
            place.capacity = self.scratch.len() as u32;
            self.edges.extend_from_slice(&self.scratch);
        } else {
            let start = place.start as usize;
            self.edges[start..start + self.scratch.len()].copy_from_slice(&self.scratch);
        }
        place.length = self.scratch.len() as u32;
        place.bound = bound;
    }
}

/// Keeps the `wanted` cheapest edges at these prices; returns the lower bound of the others.
pub fn keep_cheapest(list: &mut Vec<Edge>, prices: &[f64], wanted: usize) -> f64 {
    if list.len() <= wanted {
        return f64::INFINITY;
    }
    let reduced = |edge: &Edge| edge.cost - prices[edge.column as usize];
    let (_, next, _) =
        list.select_nth_unstable_by(wanted, |one, other| reduced(one).total_cmp(&reduced(other)));
    let bound = reduced(next);
    list.truncate(wanted);
    bound
}
