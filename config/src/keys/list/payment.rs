//! The keys that say what is done for each payment.

use crate::keys::{key::Key, kind::Kind};

/// In the order of a profile.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "payment.record",
        variable: "ANT_MERKLE_RECORD",
        flag: "record",
        kind: Kind::File,
        default: None,
        summary: "the file to which every payment is appended, as a line of JSON",
        reason: "nothing is written unasked",
        example: "payments.jsonl",
    },
    Key {
        name: "payment.evm",
        variable: "ANT_MERKLE_EVM",
        flag: "evm-network",
        kind: Kind::Choice(&["arbitrum-one", "arbitrum-sepolia-test"]),
        default: None,
        summary: "the chain on which uploads are paid; a testnet's manifest names its own",
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
        summary: "the seed from which each payment draws its arm; random where none is given",
        reason: "the clients of a fleet should not all draw the same arms",
        example: "7",
    },
];
