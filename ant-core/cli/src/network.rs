//! Which network a command runs on: the embedded one, which it starts and stops,
//! or one that it joins.

use std::{path::Path, time::Instant};

use ant_config::{Environment, Flag, NetworkKind, Reloader, Settings, Sources, joining, on_wan};
use ant_core::{ClientConfig, read_manifest};
use ant_measure::Target;
use ant_testnet::{Faults, Testnet, TestnetConfig};
use ant_wan::{Lab, Scenario};

use crate::{args::NetworkArgs, exit::Failure};

/// What the program prepares for a command that needs a network.
#[derive(Clone, Copy)]
pub(crate) struct CommandContext<'a> {
    /// A folder for files that are removed when the command ends.
    pub(crate) folder: &'a Path,
    /// The wide-area network, if the command needs one. The command then runs on
    /// that network's host for clients.
    pub(crate) lab: Option<&'a Lab>,
}

/// A testnet that the command starts and stops itself.
#[derive(Clone, Debug)]
pub(crate) struct OwnTestnet {
    pub(crate) config: TestnetConfig,
    /// The wide-area network that its nodes are on; without one they are on
    /// loopback.
    pub(crate) scenario: Option<Scenario>,
}

/// The settings in force, and the network that they select.
pub(crate) struct NetworkSelection {
    pub(crate) settings: Settings,
    /// Reads the settings again, for commands that follow changes of them.
    pub(crate) reloader: Reloader,
    /// The testnet to start; nothing if the command joins a running network.
    pub(crate) own: Option<OwnTestnet>,
    client: ClientConfig,
}

impl NetworkSelection {
    /// Reads flags, variables and profile, and selects the network. Nothing is
    /// started.
    pub(crate) fn new(args: &NetworkArgs, seed: u64) -> Result<Self, Failure> {
        let mut flags = args.settings.given.clone();
        if let Some(path) = &args.manifest {
            let joined = read_manifest(path)?.bootstrap;
            let joined: Vec<_> = joined.iter().map(ToString::to_string).collect();
            joining(&mut flags, &joined, "--manifest");
        }
        if let Some(scenario) = &args.wan {
            let named = Some(scenario.as_str()).filter(|scenario| !scenario.is_empty());
            on_wan(&mut flags, named, "--wan")?;
            // Its own profile, unless somebody has named one.
            let named = flags.iter().any(|flag| flag.key.name == "profile");
            if !named && !Environment::of_process().is_set("ANT_MERKLE_PROFILE") {
                flags.extend(Flag::new("profile", "wan", "--wan"));
            }
        }
        let reloader = Reloader::new(Sources::of_process(flags)?)?;
        let settings = reloader.current().settings.clone();
        let own = match settings.network.kind {
            NetworkKind::Embedded => Some(OwnTestnet::on_loopback(args.nodes, args.silent, seed)),
            NetworkKind::Wan => {
                let scenario = &settings.network.scenario;
                Some(OwnTestnet::on_wan(scenario, args.nodes, args.silent, seed)?)
            }
            NetworkKind::Remote if args.nodes.is_some() || args.silent.is_some() => {
                return Err(Failure::BadInput(format!(
                    "--nodes and --silent set up the embedded testnet, but the profile `{}` joins \
                     a remote network; leave them out, or choose --profile local",
                    settings.profile
                )));
            }
            NetworkKind::Remote => None,
        };
        if let Some(own) = &own {
            own.config.check()?;
        }
        let network = &settings.network;
        if own.is_none() && network.bootstrap.is_empty() {
            return Err(Failure::BadInput(format!(
                "the profile `{}` names no network; give --manifest FILE or --bootstrap ADDRESS",
                settings.profile
            )));
        }
        let client = ClientConfig::try_from(&settings)?;
        Ok(Self {
            settings,
            reloader,
            own,
            client,
        })
    }

    /// Selects the network of a command that pays: a testnet of its own gets a
    /// chain.
    pub(crate) fn paying(args: &NetworkArgs, seed: u64) -> Result<Self, Failure> {
        let mut selection = Self::new(args, seed)?;
        if let Some(own) = &mut selection.own {
            if own.scenario.is_some() {
                return Err(Failure::BadInput(
                    "the chain is on this host, which nodes on a wide-area network cannot reach; \
                     leave --wan out"
                        .to_owned(),
                ));
            }
            own.config.chain = true;
        }
        Ok(selection)
    }

    /// Returns the wide-area network that the command needs, if it needs one.
    pub(crate) fn scenario(&self) -> Option<&Scenario> {
        self.own.as_ref()?.scenario.as_ref()
    }

