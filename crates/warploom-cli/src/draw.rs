//! Diagnostics as compilers draw them: the message, the source line, a mark under the place.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, normalize_untrusted_str};
use warploom::text::{Diagnostic, Label, Severity};

/// Lines of a place that are drawn; the rest of a longer one is left out.
const MAX_LINES: usize = 6;
/// Characters of a line that are drawn before and after a place that would not fit otherwise.
const MAX_COLUMNS: usize = 400;

/// Draws diagnostics.
pub struct Drawer {
    renderer: Renderer,
}

impl Drawer {
    /// With colours or without.
    pub fn new(colour: bool) -> Drawer {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        Drawer { renderer }
    }

    /// The drawing, without a line end.
    pub fn draw(&self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let mut title = level.primary_title(clean(&diagnostic.message));
        if let Some(code) = diagnostic.code {
            title = title.id(code);
        }
        let mut group = Group::with_title(title);
        for (i, label) in diagnostic.labels.iter().enumerate() {
            let kind = if i == 0 {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            group = group.element(snippet(label, kind));
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(clean(help)));
        }
        self.renderer.render(&[group])
    }
}

/// Text from strangers must not steer the terminal; line ends stay.
fn clean(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(normalize_untrusted_str).collect();
    lines.join("\n")
}

/// The lines of a place with a mark.
fn snippet(
    label: &Label,
    kind: AnnotationKind,
) -> Snippet<'static, annotate_snippets::Annotation<'static>> {
    let text = label.spot.source.text.as_str();
    let span = label.spot.span.clone();
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let ends = text[span.start..]
        .match_indices('\n')
        .map(|(at, _)| span.start + at);
    let mut last = text.len();
    for end in ends.take(MAX_LINES) {
        last = end;
        if end >= span.end {
            break;
        }
    }
    // Long lines are cut around the place.
    let from = boundary(text, start.max(span.start.saturating_sub(MAX_COLUMNS)));
    let to = boundary(
        text,
        last.min(span.end.saturating_add(MAX_COLUMNS))
            .max(span.start),
    );
    let marked = span.start - from..span.end.min(to) - from;
    let (line, _) = label.spot.line_column();
    let mut annotation = kind.span(marked);
    if !label.text.is_empty() {
        annotation = annotation.label(clean(&label.text));
    }
    Snippet::source(text[from..to].to_owned())
        .line_start(line)
        .path(clean(&label.spot.source.origin))
        .annotation(annotation)
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use warploom::text::{SourceText, Spot};

    fn draw(text: &str, span: std::ops::Range<usize>, label: &str) -> String {
        let source = Arc::new(SourceText {
            origin: "a.toml".into(),
            text: text.into(),
        });
        let diagnostic = Diagnostic::error("wrong").at(&Spot::new(&source, span), label);
        Drawer::new(false).draw(&diagnostic.help("mend it"))
    }

    #[test]
    fn the_place_is_marked_in_its_line() {
        let wanted = "\
error: wrong
 --> a.toml:2:5
  |
2 | y = 2
  |     ^ here
  |
  = help: mend it";
        assert_eq!(draw("x = 1\ny = 2\nz = 3\n", 10..11, "here"), wanted);
    }

    #[test]
    fn odd_places_are_drawn_too() {
        for (text, span) in [
            ("", 0..0),
            ("\n\n", 2..2),
            ("a\r\nb", 1..3),
            ("ä", 0..2),
            ("a\nb\nc\nd\ne\nf\ng\nh\ni\n", 0..18),
            ("\u{1b}[31mred\u{202e}", 0..5),
        ] {
            assert!(
                draw(text, span, "\u{1b}[2J").starts_with("error: wrong"),
                "{text:?}"
            );
            assert!(
                !draw(text, 0..0, "\u{1b}[2J").contains('\u{1b}'),
                "{text:?}"
            );
        }
        let long = "x".repeat(1_000_000);
        assert!(draw(&long, 500_000..500_010, "").len() < 5000);
    }
}
