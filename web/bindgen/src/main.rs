//! `warploom-bindgen WASM FOLDER`: writes the engine as a JavaScript module with its WebAssembly.
//!
//! It is the library behind `wasm-bindgen`'s own command, so that its version is the one in the lock
//! file and nothing has to be installed.

use std::env;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [wasm, folder] = arguments.as_slice() else {
        eprintln!("usage: warploom-bindgen WASM FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let done = bindgen
        .input_path(wasm)
        .out_name("engine")
        .typescript(true)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
