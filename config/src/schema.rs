//! The JSON Schema of a profile, with which editors check and complete it.

use ant_pacing::{FieldKind, catalogue};
use serde_json::{Map, Value as Json, json};

use crate::keys::{FILE_WORDS, KEYS, Kind, MOST_SLOTS};

/// Returns the JSON Schema of a profile's file, made of the list of keys.
pub fn schema() -> Json {
    let mut top = Map::new();
    for (name, summary) in FILE_WORDS {
        top.insert(
            (*name).to_owned(),
            json!({ "type": "string", "description": summary }),
        );
    }
    for key in KEYS.iter().filter(|key| key.in_files()) {
        let mut schema = of_kind(key.kind);
        schema["description"] = json!(format!(
            "{}. Default: {}, because {}. Variable: {}.",
            key.meaning(),
            key.default_text(),
            key.reason,
            key.variable
        ));
        match key.name.split_once('.') {
            None => {
                top.insert(key.name.to_owned(), schema);
            }
            Some((section, name)) => {
                let table = top.entry(section).or_insert_with(
                    || json!({ "type": "object", "properties": {}, "additionalProperties": false }),
                );
                table["properties"][name] = schema;
            }
        }
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A profile of ant",
        "type": "object",
        "minProperties": 1,
        "properties": top,
        "additionalProperties": false,
    })
}

/// Returns what an editor is told of a key's value.
fn of_kind(kind: Kind) -> Json {
    let strategy = || {
        let patterns = catalogue::all().iter().map(|entry| {
            let numbers = entry.fields.iter().map(|field| match field.kind {
                FieldKind::Count => "-[1-9][0-9]*",
                FieldKind::Duration => "-([1-9][0-9]*[a-z]+)+",
            });
            let numbers: String = numbers.collect();
            // In a table the name may stand alone.
            match numbers.as_str() {
                "" => entry.name.to_owned(),
                numbers => format!("{}({numbers})?", entry.name),
            }
        });
        let patterns: Vec<_> = patterns.collect();
        let pattern = format!("^({})(@(payment|client))?$", patterns.join("|"));
        json!({ "type": "string", "pattern": pattern })
    };
    let slots = json!({ "type": "integer", "minimum": 1, "maximum": MOST_SLOTS });
    match kind {
        Kind::NameOrPath | Kind::File => json!({ "type": "string" }),
        Kind::Strategy => strategy(),
        Kind::Slots => slots,
        Kind::Span { .. } => json!({
            "type": "string",
            "pattern": "^((0|[1-9][0-9]*)[a-z]+)+$",
        }),
        Kind::Count { low, high, .. } => {
            json!({ "type": "integer", "minimum": low, "maximum": high })
        }
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "type": "string", "enum": words }),
        Kind::Addresses => json!({ "type": "array", "items": { "type": "string" } }),
        Kind::Arms => json!({
            "type": "array",
            "items": {
                "type": "object",
                "properties": { "strategy": strategy(), "weight": slots },
                "required": ["strategy"],
                "additionalProperties": false,
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::SHIPPED;

    fn valid(profile: &str) -> bool {
        let file = config::File::from_str(profile, config::FileFormat::Toml);
        let read = config::Config::builder().add_source(file).build().unwrap();
        let json: Json = read.try_deserialize().unwrap();
        jsonschema::is_valid(&schema(), &json)
    }

    #[test]
    fn the_one_beside_the_profiles_is_this_one() {
        let kept = include_str!("../../profiles/profile.schema.json");
        let made = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
        assert_eq!(
            kept, made,
            "write it anew: cargo run -p ant-config --example generate"
        );
    }

    #[test]
    fn it_takes_every_shipped_profile_and_every_example() {
        for (name, text) in SHIPPED {
            assert!(valid(text), "{name}");
        }
        for key in KEYS.iter().filter(|key| key.in_files() && key.name != "ab") {
            let (section, name) = key.name.split_once('.').unwrap();
            let quoted = format!("\"{}\"", key.example);
            let listed = format!("[{quoted}]");
            let forms = [key.example, &quoted, &listed];
            let fits = |form: &&str| {
                toml::de::DeTable::parse(&format!("x = {form}")).is_ok()
                    && valid(&format!("[{section}]\n{name} = {form}\n"))
            };
            assert!(forms.iter().any(fits), "{}", key.name);
        }
        assert!(valid("[[ab]]\nstrategy = \"hold-32\"\nweight = 2\n"));
        assert!(valid(
            "[pacing]\nstrategy = \"release\"\nafter = \"2s\"\nslots = 4\n"
        ));
    }

    #[test]
    fn it_refuses_what_is_not_a_profile() {
        for bad in [
            "asks = 3\n",
            "[plan]\nasks = 3\n",
            "[plan]\nask = 15\n",
            "[plan]\nask = \"32\"\n",
            "[plan]\nrequest_timeout = 10\n",
            "[plan]\nrequest_timeout = \"10\"\n",
            "[pacing]\nstrategy = \"hold16\"\n",
            "[pacing]\nstrategy = \"Hold-16\"\n",
            "[pacing]\nslots = 0\n",
            "[network]\nkind = \"Remote\"\n",
            "[[ab]]\nweight = 1\n",
        ] {
            assert!(!valid(bad), "{bad}");
        }
    }
}
