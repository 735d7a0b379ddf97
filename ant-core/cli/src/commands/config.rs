//! `ant config` and `ant profile`: what is in force, why, and from which file.

use std::{fmt::Write, path::PathBuf};

use ant_config::{
    Flag, Sources, Traced, description, load, new_profile, places, profile_text, redacted, schema,
};

use crate::{
    args::{ConfigCommand, ProfileCommand, ShowArgs},
    exit::Failure,
    output::{print, print_json},
};

pub(crate) fn run(command: &ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Show(args) => show(args),
        ConfigCommand::Check { files } => check(files),
        ConfigCommand::Schema => print_json(&schema()),
    }
}

pub(crate) fn run_profile(command: &ProfileCommand) -> Result<(), Failure> {
    match command {
        ProfileCommand::List => list_profiles(),
        ProfileCommand::Show { name } => show_profile(name),
        ProfileCommand::New { name, extends } => make_profile(name, extends),
    }
}

/// Prints every setting: its value, where that came from, and what it hides.
fn show(args: &ShowArgs) -> Result<(), Failure> {
    let sources = Sources::of_process(args.settings.given.clone())?;
    let loaded = load(&sources)?;
    if args.json {
        print_json(&loaded.traces)?;
    } else {
        print(&listing(&loaded.traces))?;
    }
    for note in loaded.notes() {
        eprintln!("note: {note}");
    }
    Ok(())
}

/// The width of the column of values, at most; few values are wider.
const LINED_UP: usize = 24;

fn listing(traces: &[Traced]) -> String {
    let key_width = traces.iter().map(|traced| traced.key.len()).max();
    let value_width = traces.iter().map(|traced| shown(traced).len()).max();
    let (keys, values) = (
        key_width.unwrap_or(0),
        value_width.unwrap_or(0).min(LINED_UP),
    );
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

/// Finds every fault of these profiles, or of the settings in force.
fn check(files: &[PathBuf]) -> Result<(), Failure> {
    let process = Sources::of_process(Vec::new())?;
    let mut faults = Vec::new();
    let mut take = |what: &str, sources: &Sources| match load(sources) {
        Ok(loaded) => {
            for note in loaded.notes() {
                eprintln!("note: {what}: {note}");
            }
            print(&format!("{what}: good\n"))
        }
        Err(error) => {
            // One base may be at fault for several files.
            for fault in error.faults() {
                if !faults.contains(fault) {
                    faults.push(fault.clone());
                }
            }
            Ok(())
        }
    };
    if files.is_empty() {
        take("the settings in force", &process)?;
    }
    for file in files {
        let Some(path) = file.to_str() else {
            let path = file.display();
            return Err(Failure::BadInput(format!(
                "{path}: the path is not UTF-8 text"
            )));
        };
        // A plain word would be taken for a profile's name; this is a file.
        let profile = if path.contains('/') {
            path.to_owned()
        } else {
            format!("./{path}")
        };
        let sources = Sources {
            flags: Flag::new("profile", profile, path).into_iter().collect(),
            folders: process.folders.clone(),
            ..Sources::default()
        };
        take(path, &sources)?;
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Failure::faults(&faults))
    }
}

/// Lists all profiles.
fn list_profiles() -> Result<(), Failure> {
    let sources = Sources::of_process(Vec::new())?;
    let mut text = String::new();
    for (name, place) in places(&sources.folders) {
        let about = description(&name, &sources.folders).unwrap_or_default();
        let _ = writeln!(text, "{name:<12}  {place:<12}  {about}");
    }
    print(&text)
}

/// Prints a profile's text, and where it is.
fn show_profile(name: &str) -> Result<(), Failure> {
    let sources = Sources::of_process(Vec::new())?;
    let (place, text) = profile_text(name, &sources.folders)?;
    print(&redacted(&format!("# {place}\n{text}")))
}

/// Writes a new profile into the folder `profiles` of the working directory.
fn make_profile(name: &str, base: &str) -> Result<(), Failure> {
    let sources = Sources::of_process(Vec::new())?;
    let folder = sources.folders.first().cloned().unwrap_or_default();
    let place = new_profile(name, base, &folder, &sources)?;
    print(&format!(
        "wrote {place}\ntry it: ant config show --profile {name}\n"
    ))
}
