//! What a figure is, so that one list of figures feeds the medians, the table, the
//! JSON document and the documentation: see `run.rs`.

/// A number that runs have, as an entry of the list. `R` is what it is read from.
#[derive(Debug)]
pub(crate) struct Figure<R> {
    /// Its key in JSON.
    pub(crate) name: &'static str,
    /// What it counts, or what it is measured in.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for the documentation, which a test compares")
    )]
    pub(crate) unit: &'static str,
    /// Its value, or `None` if that is unknown.
    pub(crate) read: fn(&R) -> Option<f64>,
    /// Its column in the table for people, if it has one.
    pub(crate) column: Option<Column>,
}

/// A column of the table for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) shown: Shown,
}

/// How a column shows an arm's runs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shown {
    /// Their median, with this many decimals.
    Median(usize),
    /// The value of every run, because one bad run in three is what it is about.
    EachRun,
}

/// A column of medians.
pub(crate) const fn median(heading: &'static str, decimals: usize) -> Column {
    let shown = Shown::Median(decimals);
    Column { heading, shown }
}

/// A column of every run's own value.
pub(crate) const fn each_run(heading: &'static str) -> Column {
    let shown = Shown::EachRun;
    Column { heading, shown }
}

/// A field of a run that may have a number.
pub(crate) trait Value {
    fn value(&self) -> Option<f64>;
}

impl Value for Option<f64> {
    fn value(&self) -> Self {
        *self
    }
}

impl Value for Option<u32> {
    fn value(&self) -> Option<f64> {
        self.map(f64::from)
    }
}

impl Value for Option<u64> {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn value(&self) -> Option<f64> {
        self.map(|count| count as f64)
    }
}

impl Value for Option<usize> {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn value(&self) -> Option<f64> {
        self.map(|count| count as f64)
    }
}
