//! A file on the network: encrypted into chunks, those that are missing paid for
//! in merkle batches, stored with their proofs; and back.

use std::{
    collections::BTreeSet,
    path::Path,
    time::{Duration, Instant},
};

use ant_protocol::{MAX_CHUNK_SIZE, compute_address};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use self_encryption::DataMap;

use crate::{
    Bill, Client, Error, Expired, Payer, Receipt, Source, Storage, batch_sizes,
    encrypt::{chunk_path, encrypt},
    now,
    storage::AT_ONCE,
};

/// An upload, and what it works with.
#[derive(Debug)]
pub struct Upload<'a> {
    /// Finds peers and collects candidates.
    pub client: &'a Client,
    /// Pays.
    pub payer: &'a Payer,
    /// Stores.
    pub storage: &'a Storage,
    /// Where encrypted chunks are kept meanwhile; as large as the file.
    pub folder: &'a Path,
}

/// What an upload is doing.
#[derive(Clone, Debug)]
pub enum Progress {
    /// An earlier payment was of no use any more.
    Expired(Expired),
    /// So many chunks that were paid for are not of the file as it is now. Their
    /// receipt is kept.
    Changed(usize),
    /// So many chunks have been encrypted.
    Encrypted(usize),
    /// Of so many, so many are on the network already.
    Looked {
        /// How many chunks there are.
        of: usize,
        /// How many are stored.
        there: usize,
    },
    /// A payment for so many chunks costs so much at most, in the token's smallest
    /// unit.
    Costs {
        /// How many chunks.
        chunks: usize,
        /// How much.
        at_most: ant_protocol::evm::Amount,
    },
    /// It was paid.
    Paid {
        /// What it cost.
        amount: ant_protocol::evm::Amount,
        /// What the gas cost, in wei.
        gas: u128,
    },
    /// So many chunks of this upload are stored.
    Stored(usize),
}

/// What an upload came to.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// What reading the file takes.
    pub data_map: DataMap,
    /// Where the data map is, if everybody may read the file.
    pub address: Option<[u8; 32]>,
    /// How many chunks the file has.
    pub chunks: usize,
    /// How many of them were stored before.
    pub there: usize,
    /// How many payments were made: of trees, and of a single chunk.
    pub payments: usize,
    /// What storing cost, in the token's smallest unit.
    pub amount: ant_protocol::evm::Amount,
    /// What gas cost, in wei.
    pub gas: u128,
    /// What each phase took.
    pub took: Phases,
}

/// What each phase of an upload took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Encrypting the file.
    pub encrypting: Duration,
    /// Looking which chunks are there.
    pub looking: Duration,
    /// Collecting candidates.
    pub preparing: Duration,
    /// Paying, until that had settled.
    pub paying: Duration,
    /// Storing chunks.
    pub storing: Duration,
}

