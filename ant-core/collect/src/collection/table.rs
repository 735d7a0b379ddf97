//! Things that are numbered from 0 and stay: a vector finds one sooner than a
//! tree does, and a collection looks for one with every event.

#[derive(Debug)]
pub(super) struct Table<T>(Vec<T>);

impl<T> Table<T> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one; its number.
    pub(super) fn push(&mut self, one: T) -> u64 {
        self.0.push(one);
        self.0.len() as u64 - 1
    }

    /// The number that the next one will have.
    pub(super) const fn next(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn get(&self, number: u64) -> Option<&T> {
        self.0.get(usize::try_from(number).ok()?)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut T> {
        self.0.get_mut(usize::try_from(number).ok()?)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        (0..).zip(&self.0)
    }

    pub(super) fn into_vec(self) -> Vec<T> {
        self.0
    }
}
