//! Chores of the workspace, one command each.
fn main() {}
