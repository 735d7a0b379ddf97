//! What was paid for is stored in the end, whatever happens in between.

use std::{
    collections::BTreeSet,
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use ant_core::{MerkleBatch, now};
use ant_payments::read_batch;
use ant_protocol::evm::{Amount, Network as Evm};
use ant_testnet::TestnetConfig;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::{
    chain::Paying,
    command::{Running, text},
    network::run,
};

/// Starts `ant` with these words and kills it once a receipt, of an upload its own,
/// has this file with at least so many lines; the receipt, unless the command had
/// come to its end.
fn killed_at(paying: &Paying, words: &[&str], file: &str, lines: usize) -> Option<PathBuf> {
    let others = match words[0] {
        "upload" => paying.open_receipts(),
        _ => Vec::new(),
    };
    let mut command = Running::start(&mut paying.ant(words));
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < Duration::from_mins(3), "no {file}");
        // Looked at first: what it did before its end is there afterwards.
        let ended = command.has_ended();
        let mut all = paying.open_receipts().into_iter();
        let found = all.find(|receipt| !others.contains(receipt) && has(receipt, file, lines));
        if !ended && let Some(receipt) = found {
            command.signal(Signal::SIGKILL);
            // It may have come to its end in this very moment.
            return (command.end().0.is_none()).then_some(receipt);
        }
        if ended {
            assert_eq!(command.end().0, Some(0));
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

fn has(receipt: &Path, file: &str, lines: usize) -> bool {
    fs::read_to_string(receipt.join(file)).is_ok_and(|content| content.lines().count() >= lines)
}

/// Whether this is what one of the batch's pools costs.
fn single_payment(chain: &Evm, batch: &MerkleBatch, paid: Amount) -> bool {
    let commitments = batch.commitments().unwrap();
    let costs: BTreeSet<_> = commitments
        .into_iter()
        .map(|pool| chain.estimate_merkle_payment_cost(batch.depth(), &[pool]))
        .collect();
    costs.contains(&paid)
}

#[test]
fn an_upload_killed_at_every_step_is_resumed_and_paid_once() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let content = paying.random_file("f.bin", 29 << 20);
        let before = paying.balance().await;
        // Killed when the transaction was signed, resumed and killed when it had
        // settled, and then after each chunk that was stored.
        let receipt = killed_at(&paying, &["upload", "f.bin"], "signed.json", 0).unwrap();
        let batch = read_batch(&receipt.join("batch.json"), now().unwrap()).unwrap();
        killed_at(&paying, &["resume"], "paid.json", 0).unwrap();
        let (mut stored, mut kills) = (0, 0);
        while killed_at(&paying, &["resume"], "stored", stored + 1).is_some() {
            let lines = fs::read_to_string(receipt.join("stored")).unwrap();
            assert!(lines.lines().count() > stored);
            stored = lines.lines().count();
            kills += 1;
        }
        assert!(kills >= 2, "{kills} of {} chunks", batch.addresses.len());
        let after = paying.balance().await;
        assert!(
            single_payment(paying.evm(), &batch, before - after),
            "paid {} in all",
            before - after
        );
        // Everything paid for is there: a second upload pays nothing and makes the
        // data map that the first one did not come to.
        let nothing = paying.ends(&["resume"], 0);
        assert_eq!(text(&nothing.stdout), "nothing is left to resume\n");
        paying.ends(&["upload", "f.bin"], 0);
        assert_eq!(paying.balance().await, after);
        paying.reads("f.bin.datamap", &content);

        // A single chunk, here the data map for everybody, has a receipt as well.
        let public = ["upload", "f.bin", "--public", "--data-map", "p.datamap"];
        let receipt = killed_at(&paying, &public, "signed.json", 0).unwrap();
        assert!(receipt.join("chunk.json").exists());
        killed_at(&paying, &["resume"], "paid.json", 0).unwrap();
        let paid = paying.balance().await;
        assert!(paid < after);
        let resumed = text(&paying.ends(&["resume"], 0).stdout);
        let address = resumed
            .lines()
            .find_map(|line| line.strip_prefix("address"));
        paying.reads(address.unwrap().trim(), &content);
        assert_eq!(paying.balance().await, paid);
        paying.stop().await;
    });
}

