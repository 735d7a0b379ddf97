//! What only shows when settings are seen together: mixtures that make no
//! sense, and settings that cannot take effect.

use std::{collections::BTreeMap, time::Duration};

use ant_collect::{Finish, MAX_POOLS};
use ant_pacing::{PacingSpec, Scope, Value as Number};
use ant_text::duration;

use crate::{
    address::{is_ipv6, is_loopback},
    fault::Fault,
    keys::Value,
    merge::settings::{NetworkKind, Settings},
    origin::{Origin, Traced},
    sources::Entry,
};

/// Finds networks that are half on this host. Who means to measure one network
/// must not measure another.
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
    let wide = kind.value.text() == Some("wan");
    let on_loopback = local.value == Value::Switch(true);
    let Value::List(addresses) = &bootstrap.value else {
        return;
    };
    let outside = addresses.iter().find(|text| !is_loopback(text));
    let inside = addresses.iter().find(|text| is_loopback(text));
    if (embedded || wide)
        && let Some(address) = addresses.first()
    {
        faults.push(bootstrap.fault(format!(
            "it names {address} to join, but network.kind is `{}` ({}); set network.kind to \
             `remote`, or name no address",
            kind.value, kind.origin
        )));
    } else if wide && on_loopback {
        faults.push(local.fault(format!(
            "`true`, but the wide-area network (network.kind, {}) is not on loopback; set \
             network.local to `false`",
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

/// Says what of these pacings cannot take effect, and why.
pub(crate) fn notes_on_pacings<'a>(
    settings: &Settings,
    pacings: impl IntoIterator<Item = &'a PacingSpec>,
) -> Vec<String> {
    let mut notes = Vec::new();
    let ask = settings.plan.ask;
    let most = MAX_POOLS * ask;
    let longest = longest_exchange(settings);
    for pacing in pacings {
        let strategy = &pacing.strategy;
        // Payments that overlap may fill the slots of a whole client.
        if pacing.scope == Scope::Payment
            && let Some(Number::Count(slots)) = strategy.value("slots")
            && slots.get() as usize >= most
        {
            notes.push(format!(
                "the cap of `{pacing}` never binds: a tree asks at most {MAX_POOLS} pools of {ask} \
                 peers, which is {most} requests"
            ));
        }
        if let Some(Number::Duration(after)) = strategy.value("after")
            && after >= longest
        {
            notes.push(format!(
                "the `after` of `{pacing}` never comes: an exchange has ended after {} at most",
                duration::format(longest)
            ));
        }
    }
    notes
}

/// Says what of the draws cannot take effect, and why.
pub(crate) fn notes_on_draws(settings: &Settings, traces: &[Traced]) -> Vec<String> {
    let mut notes = Vec::new();
    let (pacing, ab) = (origin(traces, "pacing"), origin(traces, "ab"));
    if settings.ab.is_some() && *pacing != Origin::Default {
        let spec = &settings.pacing;
        notes.push(format!(
            "`{spec}` ({pacing}) has no effect: payments draw from the arms ({ab})"
        ));
    }
    if settings.ab.is_none() && settings.payment.seed.is_some() {
        let by = origin(traces, "payment.seed");
        notes.push(format!(
            "payment.seed ({by}) has no effect: there are no arms to draw from"
        ));
    }
    notes
}

/// Says what else cannot take effect, and why.
pub(crate) fn notes(settings: &Settings, traces: &[Traced]) -> Vec<String> {
    let mut notes = Vec::new();
    let Settings { network, plan, .. } = settings;
    if plan.lookups > MAX_POOLS {
        let (lookups, by) = (plan.lookups, origin(traces, "plan.lookups"));
        notes.push(format!(
            "plan.lookups = {lookups} ({by}) does no more than {MAX_POOLS}: a tree has at most \
             {MAX_POOLS} pools, each of which is looked up once"
        ));
    }
    let by = origin(traces, "plan.substitutes");
    if plan.finish == Finish::All && plan.substitutes > 0 {
        notes.push(format!(
            "plan.substitutes = {} ({by}) has no effect: plan.finish is `all`",
            plan.substitutes
        ));
    }
    let by = origin(traces, "plan.first");
    if let Some(first) = plan.first.filter(|first| *first >= plan.ask) {
        notes.push(format!(
            "plan.first = {first} ({by}) has no effect: plan.ask = {}, so no peer is left over",
            plan.ask
        ));
    }
    let by = origin(traces, "plan.probe_ceiling");
    if *by != Origin::Default && plan.probe_ceiling > plan.request_timeout {
        notes.push(format!(
            "plan.probe_ceiling = {} ({by}) has no effect: plan.request_timeout = {} ends every \
             request first",
            duration::format(plan.probe_ceiling),
            duration::format(plan.request_timeout)
        ));
    }
    let by = origin(traces, "network.ipv6");
    if network.kind != NetworkKind::Remote && *by != Origin::Default && network.ipv6 {
        notes.push(format!(
            "network.ipv6 ({by}) has no effect: the testnets in this process use IPv4"
        ));
    }
    let by = origin(traces, "network.scenario");
    if network.kind != NetworkKind::Wan && *by != Origin::Default {
        notes.push(format!(
            "network.scenario ({by}) has no effect: network.kind is not `wan`"
        ));
    }
    let six = |text: &&String| is_ipv6(text);
    if !network.ipv6
        && let Some(address) = network.bootstrap.iter().find(six)
    {
        notes.push(format!(
            "{address} (network.bootstrap, {}) has no effect: network.ipv6 is `false` ({by})",
            origin(traces, "network.bootstrap")
        ));
    }
    notes
}

/// Returns who gave a setting its value.
fn origin<'a>(traces: &'a [Traced], key: &str) -> &'a Origin {
    let found = traces.iter().find(|traced| traced.key == key);
    found.map_or(&Origin::Default, |traced| &traced.given.origin)
}

/// Returns how long an exchange takes at most: the versioned request and the legacy
/// retry, each sent as slowly as is allowed and waited for to its end.
fn longest_exchange(settings: &Settings) -> Duration {
    let plan = &settings.plan;
    let versioned = plan.request_timeout.min(plan.probe_ceiling);
    plan.send_timeout + versioned + plan.send_timeout + plan.request_timeout
}
