//! The statistics that few runs allow.

/// Returns the median: of an even number of values the mean of the middle two. Without
/// values there is none.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    if values.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = values.get(values.len() / 2 - 1)?;
    Some(f64::midpoint(*lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let of = |values: &[f64]| median(values.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0]), Some(3.0));
        assert_eq!(of(&[3.0, 1.0]), Some(2.0));
        assert_eq!(of(&[3.0, 1.0, 100.0]), Some(3.0));
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    }
}