#[test]
fn a_file_that_is_gone_or_changed_keeps_no_other_from_being_resumed() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let first = paying.random_file("first.bin", 5 << 20);
        let second = paying.random_file("second.bin", 5 << 20);
        for name in ["first.bin", "second.bin"] {
            killed_at(&paying, &["upload", name], "paid.json", 0).unwrap();
        }
        assert_eq!(paying.open_receipts().len(), 2);
        let paid = paying.balance().await;
        fs::remove_file(paying.path("first.bin")).unwrap();
        let said = text(&paying.ends(&["resume"], 1).stderr);
        let named = |line: &str| line.starts_with("error: ") && line.contains("first.bin");
        assert!(said.lines().any(named), "{said}");
        assert_eq!(paying.open_receipts().len(), 1, "the second is stored");

        // Other content would be paid for anew, which nobody asked for.
        paying.random_file("first.bin", 5 << 20);
        let said = text(&paying.ends(&["resume"], 1).stderr);
        assert!(said.contains("first.bin is not what it was"), "{said}");
        assert_eq!(paying.balance().await, paid);
        // It may be uploaded as it is now, and what was paid for before is kept.
        let changed = paying.random_file("first.bin", 5 << 20);
        let words = ["upload", "first.bin", "--data-map", "changed.datamap"];
        let said = text(&paying.ends(&words, 0).stderr);
        assert!(
            said.contains("3 chunks that were paid for are not of"),
            "{said}"
        );
        paying.reads("changed.datamap", &changed);
        assert_eq!(paying.open_receipts().len(), 1);
        let paid = paying.balance().await;
        fs::write(paying.path("first.bin"), &first).unwrap();
        paying.ends(&["resume"], 0);
        for (name, content) in [("first.bin", first), ("second.bin", second)] {
            paying.ends(&["upload", name], 0);
            paying.reads(&format!("{name}.datamap"), &content);
        }
        assert_eq!(paying.balance().await, paid);
        paying.stop().await;
    });
}

/// Asks the chain for something, by hand: one request, one answer.
fn ask(chain: &Evm, method: &str, parameters: &str) {
    let url = chain.rpc_url();
    let port = url.port().unwrap();
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{parameters}}}"#);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("\"result\""), "{answer}");
}

/// An address behind which the chain can be changed for another.
struct Relay {
    address: SocketAddr,
    to: Arc<Mutex<u16>>,
}

impl Relay {
    fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let to = Arc::new(Mutex::new(port));
        let target = Arc::clone(&to);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let port = *target.lock().unwrap();
                let (Ok(near), Ok(far)) = (stream, TcpStream::connect(("127.0.0.1", port))) else {
                    continue;
                };
                let ways = [
                    (near.try_clone().unwrap(), far.try_clone().unwrap()),
                    (far, near),
                ];
                for (mut from, mut to) in ways {
                    thread::spawn(move || std::io::copy(&mut from, &mut to));
                }
            }
        });
        Self { address, to }
    }

    fn turn_to(&self, port: u16) {
        *self.to.lock().unwrap() = port;
    }
}

/// A chain with another id, and no contracts.
struct OtherChain {
    child: Child,
    port: u16,
}

impl OtherChain {
    fn start() -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut command = Command::new("anvil");
        command.args(["--chain-id", "7", "--port", &port.to_string()]);
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        let own = Self { child, port };
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(30));
            thread::sleep(Duration::from_millis(50));
        }
        own
    }
}

impl Drop for OtherChain {
    fn drop(&mut self) {
        // Asked and not forced: npm's `anvil` passes on what it is asked to the chain
        // itself.
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        kill(pid, Signal::SIGTERM).unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_payment_that_does_not_settle_is_kept_and_resumed() {
    run(async {
        let paying = Paying::start(TestnetConfig::default()).await;
        let own = paying.evm().rpc_url().port().unwrap();
        let relay = Relay::to(own);
        let mut manifest = paying.network.testnet.manifest();
        let evm = manifest.evm.as_mut().unwrap();
        evm.rpc_url = format!("http://{}", relay.address);
        fs::write(paying.manifest(), serde_json::to_vec(&manifest).unwrap()).unwrap();
        // The allowance is there already, so that the payment is all that waits.
        paying.random_file("first.bin", 5 << 20);
        paying.ends(&["upload", "first.bin"], 0);

        let content = paying.random_file("f.bin", 5 << 20);
        let before = paying.balance().await;
        ask(paying.evm(), "evm_setAutomine", "[false]");
        let words = ["upload", "f.bin", "--settle-within", "3s"];
        for _ in 0..2 {
            // A second try waits for the first payment, and makes no other.
            let stuck = paying.ends(&words, 4);
            assert!(text(&stuck.stderr).contains("has not settled after"));
        }
        // The wrong chain: nothing is sent to it, and nothing is lost.
        let other = OtherChain::start();
        relay.turn_to(other.port);
        let said = text(&paying.ends(&["resume"], 4).stderr);
        assert!(
            said.contains("not the one that the payment was signed for"),
            "{said}"
        );
        paying.random_file("other.bin", 1 << 20);
        let said = text(&paying.ends(&["upload", "other.bin"], 4).stderr);
        assert!(said.contains("no such contracts"), "{said}");
        assert_eq!(paying.open_receipts().len(), 1);
        relay.turn_to(own);

        ask(paying.evm(), "evm_setAutomine", "[true]");
        ask(paying.evm(), "evm_mine", "[]");
        paying.ends(&["resume"], 0);
        let after = paying.balance().await;
        assert!(after < before);
        paying.ends(&words, 0);
        assert_eq!(paying.balance().await, after);
        paying.reads("f.bin.datamap", &content);
        paying.stop().await;
    });
}
