//! NumPy's array files.

use std::io::Write;

use warploom::npy::NpyFile;

use crate::Features;

/// Reads the bytes as a `.npy` file.
///
/// # Panics
/// When more or fewer elements are read than the header says, or on a mistake of Warploom's.
pub fn run(data: &[u8]) -> Features {
    let mut features = Features::default();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("room for a temporary file");
    match NpyFile::open(file.path()) {
        Ok(array) => {
            features.add(array.ty.element.name());
            features.add(array.ty.shape.len());
            let mut bytes = 0;
            let read = array.read(|piece| {
                bytes += piece.len() as u64;
                Ok(())
            });
            read.expect("the file is as long as its header says");
            assert_eq!(Some(bytes), array.ty.bytes());
        }
        Err(error) => features.add_message(&error.to_string()),
    }
    features
}
