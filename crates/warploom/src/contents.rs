//! What a buffer starts with, or what it is expected to hold.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::element::ElementType;
use crate::error::{InputError, InputErrorKind};
use crate::fill::Fill;
use crate::npy::{NpyFile, PIECE_BYTES};
use crate::shape::ArrayType;
use crate::text::{Diagnostic, Spot};

/// Elements as they are asked for; nothing was opened yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsPlan {
    /// Where the elements come from.
    pub source: SourcePlan,
    /// Reads the elements as this type of the same size, such as bf16 for the `u16` that a
    /// `.npy` file holds.
    pub element: Option<ElementType>,
    /// Where it was asked for.
    pub spot: Option<Spot>,
}

/// Where elements come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePlan {
    /// A rule.
    Fill(Fill, ArrayType),
    /// A `.npy` file.
    Npy {
        /// Where it lies.
        path: PathBuf,
        /// How its user calls it, for messages.
        shown: String,
    },
    /// Bytes in memory, row by row, little-endian.
    Bytes(ArrayType, Arc<[u8]>),
}

/// Elements ready to be read, of a known type and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Type and shape.
    pub ty: ArrayType,
    /// Size.
    pub bytes: u64,
    source: Source,
    spot: Option<Spot>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Fill(Fill),
    Npy(NpyFile, String),
    Bytes(Arc<[u8]>),
}

impl ContentsPlan {
    /// A rule over a whole array.
    pub fn fill(fill: Fill, ty: ArrayType) -> ContentsPlan {
        SourcePlan::Fill(fill, ty).into()
    }

    /// A `.npy` file.
    pub fn npy(path: impl AsRef<Path>) -> ContentsPlan {
        let path = path.as_ref().to_owned();
        let shown = path.display().to_string();
        SourcePlan::Npy { path, shown }.into()
    }

    /// Elements in memory: the bytes of an array, row by row and little-endian.
    pub fn bytes(ty: ArrayType, bytes: impl Into<Arc<[u8]>>) -> ContentsPlan {
        SourcePlan::Bytes(ty, bytes.into()).into()
    }

    /// Opens what has to be opened and checks it.
    ///
    /// # Errors
    /// When a `.npy` file is missing or broken, or sizes do not fit each other.
    pub fn open(&self) -> Result<Contents, InputError> {
        let (mut ty, source) = match &self.source {
            SourcePlan::Fill(fill, ty) => (ty.clone(), Source::Fill(*fill)),
            SourcePlan::Bytes(ty, bytes) => (ty.clone(), Source::Bytes(Arc::clone(bytes))),
            SourcePlan::Npy { path, shown } => {
                let file = NpyFile::open(path)
                    .map_err(|e| self.wrong(format!("cannot read array `{shown}`: {e}")))?;
                (file.ty.clone(), Source::Npy(file, shown.clone()))
            }
        };
        if let Some(element) = self.element {
            if element.bytes() != ty.element.bytes() {
                let found = ty.element;
                return Err(self.wrong(format!(
                    "{found} elements cannot be read as {element}, which has another size"
                )));
            }
            ty.element = element;
        }
        let too_large = || self.wrong(format!("`{ty}` is larger than any memory"));
        let bytes = ty.bytes().ok_or_else(too_large)?;
        if let Source::Bytes(given) = &source
            && given.len() as u64 != bytes
        {
            let count = given.len();
            return Err(self.wrong(format!("{ty} takes {bytes} bytes, {count} are given")));
        }
        Ok(Contents {
            ty,
            bytes,
            source,
            spot: self.spot.clone(),
        })
    }

    fn wrong(&self, message: String) -> InputError {
        let diagnostic = Diagnostic::error(message).maybe_at(self.spot.as_ref(), "");
        InputError::new(InputErrorKind::Array, diagnostic)
    }
}

impl From<SourcePlan> for ContentsPlan {
    fn from(source: SourcePlan) -> ContentsPlan {
        ContentsPlan {
            source,
            element: None,
            spot: None,
        }
    }
}

impl Contents {
    /// Where it was asked for.
    pub fn spot(&self) -> Option<&Spot> {
        self.spot.as_ref()
    }

    /// Whether every byte is known to be zero without looking.
    pub fn is_zero(&self) -> bool {
        self.source == Source::Fill(Fill::Zeros)
    }

    /// Hands the elements over in order, as little-endian bytes in pieces of whole elements.
    ///
    /// # Errors
    /// When a file cannot be read any more, or `sink` refuses a piece.
    pub fn read(
        &self,
        mut sink: impl FnMut(&[u8]) -> Result<(), InputError>,
    ) -> Result<(), InputError> {
        match &self.source {
            Source::Bytes(bytes) => sink(bytes),
            Source::Fill(fill) => {
                let element = self.ty.element;
                let most = usize::try_from(self.bytes).unwrap_or(PIECE_BYTES);
                let mut piece = vec![0; PIECE_BYTES.min(most)];
                let mut done = 0;
                while done < self.bytes {
                    let left = usize::try_from(self.bytes - done).unwrap_or(PIECE_BYTES);
                    let count = piece.len().min(left);
                    let piece = &mut piece[..count];
                    fill.write(element, done / element.bytes() as u64, piece);
                    sink(piece)?;
                    done += piece.len() as u64;
                }
                Ok(())
            }
            Source::Npy(file, shown) => {
                let mut refused = None;
                let read = file.read(|piece| {
                    sink(piece).map_err(|error| {
                        refused = Some(error);
                        std::io::ErrorKind::Other.into()
                    })
                });
                match (refused, read) {
                    (Some(error), _) => Err(error),
                    (None, Err(error)) => {
                        Err(InputError::file("read", shown, &error, self.spot.as_ref()))
                    }
                    (None, Ok(())) => Ok(()),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(text: &str) -> ArrayType {
        ArrayType::parse(&Spot::whole("test", text)).unwrap()
    }

    #[test]
    fn pieces_make_up_the_whole() {
        // More than two pieces, the last one short.
        let contents = ContentsPlan::fill(Fill::Iota, array("u32[600000]"))
            .open()
            .unwrap();
        let mut pieces = Vec::new();
        let mut all = Vec::new();
        contents
            .read(|piece| {
                pieces.push(piece.len());
                all.extend_from_slice(piece);
                Ok(())
            })
            .unwrap();
        assert_eq!(pieces, [1 << 20, 1 << 20, 2_400_000 - (2 << 20)]);
        assert_eq!(all[4 * 599_999..], 599_999u32.to_le_bytes());
    }

    #[test]
    fn bits_can_be_read_as_another_type_of_their_size() {
        let mut plan = ContentsPlan::bytes(array("u16[2]"), vec![0; 4]);
        plan.element = Some(ElementType::Bf16);
        assert_eq!(plan.open().unwrap().ty, array("bf16[2]"));
        plan.element = Some(ElementType::F32);
        assert_eq!(
            plan.open().unwrap_err().to_string(),
            "u16 elements cannot be read as f32, which has another size"
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = ContentsPlan::npy("no/such.npy").open().unwrap_err();
        assert_eq!(error.kind, InputErrorKind::Array);
        assert_eq!(
            error.to_string(),
            "cannot read array `no/such.npy`: there is no such file"
        );
    }
}
