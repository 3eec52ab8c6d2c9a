//! The operations of the network that candle lacks or composes from many: each is one or two launches on a GPU, and a loop on a
//! CPU, where the tests compare it with the native engine.

mod attention;
mod bag;
mod embedding;
mod loss;
mod pooling;
mod rows;
mod update;

pub use self::{
    attention::{Attention, Heads},
    loss::ReportSettings,
    rows::{Norm, Unit},
    update::{UpdateRule, UpdateTarget},
};

use super::super::random::Site;
use super::batch::{BatchDropout, Rows};

/// The masks of one site for some rows.
#[derive(Clone, Copy)]
pub struct Masks<'a> {
    pub dropout: &'a BatchDropout,
    pub rows: &'a Rows,
    pub site: u64,
}

impl Masks<'_> {
    /// What a CPU multiplies the elements of a row with.
    fn factors(self, row: usize) -> impl Fn(usize) -> f32 + use<> {
        let (document, place) = (self.rows.documents.host[row], self.rows.places.host[row]);
        let site: Site = self.dropout.host[document as usize].at(self.site);
        let (mask, scale) = (site.row(place as usize), site.scale);
        move |column| if mask.keeps(column as u32) { scale } else { 0.0 }
    }
}
