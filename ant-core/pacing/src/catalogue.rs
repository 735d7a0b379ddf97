//! Lists every strategy as data, so that parsing, both written forms, the schema
//! of profiles, `ant strategy` and the tests all follow from one list.

use crate::{
    FieldKind, PacingStrategy, Value,
    strategies::{Aimd, Hold, Release, Shard, Uncapped},
};

/// One strategy: its name, what numbers it takes, and what people should know.
#[derive(Debug)]
pub struct Entry {
    /// The name, the first part of every spec.
    pub name: &'static str,
    /// What a spec looks like, with a capital letter for each number.
    pub grammar: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// What to know before choosing it.
    pub manual: Manual,
    /// The numbers of a spec, in the order the short form has them.
    pub fields: &'static [Field],
    /// Specs to try. A suggestion for a spec that lacks numbers takes them from the
    /// first.
    pub examples: &'static [&'static str],
    /// Says what is wrong with the values taken together, such as numbers that
    /// must rise and do not; `None` where they go together.
    pub(crate) check: fn(&[Value]) -> Option<String>,
    /// Makes the strategy from its values: one for each field, in their order.
    pub(crate) build: fn(&[Value]) -> Box<dyn PacingStrategy>,
}

/// What `ant strategy explain` says of a strategy.
#[derive(Debug)]
pub struct Manual {
    /// When an exchange may leave.
    pub lets_go_when: &'static str,
    /// When its slot is free for the next.
    pub frees_a_slot_when: &'static str,
    /// What it learns from, if anything.
    pub learns_from: &'static str,
    /// When to choose it.
    pub use_it_when: &'static str,
    /// What it costs.
    pub beware: &'static str,
}

/// One number of a spec.
#[derive(Debug)]
pub struct Field {
    /// Its key in the table form.
    pub name: &'static str,
    /// The capital letter that stands for it in the grammar.
    pub letter: char,
    /// What it counts, and its bounds.
    pub kind: FieldKind,
    /// One line on what it means.
    pub summary: &'static str,
}

impl Field {
    /// Reads this field's value from text.
    ///
    /// # Errors
    ///
    /// When the text is not a value of the field's kind: says why, and what the
    /// field takes.
    pub fn read(&self, text: &str) -> Result<Value, String> {
        let (name, expected) = (self.name, self.kind.expected());
        let value = self.kind.read(text);
        value.map_err(|why| format!("`{text}` {why}; `{name}` is {expected}"))
    }
}

/// Returns all strategies, the simplest first.
pub const fn all() -> &'static [Entry] {
    CATALOGUE
}

