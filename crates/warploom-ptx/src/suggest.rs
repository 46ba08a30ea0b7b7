//! "Did you mean": the nearest of the words that would have been right.

/// The candidate nearest to `word`, if near enough to be meant.
pub(crate) fn nearest<S: AsRef<str>>(
    word: &str,
    candidates: impl IntoIterator<Item = S>,
) -> Option<S> {
    let limit = (1 + word.len() / 4).min(word.len() / 2);
    let scored = candidates.into_iter().filter_map(|candidate| {
        let distance = edit_distance(word, candidate.as_ref(), limit)?;
        Some((distance, candidate))
    });
    let best = scored.min_by_key(|(distance, _)| *distance);
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours from `a` to `b`, if no more than
/// `limit`. Compares bytes; long names are not worth the time.
fn edit_distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > limit || a.len() > 64 || b.len() > 64 {
        return None;
    }
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    (last[b.len()] <= limit).then_some(last[b.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found() {
        let words = ["global", "shared", "local"];
        assert_eq!(nearest("gloabl", words), Some("global"));
        assert_eq!(nearest("share", words), Some("shared"));
        assert_eq!(nearest("texture", words), None);
        assert_eq!(nearest("Q", ["p"]), None);
        assert_eq!(edit_distance("kitten", "sitting", 3), Some(3));
        assert_eq!(edit_distance("kitten", "sitting", 2), None);
    }
}
