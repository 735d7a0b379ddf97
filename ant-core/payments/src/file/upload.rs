//! An upload in its phases: encrypt, finish what was paid before, look what is
//! missing, and pay and store that.

use std::{collections::BTreeSet, path::Path, time::Instant};

use ant_core::{Client, MAX_CHUNK_SIZE, batch_sizes, compute_address, now};
use ant_protocol::evm::Amount;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, future::BoxFuture, stream};
use self_encryption::DataMap;

use super::{
    encrypt::{chunk_path, encrypt},
    progress::{Phases, Progress, Uploaded},
};
use crate::{Error, Expired, FileSource, JournalEntry, Payable, Payer, Storage, chunks::AT_ONCE};

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

/// Whoever watches an upload.
type Watch<'a> = dyn FnMut(Progress) + Send + 'a;

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
        source: &FileSource,
        mut watch: impl FnMut(Progress) + Send,
    ) -> Result<Uploaded, Error> {
        self.uploading(source, &mut watch).await
    }

    /// Goes on with an upload that something was paid for. If the file is not what
    /// it was, what can be stored of it is, and nothing more is paid.
    ///
    /// # Errors
    ///
    /// As [`Self::run`] does, and when the file has changed.
    pub async fn resume(
        &self,
        source: &FileSource,
        mut watch: impl FnMut(Progress) + Send,
    ) -> Result<Uploaded, Error> {
        self.resuming(source, &mut watch).await
    }

    // Boxed here, so that no other crate makes the code of all below again.
    fn uploading<'a>(
        &'a self,
        source: &'a FileSource,
        watch: &'a mut Watch<'a>,
    ) -> BoxFuture<'a, Result<Uploaded, Error>> {
        Box::pin(async move {
            let mut work = Work::begin(self, source, watch).await?;
            work.finish_earlier().await?;
            work.pay_for_missing().await
        })
    }

    fn resuming<'a>(
        &'a self,
        source: &'a FileSource,
        watch: &'a mut Watch<'a>,
    ) -> BoxFuture<'a, Result<Uploaded, Error>> {
        Box::pin(async move {
            let mut work = Work::begin(self, source, watch).await?;
            work.finish_earlier().await?;
            if work.changed {
                return Err(Error::Changed {
                    path: source.file.clone(),
                });
            }
            work.pay_for_missing().await
        })
    }

    /// Encrypts the file into the folder, and returns its data map and the chunks'
    /// addresses. The last one is the data map itself if it is public.
    async fn encrypt(&self, source: &FileSource) -> Result<(DataMap, Vec<[u8; 32]>), Error> {
        let (from, to) = (source.file.clone(), self.folder.to_owned());
        let public = source.public;
        let encrypting = tokio::task::spawn_blocking(move || encrypt(&from, &to, public));
        let encrypted = encrypting.await;
        encrypted.map_err(|error| Error::file(&source.file, error))?
    }

    async fn chunk(&self, address: &[u8; 32]) -> Result<Bytes, Error> {
        let path = chunk_path(self.folder, address);
        let read = tokio::fs::read(&path).await;
        Ok(Bytes::from(
            read.map_err(|error| Error::file(&path, error))?,
        ))
    }

    /// Returns those that the network does not have, in their order.
    async fn missing(&self, chunks: &[[u8; 32]]) -> Result<Vec<[u8; 32]>, Error> {
        // Of addresses, not of references to them: the compiler cannot tell that a
        // future over those may move to another thread.
        let looks = stream::iter(chunks.to_vec()).map(|address| async move {
            let there = self.storage.has(address).await?;
            Ok::<_, Error>((address, there))
        });
        let looked: Vec<_> = looks.buffered(AT_ONCE).try_collect().await?;
        let missing = looked.into_iter().filter(|(_, there)| !there);
        Ok(missing.map(|(address, _)| address).collect())
    }
}

/// An upload under way, and what it has come to. Each phase counts its own time.
struct Work<'a> {
    upload: &'a Upload<'a>,
    /// The file, with what it holds now.
    source: FileSource,
    data_map: DataMap,
    /// The file's chunks, in their order.
    chunks: Vec<[u8; 32]>,
    /// The chunks as a set, to look one up.
    own: BTreeSet<[u8; 32]>,
    /// Whether the file is not what it was when something was paid for it.
    changed: bool,
    /// Whether money has left the wallet for this file, in this run or before.
    spent: bool,
    /// Chunks that were paid for before and are stored now.
    done: BTreeSet<[u8; 32]>,
    watch: &'a mut Watch<'a>,
    took: Phases,
    stored: usize,
    payments: usize,
    amount: Amount,
    gas: u128,
}

impl<'a> Work<'a> {
    /// Encrypts the file.
    async fn begin(
        upload: &'a Upload<'a>,
        source: &FileSource,
        watch: &'a mut Watch<'a>,
    ) -> Result<Self, Error> {
        let started = Instant::now();
        let (data_map, chunks) = upload.encrypt(source).await?;
        let took = Phases {
            encrypting: started.elapsed(),
            ..Phases::default()
        };
        watch(Progress::Encrypted(chunks.len()));
        let content = Some(hex::encode(compute_address(&chunks.concat())));
        Ok(Self {
            upload,
            // What is resumed was paid for as it was then.
            changed: source.content.is_some() && source.content != content,
            source: FileSource {
                content,
                ..source.clone()
            },
            data_map,
            own: chunks.iter().copied().collect(),
            chunks,
            spent: false,
            done: BTreeSet::new(),
            watch,
            took,
            stored: 0,
            payments: 0,
            amount: Amount::ZERO,
            gas: 0,
        })
    }

