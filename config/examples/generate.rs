//! Writes what is made of the list of keys, after a key has changed: the tables of
//! docs/configuration.md and the JSON Schema of profiles.

use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = root.join("docs/configuration.md");
    fs::write(&page, ant_config::with_tables(&fs::read_to_string(&page)?))?;
    let schema = serde_json::to_string_pretty(&ant_config::schema())?;
    fs::write(root.join("profiles/profile.schema.json"), schema + "\n")?;
    Ok(())
}
