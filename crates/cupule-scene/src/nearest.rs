//! "Did you mean": the known word nearest to an unknown one.

/// The known word nearest to `word`, if it is near enough to be a slip of the keyboard or of memory.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 2.max(candidate.chars().count() / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance; a word that is a part of the other (`youngs` of `youngs_modulus`) is near whatever the rest.
fn distance(word: &str, candidate: &str) -> usize {
    let part = word.len() >= 3 && (candidate.contains(word) || word.contains(candidate));
    let edits = strsim::damerau_levenshtein(word, candidate);
    if part { edits.min(2) } else { edits }
}

/// `; did you mean X?` or, when nothing is near, `; known here: a, b, c`.
pub fn suggestion(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; known here: {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let known = ["youngs_modulus", "poissons_ratio", "density"];
        assert_eq!(nearest("young_modulus", known), Some("youngs_modulus"));
        assert_eq!(nearest("desnity", known), Some("density"));
        assert_eq!(nearest("zzzzzzzz", known), None);
    }
}
