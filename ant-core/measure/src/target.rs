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
    /// Returns this network for clients that have another plan.
    pub(crate) fn with_plan(&self, plan: Plan) -> Self {
        let mut target = self.clone();
        target.client.plan = plan;
        target
    }

    /// Connects a client and lets it learn its peers. Returns the client, and how long
    /// both took.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_plan_changes_nothing_else() {
        let client = ClientConfig {
            local: true,
            seed: Some(7),
            ..ClientConfig::default()
        };
        let target = Target {
            client: client.clone(),
            testnet: None,
            lab: None,
        };
        let plan = Plan {
            ask: client.plan.ask + 1,
            ..client.plan
        };
        let other = target.with_plan(plan);
        assert_eq!(other.client.plan, plan);
        let expected = ClientConfig { plan, ..client };
        assert_eq!(format!("{:?}", other.client), format!("{expected:?}"));
        assert_ne!(target.client.plan, plan);
    }
}
