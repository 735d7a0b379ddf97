//! Prepares a payment under the pacing and the plan of a profile; nothing is paid.
//!
//! `ant testnet --nodes 18 --manifest net.json` in one terminal, and in another
//! `cargo run --release -p ant-core@0.1.0 --example prepare_under_a_profile net.json hold-16`

use std::{error::Error, path::Path};

use ant_config::{Flag, Sources, joining, load};
use ant_core::{Client, ClientConfig, compute_address, read_manifest};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let manifest = words.next().ok_or("name a devnet manifest")?;
    // What a program sets lies over its user's variables and profile, as flags do.
    let strategy = words.next().unwrap_or_else(|| "hold-16".to_owned());
    let mut flags: Vec<_> = Flag::new("pacing.strategy", strategy, "this program")
        .into_iter()
        .collect();
    let bootstrap = read_manifest(Path::new(&manifest))?.bootstrap;
    let bootstrap: Vec<_> = bootstrap.iter().map(ToString::to_string).collect();
    joining(&mut flags, &bootstrap, "the manifest");

    let settings = load(&Sources::of_process(flags)?)?.settings;
    let client = Client::connect(ClientConfig::try_from(&settings)?).await?;
    let chunks = [&b"one chunk"[..], b"another"].map(compute_address);
    let prepared = client.prepare(&chunks, 4096).await?;
    for tree in &prepared {
        let report = &tree.report;
        println!(
            "{} pools full under {}, {} requests sent, nothing paid",
            report.collection.pools_full, report.pacing, report.collection.requests
        );
    }
    client.close().await;
    Ok(())
}
