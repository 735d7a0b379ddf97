//! Things that are numbered from 0 and stay: a vector finds one sooner than a
//! tree does, and a collection looks for one with every event.

use std::{
    marker::PhantomData,
    ops::{Index, IndexMut},
};

/// The number of a thing, of a type of its own for each kind of thing.
pub(crate) trait Key: Copy {
    /// The key of the thing with this number.
    fn new(number: usize) -> Self;

    /// The number.
    fn number(self) -> usize;
}

/// Things of one kind, by their keys. Indexing is for keys that the table gave;
/// [`get`](Self::get) is for those that come from elsewhere.
#[derive(Debug)]
pub(crate) struct Table<K, T> {
    things: Vec<T>,
    keys: PhantomData<K>,
}

impl<K: Key, T> Table<K, T> {
    /// Adds a thing and returns its key.
    pub(crate) fn push(&mut self, thing: T) -> K {
        self.things.push(thing);
        K::new(self.things.len() - 1)
    }

    pub(crate) const fn len(&self) -> usize {
        self.things.len()
    }

    pub(crate) fn get(&self, key: K) -> Option<&T> {
        looked_up();
        self.things.get(key.number())
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = K> + use<K, T> {
        (0..self.things.len()).map(K::new)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, &T)> {
        self.keys().zip(&self.things).inspect(|_| looked_up())
    }

    pub(crate) fn into_values(self) -> impl Iterator<Item = T> {
        self.things.into_iter()
    }
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Self::from_iter([])
    }
}

impl<K, T> FromIterator<T> for Table<K, T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        Self {
            things: things.into_iter().collect(),
            keys: PhantomData,
        }
    }
}

impl<K: Key, T> Index<K> for Table<K, T> {
    type Output = T;

    fn index(&self, key: K) -> &T {
        looked_up();
        &self.things[key.number()]
    }
}

impl<K: Key, T> IndexMut<K> for Table<K, T> {
    fn index_mut(&mut self, key: K) -> &mut T {
        looked_up();
        &mut self.things[key.number()]
    }
}

#[cfg(test)]
thread_local! {
    /// How many things have been looked up, in all tables of this thread: what a
    /// collection does, counted so that a test can bound it.
    pub(crate) static LOOKED_UP: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

fn looked_up() {
    #[cfg(test)]
    LOOKED_UP.set(LOOKED_UP.get() + 1);
}
