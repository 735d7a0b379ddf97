//! `ant config` and `ant profile`: what is in force, why, and from which file.

use std::fmt::Write;

use ant_config::{Flags, Sources, Traced, known, load_traced, profile_text};

use crate::{
    args::ShowArgs,
    exit::Failure,
    output::{print, print_json},
};

/// Every setting, its value, where it came from, and what it hides.
pub(crate) fn show(args: &ShowArgs) -> Result<(), Failure> {
    let sources = Sources::of_process(Flags {
        profile: args.profile.clone(),
        strategy: args.pacing.strategy.clone(),
        cap: args.pacing.cap.clone(),
        ..Flags::default()
    })?;
    let traces = load_traced(&sources)?.traces;
    if args.json {
        print_json(&traces)
    } else {
        print(&listing(&traces))
    }
}

fn listing(traces: &[Traced]) -> String {
    let key_width = traces.iter().map(|traced| traced.key.len()).max();
    let value_width = traces.iter().map(|traced| shown(traced).len()).max();
    let (keys, values) = (key_width.unwrap_or(0), value_width.unwrap_or(0).min(24));
    let mut text = String::new();
    for traced in traces {
        let value = shown(traced);
        let origin = &traced.given.origin;
        let _ = write!(text, "{:<keys$}  {value:<values$}  {origin}", traced.key);
        for hidden in &traced.shadows {
            let _ = write!(text, ", over {} ({})", quoted(&hidden.value), hidden.origin);
        }
        text.push('\n');
    }
    text
}

fn shown(traced: &Traced) -> String {
    quoted(&traced.given.value)
}

fn quoted(value: &str) -> String {
    if value.is_empty() {
        "none".to_owned()
    } else {
        value.to_owned()
    }
}

/// The names of all profiles there are.
pub(crate) fn list_profiles() -> Result<(), Failure> {
    let sources = Sources::of_process(Flags::default())?;
    let mut text = String::new();
    for name in known(&sources.folders) {
        let own = sources
            .folders
            .iter()
            .map(|folder| folder.join(format!("{name}.toml")));
        let place = own.into_iter().find(|path| path.exists());
        let place = place.map_or_else(|| "shipped".to_owned(), |path| path.display().to_string());
        let _ = writeln!(text, "{name:<12}  {place}");
    }
    print(&text)
}

/// A profile's text, and where it is.
pub(crate) fn show_profile(name: &str) -> Result<(), Failure> {
    let sources = Sources::of_process(Flags::default())?;
    let (place, text) = profile_text(name, &sources.folders)?;
    print(&format!("# {place}\n{text}"))
}
