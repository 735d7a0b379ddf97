//! A file cut into encrypted chunks on the disk, so that however large it is a few
//! of them at a time are in memory.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use ant_protocol::compute_address;
use bytes::Bytes;
use self_encryption::{DataMap, stream_encrypt};

use crate::Error;

/// How much of a file is read at a time.
const READ_SIZE: usize = 1 << 20;

/// Where a chunk is kept.
pub(crate) fn chunk_path(folder: &Path, address: &[u8; 32]) -> PathBuf {
    folder.join(hex::encode(address))
}

/// Encrypts a file into a folder, a file for each chunk; its data map, and the
/// chunks' addresses. If it is public, the last of them is the data map's own.
pub(crate) fn encrypt(
    from: &Path,
    to: &Path,
    public: bool,
) -> Result<(DataMap, Vec<[u8; 32]>), Error> {
    let mut file = File::open(from).map_err(|error| Error::file(from, error))?;
    let size = file
        .metadata()
        .map_err(|error| Error::file(from, error))?
        .len();
    let size = usize::try_from(size).map_err(|error| Error::file(from, error))?;
    let mut broken = None;
    let mut chunks = Vec::new();
    let keep = |content: &Bytes, chunks: &mut Vec<[u8; 32]>| {
        let address = compute_address(content);
        let path = chunk_path(to, &address);
        // The same content twice is one chunk.
        if !chunks.contains(&address) {
            std::fs::write(&path, content).map_err(|error| Error::file(&path, error))?;
            chunks.push(address);
        }
        Ok::<_, Error>(())
    };
    let reads = std::iter::from_fn(|| {
        let mut piece = vec![0; READ_SIZE];
        match file.read(&mut piece) {
            Ok(0) => None,
            Ok(length) => {
                piece.truncate(length);
                Some(Bytes::from(piece))
            }
            Err(error) => {
                broken = Some(error);
                None
            }
        }
    });
    let data_map = {
        let mut encrypted =
            stream_encrypt(size, reads).map_err(|error| Error::file(from, error))?;
        for chunk in encrypted.chunks() {
            let (_, content) = chunk.map_err(|error| Error::file(from, error))?;
            keep(&content, &mut chunks)?;
        }
        encrypted.into_datamap()
    };
    if let Some(error) = broken {
        return Err(Error::file(from, error));
    }
    let data_map = data_map.ok_or_else(|| Error::file(from, "it changed while it was read"))?;
    if public {
        let map = rmp_serde::to_vec(&data_map).map_err(|error| Error::file(from, error))?;
        keep(&Bytes::from(map), &mut chunks)?;
    }
    Ok((data_map, chunks))
}
