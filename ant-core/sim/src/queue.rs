//! A receive queue of the stack: messages wait for one consumer, up to a depth;
//! what does not fit is dropped.

use std::collections::VecDeque;

#[derive(Debug)]
pub(crate) struct Queue<M> {
    waiting: VecDeque<M>,
    served: Option<M>,
    depth: usize,
}

impl<M> Queue<M> {
    pub(crate) const fn new(depth: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            served: None,
            depth,
        }
    }

    /// Takes a message in, or gives it back if it does not fit.
    pub(crate) fn offer(&mut self, message: M) -> Result<(), M> {
        if self.waiting.len() >= self.depth {
            return Err(message);
        }
        self.waiting.push_back(message);
        Ok(())
    }

    /// Lets the consumer take the next message, and returns whether it has: it must
    /// be idle, and a message must wait.
    pub(crate) fn take(&mut self) -> bool {
        if self.served.is_none() {
            self.served = self.waiting.pop_front();
            return self.served.is_some();
        }
        false
    }

    /// Ends the consumer's work, and returns the message that it had taken.
    pub(crate) const fn done(&mut self) -> Option<M> {
        self.served.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_counts_those_that_wait_not_the_one_that_is_served() {
        let mut queue = Queue::new(2);
        assert!(!queue.take());
        assert_eq!(queue.offer(1), Ok(()));
        assert!(queue.take());
        assert!(!queue.take(), "the consumer is busy");
        assert_eq!(queue.offer(2), Ok(()));
        assert_eq!(queue.offer(3), Ok(()));
        assert_eq!(queue.offer(4), Err(4));
        assert_eq!(queue.done(), Some(1));
        assert!(queue.take());
        assert_eq!(queue.offer(5), Ok(()));
        assert_eq!(queue.done(), Some(2));
    }
}
