//! What only shows when settings are seen together: mixtures that make no
//! sense, and settings that cannot take effect.

use std::{collections::BTreeMap, time::Duration};

use ant_pacing::{FieldKind, Value as Number, duration};

use crate::{Fault, NetworkKind, Origin, Settings, Traced, address, layers::Entry, value::Value};

/// How many pools a tree has at most.
const POOLS: usize = 16;

/// Faults of networks that are half on this host. Whoever thinks to measure
/// one network must not measure another.
pub(crate) fn network<'a>(
    entries: &(impl Iterator<Item = &'a Entry> + Clone),
    faults: &mut Vec<Fault>,
) {
    // The last layer to speak of a key wins.
    let in_force: BTreeMap<_, _> = entries
        .clone()
        .map(|entry| (entry.key.name, entry))
        .collect();
    let of = |name: &str| in_force.get(name).copied();
    let (Some(kind), Some(bootstrap), Some(local)) = (
        of("network.kind"),
        of("network.bootstrap"),
        of("network.local"),
    ) else {
        return;
    };
    let embedded = kind.value.text() == Some("embedded");
    let on_loopback = local.value == Value::Switch(true);
    let Value::List(addresses) = &bootstrap.value else {
        return;
    };
    let outside = addresses.iter().find(|text| !address::is_loopback(text));
    let inside = addresses.iter().find(|text| address::is_loopback(text));
    if embedded && let Some(address) = addresses.first() {
        faults.push(bootstrap.fault(format!(
            "it names {address} to join, but network.kind is `embedded` ({}); set network.kind to \
             `remote`, or name no address",
            kind.origin
        )));
    } else if embedded && !on_loopback {
        faults.push(local.fault(format!(
            "`false`, but the embedded testnet (network.kind, {}) is on loopback; leave it out",
            kind.origin
        )));
    } else if on_loopback && let Some(address) = outside {
        faults.push(local.fault(format!(
            "`true`, but {address} (network.bootstrap, {}) is not on this host; set network.local \
             to `false`, or join another network",
            bootstrap.origin
        )));
    } else if !on_loopback && let Some(address) = inside {
        faults.push(local.fault(format!(
            "`false`, but {address} (network.bootstrap, {}) is on this host; set network.local to \
             `true`, or join another network",
            bootstrap.origin
        )));
    }
}

/// What cannot take effect, and why.
pub(crate) fn notes(settings: &Settings, traces: &[Traced]) -> Vec<String> {
    let mut notes = Vec::new();
    let origin = |key: &str| {
        let found = traces.iter().find(|traced| traced.key == key);
        found.map_or(&Origin::Default, |traced| &traced.given.origin)
    };
    let chosen = |key: &str| *origin(key) != Origin::Default;
    let most = POOLS * settings.plan.ask;
    for arm in settings.arms().as_slice() {
        let strategy = &arm.pacing.strategy;
        if let Some(Number::Count(slots)) = strategy.value("slots")
            && slots.get() as usize >= most
        {
            notes.push(format!(
                "the cap of `{strategy}` never binds: a tree asks at most {POOLS} pools of {} \
                 peers, which is {most} requests",
                settings.plan.ask
            ));
        }
        let longest = longest_exchange(settings);
        let expiring = strategy.entry().fields.iter();
        for field in expiring.filter(|field| field.kind == FieldKind::Duration) {
            if let Some(Number::Duration(after)) = strategy.value(field.name)
                && after >= longest
            {
                notes.push(format!(
                    "the `{}` of `{strategy}` never comes: an exchange has ended after {} at most",
                    field.name,
                    duration::format(longest)
                ));
            }
        }
    }
    if settings.ab.is_some() && chosen("pacing") {
        notes.push(format!(
            "`{}` ({}) has no effect: payments draw from the arms ({})",
            settings.pacing,
            origin("pacing"),
            origin("ab")
        ));
    }
    if settings.ab.is_none() && settings.payment.seed.is_some() {
        let by = origin("payment.seed");
        notes.push(format!(
            "payment.seed ({by}) has no effect: there are no arms to draw from"
        ));
    }
    if settings.plan.lookups > POOLS {
        let (lookups, by) = (settings.plan.lookups, origin("plan.lookups"));
        notes.push(format!(
            "plan.lookups = {lookups} ({by}) is as good as {POOLS}: a tree has {POOLS} pools, each \
             of which is looked up once"
        ));
    }
    let plan = &settings.plan;
    if chosen("plan.probe_ceiling") && plan.probe_ceiling > plan.request_timeout {
        notes.push(format!(
            "plan.probe_ceiling = {} ({}) has no effect: plan.request_timeout = {} ends every \
             request before",
            plan.probe_ceiling,
            origin("plan.probe_ceiling"),
            plan.request_timeout
        ));
    }
    let network = &settings.network;
    if network.kind == NetworkKind::Embedded && chosen("network.ipv6") && network.ipv6 {
        notes.push(format!(
            "network.ipv6 ({}) has no effect: the embedded testnet uses IPv4",
            origin("network.ipv6")
        ));
    }
    notes
}

/// The versioned request and the legacy retry, each waited for to its end.
fn longest_exchange(settings: &Settings) -> Duration {
    let plan = &settings.plan;
    let versioned = plan.request_timeout.min(plan.probe_ceiling);
    versioned.0 + plan.request_timeout.0
}