impl Upload<'_> {
    /// Uploads a file. What an earlier run has paid for is stored first, and
    /// nothing is paid twice.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or paying or storing fails. What was paid
    /// is kept, and a second run goes on from there.
    pub async fn run(
        &self,
        source: &Source,
        watch: impl FnMut(Progress),
    ) -> Result<Uploaded, Error> {
        self.go(source, false, watch).await
    }

    /// Goes on with an upload that something was paid for. If the file is not what
    /// it was, what can be stored of it is, and nothing more is paid.
    ///
    /// # Errors
    ///
    /// As [`Self::run`] does, and when the file has changed.
    pub async fn resume(
        &self,
        source: &Source,
        watch: impl FnMut(Progress),
    ) -> Result<Uploaded, Error> {
        self.go(source, true, watch).await
    }

    async fn go(
        &self,
        source: &Source,
        resumes: bool,
        mut watch: impl FnMut(Progress),
    ) -> Result<Uploaded, Error> {
        let mut took = Phases::default();
        let started = Instant::now();
        let (data_map, chunks) = self.encrypt(source).await?;
        took.encrypting = started.elapsed();
        watch(Progress::Encrypted(chunks.len()));
        let address = source.public.then(|| chunks.last().copied()).flatten();
        let content = Some(hex::encode(compute_address(&chunks.concat())));
        // What is resumed was paid for as it was then.
        let mut changed = source.content.is_some() && source.content != content;
        let source = &Source {
            content,
            ..source.clone()
        };

        let told = |expired| watch(Progress::Expired(expired));
        let receipts = self.payer.live_receipts(told).await?;
        let mut work = Work {
            upload: self,
            own: chunks.iter().copied().collect(),
            watch,
            took,
            stored: 0,
            payments: 0,
            amount: ant_protocol::evm::Amount::ZERO,
            gas: 0,
        };
        // What was paid before comes first: it may expire.
        let mut done: BTreeSet<[u8; 32]> = BTreeSet::new();
        for receipt in receipts {
            let paid = receipt.bill.addresses().iter().copied();
            let (own, others): (Vec<_>, Vec<_>) = paid.partition(|a| work.own.contains(a));
            let of_file = receipt.signed.source.as_ref();
            if let Some(before) = of_file.filter(|before| before.is_file_of(source)) {
                changed |= before.content != source.content || !others.is_empty();
                if !others.is_empty() {
                    (work.watch)(Progress::Changed(others.len()));
                }
            }
            if !own.is_empty() && work.finish(receipt).await? {
                done.extend(own);
            }
        }
        if resumes && changed {
            return Err(Error::Changed {
                path: source.file.display().to_string(),
            });
        }

        let started = Instant::now();
        let rest: Vec<_> = chunks
            .iter()
            .filter(|a| !done.contains(*a))
            .copied()
            .collect();
        let missing = self.missing(&rest).await?;
        let mut there = rest.len() - missing.len();
        work.took.looking = started.elapsed();
        (work.watch)(Progress::Looked {
            of: chunks.len(),
            there: there + done.len(),
        });

        let mut left = missing.as_slice();
        for size in batch_sizes(missing.len()) {
            let (next, others) = left.split_at(size);
            left = others;
            let started = Instant::now();
            let size = MAX_CHUNK_SIZE as u64;
            let prepared = self.client.prepare(next, size).await?;
            work.took.preparing += started.elapsed();
            for prepared in prepared {
                work.pay(prepared.batch.into(), source).await?;
            }
        }
        if let [single] = left {
            let started = Instant::now();
            let size = self.chunk(single).await?.len() as u64;
            let quoted = self.storage.quote(*single, size).await?;
            work.took.preparing += started.elapsed();
            match quoted {
                Some(quoted) => work.pay(quoted.into(), source).await?,
                None => there += 1,
            }
        }
        Ok(Uploaded {
            data_map,
            address,
            chunks: chunks.len(),
            there,
            payments: work.payments,
            amount: work.amount,
            gas: work.gas,
            took: work.took,
        })
    }

    /// Encrypts the file into the folder; its data map, and the chunks' addresses.
    /// The last one is the data map itself if it is public.
    async fn encrypt(&self, source: &Source) -> Result<(DataMap, Vec<[u8; 32]>), Error> {
        let (from, to) = (source.file.clone(), self.folder.to_owned());
        let public = source.public;
        let encrypting = tokio::task::spawn_blocking(move || encrypt(&from, &to, public));
        let failed = |error: &dyn std::fmt::Display| Error::File {
            path: source.file.display().to_string(),
            reason: error.to_string(),
        };
        encrypting.await.map_err(|error| failed(&error))?
    }

    async fn chunk(&self, address: &[u8; 32]) -> Result<Bytes, Error> {
        let path = chunk_path(self.folder, address);
        let read = tokio::fs::read(&path).await;
        let content = read.map_err(|error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Ok(Bytes::from(content))
    }

    /// Those that the network does not have, in their order.
    async fn missing(&self, chunks: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, Error> {
        let looked: Vec<_> =
            stream::iter(chunks)
                .map(|address| async move {
                    Ok::<_, Error>((*address, self.storage.has(*address).await?))
                })
                .buffered(AT_ONCE)
                .try_collect()
                .await?;
        let missing = looked.into_iter().filter(|(_, there)| !there);
        Ok(missing.map(|(address, _)| address).collect())
    }
}

/// An upload under way, and what it has come to.
struct Work<'a, W> {
    upload: &'a Upload<'a>,
    /// The file's chunks.
    own: BTreeSet<[u8; 32]>,
    watch: W,
    took: Phases,
    stored: usize,
    payments: usize,
    amount: ant_protocol::evm::Amount,
    gas: u128,
}