    /// Starts the command's own testnet, if it has one.
    pub(crate) async fn start(
        &self,
        context: CommandContext<'_>,
    ) -> Result<Option<Testnet>, Failure> {
        match &self.own {
            Some(own) => own.start(context).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns what to measure on.
    pub(crate) fn target<'a>(
        &self,
        context: CommandContext<'a>,
        testnet: Option<&'a Testnet>,
    ) -> Target<'a> {
        let mut client = self.client.clone();
        if let Some(testnet) = testnet {
            client.bootstrap = testnet.bootstrap();
        }
        Target {
            client,
            testnet,
            lab: context.lab,
        }
    }
}

impl OwnTestnet {
    /// Sets up a testnet on loopback.
    pub(crate) fn on_loopback(nodes: Option<usize>, silent: Option<usize>, seed: u64) -> Self {
        Self {
            config: TestnetConfig {
                nodes: nodes.unwrap_or(TestnetConfig::default().nodes),
                faults: Faults {
                    silent: silent.unwrap_or(0),
                    ..Faults::default()
                },
                seed,
                ..TestnetConfig::default()
            },
            scenario: None,
        }
    }

    /// Sets up a testnet on the wide-area network of this scenario.
    pub(crate) fn on_wan(
        scenario: &str,
        nodes: Option<usize>,
        silent: Option<usize>,
        seed: u64,
    ) -> Result<Self, Failure> {
        let mut scenario = Scenario::find(scenario).map_err(Failure::bad_input)?;
        let population = &mut scenario.population;
        population.nodes = nodes.unwrap_or(population.nodes);
        population.faults.silent = silent.unwrap_or(population.faults.silent);
        // Either seed makes another network.
        population.seed = population.seed.wrapping_add(seed);
        scenario.validate().map_err(Failure::bad_input)?;
        let population = &scenario.population;
        Ok(Self {
            config: TestnetConfig {
                nodes: population.nodes,
                faults: population.faults,
                seed,
                ..TestnetConfig::default()
            },
            scenario: Some(scenario),
        })
    }

    /// Starts the testnet, and tells the user so.
    pub(crate) async fn start(&self, context: CommandContext<'_>) -> Result<Testnet, Failure> {
        let nodes = self.config.nodes;
        let place = match &self.scenario {
            None => "127.0.0.1",
            Some(scenario) => scenario.population.description.as_str(),
        };
        eprintln!("starting {nodes} nodes on {place} …");
        let started = Instant::now();
        let testnet = match context.lab {
            None => Testnet::start(&self.config, context.folder).await?,
            Some(lab) => Testnet::start_on(&self.config, context.folder, lab.nodes()).await?,
        };
        eprintln!("ready after {:.1} s", started.elapsed().as_secs_f64());
        Ok(testnet)
    }
}

#[cfg(test)]
mod tests {
    use ant_config::KEYS;

    use super::*;
    use crate::flags::SettingFlags;

    #[test]
    fn every_key_reaches_the_client() {
        let client = |flags: &[(&str, &str)]| {
            let base = [
                ("network.kind", "remote"),
                ("network.bootstrap", "127.0.0.1:9"),
                ("pacing.strategy", "release-1s-8"),
                ("plan.finish", "all"),
                ("plan.reasks", "0"),
                ("plan.witnesses", "0"),
                ("plan.hedges", "0"),
                ("plan.dials", "0"),
                ("plan.queue_lookups", "9"),
            ];
            let mut given: Vec<Flag> = Vec::new();
            for (key, text) in flags.iter().chain(&base) {
                if !given.iter().any(|flag| flag.key.name == *key) {
                    given.extend(Flag::new(key, *text, "--flag"));
                }
            }
            let args = NetworkArgs {
                nodes: None,
                silent: None,
                manifest: None,
                wan: None,
                settings: SettingFlags { given },
            };
            let selection = NetworkSelection::new(&args, 1).unwrap();
            format!("{:?}", selection.client)
        };
        let before = client(&[]);
        for key in KEYS {
            let flags = match key.name {
                // Where settings come from, and what is done with a payment.
                "profile" | "payment.record" | "payment.evm" | "network.kind"
                | "network.scenario" => {
                    continue;
                }
                "network.local" => vec![(key.name, "false"), ("network.bootstrap", "1.2.3.4:5")],
                name => vec![(name, key.example)],
            };
            assert_ne!(client(&flags), before, "{}", key.name);
        }
        let remote = client(&[
            ("network.bootstrap", "1.2.3.4:5"),
            ("network.local", "false"),
        ]);
        assert!(remote.contains("local: false"), "{remote}");
    }
}
