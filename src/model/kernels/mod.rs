//! The arithmetic of the CPU encoder, on slices.
//!
//! Loops are written so that the compiler turns them into vectors, and [`pulp`] runs the copy that was
//! compiled for the processor at hand: releases are built for the oldest 64-bit x86. Sums run over sixteen
//! lanes in a fixed order, so a result depends neither on the width of the vectors nor on the threads.

pub mod elementwise;
pub mod gelu;
pub mod lanes;
pub mod mean;
pub mod norm;
pub mod product;
pub mod softmax;
