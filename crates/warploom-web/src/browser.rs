//! The engine as a class of the page's language.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::Engine;

/// The engine; see [`Engine`].
#[wasm_bindgen(js_name = Engine)]
#[derive(Default)]
pub struct BrowserEngine(Engine);

#[wasm_bindgen(js_class = Engine)]
impl BrowserEngine {
    /// An engine without a launch.
    #[wasm_bindgen(constructor)]
    pub fn new() -> BrowserEngine {
        BrowserEngine::default()
    }

    /// Answers a request; see [`Engine::request`].
    pub fn request(&mut self, method: &str, params: &str) -> String {
        self.0.request(method, params)
    }
}
