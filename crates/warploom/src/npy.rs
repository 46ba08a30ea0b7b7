//! NumPy's `.npy` files, in and out, in pieces: an array is never held twice.
//!
//! A file is the magic string, a version, a header that is a Python dictionary literal with the
//! keys `descr`, `fortran_order` and `shape`, and the elements. bf16 arrays are stored as the
//! `uint16` of their bits, fp8 arrays as `uint8`.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::element::ElementType;
use crate::shape::ArrayType;

mod header;

/// Bytes read or written at a time; a multiple of every element's size.
pub(crate) const PIECE_BYTES: usize = 1 << 20;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Longest header that is read; NumPy itself stops far earlier.
const MAX_HEADER_BYTES: u64 = 1 << 16;

/// Why a file is no array that can be used.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// It cannot be opened or read.
    #[error("{}", crate::error::io_reason(.0))]
    Io(#[from] io::Error),
    /// It breaks the format, at this byte.
    #[error("byte {byte}: {what}")]
    Broken {
        /// Offset in the file.
        byte: u64,
        /// What is wrong there.
        what: String,
    },
    /// It is a right `.npy` file of a type that kernels do not have.
    #[error("its elements are `{0}`, which is no element type")]
    ElementType(String),
    /// It is shorter than its header says.
    #[error("it ends too early: {ty} takes {needed} bytes after the header, {found} follow")]
    TooShort {
        /// What the header says.
        ty: ArrayType,
        /// Bytes that the elements take.
        needed: u64,
        /// Bytes that there are.
        found: u64,
    },
}

fn broken(byte: usize, what: impl Into<String>) -> NpyError {
    NpyError::Broken {
        byte: byte as u64,
        what: what.into(),
    }
}

/// A `.npy` file whose header was read and found right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyFile {
    path: PathBuf,
    /// What it holds.
    pub ty: ArrayType,
    data_start: u64,
    column_major: bool,
    big_endian: bool,
}

impl NpyFile {
    /// Reads and checks the header and the length of the file; not the elements.
    ///
    /// # Errors
    /// When the file is missing, broken, too short, or of a type that kernels do not have.
    pub fn open(path: &Path) -> Result<NpyFile, NpyError> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        let mut prefix = Vec::new();
        // The magic string, the version and the longest length field come before the header.
        file.take(12 + MAX_HEADER_BYTES).read_to_end(&mut prefix)?;
        let (data_start, header) = parse(&prefix)?;
        let ty = header.ty;
        let too_big = || broken(10, "the shape is larger than any memory");
        let needed = ty.bytes().ok_or_else(too_big)?;
        let found = metadata.len().saturating_sub(data_start);
        if metadata.is_file() && found < needed {
            return Err(NpyError::TooShort { ty, needed, found });
        }
        Ok(NpyFile {
            path: path.to_owned(),
            ty,
            data_start,
            column_major: header.column_major,
            big_endian: header.big_endian,
        })
    }

    /// Hands the elements over in order, row by row, as little-endian bytes, in pieces of whole
    /// elements.
    ///
    /// # Errors
    /// When the file cannot be read any more, or `sink` fails.
    pub fn read(&self, mut sink: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.data_start))?;
        let total = self.ty.bytes().unwrap_or(0);
        if self.column_major && self.ty.shape.iter().filter(|&&n| n > 1).count() > 1 {
            return self.read_columns(BufReader::new(file), total, sink);
        }
        let mut piece = vec![0; PIECE_BYTES.min(usize::try_from(total).unwrap_or(PIECE_BYTES))];
        let mut left = total;
        while left > 0 {
            let count = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let piece = &mut piece[..count];
            file.read_exact(piece)?;
            self.to_little_endian(piece);
            sink(piece)?;
            left -= count as u64;
        }
        Ok(())
    }

    /// The same for elements that lie column by column: needs them all at once.
    fn read_columns(
        &self,
        file: impl Read,
        total: u64,
        mut sink: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut stored = Vec::new();
        file.take(total).read_to_end(&mut stored)?;
        if (stored.len() as u64) < total {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.to_little_endian(&mut stored);
        let bytes = self.ty.element.bytes();
        let mut rows = Vec::with_capacity(stored.len());
        for flat in 0..stored.len() / bytes {
            let at = column_major_offset(flat, &self.ty.shape) * bytes;
            rows.extend_from_slice(&stored[at..at + bytes]);
        }
        sink(&rows)
    }

    fn to_little_endian(&self, bytes: &mut [u8]) {
        if self.big_endian {
            bytes
                .chunks_exact_mut(self.ty.element.bytes())
                .for_each(<[u8]>::reverse);
        }
    }
}

/// Where the element that is number `flat` row by row lies when stored column by column.
fn column_major_offset(flat: usize, shape: &[u64]) -> usize {
    let mut rest = flat;
    let mut index = vec![0; shape.len()];
    for (at, &length) in index.iter_mut().zip(shape).rev() {
        *at = rest % (length as usize).max(1);
        rest /= (length as usize).max(1);
    }
    let mut offset = 0;
    for (&at, &length) in index.iter().zip(shape).rev() {
        offset = offset * length as usize + at;
    }
    offset
}

/// Where the elements start, and the header, from the first bytes of a file.
fn parse(prefix: &[u8]) -> Result<(u64, header::Header), NpyError> {
    if !prefix.starts_with(MAGIC) {
        return Err(broken(0, "the file does not start like a `.npy` file"));
    }
    let field = |range: std::ops::Range<usize>| {
        let end = || broken(prefix.len(), "the file ends in its header");
        prefix.get(range).ok_or_else(end)
    };
    let (start, length) = match field(6..8)? {
        [1, _] => (10, u64::from(u16::from_le_bytes(array(field(8..10)?)))),
        [2 | 3, _] => (12, u64::from(u32::from_le_bytes(array(field(8..12)?)))),
        version => return Err(broken(6, format!("there is no version {}", version[0]))),
    };
    if length > MAX_HEADER_BYTES {
        return Err(broken(8, format!("a header of {length} bytes is too long")));
    }
    let end = start + length as usize;
    let header = header::parse(field(start..end)?, start)?;
    Ok((end as u64, header))
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[..N]);
    array
}

/// Writes the magic string, version 1.0 and the header; the elements follow, row by row and
/// little-endian.
///
/// # Errors
/// When `file` cannot be written.
pub fn write_header(mut file: impl Write, ty: &ArrayType) -> io::Result<()> {
    let order = if ty.element.bytes() == 1 { '|' } else { '<' };
    let lengths: Vec<_> = ty.shape.iter().map(u64::to_string).collect();
    let shape = match lengths.as_slice() {
        [only] => format!("({only},)"),
        all => format!("({})", all.join(", ")),
    };
    let descr = ty.element.npy();
    let mut header =
        format!("{{'descr': '{order}{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    // NumPy pads with spaces and a line end, so that the elements start at a multiple of 64.
    while !(10 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    file.write_all(MAGIC)?;
    file.write_all(&[1, 0])?;
    file.write_all(&length.to_le_bytes())?;
    file.write_all(header.as_bytes())
}

/// The element type called `name` in a `.npy` header, without the byte order.
fn element_of(name: &str) -> Option<ElementType> {
    // bf16 comes after u16, whose bits stand for it.
    ElementType::ALL.iter().copied().find(|ty| ty.npy() == name)
}

#[cfg(test)]
mod tests;
