//! `ant testnet`: the embedded network, for as long as somebody wants it.

use ant_config::{Sources, load};
use ant_testnet::{ManifestFile, Testnet};

use crate::{
    args::TestnetArgs,
    exit::Failure,
    interrupt::Interrupt,
    network::{CommandContext, OwnTestnet},
    output::print,
};

pub(crate) struct CheckedInput {
    args: TestnetArgs,
    pub(crate) own: OwnTestnet,
}

impl CheckedInput {
    pub(crate) fn new(args: TestnetArgs) -> Result<Self, Failure> {
        if let Some(path) = &args.manifest {
            ManifestFile::check(path).map_err(Failure::bad_input)?;
        }
        let mut own = match &args.wan {
            Some(named) => {
                // Without a name it is the settings'.
                let scenario = match named.as_str() {
                    "" => {
                        load(&Sources::of_process(Vec::new())?)?
                            .settings
                            .network
                            .scenario
                    }
                    named => named.to_owned(),
                };
                OwnTestnet::on_wan(&scenario, args.nodes, args.silent, args.seed)?
            }
            None => OwnTestnet::on_loopback(args.nodes, args.silent, args.seed),
        };
        own.config.refusing = args.refusing;
        own.config.chain = args.evm;
        own.config.base_port = args.port.unwrap_or(0);
        own.config.check()?;
        Ok(Self { args, own })
    }
}

pub(crate) async fn run(ready: CheckedInput, context: CommandContext<'_>) -> Result<(), Failure> {
    let CheckedInput { args, own } = ready;
    let interrupt = Interrupt::new()?;
    let (mut interrupt, testnet) = Box::pin(interrupt.starting(own.start(context))).await?;
    let announced = announce(&testnet, &args, &own, context);
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
fn announce(
    testnet: &Testnet,
    args: &TestnetArgs,
    own: &OwnTestnet,
    context: CommandContext<'_>,
) -> Result<Option<ManifestFile>, Failure> {
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
    let silent = match own.config.faults.silent {
        0 => String::new(),
        silent => format!(", {silent} of them silent"),
    };
    // Other programs reach a wide-area network from its host for them.
    let enter = context.lab.map_or_else(String::new, |lab| {
        format!("ip netns exec {} ", lab.outside().name())
    });
    print(&format!(
        "{} nodes are ready{silent}\njoin with: {enter}ant quote {join}\nstop with: Ctrl-C\n",
        manifest.node_count
    ))?;
    Ok(file)
}
