//! The keys that say which network, and how to join it.

use std::time::Duration;

use crate::keys::{key::Key, kind::Kind};

/// In the order of a profile.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "network.kind",
        variable: "ANT_MERKLE_NETWORK",
        flag: "network",
        kind: Kind::Choice(&["embedded", "wan", "remote"]),
        default: Some("embedded"),
        summary: "which network: `embedded` is a testnet in this process on loopback, `wan` one on \
                  a wide-area network in a box, and `remote` is a network that is joined",
        reason: "it needs nothing else",
        example: "remote",
    },
    Key {
        name: "network.scenario",
        variable: "ANT_MERKLE_SCENARIO",
        flag: "scenario",
        kind: Kind::NameOrPath,
        default: Some("residential"),
        summary: "what the wide-area network is like: a shipped scenario, or a file",
        reason: "most nodes of the network are at people's homes",
        example: "lossy",
    },
    Key {
        name: "network.bootstrap",
        variable: "ANT_MERKLE_BOOTSTRAP",
        flag: "bootstrap",
        kind: Kind::Addresses,
        default: Some(""),
        summary: "the addresses through which a remote network is joined",
        reason: "a network is never guessed",
        example: "127.0.0.1:20000",
    },
    Key {
        name: "network.local",
        variable: "ANT_MERKLE_LOCAL",
        flag: "local",
        kind: Kind::Switch,
        default: Some("true"),
        summary: "whether the network is on loopback",
        reason: "the embedded testnet is on loopback",
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
            low: Duration::from_secs(1),
            high: Duration::from_mins(10),
        },
        default: Some("30s"),
        summary: "how long joining may take",
        reason: "an address that does not answer takes 10 s, and the next one must have its turn",
        example: "45s",
    },
];
