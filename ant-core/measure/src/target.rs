//! The network that is measured on, and the fresh clients that join it.

use std::time::{Duration, Instant};

use ant_core::{Client, ClientConfig, Error, Plan};
use ant_pacing::Arms;
use ant_testnet::Testnet;
use ant_wan::Lab;

/// The network that is measured on.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// How clients join it. The pacing is each arm's own.
    pub client: ClientConfig,
    /// The embedded testnet, if it is one: it knows what was sent.
    pub testnet: Option<&'a Testnet>,
    /// The wide-area network that it is on, if it is on one.
    pub lab: Option<&'a Lab>,
}

impl Target<'_> {
    /// This network for clients with this plan.
    pub(crate) fn with_plan(&self, plan: Plan) -> Self {
        let mut target = self.clone();
        target.client.plan = plan;
        target
    }

    /// Connects a client and has it learn its peers. Returns how long both took, too.
    pub(crate) async fn fresh_client(&self, pacing: Arms) -> Result<(Client, Duration), Error> {
        let joining = Instant::now();
        let client = Client::connect(ClientConfig {
            pacing,
            ..self.client.clone()
        })
        .await?;
        client.warm_up().await;
        Ok((client, joining.elapsed()))
    }
}
