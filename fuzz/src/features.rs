//! What an input brought about.

use std::hash::{DefaultHasher, Hash, Hasher};

use warploom::text::{Diagnostic, Spot};

/// What an input brought about, as hashes: two inputs with the same features took much the same
/// way.
#[derive(Clone, Debug, Default)]
pub struct Features(pub Vec<u64>);

impl Features {
    /// Adds one.
    pub fn add(&mut self, feature: impl Hash) {
        let mut hasher = DefaultHasher::new();
        feature.hash(&mut hasher);
        self.0.push(hasher.finish());
    }

    /// Adds a message without what it quotes and counts, so that a new name is nothing new.
    pub fn add_message(&mut self, message: &str) {
        let outside = message.split('`').step_by(2).flat_map(str::chars);
        let skeleton: String = outside.filter(|c| !c.is_ascii_digit()).collect();
        self.add(skeleton);
    }

    /// Adds diagnostics and checks that they can be shown and point into their texts.
    ///
    /// # Panics
    /// When one doesn't.
    pub fn add_diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        for diagnostic in diagnostics {
            assert!(!diagnostic.to_string().is_empty());
            for label in &diagnostic.labels {
                check_spot(&label.spot);
                self.add_message(&label.text);
            }
            self.add_message(&diagnostic.message);
        }
    }
}

fn check_spot(spot: &Spot) {
    assert!(
        spot.source.text.get(spot.span.clone()).is_some(),
        "{spot:?}"
    );
    let (line, column) = spot.line_column();
    assert!(line >= 1 && column >= 1);
}