    /// Settles and stores what earlier runs have paid for, before anything else: it
    /// may expire.
    async fn finish_earlier(&mut self) -> Result<(), Error> {
        let mut expired = Vec::new();
        let payer = self.upload.payer;
        let entries = payer.live_entries(|one| expired.push(one)).await;
        for one in expired {
            (self.watch)(Progress::Expired(one));
        }
        for entry in entries? {
            let paid = entry.payable.addresses().iter().copied();
            let (own, others): (Vec<_>, Vec<_>) = paid.partition(|a| self.own.contains(a));
            let of_file = entry.signed.source.as_ref();
            if let Some(before) = of_file.filter(|before| before.is_file_of(&self.source)) {
                self.changed |= before.content != self.source.content || !others.is_empty();
                if !others.is_empty() {
                    (self.watch)(Progress::Changed(others.len()));
                }
            }
            if !own.is_empty() && self.finish(entry).await? {
                self.done.extend(own);
            }
        }
        Ok(())
    }

    /// Looks which chunks are missing, pays for those and stores them.
    async fn pay_for_missing(mut self) -> Result<Uploaded, Error> {
        let missing = self.look().await?;
        let mut there = self.chunks.len() - missing.len() - self.done.len();
        let mut left = missing.as_slice();
        for size in batch_sizes(missing.len()) {
            let (next, others) = left.split_at(size);
            left = others;
            for batch in self.prepare(next).await? {
                self.pay(batch).await?;
            }
        }
        // A tree has two leaves at least.
        if let [single] = left {
            match self.quote(single).await? {
                Some(chunk) => self.pay(chunk).await?,
                None => there += 1,
            }
        }
        Ok(Uploaded {
            data_map: self.data_map,
            address: self
                .source
                .public
                .then(|| self.chunks.last().copied())
                .flatten(),
            chunks: self.chunks.len(),
            there,
            payments: self.payments,
            amount: self.amount,
            gas: self.gas,
            took: self.took,
        })
    }

    async fn look(&mut self) -> Result<Vec<[u8; 32]>, Error> {
        let started = Instant::now();
        let rest = self.chunks.iter().filter(|a| !self.done.contains(*a));
        let rest: Vec<_> = rest.copied().collect();
        let missing = self.upload.missing(&rest).await?;
        self.took.looking = started.elapsed();
        (self.watch)(Progress::Looked {
            of: self.chunks.len(),
            there: self.chunks.len() - missing.len(),
        });
        Ok(missing)
    }

    async fn prepare(&mut self, chunks: &[[u8; 32]]) -> Result<Vec<Payable>, Error> {
        let started = Instant::now();
        let size = MAX_CHUNK_SIZE as u64;
        let prepared = self.upload.client.prepare(chunks, size).await;
        self.took.preparing += started.elapsed();
        let prepared = prepared.map_err(|error| self.failed(error.into()))?;
        let batches = prepared.into_iter().map(|prepared| prepared.batch.into());
        Ok(batches.collect())
    }

    async fn quote(&mut self, chunk: &[u8; 32]) -> Result<Option<Payable>, Error> {
        let started = Instant::now();
        let size = self.upload.chunk(chunk).await?.len() as u64;
        let quoted = self.upload.storage.quote(*chunk, size).await;
        let quoted = quoted.map_err(|error| self.failed(error))?;
        self.took.preparing += started.elapsed();
        Ok(quoted.map(Payable::from))
    }

    /// Pays, and stores what was paid for.
    async fn pay(&mut self, payable: Payable) -> Result<(), Error> {
        let Upload { client, payer, .. } = *self.upload;
        let chunks = payable.addresses().len();
        let at_most = payer.at_most(&payable)?;
        (self.watch)(Progress::Costs { chunks, at_most });
        let started = Instant::now();
        let paid = payer.pay(client, payable, Some(self.source.clone())).await;
        self.took.paying += started.elapsed();
        let mut entry = paid.map_err(|error| self.failed(error))?;
        if let Some(paid) = &entry.paid {
            let (amount, gas) = (paid.amount, paid.gas_cost_wei);
            self.spent = true;
            self.payments += 1;
            self.amount += amount;
            self.gas += gas;
            (self.watch)(Progress::Paid { amount, gas });
        }
        self.store(&mut entry).await
    }

    /// A failure, said so that it is true of the whole upload.
    fn failed(&self, error: Error) -> Error {
        if self.spent {
            error.after_paying()
        } else {
            error
        }
    }

    /// Settles and stores what an earlier run has paid for, and returns whether it is
    /// stored. If storers take it no more, its entry is set aside, and its chunks are
    /// to be paid for anew.
    async fn finish(&mut self, mut entry: JournalEntry) -> Result<bool, Error> {
        let payer = self.upload.payer;
        payer.settle(&mut entry).await?;
        // Also if nothing of it can be stored any more.
        self.spent = true;
        let now = now().map_err(|error| self.failed(error.into()))?;
        match self.store(&mut entry).await {
            Err(Error::NotStored { stored: 0, .. }) if entry.payable.is_stale(now) => {
                if let Some(expired) = Expired::set_aside(entry)? {
                    (self.watch)(Progress::Expired(expired));
                }
                Ok(false)
            }
            done => done.map(|()| true),
        }
    }

    /// Stores what an entry has paid for and is not stored yet, and removes the
    /// entry once that is all. Chunks that are not of this file are left alone.
    async fn store(&mut self, entry: &mut JournalEntry) -> Result<(), Error> {
        let started = Instant::now();
        let upload = self.upload;
        let mut missing = entry.proofs()?;
        missing.retain(|a, _| self.own.contains(a) && !entry.stored.contains(a));
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
                    entry.note_stored(address)?;
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
            None if entry.is_done() => entry.clone().forget(),
            None => Ok(()),
        }
    }
}
