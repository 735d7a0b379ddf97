//! Reading a file back.

use std::path::Path;

use futures::future::BoxFuture;
use self_encryption::DataMap;

use crate::{Error, Storage};

/// Reads a file by its data map into a file that is not there yet, and returns how
/// many bytes it has.
///
/// # Errors
///
/// When the file is there, or a chunk is not.
pub async fn download(storage: &Storage, map: &DataMap, to: &Path) -> Result<u64, Error> {
    downloading(storage, map, to).await
}

fn downloading<'a>(
    storage: &'a Storage,
    map: &'a DataMap,
    to: &'a Path,
) -> BoxFuture<'a, Result<u64, Error>> {
    Box::pin(async move {
        if to.exists() {
            return Err(Error::file(to, "it is there already; name another file"));
        }
        storage.read_file(map, to).await
    })
}
