//! Every key there is, as data: the one list that parsing, flags, help, the
//! schema, `ant profile new`, the README's table and the tests walk.

use std::{fmt::Write, time::Duration};

use crate::{key::Key, kind::Kind};

/// What all our variables start with. Others that start with `ANT_` belong to
/// other programs and are left alone.
pub(crate) const PREFIX: &str = "ANT_MERKLE_";

/// The key of this name.
pub(crate) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// What a profile's file says of itself, beside keys.
pub(crate) const FILE_WORDS: &[(&str, &str)] = &[
    ("description", "one line on what the profile is for"),
    ("extends", "the profile that this one starts from"),
];

const SECOND: Duration = Duration::from_secs(1);
const TEN_MINUTES: Duration = Duration::from_mins(10);
const WAIT: Kind = Kind::Span {
    low: Duration::from_millis(100),
    high: TEN_MINUTES,
};

/// Every key, in the order of a profile.
pub const KEYS: &[Key] = &[
    Key {
        name: "profile",
        variable: "ANT_MERKLE_PROFILE",
        flag: "profile",
        kind: Kind::NameOrPath,
        default: Some("local"),
        summary: "the profile to start from",
        reason: "it needs no network and pays nothing",
        example: "testnet",
    },
    Key {
        name: "pacing.strategy",
        variable: "ANT_MERKLE_STRATEGY",
        flag: "strategy",
        kind: Kind::Strategy,
        default: Some("hold-16"),
        summary: "the pacing strategy; it replaces what lower layers say of the pacing",
        reason: "the safest of the four that the network's engineers measured",
        example: "release-2s-16",
    },
    Key {
        name: "pacing.slots",
        variable: "ANT_MERKLE_CAP",
        flag: "cap",
        kind: Kind::Slots,
        default: None,
        summary: "the strategy's slots; as variable or flag also `uncapped` or a whole strategy",
        reason: "the strategy says it",
        example: "24",
    },
    Key {
        name: "pacing.after",
        variable: "ANT_MERKLE_AFTER",
        flag: "after",
        kind: Kind::Span {
            low: Duration::from_nanos(1),
            high: Duration::MAX,
        },
        default: None,
        summary: "after how long a slot is free, of a strategy that says so",
        reason: "the strategy says it",
        example: "500ms",
    },
    Key {
        name: "pacing.scope",
        variable: "ANT_MERKLE_SCOPE",
        flag: "scope",
        kind: Kind::Choice(&["payment", "client"]),
        default: None,
        summary: "whether each payment has its own slots, or all of a client share them",
        reason: "the strategy says it",
        example: "client",
    },
    Key {
        name: "ab",
        variable: "ANT_MERKLE_AB",
        flag: "ab",
        kind: Kind::Arms,
        default: None,
        summary: "arms, of which each payment draws one by weight, in place of the pacing",
        reason: "comparing is a choice",
        example: "hold-32:2,uncapped:1",
    },
    Key {
        name: "network.kind",
        variable: "ANT_MERKLE_NETWORK",
        flag: "network",
        kind: Kind::Choice(&["embedded", "wan", "remote"]),
        default: Some("embedded"),
        summary: "a testnet in this process, on loopback or on a wide-area network in a box; or a \
                  network that is joined",
        reason: "it needs nothing else",
        example: "remote",
    },
    Key {
        name: "network.scenario",
        variable: "ANT_MERKLE_SCENARIO",
        flag: "scenario",
        kind: Kind::NameOrPath,
        default: Some("residential"),
        summary: "the wide-area network: a shipped scenario, or a file",
        reason: "the network's nodes are at people's homes",
        example: "lossy",
    },
    Key {
        name: "network.bootstrap",
        variable: "ANT_MERKLE_BOOTSTRAP",
        flag: "bootstrap",
        kind: Kind::Addresses,
        default: Some(""),
        summary: "addresses to join a remote network through",
        reason: "no network is guessed",
        example: "127.0.0.1:20000",
    },
    Key {
        name: "network.local",
        variable: "ANT_MERKLE_LOCAL",
        flag: "local",
        kind: Kind::Switch,
        default: Some("true"),
        summary: "whether the network is on loopback",
        reason: "the embedded testnet is",
        example: "false",
    },
    Key {
        name: "network.ipv6",
        variable: "ANT_MERKLE_IPV6",
        flag: "ipv6",
        kind: Kind::Switch,
        default: Some("false"),
        summary: "whether to use IPv6 as well",
        reason: "many hosts have an IPv6 that leads nowhere",
        example: "true",
    },
    Key {
        name: "network.join_within",
        variable: "ANT_MERKLE_JOIN_WITHIN",
        flag: "join-within",
        kind: Kind::Span {
            low: SECOND,
            high: TEN_MINUTES,
        },
        default: Some("30s"),
        summary: "how long joining may take",
        reason: "a dead address takes 10 s, and the next one is to have its turn",
        example: "45s",
    },
    Key {
        name: "plan.ask",
        variable: "ANT_MERKLE_ASK",
        flag: "ask",
        kind: Kind::Count {
            low: 16,
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
            low: 16,
            high: 256,
            unit: "peers a pool",
        },
        default: None,
        summary: "how many of those a pool asks at once, the closest first; the others only in place \
                  of peers that fail or are slow",
        reason: "the network's published client asks all at once",
        example: "18",
    },
    Key {
        name: "plan.finish",
        variable: "ANT_MERKLE_FINISH",
        flag: "finish",
        kind: Kind::Choice(&["all", "decided"]),
        default: Some("all"),
        summary: "whether a pool waits for all it has asked, or until nobody could change it",
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
        summary: "how many of the 16 closest may be missing from a decided pool because they have \
                  not answered yet; storers accept 7 of 16 that they would not have chosen",
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
        summary: "how many requests may be repeated, of peers known to be able that are slow",
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
        summary: "how many of the closest peers a lookup finds and asks for those around them; 0 \
                  finds and confirms each by itself",
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
        reason: "what the network's published client does: all of a tree",
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
        summary: "how many of them at most for each receive queue that the known peers' answers share",
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
        summary: "how many lookups may be started a second time, of those that take much longer than \
                  the tree's others did",
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
        summary: "how many peers without a connection are dialled at once; 0 dials as many as the \
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
    Key {
        name: "payment.record",
        variable: "ANT_MERKLE_RECORD",
        flag: "record",
        kind: Kind::File,
        default: None,
        summary: "the file that every payment is recorded in, as a line of JSON",
        reason: "nothing is written unasked",
        example: "payments.jsonl",
    },
    Key {
        name: "payment.evm",
        variable: "ANT_MERKLE_EVM",
        flag: "evm-network",
        kind: Kind::Choice(&["arbitrum-one", "arbitrum-sepolia-test"]),
        default: None,
        summary: "the chain that uploads are paid on; a testnet's manifest names its own",
        reason: "nothing is paid unasked",
        example: "arbitrum-sepolia-test",
    },
    Key {
        name: "payment.seed",
        variable: "ANT_MERKLE_SEED",
        flag: "draw-seed",
        kind: Kind::Count {
            low: 0,
            high: u32::MAX as u64,
            unit: "",
        },
        default: None,
        summary: "decides which arm each payment draws; drawn itself where it is not given",
        reason: "a fleet should not draw in step",
        example: "7",
    },
];

/// Every key as a table for people who read Markdown: the README's.
pub fn markdown() -> String {
    let mut text = String::from(
        "| key | variable, flag | default | what it sets |\n| --- | --- | --- | --- |\n",
    );
    for key in KEYS {
        let name = if key.in_files() {
            format!("`{}`", key.name)
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "| {name} | `{}`, `--{}` | {} | {} |",
            key.variable,
            key.flag,
            key.default_text(),
            key.meaning()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_key_is_set_in_its_own_way() {
        for names in [
            KEYS.iter().map(|key| key.name).collect::<BTreeSet<_>>(),
            KEYS.iter().map(|key| key.variable).collect(),
            KEYS.iter().map(|key| key.flag).collect(),
        ] {
            assert_eq!(names.len(), KEYS.len());
        }
        for key in KEYS {
            assert!(key.variable.starts_with(PREFIX), "{}", key.variable);
            assert!(!key.summary.is_empty() && !key.reason.is_empty());
        }
    }

    #[test]
    fn every_default_and_example_is_valid() {
        for key in KEYS {
            for text in key.default.into_iter().chain([key.example]) {
                // No network is a list without addresses.
                if !text.is_empty() {
                    let read = key.kind.read_text(text);
                    assert!(read.is_ok(), "{}: {text}: {read:?}", key.name);
                }
            }
            assert_ne!(key.default, Some(key.example), "{}", key.name);
        }
    }

    #[test]
    fn the_readme_has_every_key() {
        let readme = include_str!("../../README.md");
        assert!(
            readme.contains(&markdown()),
            "put this into the README's section on configuration:\n\n{}",
            markdown()
        );
    }
}