impl<W: FnMut(Progress)> Work<'_, W> {
    /// Pays, and stores what was paid for.
    async fn pay(&mut self, bill: Bill, source: &Source) -> Result<(), Error> {
        let Upload { client, payer, .. } = *self.upload;
        let chunks = bill.addresses().len();
        let at_most = payer.at_most(&bill)?;
        (self.watch)(Progress::Costs { chunks, at_most });
        let started = Instant::now();
        let mut receipt = payer.pay(client, bill, Some(source.clone())).await?;
        self.took.paying += started.elapsed();
        if let Some(paid) = &receipt.paid {
            let (amount, gas) = (paid.amount, paid.gas_cost_wei);
            self.payments += 1;
            self.amount += amount;
            self.gas += gas;
            (self.watch)(Progress::Paid { amount, gas });
        }
        self.store(&mut receipt).await
    }

    /// Settles and stores what an earlier run has paid for. If storers take it no
    /// more, it is set aside, and its chunks are to be paid for anew: then not.
    async fn finish(&mut self, mut receipt: Receipt) -> Result<bool, Error> {
        let payer = self.upload.payer;
        payer.settle(&mut receipt).await?;
        match self.store(&mut receipt).await {
            Err(Error::NotStored { stored: 0, .. }) if receipt.bill.is_stale(now()?) => {
                if let Some(expired) = Expired::set_aside(receipt)? {
                    (self.watch)(Progress::Expired(expired));
                }
                Ok(false)
            }
            done => done.map(|()| true),
        }
    }

    /// Stores what a receipt has paid for and is not stored yet, and forgets the
    /// receipt once that is all. Chunks that are not of this file are left alone.
    async fn store(&mut self, receipt: &mut Receipt) -> Result<(), Error> {
        let started = Instant::now();
        let upload = self.upload;
        let mut missing = receipt.proofs()?;
        missing.retain(|a, _| self.own.contains(a) && !receipt.stored.contains(a));
        let mut puts = stream::iter(missing)
            .map(|(address, proof)| async move {
                let content = upload.chunk(&address).await?;
                upload.storage.put(content, proof).await?;
                Ok::<_, Error>(address)
            })
            .buffer_unordered(AT_ONCE);
        let mut failed = None;
        // One that fails does not keep the others from being stored.
        while let Some(put) = puts.next().await {
            match put {
                Ok(address) => {
                    receipt.note_stored(address)?;
                    self.stored += 1;
                    (self.watch)(Progress::Stored(self.stored));
                }
                Err(error) => failed = Some(error),
            }
        }
        drop(puts);
        self.took.storing += started.elapsed();
        match failed {
            Some(error) => Err(error),
            None if receipt.is_done() => receipt.clone().forget(),
            None => Ok(()),
        }
    }
}

/// Reads a file back: by its data map, into a file that is not there yet.
///
/// # Errors
///
/// When it is there, or a chunk is not.
pub async fn download(storage: &Storage, map: &DataMap, to: &Path) -> Result<u64, Error> {
    if to.exists() {
        return Err(Error::File {
            path: to.display().to_string(),
            reason: "it is there already; name another file".to_owned(),
        });
    }
    storage.read_file(map, to).await
}
