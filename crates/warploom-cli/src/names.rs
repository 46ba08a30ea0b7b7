//! Kernel names as their source has them.

use cpp_demangle::{DemangleOptions, Symbol};

use crate::table::clean;

/// Longest name that is demangled; longer ones stay as they are.
const MOST_BYTES: usize = 4096;

/// The C++ name without parameters and return type, for tables; other names are as they are.
pub fn kernel_name(name: &str) -> String {
    let options = DemangleOptions::new().no_params().no_return_type();
    let demangled = Some(name)
        .filter(|name| name.starts_with("_Z") && name.len() <= MOST_BYTES)
        .and_then(|name| Symbol::new(name).ok())
        .and_then(|symbol| symbol.demangle_with_options(&options).ok());
    clean(&demangled.unwrap_or_else(|| name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpp_names_are_those_of_the_source() {
        for (mangled, name) in [
            ("_Z5saxpyjfPKfPf", "saxpy"),
            ("_ZN3app4sortEPi", "app::sort"),
            ("_Z6reduceILi256EEvPKfPf", "reduce<256>"),
            ("saxpy", "saxpy"),
            ("_Z5", "_Z5"),
            ("_Zero", "_Zero"),
            ("_kernel\u{1b}", "_kernel "),
        ] {
            assert_eq!(kernel_name(mangled), name);
        }
    }
}
