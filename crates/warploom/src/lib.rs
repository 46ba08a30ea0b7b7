//! Warploom's front door.

pub mod arg;
pub mod contents;
pub mod element;
pub mod error;
mod files;
pub mod fill;
pub mod launch_file;
pub mod npy;
pub mod plan;
pub mod scalar;
pub mod shape;
pub mod text;
