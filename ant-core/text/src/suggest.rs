//! Finds the nearest valid spelling, so that an error can say what to write.

/// Returns the candidate that `word` most likely meant, if one is near: at most a
/// third of its letters are different, or one letter in a short word. A candidate
/// further away would be a guess.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&folded, &candidate.to_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the text in plain spelling: in lower case, without blanks at its ends,
/// and with plain digits and letters in place of full-width ones.
pub fn plain(text: &str) -> String {
    text.trim()
        .chars()
        .map(|c| match u32::from(c) {
            wide @ 0xFF01..=0xFF5E => char::from_u32(wide - 0xFEE0).unwrap_or(c),
            _ => c,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_another_word_does_not() {
        let words = ["hold", "release", "uncapped"];
        for (word, found) in [
            ("hodl", Some("hold")),
            ("RELAESE", Some("release")),
            ("uncaped", Some("uncapped")),
            ("fast", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, words), found, "{word:?}");
        }
    }

    #[test]
    fn plain_text_has_no_blanks_around_and_no_wide_letters() {
        assert_eq!(plain(" \u{ff28}old-\u{ff11}6 "), "hold-16");
    }
}
