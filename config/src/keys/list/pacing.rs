//! The keys that say how requests are paced.

use std::time::Duration;

use crate::keys::{key::Key, kind::Kind};

/// In the order of a profile.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "pacing.strategy",
        variable: "ANT_MERKLE_STRATEGY",
        flag: "strategy",
        kind: Kind::Strategy,
        default: Some("hold-16"),
        summary: "the pacing strategy; it replaces everything that lower layers say of the pacing",
        reason: "the safest of the four that the network's engineers measured",
        example: "release-2s-16",
    },
    Key {
        name: "pacing.slots",
        variable: "ANT_MERKLE_CAP",
        flag: "cap",
        kind: Kind::Slots,
        default: None,
        summary: "the strategy's number of slots; as a variable or flag also `uncapped`, or a \
                  whole strategy",
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
        summary: "after how long a slot is free, for a strategy that frees slots after a time",
        reason: "the strategy says it",
        example: "500ms",
    },
    Key {
        name: "pacing.scope",
        variable: "ANT_MERKLE_SCOPE",
        flag: "scope",
        kind: Kind::Choice(&["payment", "client"]),
        default: None,
        summary: "whether each payment has slots of its own, or all payments of a client share \
                  them",
        reason: "the strategy says it",
        example: "client",
    },
    Key {
        name: "ab",
        variable: "ANT_MERKLE_AB",
        flag: "ab",
        kind: Kind::Arms,
        default: None,
        summary: "arms: strategies of which each payment draws one by weight, in place of the \
                  pacing",
        reason: "comparing strategies is a choice",
        example: "hold-32:2,uncapped:1",
    },
];
