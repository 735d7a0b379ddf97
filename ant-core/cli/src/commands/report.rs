//! `ant report`: recorded payments, summed up per arm.

use ant_measure::{summed_up, table};

use crate::{
    args::ReportArgs,
    exit::Failure,
    output::{print, print_json},
};

pub(crate) fn run(args: &ReportArgs) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in &args.files {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::BadInput(format!("{name}: {error}")))?;
        files.push((name, text));
    }
    let report = summed_up(&files).map_err(Failure::bad_input)?;
    if report.cut_short > 0 {
        eprintln!(
            "note: {} lines were cut short and left out",
            report.cut_short
        );
    }
    if args.json {
        print_json(&report)
    } else if report.arms.is_empty() {
        print("no payments are recorded\n")
    } else {
        print(&table(&report.arms))
    }
}