/// Returns the strategy of this name, spelt exactly.
pub fn find(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

const SLOTS: Field = Field {
    name: "slots",
    letter: 'N',
    kind: FieldKind::Count,
    summary: "how many exchanges may hold a slot at a time",
};

fn anything(_: &[Value]) -> Option<String> {
    None
}

static CATALOGUE: &[Entry] = &[
    Entry {
        name: "uncapped",
        grammar: "uncapped",
        summary: "no pacing: every request leaves as soon as its pool knows whom to ask",
        manual: Manual {
            lets_go_when: "at once",
            frees_a_slot_when: "there are no slots",
            learns_from: "nothing",
            use_it_when: "you need the reference, or your peers have many addresses and your \
                          host has cores to spare",
            beware: "about 500 answers arrive in one burst; where peers share an address they \
                     share a receive queue of 32, and what does not fit is dropped",
        },
        fields: &[],
        examples: &["uncapped"],
        check: anything,
        build: |_| Box::new(Uncapped),
    },
    Entry {
        name: "hold",
        grammar: "hold-N",
        summary: "N slots, each held until its exchange has ended, retries included",
        manual: Manual {
            lets_go_when: "fewer than N exchanges hold a slot",
            frees_a_slot_when: "the exchange has ended: answered, refused or given up on",
            learns_from: "nothing",
            use_it_when: "losing answers costs more than waiting: a small or loaded host, a \
                          testnet on one machine",
            beware: "a silent peer keeps its slot through the versioned request's timeout and \
                     the legacy retry's, up to 10 + 10 s by default; N of them stop the tree \
                     for that long",
        },
        fields: &[SLOTS],
        examples: &["hold-16", "hold-32"],
        check: anything,
        build: |values| Box::new(Hold::new(values[0].count())),
    },
    Entry {
        name: "release",
        grammar: "release-T-N",
        summary: "N slots, each free again when its exchange has ended or after T",
        manual: Manual {
            lets_go_when: "fewer than N exchanges hold a slot",
            frees_a_slot_when: "the exchange has ended, or T after it was let go; the request \
                                itself goes on and its answer still counts",
            learns_from: "nothing",
            use_it_when: "some peers are silent or slow and the rest should not queue behind \
                          them",
            beware: "requests outstanding may exceed N: where answers take longer than T, the \
                     cap is N for every T, not N at a time",
        },
        fields: &[
            Field {
                name: "after",
                letter: 'T',
                kind: FieldKind::Duration,
                summary: "how long an exchange may keep its slot",
            },
            SLOTS,
        ],
        examples: &["release-2s-16"],
        check: anything,
        build: |values| Box::new(Release::new(values[0].duration(), values[1].count())),
    },
    Entry {
        name: "shard",
        grammar: "shard-N",
        summary: "N slots for each receive queue of the network's stack, none held by a slow peer",
        manual: Manual {
            lets_go_when: "fewer than N exchanges hold a slot whose answers share a receive queue \
                           with this one's",
            frees_a_slot_when: "the exchange has ended, or is slow: it has taken twice what nine \
                                in ten answers of its tree took; the request itself goes on",
            learns_from: "nothing; the queue follows from the peer's address",
            use_it_when: "one setting must do for a testnet on one machine, where it is hold-N, \
                          and for a wide network, where it lets up to eight times as many go",
            beware: "peers at unknown addresses, and those behind a relay, share a queue with \
                     others than it thinks",
        },
        fields: &[SLOTS],
        examples: &["shard-16"],
        check: anything,
        build: |values| Box::new(Shard::new(values[0].count())),
    },
    Entry {
        name: "aimd",
        grammar: "aimd-L-N-M",
        summary: "N slots a receive queue to start with, more while nothing is lost, half when it is",
        manual: Manual {
            lets_go_when: "fewer exchanges than the queue has slots now hold one there",
            frees_a_slot_when: "the exchange has ended, or is slow: it has taken twice what nine \
                                in ten answers of its tree took; the request itself goes on",
            learns_from: "answers that came while others waited (one slot more for every 4), and \
                          proven losses alone (half of the slots, once a burst); silence teaches \
                          nothing",
            use_it_when: "you do not know how much the host can take, and clients live for many \
                          payments: with `@client` what is learnt stays",
            beware: "a loss is proven by the end of a timeout, often after the tree; what a \
                     payment learns of its own is little",
        },
        fields: &[
            Field {
                name: "min",
                letter: 'L',
                kind: FieldKind::Count,
                summary: "the fewest slots a queue is cut to",
            },
            SLOTS,
            Field {
                name: "max",
                letter: 'M',
                kind: FieldKind::Count,
                summary: "the most slots a queue grows to",
            },
        ],
        examples: &["aimd-8-16-32"],
        check: |values| {
            let [min, start, max] = [0, 1, 2].map(|at| values[at].count());
            let rising = min <= start && start <= max;
            (!rising).then(|| format!("its numbers must rise, and {min}, {start}, {max} do not"))
        },
        build: |values| {
            let [min, start, max] = [0, 1, 2].map(|at| values[at].count());
            Box::new(Aimd::new(min, start, max))
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_plain() {
        let names: BTreeSet<_> = all().iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all().len());
        for name in names {
            assert!(
                name.bytes().all(|byte| byte.is_ascii_lowercase()),
                "{name}: letters only, or a spec could not be split into name and numbers"
            );
        }
    }

    #[test]
    fn the_grammar_names_every_field() {
        for entry in all() {
            let letters: Vec<_> = entry.fields.iter().map(|field| field.letter).collect();
            let written: Vec<_> = entry
                .grammar
                .chars()
                .filter(char::is_ascii_uppercase)
                .collect();
            assert_eq!(letters, written, "{}", entry.name);
        }
    }

    #[test]
    fn fields_of_one_name_are_of_one_kind() {
        let fields = || all().iter().flat_map(|entry| entry.fields);
        for field in fields() {
            assert!(
                fields().all(|other| other.name != field.name || other.kind == field.kind),
                "a profile has one key `{}`, whatever the strategy",
                field.name
            );
            assert!(
                !["strategy", "scope", "weight"].contains(&field.name),
                "{} is a key of its own",
                field.name
            );
        }
    }
}
