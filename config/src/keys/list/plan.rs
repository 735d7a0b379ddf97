//! The keys that say how one tree asks for its candidates: a key for each field of
//! [`ant_collect::Plan`], by the same name and with the same default, which a test
//! compares.

use std::time::Duration;

use ant_collect::POOL_SIZE;

use crate::keys::{key::Key, kind::Kind};

/// How long to wait for one peer.
const WAIT: Kind = Kind::Span {
    low: Duration::from_millis(100),
    high: Duration::from_mins(10),
};

/// In the order of a profile.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "plan.ask",
        variable: "ANT_MERKLE_ASK",
        flag: "ask",
        kind: Kind::Count {
            low: POOL_SIZE as u64,
            high: 256,
            unit: "peers a pool",
        },
        default: Some("32"),
        summary: "how many peers each pool asks, the closest ones found",
        reason: "what the network's published client asks: twice what a pool needs",
        example: "20",
    },
    Key {
        name: "plan.first",
        variable: "ANT_MERKLE_FIRST",
        flag: "first",
        kind: Kind::Count {
            low: POOL_SIZE as u64,
            high: 256,
            unit: "peers a pool",
        },
        default: None,
        summary: "how many of those are asked at once, the closest first; the others are asked \
                  only in place of peers that fail or are slow",
        reason: "the network's published client asks all of them at once",
        example: "18",
    },
    Key {
        name: "plan.finish",
        variable: "ANT_MERKLE_FINISH",
        flag: "finish",
        kind: Kind::Choice(&["all", "decided"]),
        default: Some("all"),
        summary: "when a pool is finished: with `all` once every peer asked has answered or failed, \
                  with `decided` once no awaited answer could change it",
        reason: "what the network's published client does",
        example: "decided",
    },
    Key {
        name: "plan.substitutes",
        variable: "ANT_MERKLE_SUBSTITUTES",
        flag: "substitutes",
        kind: Kind::Count {
            low: 0,
            high: 7,
            unit: "peers a pool",
        },
        default: Some("0"),
        summary: "how many of the 16 closest peers may be missing from a decided pool because \
                  they have not answered yet; storers accept up to 7 of 16 that they would not \
                  have chosen",
        reason: "the closest 16 are what the network expects",
        example: "2",
    },
    Key {
        name: "plan.reasks",
        variable: "ANT_MERKLE_REASKS",
        flag: "reasks",
        kind: Kind::Count {
            low: 0,
            high: 1024,
            unit: "requests a tree",
        },
        default: Some("0"),
        summary: "how many requests of a tree may be repeated, to slow peers that are known to \
                  answer such requests",
        reason: "the network's published client waits for the timeout",
        example: "64",
    },
    Key {
        name: "plan.witnesses",
        variable: "ANT_MERKLE_WITNESSES",
        flag: "witnesses",
        kind: Kind::Count {
            low: 0,
            high: 16,
            unit: "peers a lookup",
        },
        default: Some("0"),
        summary: "how many of the closest peers a lookup finds and asks who is near them; with 0 \
                  a lookup finds and confirms every peer itself",
        reason: "what the network's published client does",
        example: "5",
    },
    Key {
        name: "plan.lookups",
        variable: "ANT_MERKLE_LOOKUPS",
        flag: "lookups",
        kind: Kind::Count {
            low: 1,
            high: 64,
            unit: "lookups",
        },
        default: Some("16"),
        summary: "how many lookups run at once",
        reason: "what the network's published client does: all lookups of a tree",
        example: "4",
    },
    Key {
        name: "plan.queue_lookups",
        variable: "ANT_MERKLE_QUEUE_LOOKUPS",
        flag: "queue-lookups",
        kind: Kind::Count {
            low: 1,
            high: 64,
            unit: "lookups a queue",
        },
        default: None,
        summary: "how many lookups run at once for each receive queue that the known peers' \
                  answers share",
        reason: "the network's published client does not look at queues",
        example: "3",
    },
    Key {
        name: "plan.hedges",
        variable: "ANT_MERKLE_HEDGES",
        flag: "hedges",
        kind: Kind::Count {
            low: 0,
            high: 256,
            unit: "lookups a tree",
        },
        default: Some("0"),
        summary: "how many lookups of a tree may be started a second time, those that take much \
                  longer than the others",
        reason: "the network's published client waits for the first",
        example: "16",
    },
    Key {
        name: "plan.dials",
        variable: "ANT_MERKLE_DIALS",
        flag: "dials",
        kind: Kind::Count {
            low: 0,
            high: 64,
            unit: "peers",
        },
        default: Some("0"),
        summary: "how many peers without a connection are dialled at once; with 0 as many as the \
                  strategy lets go",
        reason: "what the network's published client does",
        example: "16",
    },
    Key {
        name: "plan.request_timeout",
        variable: "ANT_MERKLE_REQUEST_TIMEOUT",
        flag: "request-timeout",
        kind: WAIT,
        default: Some("10s"),
        summary: "how long a peer has for an answer, from when the request was sent",
        reason: "what the network's published client waits",
        example: "5s",
    },
    Key {
        name: "plan.probe_ceiling",
        variable: "ANT_MERKLE_PROBE_CEILING",
        flag: "probe-ceiling",
        kind: WAIT,
        default: Some("15s"),
        summary: "the longest that a versioned request waits before the legacy one is tried",
        reason: "what the network's published client waits at most",
        example: "3s",
    },
];
