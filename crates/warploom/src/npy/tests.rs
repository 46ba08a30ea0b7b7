use std::path::PathBuf;

use super::*;

fn file_with(bytes: &[u8]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

fn with_header(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn open(bytes: &[u8]) -> Result<(ArrayType, Vec<u8>), String> {
    let file = file_with(bytes);
    let npy = NpyFile::open(file.path()).map_err(|error| error.to_string())?;
    let mut data = Vec::new();
    npy.read(|piece| {
        data.extend_from_slice(piece);
        Ok(())
    })
    .map_err(|error| error.to_string())?;
    Ok((npy.ty, data))
}

fn ty(element: ElementType, shape: &[u64]) -> ArrayType {
    let shape = shape.to_vec();
    ArrayType { element, shape }
}

#[test]
fn reads_what_numpy_writes() {
    // NumPy wrote this file: the float32 2 i + 1 for i below 1000.
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/data");
    let (found, data) = open(&std::fs::read(examples.join("saxpy_y.npy")).unwrap()).unwrap();
    assert_eq!(found, ty(ElementType::F32, &[1000]));
    let wanted: Vec<u8> = (0..1000)
        .flat_map(|i| (2.0 * i as f32 + 1.0).to_le_bytes())
        .collect();
    assert_eq!(data, wanted);
}

#[test]
fn reads_every_version_and_order() {
    let header = "{'descr': '>u2', 'fortran_order': True, 'shape': (2, 3), }\n";
    // Columns of a matrix with the rows 1 2 3 and 4 5 6.
    let columns = [0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6];
    for version in [1, 2, 3] {
        let (found, data) = open(&with_header(version, header, &columns)).unwrap();
        assert_eq!(found, ty(ElementType::U16, &[2, 3]));
        assert_eq!(data, [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0]);
    }
    let header = "{\"shape\":(),\"fortran_order\":False,\"descr\":\"|b1\"}";
    assert_eq!(
        open(&with_header(1, header, &[1])).unwrap(),
        (ty(ElementType::Bool, &[]), vec![1])
    );
    let header = "{'descr': '<i8', 'fortran_order': False, 'shape': (0L,)}";
    assert_eq!(
        open(&with_header(1, header, &[])).unwrap(),
        (ty(ElementType::S64, &[0]), vec![])
    );
}

#[test]
fn broken_files_say_where() {
    let header = |text: &str| with_header(1, text, &[0; 16]);
    let cases: &[(Vec<u8>, &str)] = &[
        (
            b"".to_vec(),
            "byte 0: the file does not start like a `.npy` file",
        ),
        (
            b"PK\x03\x04".to_vec(),
            "byte 0: the file does not start like a `.npy` file",
        ),
        (
            b"\x93NUMPY\x01\x00\xff".to_vec(),
            "byte 9: the file ends in its header",
        ),
        (
            b"\x93NUMPY\x01\x00\xff\x00{".to_vec(),
            "byte 11: the file ends in its header",
        ),
        (
            b"\x93NUMPY\x09\x00\xff\x00{".to_vec(),
            "byte 6: there is no version 9",
        ),
        (
            b"\x93NUMPY\x02\x00\xff\xff\xff\xff{".to_vec(),
            "byte 8: a header of 4294967295 bytes is too long",
        ),
        (header("[1]"), "byte 10: expected `{`, found `[`"),
        (
            header("{'descr': '<f4'"),
            "byte 25: expected `}`, found the end of the header",
        ),
        (
            header("{'descr': '<f4', }"),
            "byte 10: the header has no `fortran_order`",
        ),
        (header("{'descr: <f4}"), "byte 11: the string does not end"),
        (
            header("{'size': 4}"),
            "byte 11: there is no header key `size`",
        ),
        (
            header("{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}"),
            "byte 20: `f4` is no type",
        ),
        (
            header("{'fortran_order': 1}"),
            "byte 28: expected `True` or `False`, found `1`",
        ),
        (
            header("{'shape': (-1,)}"),
            "byte 21: expected a length, found `-`",
        ),
        (
            header("{'shape': (99999999999999999999,)}"),
            "byte 21: the length 99999999999999999999 is larger than any memory",
        ),
        (
            header("{'descr':'<f4','fortran_order':False,'shape':(4294967296,4294967296)}"),
            "byte 10: the shape is larger than any memory",
        ),
        (
            header("{'descr':'<f4','fortran_order':False,'shape':(5,)}"),
            "it ends too early: f32[5] takes 20 bytes after the header, 16 follow",
        ),
        (
            header("{'descr':'<c8','fortran_order':False,'shape':(2,)}"),
            "its elements are `<c8`, which is no element type",
        ),
        (
            header("{'descr':[('x','<f4')],'fortran_order':False,'shape':(2,)}"),
            "its elements are `a record`, which is no element type",
        ),
    ];
    for (bytes, wanted) in cases {
        assert_eq!(open(bytes).unwrap_err(), *wanted);
    }
}

#[test]
fn an_independent_reader_understands_what_is_written() {
    for (array, descr) in [
        (ty(ElementType::F32, &[3]), "<f4"),
        (ty(ElementType::U8, &[3, 1]), "|u1"),
        (ty(ElementType::Bf16, &[]), "<u2"),
    ] {
        let mut bytes = Vec::new();
        write_header(&mut bytes, &array).unwrap();
        assert_eq!(bytes.len() % 64, 0);
        bytes.extend(vec![7; array.bytes().unwrap() as usize]);
        let read = npyz::NpyFile::new(bytes.as_slice()).unwrap();
        assert_eq!(read.shape(), array.shape);
        assert_eq!(read.dtype().descr(), format!("'{descr}'"));
        assert_eq!(read.order(), npyz::Order::C);
        assert_eq!(read.into_inner().len() as u64, array.bytes().unwrap());
    }
}

mod never_panics {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn on_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = super::parse(&bytes);
        }

        #[test]
        fn on_any_header(text in "\\{('(descr|shape|fortran_order)': ?['<f4()0-9,LTrue\\[\\] ]{0,12},? ?){0,4}\\}?") {
            let _ = super::open(&super::with_header(1, &text, &[0; 8]));
        }
    }
}
