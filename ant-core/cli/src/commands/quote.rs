//! `ant quote`: one tree under the active strategy, and what it took.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use ant_measure::{Host, Measured, PaymentRecord, Run, Target, addresses, measure_tree, versions};
use ant_payments::write_batch;
use ant_protocol::MAX_CHUNK_SIZE;
use serde_json::{Value, json};

use crate::{
    args::QuoteArgs,
    exit::Failure,
    interrupt::Interrupt,
    network::{CommandContext, NetworkSelection},
    output::{print, print_json},
    record,
    wallet::PaymentChain,
};

/// The most addresses one tree holds.
const MOST: usize = 256;

pub(crate) struct CheckedInput {
    json: bool,
    addresses: Vec<[u8; 32]>,
    out: Option<PathBuf>,
    manifest: Option<PathBuf>,
    pub(crate) chosen: NetworkSelection,
}

impl CheckedInput {
    pub(crate) fn new(args: QuoteArgs) -> Result<Self, Failure> {
        let chosen = NetworkSelection::new(&args.network, args.seed)?;
        record::check(&chosen.settings)?;
        for note in chosen.reloader.current().notes() {
            eprintln!("note: {note}");
        }
        if chosen.settings.ab.is_some() && chosen.settings.payment.seed.is_some() {
            eprintln!("note: payment.seed makes every `ant quote` draw the same arm");
        }
        let addresses = match &args.addresses {
            Some(path) => read_addresses(path)?,
            None => addresses(args.seed, 0, args.leaves as usize),
        };
        Ok(Self {
            json: args.json,
            addresses,
            out: args.out,
            manifest: args.network.manifest,
            chosen,
        })
    }
}

pub(crate) async fn run(ready: CheckedInput, ground: CommandContext<'_>) -> Result<(), Failure> {
    let CheckedInput {
        json,
        addresses,
        out,
        manifest,
        chosen,
    } = ready;
    let interrupt = Interrupt::new()?;
    let (mut interrupt, testnet) = Box::pin(interrupt.starting(chosen.start(ground))).await?;
    let target = chosen.target(ground, testnet.as_ref());
    let quoted = interrupt.or(quote(&chosen, &target, &addresses)).await;
    interrupt.last_call();
    if let Some(testnet) = testnet {
        testnet.stop().await;
    }
    let Measured {
        run,
        failure,
        drawn,
        batches,
    } = quoted?;
    if let (Some(path), Some(prepared)) = (&out, batches.first()) {
        let chain = PaymentChain::known(manifest.as_deref(), &chosen.settings)?;
        write_batch(path, &prepared.batch, chain.as_ref())?;
        if chain.is_none() {
            eprintln!(
                "note: no chain is known, so {} has no transaction",
                path.display()
            );
        }
    }
    // A payment that failed before it drew has the arms to show.
    let strategy = drawn.as_ref().map_or_else(
        || chosen.settings.arms().to_string(),
        |drawn| drawn.pacing.to_string(),
    );
    if json {
        print_json(&document(&chosen, &strategy, &run, addresses.len()))?;
    } else {
        print(&summary(&strategy, &run, addresses.len()))?;
    }
    if let Some(drawn) = &drawn {
        let (settings, addresses) = (&chosen.settings, addresses.len());
        let payment = PaymentRecord::now(&settings.profile, drawn, addresses, run.clone());
        record::append(settings, &payment)?;
    }
    failure.map_or(Ok(()), |error| Err(error.into()))
}

async fn quote(
    chosen: &NetworkSelection,
    target: &Target<'_>,
    addresses: &[[u8; 32]],
) -> Result<Measured, Failure> {
    let arms = chosen.settings.arms();
    let size = MAX_CHUNK_SIZE as u64;
    Ok(measure_tree(target, arms, addresses, size).await?)
}

fn document(chosen: &NetworkSelection, strategy: &str, run: &Run, addresses: usize) -> Value {
    let mut document = json!({
        "strategy": strategy,
        "addresses": addresses,
        "settings": chosen.settings,
        "host": Host::now(),
        "versions": versions(),
    });
    if let (Value::Object(document), Ok(Value::Object(run))) =
        (&mut document, serde_json::to_value(run))
    {
        document.extend(run.into_iter().filter(|(key, _)| key != "block"));
    }
    document
}

fn summary(strategy: &str, run: &Run, addresses: usize) -> String {
    let unknown = || "?".to_owned();
    let count = |n: Option<u64>| n.map_or_else(unknown, |n| n.to_string());
    let seconds = |s: Option<f64>| s.map_or_else(unknown, |s| format!("{s:.2} s"));
    let pools = |n: Option<usize>| n.map_or_else(unknown, |n| n.to_string());
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "{label:<18}{value}");
    };
    line("strategy", strategy.to_owned());
    line("addresses", addresses.to_string());
    line(
        "pools full",
        format!("{} of {}", pools(run.pools_full), pools(run.pools)),
    );
    line("tree", seconds(run.tree_s));
    line("slowest lookup", seconds(run.lookup_max_s));
    line("time added", seconds(run.added_s));
    line(
        "requests",
        format!(
            "{}, {} of them legacy retries",
            count(run.requests),
            count(run.legacy_retries)
        ),
    );
    line(
        "answers",
        format!(
            "{} in time, {} late",
            count(run.answers_taken),
            count(run.late)
        ),
    );
    if let Some(lost) = run.lost {
        line("answers lost", lost.to_string());
    }
    if let Some(late) = run.router_late_ms {
        line("router late", format!("{late:.1} ms (99th percentile)"));
    }
    if let Some(void) = &run.void {
        line("void", void.clone());
    }
    let peak = |n: Option<u32>| n.map_or_else(unknown, |n| n.to_string());
    line("most in flight", peak(run.peak_in_flight));
    for peer in &run.silent_peers {
        line("silent peer", peer.clone());
    }
    text.push_str("nothing was paid\n");
    text
}

/// Reads addresses: 64 hexadecimal digits a line; blank lines and lines that
/// start with `#` do not count.
fn read_addresses(path: &Path) -> Result<Vec<[u8; 32]>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::BadInput(format!("{}: {error}", path.display())))?;
    parse_addresses(&text)
        .map_err(|problem| Failure::BadInput(format!("{}: {problem}", path.display())))
}

fn parse_addresses(text: &str) -> Result<Vec<[u8; 32]>, String> {
    let mut addresses = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut address = [0; 32];
        hex::decode_to_slice(line, &mut address).map_err(|_| {
            format!("line {number}: `{line}` is not an address, which is 64 hexadecimal digits")
        })?;
        addresses.push(address);
    }
    if !(2..=MOST).contains(&addresses.len()) {
        return Err(format!(
            "one tree holds 2 to {MOST} addresses, and {} are given",
            addresses.len()
        ));
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_files_are_read_strictly() {
        let line = |n: u8| format!("{}\n", hex::encode([n; 32]));
        let two = format!("# mine\n\n{}  {}", line(1), line(2));
        assert_eq!(parse_addresses(&two).unwrap(), [[1; 32], [2; 32]]);
        let error = |text: &str| parse_addresses(text).unwrap_err();
        assert!(error("").contains("and 0 are given"));
        assert!(error(&line(1)).contains("and 1 are given"));
        assert!(error(&line(1).repeat(257)).contains("and 257 are given"));
        assert!(error(&format!("{}12", line(1))).starts_with("line 2: `12`"));
    }
}
