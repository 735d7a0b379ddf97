//! The model, in virtual time: no device and no waiting.

use super::*;

/// A router between 8 nodes without devices.
fn forwarding(jitter: Duration, link: Link) -> Forwarding {
    let mut scenario = crate::Scenario::find("residential").unwrap();
    scenario.population.nodes = 8;
    let map = Map::new(&scenario);
    Forwarding::new(Vec::new(), map, jitter, link, 7, Arc::new(Shared::new()))
}

/// A packet to a node, with a mark.
fn packet(forwarding: &Forwarding, to: usize, mark: u8) -> Vec<u8> {
    let mut packet = vec![mark; 1000];
    packet[..20].fill(0);
    packet[0] = 0x45;
    packet[9] = 17;
    packet[16..20].copy_from_slice(&forwarding.map.address(to).octets());
    packet[22..24].copy_from_slice(&forwarding.map.port(to).to_be_bytes());
    packet
}

/// What has been delivered by then: when each was due, to whom, its mark.
fn due_by(forwarding: &mut Forwarding, by: Instant) -> Vec<(Instant, usize, u8)> {
    std::iter::from_fn(|| forwarding.next_due(by))
        .map(|packet| (packet.due, packet.to, packet.bytes[999]))
        .collect()
}

#[test]
fn a_packet_takes_its_pairs_delay_and_no_more() {
    let mut forwarding = forwarding(Duration::ZERO, Link::default());
    let start = Instant::now();
    for to in 1..8 {
        let packet = packet(&forwarding, to, 0);
        forwarding.accept(0, &packet, start, start);
    }
    assert!(due_by(&mut forwarding, start).is_empty());
    let due = due_by(&mut forwarding, start + Duration::from_secs(1));
    assert_eq!(due.len(), 7);
    assert!(due.is_sorted());
    for (at, to, _) in due {
        assert_eq!(at - start, forwarding.map.delay(0, to));
    }
}

#[test]
fn jitter_delays_and_never_reorders_a_pair() {
    let jitter = Duration::from_millis(20);
    let mut forwarding = forwarding(jitter, Link::default());
    let start = Instant::now();
    for mark in 0..100 {
        let now = start + Duration::from_micros(u64::from(mark) * 100);
        let packet = packet(&forwarding, 3, mark);
        forwarding.accept(0, &packet, now, now);
    }
    let due = due_by(&mut forwarding, start + Duration::from_secs(1));
    let marks: Vec<_> = due.iter().map(|(.., mark)| *mark).collect();
    assert_eq!(marks, (0..100).collect::<Vec<_>>());
    let delay = forwarding.map.delay(0, 3);
    let longer = due.iter().zip(0..).filter(|((at, ..), mark)| {
        let sent = start + Duration::from_micros(mark * 100);
        let over = at.duration_since(sent + delay);
        assert!(over <= jitter + Duration::from_millis(1));
        over > jitter / 2
    });
    assert!(
        longer.count() > 30,
        "the first long one holds up those behind it"
    );
}

#[test]
fn a_narrow_link_is_passed_at_both_ends() {
    // A thousand bytes are a millisecond.
    let link = Link {
        loss: 0.0,
        mbit_per_s: 8,
    };
    let after = |ms: u64| Duration::from_millis(ms);
    let start = Instant::now();
    // One host sends ten: its own link lets one out each millisecond.
    let mut up = forwarding(Duration::ZERO, link);
    for mark in 0..10 {
        let packet = packet(&up, 3, mark);
        up.accept(0, &packet, start, start);
    }
    let delay = up.map.delay(0, 3);
    let due = due_by(&mut up, start + after(1000));
    for ((at, ..), sent) in due.iter().zip(1..) {
        assert_eq!(*at - start, delay + after(sent) + after(1));
    }
    // Seven send one each to the same: its link lets one in each millisecond.
    let mut down = forwarding(Duration::ZERO, link);
    for from in 1..8 {
        let packet = packet(&down, 0, 0);
        // All arrive together.
        let ahead = down.map.delay(from, 0);
        let sent = start + after(500).checked_sub(ahead).unwrap();
        down.accept(from, &packet, sent, sent);
    }
    let due = due_by(&mut down, start + after(1000));
    let times: Vec<_> = due.iter().map(|(at, ..)| *at - start).collect();
    assert_eq!(times, (1..8).map(|n| after(501 + n)).collect::<Vec<_>>());
}
