//! Chunks on the network: stored with given proofs, and read, by the published
//! client on this client's endpoint.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use ant_protocol::{CLOSE_GROUP_SIZE, compute_address, transport::PeerId};
use bytes::Bytes;
use futures::{StreamExt, future::BoxFuture, stream::FuturesUnordered};
use self_encryption::DataMap;
use upstream::data::client::cache::ChunkCache;

use ant_core::Client;

use crate::{Error, QuotedChunk};

/// How many of the closest must take a chunk: most of them, as the published
/// client asks.
const MAJORITY: usize = CLOSE_GROUP_SIZE / 2 + 1;

/// How many chunks that were read stay in memory. Each is read once; the published
/// client would keep 1024 of 4 MiB.
const CACHED: usize = 1;

/// The published client, for what is not payment.
pub struct Storage {
    client: Client,
    published: upstream::data::Client,
}

impl std::fmt::Debug for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Storage({:?})", self.client)
    }
}

impl Storage {
    /// How many of the nodes closest to it a chunk is sent to.
    pub const ASKED: usize = CLOSE_GROUP_SIZE;

    /// The storage that this client sees.
    pub fn new(client: &Client) -> Self {
        let mut config = upstream::data::ClientConfig::default();
        // What it learns would be kept in the user's files.
        config.adaptive.enabled = false;
        let endpoint = Arc::clone(client.endpoint());
        let published = upstream::data::Client::from_node(endpoint, config);
        Self {
            client: client.clone(),
            published: published.with_chunk_cache(ChunkCache::new(CACHED)),
        }
    }

    /// Stores a chunk with the proof that it is paid for, on most of the nodes
    /// closest to its address. How many took it.
    ///
    /// # Errors
    ///
    /// When too few did, with what the others said.
    pub async fn put(&self, content: Bytes, proof: Vec<u8>) -> Result<usize, Error> {
        self.putting(content, proof).await
    }

    fn putting(&self, content: Bytes, proof: Vec<u8>) -> BoxFuture<'_, Result<usize, Error>> {
        // Boxed, as all that other crates call here is: they would make its code again.
        Box::pin(self.put_once(content, proof))
    }

    async fn put_once(&self, content: Bytes, proof: Vec<u8>) -> Result<usize, Error> {
        let address = compute_address(&content);
        let failed = |stored: usize, reasons: String| Error::NotStored {
            address: hex::encode(address),
            stored,
            needed: MAJORITY,
            reasons,
        };
        let found = self.client.closest(&address, Self::ASKED).await;
        let found = found.map_err(|error| failed(0, error.reason().to_string()))?;
        let mut sends: FuturesUnordered<_> = found
            .iter()
            .map(|(peer, addresses)| {
                let (content, proof) = (content.clone(), proof.clone());
                let to = PeerId::from_bytes(peer.0);
                async move {
                    let put = &self.published;
                    put.chunk_put_with_proof(content, proof, &to, addresses)
                        .await
                }
            })
            .collect();
        let mut stored = 0;
        let mut said: BTreeMap<String, usize> = BTreeMap::new();
        // All are heard out: a send that is dropped midway would leave half a
        // message.
        while let Some(result) = sends.next().await {
            match result {
                Ok(_) => stored += 1,
                Err(error) => *said.entry(error.to_string()).or_default() += 1,
            }
        }
        if stored >= MAJORITY {
            return Ok(stored);
        }
        let reasons: Vec<_> = said
            .iter()
            .map(|(reason, times)| format!("{reason} ({times} times)"))
            .collect();
        Err(failed(stored, reasons.join("; ")))
    }

    /// Whether the network has a chunk.
    ///
    /// # Errors
    ///
    /// When that cannot be found out.
    pub async fn has(&self, address: [u8; 32]) -> Result<bool, Error> {
        self.looking(address).await
    }

    fn looking(&self, address: [u8; 32]) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async move { Ok(self.published.chunk_exists(&address).await?) })
    }

    /// Asks for quotes for a single chunk of this many bytes, since a merkle tree has two
    /// leaves at least; none if the network has the chunk.
    ///
    /// # Errors
    ///
    /// When nobody quotes.
    pub async fn quote(
        &self,
        address: [u8; 32],
        data_size: u64,
    ) -> Result<Option<QuotedChunk>, Error> {
        self.quoting(address, data_size).await
    }

    fn quoting(
        &self,
        address: [u8; 32],
        data_size: u64,
    ) -> BoxFuture<'_, Result<Option<QuotedChunk>, Error>> {
        Box::pin(async move {
            let plan = &self.published;
            let plan = plan.prepare_chunk_payment_plan(address, data_size).await;
            let plan = plan.map_err(|error| match error {
                upstream::data::Error::ClientUpdateRequired(_) => {
                    Error::ChunkRefused(Box::new(error))
                }
                error => error.into(),
            })?;
            Ok(plan.map(|plan| QuotedChunk(Box::new(plan))))
        })
    }

    /// The data map that was stored for everybody at this address.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub async fn data_map(&self, address: &[u8; 32]) -> Result<DataMap, Error> {
        self.fetching(address).await
    }

    fn fetching<'a>(&'a self, address: &'a [u8; 32]) -> BoxFuture<'a, Result<DataMap, Error>> {
        Box::pin(async move { Ok(self.published.data_map_fetch(address).await?) })
    }

    /// Reads a file by its data map; how many bytes it has.
    ///
    /// # Errors
    ///
    /// When a chunk is not there, or the file cannot be written.
    pub async fn read_file(&self, map: &DataMap, to: &Path) -> Result<u64, Error> {
        self.reading(map, to).await
    }

    fn reading<'a>(&'a self, map: &'a DataMap, to: &'a Path) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move { Ok(self.published.file_download(map, to).await?) })
    }
}

/// How many chunks are looked for, or stored, at once: each is held in memory
/// once for every node that it is sent to.
pub(crate) const AT_ONCE: usize = 4;
