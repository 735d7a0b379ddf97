//! The gate around requests of any kind: twenty of them, at most four at a time.
//! What asks is a thread here, and may as well be a task or a socket.
//!
//! `cargo run --release -p ant-pacing --example gate_around_requests`

use std::{collections::HashMap, error::Error, sync::mpsc, thread, time::Duration};

use ant_pacing::{Evidence, Gate, Moment, Outcome, PacingSpec, Peer, Request};

fn main() -> Result<(), Box<dyn Error>> {
    let spec: PacingSpec = "hold-4".parse()?;
    let gate = Gate::new(spec.strategy.build());
    let member = gate.join();
    let started = std::time::Instant::now();
    // The gate reads no clock: it is told how late it is.
    let now = || Moment::after_epoch(started.elapsed());

    let mut permits: HashMap<u64, _> = (0..20_u8)
        .map(|n| {
            let request = Request::to(Peer([n; 32]));
            (u64::from(n), member.enqueue(&request, u64::from(n), now()))
        })
        .collect();
    let (done, answers) = mpsc::channel();
    while !permits.is_empty() {
        // All that may leave now leaves.
        while let Some(key) = member.poll(now()) {
            let done = done.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(5)); // somebody answers
                done.send(key)
            });
        }
        // Whoever has ended makes room, and the strategy is shown how it went.
        if let Some(permit) = permits.remove(&answers.recv()?) {
            permit.finish(Outcome::Answered, Evidence::None, now());
        }
    }
    let stats = gate.stats();
    println!(
        "{} requests, at most {} at a time",
        stats.admitted, stats.peak_occupied
    );
    Ok(())
}
