//! Prints the page `docs/ptx-support.md`.

fn main() {
    print!("{}", warploom_ptx::support_table());
}
