//! The candidate request and its answers, as they travel.

use ant_collect::{Answer, Dialect};
use ant_protocol::{
    CURRENT_SETTLEMENT_VERSION, ChunkMessage, ChunkMessageBody, DATA_TYPE_CHUNK,
    MIN_SUPPORTED_SETTLEMENT_VERSION, MerkleCandidateQuoteRequest, MerkleCandidateQuoteRequestV2,
    MerkleCandidateQuoteResponse, ProtocolError,
};

// Asking a silent peer again without a version is a way around its refusal of
// ours. That is harmless only while no version can be refused: while the lowest
// supported one is the first, and ours is too. When either moves, the legacy
// retry must go.
const _: () = assert!(MIN_SUPPORTED_SETTLEMENT_VERSION == 1 && CURRENT_SETTLEMENT_VERSION == 1);

/// What all requests of one tree ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quote {
    /// The size of a chunk, in bytes.
    pub(crate) data_size: u64,
    /// The payment's time, in seconds since 1970.
    pub(crate) timestamp: u64,
}

/// An answer to a candidate request.
#[derive(Debug)]
pub(crate) enum Response {
    /// A candidate, still encoded, with its storage commitment.
    Candidate {
        node: Vec<u8>,
        commitment: Option<Vec<u8>>,
    },
    /// Anything else.
    Other(Answer),
}

pub(crate) fn encode(
    request_id: u64,
    quote: Quote,
    address: [u8; 32],
    dialect: Dialect,
) -> Result<Vec<u8>, ProtocolError> {
    let Quote {
        data_size,
        timestamp,
    } = quote;
    let body = match dialect {
        Dialect::Versioned => ChunkMessageBody::MerkleCandidateQuoteRequestV2(
            MerkleCandidateQuoteRequestV2::new(address, data_size, timestamp),
        ),
        Dialect::Legacy => {
            ChunkMessageBody::MerkleCandidateQuoteRequest(MerkleCandidateQuoteRequest {
                address,
                data_type: DATA_TYPE_CHUNK,
                data_size,
                merkle_payment_timestamp: timestamp,
            })
        }
    };
    ChunkMessage { request_id, body }.encode()
}

/// Reads a message as an answer to a candidate request; `None` if it is
/// something else.
pub(crate) fn decode(message: &[u8]) -> Option<(u64, Response)> {
    let message = ChunkMessage::decode(message).ok()?;
    let ChunkMessageBody::MerkleCandidateQuoteResponse(body) = message.body else {
        return None;
    };
    let response = match body {
        MerkleCandidateQuoteResponse::Success {
            candidate_node,
            commitment,
        } => Response::Candidate {
            node: candidate_node,
            commitment,
        },
        MerkleCandidateQuoteResponse::Error(error) => Response::Other(refused(&error)),
        other => Response::Other(Answer::Declined(format!("unknown answer {other:?}"))),
    };
    Some((message.request_id, response))
}

/// A refusal counts only if it describes this client: it must echo our version
/// and ask for a later one. Anybody could say anything else of us.
fn refused(error: &ProtocolError) -> Answer {
    match *error {
        ProtocolError::ClientUpdateRequired {
            client_settlement_version,
            min_settlement_version,
        } if client_settlement_version == CURRENT_SETTLEMENT_VERSION
            && min_settlement_version > CURRENT_SETTLEMENT_VERSION =>
        {
            Answer::SettlementRefused {
                minimum: min_settlement_version,
            }
        }
        ProtocolError::ClientUpdateRequired {
            client_settlement_version,
            min_settlement_version,
        } => Answer::Declined(format!(
            "incoherent refusal: says this client settles under version \
             {client_settlement_version} and must under {min_settlement_version}"
        )),
        ref other => Answer::Declined(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTE: Quote = Quote {
        data_size: 4096,
        timestamp: 1_700_000_000,
    };

    #[test]
    fn both_forms_say_the_same_and_only_one_has_a_version() {
        let decode = |dialect| {
            let bytes = encode(7, QUOTE, [3; 32], dialect).unwrap();
            ChunkMessage::decode(&bytes).unwrap()
        };
        let versioned = decode(Dialect::Versioned);
        assert_eq!(versioned.request_id, 7);
        let ChunkMessageBody::MerkleCandidateQuoteRequestV2(v2) = versioned.body else {
            panic!("{versioned:?}");
        };
        assert_eq!(v2.settlement_version, CURRENT_SETTLEMENT_VERSION);
        let legacy = decode(Dialect::Legacy);
        let ChunkMessageBody::MerkleCandidateQuoteRequest(v1) = legacy.body else {
            panic!("{legacy:?}");
        };
        assert_eq!(
            (v1.address, v1.data_size, v1.merkle_payment_timestamp),
            (v2.address, v2.data_size, v2.merkle_payment_timestamp)
        );
    }

    fn answer_to(error: ProtocolError) -> Answer {
        let body = ChunkMessageBody::MerkleCandidateQuoteResponse(
            MerkleCandidateQuoteResponse::Error(error),
        );
        let message = ChunkMessage {
            request_id: 9,
            body,
        };
        match decode(&message.encode().unwrap()) {
            Some((9, Response::Other(answer))) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_a_refusal_of_this_client_counts_as_one() {
        let refusal = |client_settlement_version, min_settlement_version| {
            answer_to(ProtocolError::ClientUpdateRequired {
                client_settlement_version,
                min_settlement_version,
            })
        };
        assert_eq!(refusal(1, 2), Answer::SettlementRefused { minimum: 2 });
        for (client, minimum) in [(0, 1), (1, 1), (1, 0), (2, 3)] {
            assert!(matches!(refusal(client, minimum), Answer::Declined(_)));
        }
        let declined = answer_to(ProtocolError::QuoteFailed("full".to_owned()));
        assert!(matches!(declined, Answer::Declined(why) if why.contains("full")));
    }

    #[test]
    fn other_messages_are_no_answers() {
        assert!(decode(b"").is_none());
        assert!(decode(&[0xff; 64]).is_none());
        let request = encode(7, QUOTE, [3; 32], Dialect::Versioned).unwrap();
        assert!(decode(&request).is_none());
    }
}
