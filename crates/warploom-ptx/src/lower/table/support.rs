//! The support table.

/// placeholder
pub fn support_table() -> String {
    String::new()
}
