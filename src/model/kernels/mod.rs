//! The arithmetic of the CPU encoder, on slices.
//!
//! Loops are written so that the compiler vectorizes them, and [`vectorised`] runs the copy that was
//! compiled for the processor at hand: releases are built for the oldest 64-bit x86. Sums run over sixteen
//! lanes in a fixed order, so a result depends neither on the width of the vectors nor on the threads.

pub mod bf16;
pub mod elementwise;
pub mod gelu;
pub mod lanes;
pub mod mean;
pub mod norm;
pub mod product;
pub mod rounded;
pub mod softmax;
pub mod transpose;

/// Runs a loop in the copy that was compiled for the processor at hand.
///
/// It takes what can be called twice, though it calls it once: calling such a closure as one that can be called only
/// once goes through a function of its own, which is compiled for the oldest processor.
#[inline(always)]
pub fn vectorised<R>(work: impl FnMut() -> R) -> R {
    struct Work<F>(F);
    impl<R, F: FnMut() -> R> pulp::WithSimd for Work<F> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: pulp::Simd>(mut self, _: S) -> R {
            (self.0)()
        }
    }
    pulp::Arch::new().dispatch(Work(work))
}
