//! `ant testnet`: the embedded network, for as long as somebody wants it.

use std::path::Path;

use ant_testnet::{ManifestFile, Testnet, TestnetConfig};

use crate::{args::TestnetArgs, exit::Failure, interrupt::Interrupt, network, output::print};

pub(crate) async fn run(args: TestnetArgs, folder: &Path) -> Result<(), Failure> {
    if let Some(path) = &args.manifest {
        ManifestFile::check(path).map_err(Failure::bad_input)?;
    }
    let mut interrupt = Interrupt::new()?;
    let config = TestnetConfig {
        nodes: args.nodes,
        silent: args.silent,
        refusing: args.refusing,
        base_port: args.port.unwrap_or(0),
        seed: args.seed,
    };
    let testnet = interrupt.or(network::start(&config, folder)).await?;
    let announced = announce(&testnet, &args);
    let manifest = match announced {
        Ok(manifest) => {
            // The way a testnet is meant to end.
            interrupt.wait().await;
            manifest
        }
        Err(failure) => {
            testnet.stop().await;
            return Err(failure);
        }
    };
    interrupt.last_call();
    drop(manifest);
    eprintln!("stopping …");
    testnet.stop().await;
    Ok(())
}

/// Writes the manifest, if wanted, and says how to join.
fn announce(testnet: &Testnet, args: &TestnetArgs) -> Result<Option<ManifestFile>, Failure> {
    let manifest = testnet.manifest();
    let file = match &args.manifest {
        Some(path) => Some(ManifestFile::write(path, &manifest)?),
        None => None,
    };
    let join = if let Some(file) = &file {
        format!("--manifest {}", file.path().display())
    } else {
        let address = manifest.bootstrap.first().map(ToString::to_string);
        format!("--bootstrap {}", address.unwrap_or_default())
    };
    let silent = match args.silent {
        0 => String::new(),
        silent => format!(", {silent} of them silent"),
    };
    print(&format!(
        "{} nodes are ready{silent}\njoin with: ant quote {join}\nstop with: Ctrl-C\n",
        manifest.node_count
    ))?;
    Ok(file)
}
