use serde_json::{Value as Json, json};

use super::*;

fn late(late_us: Option<u64>) -> Run {
    let mut run = Run::default();
    run.routed_late(false, late_us.map(Duration::from_micros));
    run
}

#[test]
fn a_run_on_a_late_or_dead_router_is_void() {
    for (late_us, void) in [
        (Some(100), false),
        (Some(2000), false),
        (Some(2100), true),
        (None, true),
    ] {
        assert_eq!(late(late_us).void.is_some(), void, "{late_us:?}");
    }
    let mut stopped = Run::default();
    stopped.routed_late(true, Some(Duration::from_micros(100)));
    assert!(stopped.void.unwrap().contains("stopped"));
}

#[test]
fn trees_are_added_up_and_peaks_are_not() {
    let tree = |seconds, pools, peak_in_flight, silent: u8| Report {
        took: Duration::from_secs(seconds),
        pools,
        pools_full: pools - 1,
        requests: 10,
        peak_in_flight,
        silent_peers: vec![ant_pacing::Peer([silent; 32])],
        ..Report::default()
    };
    let (one, two) = (tree(2, 16, 7, 1), tree(3, 2, 30, 1));
    let mut run = Run::default();
    run.fill(&[]);
    assert_eq!(run, Run::default());
    run.fill(&[&one, &two]);
    assert_eq!((run.tree_s, run.added_s), (Some(5.0), Some(5.0)));
    assert_eq!((run.pools, run.pools_full), (Some(18), Some(16)));
    assert_eq!((run.requests, run.peak_in_flight), (Some(20), Some(30)));
    assert_eq!(run.silent_peers, ["01".repeat(32)]);
    // What no collection sees stays unknown.
    assert_eq!((run.lost, run.peak_slots, run.cpu_s), (None, None, None));
}

#[test]
fn every_figure_is_read_from_the_field_of_its_name() {
    let Json::Object(mut keys) = serde_json::to_value(Run::default()).unwrap() else {
        panic!("a run is an object");
    };
    let unknown = keys.values_mut().filter(|value| value.is_null());
    for (number, value) in (1..).zip(unknown) {
        *value = json!(number);
    }
    for text in ["paid_atto", "error", "void"] {
        keys[text] = json!("text");
    }
    let run: Run = serde_json::from_value(Json::Object(keys.clone())).unwrap();
    for figure in FIGURES {
        let read = (figure.read)(&run);
        let expected = match &keys[figure.name] {
            Json::Array(peers) => Some(0.0).filter(|_| peers.is_empty()),
            value => value.as_f64(),
        };
        assert_eq!(read, expected, "{}", figure.name);
        assert_eq!(
            (figure.read)(&Run::default()),
            None,
            "{}: what is unknown is not 0",
            figure.name
        );
    }
    let names: BTreeSet<_> = FIGURES.iter().map(|figure| figure.name).collect();
    assert_eq!(names.len(), FIGURES.len());
}

/// The fields as a table in Markdown.
fn markdown() -> String {
    let rows = FIELDS.iter().map(|(name, meaning)| {
        let figure = FIGURES.iter().find(|figure| figure.name == *name);
        let unit = figure.map_or("", |figure| figure.unit);
        format!("| `{name}` | {unit} | {} |\n", meaning.trim())
    });
    let head = "| field | unit | meaning |\n| --- | --- | --- |\n".to_owned();
    head + &rows.collect::<String>()
}

#[test]
fn the_documentation_is_that_of_the_list() {
    let table = markdown();
    assert!(
        include_str!("../../FIGURES.md").contains(&table),
        "put this into ant-core/measure/FIGURES.md:\n\n{table}"
    );
}
