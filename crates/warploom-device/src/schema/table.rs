//! How a group of fields is defined: documentation, type and range of each in one row. The struct,
//! the check of its ranges and the reference of all fields are derived from it.

/// One field of a device description, for references.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Path, as [`Device::set`](crate::Device::set) takes it.
    pub path: String,
    /// Meaning and unit.
    pub doc: String,
    /// `number`, `whole number`, `true or false`, `list`, `text`, the names it may have, or `table`
    /// for a group of fields.
    pub kind: String,
    /// Least and greatest value, where there are such.
    pub range: Option<Range>,
    /// Whether it, or the table that it is in, may be left out.
    pub optional: bool,
}

/// Least and greatest value of a number, both allowed.
pub type Range = (f64, f64);

/// A number on a walk through a device: where it is, its value, and what it may be.
pub(crate) struct Number<'a> {
    pub path: &'a str,
    pub value: f64,
    pub range: Range,
}

/// What a field can be made of.
pub(crate) trait Part {
    /// Shows `each` every number below that has a range.
    fn visit(&self, path: &str, range: Option<Range>, each: &mut dyn FnMut(Number<'_>));

    /// Adds every field below to `fields`; `field` is what is known so far.
    fn describe(field: Field, fields: &mut Vec<Field>);

    /// Whether it is left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// `prefix.name`, or `name` alone at the root.
pub(crate) fn join(prefix: &str, name: &str) -> String {
    match prefix {
        "" => name.to_owned(),
        _ => format!("{prefix}.{name}"),
    }
}

macro_rules! leaf {
    ($($type:ty, $kind:literal, $value:ident => $number:expr;)*) => {
        $(impl Part for $type {
            fn visit(&self, path: &str, range: Option<Range>, each: &mut dyn FnMut(Number<'_>)) {
                let $value = self;
                let number: Option<f64> = $number;
                if let (Some(value), Some(range)) = (number, range) {
                    each(Number { path, value, range });
                }
            }

            fn describe(field: Field, fields: &mut Vec<Field>) {
                fields.push(Field { kind: $kind.to_owned(), ..field });
            }
        })*
    };
}

leaf! {
    u32, "whole number", value => Some(f64::from(*value));
    u64, "whole number", value => Some(*value as f64);
    f64, "number", value => Some(*value);
    bool, "true or false", _value => None;
    String, "text", _value => None;
    // Lists have a range for their least element; what else they must be is checked by name.
    [u32; 3], "list", values => values.iter().min().copied().map(f64::from);
    Vec<u32>, "list", _values => None;
}

impl<T: Part> Part for Option<T> {
    fn visit(&self, path: &str, range: Option<Range>, each: &mut dyn FnMut(Number<'_>)) {
        if let Some(part) = self {
            part.visit(path, range, each);
        }
    }

    fn describe(field: Field, fields: &mut Vec<Field>) {
        T::describe(
            Field {
                optional: true,
                ..field
            },
            fields,
        );
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

/// Defines a group of fields. A row is documentation, name, type and (for numbers) the range.
macro_rules! table {
    (
        $(#[doc = $table_doc:literal])+
        $name:ident {
            $(
                $(#[doc = $doc:literal])+
                $field:ident: $type:ty $(= $low:literal..=$high:literal)?,
            )*
        }
        $(private { $($private:tt)* })?
    ) => {
        $(#[doc = $table_doc])+
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Part::is_absent")]
                pub $field: $type,
            )*
            $($($private)*)?
        }

        impl Part for $name {
            #[allow(unused_mut, unused_assignments, clippy::unnecessary_cast)]
            fn visit(&self, path: &str, _: Option<Range>, each: &mut dyn FnMut(Number<'_>)) {
                $({
                    let mut range = None;
                    $(range = Some(($low as f64, $high as f64));)?
                    self.$field.visit(&join(path, stringify!($field)), range, each);
                })*
            }

            #[allow(unused_mut, unused_assignments, clippy::unnecessary_cast)]
            fn describe(field: Field, fields: &mut Vec<Field>) {
                let (path, optional) = (field.path.clone(), field.optional);
                if !path.is_empty() {
                    fields.push(Field { kind: "table".to_owned(), ..field });
                }
                $({
                    let mut range = None;
                    $(range = Some(($low as f64, $high as f64));)?
                    let below = Field {
                        path: join(&path, stringify!($field)),
                        doc: concat!($($doc),+).trim().to_owned(),
                        kind: String::new(),
                        range,
                        optional,
                    };
                    <$type as Part>::describe(below, fields);
                })*
            }
        }
    };
}

/// Defines a choice by name. A row is documentation, variant and the name.
macro_rules! choice {
    (
        $(#[doc = $choice_doc:literal])+
        $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $text:literal, )* }
    ) => {
        $(#[doc = $choice_doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum $name {
            $( $(#[doc = $doc])+ #[serde(rename = $text)] $variant, )*
        }

        impl $name {
            /// All there are.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// Its name in device files and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }

        impl Part for $name {
            fn visit(&self, _: &str, _: Option<Range>, _: &mut dyn FnMut(Number<'_>)) {}

            fn describe(field: Field, fields: &mut Vec<Field>) {
                let kind = [$(concat!("`", $text, "`")),*].join(", ");
                fields.push(Field { kind, ..field });
            }
        }
    };
}

pub(crate) use {choice, table};
