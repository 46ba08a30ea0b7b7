//! Scalar arithmetic against independent computations: software floating point from another code
//! base, wide integers, and values written by hand.

mod approx;
mod compare;
mod convert;
mod int;
mod minifloat;
mod narrow;
mod round;
mod support;
mod video;
